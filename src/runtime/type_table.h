/*
 * The table of types. Rows never move and lookups by index take no lock; registration and lookups by key are guarded.
 */
#ifndef TRANSOM_SRC_RUNTIME_TYPE_TABLE_H_
#define TRANSOM_SRC_RUNTIME_TYPE_TABLE_H_

#include <transom/runtime/any.h>
#include <transom/runtime/c_api.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace transom::runtime {

/* What TVMFFITypeGetOrAllocIndex is asked for. */
struct TypeRequest {
  std::string_view key;
  int32_t static_index = -1; /* below 0: a dynamic index */
  int32_t depth = 0;         /* 0: not stated */
  int32_t child_slots = 0;
  bool can_overflow = false;
  int32_t parent = -1; /* below 0: a root */
};

/* Growing array whose elements readers may see without a lock: the count is published after the element, and outgrown
 * blocks stay alive. A reader takes the count before the pointer. */
template <class Record>
class PublishedArray {
 public:
  void Append(const Record& record, int32_t* count, const Record** data) {
    if (size_ == capacity_) Grow(data);
    blocks_.back()[size_] = record;
    ++size_;
    __atomic_store_n(count, static_cast<int32_t>(size_), __ATOMIC_RELEASE);
  }

 private:
  void Grow(const Record** data) {
    capacity_ = capacity_ == 0 ? 8 : capacity_ * 2;
    auto block = std::make_unique<Record[]>(capacity_);
    if (size_ != 0) std::copy_n(blocks_.back().get(), size_, block.get());
    blocks_.push_back(std::move(block));
    __atomic_store_n(data, blocks_.back().get(), __ATOMIC_RELEASE);
  }

  std::vector<std::unique_ptr<Record[]>> blocks_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

/* A row with what it owns and what allocation of indices needs. Lives for the process. */
struct TypeEntry {
  TVMFFITypeInfo info{};
  std::string key;
  std::vector<const TVMFFITypeInfo*> ancestors;
  int32_t num_slots = 1; /* indices reserved for the type and its children */
  int32_t used_slots = 1;
  bool can_overflow = false;
  TVMFFITypeMetadata metadata{};
  PublishedArray<TVMFFIFieldInfo> fields;
  PublishedArray<TVMFFIMethodInfo> methods;
};

class TypeTable {
 public:
  /* The process's table, with the built-in types. Never destroyed, so the order of exit does not matter. */
  static TypeTable* Global();

  /* InternalError: a contradiction between the request and the table. */
  int32_t GetOrAllocIndex(const TypeRequest& request);
  /* Index of a key, or -2. */
  int32_t FindIndex(std::string_view key) const;
  /* Keys of all types, by ascending index. */
  std::vector<std::string> Keys() const;
  /* Row of an index, or NULL. */
  TypeEntry* Find(int32_t type_index) const noexcept;
  /* Row of an index. InternalError: it was never given out. */
  TypeEntry* Get(int32_t type_index) const;

  void RegisterField(int32_t type_index, const TVMFFIFieldInfo& field);
  void RegisterMethod(int32_t type_index, const TVMFFIMethodInfo& method);
  void RegisterMetadata(int32_t type_index, const TVMFFITypeMetadata& metadata);

  /* A copy of `bytes` that lives for the process, NUL-terminated; NULL and 0 for an empty one. */
  static TVMFFIByteArray KeepText(const TVMFFIByteArray& bytes);

 private:
  static constexpr int32_t kChunkSize = 1024;
  static constexpr int32_t kNumChunks = 16384;
  struct Chunk {
    std::atomic<TypeEntry*> entries[kChunkSize] = {};
  };

  TypeTable();
  void RegisterBuiltins();
  int32_t Allocate(const TypeRequest& request);
  int32_t ChooseIndex(const TypeRequest& request, TypeEntry* parent);
  void Publish(TypeEntry* entry);

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string_view, int32_t> index_of_key_;
  std::atomic<Chunk*> chunks_[kNumChunks] = {};
  int32_t next_index_ = kTVMFFIDynObjectBegin;
};

}  // namespace transom::runtime

#endif  // TRANSOM_SRC_RUNTIME_TYPE_TABLE_H_
