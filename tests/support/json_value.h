/*
 * JSON values for tests, with a reader and a writer of their own, so that the library's are not checked by themselves.
 */
#ifndef TRANSOM_SUPPORT_JSON_VALUE_H_
#define TRANSOM_SUPPORT_JSON_VALUE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transom::testing {

/*! \brief A JSON value; members keep their order, integers and floats are different kinds. */
struct JsonValue {
  enum class Kind : uint8_t { kNull, kBool, kInt, kFloat, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  int64_t integer = 0;
  double number = 0;
  std::string text;
  std::vector<JsonValue> items;
  std::vector<std::pair<std::string, JsonValue>> members;

  static JsonValue Bool(bool v);
  static JsonValue Int(int64_t v);
  static JsonValue Float(double v);
  static JsonValue String(std::string v);
  static JsonValue Array(std::vector<JsonValue> v = {});
  static JsonValue Ints(const std::vector<int64_t>& v);
  static JsonValue Object() {
    JsonValue v;
    v.kind = Kind::kObject;
    return v;
  }

  /*! \brief The member of that name, or null. */
  const JsonValue* Find(std::string_view name) const;
  JsonValue* Find(std::string_view name);
  void Add(std::string name, JsonValue value) { members.emplace_back(std::move(name), std::move(value)); }

  /*! \brief Compact text; floats so that they read back to the same bits. */
  void Write(std::string* out) const;
  std::string ToText() const;
  /*! \brief The text with the members of objects sorted by name: equal values, equal text. */
  std::string Canonical() const;
};

/*! \brief Reads JSON with bare NaN, Infinity and -Infinity. Recursive. std::runtime_error: malformed, with the offset.
 */
JsonValue ParseJson(std::string_view text);

/*! \brief Appends a quoted JSON string. */
void WriteJsonString(std::string_view text, std::string* out);

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_JSON_VALUE_H_
