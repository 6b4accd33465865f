/*
 * What the tests of schemas share.
 */
#ifndef TRANSOM_TESTS_SCHEMA_SCHEMA_SUPPORT_H_
#define TRANSOM_TESTS_SCHEMA_SCHEMA_SUPPORT_H_

#include <transom/runtime/error.h>
#include <transom/schema/schema.h>

#include <string>

namespace transom::schema {

// A schema from the text of its "types".
inline SchemaRef ParseTypes(const std::string& types, const std::string& source = "t.json") {
  return Schema::Parse(R"({"transom_schema":1,"name":"t","types":{)" + types + "}}", source);
}

// "Kind: message" of the error that `fn` throws; "no error" when it throws none.
template <class Fn>
std::string ErrorOf(Fn&& fn) {
  try {
    fn();
  } catch (const Error& error) {
    return std::string(error.kind()) + ": " + std::string(error.message());
  }
  return "no error";
}

}  // namespace transom::schema

#endif  // TRANSOM_TESTS_SCHEMA_SCHEMA_SUPPORT_H_
