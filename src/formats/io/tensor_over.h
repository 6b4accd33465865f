/*
 * Tensors from the bytes of a file.
 */
#ifndef TRANSOM_SRC_FORMATS_IO_TENSOR_OVER_H_
#define TRANSOM_SRC_FORMATS_IO_TENSOR_OVER_H_

#include <transom/containers/tensor.h>

#include <memory>
#include <string_view>

namespace transom::formats {

/*!
 * \brief A row-major tensor with these elements, on the CPU. With `owner`, which keeps the bytes, it lies over them;
 * without, it is a copy. The bytes are as many as shape and dtype make.
 */
Tensor TensorOver(std::string_view bytes, ShapeView shape, DLDataType dtype, DLDevice device,
                  const std::shared_ptr<const void>& owner);

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_IO_TENSOR_OVER_H_
