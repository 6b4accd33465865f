// A schema of some types of other schemas.
#include <transom/runtime/error.h>

#include <map>

#include "schema/builder.h"

namespace transom::schema {
namespace {

// Collects types with everything that they name, each key once.
class Selection {
 public:
  void Add(const TypeDescriptor& type) {
    Enter(&type);
    while (!to_follow_.empty()) {
      const TypeDescriptor* next = to_follow_.back();
      to_follow_.pop_back();
      Enter(next->parent);
      for (size_t i = next->num_inherited; i < next->fields.size(); ++i) FollowNames(*next, next->fields[i].type);
      if (next->compare_if_field >= 0) Enter(next->schema->Find(next->compare_if_type));
    }
  }
  // In order of the keys: equal sets of types give equal texts.
  const std::map<std::string_view, const TypeDescriptor*>& types() const { return types_; }

 private:
  void Enter(const TypeDescriptor* type) {
    if (type == nullptr) return;
    auto [it, is_new] = types_.emplace(type->key, type);
    if (is_new) return to_follow_.push_back(type);
    const TypeDescriptor& other = *it->second;
    if (other.digest[0] == type->digest[0] && other.digest[1] == type->digest[1]) return;
    TRANSOM_THROW(ValueError) << "one schema cannot hold two descriptions of the type " << Quote(type->key) << ": "
                              << other.schema->source() << " and " << type->schema->source() << " differ in it";
  }
  void FollowNames(const TypeDescriptor& owner, const TypeExpr& type) {
    if (type.kind == TypeKind::kNamed) Enter(owner.schema->Find(type.name));
    for (const TypeExpr& arg : type.args) FollowNames(owner, arg);
  }

  std::map<std::string_view, const TypeDescriptor*> types_;
  std::vector<const TypeDescriptor*> to_follow_;
};

}  // namespace

SchemaRef Schema::Select(std::string_view name, const std::vector<const TypeDescriptor*>& types) {
  Selection selection;
  for (const TypeDescriptor* type : types) selection.Add(*type);
  SchemaSpec spec;
  spec.name = std::string(name);
  spec.origin.source = name;
  spec.types.reserve(selection.types().size());
  for (const auto& entry : selection.types()) spec.types.push_back(SpecOf(*entry.second));
  return SchemaBuilder::Build(spec);
}

}  // namespace transom::schema
