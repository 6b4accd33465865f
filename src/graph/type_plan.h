/*
 * Type plan: a type's fields as a flat list for direct reading, compiled once from the reflection table or a
 * descriptor.
 */
#ifndef TRANSOM_SRC_GRAPH_TYPE_PLAN_H_
#define TRANSOM_SRC_GRAPH_TYPE_PLAN_H_

#include <transom/runtime/any.h>
#include <transom/schema/record.h>
#include <transom/schema/schema.h>

#include <cstdint>
#include <forward_list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph/type_table.h"
#include "graph/value.h"

namespace transom::graph {

using schema::DefRegion;
using schema::Storage;
using schema::StructuralKind;

/*! \brief A field to read: where it lies, how, and what it means in comparison. */
struct FieldPlan {
  uint32_t offset = 0;  // from the object header
  Storage storage = Storage::kAny;
  DefRegion def = DefRegion::kNone;
  bool ignore = false;
  bool has_default = false;            // `default_value` is the declared one
  std::string_view name;               // lives as long as the plan
  TVMFFIFieldGetter getter = nullptr;  // Storage::kGetter
  int32_t static_type = kTVMFFIAny;    // native types: index that the reflection record states
  uint64_t tag = 0;                    // of the name, for digests
  AnyView default_value;
};

/*! \brief A type, ready to be walked. Immutable; shared by all threads. */
struct TypePlan {
  std::string_view key;
  StructuralKind kind = StructuralKind::kNone;
  bool custom_data = false;  // one string of canonical JSON counts in place of the fields: CustomDataOf
  bool hook = false;         // native comparison code that no "compare" describes
  bool plain = false;        // comparison is by the fields of `compare` and has nothing else to ask
  bool only_numbers = false;  // plain, and all fields of `compare` are numbers in the object itself
  bool has_defaults = false;  // some field has
  uint64_t seed = 0;         // of the type key, for digests
  int32_t label_field = -1;
  std::vector<FieldPlan> fields;     // all, ancestors' first
  std::vector<uint32_t> objects;     // offsets of the fields that are references to objects
  std::vector<uint16_t> all;         // 0, 1, 2, ...
  std::vector<uint16_t> structural;  // those that are not ignored
  std::vector<uint16_t> compare;     // the fields that count, in the order of comparison
  int32_t compare_if_field = -1;
  std::string compare_if_type;
  std::vector<uint16_t> compare_then;
  const schema::TypeDescriptor* descriptor = nullptr;  // of records, and of native types that a schema describes
  int32_t type_index = -1;                             // native types

  TRANSOM_API int32_t FindField(std::string_view name) const;
};

/*! \brief Owns what getters and hooks returned, until the traversal ends. */
class Keeper {
 public:
  TVMFFIAny Keep(Any value) {
    kept_.push_front(std::move(value));
    return *kept_.front().raw();
  }
  /*! \brief Text of the string kept last. */
  std::string_view LastText() const { return TextOf(*kept_.front().raw()); }

 private:
  std::forward_list<Any> kept_;  // costs nothing as long as nothing is kept
};

/*!
 * \brief The field's value, borrowed: no reference count changes. Where only the getter can read it, `keeper` owns the
 * value. Throws the getter's error.
 */
inline TVMFFIAny ReadField(const TVMFFIObject* obj, const FieldPlan& field, Keeper& keeper);

/*!
 * \brief Canonical JSON text of an object of a type with custom data: a record's own, else what the type's
 * `__data_to_json__` gives, kept by `keeper`. Throws the hook's error.
 */
TRANSOM_API std::string_view CustomDataOf(const TVMFFIObject* obj, const TypePlan& plan, Keeper& keeper);

/*! \brief What a traversal takes no account of. */
struct LeftOut {
  struct Field {
    std::string type;  // objects of this type and its descendants; "*": all objects
    std::string name;
  };
  std::vector<Field> fields;
  std::vector<std::string> types;  // their objects, and those of their descendants, are all the same

  bool empty() const { return fields.empty() && types.empty(); }
};

/*!
 * \brief Plans for one traversal. A native type's plan is checked against its reflection record at first use here, and
 * compiled again if that has changed, so types may be registered late. Not shared between threads; the compiled plans
 * are, and finding one takes no lock.
 */
class PlanTable {
 public:
  /*! \param rules Schema whose "compare", kinds and labels also hold for native types of the same key; null: none. */
  TRANSOM_API explicit PlanTable(schema::SchemaRef rules = {});
  /*! \param left_out Fields that do not count, besides those that the types' own plans say; and types that are trees
   * without fields. */
  TRANSOM_API PlanTable(schema::SchemaRef rules, LeftOut left_out);
  TRANSOM_API ~PlanTable();
  PlanTable(const PlanTable&) = delete;
  PlanTable& operator=(const PlanTable&) = delete;

