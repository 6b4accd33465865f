/*
 * Blocks of memory that many objects share, for code that makes many at once, such as readers of files.
 *
 * The block is freed with the last of its objects: one that stays keeps the whole block, so blocks are small.
 * Each object is preceded by a pointer to its block.
 */
#ifndef TRANSOM_RUNTIME_OBJECT_BLOCK_H_
#define TRANSOM_RUNTIME_OBJECT_BLOCK_H_

#include <transom/runtime/c_api.h>
#include <transom/runtime/object.h>
#include <transom/runtime/object_deleter.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>

namespace transom {
namespace detail {

/* Head of a block of malloc. */
struct ObjectBlock {
  uint64_t live; /* objects whose memory is in use, and 1 while the block is being filled */
};

/* Gives back `count` places of a block, and the block itself with the last one. Thread-safe. */
inline void DropFromBlock(ObjectBlock* block, uint64_t count) noexcept {
  if (__atomic_load_n(&block->live, __ATOMIC_ACQUIRE) == count ||
      __atomic_sub_fetch(&block->live, count, __ATOMIC_ACQ_REL) == 0) {
    std::free(block);
  }
}

/* Gives back the memory of an object that begins at `body`. */
inline void FreeInBlock(void* body) noexcept { DropFromBlock(static_cast<ObjectBlock**>(body)[-1], 1); }

/* Teardown of an object of class T in a block. */
template <class T>
struct BlockTeardown {
  static void Destroy(TVMFFIObject* obj) noexcept { MallocTeardown<T>::Destroy(obj); }
  static void Free(TVMFFIObject* obj) noexcept { FreeInBlock(MallocTeardown<T>::Body(obj)); }
};

/* Deleter of a T in a block. What owns nothing is freed at once. */
template <class T>
struct BlockDeleter {
  static void Delete(void* self, int flags) noexcept {
    if constexpr (std::is_trivially_destructible_v<T>) {
      if (flags & kTVMFFIObjectDeleterFlagBitMaskWeak) BlockTeardown<T>::Free(static_cast<TVMFFIObject*>(self));
    } else {
      DeferredDeleter<BlockTeardown<T>>::Delete(self, flags);
    }
  }
};

/*
 * How objects of a type are made in a block: the value of the type attribute kBlockLayoutAttr, an OpaquePtr to a
 * constant. Types that this header cannot place (virtual functions, large alignment, no default constructor) have none.
 */
struct BlockLayout {
  uint32_t size; /* of an object, header included; a multiple of 8 */
  /* Default-constructs an object with one reference and returns its header. Throws what the constructor throws. */
  TVMFFIObject* (*place)(void* memory, int32_t type_index);
  /* The same as a copy of a default-constructed object, given by its header; NULL when the class cannot be copied. */
  TVMFFIObject* (*copy)(void* memory, const TVMFFIObject* from, int32_t type_index);
};

/* The number in the name belongs to the layouts of BlockLayout and ObjectBlock. */
inline constexpr const char* kBlockLayoutAttr = "transom.block_layout.1";

template <class T>
inline constexpr bool kFitsInBlock =
    std::is_default_constructible_v<T> && !std::is_polymorphic_v<T> && alignof(T) <= 8 && sizeof(T) % 8 == 0;

template <class T>
TVMFFIObject* InitInBlock(T* body, int32_t type_index) noexcept {
  ObjectAccess::Init(body, type_index, &BlockDeleter<T>::Delete);
  return ObjectAccess::Header(body);
}

template <class T>
TVMFFIObject* PlaceInBlock(void* memory, int32_t type_index) {
  return InitInBlock(new (memory) T(), type_index);
}

template <class T>
TVMFFIObject* CopyInBlock(void* memory, const TVMFFIObject* from, int32_t type_index) {
  const T& original = *static_cast<const T*>(reinterpret_cast<const Object*>(from));
  return InitInBlock(new (memory) T(original), type_index);
}

template <class T>
const BlockLayout* BlockLayoutOf() noexcept {
  if constexpr (std::is_copy_constructible_v<T>) {
    static constexpr BlockLayout layout{sizeof(T), &PlaceInBlock<T>, &CopyInBlock<T>};
    return &layout;
  } else {
    static constexpr BlockLayout layout{sizeof(T), &PlaceInBlock<T>, nullptr};
    return &layout;
  }
}

}  // namespace detail
}  // namespace transom

#endif  // TRANSOM_RUNTIME_OBJECT_BLOCK_H_
