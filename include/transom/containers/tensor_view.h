/* TensorView: a tensor that is only borrowed. */
#ifndef TRANSOM_CONTAINERS_TENSOR_VIEW_H_
#define TRANSOM_CONTAINERS_TENSOR_VIEW_H_

#include <transom/containers/detail/tensor_reads.h>
#include <transom/containers/tensor.h>
#include <transom/runtime/any.h>
#include <transom/runtime/dlpack.h>

#include <optional>
#include <string>

namespace transom {

/*
 * A copy of a tensor's description: parameter type of functions that look at a tensor, whoever owns it. Valid as long
 * as the tensor it was made from. It cannot be stored in a value: nothing would own the memory.
 */
class TensorView : public detail::TensorReads<TensorView> {
 public:
  TensorView(const Tensor& tensor) noexcept : tensor_(tensor.dl_tensor()) {}  // NOLINT: as std::string_view
  /* `tensor` is not NULL. */
  explicit TensorView(const DLTensor* tensor) noexcept : tensor_(*tensor) {}

  const DLTensor& dl_tensor() const noexcept { return tensor_; }

 private:
  DLTensor tensor_;
};

/* From a pointer to a DLPack tensor or from a Tensor. */
template <>
struct TypeTraits<TensorView> : detail::ViewOnlyTraits<TensorView, TypeTraits<TensorView>> {
  static void ToView(const TensorView& src, TVMFFIAny* out) {
    TypeTraits<DLTensor*>::ToView(const_cast<DLTensor*>(&src.dl_tensor()), out);
  }
  static void ToOwned(const TensorView&, TVMFFIAny* out) { TypeTraits<DLTensor*>::ToOwned(nullptr, out); }
  static std::optional<TensorView> TryCast(const TVMFFIAny* value) {
    std::optional<DLTensor*> tensor = TypeTraits<DLTensor*>::TryCast(value);
    if (!tensor.has_value() || *tensor == nullptr) return std::nullopt;
    return TensorView(*tensor);
  }
  static std::string Name() { return TypeTraits<DLTensor*>::Name(); }
  static std::string Schema() { return TypeTraits<DLTensor*>::Schema(); }
};

}  // namespace transom

#endif  // TRANSOM_CONTAINERS_TENSOR_VIEW_H_
