#include "structural/diff/move_finder.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "structural/rules/part_size.h"
#include "structural/rules/places.h"

namespace transom::structural {
namespace {

constexpr size_t kNone = SIZE_MAX;

// A part of one side: a loose end as a whole, or something inside of one.
struct Part {
  size_t end = kNone;
  TVMFFIAny value = graph::NoneValue();
  const TVMFFIObject* holder = nullptr;  // inside: the object that it stands in
  graph::Path way;                       // inside: from the value of the loose end
};

// The parts of one content.
struct Alike {
  std::vector<size_t> whole[2];  // loose ends by side: left, right
  std::vector<Part> inside[2];
};

class MoveFinder {
 public:
  MoveFinder(graph::PlanTable& plans, const std::vector<LooseEnd>& loose, LockStep* walk)
      : plans_(plans), ends_(loose), walk_(*walk), links_(loose.size()) {}

  void Run() {
    for (size_t i = 0; i < ends_.size(); ++i) {
      for (const int side : {0, 1}) AddWhole(i, side);
    }
    for (const Digest& key : order_) PairWholes(alike_[key]);
    DropChainsOfReplacements();
    for (size_t to = 0; to < ends_.size(); ++to) {
      if (links_[to].from != kNone) Verify(to);
    }
    for (const int side : {0, 1}) FindInside(side);
  }

  void Write(std::array<uint64_t, kNumEditKinds>* counts, std::vector<Difference>* listed) const {
    std::vector<uint8_t> dropped(listed->size(), 0);
    std::vector<Difference> moves;
    const auto drop = [&](size_t i) {
      if (ends_[i].listed != LooseEnd::kNotListed) dropped[ends_[i].listed] = 1;
    };
    for (const auto& [lhs, rhs] : moves_) {
      ++(*counts)[static_cast<size_t>(EditKind::kMove)];
      const size_t l = ends_[lhs.end].listed, r = ends_[rhs.end].listed;
      if (l != LooseEnd::kNotListed && r != LooseEnd::kNotListed)
        moves.push_back(MoveOf((*listed)[l], lhs, (*listed)[r], rhs));
    }
    for (size_t i = 0; i < ends_.size(); ++i) {
      if (!IsGone(i)) continue;
      --(*counts)[static_cast<size_t>(ends_[i].kind)];
      drop(i);
    }
    size_t kept = 0;
    for (size_t i = 0; i < listed->size(); ++i) {
      if (dropped[i] == 0 && kept++ != i) (*listed)[kept - 1] = std::move((*listed)[i]);
    }
    listed->resize(kept);
    listed->insert(listed->end(), std::make_move_iterator(moves.begin()), std::make_move_iterator(moves.end()));
  }

 private:
  // Of a loose end: where its left value went, and where its right value came from.
  struct Links {
    size_t to = kNone;
    size_t from = kNone;
    bool left_inside = false;   // the left value stands inside of something on the right
    bool right_inside = false;  // the right value stood inside of something on the left
  };

  static const TVMFFIAny& ValueOf(const LooseEnd& end, int side) { return side == 0 ? end.lhs : end.rhs; }
  bool HasSide(size_t i, int side) const {
    return ends_[i].kind == EditKind::kReplace || (ends_[i].kind == EditKind::kDelete) == (side == 0);
  }
  bool IsMatched(size_t i, int side) const {
    const Links& links = links_[i];
    return side == 0 ? links.to != kNone || links.left_inside : links.from != kNone || links.right_inside;
  }
  // All that it says is said by moves.
  bool IsGone(size_t i) const { return (!HasSide(i, 0) || IsMatched(i, 0)) && (!HasSide(i, 1) || IsMatched(i, 1)); }

  Digest KeyOf(const TVMFFIAny& value, int side) {
    return (side == 0 ? walk_.lhs_keys() : walk_.rhs_keys()).KeyOf(value);
  }

  void AddWhole(size_t i, int side) {
    const TVMFFIAny& value = ValueOf(ends_[i], side);
    if (!HasSide(i, side) || !IsWorthMoving(value, plans_, keeper_)) return;
    const auto [entry, is_new] = alike_.try_emplace(KeyOf(value, side));
    if (is_new) order_.push_back(entry->first);
    entry->second.whole[side].push_back(i);
  }

  static bool SameHolders(const LooseEnd& a, const LooseEnd& b) {
    return a.lhs_holder == b.lhs_holder && a.rhs_holder == b.rhs_holder;
  }

  void PairWholes(const Alike& alike) {
    const std::vector<size_t>&lhs = alike.whole[0], &rhs = alike.whole[1];
    if (lhs.size() == 1 && rhs.size() == 1) return Link(lhs[0], rhs[0]);
    std::unordered_map<const TVMFFIObject*, std::vector<size_t>> coming;  // by holder; the next one is last
    for (auto end = rhs.rbegin(); end != rhs.rend(); ++end) coming[ends_[*end].rhs_holder].push_back(*end);
    for (const size_t from : lhs) {
      std::vector<size_t>& here = coming[ends_[from].rhs_holder];
      if (here.empty() || !SameHolders(ends_[from], ends_[here.back()])) continue;
      Link(from, here.back());
      here.pop_back();
    }
  }

  void Link(size_t from, size_t to) {
    if (from == to || !walk_.SameInContext(ends_[from].lhs, ends_[to].rhs)) return;
    links_[from].to = to;
    links_[to].from = from;
  }
  void Unlink(size_t to) {
    links_[links_[to].from].to = kNone;
    links_[to].from = kNone;
  }

