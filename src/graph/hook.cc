#include "graph/hook.h"

#include <transom/runtime/error.h>

#include "graph/type_plan.h"

namespace transom::graph {

std::optional<Function> FunctionHookOf(int32_t type_index, std::string_view attr) {
  const TVMFFIAny* hook = AttrOf(type_index, attr);
  if (hook == nullptr) return std::nullopt;
  const AnyView value = AnyView::FromRaw(*hook);
  TRANSOM_CHECK(hook->type_index == kTVMFFIFunction, TypeError)
      << "the attribute `" << attr << "` of type " << detail::TypeKeyOfIndex(type_index) << " is of type "
      << value.GetTypeKey() << "; a function is expected";
  return value.cast<Function>();
}

}  // namespace transom::graph
