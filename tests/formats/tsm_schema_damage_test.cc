// Descriptions of types in .tsm files that break a rule: one case for each check, with the exact message.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/tsm_damaged_graph.h"

namespace transom {
namespace {

using testing::ErrorAfter;
using testing::StoreFile;
using testing::TsmParts;

struct Case {
  const char* name;
  std::function<void(tsm::SchemaT&)> change;  // types: store.Base, store.Item, store.Op
  std::string message;                        // without "ValueError: "
};

void ExpectMessages(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    EXPECT_EQ(ErrorAfter([&](TsmParts& parts) { parts.EditSchema(0, c.change); }), "ValueError: " + c.message)
        << c.name;
  }
}

TEST(TsmSchemaDamage, TheTestsFileHasThisSchema) {
  EXPECT_EQ(ErrorAfter([](TsmParts& parts) {
              parts.EditSchema(0, [](tsm::SchemaT& schema) {
                ASSERT_EQ(schema.types.size(), 3u);
                EXPECT_EQ(schema.types[0]->key, "store.Base");
                EXPECT_EQ(schema.types[1]->key, "store.Item");
                EXPECT_EQ(schema.types[2]->key, "store.Op");
                EXPECT_EQ(schema.names, (std::vector<std::string>{"id", "name"}));
              });
            }),
            "no error");
}

TEST(TsmSchemaDamage, Tables) {
  ExpectMessages({
      {"a name that is not there",
       [](tsm::SchemaT& s) {
         s.types[1]->compare = {0, 2};
       },
       "the file's schema: type \"store.Item\": a list names field text 2, which is not there"},
      {"no names", [](tsm::SchemaT& s) { s.names.clear(); },
       "the file's schema: type \"store.Item\": a list names field text 0, which is not there"},
      {"a structural kind of a newer version",
       [](tsm::SchemaT& s) { s.types[1]->structural = static_cast<tsm::Structural>(6); },
       "the file's schema: type \"store.Item\": structural kind 6 is not known here; a newer Transom may know it"},
      {"a region of a newer version",
       [](tsm::SchemaT& s) { s.types[1]->fields[0]->def = static_cast<tsm::DefRegion>(3); },
       "the file's schema: type \"store.Item\": definition region 3 is not known here; a newer Transom may know it"},
      {"a default that is no JSON", [](tsm::SchemaT& s) { s.types[1]->fields[1]->default_json = "1.5.2"; },
       "the file's schema: type \"store.Item\", field \"price\": the default is no JSON: byte 3: malformed JSON: The "
       "document root must not be followed by other values."},
      {"a default that is a list", [](tsm::SchemaT& s) { s.types[1]->fields[1]->default_json = "[1]"; },
       "the file's schema: type \"store.Item\", field \"price\": the default must be a scalar, a string or null, found "
       "ffi.Array"},
      {"a default of another type", [](tsm::SchemaT& s) { s.types[1]->fields[1]->default_json = "\"text\""; },
       "the file's schema: type \"store.Item\", field \"price\": its default does not fit its type \"float\""},
  });
}

TEST(TsmSchemaDamage, Types) {
  ExpectMessages({
      {"an empty key", [](tsm::SchemaT& s) { s.types[2]->key = ""; },
       "the file's schema: type \"\": a type key cannot be empty"},
      {"a key of a builtin type", [](tsm::SchemaT& s) { s.types[2]->key = "ffi.Array"; },
       "the file's schema: type \"ffi.Array\": this type is built in and cannot be described"},
      {"a key twice", [](tsm::SchemaT& s) { s.types[2]->key = "store.Base"; },
       "the file's schema: type \"store.Base\": described twice"},
      {"a parent that is not there", [](tsm::SchemaT& s) { s.types[1]->parent = "store.Gone"; },
       "the file's schema: type \"store.Item\": its parent \"store.Gone\" is not in the schema"},
      {"a parent of itself", [](tsm::SchemaT& s) { s.types[0]->parent = "store.Item"; },
       "the file's schema: type \"store.Base\": its parents form a cycle: \"store.Base\" -> \"store.Item\" -> "
       "\"store.Base\""},
      {"a field of an ancestor again", [](tsm::SchemaT& s) { s.types[1]->fields[0]->name = "id"; },
       "the file's schema: type \"store.Item\", field \"id\": its ancestor \"store.Base\" has this field already"},
      {"a field twice", [](tsm::SchemaT& s) { s.types[1]->fields[1]->name = "name"; },
       "the file's schema: type \"store.Item\", field \"name\": the type states this field twice"},
      {"a field without a name", [](tsm::SchemaT& s) { s.types[1]->fields[1]->name = ""; },
       "the file's schema: type \"store.Item\", field \"\": a field name cannot be empty"},
      {"a field of a type that is none", [](tsm::SchemaT& s) { s.types[1]->fields[1]->type = "ffi.Array<"; },
       "the file's schema: type \"store.Item\", field \"price\": type \"ffi.Array<\", byte 10: expected a type, found "
       "the end"},
      {"a rule about a field that is not there", [](tsm::SchemaT& s) { s.names[1] = "gone"; },
       "the file's schema: type \"store.Item\": \"compare\" names \"gone\", which is no field"},
      {"a rule that names a field twice",
       [](tsm::SchemaT& s) {
         s.types[1]->compare = {0, 0};
       },
       "the file's schema: type \"store.Item\": \"compare\" names \"id\" twice"},
      {"a label that is no field", [](tsm::SchemaT& s) { s.types[1]->label = "gone"; },
       "the file's schema: type \"store.Item\": \"label\" names \"gone\", which is no field"},
      {"a condition on a field that is not there",
       [](tsm::SchemaT& s) {
         s.types[1]->compare_if = std::make_unique<tsm::CompareIfT>();
         s.types[1]->compare_if->field = "gone";
         s.types[1]->compare_if->type = "store.Base";
       },
       "the file's schema: type \"store.Item\": \"compare_if\" names \"gone\", which is no field"},
      {"a condition on a number",
       [](tsm::SchemaT& s) {
         s.types[1]->compare_if = std::make_unique<tsm::CompareIfT>();
         s.types[1]->compare_if->field = "price";
         s.types[1]->compare_if->type = "store.Base";
       },
       "the file's schema: type \"store.Item\": \"compare_if\" asks for an object in \"price\", a field of type "
       "\"float\""},
      {"a condition of a type that is not there",
       [](tsm::SchemaT& s) {
         s.types[1]->compare_if = std::make_unique<tsm::CompareIfT>();
         s.types[1]->compare_if->field = "note";
         s.types[1]->compare_if->type = "store.Gone";
       },
       "the file's schema: type \"store.Item\": \"compare_if\" asks for the type \"store.Gone\", which is not in the "
       "schema"},
      {"a rule of a condition that is not there",
       [](tsm::SchemaT& s) {
         s.types[1]->compare_if = std::make_unique<tsm::CompareIfT>();
         s.types[1]->compare_if->field = "note";
         s.types[1]->compare_if->type = "store.Base";
         s.types[1]->compare_if->then = {7};
       },
       "the file's schema: type \"store.Item\": a list names field text 7, which is not there"},
  });
}

// The tables of nodes and the descriptions must agree.
TEST(TsmSchemaDamage, FieldsOfAnotherKindThanTheirColumns) {
  ExpectMessages({
      {"a field more",
       [](tsm::SchemaT& s) {
         s.types[1]->fields.push_back(std::make_unique<tsm::FieldT>(*s.types[1]->fields[0]));
         s.types[1]->fields.back()->name = "more";
       },
       "group 16 (store.Item): 9 columns, where there must be 10"},
      {"a field less", [](tsm::SchemaT& s) { s.types[1]->fields.pop_back(); },
       "group 16 (store.Item): 9 columns, where there must be 8"},
      {"an int for a text", [](tsm::SchemaT& s) { s.types[1]->fields[0]->type = "int"; },
       "group 16 (store.Item): field \"name\": expected i64 and no other vector"},
      {"a reference for a float",
       [](tsm::SchemaT& s) {
         s.types[1]->fields[1]->type = "Any";
         s.types[1]->fields[1]->default_json = "";
       },
       "group 16 (store.Item): field \"price\": expected u32 and no other vector"},
      {"a narrower type", [](tsm::SchemaT& s) { s.types[1]->fields[7]->type = "store.Op"; },
       "node 19 (store.Item): field \"note\" of type store.Op holds node 6, which is ffi.String"},
      {"data of its own form",
       [](tsm::SchemaT& s) {
         s.types[1]->custom_data = true;
         s.types[1]->fields.clear();
         s.types[1]->compare.clear();
         s.types[1]->label = "";
       },
       "group 16: objects of type store.Item have data of their own form, not fields"},
  });
}

TEST(TsmSchemaDamage, Bytes) {
  EXPECT_EQ(ErrorAfter([](TsmParts& parts) { parts.graph.schemas[0]->schema.resize(8); }),
            "ValueError: a schema in the file is no FlatBuffer of the form that docs/tsm.md defines");
  EXPECT_EQ(ErrorAfter([](TsmParts& parts) { parts.aligned_schemas = false; }),
            "ValueError: a schema in the file is not aligned to 8 bytes");
}

// Each byte of the schema, changed: an error, or a file that can be read.
TEST(TsmSchemaDamage, EveryByteChanged) {
  const size_t size = TsmParts::Of(StoreFile()).graph.schemas[0]->schema.size();
  for (size_t i = 0; i < size; ++i) {
    for (const unsigned flip : {1u, 0x10u, 0x80u, 0xFFu}) {
      const std::string error =
          ErrorAfter([&](TsmParts& parts) { parts.graph.schemas[0]->schema[i] ^= static_cast<uint8_t>(flip); });
      EXPECT_TRUE(error == "no error" || error.rfind("ValueError: ", 0) == 0) << i << ": " << error;
    }
  }
}

}  // namespace
}  // namespace transom
