#include "runtime/loaded_libraries.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

namespace transom::runtime {
namespace {

struct Range {
  uintptr_t start;
  uintptr_t end;

  bool Contains(uintptr_t address) const { return address >= start && address < end; }
};

/* Where an address lies. */
struct Place {
  Range library{0, 0}; /* empty when it lies in none */
  Range segment{0, 0};
};

struct PlaceSearch {
  uintptr_t address;
  Place place;

  static int Visit(dl_phdr_info* library, size_t, void* data) {
    auto* search = static_cast<PlaceSearch*>(data);
    Place place{{UINTPTR_MAX, 0}, {0, 0}};
    for (int i = 0; i < library->dlpi_phnum; ++i) {
      const ElfW(Phdr)& header = library->dlpi_phdr[i];
      if (header.p_type != PT_LOAD) continue;
      const uintptr_t start = library->dlpi_addr + header.p_vaddr;
      const Range segment{start, start + header.p_memsz};
      place.library = {std::min(place.library.start, segment.start), std::max(place.library.end, segment.end)};
      if (segment.Contains(search->address)) place.segment = segment;
    }
    if (place.segment.end == 0) return 0;
    search->place = place;
    return 1;
  }
};

Place PlaceOf(const void* address) {
  PlaceSearch search{reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(&PlaceSearch::Visit, &search);
  return search.place;
}

/* Entry of a symbol table for exactly that address, or NULL. */
const ElfW(Sym)* SymbolAt(const void* address) {
  Dl_info info;
  void* symbol = nullptr;
  if (dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) == 0 || info.dli_saddr != address) return nullptr;
  return static_cast<const ElfW(Sym)*>(symbol);
}

/* Places of the libraries that stay. Never destroyed: libraries register while the process ends. */
struct PinnedLibraries {
  std::mutex mutex;
  std::vector<Range> ranges;

  static PinnedLibraries* Global() {
    static PinnedLibraries* const pinned = new PinnedLibraries();
    return pinned;
  }
  bool Contains(const void* address) {
    std::lock_guard lock(mutex);
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const Range& range) { return range.Contains(reinterpret_cast<uintptr_t>(address)); });
  }
  void Add(const Range& range) {
    std::lock_guard lock(mutex);
    ranges.push_back(range);
  }
};

}  // namespace

void PinLibraryOf(const void* address) noexcept {
  try {
    PinnedLibraries* pinned = PinnedLibraries::Global();
    if (address == nullptr || pinned->Contains(address)) return;
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return;
    const Place place = PlaceOf(address);
    // The program itself has no name that the loader knows; it stays anyway.
    void* handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (handle != nullptr) dlclose(handle);
    pinned->Add(place.library);
  } catch (const std::bad_alloc&) {
    // Not remembered: the next address of the library pins it.
  }
}

bool IsData(const void* symbol) {
  const ElfW(Sym)* entry = SymbolAt(symbol);
  return entry != nullptr && ELF64_ST_TYPE(entry->st_info) == STT_OBJECT;
}

size_t BytesAt(const void* symbol) {
  const Place place = PlaceOf(symbol);
  if (place.segment.end == 0) return SIZE_MAX;
  const ElfW(Sym)* entry = SymbolAt(symbol);
  const size_t to_end = place.segment.end - reinterpret_cast<uintptr_t>(symbol);
  return entry != nullptr && entry->st_size != 0 ? std::min<size_t>(entry->st_size, to_end) : to_end;
}

}  // namespace transom::runtime
