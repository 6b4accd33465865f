/* Variables in loaded libraries through which their code reaches the process. */
#ifndef TRANSOM_SRC_RUNTIME_MODULE_CONTEXT_H_
#define TRANSOM_SRC_RUNTIME_MODULE_CONTEXT_H_

#include <transom/runtime/module.h>

#include "runtime/library.h"

namespace transom::runtime {

/* Sets the variables of the library that are named like registered context symbols. */
void SetContextSymbols(const Library& library);

/* Sets the library's variable for the module's address, if there is one, and sets it to NULL when it dies, unless
 * another module took the variable. Thread-safe. */
class ContextSlot {
 public:
  ContextSlot(const Library& library, ModuleObj* module);
  ContextSlot(const ContextSlot&) = delete;
  ContextSlot& operator=(const ContextSlot&) = delete;
  ~ContextSlot();

 private:
  void** slot_;
  ModuleObj* module_;
};

}  // namespace transom::runtime

#endif  // TRANSOM_SRC_RUNTIME_MODULE_CONTEXT_H_
