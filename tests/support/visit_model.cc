#include "support/visit_model.h"

#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/schema/record.h>

#include <functional>
#include <map>
#include <set>
#include <utility>

namespace transom::testing {
namespace {

using reflection::AccessPath;
using schema::DefRegion;

struct Child {
  Any value;
  AccessPath path;
  DefRegion region;
};

const void* ObjectOf(const Any& value) { return value.type_index() >= kTVMFFIObject ? value.raw()->v_obj : nullptr; }

bool IsText(const Any& value) { return value.as<String>() != nullptr || value.as<Bytes>() != nullptr; }

const RecordObj* RecordOf(const Any& value) { return AsRecord(*value.raw(), RecordObj::RuntimeTypeIndex()); }

bool IsVariable(const Any& value) {
  const RecordObj* record = RecordOf(value);
  return record != nullptr && record->descriptor->structural == schema::StructuralKind::kFreeVar;
}

DefRegion Inside(DefRegion region, const RecordObj& record, const schema::FieldDescriptor& field) {
  if (region == DefRegion::kRecursive) return region;
  if (field.def != DefRegion::kNone) return field.def;
  return record.descriptor->structural == schema::StructuralKind::kFreeVar ? DefRegion::kNone : region;
}

template <class Seq>
void AddItems(const Seq& items, const AccessPath& path, DefRegion region, std::vector<Child>* out) {
  int64_t i = 0;
  for (const Any& item : items) out->push_back({item, path->ArrayItem(i++), region});
}

template <class M>
void AddEntries(const M& map, const AccessPath& path, DefRegion region, std::vector<Child>* out) {
  for (const auto& [key, value] : map) {
    out->push_back({key, path->MapItem(key), region});
    out->push_back({value, path->MapItem(key), region});
  }
}

std::vector<Child> ChildrenOf(const Any& value, const AccessPath& path, DefRegion region, bool ignored_fields) {
  std::vector<Child> children;
  if (const auto* array = value.as<Array<Any>>()) AddItems(*array, path, region, &children);
  if (const auto* list = value.as<List<Any>>()) AddItems(*list, path, region, &children);
  if (const auto* map = value.as<Map<Any, Any>>()) AddEntries(*map, path, region, &children);
  if (const auto* dict = value.as<Dict<Any, Any>>()) AddEntries(*dict, path, region, &children);
  if (const RecordObj* record = RecordOf(value); record != nullptr && !record->descriptor->custom_data) {
    for (uint32_t i = 0; i < record->descriptor->fields.size(); ++i) {
      const schema::FieldDescriptor& field = record->descriptor->fields[i];
      if (field.ignore && !ignored_fields) continue;
      children.push_back({Any(record->Get(i)), path->Attr(String(field.name)), Inside(region, *record, field)});
    }
  }
  return children;
}

class Model {
 public:
  explicit Model(const VisitOptions& options) : options_(options) {}

  std::vector<std::string> Run(const Any& root) {
    if (!options_.every_place) FindDefinitions(root, DefRegion::kNone);
    Visit({root, AccessPath::Root(), DefRegion::kNone});
    return std::move(lines_);
  }

 private:
  // By comparison's rules: fields that it looks at, and keys of maps that pair by their fields.
  void FindDefinitions(const Any& value, DefRegion region) {
    const void* object = ObjectOf(value);
    if (object == nullptr || !seen_.insert({object, region}).second) return;
    if (IsVariable(value) && region != DefRegion::kNone) Define(object, region);
    if (const auto* map = value.as<Map<Any, Any>>()) DefineKeys(*map);
    if (const auto* dict = value.as<Dict<Any, Any>>()) DefineKeys(*dict);
    for (const Child& child : ChildrenOf(value, AccessPath::Root(), region, false)) {
      if (Counts(value, child)) FindDefinitions(child.value, child.region);
    }
  }
  template <class M>
  void DefineKeys(const M& map) {
    for (const auto& [key, value] : map) {
      if (IsVariable(key) && RecordOf(key)->descriptor->has_compare) Define(ObjectOf(key), DefRegion::kSimple);
    }
  }
  void Define(const void* variable, DefRegion region) {
    DefRegion& known = definitions_[variable];
    if (known != DefRegion::kRecursive) known = region;
  }
  static bool Counts(const Any& parent, const Child& child) {
    const RecordObj* record = RecordOf(parent);
    if (record == nullptr) return true;
    const auto name = std::string(child.path->step->get()->key.cast<String>());
    const schema::TypeDescriptor& type = *record->descriptor;
    const bool other = type.compare_if_field >= 0 &&
                       IsA(Any(record->Get(static_cast<uint32_t>(type.compare_if_field))), type.compare_if_type);
    for (const uint16_t i : other ? type.compare_then : type.compare) {
      if (type.fields[i].name == name) return true;
    }
    return false;
  }
  static bool IsA(const Any& value, const std::string& key) {
    const RecordObj* record = RecordOf(value);
    for (auto* type = record != nullptr ? record->descriptor : nullptr; type != nullptr; type = type->parent) {
      if (type->key == key) return true;
    }
    return false;
  }

  void Visit(const Child& place) {
    const Any& value = place.value;
    if (value == nullptr) return;
    const void* object = ObjectOf(value);
    if (!options_.every_place && object != nullptr && !IsText(value) && !visited_.insert(object).second) return;
    DefRegion region = place.region;
    if (IsVariable(value) && region == DefRegion::kNone && definitions_.count(object) != 0) {
      region = definitions_[object];
    }
    Line("pre", value, place.path, region);
    for (const Child& child : ChildrenOf(value, place.path, region, options_.ignored_fields)) Visit(child);
    Line("post", value, place.path, region);
  }

  void Line(const char* when, const Any& value, const AccessPath& path, DefRegion region) {
    class Known final : public WalkPlace::Source {
     public:
      explicit Known(const AccessPath& path) : path_(path) {}
      AccessPath CurrentAccessPath() const override { return path_; }
      std::string CurrentPathText() const override { return path_.ToString(); }

     private:
      const AccessPath& path_;
    } source(path);
    lines_.push_back(VisitLine(when, value, WalkPlace(region, &source)));
  }

  const VisitOptions& options_;
  std::set<std::pair<const void*, DefRegion>> seen_;
  std::map<const void*, DefRegion> definitions_;
  std::set<const void*> visited_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string VisitLine(const char* when, const Any& value, const WalkPlace& place) {
  const RecordObj* record = RecordOf(value);
  return std::string(when) + " " + (record != nullptr ? record->descriptor->key : value.GetTypeKey()) + " " +
         place.path().ToString() + " " + std::to_string(static_cast<int>(place.region()));
}

std::vector<std::string> ModelVisit(const Any& root, const VisitOptions& options) { return Model(options).Run(root); }

std::vector<std::string> LibraryVisit(const Any& root, const VisitOptions& options) {
  std::vector<std::string> lines;
  StructuralVisit visit(options);
  visit.Pre<Any>([&](const Any& value, const WalkPlace& place) { lines.push_back(VisitLine("pre", value, place)); });
  visit.Post<Any>([&](const Any& value, const WalkPlace& place) { lines.push_back(VisitLine("post", value, place)); });
  visit(root);
  return lines;
}

}  // namespace transom::testing
