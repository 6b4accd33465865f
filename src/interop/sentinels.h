/*
 * The two objects of a process that stand for something else than themselves in calls between languages.
 */
#ifndef TRANSOM_SRC_INTEROP_SENTINELS_H_
#define TRANSOM_SRC_INTEROP_SENTINELS_H_

#include <transom/runtime/any.h>
#include <transom/runtime/function.h>

namespace transom::interop {

/*! \brief The object that a global function of the runtime gives. ValueError: there is no such function. */
inline const TVMFFIObject* SentinelOf(const char* function) {
  // Kept for the process: the runtime that gave it keeps it too.
  return Function::GetGlobalRequired(function)().Release().v_obj;
}

/*! \brief Stands for "there is no value". */
inline const TVMFFIObject* MissingSentinel() {
  static const TVMFFIObject* const sentinel = SentinelOf("ffi.GetInvalidObject");
  return sentinel;
}

/*! \brief Among arguments: what follows are names and values in turns. */
inline const TVMFFIObject* KwargsSentinel() {
  static const TVMFFIObject* const sentinel = SentinelOf("ffi.GetKwargsObject");
  return sentinel;
}

/*! \brief Whether the value is that very object. */
inline bool IsObject(const AnyView& value, const TVMFFIObject* object) {
  return value.type_index() >= kTVMFFIStaticObjectBegin && value.raw()->v_obj == object;
}

}  // namespace transom::interop
#endif  // TRANSOM_SRC_INTEROP_SENTINELS_H_
