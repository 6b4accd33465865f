#include "structural/rules/key_scope.h"

namespace transom::structural {

using graph::Classify;
using State = PathScope::State;

KeyScope::KeyScope(DiffScope& scope, const TVMFFIAny& root) : scope_(scope), paths_(scope.paths()) {
  if (!scope.has_blind_spots()) return;
  graph::Keeper keeper;
  std::vector<std::pair<TVMFFIAny, State>> stack{{root, paths_.Root()}};
  while (!stack.empty()) {
    const auto [value, state] = stack.back();
    stack.pop_back();
    if (!graph::HasChildren(Classify(value.type_index)) || (!paths_.MayChange(state) && !paths_.Unordered(state)))
      continue;
    auto [known, is_new] = states_.Insert(value.v_obj);
    const State both = is_new ? state : paths_.Either(*known, state);
    if (!is_new && both == *known) continue;
    *known = both;
    ForEachChildInScope(value, both, paths_, scope.plans(), keeper,
                        [&](const TVMFFIAny& child, State at, const graph::FieldPlan*, bool) {
                          stack.push_back({child, at});
                        });
  }
}

const std::vector<uint16_t>& KeyScope::Fields(const graph::FoldFrame& frame, const std::vector<uint16_t>& counted) {
  const State state = StateOf(frame.value);
  if (!paths_.MayChange(state)) return counted;
  auto [list, is_new] = lists_.try_emplace({&counted, state});
  if (is_new) {
    for (const uint16_t i : counted) {
      if (!paths_.Ignored(paths_.Field(state, frame.plan->fields[i].name))) list->second.push_back(i);
    }
  }
  return list->second;
}

}  // namespace transom::structural
