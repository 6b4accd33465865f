/*
 * Global functions called by their names, as front ends call them.
 */
#ifndef TRANSOM_INTEROP_CALL_GLOBAL_H_
#define TRANSOM_INTEROP_CALL_GLOBAL_H_

#include <transom/runtime/any_hash.h>
#include <transom/runtime/function.h>

#include <string>
#include <vector>

#include "support/error_of.h"

namespace transom::testing {

inline Any Call(const char* name, std::vector<Any> args) {
  std::vector<AnyView> views(args.begin(), args.end());
  return Function::GetGlobalRequired(name).CallPacked(views.data(), static_cast<int32_t>(views.size()));
}

/*! \brief "Kind: message" of the error of such a call. */
inline std::string CallError(const char* name, std::vector<Any> args) {
  return ErrorOf([&] { Call(name, std::move(args)); });
}

/*! \brief Value of an attribute of a type; None when it has none. */
inline Any TypeAttr(int32_t type_index, const char* name) {
  const TVMFFIAny* value = detail::FindTypeAttr(detail::TypeAttrColumn(name), type_index);
  return value == nullptr ? Any() : Any(AnyView::FromRaw(*value));
}

}  // namespace transom::testing
#endif  // TRANSOM_INTEROP_CALL_GLOBAL_H_
