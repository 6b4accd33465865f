/* Shape: an immutable sequence of integers, such as the extents of a tensor. */
#ifndef TRANSOM_CONTAINERS_SHAPE_H_
#define TRANSOM_CONTAINERS_SHAPE_H_

#include <transom/containers/array.h>
#include <transom/runtime/error.h>
#include <transom/runtime/object.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <vector>

namespace transom {

/* What a Shape refers to. The integers follow the object, or lie elsewhere where another library made it. */
class ShapeObj : public Object, public TVMFFIShapeCell {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.Shape", kTVMFFIShape, ShapeObj, Object);

  /* New object with room for `count` integers, which the caller writes before others see the object. */
  static ObjectPtr<ShapeObj> Create(size_t count) {
    ObjectPtr<ShapeObj> result = make_inplace_array_object<ShapeObj, int64_t>(count);
    result->data = result->mutable_data();
    result->size = count;
    return result;
  }
  /* The integers of an object made by Create. */
  int64_t* mutable_data() noexcept { return reinterpret_cast<int64_t*>(this + 1); }
};

static_assert(sizeof(ShapeObj) == 40, "layout of the C contract");

/* Borrowed integers: valid as long as the Shape or Tensor they belong to. */
class ShapeView {
 public:
  using value_type = int64_t;
  using const_iterator = const int64_t*;

  ShapeView() noexcept = default;
  ShapeView(const int64_t* data, size_t size) noexcept : data_(data), size_(size) {}
  ShapeView(const std::vector<int64_t>& values) noexcept : ShapeView(values.data(), values.size()) {}  // NOLINT
  ShapeView(std::initializer_list<int64_t> values) noexcept : ShapeView(values.begin(), values.size()) {}

  const int64_t* data() const noexcept { return data_; }
  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const int64_t* begin() const noexcept { return data_; }
  const int64_t* end() const noexcept { return data_ + size_; }
  int64_t operator[](size_t index) const { return at(index); }
  /* IndexError: out of range. */
  int64_t at(size_t index) const {
    SeqBaseObj::CheckIndex(static_cast<int64_t>(index), static_cast<int64_t>(size_));
    return data_[index];
  }
  int64_t front() const { return at(0); }
  int64_t back() const { return at(size_ - 1); }
  /* Product of all integers, 1 for none. OverflowError: it is no int64. */
  int64_t Product() const {
    int64_t product = 1;
    bool overflow = false;
    for (int64_t extent : *this) overflow = __builtin_mul_overflow(product, extent, &product) || overflow;
    if (std::find(begin(), end(), 0) != end()) return 0;
    TRANSOM_CHECK(!overflow, OverflowError) << "The product of the extents of a shape is no int64";
    return product;
  }

  friend bool operator==(ShapeView lhs, ShapeView rhs) noexcept {
    return std::equal(lhs.begin(), lhs.end(), rhs.begin(), rhs.end());
  }
  friend bool operator!=(ShapeView lhs, ShapeView rhs) noexcept { return !(lhs == rhs); }

 private:
  const int64_t* data_ = nullptr;
  size_t size_ = 0;
};

/* "[1, 2]" */
inline std::ostream& operator<<(std::ostream& os, ShapeView shape) {
  os << '[';
  for (size_t i = 0; i < shape.size(); ++i) os << (i == 0 ? "" : ", ") << shape[i];
  return os << ']';
}

/* Immutable integers; one pointer. Copies share them and may be used from any thread. Equal when the integers are. */
class Shape : public ObjectRef {
 public:
  using ContainerType = ShapeObj;
  using value_type = int64_t;
  using const_iterator = const int64_t*;
  static constexpr bool _type_is_nullable = false;

  /* No integers: the shape of a scalar. */
  Shape() : Shape(ShapeObj::Create(0)) {}
  Shape(ShapeView values) : Shape(values.begin(), values.end()) {}  // NOLINT
  Shape(std::initializer_list<int64_t> values) : Shape(values.begin(), values.end()) {}
  Shape(const std::vector<int64_t>& values) : Shape(values.begin(), values.end()) {}  // NOLINT
  Shape(const Array<int64_t>& values) : Shape(values.begin(), values.end()) {}        // NOLINT
  template <class It, class = std::enable_if_t<detail::kIsIterator<It>>>
  Shape(It first, It last) : Shape(ShapeObj::Create(static_cast<size_t>(std::distance(first, last)))) {
    std::copy(first, last, static_cast<ShapeObj*>(data_.get())->mutable_data());
  }
  explicit Shape(ObjectPtr<ShapeObj> obj) noexcept : ObjectRef(std::move(obj)) {}

  const ShapeObj* get() const noexcept { return static_cast<const ShapeObj*>(data_.get()); }
  const ShapeObj* operator->() const noexcept { return get(); }
  operator ShapeView() const noexcept { return view(); }  // NOLINT
  ShapeView view() const noexcept { return defined() ? ShapeView(get()->data, get()->size) : ShapeView(); }

  const int64_t* data() const noexcept { return view().data(); }
  size_t size() const noexcept { return view().size(); }
  bool empty() const noexcept { return size() == 0; }
  const int64_t* begin() const noexcept { return view().begin(); }
  const int64_t* end() const noexcept { return view().end(); }
  /* IndexError: out of range. */
  int64_t operator[](size_t index) const { return view().at(index); }
  int64_t at(size_t index) const { return view().at(index); }
  int64_t front() const { return view().front(); }
  int64_t back() const { return view().back(); }
  /* As that of ShapeView. */
  int64_t Product() const { return view().Product(); }

  bool operator==(const Shape& other) const noexcept { return view() == other.view(); }
  bool operator!=(const Shape& other) const noexcept { return view() != other.view(); }
};

template <>
inline constexpr bool detail::kHasOwnTraits<Shape> = true;

/* From a Shape, or an Array whose elements are all integers. */
template <>
struct TypeTraits<Shape> : detail::ReferenceTraits<Shape, ShapeObj, false> {
  using Base = detail::ReferenceTraits<Shape, ShapeObj, false>;
  static constexpr int32_t kFieldTypeIndex = kTVMFFIShape;
  static void ToView(const Shape& src, TVMFFIAny* out) { detail::SetObject(detail::ObjectAccess::Header(src), out); }
  static void ToOwned(Shape src, TVMFFIAny* out) { detail::SetObject(detail::ObjectAccess::Release(&src), out); }
  static std::optional<Shape> TryCast(const TVMFFIAny* value) {
    if (Base::Is(value)) return Base::Get(value);
    std::optional<Array<int64_t>> array = TypeTraits<Array<int64_t>>::TryCast(value);
    if (!array.has_value()) return std::nullopt;
    return Shape(*array);
  }
};

}  // namespace transom

#endif  // TRANSOM_CONTAINERS_SHAPE_H_
