/*
 * Declared types: whether a value is what a field's type promises, all the way down.
 */
#ifndef TRANSOM_SRC_GRAPH_TYPE_CHECK_H_
#define TRANSOM_SRC_GRAPH_TYPE_CHECK_H_

#include <transom/export.h>
#include <transom/schema/record.h>
#include <transom/schema/schema.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>

#include "graph/type_plan.h"
#include "graph/value.h"

namespace transom::graph {

/*!
 * \brief The rules, for values of any representation. Every pair of container and type is looked into once, or takes a
 * few looks; containers are known by their identity, so they must live as long as this.
 *
 * Model:
 *   using Value;  - cheap to copy
 *   int32_t TypeIndex(Value)        - that of built-in types, as in the C contract; any other for objects
 *   bool IsA(Value, const TypeExpr& named) - objects: whether it is of the type or a descendant
 *   std::string_view KeyOf(Value)   - for messages
 *   uint64_t Identity(Value)        - of a container
 *   uint64_t Size(Value)            - of a container: elements, or entries
 *   bool Known(const TypeExpr&, Value), void Remember(const TypeExpr&, Value) - that all values like this one fit
 *   bool AllItemsKnown(const TypeExpr& item, Value)  - whether Known says so of all elements of a container
 *   bool AllItems(Value, Fn fits), bool AllEntries(Value, Fn fits) - whether `fits(item)`, `fits(key, value)` is true
 * for all
 */
template <class Model>
class TypeRules {
 public:
  using Value = typename Model::Value;
  using TypeExpr = schema::TypeExpr;
  using TypeKind = schema::TypeKind;

  explicit TypeRules(Model model) : model_(std::move(model)) {}

  /*! \brief Whether the value is of the type. An object-typed place may hold None. */
  bool Fits(const TypeExpr& type, Value value) {
    if (model_.Known(type, value)) return true;
    if (!FitsAfresh(type, value)) return false;
    model_.Remember(type, value);
    return true;
  }

  /*!
   * \brief Lets the check look at so many elements as a file of that size gives reason to; after that nothing fits, and
   * Describe says why. Each of many types may look at all elements of one container.
   */
  void LimitLooks(uint64_t file_size) { looks_left_ = kLooksPerByte * file_size + kAlwaysAllowedLooks; }

  /*! \brief What about the value does not fit, for a message: "ffi.Array whose element 3 is ffi.String". Only after
   * Fits said no. */
  std::string Describe(const TypeExpr& type, Value value);

 private:
  // A container this small, of elements that take one look, is looked into again rather than remembered.
  static constexpr uint64_t kSmall = 8;
  static constexpr uint64_t kLooksPerByte = 16, kAlwaysAllowedLooks = uint64_t{1} << 22;
  static bool TakesOneLook(const TypeExpr& type) {
    if (type.args.empty()) return true;
    switch (type.kind) {
      case TypeKind::kArray:
      case TypeKind::kList:
      case TypeKind::kMap:
      case TypeKind::kDict:
      case TypeKind::kTuple:
        return false;
      default:
        return ItemsTakeOneLook(type);
    }
  }
  static bool ItemsTakeOneLook(const TypeExpr& type) {
    for (const TypeExpr& arg : type.args) {
      if (!TakesOneLook(arg)) return false;
    }
    return true;
  }

  bool FitsAfresh(const TypeExpr& type, Value value);
  bool FitsObjectType(const TypeExpr& type, Value value, int32_t type_index);
  template <class All>
  bool FitsInside(const TypeExpr& type, Value value, All all) {
    // Small ones too where they hold others: those may be shared at every level.
    const uint64_t size = model_.Size(value);
    const bool remember = size > kSmall || !ItemsTakeOneLook(type);
    if (remember && known_.count({model_.Identity(value), type.id}) != 0) return true;
    if (size >= looks_left_) looks_left_ = 0;
    if (looks_left_ == 0) return false;
    looks_left_ -= size;
    if (!all()) return false;
    if (remember) known_.insert({model_.Identity(value), type.id});
    return true;
  }
  bool FitsItems(const TypeExpr& type, Value value) {
    if (type.args.empty() || type.args[0].kind == TypeKind::kAny) return true;
    return FitsInside(type, value, [&] {
      return model_.AllItemsKnown(type.args[0], value) ||
             model_.AllItems(value, [&](Value item) { return Fits(type.args[0], item); });
    });
  }
  bool FitsEntries(const TypeExpr& type, Value value) {
    if (type.args.size() < 2) return true;
    return FitsInside(type, value, [&] {
      return model_.AllEntries(value, [&](Value k, Value v) { return Fits(type.args[0], k) && Fits(type.args[1], v); });
    });
  }
  bool FitsTuple(const TypeExpr& type, Value value) {
    if (type.args.empty()) return true;
    if (model_.Size(value) != type.args.size()) return false;
    return FitsInside(type, value, [&] {
      size_t i = 0;
      return model_.AllItems(value, [&](Value item) { return Fits(type.args[i++], item); });
    });
  }

