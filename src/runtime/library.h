/* Where the symbols of a library module come from. */
#ifndef TRANSOM_SRC_RUNTIME_LIBRARY_H_
#define TRANSOM_SRC_RUNTIME_LIBRARY_H_

#include <transom/containers/string.h>
#include <transom/runtime/module.h>

#include <memory>
#include <string>
#include <string_view>

namespace transom::runtime {

/* Symbols by name. Thread-safe. */
class Library {
 public:
  virtual ~Library() = default;
  /* Address of the symbol named `affix` followed by `name`, or NULL. */
  virtual void* Find(std::string_view affix, std::string_view name) const = 0;
  /* The same address for the same library; NULL where modules of it are told apart otherwise. */
  virtual const void* Identity() const { return nullptr; }
  /* What errors call the library. */
  virtual std::string Name() const = 0;
};

/* The shared library of that file, which stays loaded until the process ends. InternalError: it cannot be loaded. */
std::unique_ptr<Library> OpenSharedLibrary(const String& path);

/* Affixes of the symbols of a library module. */
inline constexpr std::string_view kFunctionAffix = "__tvm_ffi_";
inline constexpr std::string_view kDocAffix = "__tvm_ffi__doc_";
inline constexpr std::string_view kMetadataAffix = "__tvm_ffi__metadata_";
/* Names of data, not functions, after kFunctionAffix: the place of the module's address, and the embedded modules. */
inline constexpr std::string_view kContextName = "_library_ctx";
inline constexpr std::string_view kEmbeddedName = "_library_bin";

/* The module of a library, which is the living one where the library has one already, with what is embedded in it
 * loaded and imported: the root of the embedded tree, which is mostly the library's own module. RuntimeError: the
 * embedded modules are damaged, or have no loader. */
Module MakeLibraryModule(std::unique_ptr<Library> library);

}  // namespace transom::runtime

#endif  // TRANSOM_SRC_RUNTIME_LIBRARY_H_