  // Each in the place of the next, where neither the first nor the last place was or became empty: the moves would come
  // on top of the replacements.
  void DropChainsOfReplacements() {
    for (size_t first = 0; first < ends_.size(); ++first) {
      if (ends_[first].kind != EditKind::kReplace || links_[first].from != kNone) continue;
      size_t last = first;
      while (links_[last].to != kNone) last = links_[last].to;
      if (ends_[last].kind != EditKind::kReplace) continue;
      while (last != first) {
        const size_t before = links_[last].from;
        Unlink(last);
        last = before;
      }
    }
  }

  void Verify(size_t to) {
    const size_t from = links_[to].from;
    if (!walk_.SameElsewhere(ends_[from].lhs, ends_[to].rhs)) return Unlink(to);
    moves_.emplace_back(Part{from, ends_[from].lhs, nullptr, {}}, Part{to, ends_[to].rhs, nullptr, {}});
  }

  // ---- Inside of others ----

  // Looks for deletions (side 0) or insertions (side 1) inside of what is new or gone on the other side.
  void FindInside(int side) {
    std::unordered_map<Digest, Alike, DigestHash> wanted;
    std::vector<Digest> order;
    for (size_t i = 0; i < ends_.size(); ++i) {
      const TVMFFIAny& value = ValueOf(ends_[i], side);
      const bool is_whole = ends_[i].kind != EditKind::kReplace && HasSide(i, side) && !IsMatched(i, side);
      if (!is_whole || !IsWorthMoving(value, plans_, keeper_)) continue;
      const auto [entry, is_new] = wanted.try_emplace(KeyOf(value, side));
      if (is_new) order.push_back(entry->first);
      entry->second.whole[side].push_back(i);
    }
    if (wanted.empty()) return;
    graph::PointerMap<uint8_t> seen;
    for (size_t i = 0; i < ends_.size(); ++i) {
      if (HasSide(i, 1 - side) && !IsMatched(i, 1 - side)) SearchInside(i, 1 - side, &seen, &wanted);
    }
    for (const Digest& key : order) PairInside(wanted[key], side);
  }

  // Notes what is wanted inside of a value; nothing inside of what was found.
  void SearchInside(size_t end, int side, graph::PointerMap<uint8_t>* seen,
                    std::unordered_map<Digest, Alike, DigestHash>* wanted) {
    struct Inside {
      TVMFFIAny value;
      size_t holder;
      Place place;
    };
    std::vector<Inside> inside{{ValueOf(ends_[end], side), 0, {}}};
    for (size_t i = 0; i < inside.size(); ++i) {
      const Inside at = inside[i];
      const auto found = i != 0 ? wanted->find(KeyOf(at.value, side)) : wanted->end();
      if (found != wanted->end()) {
        Part part{end, at.value, inside[at.holder].value.v_obj, {}};
        for (size_t k = i; k != 0; k = inside[k].holder) part.way.push_back(StepAt(plans_, inside[k].place));
        std::reverse(part.way.begin(), part.way.end());
        found->second.inside[side].push_back(std::move(part));
        continue;
      }
      ForEachPlace(at.value, plans_, keeper_, [&](const TVMFFIAny& child, const Place& place) {
        if (place.kind == Place::Kind::kKey || !graph::HasChildren(graph::Classify(child.type_index))) return;
        // What the walk met elsewhere is not new here, nor gone.
        if (walk_.Met(child.v_obj, side == 0) || !seen->Insert(child.v_obj).second) return;
        inside.push_back({child, i, place});
      });
    }
  }

  void PairInside(const Alike& alike, int side) {
    if (alike.whole[side].size() != 1 || alike.inside[1 - side].size() != 1) return;
    const size_t end = alike.whole[side][0];
    Part whole{end, ValueOf(ends_[end], side), nullptr, {}};
    const Part& part = alike.inside[1 - side][0];
    const Part &lhs = side == 0 ? whole : part, &rhs = side == 0 ? part : whole;
    if (!walk_.SameElsewhere(lhs.value, rhs.value)) return;
    (side == 0 ? links_[end].left_inside : links_[end].right_inside) = true;
    moves_.emplace_back(lhs, rhs);
  }

  static Difference MoveOf(const Difference& from, const Part& lhs, const Difference& to, const Part& rhs) {
    Difference move;
    move.kind = EditKind::kMove;
    move.lhs = lhs.value;
    move.rhs = rhs.value;
    move.lhs_path = from.lhs_path;
    move.lhs_path.insert(move.lhs_path.end(), lhs.way.begin(), lhs.way.end());
    move.rhs_path = to.rhs_path;
    move.rhs_path.insert(move.rhs_path.end(), rhs.way.begin(), rhs.way.end());
    move.lhs_holder = lhs.holder != nullptr ? lhs.holder : from.lhs_holder;
    move.rhs_holder = rhs.holder != nullptr ? rhs.holder : to.rhs_holder;
    return move;
  }

  graph::PlanTable& plans_;
  graph::Keeper keeper_;
  const std::vector<LooseEnd>& ends_;
  LockStep& walk_;
  std::vector<Links> links_;  // by loose end
  std::unordered_map<Digest, Alike, DigestHash> alike_;
  std::vector<Digest> order_;  // of the keys
  std::vector<std::pair<Part, Part>> moves_;
};

}  // namespace

void FindMoves(graph::PlanTable& plans, const std::vector<LooseEnd>& loose, LockStep* walk,
               std::array<uint64_t, kNumEditKinds>* counts, std::vector<Difference>* listed) {
  if (loose.size() < 2) return;
  // What verification finds is no loose end.
  const std::vector<LooseEnd> ends = loose;
  walk->FindMoves(nullptr);
  MoveFinder finder(plans, ends, walk);
  finder.Run();
  finder.Write(counts, listed);
}

}  // namespace transom::structural
