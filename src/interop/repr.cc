// ffi.ReprPrint: the text of a value as a programmer would write it.
#include <transom/containers/bigint.h>
#include <transom/containers/detail/key_text.h>
#include <transom/reflection/access_path.h>
#include <transom/reflection/registry.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/fold.h"
#include "graph/hook.h"
#include "interop/enum_member.h"
#include "interop/field_lists.h"
#include "interop/sentinels.h"
#include "interop/text_pieces.h"
#include "structural/rules/hook_lease.h"

namespace transom::interop {
namespace {

using graph::FoldFrame;
using graph::ValueClass;

std::string Formatted(const char* format, unsigned long long number) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), format, number);
  return buffer;
}

uint32_t CodePoint(std::string_view character) {
  auto byte = [character](size_t i) { return static_cast<unsigned char>(character[i]); };
  uint32_t point = byte(0) & (0xFFu >> (character.size() + 1));
  for (size_t i = 1; i < character.size(); ++i) point = point << 6 | (byte(i) & 0x3Fu);
  return point;
}

// Other than Transom's own quoted text, only ASCII.
std::string QuotedAscii(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const size_t length = std::max<size_t>(transom::detail::Utf8Length(text), 1);
    if (length == 1) {
      const bool is_ascii = static_cast<unsigned char>(text[0]) < 0x80;
      const std::string quoted = transom::detail::QuotedText(text.substr(0, 1));
      out +=
          is_ascii ? quoted.substr(1, quoted.size() - 2) : Formatted("\\x%02llx", static_cast<unsigned char>(text[0]));
    } else {
      const uint32_t point = CodePoint(text.substr(0, length));
      out += Formatted(point > 0xFFFF ? "\\U%08llx" : "\\u%04llx", point);
    }
    text.remove_prefix(length);
  }
  return out + "\"";
}

std::string QuotedBytes(std::string_view bytes) {
  std::string out = "b\"";
  for (const char c : bytes) {
    const bool is_plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
    out += is_plain ? std::string(1, c) : Formatted("\\x%02llx", static_cast<unsigned char>(c));
  }
  return out + "\"";
}

std::string FloatRepr(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%g", value);
  return buffer;
}

std::string DimsText(const int64_t* dims, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + std::to_string(dims[i]);
  return text;
}

std::string TensorText(const DLTensor& tensor) {
  return DataType(tensor.dtype).ToString() + "[" + DimsText(tensor.shape, tensor.ndim) + "]@" +
         Device(tensor.device).ToString();
}

// Text of values that hold no others and are not objects, strings included.
std::string PlainText(const TVMFFIAny& value, ValueClass cls) {
  switch (cls) {
    case ValueClass::kString:
      return QuotedAscii(graph::TextOf(value));
    case ValueClass::kBytes:
      return QuotedBytes(graph::TextOf(value));
    case ValueClass::kShape:
      return "Shape(" + DimsText(graph::ShapeOf(value).data, static_cast<int64_t>(graph::ShapeOf(value).size)) + ")";
    case ValueClass::kScalar:
      if (value.type_index == kTVMFFIFloat) return FloatRepr(value.v_float64);
      break;
    case ValueClass::kBigInt:
      break;
    default:
      return std::string(graph::TypeKeyOf(value));
  }
  return transom::detail::PlainKeyText(value);
}

bool AddressesWanted() {
  const char* text = std::getenv("TVM_FFI_REPR_WITH_ADDR");
  return text != nullptr && std::string_view(text) == "1";
}

// Where a value leads back to itself there are dots, so the text of what is in a cycle depends on what stands above it.
class Printer {
 public:
  using Result = uint32_t;  // a piece
  static constexpr bool kKeysFirst = false;
  static constexpr bool kRunsForeignCode = true;  // hooks of types
  static constexpr bool kFieldsOnly = true;

  Printer() : fields_(kTVMFFIFieldFlagBitMaskReprOff), with_addresses_(AddressesWanted()), fold_(plans_, *this) {}
  std::string Run(const TVMFFIAny& root) { return pieces_.TextOf(fold_.Run(root)); }

