#include "formats/nodes/references.h"

#include <transom/runtime/error.h>

#include "formats/nodes/patch_script.h"
#include "graph/path.h"
#include "structural/rules/nan_keys.h"
#include "structural/rules/places.h"

namespace transom::formats {

using graph::Classify;
using graph::ValueClass;

Any References::Resolve(size_t node, const std::vector<TVMFFIAny>& elements) {
  if (elements.empty()) return Any(AnyView::FromRaw(old_root_));
  if (elements.size() % 2 == 0) {
    Misfit(node, "has " + std::to_string(elements.size()) +
                     " elements, where an object, and a kind and key for each step are expected");
  }
  TVMFFIAny value = elements[0];
  for (size_t i = 1; i < elements.size(); i += 2) value = Step(node, value, elements[i], elements[i + 1]);
  return Any(AnyView::FromRaw(value));
}

TVMFFIAny References::Step(size_t node, const TVMFFIAny& holder, const TVMFFIAny& kind, const TVMFFIAny& key) {
  const int64_t number = kind.type_index == kTVMFFIInt ? kind.v_int64 : -1;
  switch (number) {
    case static_cast<int64_t>(ReferenceKind::kField):
      return Field(node, holder, key);
    case static_cast<int64_t>(ReferenceKind::kItem):
      return Item(node, holder, key);
    case static_cast<int64_t>(ReferenceKind::kValue):
      return Value(node, holder, key);
    case static_cast<int64_t>(ReferenceKind::kKey):
      return Key(node, holder, key);
    default:
      Misfit(node, "has " + (number < 0 ? std::string(graph::TypeKeyOf(kind)) : std::to_string(number)) +
                       " as the kind of a step; 0, 1, 2 and 6 are known");
  }
}

TVMFFIAny References::Field(size_t node, const TVMFFIAny& holder, const TVMFFIAny& name) {
  const bool fits =
      Classify(holder.type_index) == ValueClass::kObject && Classify(name.type_index) == ValueClass::kString;
  const graph::TypePlan* plan = fits ? &plans_.Of(holder.v_obj) : nullptr;
  const int32_t i = fits && !plan->custom_data ? plan->FindField(graph::TextOf(name)) : -1;
  if (i < 0) {
    const bool named = Classify(name.type_index) == ValueClass::kString;
    Misfit(node, "leads to the field " +
                     (named ? graph::Quoted(graph::TextOf(name)) : std::string(graph::TypeKeyOf(name))) + " of " +
                     std::string(graph::TypeKeyOf(holder)) + ", which has none of that name");
  }
  return graph::ReadField(holder.v_obj, plan->fields[static_cast<size_t>(i)], keeper_);
}

TVMFFIAny References::Item(size_t node, const TVMFFIAny& holder, const TVMFFIAny& index) {
  const bool is_sequence = Classify(holder.type_index) == ValueClass::kSequence;
  const int64_t size = is_sequence ? graph::SequenceOf(holder).size : 0;
  const int64_t i = index.type_index == kTVMFFIInt ? index.v_int64 : -1;
  if (i < 0 || i >= size) {
    Misfit(node, "leads to element " + std::to_string(i) + " of " +
                     (is_sequence ? "a sequence of " + std::to_string(size) : std::string(graph::TypeKeyOf(holder))));
  }
  return graph::ItemsOf(graph::SequenceOf(holder))[i];
}

TVMFFIAny References::Value(size_t node, const TVMFFIAny& holder, const TVMFFIAny& key) {
  const bool is_map = Classify(holder.type_index) == ValueClass::kMap;
  const Any* value = is_map ? structural::FindEntry(graph::MapOf(holder), key) : nullptr;
  if (value == nullptr) {
    Misfit(node, "leads to the entry " + graph::ShortKeyText(plans_, key, 0) + " of " +
                     (is_map ? "a map that has no such key" : std::string(graph::TypeKeyOf(holder))));
  }
  return *value->raw();
}

TVMFFIAny References::Key(size_t node, const TVMFFIAny& holder, const TVMFFIAny& place) {
  const bool is_map = Classify(holder.type_index) == ValueClass::kMap;
  const size_t size = is_map ? graph::MapOf(holder).size() : 0;
  const int64_t i = place.type_index == kTVMFFIInt ? place.v_int64 : -1;
  if (i < 0 || static_cast<size_t>(i) >= size) {
    Misfit(node, "leads to the key at place " + std::to_string(i) + " of " +
                     (is_map ? "a map of " + std::to_string(size) : std::string(graph::TypeKeyOf(holder))));
  }
  std::vector<TVMFFIAny>& keys = keys_[holder.v_obj];
  if (keys.empty()) {
    const MapBaseObj& map = graph::MapOf(holder);
    for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos))
      keys.push_back(*map.KeyAt(pos).raw());
  }
  return keys[static_cast<size_t>(i)];
}

void References::Misfit(size_t node, const std::string& what) {
  TRANSOM_THROW(PatchError) << "node " << node << " (" << kReferenceKey << ") of the patch " << what;
}

}  // namespace transom::formats
