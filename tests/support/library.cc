#include "support/library.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "support/graph_gen.h"

namespace transom::testing {

const schema::SchemaRef& TestSchema() {
  static const schema::SchemaRef schema = schema::Schema::Parse(TestSchemaText(), "test schema");
  return schema;
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace transom::testing