  // For the walk.
  uint32_t Leaf(const TVMFFIAny& value, ValueClass cls);
  uint32_t Custom(const TVMFFIAny& value, const graph::TypePlan&, std::string_view) { return Add(PlainText(value)); }
  bool Whole(FoldFrame& frame, uint32_t* result);
  void Enter(FoldFrame& frame) { frame.Visit(fields_.Of(*frame.plan)); }
  uint32_t Leave(FoldFrame& frame, const uint32_t* children);
  uint32_t Again(const TVMFFIAny& value) { return Add({"..." + Address(value), {}}, true); }
  bool Lasting(uint32_t piece);
  bool RememberAll() { return true; }

 private:
  // How often values whose text depends on their place are written again.
  static constexpr uint64_t kMaxRepeated = uint64_t{1} << 22;

  static std::string PlainText(const TVMFFIAny& value) { return std::string(graph::TypeKeyOf(value)); }
  std::string Address(const TVMFFIAny& value) const {
    return with_addresses_ ? Formatted("@0x%llx", reinterpret_cast<uintptr_t>(value.v_obj)) : "";
  }
  uint32_t Add(std::string text) { return Add(TextPiece{std::move(text), {}}); }
  uint32_t Add(TextPiece piece, bool has_dots = false);
  uint32_t AddObject(const TVMFFIAny& value, const std::vector<std::string_view>& names, const uint32_t* children);
  uint32_t AddContainer(const FoldFrame& frame, const uint32_t* children);
  uint32_t OpaqueObject(const TVMFFIAny& value);
  std::string TextForHook(const Any& value);
  uint32_t RunHook(const FoldFrame& frame, const Function& hook);

  FieldLists fields_;
  bool with_addresses_;
  TextPieces pieces_;
  std::vector<bool> has_dots_;  // of each piece
  bool hook_got_dots_ = false;  // in what it printed
  uint64_t num_repeated_ = 0;
  graph::PlanTable plans_;
  graph::Fold<Printer> fold_;
};

uint32_t Printer::Add(TextPiece piece, bool has_dots) {
  for (const TextPiece::Insert& insert : piece.inserts) has_dots = has_dots || has_dots_[insert.piece];
  has_dots_.push_back(has_dots);
  return pieces_.Add(std::move(piece));
}

bool Printer::Lasting(uint32_t piece) {
  TRANSOM_CHECK(!has_dots_[piece] || ++num_repeated_ <= kMaxRepeated, ValueError)
      << "The value leads back to itself in more ways than can be written as text";
  return !has_dots_[piece];
}

uint32_t Printer::Leaf(const TVMFFIAny& value, ValueClass cls) {
  if (cls == ValueClass::kTensor) return Add(TensorText(graph::TensorOf(value)) + Address(value));
  if (cls == ValueClass::kOpaque && graph::IsObject(value)) return OpaqueObject(value);
  return Add(interop::PlainText(value, cls));
}

// Objects that walks do not look into may still describe fields, as modules do.
uint32_t Printer::OpaqueObject(const TVMFFIAny& value) {
  std::vector<std::string_view> names;
  std::vector<uint32_t> children;
  const Object* object = transom::detail::ObjectAccess::FromHeader(value.v_obj);
  reflection::ForEachField(TVMFFIGetTypeInfo(value.type_index), [&](const TVMFFIFieldInfo* field) {
    if ((field->flags & kTVMFFIFieldFlagBitMaskReprOff) != 0) return;
    names.push_back(transom::detail::ToStringView(field->name));
    children.push_back(fold_.Run(fold_.keeper().Keep(reflection::GetField(object, field))));
  });
  return AddObject(value, names, children.data());
}

bool Printer::Whole(FoldFrame& frame, uint32_t* result) {
  if (frame.plan->type_index < 0) return false;
  if (frame.value.v_obj == MissingSentinel() || frame.value.v_obj == KwargsSentinel()) {
    *result = Add(frame.value.v_obj == MissingSentinel() ? "<MISSING>" : "<KWARGS>");
    return true;
  }
  if (const std::optional<Function> hook = graph::FunctionHookOf(frame.plan->type_index, "__ffi_repr__")) {
    *result = RunHook(frame, *hook);
    return true;
  }
  if (EnumFormOf(frame.plan->type_index) != EnumForm::kNone) {
    const int32_t field = frame.plan->FindField("_str_index");
    if (field < 0) return false;
    const TVMFFIAny name =
        graph::ReadField(frame.value.v_obj, frame.plan->fields[static_cast<size_t>(field)], fold_.keeper());
    *result = Add(PlainText(frame.value) + "." + AnyView::FromRaw(name).cast<std::string>());
    return true;
  }
  return false;
}

