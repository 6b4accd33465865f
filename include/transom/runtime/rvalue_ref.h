/*
 * RValueRef: an argument that gives its object away, so that the callee can change it in place instead of copying it.
 *
 *   Function append = Function::FromTyped([](RValueRef<Array<int64_t>> a) { return (*std::move(a)).push_back(4); });
 *   append(RValueRef<Array<int64_t>>(std::move(array)));  // no copy where nothing else shares the array
 */
#ifndef TRANSOM_RUNTIME_RVALUE_REF_H_
#define TRANSOM_RUNTIME_RVALUE_REF_H_

#include <transom/runtime/any.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/object.h>
#include <transom/runtime/type_traits.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace transom {

/*
 * A reference on its way to a callee. A parameter of this type moves the object out of an argument of this type when it
 * is a Ref as it stands; from other arguments it converts as a Ref would. A callee with another parameter type refuses
 * an argument of this one (TypeError), except Any and AnyView. One pointer; not for use by several threads.
 */
template <class Ref>
class RValueRef {
 public:
  static_assert(std::is_base_of_v<ObjectRef, Ref>, "only references to objects can be moved to a callee");

  explicit RValueRef(Ref&& ref) noexcept : ref_(std::move(ref)) {}

  /* The reference. What the callee moved out is NULL. */
  const Ref& operator*() const& noexcept { return ref_; }
  Ref operator*() && noexcept { return std::move(ref_); }
  const Ref* operator->() const noexcept { return &ref_; }

 private:
  friend struct TypeTraits<RValueRef<Ref>>;
  mutable Ref ref_;  // a callee takes it through a view
};

template <class Ref>
struct TypeTraits<RValueRef<Ref>> : detail::TraitsBase {
  static constexpr bool kStorable = false;
  static void ToView(const RValueRef<Ref>& src, TVMFFIAny* out) {
    ObjectPtr<Object>* location = &detail::ObjectAccess::Ptr(&src.ref_);
    if (*location == nullptr) return detail::SetNone(out);
    detail::SetRaw(kTVMFFIObjectRValueRef, reinterpret_cast<uint64_t>(location), out);
  }
  static void ToOwned(RValueRef<Ref> src, TVMFFIAny* out) { TypeTraits<Ref>::ToOwned(*std::move(src), out); }
  static bool Is(const TVMFFIAny* value) {
    TVMFFIAny scratch;
    return TypeTraits<Ref>::Is(Target(value, &scratch));
  }
  static RValueRef<Ref> Get(const TVMFFIAny* value) { return *TryCast(value); }
  static RValueRef<Ref> Take(TVMFFIAny* value) { return RValueRef<Ref>(TypeTraits<Ref>::Take(value)); }
  static std::optional<RValueRef<Ref>> TryCast(const TVMFFIAny* value) {
    TVMFFIAny scratch;
    const TVMFFIAny* target = Target(value, &scratch);
    if (target != value && TypeTraits<Ref>::Is(target)) {
      *static_cast<TVMFFIObject**>(value->v_ptr) = nullptr;
      return RValueRef<Ref>(TypeTraits<Ref>::Take(&scratch));
    }
    std::optional<Ref> converted = TypeTraits<Ref>::TryCast(target);
    if (!converted.has_value()) return std::nullopt;
    return RValueRef<Ref>(*std::move(converted));
  }
  static std::string Mismatch(const TVMFFIAny* value) {
    TVMFFIAny scratch;
    return TypeTraits<Ref>::Mismatch(Target(value, &scratch));
  }
  static std::string Name() { return "RValueRef<" + TypeTraits<Ref>::Name() + ">"; }
  static std::string Schema() { return detail::SchemaOf("ObjectRValueRef", TypeTraits<Ref>::Schema()); }

 private:
  /* The value itself, or what an rvalue reference refers to: the object, or None where it was moved out. */
  static const TVMFFIAny* Target(const TVMFFIAny* value, TVMFFIAny* scratch) {
    if (value->type_index != kTVMFFIObjectRValueRef) return value;
    detail::SetObject(*static_cast<TVMFFIObject**>(value->v_ptr), scratch);
    return scratch;
  }
};

}  // namespace transom

#endif  // TRANSOM_RUNTIME_RVALUE_REF_H_
