#include "structural/equality/equal_plan.h"

#include <algorithm>

namespace transom::structural {
namespace {

using graph::FieldPlan;
using graph::Storage;
using graph::TypePlan;
using Read = EqualPlan::Read;
using Rule = EqualPlan::Rule;

Read ReadOf(Storage storage) {
  switch (storage) {
    case Storage::kObject:
      return Read::kObject;
    case Storage::kAny:
      return Read::kAny;
    case Storage::kBool:
      return Read::kBool;
    case Storage::kDataType:
      return Read::k4Bytes;
    case Storage::kInt64:
    case Storage::kDevice:
      return Read::k8Bytes;
    case Storage::kFloat32:
      return Read::kFloat32;
    case Storage::kFloat64:
      return Read::kFloat64;
    default:
      return Read::kGetter;
  }
}

EqualPlan::Fields FieldsOf(const TypePlan& plan, const std::vector<uint16_t>& counted) {
  EqualPlan::Fields fields;
  fields.reserve(counted.size());
  for (const uint16_t i : counted) {
    const FieldPlan& field = plan.fields[i];
    if (field.storage != Storage::kNone) fields.push_back({field.offset, i, ReadOf(field.storage), field.def});
  }
  fields.push_back({0, 0, Read::kEnd, graph::DefRegion::kNone});
  return fields;
}

bool IsLeaf(const EqualPlan::Field& field) {
  return field.read != Read::kObject && field.read != Read::kAny && field.read != Read::kGetter;
}

Rule RuleOf(StructuralKind kind) {
  switch (kind) {
    case StructuralKind::kNone:
      return Rule::kUnknown;
    case StructuralKind::kUnique:
      return Rule::kUnique;
    case StructuralKind::kConstTree:
      return Rule::kConst;
    case StructuralKind::kFreeVar:
    case StructuralKind::kDag:
      return Rule::kOneToOne;
    default:
      return Rule::kFields;
  }
}

}  // namespace

const EqualPlan& EqualPlans::FindRecord(const TVMFFIObject* obj) {
  const TypePlan& plan = plans_.Of(obj);
  const EqualPlan*& known = *of_records_.Insert(&plan).first;
  if (known == nullptr) known = &made_.emplace_back(Compile(plan));
  return *known;
}

const EqualPlan& EqualPlans::Find(const TVMFFIObject* obj) {
  const graph::ValueClass cls = graph::Classify(obj->type_index);
  const EqualPlan& plan =
      made_.emplace_back(cls == graph::ValueClass::kObject ? Compile(plans_.Of(obj)) : OfClass(cls));
  native_.Set(obj->type_index, &plan);
  return plan;
}

EqualPlan EqualPlans::OfClass(graph::ValueClass cls) {
  EqualPlan result;
  result.rule = cls == graph::ValueClass::kSequence ? Rule::kSequence
                : cls == graph::ValueClass::kMap    ? Rule::kMap
                                                    : Rule::kLeaf;
  return result;
}

EqualPlan EqualPlans::Compile(const TypePlan& plan) {
  EqualPlan result;
  result.plan = &plan;
  met_hooks_ |= plan.hook;
  if (ComparesByHook(plan)) return result;
  const StructuralKind kind = EffectiveKind(plan, options_);
  result.is_variable = kind == StructuralKind::kFreeVar;
  result.rule = RuleOf(kind);
  if (plan.custom_data && hooks_ == Hooks::kRefuse && result.rule != Rule::kUnknown) result.rule = Rule::kData;
  result.fields = FieldsOf(plan, plan.compare);
  result.conditional = plan.compare_if_field >= 0;
  if (result.conditional) result.fields_then = FieldsOf(plan, plan.compare_then);
  result.only_leaves = std::all_of(result.fields.begin(), result.fields.end(), &IsLeaf) &&
                       std::all_of(result.fields_then.begin(), result.fields_then.end(), &IsLeaf);
  for (const EqualPlan::Field& field : result.fields) {
    if (field.read == Read::kObject) result.objects.push_back(field.offset);
  }
  return result;
}

}  // namespace transom::structural
