/*
 * Declared types: the type text of a field ("ffi.Array<ir.Expr>"), parsed.
 */
#ifndef TRANSOM_SCHEMA_TYPE_EXPR_H_
#define TRANSOM_SCHEMA_TYPE_EXPR_H_

#include <transom/export.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transom {
namespace schema {

/*! \brief What a declared type says about a value. */
enum class TypeKind : uint8_t {
  kNone,
  kBool,
  kInt,
  kFloat,
  kDataType,  // up to here a JSON graph stores the value in the field itself
  kDevice,
  kString,
  kBytes,
  kOpaquePtr,
  kShape,
  kTensor,
  kFunction,
  kModule,
  kBigInt,
  kAny,       // no promise: `Any`, `ffi.Object`, and generic types that are not known
  kNamed,     // an object of `name` or of a descendant, or None
  kArray,     // args: element
  kList,      // args: element
  kMap,       // args: key, value
  kDict,      // args: key, value
  kTuple,     // args: one per element; the value is an Array of that length
  kOptional,  // args: the type of a value that is not None
  kUnion,     // args: the alternatives
};

/*!
 * \brief A declared type, parsed. An immutable value; thread-safe to read.
 */
struct TypeExpr {
  TypeKind kind = TypeKind::kAny;
  std::string name;            // kNamed: the type key
  std::vector<TypeExpr> args;  // see TypeKind
  /*! \brief Number of the type within its schema: equal text, equal number. For memo tables. */
  uint32_t id = 0;
  /*! \brief kNamed: position of the type in the schema's preorder, set by the schema. A descendant's position lies in
   *  [order_begin, order_end). Empty range: the schema does not have the type. */
  uint32_t order_begin = 0;
  uint32_t order_end = 0;

  /*!
   * \brief Parses a type text: `int`, `Optional<int>`, `ffi.Map<ffi.String, Any>`, `Union<int, float>`, a type key.
   * A generic type with an unknown head promises nothing (kAny).
   * \return The type. Throws ValueError for text that is no type (unbalanced brackets, wrong number of arguments, more
   *         than 64 levels); the message has the text and the position. O(length).
   */
  TRANSOM_API static TypeExpr Parse(std::string_view text);

  /*! \brief Whether a JSON graph stores a value of this type in the field itself rather than as a node index. */
  bool IsInline() const { return kind <= TypeKind::kDataType; }
};

/*!
 * \brief Text of a type as reflection metadata states it in "type_schema":
 * `{"type":"ffi.Array","args":[{"type":"int"}]}` gives `ffi.Array<int>`.
 * \param type_schema The JSON text.
 * \return The text. Throws ValueError: malformed JSON (byte offset), a part without "type", more than 64 levels.
 *         O(length).
 */
TRANSOM_API std::string TypeTextFromSchema(std::string_view type_schema);

}  // namespace schema
}  // namespace transom
#endif  // TRANSOM_SCHEMA_TYPE_EXPR_H_
