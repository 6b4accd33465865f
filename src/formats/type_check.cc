#include "formats/type_check.h"

#include "graph/type_plan.h"
#include "graph/value.h"

namespace transom::formats {
namespace {

using graph::ItemsOf;
using graph::MapOf;
using graph::SequenceOf;
using schema::TypeExpr;
using schema::TypeKind;

// A container this small is looked into again rather than remembered.
constexpr int64_t kSmall = 8;

}  // namespace

TypeCheck::TypeCheck(const schema::Schema* schema) : schema_(schema), record_type_(RecordObj::RuntimeTypeIndex()) {}

bool TypeCheck::FitsNamed(const TypeExpr& type, const TVMFFIAny& value) const {
  const RecordObj* record = AsRecord(value, record_type_);
  if (record != nullptr && record->descriptor->schema == schema_) {
    return type.order_begin <= record->descriptor->order_begin && record->descriptor->order_begin < type.order_end;
  }
  return graph::IsInstanceOf(value, type.name);
}

bool TypeCheck::Known(const TVMFFIAny& value, const TypeExpr& type, bool remember) {
  if (remember) return known_.insert({value.v_obj, type.id}).second;
  return known_.count({value.v_obj, type.id}) != 0;
}

bool TypeCheck::FitsItems(const TypeExpr& type, const TVMFFIAny& value) {
  if (type.args.empty() || type.args[0].kind == TypeKind::kAny) return true;
  const TVMFFISeqCell& cell = SequenceOf(value);
  if (cell.size > kSmall && Known(value, type, false)) return true;
  for (int64_t i = 0; i < cell.size; ++i) {
    if (!Fits(type.args[0], ItemsOf(cell)[i])) return false;
  }
  if (cell.size > kSmall) Known(value, type, true);
  return true;
}

bool TypeCheck::FitsEntries(const TypeExpr& type, const TVMFFIAny& value) {
  if (type.args.size() < 2) return true;
  const MapBaseObj& map = MapOf(value);
  const bool large = map.size() > static_cast<uint64_t>(kSmall);
  if (large && Known(value, type, false)) return true;
  for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) {
    if (!Fits(type.args[0], *map.KeyAt(pos).raw()) || !Fits(type.args[1], *map.ValueAt(pos).raw())) return false;
  }
  if (large) Known(value, type, true);
  return true;
}

bool TypeCheck::FitsTuple(const TypeExpr& type, const TVMFFIAny& value) {
  if (type.args.empty()) return true;
  const TVMFFISeqCell& cell = SequenceOf(value);
  if (cell.size != static_cast<int64_t>(type.args.size())) return false;
  for (int64_t i = 0; i < cell.size; ++i) {
    if (!Fits(type.args[static_cast<size_t>(i)], ItemsOf(cell)[i])) return false;
  }
  return true;
}

// Recursion is over the declared type, which is at most 64 levels deep, never over the data.
bool TypeCheck::Fits(const TypeExpr& type, const TVMFFIAny& value) {
  const int32_t t = value.type_index;
  switch (type.kind) {
    case TypeKind::kAny:
      return true;
    case TypeKind::kNone:
      return t == kTVMFFINone;
    case TypeKind::kBool:
      return t == kTVMFFIBool;
    case TypeKind::kInt:
      return t == kTVMFFIInt;
    case TypeKind::kFloat:
      return t == kTVMFFIFloat || t == kTVMFFIInt;
    case TypeKind::kDataType:
      return t == kTVMFFIDataType;
    case TypeKind::kDevice:
      return t == kTVMFFIDevice;
    case TypeKind::kString:
      return t == kTVMFFISmallStr || t == kTVMFFIStr;
    case TypeKind::kBytes:
      return t == kTVMFFISmallBytes || t == kTVMFFIBytes;
    case TypeKind::kBigInt:
      return t == kTVMFFIInt || t == kTVMFFIBigInt;
    case TypeKind::kOpaquePtr:
      return t == kTVMFFIOpaquePtr || t == kTVMFFINone;
    case TypeKind::kUnion:
      for (const TypeExpr& alternative : type.args) {
        if (Fits(alternative, value)) return true;
      }
      return type.args.empty();
    default:
      break;
  }
  if (t == kTVMFFINone) return true;  // object-typed places may be empty
  switch (type.kind) {
    case TypeKind::kOptional:
      return type.args.empty() || Fits(type.args[0], value);
    case TypeKind::kNamed:
      return FitsNamed(type, value);
    case TypeKind::kShape:
      return t == kTVMFFIShape;
    case TypeKind::kTensor:
      return t == kTVMFFITensor;
    case TypeKind::kFunction:
      return t == kTVMFFIFunction;
    case TypeKind::kModule:
      return t == kTVMFFIModule;
    case TypeKind::kArray:
      return t == kTVMFFIArray && FitsItems(type, value);
    case TypeKind::kList:
      return t == kTVMFFIList && FitsItems(type, value);
    case TypeKind::kMap:
      return t == kTVMFFIMap && FitsEntries(type, value);
    case TypeKind::kDict:
      return t == kTVMFFIDict && FitsEntries(type, value);
    case TypeKind::kTuple:
      return t == kTVMFFIArray && FitsTuple(type, value);
    default:
      return false;
  }
}

std::string TypeCheck::Describe(const TypeExpr& type, const TVMFFIAny& value) {
  const std::string key(graph::TypeKeyOf(value));
  const graph::ValueClass cls = graph::Classify(value.type_index);
  if (cls == graph::ValueClass::kSequence && !type.args.empty()) {
    const TVMFFISeqCell& cell = SequenceOf(value);
    for (int64_t i = 0; i < cell.size; ++i) {
      const TypeExpr& item = type.kind == TypeKind::kTuple && i < static_cast<int64_t>(type.args.size())
                                 ? type.args[static_cast<size_t>(i)] : type.args[0];
      if (!Fits(item, ItemsOf(cell)[i])) {
        return key + " whose element " + std::to_string(i) + " is " + std::string(graph::TypeKeyOf(ItemsOf(cell)[i]));
      }
    }
  }
  if (cls == graph::ValueClass::kMap && type.args.size() == 2) {
    const MapBaseObj& map = MapOf(value);
    uint64_t place = 0;
    for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos), ++place) {
      const TVMFFIAny& k = *map.KeyAt(pos).raw();
      const TVMFFIAny& v = *map.ValueAt(pos).raw();
      if (!Fits(type.args[0], k)) return key + " whose key " + std::to_string(place) + " is " + std::string(graph::TypeKeyOf(k));
      if (!Fits(type.args[1], v)) return key + " whose value " + std::to_string(place) + " is " + std::string(graph::TypeKeyOf(v));
    }
  }
  return key;
}

}  // namespace transom::formats
