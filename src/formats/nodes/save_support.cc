#include "formats/nodes/save_support.h"

#include <transom/runtime/error.h>

namespace transom::formats {
namespace {

// As readers decide: native fields by the static type of their record, which the declared type follows.
bool IsInline(const graph::TypePlan& plan, size_t field) {
  if (plan.type_index < 0) return plan.descriptor->fields[field].type.IsInline();
  return IsInlineType(plan.fields[field].static_type);
}

}  // namespace

bool IsInlineType(int32_t static_type_index) {
  switch (static_type_index) {
    case kTVMFFINone:
    case kTVMFFIInt:
    case kTVMFFIBool:
    case kTVMFFIFloat:
    case kTVMFFIDataType:
      return true;
    default:
      return false;
  }
}

void RefuseToSave(const graph::Path& path, const TVMFFIAny& value) {
  TRANSOM_THROW(ValueError) << graph::PathText(path, true) << ": a value of type " << graph::TypeKeyOf(value)
                            << " cannot be saved; replace it, for example by its name, before saving";
}

void RefuseDeviceTensor(const graph::Path& path) {
  TRANSOM_THROW(ValueError) << graph::PathText(path, true)
                            << ": a tensor that is not on the CPU cannot be saved; copy it to the CPU first";
}

bool HasReadableFields(const graph::TypePlan& plan) {
  return plan.type_index < 0 || !plan.fields.empty() || TVMFFIGetTypeInfo(plan.type_index)->metadata != nullptr;
}

std::vector<uint16_t> ReferenceFields(const graph::TypePlan& plan) {
  std::vector<uint16_t> fields;
  for (size_t i = 0; i < plan.fields.size(); ++i) {
    if (!IsInline(plan, i)) fields.push_back(static_cast<uint16_t>(i));
  }
  return fields;
}

std::vector<const schema::TypeDescriptor*> DescribeTypes(const std::vector<const graph::TypePlan*>& plans,
                                                         std::vector<schema::SchemaRef>* keep) {
  std::vector<std::string> native;
  for (const graph::TypePlan* plan : plans) {
    if (plan->type_index >= 0) native.emplace_back(plan->key);
  }
  if (!native.empty()) keep->push_back(schema::Schema::FromRegistry("", native));
  std::vector<const schema::TypeDescriptor*> result;
  for (const graph::TypePlan* plan : plans) {
    result.push_back(plan->type_index < 0 ? plan->descriptor : keep->back()->Find(plan->key));
  }
  return result;
}

}  // namespace transom::formats
