// A schema of some types of other schemas.
#include <transom/runtime/error.h>

#include <map>
#include <utility>

#include "schema/builder.h"

namespace transom::schema {
namespace {

// Collects types with everything that they name, each key once.
class Selection {
 public:
  // Adds a type. False, and nothing is added, when a key has another description here; `conflict` is that pair then.
  bool Add(const TypeDescriptor& type) {
    added_.clear();
    bool fits = Enter(&type);
    for (size_t i = 0; fits && i < added_.size(); ++i) fits = Follow(*added_[i]);
    if (!fits) {
      for (const TypeDescriptor* t : added_) types_.erase(t->key);
    }
    return fits;
  }
  // In order of the keys: equal sets of types give equal texts.
  const std::map<std::string_view, const TypeDescriptor*>& types() const { return types_; }
  std::pair<const TypeDescriptor*, const TypeDescriptor*> conflict() const { return conflict_; }

 private:
  bool Enter(const TypeDescriptor* type) {
    if (type == nullptr) return true;
    auto [it, is_new] = types_.emplace(type->key, type);
    if (is_new) {
      added_.push_back(type);
      return true;
    }
    if (SameDescription(*it->second, *type)) return true;
    conflict_ = {it->second, type};
    return false;
  }
  bool Follow(const TypeDescriptor& type) {
    if (!Enter(type.parent)) return false;
    for (size_t i = type.num_inherited; i < type.fields.size(); ++i) {
      if (!FollowNames(type, type.fields[i].type)) return false;
    }
    return type.compare_if_field < 0 || Enter(type.schema->Find(type.compare_if_type));
  }
  bool FollowNames(const TypeDescriptor& owner, const TypeExpr& type) {
    if (type.kind == TypeKind::kNamed && !Enter(owner.schema->Find(type.name))) return false;
    for (const TypeExpr& arg : type.args) {
      if (!FollowNames(owner, arg)) return false;
    }
    return true;
  }

  std::map<std::string_view, const TypeDescriptor*> types_;
  std::vector<const TypeDescriptor*> added_;  // by the last Add, those whose names were followed first
  std::pair<const TypeDescriptor*, const TypeDescriptor*> conflict_;
};

}  // namespace

SchemaRef Schema::Select(std::string_view name, const std::vector<const TypeDescriptor*>& types) {
  Selection selection;
  for (const TypeDescriptor* type : types) {
    if (selection.Add(*type)) continue;
    const auto [one, other] = selection.conflict();
    TRANSOM_THROW(ValueError) << "one schema cannot hold two descriptions of the type " << Quote(one->key) << ": "
                              << one->schema->source() << " and " << other->schema->source() << " differ in it; a .tsm file can hold both";
  }
  SchemaSpec spec;
  spec.name = std::string(name);
  spec.origin.source = name;
  spec.types.reserve(selection.types().size());
  for (const auto& entry : selection.types()) spec.types.push_back(SpecOf(*entry.second));
  return SchemaBuilder::Build(spec);
}

std::vector<std::vector<const TypeDescriptor*>> PartitionTypes(const std::vector<const TypeDescriptor*>& types) {
  std::vector<std::vector<const TypeDescriptor*>> result;
  std::vector<const TypeDescriptor*> left = types;
  while (!left.empty()) {
    Selection selection;
    std::vector<const TypeDescriptor*> next;
    for (const TypeDescriptor* type : left) {
      if (!selection.Add(*type)) next.push_back(type);
    }
    left = std::move(next);
    std::vector<const TypeDescriptor*>& part = result.emplace_back();
    for (const auto& entry : selection.types()) part.push_back(entry.second);
  }
  return result;
}

}  // namespace transom::schema
