/*
 * JSON graphs as texts: what the tests of reading and writing share.
 */
#ifndef TRANSOM_TESTS_FORMATS_GRAPH_TEXT_H_
#define TRANSOM_TESTS_FORMATS_GRAPH_TEXT_H_

#include <gtest/gtest.h>
#include <transom/formats/json_graph.h>
#include <transom/structural/equal.h>

#include <string>

namespace transom::testing {

// The text without a schema.
inline std::string Save(const Any& value, SaveOptions options = {}) {
  options.embed_schema = EmbedSchema::kNever;
  return SaveJSON(value, options);
}

inline std::string Graph(const std::string& nodes, int root, const std::string& more = "") {
  return "{\"root_index\":" + std::to_string(root) + ",\"nodes\":[" + nodes + "]" + more + "}";
}

inline Any Load(const std::string& text, const LoadOptions& options = {}) { return LoadJSON(text, options).value; }

// The text is what the value is written as, and reading it gives an equal value.
inline void ExpectText(const Any& value, const std::string& text, const LoadOptions& options = {}) {
  EXPECT_EQ(Save(value), text);
  StructuralOptions files;
  files.as_files = true;
  EXPECT_TRUE(StructuralEqual::Equal(Load(text, options), value, files)) << text;
  EXPECT_EQ(Save(Load(text, options)), text);
}

}  // namespace transom::testing
#endif  // TRANSOM_TESTS_FORMATS_GRAPH_TEXT_H_
