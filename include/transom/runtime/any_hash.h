/*
 * Hash and equality of values as keys of maps. Part of the C contract: all libraries of a process must agree on them.
 * Text compares by content, objects by identity unless their type has a hook, numbers by their bits (so 1, 1.0 and true
 * are three keys).
 */
#ifndef TRANSOM_RUNTIME_ANY_HASH_H_
#define TRANSOM_RUNTIME_ANY_HASH_H_

#include <transom/containers/string.h>
#include <transom/runtime/any.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>

#include <cstring>

namespace transom {
namespace detail {

/* Entry of an attribute column for a type, or NULL. */
inline const TVMFFIAny* FindTypeAttr(const TVMFFITypeAttrColumn* column, int32_t type_index) noexcept {
  if (column == nullptr) return nullptr;
  // The size is read first: a column that grows meanwhile publishes its new array before its new size.
  int32_t size = __atomic_load_n(&column->size, __ATOMIC_ACQUIRE);
  const TVMFFIAny* data = __atomic_load_n(&column->data, __ATOMIC_ACQUIRE);
  int64_t row = static_cast<int64_t>(type_index) - column->begin_index;
  if (row < 0 || row >= size) return nullptr;
  const TVMFFIAny* entry = &data[row];
  return __atomic_load_n(&entry->type_index, __ATOMIC_ACQUIRE) == kTVMFFINone ? nullptr : entry;
}

inline const TVMFFITypeAttrColumn* TypeAttrColumn(const char* name) {
  TVMFFIByteArray text{name, std::strlen(name)};
  return TVMFFIGetTypeAttrColumn(&text);
}

/* How a hook that is an address is called. Its value does not say; the release of the contract does. */
enum class AddressHookForm {
  kPlain,   // up to 0.1.14: gives the integer or bool itself
  kValue,   // later: gives an owned TVMFFIAny, an Error for a failure
  kUnknown  // another contract
};

inline AddressHookForm FormOfAddressHooks() {
  static const AddressHookForm form = [] {
    TVMFFIVersion version;
    TVMFFIGetVersion(&version);
    if (version.major != 0 || version.minor != 1) return AddressHookForm::kUnknown;
    return version.patch <= 14 ? AddressHookForm::kPlain : AddressHookForm::kValue;
  }();
  return form;
}

[[noreturn]] inline void ThrowUnknownHook(const char* column, int32_t type_index) {
  TRANSOM_THROW(InternalError) << "The `" << column << "` hook of type `" << TypeKeyOfIndex(type_index)
                               << "` has a form that this library does not know";
}

/* What a hook gave, which must have the given type or be an Error. Takes ownership. */
inline int64_t HookResult(TVMFFIAny result, int32_t result_index, int32_t type_index, const char* column) {
  if (result.type_index == result_index) return result.v_int64;
  Any owner = Any::FromOwned(result);
  if (result.type_index == kTVMFFIError) throw owner.cast<Error>();
  TRANSOM_THROW(InternalError) << "Expected the `" << column << "` hook of type `" << TypeKeyOfIndex(type_index)
                               << "` to return `" << TypeKeyOfIndex(result_index) << "` but got `"
                               << TypeKeyOfIndex(result.type_index) << "`";
}

/* Calls a hook that is a Function. */
inline int64_t CallFunctionHook(const TVMFFIAny* hook, const TVMFFIAny* args, int32_t num_args, int32_t result_index,
                                const char* column) {
  TVMFFIAny result;
  SetNone(&result);
  CheckCall(TVMFFIFunctionCall(hook->v_obj, const_cast<TVMFFIAny*>(args), num_args, &result));
  return HookResult(result, result_index, args->type_index, column);
}

/* Hash by the type's hook. */
inline uint64_t CallHashHook(const TVMFFIAny* hook, const TVMFFIAny* value) {
  constexpr const char* kColumn = "__any_hash__";
  if (hook->type_index == kTVMFFIFunction) {
    return static_cast<uint64_t>(CallFunctionHook(hook, value, 1, kTVMFFIInt, kColumn));
  }
  const AddressHookForm form = FormOfAddressHooks();
  if (hook->type_index != kTVMFFIOpaquePtr || form == AddressHookForm::kUnknown) {
    ThrowUnknownHook(kColumn, value->type_index);
  }
  if (form == AddressHookForm::kPlain) {
    return static_cast<uint64_t>(reinterpret_cast<int64_t (*)(const TVMFFIAny*)>(hook->v_ptr)(value));
  }
  const TVMFFIAny result = reinterpret_cast<TVMFFIAny (*)(const TVMFFIAny*)>(hook->v_ptr)(value);
  return static_cast<uint64_t>(HookResult(result, kTVMFFIInt, value->type_index, kColumn));
}

/* Equality of two values of one type by the type's hook. */
inline bool CallEqualHook(const TVMFFIAny* hook, const TVMFFIAny* lhs, const TVMFFIAny* rhs) {
  constexpr const char* kColumn = "__any_equal__";
  if (hook->type_index == kTVMFFIFunction) {
    TVMFFIAny args[] = {*lhs, *rhs};
    return CallFunctionHook(hook, args, 2, kTVMFFIBool, kColumn) != 0;
  }
  const AddressHookForm form = FormOfAddressHooks();
  if (hook->type_index != kTVMFFIOpaquePtr || form == AddressHookForm::kUnknown) {
    ThrowUnknownHook(kColumn, lhs->type_index);
  }
  if (form == AddressHookForm::kPlain) {
    return reinterpret_cast<bool (*)(const TVMFFIAny*, const TVMFFIAny*)>(hook->v_ptr)(lhs, rhs);
  }
  const TVMFFIAny result = reinterpret_cast<TVMFFIAny (*)(const TVMFFIAny*, const TVMFFIAny*)>(hook->v_ptr)(lhs, rhs);
  return HookResult(result, kTVMFFIBool, lhs->type_index, kColumn) != 0;
}

inline uint64_t HashObjectKey(const TVMFFIAny* value) {
  static const TVMFFITypeAttrColumn* const column = TypeAttrColumn("__any_hash__");
  const TVMFFIAny* hook = FindTypeAttr(column, value->type_index);
  uint64_t content = hook != nullptr ? CallHashHook(hook, value) : value->v_uint64;
  return HashCombine(static_cast<uint64_t>(int64_t{value->type_index}), content);
}

inline bool EqualObjectKeys(const TVMFFIAny* lhs, const TVMFFIAny* rhs) {
  static const TVMFFITypeAttrColumn* const column = TypeAttrColumn("__any_equal__");
  const TVMFFIAny* hook = FindTypeAttr(column, lhs->type_index);
  return hook != nullptr && CallEqualHook(hook, lhs, rhs);
}

/* SmallStr as Str, SmallBytes as Bytes, others as they are. */
constexpr int32_t HeapTextIndex(int32_t type_index) noexcept {
  return type_index == kTVMFFISmallStr ? kTVMFFIStr : type_index == kTVMFFISmallBytes ? kTVMFFIBytes : type_index;
}

}  // namespace detail

/* Key hash of a value. Throws what the hook of the value's type throws. */
struct AnyHash {
  uint64_t operator()(const TVMFFIAny* value) const {
    switch (value->type_index) {
      case kTVMFFISmallStr:
        return detail::HashCombine(kTVMFFIStr, value->v_uint64 % detail::kHashPrime);
      case kTVMFFISmallBytes:
        return detail::HashCombine(kTVMFFIBytes, value->v_uint64 % detail::kHashPrime);
      case kTVMFFIStr:
      case kTVMFFIBytes: {
        TVMFFIByteArray text = detail::TextOf(value);
        return detail::HashCombine(static_cast<uint64_t>(value->type_index), detail::HashBytes(text.data, text.size));
      }
      default:
        if (value->type_index >= kTVMFFIStaticObjectBegin) return detail::HashObjectKey(value);
        return detail::HashCombine(static_cast<uint64_t>(int64_t{value->type_index}), value->v_uint64);
    }
  }
  uint64_t operator()(const AnyView& value) const { return (*this)(value.raw()); }
  uint64_t operator()(const Any& value) const { return (*this)(value.raw()); }
};

/* Key equality of two values. Throws what the hook of the values' type throws. */
struct AnyEqual {
  bool operator()(const TVMFFIAny* lhs, const TVMFFIAny* rhs) const {
    if (std::memcmp(lhs, rhs, sizeof(TVMFFIAny)) == 0) return true;
    int32_t kind = detail::HeapTextIndex(lhs->type_index);
    if (kind != detail::HeapTextIndex(rhs->type_index)) return false;
    if (kind == kTVMFFIStr || kind == kTVMFFIBytes) {
      TVMFFIByteArray left = detail::TextOf(lhs);
      TVMFFIByteArray right = detail::TextOf(rhs);
      return left.size == right.size && std::memcmp(left.data, right.data, left.size) == 0;
    }
    return kind >= kTVMFFIStaticObjectBegin && detail::EqualObjectKeys(lhs, rhs);
  }
  bool operator()(const AnyView& lhs, const AnyView& rhs) const { return (*this)(lhs.raw(), rhs.raw()); }
  bool operator()(const Any& lhs, const Any& rhs) const { return (*this)(lhs.raw(), rhs.raw()); }
};

}  // namespace transom

#endif  // TRANSOM_RUNTIME_ANY_HASH_H_
