/*
 * What patterns and tolerance take out of the keys of a side's parts: what does not count must not guide the
 * comparison.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_RULES_KEY_SCOPE_H_
#define TRANSOM_SRC_STRUCTURAL_RULES_KEY_SCOPE_H_

#include <map>
#include <utility>
#include <vector>

#include "graph/fold.h"
#include "graph/pointer_map.h"
#include "structural/rules/diff_scope.h"

namespace transom::structural {

/*!
 * \brief One key per object, whatever way led to it: an object that is reached on several ways leaves out what is
 * ignored on any of them. Built in one walk over the side, linear in it and in the states that its objects are met in.
 */
class KeyScope {
 public:
  KeyScope(DiffScope& scope, const TVMFFIAny& root);

  /*! \brief The fields of `counted`, a list of the object's plan, that are not ignored. Lives as long as this. */
  const std::vector<uint16_t>& Fields(const graph::FoldFrame& frame, const std::vector<uint16_t>& counted);
  /*! \brief Entries of a map that are not ignored: `fn(key, value)`. */
  template <class Fn>
  void ForEachEntry(const TVMFFIAny& map_value, Fn&& fn);
  /*! \brief Whether the order of a sequence's elements does not count. */
  bool Unordered(const TVMFFIAny& sequence) const { return paths_.Unordered(StateOf(sequence)); }
  /*! \brief Moves the results of elements that are not ignored to the front, and says how many they are. */
  template <class Result>
  uint64_t KeepElements(const TVMFFIAny& sequence, Result* results, uint64_t count);

  const Tolerance& tolerance() const { return scope_.tolerance(); }
  /*! \brief What the patterns say of a value with children, whatever way led to it. */
  PathScope::State StateOf(const TVMFFIAny& value) const {
    const PathScope::State* state = states_.Find(value.v_obj);
    return state != nullptr ? *state : PathScope::kOpen;
  }

 private:

  DiffScope& scope_;
  PathScope& paths_;
  graph::PointerMap<PathScope::State> states_;  // of objects that patterns may say something about
  std::map<std::pair<const std::vector<uint16_t>*, PathScope::State>, std::vector<uint16_t>> lists_;
};

template <class Fn>
void KeyScope::ForEachEntry(const TVMFFIAny& map_value, Fn&& fn) {
  const PathScope::State state = StateOf(map_value);
  const MapBaseObj& map = graph::MapOf(map_value);
  int64_t place = 0;
  for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos), ++place) {
    const SideStep step{place, map.KeyAt(pos).raw()};
    if (!paths_.Ignored(paths_.Entry(state, step, step))) fn(*step.key, *map.ValueAt(pos).raw());
  }
}

template <class Result>
uint64_t KeyScope::KeepElements(const TVMFFIAny& sequence, Result* results, uint64_t count) {
  const PathScope::State state = StateOf(sequence);
  if (state == PathScope::kOpen) return count;
  uint64_t kept = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const auto at = static_cast<int64_t>(i);
    if (!paths_.Ignored(paths_.Item(state, at, at))) results[kept++] = results[i];
  }
  return kept;
}

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_RULES_KEY_SCOPE_H_
