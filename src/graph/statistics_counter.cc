#include "graph/statistics_counter.h"

#include <transom/containers/bigint.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>

#include <algorithm>
#include <utility>

#include "graph/saturating.h"

namespace transom::graph {
namespace {

constexpr uint64_t kSmallMap = uint64_t{1} << 63;

}  // namespace

TypeCount& StatisticsCounter::Of(std::string_view key) {
  // A type is asked for with the same text each time.
  Recent& recent = recent_[reinterpret_cast<uintptr_t>(key.data()) / 16 % recent_.size()];
  if (recent.key != key.data() || recent.size != key.size()) recent = {key.data(), key.size(), IndexOf(key)};
  return stats_.types[recent.index];
}

size_t StatisticsCounter::IndexOf(std::string_view key) {
  const auto [it, is_new] = index_.emplace(key, stats_.types.size());
  if (is_new) stats_.types.emplace_back().type_key = std::string(key);
  return it->second;
}

int64_t StatisticsCounter::NewObject(std::string_view key, uint64_t bytes) {
  TypeCount& type = Of(key);
  ++type.count;
  type.bytes += bytes;
  ++stats_.objects;
  uses_.push_back(0);
  return static_cast<int64_t>(uses_.size()) - 1;
}

StatisticsCounter::Result StatisticsCounter::Place(std::string_view key, bool is_none, uint64_t bytes) {
  TypeCount& type = Of(key);
  ++type.count;
  type.bytes += bytes;
  return is_none ? Result{} : Result{-1, 0, 1};
}

StatisticsCounter::Result StatisticsCounter::Object(std::string_view key, uint64_t bytes) {
  return {NewObject(key, bytes), 0, 1};
}

StatisticsCounter::Result StatisticsCounter::Tensor(std::string_view key, uint64_t bytes, uint64_t content_bytes) {
  ++stats_.tensors;
  stats_.tensor_bytes += content_bytes;
  return Object(key, bytes);
}

StatisticsCounter::Result StatisticsCounter::Parent(std::string_view key, uint64_t bytes, const Result* children,
                                                    uint64_t n) {
  Result result{0, 0, 1};
  for (uint64_t i = 0; i < n; ++i) {
    const Result& child = children[i];
    if (child.size == 0) continue;
    ++stats_.edges;
    result.size = SaturatingAdd(result.size, child.size);
    result.depth = std::max(result.depth, child.depth + 1);
    if (child.object < 0) continue;
    uint8_t& uses = uses_[static_cast<size_t>(child.object)];
    if (uses == 1) ++stats_.shared;
    if (uses < 2) ++uses;
  }
  result.object = NewObject(key, bytes);
  return result;
}

GraphStatistics StatisticsCounter::Finish(const Result& root) {
  stats_.max_depth = root.depth;
  stats_.tree_size = root.size;
  std::sort(stats_.types.begin(), stats_.types.end(), [](const TypeCount& a, const TypeCount& b) {
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    if (a.count != b.count) return a.count > b.count;
    return a.type_key < b.type_key;
  });
  return std::move(stats_);
}

uint64_t TextBytes(uint64_t size) { return sizeof(TVMFFIObject) + sizeof(TVMFFIByteArray) + size + 1; }
uint64_t TensorBytes(uint64_t rank, uint64_t content_bytes) {
  return sizeof(TensorObj) + 2 * rank * sizeof(int64_t) + content_bytes;
}
uint64_t SequenceBytes(uint64_t capacity) {
  return sizeof(TVMFFIObject) + sizeof(TVMFFISeqCell) + capacity * sizeof(TVMFFIAny);
}
uint64_t ShapeBytes(uint64_t rank) { return sizeof(ShapeObj) + rank * sizeof(int64_t); }
uint64_t BigIntBytes(uint64_t content_bytes) { return sizeof(BigIntObj) + content_bytes; }

// Small maps are an array of pairs; from the bit on that says otherwise, blocks of 16 slots.
uint64_t MapBytes(uint64_t slots) {
  constexpr uint64_t kHeader = 56, kPair = 32, kDenseHeader = 80, kSlotsPerBlock = 16, kBlock = 784;
  if ((slots & kSmallMap) != 0) return kHeader + (slots & ~kSmallMap) * kPair;
  return kDenseHeader + (slots + kSlotsPerBlock - 1) / kSlotsPerBlock * kBlock;
}

uint64_t RegisteredBytes(int32_t type_index, uint64_t otherwise) {
  const TVMFFITypeMetadata* metadata = TVMFFIGetTypeInfo(type_index)->metadata;
  return metadata != nullptr && metadata->total_size > 0 ? static_cast<uint64_t>(metadata->total_size) : otherwise;
}

uint64_t FreshMapBytes(uint64_t n) { return MapBytes(MapBaseObj::SlotsFor(n)); }

}  // namespace transom::graph
