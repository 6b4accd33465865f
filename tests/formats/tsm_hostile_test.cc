// Files that say much in few bytes: they end in an error, soon and in little memory.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/map.h>
#include <transom/formats/inspect.h>
#include <transom/formats/tsm.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "containers/colliding_keys.h"
#include "formats/graph_text.h"
#include "support/bounded.h"
#include "support/native_types.h"
#include "support/scratch_folder.h"
#include "support/tsm_file.h"

namespace transom {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using testing::ErrorOf;
using testing::ExpectBounded;
using tsm::Form;

std::string LoadError(const std::string& file) {
  return ErrorOf([&] { LoadTSM(file); });
}

// What the statistics of the file say, which make no objects.
std::string InspectError(const std::string& file) {
  const testing::ScratchFolder folder;
  const std::string path = folder.PathTo("hostile.tsm");
  WriteFile(path, file);
  return ErrorOf([&] { InspectStatistics(path); });
}

void ExpectRefused(const std::string& file, const std::string& pattern) {
  ExpectBounded([&] { return LoadError(file); }, pattern);
  ExpectBounded([&] { return InspectError(file); }, pattern);
}

// A file made table by table, so that tables and vectors can be named more than once.
class FileBuilder {
 public:
  using Column = Offset<tsm::Column>;
  using Group = Offset<tsm::Group>;
  FlatBufferBuilder& fb() { return builder_; }
  Column References(const std::vector<uint32_t>& refs) {
    const auto vector = builder_.CreateVector(refs);
    return tsm::CreateColumn(builder_, 0, 0, vector);
  }
  Column ListOf(Offset<flatbuffers::Vector<uint32_t>> ends, Offset<flatbuffers::Vector<uint32_t>> refs) {
    return tsm::CreateColumn(builder_, ends, 0, refs);
  }
  Group Add(Form form, uint32_t count, const std::vector<Column>& columns, uint32_t type = 0) {
    const auto vector = columns.empty() ? 0 : builder_.CreateVector(columns);
    return tsm::CreateGroup(builder_, form, count, 0, type, vector);
  }
  std::string Finish(const std::vector<Group>& groups, const std::vector<uint16_t>& nodes,
                     const std::vector<std::vector<uint8_t>>& schemas = {}, const std::string& blobs = "",
                     uint32_t num_blobs = 0) {
    std::vector<Offset<tsm::SchemaData>> data;
    for (const auto& schema : schemas) {
      builder_.ForceVectorAlignment(schema.size(), 1, 8);
      data.push_back(tsm::CreateSchemaData(builder_, builder_.CreateVector(schema)));
    }
    return FinishWith(groups, nodes, data, blobs, num_blobs);
  }
  std::string FinishWith(const std::vector<Group>& groups, const std::vector<uint16_t>& nodes,
                         const std::vector<Offset<tsm::SchemaData>>& schemas, const std::string& blobs,
                         uint32_t num_blobs) {
    const auto schema_vector = builder_.CreateVector(schemas);
    const auto group_vector = builder_.CreateVector(groups);
    const auto node_vector = builder_.CreateVector(nodes);
    testing::TsmParts sums;
    if (num_blobs != 0) sums.AddBlob(blobs);
    const auto blob_vector = builder_.CreateVectorOfStructs(sums.graph.blobs);
    builder_.Finish(tsm::CreateGraph(builder_, 0, 0, schema_vector, 0, node_vector, group_vector, blob_vector),
                    tsm::GraphIdentifier());
    return testing::TsmFileOf({reinterpret_cast<const char*>(builder_.GetBufferPointer()), builder_.GetSize()}, blobs);
  }

