/*
 * Tables of nodes through the library: what tests of several folders share.
 */
#ifndef TRANSOM_SUPPORT_LIBRARY_H_
#define TRANSOM_SUPPORT_LIBRARY_H_

#include <transom/formats/json_graph.h>
#include <transom/schema/schema.h>

#include <string>

#include "support/node_table.h"

namespace transom::testing {

/*! \brief The library's form of TestSchemaText(). */
const schema::SchemaRef& TestSchema();

/*! \brief Loads a table; the errors are those of LoadJSON. */
inline LoadResult LoadTable(const NodeTable& table, const schema::SchemaRef& schema = TestSchema()) {
  LoadOptions options;
  options.schema = schema;
  return LoadJSON(table.ToText(), options);
}

/*! \brief Content of a file; std::runtime_error when it cannot be read. */
std::string ReadText(const std::string& path);

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_LIBRARY_H_
