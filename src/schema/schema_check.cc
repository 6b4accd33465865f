// Checks the statements of a schema and makes it.
#include <transom/runtime/error.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "schema/builder.h"

namespace transom::schema {
namespace {

constexpr std::string_view kRootKey = "ffi.Object";
constexpr size_t kMaxFields = std::numeric_limits<uint16_t>::max();

// Memory that a field takes in each type that has it, in units of a field with short texts.
size_t CostOf(const FieldSpec& field) { return 1 + (field.name.size() + field.type.size()) / 32; }

// The type that declares field `index` of `type`.
const TypeDescriptor& DeclarerOf(const TypeDescriptor& type, uint32_t index) {
  const TypeDescriptor* declarer = &type;
  while (index < declarer->num_inherited) declarer = declarer->parent;
  return *declarer;
}

void ResolveNames(const Schema& schema, TypeExpr* type) {
  if (type->kind == TypeKind::kNamed) {
    if (const TypeDescriptor* found = schema.Find(type->name)) {
      type->order_begin = found->order_begin;
      type->order_end = found->order_end;
    }
  }
  for (TypeExpr& arg : type->args) ResolveNames(schema, &arg);
}

bool IsObjectStorage(Storage storage) { return storage == Storage::kObject || storage == Storage::kAny; }

}  // namespace

SchemaRef SchemaBuilder::Build(const SchemaSpec& spec) {
  SchemaBuilder builder(spec);
  builder.result_ = new Schema();
  builder.schema_ = SchemaRef(builder.result_);
  builder.result_->name_ = spec.name;
  builder.result_->source_ = std::string(spec.origin.source);
  builder.result_->match_ = spec.match;
  builder.AddTypes();
  builder.LinkParents();
  builder.CheckParentCycles();
  builder.NumberPreorder();
  builder.MarkEnums();
  builder.ParseFieldTypes();
  builder.CheckTotalSize();
  for (uint32_t index : builder.preorder_) {
    builder.AddFields(index);
    builder.CheckUniqueNames(index);
    builder.SetRules(index);
    LayOut(builder.types_[index]);
    SetDigest(builder.types_[index]);
  }
  return std::move(builder.schema_);
}

void SchemaBuilder::Fail(const TypeSpec& type, std::string_view where, const std::string& problem) const {
  TRANSOM_THROW(ValueError) << spec_.origin.Prefix(where) << "type " << Quote(type.key) << ": " << problem;
}

void SchemaBuilder::Fail(const TypeSpec& type, const FieldSpec& field, std::string_view where,
                         const std::string& problem) const {
  TRANSOM_THROW(ValueError) << spec_.origin.Prefix(where) << "type " << Quote(type.key) << ", field "
                            << Quote(field.name) << ": " << problem;
}

void SchemaBuilder::AddTypes() {
  result_->types_.reserve(spec_.types.size());
  result_->by_key_.reserve(spec_.types.size());
  for (const TypeSpec& type : spec_.types) {
    if (type.key.empty()) Fail(type, type.key, "a type key cannot be empty");
    if (IsReservedTypeKey(type.key)) Fail(type, type.key, "this type is built in and cannot be described");
    auto& added = result_->types_.emplace_back(std::make_unique<TypeDescriptor>());
    added->key = std::string(type.key);
    added->schema = result_;
    added->index = static_cast<uint32_t>(types_.size());
    added->structural = type.structural;
    added->hook = type.hook;
    added->custom_data = type.custom_data;
    if (!result_->by_key_.emplace(added->key, added.get()).second) Fail(type, type.key, "described twice");
    types_.push_back(added.get());
  }
}

void SchemaBuilder::LinkParents() {
  for (size_t i = 0; i < types_.size(); ++i) {
    const TypeSpec& type = spec_.types[i];
    if (type.parent.empty() || type.parent == kRootKey) continue;
    types_[i]->parent = result_->Find(type.parent);
    if (types_[i]->parent == nullptr) {
      Fail(type, type.parent, "its parent " + Quote(type.parent) + " is not in the schema");
    }
  }
}

void SchemaBuilder::CheckParentCycles() const {
  enum : uint8_t { kNew, kOnPath, kDone };
  std::vector<uint8_t> state(types_.size(), kNew);
  std::vector<const TypeDescriptor*> path;
  for (const TypeDescriptor* start : types_) {
    path.clear();
    const TypeDescriptor* type = start;
    for (; type != nullptr && state[type->index] == kNew; type = type->parent) {
      state[type->index] = kOnPath;
      path.push_back(type);
    }
    if (type != nullptr && state[type->index] == kOnPath) {
      constexpr size_t kMaxListed = 8;
      std::string chain;
      size_t listed = 0;
      for (auto it = std::find(path.begin(), path.end(), type); it != path.end() && listed < kMaxListed;
           ++it, ++listed) {
        chain += Quote((*it)->key) + " -> ";
      }
      if (listed == kMaxListed) chain += "... -> ";
      const TypeSpec& spec = spec_.types[type->index];
      Fail(spec, spec.parent, "its parents form a cycle: " + chain + Quote(type->key));
    }
    for (const TypeDescriptor* done : path) state[done->index] = kDone;
  }
}

// Members of an enumeration are written by name or number, never by their fields.
void SchemaBuilder::MarkEnums() {
  std::vector<uint8_t> is_enum(types_.size(), 0);
  for (uint32_t index : preorder_) {
    TypeDescriptor& type = *types_[index];
    const bool is_root = type.key == "ffi.Enum" || type.key == "ffi.IntEnum" || type.key == "ffi.StrEnum";
    is_enum[index] = is_root || (type.parent != nullptr && is_enum[type.parent->index] != 0);
    if (is_enum[index] != 0) type.custom_data = true;
  }
}

void SchemaBuilder::NumberPreorder() {
  // Children as linked lists, so that no type has a vector of its own.
  constexpr uint32_t kNil = std::numeric_limits<uint32_t>::max();
  std::vector<uint32_t> first_child(types_.size(), kNil);
  std::vector<uint32_t> next_sibling(types_.size(), kNil);
  uint32_t first_root = kNil;
  for (uint32_t i = static_cast<uint32_t>(types_.size()); i-- > 0;) {
    uint32_t* list = types_[i]->parent != nullptr ? &first_child[types_[i]->parent->index] : &first_root;
    next_sibling[i] = std::exchange(*list, i);
  }
  preorder_.reserve(types_.size());
  std::vector<uint32_t> stack;
  if (first_root != kNil) stack.push_back(first_root);
  while (!stack.empty()) {
    uint32_t index = stack.back();
    stack.pop_back();
    types_[index]->order_begin = static_cast<uint32_t>(preorder_.size());
    types_[index]->order_end = types_[index]->order_begin + 1;
    preorder_.push_back(index);
    if (next_sibling[index] != kNil) stack.push_back(next_sibling[index]);
    if (first_child[index] != kNil) stack.push_back(first_child[index]);
  }
  for (auto it = preorder_.rbegin(); it != preorder_.rend(); ++it) {
    const TypeDescriptor& type = *types_[*it];
    if (type.parent == nullptr) continue;
    TypeDescriptor* parent = types_[type.parent->index];
    parent->order_end = std::max(parent->order_end, type.order_end);
  }
}

void SchemaBuilder::ParseFieldTypes() {
  for (const TypeSpec& type : spec_.types) {
    for (const FieldSpec& field : type.fields) {
      try {
        field_types_.Add(field.type);
      } catch (const Error& error) {
        Fail(type, field, field.type, std::string(error.message()));
      }
    }
  }
  result_->num_type_exprs_ = field_types_.num_ids();
  field_types_.ForEach([&](TypeExpr& type) { ResolveNames(*result_, &type); });
}

void SchemaBuilder::CheckTotalSize() const {
  // Every type holds the fields of its ancestors, so a long chain of types could take the square of the text's size.
  constexpr uint64_t kAlwaysAllowed = uint64_t{1} << 18;
  constexpr uint64_t kAllowedFactor = 16;
  std::vector<uint64_t> cost(types_.size());
  uint64_t own = types_.size();
  uint64_t total = 0;
  for (uint32_t index : preorder_) {
    for (const FieldSpec& field : spec_.types[index].fields) cost[index] += CostOf(field);
    own += cost[index];
    if (types_[index]->parent != nullptr) cost[index] += cost[types_[index]->parent->index];
    total += cost[index];
  }
  if (total > std::max(kAlwaysAllowed, kAllowedFactor * own)) {
    TRANSOM_THROW(ValueError) << spec_.origin.Prefix() << "the types inherit too many fields: expected at most "
                              << kAllowedFactor << " times those that are stated, found " << total << " for " << own;
  }
}

void SchemaBuilder::AddFields(uint32_t index) {
  const TypeSpec& type = spec_.types[index];
  TypeDescriptor* out = types_[index];
  size_t inherited = out->parent != nullptr ? out->parent->fields.size() : 0;
  if (inherited + type.fields.size() > kMaxFields) {
    Fail(type, type.key,
         "expected at most " + std::to_string(kMaxFields) + " fields, found " +
             std::to_string(inherited + type.fields.size()));
  }
  out->fields.reserve(inherited + type.fields.size());
  if (inherited != 0) out->fields = out->parent->fields;
  out->num_inherited = static_cast<uint32_t>(inherited);
  for (const FieldSpec& field : type.fields) AddOwnField(type, field, out);
}

void SchemaBuilder::AddOwnField(const TypeSpec& type, const FieldSpec& field, TypeDescriptor* out) const {
  if (field.name.empty()) Fail(type, field, field.name, "a field name cannot be empty");
  FieldDescriptor& added = out->fields.emplace_back();
  added.name = std::string(field.name);
  added.type_text = std::string(field.type);
  added.type = field_types_.Get(field.type);
  added.ignore = field.ignore;
  added.def = field.def;
  added.has_default = field.has_default;
  added.default_is_known = field.default_is_known;
  added.default_value = field.default_value;
  if (field.default_is_known && !ConvertDefault(added.type, &added.default_value)) {
    Fail(type, field, field.name, "its default does not fit its type " + Quote(field.type));
  }
}

void SchemaBuilder::CheckUniqueNames(uint32_t index) const {
  const TypeDescriptor& type = *types_[index];
  auto fail = [&](uint32_t earlier, uint32_t at) {
    const FieldSpec& field = spec_.types[index].fields[at - type.num_inherited];
    Fail(spec_.types[index], field, field.name,
         earlier < type.num_inherited
             ? "its ancestor " + Quote(DeclarerOf(type, earlier).key) + " has this field already"
             : "the type states this field twice");
  };
  constexpr size_t kFewFields = 32;
  auto count = static_cast<uint32_t>(type.fields.size());
  if (count <= kFewFields) {
    for (uint32_t at = type.num_inherited; at < count; ++at) {
      for (uint32_t earlier = 0; earlier < at; ++earlier) {
        if (type.fields[earlier].name == type.fields[at].name) fail(earlier, at);
      }
    }
    return;
  }
  std::unordered_map<std::string_view, uint32_t> seen;
  for (uint32_t at = 0; at < count; ++at) {
    auto [it, is_new] = seen.emplace(type.fields[at].name, at);
    if (!is_new) fail(it->second, at);
  }
}

std::vector<uint16_t> SchemaBuilder::ResolveFields(uint32_t index, const std::vector<std::string_view>& names,
                                                   std::string_view member) const {
  constexpr size_t kFewNames = 16;
  const TypeDescriptor& type = *types_[index];
  std::unordered_map<std::string_view, int32_t> by_name;
  if (names.size() > kFewNames) {
    for (const FieldDescriptor& field : type.fields) by_name.emplace(field.name, static_cast<int32_t>(by_name.size()));
  }
  auto find = [&](std::string_view name) {
    if (names.size() <= kFewNames) return type.FindField(name);
    auto it = by_name.find(name);
    return it != by_name.end() ? it->second : -1;
  };
  std::vector<bool> used(type.fields.size());
  std::vector<uint16_t> result;
  for (std::string_view name : names) {
    int32_t field = find(name);
    if (field < 0) Fail(spec_.types[index], name, Quote(member) + " names " + Quote(name) + ", which is no field");
    if (used[field]) Fail(spec_.types[index], name, Quote(member) + " names " + Quote(name) + " twice");
    used[field] = true;
    result.push_back(static_cast<uint16_t>(field));
  }
  return result;
}

void SchemaBuilder::SetRules(uint32_t index) {
  const TypeSpec& spec = spec_.types[index];
  TypeDescriptor* type = types_[index];
  type->has_compare = spec.has_compare;
  if (spec.has_compare) {
    type->compare = ResolveFields(index, spec.compare, "compare");
  } else {
    for (size_t i = 0; i < type->fields.size(); ++i) {
      if (!type->fields[i].ignore) type->compare.push_back(static_cast<uint16_t>(i));
    }
  }
  if (spec.has_compare_if) SetCompareIf(index);
  SetLabel(index);
}

void SchemaBuilder::SetCompareIf(uint32_t index) {
  const TypeSpec& spec = spec_.types[index];
  TypeDescriptor* type = types_[index];
  type->compare_if_field = ResolveFields(index, {spec.compare_if_field}, "compare_if").front();
  const FieldDescriptor& field = type->fields[type->compare_if_field];
  if (!IsObjectStorage(StorageOf(field.type))) {
    Fail(spec, spec.compare_if_field,
         "\"compare_if\" asks for an object in " + Quote(field.name) + ", a field of type " + Quote(field.type_text));
  }
  if (result_->Find(spec.compare_if_type) == nullptr && !IsReservedTypeKey(spec.compare_if_type)) {
    Fail(spec, spec.compare_if_type,
         "\"compare_if\" asks for the type " + Quote(spec.compare_if_type) + ", which is not in the schema");
  }
  type->compare_if_type = std::string(spec.compare_if_type);
  type->compare_then = ResolveFields(index, spec.compare_then, "then");
}

void SchemaBuilder::SetLabel(uint32_t index) {
  const TypeSpec& spec = spec_.types[index];
  TypeDescriptor* type = types_[index];
  type->label_stated = spec.has_label;
  if (spec.has_label) {
    type->label_field = ResolveFields(index, {spec.label}, "label").front();
    return;
  }
  for (std::string_view name : {"name", "name_hint", "global_symbol"}) {
    type->label_field = type->FindField(name);
    if (type->label_field >= 0) return;
  }
}

TypeSpec SpecOf(const TypeDescriptor& descriptor) {
  TypeSpec spec;
  auto names = [&](const std::vector<uint16_t>& fields) {
    std::vector<std::string_view> result;
    for (uint16_t field : fields) result.push_back(descriptor.fields[field].name);
    return result;
  };
  spec.key = descriptor.key;
  if (descriptor.parent != nullptr) spec.parent = descriptor.parent->key;
  spec.structural = descriptor.structural;
  for (size_t i = descriptor.num_inherited; i < descriptor.fields.size(); ++i) {
    const FieldDescriptor& field = descriptor.fields[i];
    spec.fields.push_back(FieldSpec{field.name, field.type_text, field.ignore, field.def, field.has_default,
                                    field.default_is_known, field.default_value});
  }
  spec.has_compare = descriptor.has_compare;
  if (spec.has_compare) spec.compare = names(descriptor.compare);
  spec.has_compare_if = descriptor.compare_if_field >= 0;
  if (spec.has_compare_if) {
    spec.compare_if_field = descriptor.fields[descriptor.compare_if_field].name;
    spec.compare_if_type = descriptor.compare_if_type;
    spec.compare_then = names(descriptor.compare_then);
  }
  spec.has_label = descriptor.label_stated;
  if (spec.has_label) spec.label = descriptor.fields[descriptor.label_field].name;
  spec.hook = descriptor.hook;
  spec.custom_data = descriptor.custom_data;
  return spec;
}

}  // namespace transom::schema
