/* The modules that a library carries in its data. */
#ifndef TRANSOM_SRC_RUNTIME_EMBEDDED_MODULES_H_
#define TRANSOM_SRC_RUNTIME_EMBEDDED_MODULES_H_

#include <transom/runtime/module.h>

#include <string_view>

namespace transom::runtime {

/*
 * Loads the modules of embedded data and imports each into its parents; the root is returned. The data, in 64-bit
 * little-endian numbers, is a tree in compressed rows (the start of each module's imports, and the imports of all modules, each
 * list after its length), then per module its kind and its bytes, each after its length. The kind `_lib`, which has no bytes,
 * stands for the library's own module, `own`; the others are read by the global function `ffi.Module.load_from_bytes.<kind>`.
 *
 * RuntimeError: the data is damaged (`source` is named), a kind has no such function, or imports form a cycle.
 */
Module LoadEmbeddedModules(std::string_view data, const Module& own, std::string_view source);

}  // namespace transom::runtime

#endif  // TRANSOM_SRC_RUNTIME_EMBEDDED_MODULES_H_
