#include "structural/rules/hook_parts.h"

#include <transom/runtime/function.h>

#include "graph/hook.h"
#include "structural/rules/hook_lease.h"

namespace transom::structural {

std::optional<std::vector<HookPart>> HookPartsOf(const graph::TypePlan& plan, const TVMFFIAny& object) {
  const std::optional<Function> hook = graph::FunctionHookOf(plan.type_index, "__s_hash__");
  if (!hook.has_value()) return std::nullopt;
  std::vector<HookPart> parts;
  const HookLease<std::vector<HookPart>> lease(&parts, "__s_hash__");
  const Function note = Function::FromTyped(
      [lent = lease.get()](const Any& value, int64_t init, int region) {
        (*lent).push_back({value, HookRegion(region)});
        return init;
      },
      "__s_hash__ callback");
  const AnyView args[] = {AnyView::FromRaw(object), AnyView(static_cast<int64_t>(plan.seed)), AnyView(note)};
  hook->CallPacked(args, 3).cast<int64_t>();
  return parts;
}

}  // namespace transom::structural
