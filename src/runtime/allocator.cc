#include <transom/runtime/c_api.h>
#include <transom/runtime/object.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace transom::runtime {
namespace {

/* Room before a body for the header of its allocation; keeps the body aligned as malloc's blocks are. */
constexpr size_t kPrefix = alignof(std::max_align_t);
static_assert(kPrefix >= sizeof(TVMFFIObjectAllocHeader), "the header of an allocation fits before the body");

/* Distance of the body from its block: the header, and the alignment kept. */
size_t PrefixFor(size_t alignment) { return alignment > kPrefix ? alignment : kPrefix; }

TVMFFIObjectAllocHeader* HeaderOf(void* body) { return static_cast<TVMFFIObjectAllocHeader*>(body) - 1; }

void FreeBody(void* body) { std::free(static_cast<char*>(body) - kPrefix); }

/* A body aligned beyond malloc's blocks keeps the address of its block before the header. */
void FreeAlignedBody(void* body) { std::free(reinterpret_cast<void**>(HeaderOf(body))[-1]); }

void* AllocateBody(size_t size, size_t alignment, int32_t, void*) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "Expected an alignment that is a power of 2");
    return nullptr;
  }
  const size_t prefix = PrefixFor(alignment);
  try {
    if (size > SIZE_MAX - prefix) throw std::bad_alloc();
    auto* block = static_cast<char*>(detail::AllocObject(prefix + size, alignment));
    char* body = block + prefix;
    HeaderOf(body)->delete_space = prefix == kPrefix ? &FreeBody : &FreeAlignedBody;
    if (prefix != kPrefix) reinterpret_cast<void**>(HeaderOf(body))[-1] = block;
    return body;
  } catch (const std::bad_alloc&) {
    TVMFFIErrorSetRaisedFromCStr("MemoryError", "Out of memory");
    return nullptr;
  }
}

TVMFFICustomAllocator default_allocator{&AllocateBody, nullptr};
std::atomic<TVMFFICustomAllocator*> current_allocator{&default_allocator};

}  // namespace
}  // namespace transom::runtime

TVMFFICustomAllocator* TVMFFIGetCustomAllocator() {
  return transom::runtime::current_allocator.load(std::memory_order_acquire);
}

int TVMFFISetCustomAllocator(TVMFFICustomAllocator* allocator) {
  transom::runtime::current_allocator.store(allocator != nullptr ? allocator : &transom::runtime::default_allocator,
                                            std::memory_order_release);
  return 0;
}
