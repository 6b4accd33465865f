#include "structural/visit/type_dispatch.h"

#include <transom/schema/record.h>

#include <algorithm>

#include "graph/type_plan.h"
#include "graph/value.h"

namespace transom::structural {
namespace {

// Small strings and bytes are told from heap ones by their index alone.
int32_t WithoutSmallForms(int32_t type_index) {
  switch (type_index) {
    case kTVMFFISmallStr:
      return kTVMFFIStr;
    case kTVMFFISmallBytes:
      return kTVMFFIBytes;
    default:
      return type_index;
  }
}

bool DerivesFromIndex(int32_t type_index, int32_t ancestor) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
  return std::any_of(info->type_ancestors, info->type_ancestors + info->type_depth,
                     [&](const TVMFFITypeInfo* t) { return t->type_index == ancestor; });
}

bool IsOfIndex(const TVMFFIAny& value, int32_t type_index) {
  if (type_index == kTVMFFIAny || WithoutSmallForms(value.type_index) == type_index) return true;
  return graph::IsObject(value) && DerivesFromIndex(value.type_index, type_index);
}

bool IsOfKey(const TVMFFIAny& value, std::string_view type_key) {
  return graph::IsObject(value) ? graph::IsInstanceOf(value, type_key) : graph::TypeKeyOf(value) == type_key;
}

}  // namespace

int32_t TypeDispatch::Search(const TVMFFIAny& value) const {
  for (size_t i = 0; i < rules_.size(); ++i) {
    const Rule& rule = rules_[i];
    if (rule.type_index == kByKey ? IsOfKey(value, rule.type_key) : IsOfIndex(value, rule.type_index)) {
      return static_cast<int32_t>(i);
    }
  }
  return -1;
}

int32_t TypeDispatch::Find(const TVMFFIAny& value) {
  if (rules_.empty()) return -1;
  if (const RecordObj* record = AsRecord(value, RecordObj::RuntimeTypeIndex())) {
    const auto [found, is_new] = of_descriptor_.Insert(record->descriptor);
    if (is_new) *found = Search(value) + 1;
    return *found - 1;
  }
  const auto i = static_cast<size_t>(value.type_index);
  if (of_index_.size() <= i) of_index_.resize(i + 1, kNotAsked);
  if (of_index_[i] == kNotAsked) of_index_[i] = Search(value);
  return of_index_[i];
}

}  // namespace transom::structural
