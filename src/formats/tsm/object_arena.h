/*
 * Memory for many objects that are made at once.
 */
#ifndef TRANSOM_SRC_FORMATS_TSM_OBJECT_ARENA_H_
#define TRANSOM_SRC_FORMATS_TSM_OBJECT_ARENA_H_

#include <transom/runtime/object_block.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace transom::formats {

/*!
 * \brief Gives out places in ObjectBlocks, one after the other. What is placed frees itself (BlockDeleter), before or
 * after the arena's end. Not shared between threads.
 */
class ObjectArena {
 public:
  ObjectArena() = default;
  ObjectArena(const ObjectArena&) = delete;
  ObjectArena& operator=(const ObjectArena&) = delete;
  ~ObjectArena() { Close(); }

  /*! \brief Bytes that the next objects will take about, so that the last block is not larger than needed. */
  void Expect(uint64_t bytes) { expected_ = bytes; }

  /*! \brief `size` bytes, a multiple of 8, aligned to 8. They are the object's: it must be freed with FreeInBlock. */
  void* Allocate(size_t size) {
    const size_t total = sizeof(detail::ObjectBlock*) + size;
    if (total > static_cast<size_t>(end_ - next_)) Open(total);
    auto** prefix = reinterpret_cast<detail::ObjectBlock**>(next_);
    *prefix = block_;
    ++block_->live;
    next_ += total;
    return prefix + 1;
  }

  /*! \brief Takes back what Allocate gave last, before an object was made in it. */
  void Undo(size_t size) {
    next_ -= sizeof(detail::ObjectBlock*) + size;
    --block_->live;
  }

 private:
  // Large enough that a block's head and its malloc cost nothing per object, small enough to be kept by one object.
  static constexpr size_t kBlockSize = size_t{64} << 10;

  void Open(size_t needed) {
    Close();
    const size_t wanted = std::min<uint64_t>(expected_, kBlockSize - sizeof(detail::ObjectBlock));
    const size_t size = std::max(needed, wanted);
    auto* block = static_cast<detail::ObjectBlock*>(std::malloc(sizeof(detail::ObjectBlock) + size));
    if (block == nullptr) throw std::bad_alloc();
    expected_ -= std::min<uint64_t>(expected_, size);
    block->live = 1;
    block_ = block;
    next_ = reinterpret_cast<char*>(block + 1);
    end_ = next_ + size;
  }

  void Close() {
    if (block_ != nullptr) detail::DropFromBlock(block_, 1);
    block_ = nullptr;
    next_ = end_ = nullptr;
  }

  detail::ObjectBlock* block_ = nullptr;
  char* next_ = nullptr;
  char* end_ = nullptr;
  uint64_t expected_ = 0;
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_TSM_OBJECT_ARENA_H_
