/*
 * Types of a schema as tests need them, read without the library: fields, kinds, and whether a declared type fits.
 */
#ifndef TRANSOM_SUPPORT_TYPE_RULES_H_
#define TRANSOM_SUPPORT_TYPE_RULES_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/json_value.h"

namespace transom::testing {

/*! \brief A declared type: "ffi.Map<ffi.String, Any>" has the head "ffi.Map" and two arguments. */
struct DeclaredType {
  std::string head;
  std::vector<DeclaredType> args;

  /*! \brief Parses a type text; the text must be well-formed. */
  static DeclaredType Parse(std::string_view text);
  /*! \brief Whether a JSON graph holds such a value in the field itself rather than as a node. */
  bool IsInline() const;
};

/*! \brief A region in which unbound variables become bound. */
enum class Region : uint8_t { kNone, kRecursive, kSimple };

struct FieldRule {
  std::string name;
  DeclaredType type;
  bool is_inline = false;
  bool ignore = false;
  Region region = Region::kNone;
  bool has_default = false;
  JsonValue default_value;
};

enum class Kind : uint8_t { kNone, kTree, kConstTree, kDag, kFreeVar, kUnique };

struct TypeRule {
  std::string key;
  std::string parent;
  Kind kind = Kind::kNone;
  bool custom = false;
  bool has_compare = false;
  std::vector<FieldRule> fields;  // ancestors' first
  std::vector<size_t> compare;    // the fields that count, in order
  int compare_if_field = -1;
  std::string compare_if_type;
  std::vector<size_t> compare_then;
  std::string label;  // the field that names an object for people; empty: none

  /*! \brief Index of the field, or -1. */
  int Find(std::string_view name) const;
};

/*! \brief The types of a schema file. */
class TypeRules {
 public:
  /*! \brief Reads the text of a schema file. std::runtime_error: malformed. */
  explicit TypeRules(std::string_view schema_text);
  /*! \brief The rule of a type, or null: a built-in type. */
  const TypeRule* Find(const std::string& key) const;
  /*! \brief Whether the type `key` is `ancestor` or descends from it. */
  bool IsA(const std::string& key, const std::string& ancestor) const;
  /*! \brief Keys of the types that are `ancestor` or descend from it and have fields. */
  std::vector<std::string> Descendants(const std::string& ancestor) const;

 private:
  const TypeRule& Resolve(const std::string& key, const JsonValue& types);
  std::map<std::string, std::unique_ptr<TypeRule>> types_;
};

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_TYPE_RULES_H_
