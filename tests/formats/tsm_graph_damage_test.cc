// Files with right checksums whose tables say something wrong: one case for each check, with the exact message.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/tsm_damaged_graph.h"
#include "formats/tsm_text.h"

namespace transom {
namespace {

using testing::ErrorAfter;
using testing::ErrorOf;
using testing::StoreFile;
using testing::TsmParts;
using tsm::Form;

struct Case {
  const char* name;
  std::function<void(TsmParts&)> change;
  std::string message;  // without "ValueError: "
};

void ExpectMessages(const std::vector<Case>& cases, const LoadOptions& options = {}) {
  for (const Case& c : cases) EXPECT_EQ(ErrorAfter(c.change, options), "ValueError: " + c.message) << c.name;
}

tsm::ColumnT& Column(TsmParts& parts, Form form, size_t i = 0) { return *parts.Group(form).columns.at(i); }

TEST(TsmGraphDamage, NothingChangedIsNoDamage) {
  EXPECT_EQ(ErrorAfter([](TsmParts&) {}), "no error");
  const std::string again = TsmParts::Of(StoreFile()).ToFile();
  testing::ExpectLoads(SaveTSM(LoadTSM(again).value), testing::StoreValue());
}

TEST(TsmGraphDamage, Metadata) {
  ExpectMessages({
      {"no JSON", [](TsmParts& p) { p.graph.metadata = "{"; },
       "the metadata is no JSON text: byte 1: malformed JSON: Missing a name for object member."},
      {"two values", [](TsmParts& p) { p.graph.metadata = "1 2"; },
       "the metadata is no JSON text: byte 2: malformed JSON: The document root must not be followed by other values."},
  });
}

TEST(TsmGraphDamage, TablesOfNodesAndGroups) {
  ExpectMessages({
      {"no table of nodes", [](TsmParts& p) { p.has_node_groups8 = false; },
       "expected one of the tables node_groups8 and node_groups16"},
      {"two tables of nodes", [](TsmParts& p) { p.has_node_groups16 = true; },
       "expected one of the tables node_groups8 and node_groups16"},
      {"no nodes", [](TsmParts& p) { p.graph.node_groups8.clear(); }, "the file has no nodes"},
      {"no groups", [](TsmParts& p) { p.graph.groups.clear(); }, "node 0: group 0, where the file has 0"},
      {"a group that is not there", [](TsmParts& p) { p.graph.node_groups8[3] = 17; },
       "node 3: group 17, where the file has 17"},
      {"a node more", [](TsmParts& p) { p.graph.node_groups8.push_back(0); },
       "group 0 (None): 1 nodes, where the table of nodes has 2"},
      {"a node less", [](TsmParts& p) { p.graph.node_groups8.pop_back(); },
       "group 15 (ffi.Array): 2 nodes, where the table of nodes has 1"},
      {"a node of another group", [](TsmParts& p) { p.graph.node_groups8[2] = 3; },
       "group 2 (int): 1 nodes, where the table of nodes has 0"},
      {"an empty group", [](TsmParts& p) { p.Group(Form::None).count = 0; }, "group 0 (None): a group without nodes"},
      {"a wrong count", [](TsmParts& p) { p.Group(Form::Custom).count = 3; },
       "group 14 (store.Op): 3 nodes, where the table of nodes has 2"},
      {"a count beyond all nodes", [](TsmParts& p) { p.Group(Form::None).count = UINT32_MAX; },
       "group 0 (None): 4294967295 nodes, where the table of nodes has 1"},
      {"a group too many",
       [](TsmParts& p) { p.graph.groups.push_back(std::make_unique<tsm::GroupT>(p.Group(Form::None))); },
       "group 17 (None): 1 nodes, where the table of nodes has 0"},
      {"an unknown form", [](TsmParts& p) { p.Group(Form::None).form = static_cast<Form>(17); },
       "group 0: form 17 is not known here; a newer Transom may know it"},
      {"a column too many",
       [](TsmParts& p) { p.Group(Form::None).columns.push_back(std::make_unique<tsm::ColumnT>()); },
       "group 0 (None): 1 columns, where there must be 0"},
      {"a column too few", [](TsmParts& p) { p.Group(Form::Object).columns.pop_back(); },
       "group 16 (store.Item): 8 columns, where there must be 9"},
      {"no columns", [](TsmParts& p) { p.Group(Form::String).columns.clear(); },
       "group 6 (ffi.String): 0 columns, where there must be 2"},
  });
}

TEST(TsmGraphDamage, Columns) {
  ExpectMessages({
      {"no vector", [](TsmParts& p) { Column(p, Form::Int).i64.clear(); },
       "group 2 (int): column 0: expected i64 and no other vector"},
      {"another vector",
       [](TsmParts& p) {
         Column(p, Form::Int) = {};
         Column(p, Form::Int).f64 = {1};
       },
       "group 2 (int): column 0: expected i64 and no other vector"},
      {"a vector too many", [](TsmParts& p) { Column(p, Form::Int).u8 = {1}; },
       "group 2 (int): column 0: expected i64 and no other vector"},
      {"a vector where there is none", [](TsmParts& p) { Column(p, Form::Object, 5).u8 = {1}; },
       "group 16 (store.Item): field \"nothing\": expected no vector"},
      {"another vector of a field",
       [](TsmParts& p) {
         Column(p, Form::Object, 1) = {};
         Column(p, Form::Object, 1).i64 = {1, 2};
       },
       "group 16 (store.Item): field \"name\": expected u32 and no other vector"},
      {"ends where there are none", [](TsmParts& p) { Column(p, Form::Int).ends = {1}; },
       "group 2 (int): column 0: an unexpected vector \"ends\""},
      {"no ends", [](TsmParts& p) { Column(p, Form::Array).ends.clear(); },
       "group 15 (ffi.Array): column 0: the vector \"ends\" is missing"},
      {"too many values",
       [](TsmParts& p) {
         Column(p, Form::Object).i64 = {1, 2, 3};
       },
       "group 16 (store.Item): field \"id\": 3 values, where the group has 2 nodes"},
      {"too many ends",
       [](TsmParts& p) {
         Column(p, Form::List).ends = {1, 2};
       },
       "group 11 (ffi.List): column 0: 2 ends, where the group has 1 nodes"},
      {"ends that do not ascend", [](TsmParts& p) { Column(p, Form::String).ends[1] = 2; },
       "group 6 (ffi.String): column 0: the ends must ascend; end 1 does not"},
      {"ends beyond the vector", [](TsmParts& p) { Column(p, Form::String).ends.back() += 1; },
       "group 6 (ffi.String): column 0: the ends lead to 12, where the vector has 11 elements"},
      {"ends before the end of the vector", [](TsmParts& p) { Column(p, Form::Bytes).u8.push_back(0); },
       "group 7 (ffi.Bytes): column 0: the ends lead to 1, where the vector has 2 elements"},
      {"a truth value of 2", [](TsmParts& p) { Column(p, Form::Bool).u8 = {2}; },
       "group 1 (bool): column 0: value 0 of a truth value is neither 0 nor 1"},
      {"a truth value of 2 in a field",
       [](TsmParts& p) {
         Column(p, Form::Object, 3).u8 = {1, 2};
       },
       "group 16 (store.Item): field \"sold\": value 1 of a truth value is neither 0 nor 1"},
  });
}

TEST(TsmGraphDamage, References) {
  ExpectMessages({
      {"to itself", [](TsmParts& p) { Column(p, Form::List).u32[0] = 12; },
       "node 12 (ffi.List): it refers to node 12; a node can refer only to those before it"},
      {"forward", [](TsmParts& p) { Column(p, Form::Map).u32[0] = 14; },
       "node 13 (ffi.Map): it refers to node 14; a node can refer only to those before it"},
      {"out of range", [](TsmParts& p) { Column(p, Form::Array).u32[0] = UINT32_MAX; },
       "node 18 (ffi.Array): it refers to node 4294967295; a node can refer only to those before it"},
      {"of a field to itself",
       [](TsmParts& p) {
         Column(p, Form::Object, 7).u32 = {19, 19};
       },
       "node 19 (store.Item): it refers to node 19; a node can refer only to those before it"},
      {"of a field, the same for all, forward", [](TsmParts& p) { Column(p, Form::Object, 7).u32 = {20}; },
       "node 19 (store.Item): it refers to node 20; a node can refer only to those before it"},
      {"of a field out of range",
       [](TsmParts& p) {
         Column(p, Form::Object, 8).u32 = {100, 100};
       },
       "node 19 (store.Item): it refers to node 100; a node can refer only to those before it"},
      {"of the root to itself", [](TsmParts& p) { Column(p, Form::Array).u32.back() = 23; },
       "node 23 (ffi.Array): it refers to node 23; a node can refer only to those before it"},
      {"a node that nothing holds", [](TsmParts& p) { Column(p, Form::Array).u32.back() = 0; },
       "node 22 (ffi.String): no other node refers to it, and it is not the last, which is the root"},
  });
}

TEST(TsmGraphDamage, Maps) {
  ExpectMessages({
      {"a key without a value",
       [](TsmParts& p) {
         Column(p, Form::Map).u32.pop_back();
         Column(p, Form::Map).ends = {3};
       },
       "node 13 (ffi.Map): a map of 3 elements; keys and values must alternate"},
      {"a key twice", [](TsmParts& p) { Column(p, Form::Map).u32[2] = 6; }, "node 13 (ffi.Map): a key is there twice"},
      {"a key twice in a dict",
       [](TsmParts& p) {
         Column(p, Form::Dict).u32 = {1, 0, 1, 0};
         Column(p, Form::Dict).ends = {4};
       },
       "node 14 (ffi.Dict): a key is there twice"},
  });
}

TEST(TsmGraphDamage, Texts) {
  ExpectMessages({
      {"a blob that is not there", [](TsmParts& p) { Column(p, Form::String, 1).u32.back() = 3; },
       "node 22 (ffi.String): blob 2, where the file has 2"},
      {"the largest number", [](TsmParts& p) { Column(p, Form::String, 1).u32.back() = UINT32_MAX; },
       "node 22 (ffi.String): blob 4294967294, where the file has 2"},
      {"in a blob and in the column",
       [](TsmParts& p) {
         Column(p, Form::String, 1).u32 = {1, 1, 1, 2};
       },
       "node 6 (ffi.String): its text is in a blob and in the column too"},
      {"of bytes in a blob that is not there",
       [](TsmParts& p) {
         Column(p, Form::Bytes, 1).u32 = {9};
         Column(p, Form::Bytes).u8.clear();
         Column(p, Form::Bytes).ends = {0};
       },
       "node 7 (ffi.Bytes): blob 8, where the file has 2"},
      {"custom data that is no JSON", [](TsmParts& p) { Column(p, Form::Custom).u8[0] = '{'; },
       "node 15 (store.Op): the object cannot be made: byte 1: malformed JSON: Missing a name for object member."},
      {"custom data that is empty", [](TsmParts& p) { Column(p, Form::Custom).ends[0] = 0; },
       "node 15 (store.Op): the object cannot be made: byte 0: malformed JSON: The document is empty."},
  });
}

TEST(TsmGraphDamage, Integers) {
  ExpectMessages({
      {"no word",
       [](TsmParts& p) {
         Column(p, Form::BigInt).i64.clear();
         Column(p, Form::BigInt).ends = {0};
       },
       "node 8 (ffi.BigInt): an integer of 0 words, where there are at least 2"},
      {"one word",
       [](TsmParts& p) {
         Column(p, Form::BigInt).i64 = {5};
         Column(p, Form::BigInt).ends = {1};
       },
       "node 8 (ffi.BigInt): an integer of 1 words, where there are at least 2"},
      {"two words where one does",
       [](TsmParts& p) {
         Column(p, Form::BigInt).i64 = {5, 0};
       },
       "node 8 (ffi.BigInt): an integer of 2 words that fits in fewer"},
      {"a negative one where one does",
       [](TsmParts& p) {
         Column(p, Form::BigInt).i64 = {-5, -1};
       },
       "node 8 (ffi.BigInt): an integer of 2 words that fits in fewer"},
      {"three words where two do",
       [](TsmParts& p) {
         Column(p, Form::BigInt).i64 = {0, 1, 0};
         Column(p, Form::BigInt).ends = {3};
       },
       "node 8 (ffi.BigInt): an integer of 3 words that fits in fewer"},
  });
}

TEST(TsmGraphDamage, Tensors) {
  ExpectMessages({
      {"on another device", [](TsmParts& p) { Column(p, Form::Tensor, 1).device = {tsm::Device(2, 0)}; },
       "node 10 (ffi.Tensor): device type 2, where 1 (CPU) is expected"},
      {"a negative extent", [](TsmParts& p) { Column(p, Form::Tensor, 2).i64[0] = -2; },
       "node 10 (ffi.Tensor): its shape is negative or too large"},
      {"extents that overflow", [](TsmParts& p) { Column(p, Form::Tensor, 2).i64[0] = int64_t{1} << 62; },
       "node 10 (ffi.Tensor): its shape is negative or too large"},
      {"larger than its blob", [](TsmParts& p) { Column(p, Form::Tensor, 2).i64[0] = 3; },
       "node 10 (ffi.Tensor): a blob of 6 bytes, where shape and dtype make 9"},
      {"of a larger element type",
       [](TsmParts& p) {
         Column(p, Form::Tensor).dtype = {tsm::DataType(0, 16, 1), tsm::DataType(2, 32, 1)};
       },
       "node 10 (ffi.Tensor): a blob of 6 bytes, where shape and dtype make 12"},
      {"scalable lanes", [](TsmParts& p) { Column(p, Form::Tensor).dtype = {tsm::DataType(0, 8, 0xFFFF)}; },
       "node 10 (ffi.Tensor): its shape is negative or too large"},
      {"a blob that is not there",
       [](TsmParts& p) {
         Column(p, Form::Tensor, 3).u32 = {4, 0};
       },
       "node 10 (ffi.Tensor): blob 3, where the file has 2"},
      {"elements without a blob",
       [](TsmParts& p) {
         Column(p, Form::Tensor, 3).u32 = {0, 0};
       },
       "node 10 (ffi.Tensor): a blob of 0 bytes, where shape and dtype make 6"},
      {"a blob without elements",
       [](TsmParts& p) {
         Column(p, Form::Tensor, 3).u32 = {1, 1};
       },
       "node 11 (ffi.Tensor): a blob of 6 bytes, where shape and dtype make 0"},
      {"more dimensions than there can be",
       [](TsmParts& p) {
         Column(p, Form::Tensor, 2).i64.assign(1025, 1);
         Column(p, Form::Tensor, 2).ends = {1025, 1025};
       },
       "node 10 (ffi.Tensor): its shape is negative or too large"},
  });
}

TEST(TsmGraphDamage, Blobs) {
  ExpectMessages({
      {"an empty one", [](TsmParts& p) { p.graph.blobs[0] = tsm::Blob(0, 0); },
       "blob 0 of 0 bytes does not lie in the blob section, which has 70064 bytes"},
      {"beyond the section", [](TsmParts& p) { p.graph.blobs[1] = tsm::Blob(70001, 0); },
       "blob 1 of 70001 bytes does not lie in the blob section, which has 70064 bytes"},
      {"beyond all numbers", [](TsmParts& p) { p.graph.blobs[1] = tsm::Blob(UINT64_MAX, 0); },
       "blob 1 of 18446744073709551615 bytes does not lie in the blob section, which has 70064 bytes"},
      {"one less", [](TsmParts& p) { p.graph.blobs.pop_back(); },
       "the blob section has 70064 bytes, where the blobs take 6"},
      {"one more", [](TsmParts& p) { p.graph.blobs.emplace_back(1, 0); },
       "blob 2 of 1 bytes does not lie in the blob section, which has 70064 bytes"},
      {"a wrong checksum", [](TsmParts& p) { p.graph.blobs[1] = tsm::Blob(70000, 1); },
       "byte 2496: blob 1 (70000 bytes) does not have the checksum that the file states; the file is damaged"},
      {"bytes after the last", [](TsmParts& p) { p.blobs += "xxxx"; },
       "the blob section has 70068 bytes, where the blobs take 70064"},
      {"no section", [](TsmParts& p) { p.blobs.clear(); },
       "blob 0 of 6 bytes does not lie in the blob section, which has 0 bytes"},
  });
}

TEST(TsmGraphDamage, DeclaredTypes) {
  ExpectMessages({
      {"None in a text", [](TsmParts& p) { Column(p, Form::Object, 1).u32[0] = 0; },
       "node 19 (store.Item): field \"name\" of type ffi.String holds node 0, which is None"},
      {"an int in a text", [](TsmParts& p) { Column(p, Form::Object, 1).u32[0] = 2; },
       "node 19 (store.Item): field \"name\" of type ffi.String holds node 2, which is int"},
      {"an int in an array of texts", [](TsmParts& p) { Column(p, Form::Array).u32[0] = 2; },
       "node 19 (store.Item): field \"tags\" of type ffi.Array<ffi.String> holds node 18, which is ffi.Array whose "
       "element 0 is int"},
      {"a list in place of an array",
       [](TsmParts& p) {
         Column(p, Form::Object, 6).u32 = {18, 12};
       },
       "node 21 (store.Item): field \"tags\" of type ffi.Array<ffi.String> holds node 12, which is ffi.List whose "
       "element 0 is int"},
      {"an object of another type", [](TsmParts& p) { Column(p, Form::Object, 7).u32[1] = 15; },
       "node 21 (store.Item): field \"next\" of type store.Base holds node 15, which is store.Op"},
      {"a plain value in place of an object", [](TsmParts& p) { Column(p, Form::Object, 7).u32[0] = 2; },
       "node 19 (store.Item): field \"next\" of type store.Base holds node 2, which is int"},
  });
}

TEST(TsmGraphDamage, Types) {
  ExpectMessages({
      {"of a schema that is not there", [](TsmParts& p) { p.Group(Form::Object).schema = 1; },
       "group 16: type 1 of schema 1 is not in the file"},
      {"that is not in the schema", [](TsmParts& p) { p.Group(Form::Object).type = 3; },
       "group 16: type 3 of schema 0 is not in the file"},
      {"data of its own form in place of fields", [](TsmParts& p) { p.Group(Form::Custom).type = 1; },
       "group 14: objects of type store.Item have fields, not data of their own form"},
      {"fields in place of data of its own form", [](TsmParts& p) { p.Group(Form::Object).type = 2; },
       "group 16: objects of type store.Op have data of their own form, not fields"},
      {"another type", [](TsmParts& p) { p.Group(Form::Object).type = 0; },
       "group 16 (store.Base): 9 columns, where there must be 1"},
      {"no schemas", [](TsmParts& p) { p.graph.schemas.clear(); }, "group 14: type 2 of schema 0 is not in the file"},
  });
}

}  // namespace
}  // namespace transom
