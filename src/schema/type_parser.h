/*
 * Parsing of type texts with numbers that are unique within one schema.
 */
#ifndef TRANSOM_SRC_SCHEMA_TYPE_PARSER_H_
#define TRANSOM_SRC_SCHEMA_TYPE_PARSER_H_

#include <transom/schema/type_expr.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace transom::schema {

// Numbers of the type texts of a schema, nested ones included: TypeExpr::id. Keys are borrowed.
using TypeNumbers = std::unordered_map<std::string_view, uint32_t>;

// Parses `text` and numbers it and its parts. `text` must outlive `numbers`.
TypeExpr ParseType(std::string_view text, TypeNumbers* numbers);

// The types of a schema by text, each parsed once. Texts are borrowed.
class TypeTable {
 public:
  // Parses the text unless it is known. Throws ValueError: the text is no type.
  void Add(std::string_view text) {
    if (types_.find(text) == types_.end()) types_.emplace(text, ParseType(text, &numbers_));
  }
  // The type of a text that was added.
  const TypeExpr& Get(std::string_view text) const { return types_.find(text)->second; }
  // Calls `fn(TypeExpr&)` for each type.
  template <class Fn>
  void ForEach(Fn&& fn) {
    for (auto& entry : types_) fn(entry.second);
  }
  // One more than the greatest number of a type.
  uint32_t num_ids() const { return static_cast<uint32_t>(numbers_.size()); }

 private:
  TypeNumbers numbers_;
  std::unordered_map<std::string_view, TypeExpr> types_;
};

// Whether the type text `key` means something built in, so that no schema can describe a type of that name.
bool IsReservedTypeKey(std::string_view key);

// Appends the text without the spaces that carry no meaning, for digests.
void AppendNormalizedType(std::string_view text, std::string* out);

}  // namespace transom::schema

#endif  // TRANSOM_SRC_SCHEMA_TYPE_PARSER_H_
