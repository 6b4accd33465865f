/* What can be said of a field beside its name and member: doc, default, traits. Arguments of def_ro and def_rw. */
#ifndef TRANSOM_REFLECTION_FIELD_OPTIONS_H_
#define TRANSOM_REFLECTION_FIELD_OPTIONS_H_

#include <transom/runtime/any.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/function.h>

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace transom {
namespace reflection {

/* A bit of the field's record. */
struct FieldFlag {
  int64_t bits;
};

/* Structural comparison and hash leave the field out. */
constexpr FieldFlag SEqHashIgnore() { return {kTVMFFIFieldFlagBitMaskSEqHashIgnore}; }
/* Variables met first in the field, at any depth, are definitions. */
constexpr FieldFlag SEqHashDefRecursive() { return {kTVMFFIFieldFlagBitMaskSEqHashDefRecursive}; }
/* The same, but not below a variable. */
constexpr FieldFlag SEqHashDefNonRecursive() { return {kTVMFFIFieldFlagBitMaskSEqHashDefNonRecursive}; }
/* Left out of the printed form. */
constexpr FieldFlag ReprOff() { return {kTVMFFIFieldFlagBitMaskReprOff}; }
/* Left out of recursive comparison and hash. */
constexpr FieldFlag CompareOff() { return {kTVMFFIFieldFlagBitMaskCompareOff}; }
/* Left out of the recursive hash. */
constexpr FieldFlag HashOff() { return {kTVMFFIFieldFlagBitMaskHashOff}; }
/* No parameter of the automatic constructor. */
constexpr FieldFlag InitOff() { return {kTVMFFIFieldFlagBitMaskInitOff}; }
/* By keyword only in the automatic constructor. */
constexpr FieldFlag KwOnly() { return {kTVMFFIFieldFlagBitMaskKwOnly}; }

/* Value of the field where none is given; it must convert to the field's type. Objects share it. */
class DefaultValue {
 public:
  explicit DefaultValue(Any value) : value_(std::move(value)) {}
  const Any& value() const { return value_; }

 private:
  Any value_;
};

/* The same, made anew for each object by a callable without parameters. */
class DefaultFactory {
 public:
  explicit DefaultFactory(Function factory) : factory_(std::move(factory)) {}
  template <class F, class = std::enable_if_t<std::is_invocable_v<F&>>>
  explicit DefaultFactory(F factory) : factory_(Function::FromTyped(std::move(factory))) {}
  const Function& factory() const { return factory_; }

 private:
  Function factory_;
};

namespace detail {

/* The options of one field or method, collected. */
struct Options {
  int64_t flags = 0;
  std::string_view doc;
  Any default_value;

  void Apply(const char* text) { doc = text; }
  void Apply(FieldFlag flag) { flags |= flag.bits; }
  void Apply(const DefaultValue& value) {
    flags |= kTVMFFIFieldFlagBitMaskHasDefault;
    default_value = value.value();
  }
  void Apply(const DefaultFactory& factory) {
    flags |= kTVMFFIFieldFlagBitMaskHasDefault | kTVMFFIFieldFlagBitMaskDefaultFromFactory;
    default_value = factory.factory();
  }
};

template <class... Option>
Options CollectOptions(const Option&... option) {
  Options result;
  (result.Apply(option), ...);
  return result;
}

}  // namespace detail
}  // namespace reflection
}  // namespace transom

#endif  // TRANSOM_REFLECTION_FIELD_OPTIONS_H_
