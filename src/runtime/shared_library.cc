#include <dlfcn.h>
#include <transom/runtime/error.h>

#include <utility>

#include "runtime/library.h"

namespace transom::runtime {
namespace {

class SharedLibrary : public Library {
 public:
  SharedLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  void* Find(std::string_view affix, std::string_view name) const override {
    if (name.find('\0') != std::string_view::npos) return nullptr;  // The loader would look for what is before it.
    return dlsym(handle_, std::string(affix).append(name).c_str());
  }
  const void* Identity() const override { return handle_; }
  std::string Name() const override { return path_; }

 private:
  void* handle_;
  std::string path_;
};

}  // namespace

std::unique_ptr<Library> OpenSharedLibrary(const String& path) {
  std::string name = path;
  TRANSOM_CHECK(name.find('\0') == std::string::npos, ValueError)
      << "Expected the path of a library but got a text with an embedded NUL";
  void* handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* reason = dlerror();
    TRANSOM_THROW(InternalError) << "Cannot load the library `" << name
                                 << "`: " << (reason != nullptr ? reason : "the system gives no reason");
  }
  return std::make_unique<SharedLibrary>(handle, std::move(name));
}

}  // namespace transom::runtime
