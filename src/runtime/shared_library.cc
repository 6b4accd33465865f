#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <transom/runtime/error.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "runtime/library.h"

namespace transom::runtime {
namespace {

/* Entry of a symbol table for exactly that address, or NULL. */
const ElfW(Sym)* SymbolAt(const void* address) {
  Dl_info info;
  const ElfW(Sym)* symbol = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol)), RTLD_DL_SYMENT) == 0) {
    return nullptr;
  }
  return info.dli_saddr == address ? symbol : nullptr;
}

/* Search for the loaded segment that an address lies in. */
struct SegmentSearch {
  uintptr_t address;
  uintptr_t end = 0; /* of the segment; 0 when none was found */

  static int Visit(dl_phdr_info* library, size_t, void* data) {
    auto* search = static_cast<SegmentSearch*>(data);
    for (int i = 0; i < library->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = library->dlpi_phdr[i];
      const uintptr_t start = library->dlpi_addr + segment.p_vaddr;
      if (segment.p_type != PT_LOAD || search->address < start || search->address - start >= segment.p_memsz) continue;
      search->end = start + segment.p_memsz;
      return 1;
    }
    return 0;
  }
};

class SharedLibrary : public Library {
 public:
  SharedLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  void* Find(std::string_view affix, std::string_view name) const override {
    if (name.find('\0') != std::string_view::npos) return nullptr;  // The loader would look for what is before it.
    return dlsym(handle_, std::string(affix).append(name).c_str());
  }
  std::string Name() const override { return path_; }

 private:
  void* handle_;
  std::string path_;
};

}  // namespace

bool IsData(const void* symbol) {
  const ElfW(Sym)* entry = SymbolAt(symbol);
  return entry != nullptr && ELF64_ST_TYPE(entry->st_info) == STT_OBJECT;
}

size_t BytesAt(const void* symbol) {
  SegmentSearch search{reinterpret_cast<uintptr_t>(symbol)};
  dl_iterate_phdr(&SegmentSearch::Visit, &search);
  if (search.end == 0) return SIZE_MAX;
  const ElfW(Sym)* entry = SymbolAt(symbol);
  const size_t to_end = search.end - search.address;
  return entry != nullptr && entry->st_size != 0 ? std::min<size_t>(entry->st_size, to_end) : to_end;
}

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
