/*
 * Descriptor of a type: its fields, ancestors and rules of comparison, from whatever source they came.
 */
#ifndef TRANSOM_SCHEMA_DESCRIPTOR_H_
#define TRANSOM_SCHEMA_DESCRIPTOR_H_

#include <transom/export.h>
#include <transom/runtime/any.h>
#include <transom/schema/type_expr.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transom {
namespace schema {

class Schema;

/*! \brief How objects of a type compare structurally; the numbers are those of TVMFFISEqHashKind. */
enum class StructuralKind : uint8_t { kNone = 0, kTree = 1, kFreeVar = 2, kDag = 3, kConstTree = 4, kUnique = 5 };

/*! \brief What a field does to unbound variables below it; the numbers are those of TVMFFIDefRegionKind. */
enum class DefRegion : uint8_t { kNone = 0, kRecursive = 1, kSimple = 2 };

/*! \brief How a value lies in an object's memory. Also how a record stores a field of a declared type. */
enum class Storage : uint8_t {
  kNone,      // no bytes: always None
  kBool,      // 1 byte
  kInt64,     // 8 bytes
  kFloat64,   // 8 bytes
  kDataType,  // 4 bytes
  kDevice,    // 8 bytes
  kObject,    // 8 bytes: an object pointer, NULL is None
  kAny,       // 16 bytes: an owned TVMFFIAny
  kFloat32,   // 4 bytes; native objects only
  kGetter,    // read through the field's getter; native objects only
};

/*! \brief Bytes of a field with that storage (kGetter: 0). */
TRANSOM_API uint32_t StorageSize(Storage storage);

/*! \brief A field of a type. */
struct FieldDescriptor {
  std::string name;
  std::string type_text;
  TypeExpr type;
  bool ignore = false;  // no part in structural comparison
  DefRegion def = DefRegion::kNone;
  bool has_default = false;
  bool default_is_known = false;  // false with has_default: there is one, but not written here
  Any default_value;
  Storage storage = Storage::kAny;  // in a record
  uint32_t offset = 0;              // in a record, from the object header
};

/*!
 * \brief A type as a schema describes it, with the fields of its ancestors resolved. Immutable; owned by its Schema.
 * Reading from many threads is safe.
 */
class TypeDescriptor {
 public:
  std::string key;
  const TypeDescriptor* parent = nullptr;  // null: ffi.Object
  StructuralKind structural = StructuralKind::kNone;
  /*! \brief All fields, ancestors' first. The first `num_inherited` are theirs. */
  std::vector<FieldDescriptor> fields;
  uint32_t num_inherited = 0;
  /*! \brief Indices of the fields that structural comparison looks at, in its order ("compare", else not ignored). */
  std::vector<uint16_t> compare;
  bool has_compare = false;  // "compare" was stated
  /*! \brief compare_if: with an object of type `compare_if_type` (or a descendant's) in field `compare_if_field`
   *  (-1: no such rule), `compare_then` is used instead of `compare`. */
  int32_t compare_if_field = -1;
  std::string compare_if_type;
  std::vector<uint16_t> compare_then;
  int32_t label_field = -1;  // index of the field that names the object for people; -1: none
  bool label_stated = false;
  bool hook = false;           // the library compares this type with code that no "compare" describes
  bool custom_data = false;    // the JSON data is the writer's own, not fields
  uint32_t instance_size = 0;  // bytes of a record, header included
  /*! \brief Offsets of what a record must release: object pointers, and values of 16 bytes. */
  std::vector<uint32_t> owned_objects;
  std::vector<uint32_t> owned_values;
  /*! \brief Position in the schema's preorder; descendants have [order_begin + 1, order_end). */
  uint32_t order_begin = 0;
  uint32_t order_end = 0;
  uint32_t index = 0;  // position in Schema::types()
  /*! \brief 128-bit digest of the descriptor's content, ancestors included: equal digests, same descriptor. */
  uint64_t digest[2] = {0, 0};
  const Schema* schema = nullptr;

  /*! \brief Index of the field, or -1. O(number of fields); `hint` is tried first. */
  TRANSOM_API int32_t FindField(std::string_view name, uint32_t hint = 0) const;
  /*! \brief Whether this is `ancestor` or a descendant of it; both of one schema. O(1). */
  bool IsA(const TypeDescriptor& ancestor) const {
    return ancestor.order_begin <= order_begin && order_begin < ancestor.order_end;
  }

  /*! \brief For the graph layer: the plan compiled for records of this type; released with the descriptor. */
  struct PlanSlot {
    std::atomic<const void*> plan{nullptr};
    std::atomic<void (*)(const void*)> release{nullptr};  // set before the plan
    PlanSlot() = default;
    PlanSlot(PlanSlot&& other) noexcept : plan(other.plan.load()), release(other.release.load()) {}
    ~PlanSlot() {
      if (const void* p = plan.load()) release.load()(p);
    }
  };
  mutable PlanSlot plan_slot;
};

}  // namespace schema
}  // namespace transom
#endif  // TRANSOM_SCHEMA_DESCRIPTOR_H_
