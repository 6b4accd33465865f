#include "structural/rules/path_scope.h"

#include <algorithm>

namespace transom::structural {

using graph::PatternStep;
using Kind = graph::PatternStep::Kind;

PathScope::PathScope(graph::PlanTable& plans) : plans_(plans) {
  Description open;
  open.inside = true;
  Intern(std::move(open));
}

void PathScope::Add(PathUse use, graph::PathPattern pattern, std::string field) {
  has_only_ |= use == PathUse::kOnly;
  patterns_.push_back({use, std::move(pattern), std::move(field)});
  matched_.push_back(0);
}

PathScope::State PathScope::Root() {
  Description root;
  root.inside = !has_only_;
  for (uint32_t i = 0; i < patterns_.size(); ++i) Reach({i, 0}, &root);
  return Intern(std::move(root));
}

// The place `at` is among those that `to` stands for.
void PathScope::Reach(Position at, Description* to) {
  const Pattern& pattern = patterns_[at.first];
  for (; at.second < pattern.pattern.steps.size(); ++at.second) {
    to->positions.push_back(at);
    if (StepAt(at).kind != Kind::kAnyNumber) return;
  }
  matched_[at.first] = 1;
  switch (pattern.use) {
    case PathUse::kIgnore:
      to->ignored = true;
      break;
    case PathUse::kOnly:
      to->inside = true;
      break;
    case PathUse::kUnordered:
      to->unordered = true;
      break;
    case PathUse::kKey:
      to->key = static_cast<int32_t>(at.first);
      break;
  }
}

PathScope::State PathScope::Intern(Description state) {
  std::vector<Position>& positions = state.positions;
  if (state.ignored) {
    state = Description();
    state.ignored = true;
  }
  if (state.inside) {
    positions.erase(std::remove_if(positions.begin(), positions.end(),
                                   [&](const Position& at) { return patterns_[at.first].use == PathUse::kOnly; }),
                    positions.end());
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  const auto known = known_.find(state);
  if (known != known_.end()) return known->second;
  for (const Position& at : positions) {
    const PatternStep& step = StepAt(at);
    if (step.kind == Kind::kField || step.kind == Kind::kMissing) state.fields.emplace_back(step.text, kUnknown);
    state.speaks_of_entries |= step.kind == Kind::kIndex || step.kind == Kind::kPlace || step.kind == Kind::kText ||
                               step.kind == Kind::kKey || step.kind == Kind::kMissing;
    state.uniform = state.uniform && IsUniform(at);
  }
  const auto id = static_cast<State>(states_.size());
  known_.emplace(state, id);
  states_.push_back(std::move(state));
  return id;
}

bool PathScope::IsUniform(const Position& from) const {
  const std::vector<PatternStep>& steps = patterns_[from.first].pattern.steps;
  return std::all_of(steps.begin() + from.second, steps.end(), [](const PatternStep& step) {
    return step.kind == Kind::kField || step.kind == Kind::kAnyField || step.kind == Kind::kPart ||
           step.kind == Kind::kAny || step.kind == Kind::kAnyNumber;
  });
}

template <class Matches>
PathScope::State PathScope::Follow(State from, Matches&& matches) {
  const Description& state = states_[from];
  Description next;
  next.inside = state.inside;
  for (const Position& at : state.positions) {
    const PatternStep& step = StepAt(at);
    if (step.kind == Kind::kAnyNumber) {
      Reach(at, &next);
    } else if (matches(step)) {
      Reach({at.first, at.second + 1}, &next);
    }
  }
  return Intern(std::move(next));
}

PathScope::State PathScope::Field(State from, std::string_view name) {
  if (from == kOpen) return kOpen;
  Description& state = states_[from];
  State* next = &state.other_field;
  for (auto& [known, leads_to] : state.fields) {
    if (known == name) next = &leads_to;
  }
  if (*next == kUnknown) *next = Follow(from, [&](const PatternStep& step) { return graph::MatchesField(step, name); });
  return *next;
}

PathScope::State PathScope::Item(State from, int64_t lhs, int64_t rhs) {
  if (from == kOpen) return kOpen;
  Description& state = states_[from];
  const bool spoken_of = std::any_of(state.positions.begin(), state.positions.end(), [&](const Position& at) {
    const PatternStep& step = StepAt(at);
    return step.kind == Kind::kIndex && (step.index == lhs || step.index == rhs);
  });
  const auto follow = [&] {
    return Follow(from, [&](const PatternStep& step) {
      return (lhs >= 0 && graph::MatchesItem(step, lhs)) || (rhs >= 0 && graph::MatchesItem(step, rhs));
    });
  };
  if (spoken_of) return follow();
  if (state.other_item == kUnknown) state.other_item = follow();
  return state.other_item;
}

PathScope::State PathScope::Entry(State from, const SideStep& lhs, const SideStep& rhs) {
  if (from == kOpen) return kOpen;
  Description& state = states_[from];
  const auto follow = [&] {
    return Follow(from, [&](const PatternStep& step) {
      return (lhs.place >= 0 && graph::MatchesEntry(step, plans_, *lhs.key, lhs.place)) ||
             (rhs.place >= 0 && graph::MatchesEntry(step, plans_, *rhs.key, rhs.place));
    });
  };
  if (state.speaks_of_entries) return follow();
  if (state.other_entry == kUnknown) state.other_entry = follow();
  return state.other_entry;
}

PathScope::State PathScope::Either(State a, State b) {
  if (a == b) return a;
  Description both = states_[a];
  const Description& other = states_[b];
  both.positions.insert(both.positions.end(), other.positions.begin(), other.positions.end());
  both.ignored |= other.ignored;
  both.inside |= other.inside;
  both.unordered |= other.unordered;
  both.key = std::max(both.key, other.key);
  both.fields.clear();
  both.other_field = both.other_item = both.other_entry = kUnknown;
  both.speaks_of_entries = false;
  both.uniform = true;
  return Intern(std::move(both));
}

}  // namespace transom::structural
