/*
 * What the tests of schemas share.
 */
#ifndef TRANSOM_TESTS_SCHEMA_SCHEMA_SUPPORT_H_
#define TRANSOM_TESTS_SCHEMA_SCHEMA_SUPPORT_H_

#include <transom/schema/schema.h>

#include <string>

#include "support/error_of.h"

namespace transom::schema {

// A schema from the text of its "types".
inline SchemaRef ParseTypes(const std::string& types, const std::string& source = "t.json") {
  return Schema::Parse(R"({"transom_schema":1,"name":"t","types":{)" + types + "}}", source);
}

using testing::ErrorOf;

}  // namespace transom::schema

#endif  // TRANSOM_TESTS_SCHEMA_SCHEMA_SUPPORT_H_
