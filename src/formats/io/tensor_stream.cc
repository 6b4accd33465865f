#include "formats/io/tensor_stream.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace transom::formats {
namespace {

constexpr uint64_t kMagic = 0xDD5E40F096B4A13F;

// Takes fixed-size little-endian pieces from the front of a byte string.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  bool Take(T* out) {
    if (rest_.size() < sizeof(T)) return false;
    std::memcpy(out, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return true;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

template <class T>
void Put(const T& value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace

int64_t TensorContentBytes(ShapeView shape, DLDataType dtype) {
  unsigned __int128 bits = static_cast<unsigned __int128>(dtype.bits) * dtype.lanes;
  bool empty = false;
  if (shape.size() > kMaxTensorRank || static_cast<int16_t>(dtype.lanes) < 0) return -1;
  for (const int64_t extent : shape) {
    if (extent < 0) return -1;
    empty |= extent == 0;
  }
  if (empty) return 0;
  for (const int64_t extent : shape) {
    bits *= static_cast<uint64_t>(extent);
    if (bits > (static_cast<unsigned __int128>(1) << 62)) return -1;
  }
  return static_cast<int64_t>((bits + 7) / 8);
}

std::string ReadTensorStream(std::string_view bytes, Any* tensor) {
  Cursor cursor(bytes);
  uint64_t magic = 0, reserved = 0;
  DLDevice device{};
  int32_t device_type = 0, device_id = 0, rank = 0;
  DLDataType dtype{};
  if (!cursor.Take(&magic) || !cursor.Take(&reserved)) return "a tensor stream shorter than its header";
  if (magic != kMagic) return "a tensor stream that does not start with its magic number";
  if (reserved != 0) return "a tensor stream of an unknown version";
  if (!cursor.Take(&device_type) || !cursor.Take(&device_id) || !cursor.Take(&rank) || !cursor.Take(&dtype)) {
    return "a tensor stream shorter than its header";
  }
  if (device_type != kDLCPU) return "a tensor of device type " + std::to_string(device_type) + ", where 1 (CPU) is expected";
  if (rank < 0 || rank > kMaxTensorRank) return "a tensor of rank " + std::to_string(rank);
  std::vector<int64_t> shape(static_cast<size_t>(rank));
  for (int64_t& extent : shape) {
    if (!cursor.Take(&extent)) return "a tensor stream shorter than its header";
  }
  int64_t stated = 0;
  if (!cursor.Take(&stated)) return "a tensor stream shorter than its header";
  const int64_t expected = TensorContentBytes(ShapeView(shape.data(), shape.size()), dtype);
  if (expected < 0) return "a tensor whose shape is negative or too large";
  if (stated != expected) {
    return "a tensor stream that states " + std::to_string(stated) + " bytes of data, where its shape and dtype make " +
           std::to_string(expected);
  }
  if (cursor.rest().size() != static_cast<size_t>(expected)) {
    return "a tensor stream with " + std::to_string(cursor.rest().size()) + " bytes of data, where " +
           std::to_string(expected) + " are stated";
  }
  device.device_type = kDLCPU;
  device.device_id = device_id;
  Tensor result = Tensor::Empty(ShapeView(shape.data(), shape.size()), dtype, device);
  if (expected != 0) std::memcpy(result.data_ptr(), cursor.rest().data(), static_cast<size_t>(expected));
  *tensor = std::move(result);
  return "";
}

bool WriteTensorStream(const Tensor& tensor, std::string* bytes) {
  const DLTensor& t = *tensor.get();
  if (t.device.device_type != kDLCPU) return false;
  Put(kMagic, bytes);
  Put(uint64_t{0}, bytes);
  Put(static_cast<int32_t>(t.device.device_type), bytes);
  Put(t.device.device_id, bytes);
  Put(t.ndim, bytes);
  Put(t.dtype, bytes);
  for (int32_t i = 0; i < t.ndim; ++i) Put(t.shape[i], bytes);
  const int64_t size = static_cast<int64_t>(tensor.NumBytes());
  Put(size, bytes);
  const size_t at = bytes->size();
  bytes->resize(at + static_cast<size_t>(size));
  return tensor.CopyToCompact(bytes->data() + at);
}

}  // namespace transom::formats
