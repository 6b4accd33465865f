/*
 * Where patterns of paths match, found step by step on the way down.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_RULES_PATH_SCOPE_H_
#define TRANSOM_SRC_STRUCTURAL_RULES_PATH_SCOPE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "graph/path_pattern.h"
#include "graph/type_plan.h"

namespace transom::structural {

/*! \brief What becomes of the places that a pattern matches. */
enum class PathUse : uint8_t {
  kIgnore,     // they and all below are not looked at
  kOnly,       // they and all below are, nothing else is
  kUnordered,  // the order of their elements does not count
  kKey,        // nor does it, and elements pair by a field
};

/*! \brief One side's part on the way down: an element, or an entry with its key. */
struct SideStep {
  int64_t place = -1;              // negative: the side has no such part
  const TVMFFIAny* key = nullptr;  // entries
};

/*!
 * \brief The patterns as an automaton, made as far as it is used. A state stands for all that the patterns can still
 * say about a place and what lies below; a walk over two sides keeps one, and a step matches when it does on either
 * side.
 */
class PathScope {
 public:
  using State = uint32_t;
  /*! \brief No pattern says anything more: all below counts as it does without patterns. */
  static constexpr State kOpen = 0;

  explicit PathScope(graph::PlanTable& plans);

  void Add(PathUse use, graph::PathPattern pattern, std::string field = {});
  bool empty() const { return patterns_.empty(); }
  /*! \brief Whether a pattern, by its number in the order of Add, has matched a place that was asked for. */
  bool Matched(size_t pattern) const { return matched_[pattern] != 0; }

  /*! \brief State of the root; after all patterns were added. */
  State Root();
  State Field(State from, std::string_view name);
  State Item(State from, int64_t lhs, int64_t rhs);
  State Entry(State from, const SideStep& lhs, const SideStep& rhs);
  /*! \brief What any of two states would say. */
  State Either(State a, State b);

  bool Ignored(State state) const { return states_[state].ignored; }
  /*! \brief Outside of all that kOnly asks for. */
  bool Outside(State state) const { return !states_[state].inside; }
  /*! \brief Whether a place below may have another state. */
  bool MayChange(State state) const { return !states_[state].positions.empty(); }
  /*! \brief Whether all that the patterns can still say holds for all parts alike, whatever their index or key. */
  bool Uniform(State state) const { return states_[state].uniform; }
  /*! \brief Whether the order of a sequence there does not count. */
  bool Unordered(State state) const { return states_[state].unordered || states_[state].key >= 0; }
  /*! \brief The field that pairs the elements of a sequence there, and the pattern that says so; null: none. */
  const std::string* KeyField(State state) const { return ByKey(state) != nullptr ? &ByKey(state)->field : nullptr; }
  const std::string& KeyPattern(State state) const { return ByKey(state)->pattern.text; }

 private:
  struct Pattern {
    PathUse use;
    graph::PathPattern pattern;
    std::string field;
  };
  using Position = std::pair<uint32_t, uint32_t>;  // pattern, and its step that is to match next

  static constexpr State kUnknown = ~State{0};
  struct Description {
    std::vector<Position> positions;  // sorted
    bool ignored = false;
    bool inside = false;
    bool unordered = false;
    int32_t key = -1;  // a pattern
    // Where steps lead to, as far as it is known.
    std::vector<std::pair<std::string_view, State>> fields;  // of the names that the patterns speak of
    State other_field = kUnknown;
    State other_item = kUnknown;
    State other_entry = kUnknown;
    bool speaks_of_entries = false;  // of single ones
    bool uniform = true;

    auto Identity() const { return std::tie(positions, ignored, inside, unordered, key); }
    bool operator<(const Description& other) const { return Identity() < other.Identity(); }
  };

  const graph::PatternStep& StepAt(const Position& at) const { return patterns_[at.first].pattern.steps[at.second]; }
  const Pattern* ByKey(State state) const {
    return states_[state].key >= 0 ? &patterns_[static_cast<size_t>(states_[state].key)] : nullptr;
  }
  void Reach(Position at, Description* to);
  State Intern(Description state);
  bool IsUniform(const Position& from) const;
  template <class Matches>
  State Follow(State from, Matches&& matches);

  graph::PlanTable& plans_;
  std::vector<Pattern> patterns_;
  std::vector<uint8_t> matched_;  // by pattern
  bool has_only_ = false;
  std::deque<Description> states_;
  std::map<Description, State> known_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_RULES_PATH_SCOPE_H_
