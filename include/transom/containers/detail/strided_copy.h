/* Copies the elements of a strided tensor in memory to a compact one, in row-major order. */
#ifndef TRANSOM_CONTAINERS_DETAIL_STRIDED_COPY_H_
#define TRANSOM_CONTAINERS_DETAIL_STRIDED_COPY_H_

#include <transom/runtime/c_api.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace transom {
namespace detail {

/* An axis of a copy, in elements. */
struct CopyAxis {
  int64_t extent;
  int64_t stride;
};

/* Axes of the tensor without those of one element, neighbours merged where they are one run. The last one is innermost.
 */
inline std::vector<CopyAxis> MergedAxes(const DLTensor& tensor) {
  std::vector<CopyAxis> axes;
  uint64_t compact = 1;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    CopyAxis axis{tensor.shape[i], tensor.strides != nullptr ? tensor.strides[i] : static_cast<int64_t>(compact)};
    compact *= static_cast<uint64_t>(axis.extent);
    if (axis.extent == 1) continue;
    int64_t run = 0;
    if (!axes.empty() && !__builtin_mul_overflow(axes.back().stride, axes.back().extent, &run) && run == axis.stride) {
      axes.back().extent *= axis.extent;
    } else {
      axes.push_back(axis);
    }
  }
  if (axes.empty()) axes.push_back(CopyAxis{1, 1});
  return std::vector<CopyAxis>(axes.rbegin(), axes.rend());
}

/* Calls `run(offset)` with the offset in elements of each innermost run, in row-major order. No axis is empty. */
template <class Run>
void ForEachRun(const std::vector<CopyAxis>& axes, Run run) {
  size_t outer = axes.size() - 1;
  std::vector<int64_t> index(outer, 0);
  uint64_t offset = 0;  // Wraps where steps are negative; read as signed.
  while (true) {
    run(static_cast<int64_t>(offset));
    size_t axis = outer;
    for (; axis > 0; --axis) {
      const CopyAxis& a = axes[axis - 1];
      offset += static_cast<uint64_t>(a.stride);
      if (++index[axis - 1] < a.extent) break;
      offset -= static_cast<uint64_t>(a.stride) * static_cast<uint64_t>(a.extent);
      index[axis - 1] = 0;
    }
    if (axis == 0) return;
  }
}

template <size_t kBytes>
void CopyRunOfSize(const char* from, int64_t step, int64_t count, char* to) {
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * kBytes, from + i * step, kBytes);
}

/* Copies `count` elements of `bytes` bytes that lie `step` bytes apart. */
inline void CopyRun(const char* from, int64_t step, int64_t count, size_t bytes, char* to) {
  if (step == static_cast<int64_t>(bytes)) {
    std::memcpy(to, from, static_cast<size_t>(count) * bytes);
    return;
  }
  switch (bytes) {
    case 1:
      return CopyRunOfSize<1>(from, step, count, to);
    case 2:
      return CopyRunOfSize<2>(from, step, count, to);
    case 4:
      return CopyRunOfSize<4>(from, step, count, to);
    case 8:
      return CopyRunOfSize<8>(from, step, count, to);
    default:
      for (int64_t i = 0; i < count; ++i) std::memcpy(to + static_cast<size_t>(i) * bytes, from + i * step, bytes);
  }
}

/* Elements of whole bytes. */
inline void CopyStridedBytes(const DLTensor& tensor, size_t bytes, char* out) {
  const char* base = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  std::vector<CopyAxis> axes = MergedAxes(tensor);
  const CopyAxis inner = axes.back();
  auto element = static_cast<int64_t>(bytes);
  ForEachRun(axes, [&](int64_t offset) {
    CopyRun(base + offset * element, inner.stride * element, inner.extent, bytes, out);
    out += inner.extent * element;
  });
}

/* Elements that share bytes, lowest bits first. Unused bits of the last byte become 0. `out_bytes` is the packed size.
 */
inline void CopyStridedBits(const DLTensor& tensor, size_t bits, char* out, size_t out_bytes) {
  const auto* base = static_cast<const unsigned char*>(tensor.data) + tensor.byte_offset;
  std::memset(out, 0, out_bytes);
  std::vector<CopyAxis> axes = MergedAxes(tensor);
  const CopyAxis inner = axes.back();
  uint64_t to = 0;
  ForEachRun(axes, [&](int64_t offset) {
    for (int64_t i = 0; i < inner.extent; ++i, offset += inner.stride) {
      int64_t from = offset * static_cast<int64_t>(bits);
      for (size_t b = 0; b < bits; ++b, ++from, ++to) {
        // Shifts and masks round down, as strides may be negative.
        unsigned bit = (base[from >> 3] >> (from & 7)) & 1u;
        out[to / 8] = static_cast<char>(static_cast<unsigned char>(out[to / 8]) | (bit << (to % 8)));
      }
    }
  });
}

}  // namespace detail
}  // namespace transom

#endif  // TRANSOM_CONTAINERS_DETAIL_STRIDED_COPY_H_