 private:
  FlatBufferBuilder builder_{1 << 20};
};

// A schema of one type "h.T" with fields of one type.
std::vector<uint8_t> SchemaOf(size_t num_fields, const std::string& type) {
  tsm::SchemaT schema;
  schema.types.push_back(std::make_unique<tsm::TypeT>());
  schema.types[0]->key = "h.T";
  for (size_t i = 0; i < num_fields; ++i) {
    auto& field = schema.types[0]->fields.emplace_back(std::make_unique<tsm::FieldT>());
    field->name = "f" + std::to_string(i);
    field->type = type;
  }
  FlatBufferBuilder builder;
  builder.Finish(tsm::Schema::Pack(builder, &schema));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

constexpr uint32_t kMany = 1000000;

TEST(TsmHostile, ManyGroupsThatAreOneTable) {
  FileBuilder file;
  const auto ends = file.fb().CreateVector(std::vector<uint32_t>(kMany, 0));
  const auto text = file.fb().CreateVector(std::vector<uint8_t>());
  const auto zero = file.fb().CreateVector(std::vector<uint32_t>{0});
  const auto first = tsm::CreateColumn(file.fb(), ends, text);
  const auto second = tsm::CreateColumn(file.fb(), 0, 0, zero);
  const auto group = file.Add(Form::String, kMany, {first, second});
  ExpectRefused(file.Finish(std::vector<FileBuilder::Group>(100000, group), std::vector<uint16_t>(kMany, 0)),
                "ValueError: .*nodes");
}

TEST(TsmHostile, ManyListsThatAreOneVector) {
  FileBuilder file;
  const auto refs = file.fb().CreateVector(std::vector<uint32_t>(kMany, 0));
  const auto ends = file.fb().CreateVector(std::vector<uint32_t>{kMany});
  const auto list = file.Add(Form::Array, 1, {file.ListOf(ends, refs)});
  std::vector<FileBuilder::Group> groups(60000, list);
  groups[0] = file.Add(Form::None, 1, {});
  std::vector<uint16_t> nodes;
  for (uint32_t i = 0; i < groups.size(); ++i) nodes.push_back(static_cast<uint16_t>(i));
  ExpectRefused(file.Finish(groups, nodes), "ValueError: .*vectors");
}

// Many columns that are one vector, and columns of one value that all nodes have.
TEST(TsmHostile, ManyFieldsOfManyObjects) {
  for (const char* type : {"bool", "Any"}) {
    for (const bool constant : {false, true}) {
      FileBuilder file;
      constexpr uint32_t kFields = 20000;
      const uint32_t values = constant ? 1 : kMany;
      const auto flags = file.fb().CreateVector(std::vector<uint8_t>(values, 0));
      const auto refs = file.fb().CreateVector(std::vector<uint32_t>(values, 0));
      const bool is_bool = std::string(type) == "bool";
      const auto column = is_bool ? tsm::CreateColumn(file.fb(), 0, flags) : tsm::CreateColumn(file.fb(), 0, 0, refs);
      const auto objects = file.Add(Form::Object, kMany, std::vector<FileBuilder::Column>(kFields, column));
      const auto none = file.Add(Form::None, 1, {});
      std::vector<uint32_t> all(kMany + 1);
      for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
      const auto ends = file.fb().CreateVector(std::vector<uint32_t>{kMany + 1});
      const auto list = file.Add(Form::Array, 1, {file.ListOf(ends, file.fb().CreateVector(all))});
      std::vector<uint16_t> nodes(kMany + 2, 1);
      nodes.front() = 0;
      nodes.back() = 2;
      ExpectRefused(file.Finish({none, objects, list}, nodes, {SchemaOf(kFields, type)}),
                    "ValueError: .*(vectors|times the size of the file)");
    }
  }
}

TEST(TsmHostile, TheSameSchemaManyTimes) {
  FileBuilder file;
  const std::vector<uint8_t> schema = SchemaOf(20000, "ffi.Array<ffi.String>");
  file.fb().ForceVectorAlignment(schema.size(), 1, 8);
  const auto data = tsm::CreateSchemaData(file.fb(), file.fb().CreateVector(schema));
  const auto none = file.Add(Form::None, 1, {});
  const std::string bytes = file.FinishWith({none}, {0}, std::vector<Offset<tsm::SchemaData>>(60000, data), "", 0);
  ExpectRefused(bytes, "ValueError: .*schemas");
}

// Texts and tensors that are all the same blob.
TEST(TsmHostile, ManyCopiesOfABlob) {
  const std::string blob(4 << 20, '\0');
  for (const Form form : {Form::String, Form::Bytes, Form::Tensor}) {
    constexpr uint32_t kCopies = 20000;
    FileBuilder file;
    auto& fb = file.fb();
    const auto blob_numbers = tsm::CreateColumn(fb, 0, 0, fb.CreateVector(std::vector<uint32_t>{1}));
    std::vector<FileBuilder::Column> columns;
    if (form == Form::Tensor) {
      std::vector<uint32_t> ends;
      for (uint32_t i = 0; i < kCopies; ++i) ends.push_back(i + 1);
      const std::vector<tsm::DataType> dtype = {{0, 8, 1}};
      const std::vector<tsm::Device> device = {{1, 0}};
      columns.push_back(tsm::CreateColumn(fb, 0, 0, 0, 0, 0, fb.CreateVectorOfStructs(dtype)));
      columns.push_back(tsm::CreateColumn(fb, 0, 0, 0, 0, 0, 0, fb.CreateVectorOfStructs(device)));
      const auto end_vector = fb.CreateVector(ends);
      const auto extents = fb.CreateVector(std::vector<int64_t>(kCopies, static_cast<int64_t>(blob.size())));
      columns.push_back(tsm::CreateColumn(fb, end_vector, 0, 0, extents));
    } else {
      const auto ends = fb.CreateVector(std::vector<uint32_t>(kCopies, 0));
      columns.push_back(tsm::CreateColumn(fb, ends, fb.CreateVector(std::vector<uint8_t>())));
    }
    columns.push_back(blob_numbers);
    const auto copies = file.Add(form, kCopies, columns);
    std::vector<uint32_t> all(kCopies);
    for (uint32_t i = 0; i < kCopies; ++i) all[i] = i;
    const auto ends = fb.CreateVector(std::vector<uint32_t>{kCopies});
    const auto list = file.Add(Form::Array, 1, {file.ListOf(ends, fb.CreateVector(all))});
    std::vector<uint16_t> nodes(kCopies + 1, 0);
    nodes.back() = 1;
    const std::string bytes = file.Finish({copies, list}, nodes, {}, blob, 1);
    ExpectBounded([&] { return LoadError(bytes); }, "ValueError: .*times the size of the file");
  }
}

// Containers of containers, each of them small and all of them shared: 8^30 elements when unfolded.
std::string NestedType(int levels) {
  std::string type = "int";
  for (int i = 0; i < levels; ++i) type = "ffi.Array<" + type + ">";
  return type;
}

TEST(TsmHostile, SmallContainersThatAreShared) {
  constexpr int kLevels = 30;
  std::string nodes = R"({"type":"int","data":1})";
  for (int i = 0; i < kLevels; ++i) {
    std::string refs;
    for (int k = 0; k < 8; ++k) refs += (k == 0 ? "" : ",") + std::to_string(i);
    nodes += R"(,{"type":"ffi.Array","data":[)" + refs + "]}";
  }
  const std::string text =
      testing::Graph(nodes + R"(,{"type":"h.T","data":{"f":)" + std::to_string(kLevels) + "}}", kLevels + 1);
  for (const std::string& type : {NestedType(kLevels), "Optional<" + NestedType(kLevels) + ">"}) {
    LoadOptions options;
    options.schema = schema::Schema::Parse(
        R"({"transom_schema":1,"name":"h","types":{"h.T":{"fields":[{"name":"f","type":")" + type + "\"}]}}}", "h");
    ExpectBounded([&] { return ErrorOf([&] { LoadTSM(SaveTSM(LoadJSON(text, options).value)); }); }, "^no error$");
  }
}

// One container in fields of many declared types, each of which fits: all its elements are None.
TEST(TsmHostile, ManyDeclaredTypesOfALargeContainer) {
  constexpr int kTypes = 10000, kElements = 300000;
  std::string fields, data, elements;
  for (int i = 0; i < kTypes; ++i) {
    const std::string comma = i == 0 ? "" : ",";
    fields += comma + R"({"name":"f)" + std::to_string(i) + R"(","type":"ffi.Array<x.T)" + std::to_string(i) + ">\"}";
    data += comma + "\"f" + std::to_string(i) + "\":1";
  }
  for (int i = 0; i < kElements; ++i) elements += i == 0 ? "0" : ",0";
  const std::string nodes =
      R"({"type":"None"},{"type":"ffi.Array","data":[)" + elements + R"(]},{"type":"h.T","data":{)" + data + "}}";
  LoadOptions options;
  options.schema =
      schema::Schema::Parse(R"({"transom_schema":1,"name":"h","types":{"h.T":{"fields":[)" + fields + "]}}}", "h");
  const std::string pattern = "ValueError: .*node 2 .h.T.: .*of so many types of containers";
  ExpectBounded([&] { return ErrorOf([&] { LoadJSON(testing::Graph(nodes, 2), options); }); }, pattern);
  // The same as a .tsm file, from records whose fields say nothing of elements.
  std::string any_fields = fields;
  for (size_t at; (at = any_fields.find("ffi.Array<")) != std::string::npos;)
    any_fields.replace(at, any_fields.find('>', at) + 1 - at, "Any");
  LoadOptions any;
  any.schema =
      schema::Schema::Parse(R"({"transom_schema":1,"name":"h","types":{"h.T":{"fields":[)" + any_fields + "]}}}", "h");
  const std::string file = SaveTSM(LoadJSON(testing::Graph(nodes, 2), any).value);
  ExpectBounded([&] { return ErrorOf([&] { LoadTSM(file, options); }); }, pattern);
}

