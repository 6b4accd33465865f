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
#include "graph/type_plan.h"
#include "structural/rules/comparable.h"

namespace transom::structural {

/*! \brief How two objects of one type are compared. */
struct EqualPlan {
  enum class Rule : uint8_t {
    kFields,    // field by field
    kConst,     // one object is equal; else field by field
    kOneToOne,  // variables and dag nodes: field by field once, then the pair stands
    kUnique,    // one object
    kData,      // by custom data
    kUnknown,   // refused, or by code of its own
  };
  /*! \brief How a field is read. */
  enum class Read : uint8_t { kObject, kAny, kBool, k4Bytes, k8Bytes, kFloat32, kFloat64, kGetter };
  struct Field {
    uint32_t offset;
    uint16_t index;  // in the plan
    Read read;
    graph::DefRegion def;
  };
  using Fields = std::vector<Field>;

  const graph::TypePlan* plan = nullptr;
  Rule rule = Rule::kUnknown;
  StructuralKind kind = StructuralKind::kNone;
  bool conditional = false;  // `compare_if` says which fields count
  bool only_leaves = false;  // no field can have children, whatever `compare_if` says
  Fields fields;
  Fields fields_then;  // where `compare_if` applies
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
    const auto i = static_cast<uint32_t>(obj->type_index);
    if (i < num_native_ && native_[i] != nullptr) return *native_[i];
    return Find(obj);
  }

  /*! \brief Whether `obj` has the plan of another object. */
  bool IsOf(const EqualPlan& plan, const TVMFFIObject* other, const TVMFFIObject* obj) {
    return obj->type_index == other->type_index && (obj->type_index != record_type_ || &Of(obj) == &plan);
  }

  /*! \brief Whether a type has code of its own for comparison, also where its records are compared without. */
  bool met_hooks() const { return met_hooks_; }

 private:
  const EqualPlan& Find(const TVMFFIObject* obj);
  EqualPlan Compile(const graph::TypePlan& plan);

  graph::PlanTable& plans_;
  const StructuralOptions& options_;
  const Hooks hooks_;
  const int32_t record_type_;
  std::unique_ptr<const EqualPlan*[]> native_;  // by type index
  uint32_t num_native_ = 0;
  graph::PointerMap<const EqualPlan*> of_records_;  // by type plan
  std::deque<EqualPlan> made_;
  bool met_hooks_ = false;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_EQUAL_PLAN_H_