  /*! \brief Plan of the object's type. O(1). */
  const TypePlan& Of(const TVMFFIObject* obj) {
    if (const TypePlan* plan = native_.Find(obj->type_index)) return *plan;
    return obj->type_index == record_type_ ? OfRecord(*reinterpret_cast<const RecordObj*>(obj)) : First(obj);
  }

  /*! \brief Plan of a registered type. */
  const TypePlan& OfType(int32_t type_index) {
    const TypePlan* plan = native_.Find(type_index);
    return plan != nullptr ? *plan : Native(type_index);
  }

  /*! \brief Plan of a descriptor's records. */
  TRANSOM_API static const TypePlan& CompileRecord(const schema::TypeDescriptor& descriptor);

 private:
  static const TypePlan& OfRecord(const RecordObj& record) {
    const void* plan = record.descriptor->plan_slot.plan.load(std::memory_order_acquire);
    return plan != nullptr ? *static_cast<const TypePlan*>(plan) : CompileRecord(*record.descriptor);
  }
  TRANSOM_API const TypePlan& Native(int32_t type_index);
  TRANSOM_API const TypePlan& First(const TVMFFIObject* obj);
  const TypePlan& Own(TypePlan plan);
  TypePlan WithoutLeftOut(const TypePlan& from) const;

  int32_t record_type_;  // none, where records have plans of this table's own
  schema::SchemaRef rules_;
  LeftOut left_out_;
  std::unordered_map<const schema::TypeDescriptor*, const TypePlan*> own_records_;
  TypeTable<TypePlan> native_;
  std::vector<std::unique_ptr<const TypePlan>> own_;  // plans with the rules of `rules_`
};

/*! \brief Type key of a value for people and files: "int", "ffi.Array", a record's own key. Lives as long as the type.
 */
TRANSOM_API std::string_view TypeKeyOf(const TVMFFIAny& value);

/*! \brief Value of a type attribute, or null when the type has none. */
TRANSOM_API const TVMFFIAny* AttrOf(int32_t type_index, std::string_view attr);

/*! \brief Index of a registered type, or a negative number. */
TRANSOM_API int32_t RegisteredIndex(std::string_view key);

/*! \brief Whether a registered type is the one of that key or a descendant. */
TRANSOM_API bool DerivesFrom(int32_t type_index, std::string_view type_key);

/*! \brief Whether the value is an object of the type or a descendant, by type key; records through their descriptors.
 */
TRANSOM_API bool IsInstanceOf(const TVMFFIAny& value, std::string_view type_key);

/*! \brief Text that names the object for people (its label field, when that holds a string or an object that has one),
 * or empty. */
TRANSOM_API std::string LabelOf(PlanTable& plans, const TVMFFIAny& value);

[[noreturn]] TRANSOM_API void ThrowGetterError(const FieldPlan& field);

inline TVMFFIAny ReadField(const TVMFFIObject* obj, const FieldPlan& field, Keeper& keeper) {
  const char* p = reinterpret_cast<const char*>(obj) + field.offset;
  // Most fields.
  if (field.storage == Storage::kObject) return ObjectValue(*reinterpret_cast<TVMFFIObject* const*>(p));
  if (field.storage == Storage::kAny) return *reinterpret_cast<const TVMFFIAny*>(p);
  TVMFFIAny v = NoneValue();
  switch (field.storage) {
    case Storage::kNone:
      return v;
    case Storage::kBool:
      v.type_index = kTVMFFIBool;
      v.v_int64 = *reinterpret_cast<const uint8_t*>(p) != 0;
      return v;
    case Storage::kInt64:
      v.type_index = kTVMFFIInt;
      v.v_int64 = *reinterpret_cast<const int64_t*>(p);
      return v;
    case Storage::kFloat64:
      v.type_index = kTVMFFIFloat;
      v.v_float64 = *reinterpret_cast<const double*>(p);
      return v;
    case Storage::kFloat32:
      v.type_index = kTVMFFIFloat;
      v.v_float64 = *reinterpret_cast<const float*>(p);
      return v;
    case Storage::kDataType:
      v.type_index = kTVMFFIDataType;
      std::memcpy(&v.v_dtype, p, sizeof(DLDataType));
      return v;
    case Storage::kDevice:
      v.type_index = kTVMFFIDevice;
      std::memcpy(&v.v_device, p, sizeof(DLDevice));
      return v;
    case Storage::kObject:
    case Storage::kAny:
      break;
    case Storage::kGetter:
      if (field.getter(const_cast<char*>(p), &v) != 0) ThrowGetterError(field);
      return keeper.Keep(Any::FromOwned(v));
  }
  return v;
}

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_TYPE_PLAN_H_