std::string Printer::TextForHook(const Any& value) {
  const uint32_t piece = fold_.Run(fold_.keeper().Keep(value));
  hook_got_dots_ = hook_got_dots_ || has_dots_[piece];
  return pieces_.TextOf(piece);
}

uint32_t Printer::RunHook(const FoldFrame& frame, const Function& hook) {
  struct Outer {
    bool* place;
    bool value;
    ~Outer() { *place = value; }
  } const outer{&hook_got_dots_, std::exchange(hook_got_dots_, false)};
  const structural::HookLease<Printer> lease(this, "__ffi_repr__");
  const Function print =
      Function::FromTyped([printer = lease.get()](const Any& value) { return String((*printer).TextForHook(value)); },
                          "__ffi_repr__ callback");
  const std::string text = hook(AnyView::FromRaw(frame.value), print).cast<String>();
  return Add({text, {}}, hook_got_dots_);
}

uint32_t Printer::Leave(FoldFrame& frame, const uint32_t* children) {
  if (frame.cls != ValueClass::kObject) return AddContainer(frame, children);
  std::vector<std::string_view> names;
  for (uint64_t i = 0; i < frame.count; ++i) names.push_back(frame.plan->fields[frame.list[i]].name);
  return AddObject(frame.value, names, children);
}

uint32_t Printer::AddObject(const TVMFFIAny& value, const std::vector<std::string_view>& names,
                            const uint32_t* children) {
  TextPiece piece{PlainText(value) + Address(value), {}};
  for (size_t i = 0; i < names.size(); ++i) {
    (piece.text += i == 0 ? "(" : ", ").append(names[i]) += "=";
    piece.inserts.push_back({piece.text.size(), children[i]});
  }
  if (!names.empty()) piece.text += ")";
  return Add(std::move(piece));
}

uint32_t Printer::AddContainer(const FoldFrame& frame, const uint32_t* children) {
  const bool is_map = frame.cls == ValueClass::kMap;
  const bool is_array = frame.value.type_index == kTVMFFIArray;
  TextPiece piece{is_map ? "{" : is_array ? "(" : "[", {}};
  for (uint64_t i = 0; i < frame.count; ++i) {
    if (i != 0) piece.text += is_map && i % 2 != 0 ? ": " : ", ";
    piece.inserts.push_back({piece.text.size(), children[i]});
  }
  piece.text += is_map ? "}" : !is_array ? "]" : frame.count == 1 ? ",)" : ")";
  piece.text += Address(frame.value);
  return Add(std::move(piece));
}

String ReprPrint(const Any& value) { return String(Printer().Run(*value.raw())); }

// Steps and paths print with the text of their keys.
String StepRepr(const reflection::AccessStepObj* step, const Function& print) {
  using reflection::AccessKind;
  switch (step->kind) {
    case AccessKind::kAttr:
      return String("." + step->key.cast<std::string>());
    case AccessKind::kArrayItem:
    case AccessKind::kMapItem:
      return String("[" + print(step->key).cast<std::string>() + "]");
    default:
      return String("[<missing:" + print(step->key).cast<std::string>() + ">]");
  }
}

String PathRepr(const reflection::AccessPathObj* path, const Function& print) {
  std::string text = "<root>";
  for (const reflection::AccessStep& step : path->ToSteps()) text += StepRepr(step.get(), print);
  return String(text);
}

TRANSOM_STATIC_INIT_BLOCK() {
  reflection::GlobalDef().def("ffi.ReprPrint", &ReprPrint, "Text of a value, with everything in it.");
  reflection::TypeAttrDef<reflection::AccessStepObj>().def("__ffi_repr__", &StepRepr);
  reflection::TypeAttrDef<reflection::AccessPathObj>().def("__ffi_repr__", &PathRepr);
}

}  // namespace
}  // namespace transom::interop