TEST(TsmHostile, KeysThatCollide) {
  test::CollidingKeys keys;
  constexpr uint32_t kKeys = 100000;
  FileBuilder file;
  auto& fb = file.fb();
  std::vector<uint8_t> text;
  std::vector<uint32_t> ends, entries;
  for (uint32_t i = 0; i < kKeys; ++i) {
    const String key = keys.Next();
    text.insert(text.end(), key.data(), key.data() + key.size());
    ends.push_back(static_cast<uint32_t>(text.size()));
    entries.insert(entries.end(), {i, i});
  }
  const auto end_vector = fb.CreateVector(ends);
  const auto first = tsm::CreateColumn(fb, end_vector, fb.CreateVector(text));
  const auto second = tsm::CreateColumn(fb, 0, 0, fb.CreateVector(std::vector<uint32_t>{0}));
  const auto strings = file.Add(Form::String, kKeys, {first, second});
  const auto map_ends = fb.CreateVector(std::vector<uint32_t>{2 * kKeys});
  const auto map = file.Add(Form::Map, 1, {file.ListOf(map_ends, fb.CreateVector(entries))});
  std::vector<uint16_t> nodes(kKeys + 1, 0);
  nodes.back() = 1;
  const std::string bytes = file.Finish({strings, map}, nodes, {});
  ExpectBounded([&] { return LoadError(bytes); }, "ValueError: node 100000 .ffi.Map.: the object cannot be made: ");
}

