/*
 * The functions of the conformance suite in C++, with the library's headers: see ../README.md for what each does.
 */
#include <transom/containers/array.h>
#include <transom/containers/bigint.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/string.h>
#include <transom/containers/tensor.h>
#include <transom/reflection/export_function.h>
#include <transom/runtime/function.h>

#include <cinttypes>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace transom;  // NOLINT: a module of its own

// ---- Text of a value ------------------------------------------------------------------------------------------------

// A value may contain itself, so containers deeper than this are cut off.
constexpr int kMaxDepth = 64;

template <class... Values>
std::string Format(const char* format, Values... values) {
  char text[96];
  std::snprintf(text, sizeof(text), format, values...);
  return text;
}

std::string Hex(const void* data, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) text += Format("%02x", static_cast<const unsigned char*>(data)[i]);
  return text;
}

std::string Describe(AnyView value, int depth);

std::string DescribeSequence(const char* kind, const SeqBaseObj* sequence, int depth) {
  std::string text = kind;
  for (const Any& element : *sequence) text += (text.back() == '[' ? "" : ", ") + Describe(element, depth + 1);
  return text + "]";
}

std::string DescribeMap(const char* kind, const MapBaseObj* map, int depth) {
  std::string text = kind;
  for (uint64_t pos = map->First(); pos != MapBaseObj::kEnd; pos = map->Next(pos)) {
    text += (pos == map->First() ? "" : ", ") + Describe(map->KeyAt(pos), depth + 1) + ": " +
            Describe(map->ValueAt(pos), depth + 1);
  }
  return text + "}";
}

std::string Extents(const int64_t* extents, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + std::to_string(extents[i]);
  return text;
}

std::string DescribeTensor(const DLTensor* tensor) {
  size_t count = 1;
  for (int32_t i = 0; i < tensor->ndim; ++i) count *= static_cast<size_t>(tensor->shape[i]);
  return "tensor(" + Describe(tensor->dtype, 0) + ", " + Describe(tensor->device, 0) + ", shape(" +
         Extents(tensor->shape, tensor->ndim) + "), strides(" +
         Extents(tensor->strides, tensor->strides != nullptr ? tensor->ndim : 0) + "), " +
         Hex(static_cast<const char*>(tensor->data) + tensor->byte_offset,
             (count * tensor->dtype.bits * tensor->dtype.lanes + 7) / 8) +
         ")";
}

std::string DescribeError(const Error& error, int depth) {
  std::string text = "error(" + std::string(error.kind()) + ": " + std::string(error.message());
  if (std::optional<Error> cause = error.cause()) text += ", " + Describe(*cause, depth + 1);
  return text + ")";
}

std::string DescribeObject(AnyView value, int depth) {
  if (auto list = value.as<ListObj>()) return DescribeSequence("list[", list, depth);
  if (auto array = value.as<ArrayObj>()) return DescribeSequence("array[", array, depth);
  if (auto map = value.as<MapObj>()) return DescribeMap("map{", map, depth);
  if (auto dict = value.as<DictObj>()) return DescribeMap("dict{", dict, depth);
  if (auto shape = value.as<ShapeObj>()) {
    return "shape(" + Extents(shape->data, static_cast<int64_t>(shape->size)) + ")";
  }
  if (auto error = value.try_cast<Error>()) return DescribeError(*error, depth);
  if (value.as<FunctionObj>()) return "function";
  if (auto integer = value.as<BigIntObj>()) return "bigint(" + Hex(integer->words(), 8 * integer->num_words) + ")";
  return "object(" + value.GetTypeKey() + ")";
}

std::string Describe(AnyView value, int depth) {
  if (depth >= kMaxDepth) return "...";
  if (value == nullptr) return "none";
  if (auto flag = value.as<bool>()) return *flag ? "bool(true)" : "bool(false)";
  if (auto number = value.as<int64_t>()) return "int(" + std::to_string(*number) + ")";
  if (value.as<double>()) return Format("float(%016" PRIx64 ")", value.raw()->v_uint64);
  if (value.as<void*>()) return Format("pointer(%" PRIx64 ")", value.raw()->v_uint64);
  if (auto dtype = value.as<DataType>()) return Format("dtype(%d,%d,%d)", dtype->code, dtype->bits, dtype->lanes);
  if (auto device = value.as<Device>()) return Format("device(%d,%d)", int{device->device_type}, device->device_id);
  if (auto text = value.try_cast<String>()) return "str(" + Hex(text->data(), text->size()) + ")";
  if (auto bytes = value.try_cast<Bytes>()) return "bytes(" + Hex(bytes->data(), bytes->size()) + ")";
  if (auto tensor = value.try_cast<DLTensor*>()) return DescribeTensor(*tensor);
  if (value.type_index() >= kTVMFFIStaticObjectBegin) return DescribeObject(value, depth);
  return "unknown(" + std::to_string(value.type_index()) + ")";
}

// ---- A value of each kind -------------------------------------------------------------------------------------------

Any MakeLargeMap() {
  Map<int64_t, int64_t> map;
  for (int64_t i = 0; i < 10; ++i) map = std::move(map).insert(i, i * i);
  return map;
}

