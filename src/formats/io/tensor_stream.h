/*
 * A CPU tensor as a byte string in TVM's form: a header with device, dtype and shape, then the compact elements.
 */
#ifndef TRANSOM_SRC_FORMATS_IO_TENSOR_STREAM_H_
#define TRANSOM_SRC_FORMATS_IO_TENSOR_STREAM_H_

#include <transom/containers/tensor.h>
#include <transom/export.h>

#include <string>
#include <string_view>

namespace transom::formats {

/*! \brief No real tensor comes near; bounds what a damaged header can ask for. */
constexpr int32_t kMaxTensorRank = 1024;

/*! \brief Bytes of the packed elements, or -1: a negative extent, more than memory can hold, a rank beyond kMaxTensorRank, a dtype without a size. */
TRANSOM_API int64_t TensorContentBytes(ShapeView shape, DLDataType dtype);

/*!
 * \brief Reads a tensor: little-endian u64 magic, u64 0, i32 device type, i32 device id, i32 rank, u8 code, u8 bits, u16
 * lanes, i64 extents, i64 number of data bytes, data. The elements are copied.
 * \return Empty, and then `*tensor` is set, or what is wrong.
 */
TRANSOM_API std::string ReadTensorStream(std::string_view bytes, Any* tensor);

/*! \brief Writes a CPU tensor; strides are packed. Returns false when the tensor is not on the CPU. */
TRANSOM_API bool WriteTensorStream(const Tensor& tensor, std::string* bytes);

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_IO_TENSOR_STREAM_H_