// Data of a type's own form: JSON that is deep.
TEST(TsmHostile, DeepCustomData) {
  LoadOptions options;
  options.schema = schema::Schema::Parse(R"({"transom_schema":1,"name":"h","types":{"h.Op":{"data":"custom"}}})", "h");
  const std::string deep = std::string(kMany, '[') + std::string(kMany, ']');
  testing::TsmParts parts =
      testing::TsmParts::Of(SaveTSM(testing::Load(testing::Graph(R"({"type":"h.Op","data":"add"})", 0), options)));
  parts.Group(Form::Custom).columns[1]->u32 = {1 + parts.AddBlob(deep)};
  parts.Group(Form::Custom).columns[0]->u8.clear();
  parts.Group(Form::Custom).columns[0]->ends = {0};
  const std::string bytes = parts.ToFile();
  ExpectBounded([&] { return LoadError(bytes); }, "^no error$|ValueError: node 0");
}

// ---- Schemas

std::string WithSchema(const std::function<void(tsm::SchemaT&)>& fill) {
  tsm::SchemaT schema;
  fill(schema);
  FlatBufferBuilder builder;
  builder.Finish(tsm::Schema::Pack(builder, &schema));
  FileBuilder file;
  return file.Finish({file.Add(Form::None, 1, {})}, {0},
                     {{builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()}});
}

std::unique_ptr<tsm::TypeT> TypeNamed(const std::string& key, const std::string& parent = "") {
  auto type = std::make_unique<tsm::TypeT>();
  type->key = key;
  type->parent = parent;
  return type;
}

TEST(TsmHostile, ChainsOfParentsWithManyFields) {
  const std::string file = WithSchema([](tsm::SchemaT& schema) {
    for (int i = 0; i < 20000; ++i) {
      schema.types.push_back(TypeNamed("h.T" + std::to_string(i), i == 0 ? "" : "h.T" + std::to_string(i - 1)));
      schema.types.back()->fields.push_back(std::make_unique<tsm::FieldT>());
      schema.types.back()->fields[0]->name = "f" + std::to_string(i);
      schema.types.back()->fields[0]->type = "int";
    }
  });
  ExpectRefused(file, "ValueError: .*the types inherit too many fields");
}

TEST(TsmHostile, ParentsInACircle) {
  const std::string file = WithSchema([](tsm::SchemaT& schema) {
    for (int i = 0; i < 50000; ++i)
      schema.types.push_back(TypeNamed("h.T" + std::to_string(i), "h.T" + std::to_string((i + 1) % 50000)));
  });
  ExpectRefused(file, "ValueError: .*its parents form a cycle");
}

// Fields that are one table with one long text.
TEST(TsmHostile, TextsThatAreShared) {
  FlatBufferBuilder builder;
  const auto name = builder.CreateString("f"), text = builder.CreateString(std::string(kMany, 'x')),
             key = builder.CreateString("h.T");
  const auto field = tsm::CreateField(builder, name, text);
  const auto fields = builder.CreateVector(std::vector<Offset<tsm::Field>>(50000, field));
  const auto type = tsm::CreateType(builder, key, 0, tsm::Structural::None, fields);
  builder.Finish(tsm::CreateSchema(builder, 0, 0, builder.CreateVector(std::vector<Offset<tsm::Type>>{type})));
  FileBuilder file;
  const std::string bytes = file.Finish({file.Add(Form::None, 1, {})}, {0},
                                        {{builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()}});
  ExpectRefused(bytes, "ValueError: .*its texts are many times the size of the schema");
}

}  // namespace
}  // namespace transom
