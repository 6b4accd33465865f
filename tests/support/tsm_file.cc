#include "support/tsm_file.h"

#include <xxhash.h>

#include <cstring>
#include <stdexcept>
#include <utility>

namespace transom::testing {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

constexpr uint64_t kAlignment = 64, kFooterSize = 64;

uint64_t Align(uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

template <class T>
void Put(T value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

uint64_t FooterNumber(std::string_view file, size_t at) {
  uint64_t number = 0;
  std::memcpy(&number, file.data() + file.size() - kFooterSize + at, sizeof(number));
  return number;
}

// Empty vectors of a list are lost in the tables of objects; the form tells which one there must be.
Offset<tsm::Column> PackColumn(FlatBufferBuilder& builder, const tsm::ColumnT& column, tsm::Form form) {
  const bool empty = column.u8.empty() && column.u32.empty() && column.i64.empty() && column.f64.empty();
  const bool bare_list = !column.ends.empty() && empty;
  const bool words = form == tsm::Form::BigInt || form == tsm::Form::Shape || form == tsm::Form::Tensor;
  const bool text = form == tsm::Form::String || form == tsm::Form::Bytes || form == tsm::Form::Custom;
  const auto ends = column.ends.empty() ? 0 : builder.CreateVector(column.ends);
  const auto u8 = column.u8.empty() && !(bare_list && text) ? 0 : builder.CreateVector(column.u8);
  const auto u32 = column.u32.empty() && !(bare_list && !text && !words) ? 0 : builder.CreateVector(column.u32);
  const auto i64 = column.i64.empty() && !(bare_list && words) ? 0 : builder.CreateVector(column.i64);
  const auto f64 = column.f64.empty() ? 0 : builder.CreateVector(column.f64);
  const auto dtype = column.dtype.empty() ? 0 : builder.CreateVectorOfStructs(column.dtype);
  const auto device = column.device.empty() ? 0 : builder.CreateVectorOfStructs(column.device);
  return tsm::CreateColumn(builder, ends, u8, u32, i64, f64, dtype, device);
}

Offset<tsm::Group> PackGroup(FlatBufferBuilder& builder, const tsm::GroupT& group) {
  std::vector<Offset<tsm::Column>> columns;
  for (const auto& column : group.columns) columns.push_back(PackColumn(builder, *column, group.form));
  const auto vector = columns.empty() ? 0 : builder.CreateVector(columns);
  return tsm::CreateGroup(builder, group.form, group.count, group.schema, group.type, vector);
}

Offset<tsm::SchemaData> PackSchema(FlatBufferBuilder& builder, const std::vector<uint8_t>& bytes, bool aligned) {
  // Room for the length and the bytes, so that these begin at a multiple of 8, or 4 bytes beside it.
  builder.ForceVectorAlignment(bytes.size() + (aligned ? 0 : 4), 1, 8);
  return tsm::CreateSchemaData(builder, builder.CreateVector(bytes));
}

}  // namespace

std::string TsmFileOf(std::string_view graph, std::string_view blobs, const TsmFooterFields& fields) {
  std::string file(graph);
  file.resize(Align(file.size()));
  file += blobs;
  file.resize(Align(file.size()));
  std::string footer("\x89TSM\r\n\x1a\n", 8);
  Put(graph.size() + static_cast<uint64_t>(fields.more_graph_bytes), &footer);
  Put(blobs.size() + static_cast<uint64_t>(fields.more_blob_bytes), &footer);
  Put(file.size() + kFooterSize + static_cast<uint64_t>(fields.more_file_bytes), &footer);
  const XXH128_hash_t sum = XXH3_128bits(graph.data(), graph.size());
  Put(uint64_t{sum.low64}, &footer);
  Put(uint64_t{sum.high64}, &footer);
  Put(fields.major, &footer);
  Put(fields.minor, &footer);
  Put(fields.reserved, &footer);
  Put(uint64_t{XXH3_64bits(footer.data(), footer.size())}, &footer);
  return file + footer;
}

std::string_view GraphSection(std::string_view file) { return file.substr(0, FooterNumber(file, 8)); }

std::string_view BlobSection(std::string_view file) {
  return file.substr(Align(FooterNumber(file, 8)), FooterNumber(file, 16));
}

TsmParts TsmParts::Of(std::string_view file) {
  const std::string bytes(GraphSection(file));
  const tsm::Graph* table = tsm::GetGraph(bytes.data());
  TsmParts parts;
  table->UnPackTo(&parts.graph);
  parts.blobs = BlobSection(file);
  parts.has_node_groups8 = table->node_groups8() != nullptr;
  parts.has_node_groups16 = table->node_groups16() != nullptr;
  return parts;
}

std::string TsmParts::GraphBytes() const {
  FlatBufferBuilder builder;
  const auto producer = graph.producer.empty() ? 0 : builder.CreateString(graph.producer);
  const auto metadata = graph.metadata.empty() ? 0 : builder.CreateString(graph.metadata);
  std::vector<Offset<tsm::SchemaData>> schemas;
  for (const auto& schema : graph.schemas) schemas.push_back(PackSchema(builder, schema->schema, aligned_schemas));
  const auto schema_vector = schemas.empty() ? 0 : builder.CreateVector(schemas);
  std::vector<Offset<tsm::Group>> groups;
  for (const auto& group : graph.groups) groups.push_back(PackGroup(builder, *group));
  const auto group_vector = builder.CreateVector(groups);
  const auto narrow = has_node_groups8 ? builder.CreateVector(graph.node_groups8) : 0;
  const auto wide = has_node_groups16 ? builder.CreateVector(graph.node_groups16) : 0;
  const auto blob_vector = graph.blobs.empty() ? 0 : builder.CreateVectorOfStructs(graph.blobs);
  builder.Finish(tsm::CreateGraph(builder, producer, metadata, schema_vector, narrow, wide, group_vector, blob_vector),
                 tsm::GraphIdentifier());
  return std::string(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
}

tsm::GroupT& TsmParts::Group(tsm::Form form) {
  for (auto& group : graph.groups) {
    if (group->form == form) return *group;
  }
  throw std::runtime_error("the file has no group of the form");
}

void TsmParts::EditSchema(size_t i, const std::function<void(tsm::SchemaT&)>& edit) {
  std::vector<uint8_t>& bytes = graph.schemas.at(i)->schema;
  tsm::SchemaT schema;
  flatbuffers::GetRoot<tsm::Schema>(bytes.data())->UnPackTo(&schema);
  edit(schema);
  FlatBufferBuilder builder;
  builder.Finish(tsm::Schema::Pack(builder, &schema));
  bytes.assign(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
}

uint32_t TsmParts::AddBlob(std::string_view bytes) {
  blobs.resize(Align(blobs.size()));
  blobs += bytes;
  graph.blobs.emplace_back(bytes.size(), XXH3_64bits(bytes.data(), bytes.size()));
  return static_cast<uint32_t>(graph.blobs.size()) - 1;
}

}  // namespace transom::testing
