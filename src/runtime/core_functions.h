/* Global functions about the tables themselves, which front ends of all languages expect to find. */
#ifndef TRANSOM_SRC_RUNTIME_CORE_FUNCTIONS_H_
#define TRANSOM_SRC_RUNTIME_CORE_FUNCTIONS_H_

#include "runtime/function_table.h"

namespace transom::runtime {

/*
 * Registers, in a table that nobody else sees yet:
 *   ffi.GetRegisteredTypeKeys() -> Array<String>   keys of all types, by ascending index
 *   ffi.FunctionRemoveGlobal(name) -> bool         whether there was such a function
 *   ffi.FunctionListGlobalNamesFunctor() -> Function   a snapshot: f(-1) is the number of names, f(i) the i-th
 *   ffi.GetGlobalFuncMetadata(name) -> String      JSON text; RuntimeError: no such function
 */
void RegisterCoreFunctions(FunctionTable* table);

}  // namespace transom::runtime

#endif  // TRANSOM_SRC_RUNTIME_CORE_FUNCTIONS_H_
