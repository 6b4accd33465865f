/*
 * What equality of two objects of one type takes: its counted fields as a few bytes each, in order.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_EQUAL_PLAN_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_EQUAL_PLAN_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "graph/pointer_map.h"
#include "graph/recent_results.h"
#include "graph/type_plan.h"
#include "graph/type_table.h"
#include "structural/rules/comparable.h"

namespace transom::structural {

/*! \brief How two objects of one type are compared: everything on the heap is such an object. */
struct EqualPlan {
  enum class Rule : uint8_t {
    kFields,    // field by field
    kOneToOne,  // variables and dag nodes: field by field once, then the pair stands
    kConst,     // one object is equal; else field by field
    kUnique,    // one object
    kData,      // by custom data
    kUnknown,   // refused, or by code of its own
    kSequence,
    kMap,
    kLeaf,  // built-in types without children
  };
  /*! \brief How a field is read; kEnd comes after the last one. */
  enum class Read : uint8_t { kObject, kAny, k8Bytes, k4Bytes, kBool, kFloat32, kFloat64, kGetter, kEnd };
  struct Field {
    uint32_t offset;
    uint16_t index;  // in the plan
    Read read;
    graph::DefRegion def;
  };
  using Fields = std::vector<Field>;

  Rule rule = Rule::kUnknown;
  bool is_variable = false;
  bool conditional = false;  // `compare_if` says which fields count
  bool only_leaves = false;  // no field can have children, whatever `compare_if` says
  Fields fields;
  std::vector<uint32_t> objects;          // offsets of the fields that refer to objects, for prefetching
  Fields fields_then;                     // where `compare_if` applies
  const graph::TypePlan* plan = nullptr;  // none: built-in types
};

/*! \brief EqualPlans of one comparison, made at the first object of each type. */
class EqualPlans {
 public:
  /*! \param hooks What becomes of types with code of their own: kRefuse has rule kUnknown and lets custom data count,
   * as the library's own comparison does; kRun has it too, but compares custom data by fields, as the C contract does.
   */
  EqualPlans(graph::PlanTable& plans, const StructuralOptions& options, Hooks hooks)
      : plans_(plans), options_(options), hooks_(hooks), record_type_(RecordObj::RuntimeTypeIndex()) {}

  const EqualPlan& Of(const TVMFFIObject* obj) {
    if (const EqualPlan* plan = native_.Find(obj->type_index)) return *plan;
    return obj->type_index == record_type_ ? OfRecord(obj) : Find(obj);
  }

  /*! \brief Whether `obj` has the plan of another object. */
  bool IsOf(const EqualPlan& plan, const TVMFFIObject* other, const TVMFFIObject* obj) {
    return obj->type_index == other->type_index && (obj->type_index != record_type_ || &OfRecord(obj) == &plan);
  }

  /*! \brief Whether a type has code of its own for comparison, also where its records are compared without. */
  bool met_hooks() const { return met_hooks_; }

 private:
  const EqualPlan& OfRecord(const TVMFFIObject* obj) {
    const void* descriptor = reinterpret_cast<const RecordObj*>(obj)->descriptor;
    if (const EqualPlan* const* known = recent_.Find(descriptor)) return **known;
    const EqualPlan& plan = FindRecord(obj);
    recent_.Add(descriptor, &plan);
    return plan;
  }
  const EqualPlan& Find(const TVMFFIObject* obj);
  const EqualPlan& FindRecord(const TVMFFIObject* obj);
  static EqualPlan OfClass(graph::ValueClass cls);
  EqualPlan Compile(const graph::TypePlan& plan);

  graph::PlanTable& plans_;
  const StructuralOptions& options_;
  const Hooks hooks_;
  const int32_t record_type_;
  graph::TypeTable<EqualPlan> native_;
  graph::RecentResults<const EqualPlan*, 64> recent_;  // by descriptor
  graph::PointerMap<const EqualPlan*> of_records_;     // by type plan
  std::deque<EqualPlan> made_;
  bool met_hooks_ = false;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_EQUAL_PLAN_H_