Any MakeTensor() {
  Tensor tensor = Tensor::Empty({2, 3}, DataType::FromString("float32"));
  for (int i = 0; i < 6; ++i) static_cast<float*>(tensor.data_ptr())[i] = static_cast<float>(i);
  return tensor;
}

const std::map<std::string_view, std::function<Any()>>& Samples() {
  using Limits = std::numeric_limits<int64_t>;
  static const auto* const samples = new std::map<std::string_view, std::function<Any()>>{
      {"none", [] { return Any(); }},
      {"bool", [] { return Any(true); }},
      {"int", [] { return Any(-5); }},
      {"int.min", [] { return Any(Limits::min()); }},
      {"int.max", [] { return Any(Limits::max()); }},
      {"float", [] { return Any(1.5); }},
      {"float.negative_zero", [] { return Any(-0.0); }},
      {"float.nan", [] { return Any(std::numeric_limits<double>::quiet_NaN()); }},
      {"float.infinity", [] { return Any(std::numeric_limits<double>::infinity()); }},
      {"pointer", [] { return Any(reinterpret_cast<void*>(0x2a)); }},
      {"pointer.null", [] { return Any(static_cast<void*>(nullptr)); }},
      {"dtype", [] { return Any(DataType::FromString("float32x4")); }},
      {"device", [] { return Any(Device::FromString("cuda:7")); }},
      {"str.empty", [] { return Any(String()); }},
      {"str.short", [] { return Any(String("a\0b", 3)); }},
      {"str.long", [] { return Any(String("longer than\0seven", 17)); }},
      {"bytes.short", [] { return Any(Bytes("\0\xff", 2)); }},
      {"bytes.long", [] { return Any(Bytes("\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17", 16)); }},
      {"array",
       [] {
         return Any(Array<Any>{1, "two", 3.5, nullptr});
       }},
      {"list",
       [] {
         return Any(List<Any>{1, Array<Any>{2}});
       }},
      {"map",
       [] {
         return Any(Map<String, int64_t>{{"a", 1}, {"b", 2}});
       }},
      {"map.large", MakeLargeMap},
      {"dict",
       [] {
         return Any(Dict<String, Any>{{"k", List<Any>()}});
       }},
      {"shape",
       [] {
         return Any(Shape{2, 3});
       }},
      {"tensor", MakeTensor},
      {"bigint", [] { return BigInt::FromDecimal("18446744073709551616"); }},
      {"bigint.negative", [] { return BigInt::FromDecimal("-18446744073709551616"); }},
      {"function", [] { return Any(Function::FromTyped([](Any value) { return value; })); }},
      {"error", [] { return Any(Error("ValueError", "made", "")); }},
      {"error.cause", [] { return Any(Error("ValueError", "outer", "", Error("TypeError", "inner", ""))); }},
  };
  return *samples;
}

Any Make(const String& name) {
  auto sample = Samples().find(name);
  TRANSOM_CHECK(sample != Samples().end(), ValueError) << "There is no sample named " << name;
  return sample->second();
}

// ---- The other functions --------------------------------------------------------------------------------------------

String Language() { return "cpp"; }
Any Echo(Any value) { return value; }
String DescribeValue(AnyView value) { return Describe(value, 0); }
int64_t Add(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
Function MakeAdder(int64_t a) {
  return Function::FromTyped([a](int64_t b) { return Add(a, b); });
}

Any Call(PackedArgs args) {
  const auto* function = args.size() > 0 ? args[0].as<Function>() : nullptr;
  TRANSOM_CHECK(function != nullptr, TypeError) << "Expected a function to call as argument #0";
  return function->CallPacked(args.data() + 1, args.size() - 1);
}
Any Relay(PackedArgs args) {
  TRANSOM_CHECK(args.size() > 0, TypeError) << "Expected the name of a function as argument #0";
  return Function::GetGlobalRequired(args[0].cast<String>()).CallPacked(args.data() + 1, args.size() - 1);
}
void Fail(const String& kind, const String& message, const std::optional<Error>& cause) {
  const TVMFFIByteArray* backtrace = TVMFFIBacktrace(__FILE__, __LINE__, "fail", 0);
  throw Error(kind, message, std::string_view(backtrace->data, backtrace->size), cause);
}
Any Catch(PackedArgs args) {
  try {
    Call(args);
    return Any();
  } catch (const Error& error) {
    return error;
  }
}

// Function of any number of arguments.
#define EXPORT_PACKED(Name, Callable)                                                                                  \
  extern "C" TRANSOM_FFI_DLL int __tvm_ffi_##Name(void*, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) { \
    TRANSOM_SAFE_CALL_BEGIN();                                                                                         \
    Any value = Callable(PackedArgs(reinterpret_cast<const AnyView*>(args), num_args));                                \
    *result = value.Release();                                                                                         \
    TRANSOM_SAFE_CALL_END();                                                                                           \
  }                                                                                                                    \
  static_assert(true, "")

TVM_FFI_DLL_EXPORT_TYPED_FUNC(language, Language);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(echo, Echo);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(describe, DescribeValue);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make, Make);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add, Add);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_adder, MakeAdder);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, Fail);
EXPORT_PACKED(call, Call);
EXPORT_PACKED(relay, Relay);
EXPORT_PACKED(catch, Catch);

}  // namespace
