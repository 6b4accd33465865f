/*
 * From statements about types, whatever file or table they come from, to a checked Schema. All schemas are made here.
 */
#ifndef TRANSOM_SRC_SCHEMA_BUILDER_H_
#define TRANSOM_SRC_SCHEMA_BUILDER_H_

#include <transom/runtime/any.h>
#include <transom/schema/schema.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/message.h"
#include "schema/type_parser.h"

namespace transom::schema {

// A field as stated. Views in this file's structs must live until Build returns.
struct FieldSpec {
  std::string_view name;
  std::string_view type;
  bool ignore = false;
  DefRegion def = DefRegion::kNone;
  bool has_default = false;
  bool default_is_known = false;
  Any default_value;
};

// A type as stated: own fields only.
struct TypeSpec {
  std::string_view key;
  std::string_view parent;  // empty or ffi.Object: none
  StructuralKind structural = StructuralKind::kNone;
  std::vector<FieldSpec> fields;
  bool has_compare = false;
  std::vector<std::string_view> compare;
  bool has_compare_if = false;
  std::string_view compare_if_field;
  std::string_view compare_if_type;
  std::vector<std::string_view> compare_then;
  bool has_label = false;
  std::string_view label;
  bool hook = false;
  bool custom_data = false;
};

// Whether two descriptors say the same, whatever schemas they are from.
inline bool SameDescription(const TypeDescriptor& a, const TypeDescriptor& b) {
  return a.digest[0] == b.digest[0] && a.digest[1] == b.digest[1];
}

// The types, their ancestors and the types that their fields name, in as few sets as it takes for each to have every key once.
// Each set is in the order of its keys; the first takes what it can, then the next.
std::vector<std::vector<const TypeDescriptor*>> PartitionTypes(const std::vector<const TypeDescriptor*>& types);

struct SchemaSpec {
  std::string name;
  TextOrigin origin;  // for messages; its source becomes the schema's
  std::vector<std::pair<std::string, std::string>> match;
  std::vector<TypeSpec> types;
};

// Statements that say what `descriptor` says. Views point into the descriptor.
TypeSpec SpecOf(const TypeDescriptor& descriptor);

// Makes one schema. Every rule that a schema must keep is checked here; the messages name source, type and field.
class SchemaBuilder {
 public:
  // Throws ValueError where a rule is broken. O(size of the statements and of all fields with the inherited ones).
  static SchemaRef Build(const SchemaSpec& spec);

  // The live schema that was made of exactly this text, or an empty reference. Thread-safe, as the next one.
  static SchemaRef FindInterned(std::string_view text);
  // Offers a schema made of `text` to FindInterned. Returns the one that was offered first.
  static SchemaRef Intern(SchemaRef schema, std::string_view text);
  // Ends a schema without references.
  static void Destroy(const Schema* schema);

 private:
  explicit SchemaBuilder(const SchemaSpec& spec) : spec_(spec) {}

  [[noreturn]] void Fail(const TypeSpec& type, std::string_view where, const std::string& problem) const;
  [[noreturn]] void Fail(const TypeSpec& type, const FieldSpec& field, std::string_view where,
                         const std::string& problem) const;

  void AddTypes();
  void LinkParents();
  void CheckParentCycles() const;
  void NumberPreorder();
  void MarkEnums();
  void ParseFieldTypes();
  void CheckTotalSize() const;
  void AddFields(uint32_t index);
  void AddOwnField(const TypeSpec& type, const FieldSpec& field, TypeDescriptor* out) const;
  void CheckUniqueNames(uint32_t index) const;
  void SetRules(uint32_t index);
  std::vector<uint16_t> ResolveFields(uint32_t index, const std::vector<std::string_view>& names,
                                      std::string_view member) const;
  void SetCompareIf(uint32_t index);
  void SetLabel(uint32_t index);

  const SchemaSpec& spec_;
  SchemaRef schema_;
  Schema* result_ = nullptr;            // what schema_ refers to
  std::vector<TypeDescriptor*> types_;  // in the order of the statements
  std::vector<uint32_t> preorder_;      // indices, ancestors first
  TypeTable field_types_;
};

// Converts a stated default to what a field of that type holds (a bool to an int, text to a DataType). Returns false
// when the type cannot hold it.
bool ConvertDefault(const TypeExpr& type, Any* value);

// The default of a registered field as a schema states it: a scalar, string or None, converted to what the field holds.
// False when there is none or it cannot be written. The value is plain or the registry's own string.
bool StatedDefault(const TVMFFIFieldInfo& field, Any* value);

// How a record stores a field of the type.
Storage StorageOf(const TypeExpr& type);

// Sets storage and offset of the fields and the size of a record.
void LayOut(TypeDescriptor* type);

// Sets the digest; the parent has its own already.
void SetDigest(TypeDescriptor* type);

}  // namespace transom::schema

#endif  // TRANSOM_SRC_SCHEMA_BUILDER_H_