  struct Pair {
    uint64_t container;
    uint32_t type;
    bool operator==(const Pair&) const = default;
  };
  struct PairHash {
    size_t operator()(const Pair& p) const { return (p.container + p.type) * 0x9E3779B97F4A7C15u >> 8; }
  };
  Model model_;
  std::unordered_set<Pair, PairHash> known_;  // large containers that fit
  uint64_t looks_left_ = UINT64_MAX;
};

// Recursion is over the declared type, which is at most 64 levels deep, never over the data.
template <class Model>
bool TypeRules<Model>::FitsAfresh(const TypeExpr& type, Value value) {
  const int32_t t = model_.TypeIndex(value);
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
      return t == kTVMFFINone || FitsObjectType(type, value, t);  // object-typed places may be empty
  }
}

template <class Model>
bool TypeRules<Model>::FitsObjectType(const TypeExpr& type, Value value, int32_t t) {
  switch (type.kind) {
    case TypeKind::kOptional:
      return type.args.empty() || Fits(type.args[0], value);
    case TypeKind::kNamed:
      return model_.IsA(value, type);
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

template <class Model>
std::string TypeRules<Model>::Describe(const TypeExpr& type, Value value) {
  std::string text(model_.KeyOf(value));
  if (looks_left_ == 0)
    return text +
           "; the fields are declared to be of so many types of containers that checking them is out of proportion to "
           "the file";
  const ValueClass cls = Classify(model_.TypeIndex(value));
  uint64_t place = 0;
  const auto bad = [&](const char* what, const TypeExpr& expected, Value part) {
    if (Fits(expected, part)) return false;
    text += std::string(" whose ") + what + " " + std::to_string(place) + " is " + std::string(model_.KeyOf(part));
    return true;
  };
  if (cls == ValueClass::kSequence && !type.args.empty()) {
    model_.AllItems(value, [&](Value item) {
      const bool own = type.kind == TypeKind::kTuple && place < type.args.size();
      if (bad("element", type.args[own ? place : 0], item)) return false;
      return ++place != 0;
    });
  }
  if (cls == ValueClass::kMap && type.args.size() == 2) {
    model_.AllEntries(value, [&](Value k, Value v) {
      if (bad("key", type.args[0], k) || bad("value", type.args[1], v)) return false;
      return ++place != 0;
    });
  }
  return text;
}

/*! \brief Values in memory, for types of one schema. */
class ValueModel {
 public:
  using Value = TVMFFIAny;
  explicit ValueModel(const schema::Schema* schema) : schema_(schema), record_type_(RecordObj::RuntimeTypeIndex()) {}

  int32_t TypeIndex(const TVMFFIAny& value) const { return value.type_index; }
  bool IsA(const TVMFFIAny& value, const schema::TypeExpr& type) const {
    const RecordObj* record = AsRecord(value, record_type_);
    if (record != nullptr && record->descriptor->schema == schema_) {
      return type.order_begin <= record->descriptor->order_begin && record->descriptor->order_begin < type.order_end;
    }
    return IsInstanceOf(value, type.name);
  }
  std::string_view KeyOf(const TVMFFIAny& value) const { return TypeKeyOf(value); }
  static bool Known(const schema::TypeExpr&, const TVMFFIAny&) { return false; }
  static void Remember(const schema::TypeExpr&, const TVMFFIAny&) {}
  static bool AllItemsKnown(const schema::TypeExpr&, const TVMFFIAny&) { return false; }
  uint64_t Identity(const TVMFFIAny& value) const { return value.v_uint64; }
  uint64_t Size(const TVMFFIAny& value) const {
    return Classify(value.type_index) == ValueClass::kMap ? MapOf(value).size()
                                                          : static_cast<uint64_t>(SequenceOf(value).size);
  }
  template <class Fn>
  bool AllItems(const TVMFFIAny& value, Fn fits) const {
    const TVMFFISeqCell& cell = SequenceOf(value);
    for (int64_t i = 0; i < cell.size; ++i) {
      if (!fits(ItemsOf(cell)[i])) return false;
    }
    return true;
  }
  template <class Fn>
  bool AllEntries(const TVMFFIAny& value, Fn fits) const {
    const MapBaseObj& map = MapOf(value);
    for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) {
      if (!fits(*map.KeyAt(pos).raw(), *map.ValueAt(pos).raw())) return false;
    }
    return true;
  }

 private:
  const schema::Schema* schema_;
  int32_t record_type_;
};

/*! \brief Checks values against declared types of one schema. */
class TypeCheck : public TypeRules<ValueModel> {
 public:
  explicit TypeCheck(const schema::Schema* schema) : TypeRules(ValueModel(schema)) {}
};

/*! \brief The checks of one traversal, by schema. */
class TypeChecks {
 public:
  TypeChecks() = default;
  /*! \brief Each is limited as by LimitLooks. */
  explicit TypeChecks(uint64_t file_size) : file_size_(file_size) {}

  TypeCheck& Of(const schema::Schema* schema) {
    const auto [check, is_new] = checks_.try_emplace(schema, schema);
    if (is_new && file_size_.has_value()) check->second.LimitLooks(*file_size_);
    return check->second;
  }

 private:
  std::optional<uint64_t> file_size_;
  std::map<const schema::Schema*, TypeCheck> checks_;
};

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_TYPE_CHECK_H_
