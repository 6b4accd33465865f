#include "formats/tsm/tsm_table.h"

#include <transom/runtime/error.h>
#include <tsm_generated.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/io/tensor_stream.h"
#include "formats/tsm/tsm_schema.h"
#include "formats/tsm/tsm_verify.h"
#include "schema/message.h"

namespace transom::formats {
namespace {

namespace fb = transom::tsm;
using fb::Form;
using schema::TypeKind;

// What the elements of a column are.
enum class Elements : uint8_t { kNothing, kU8, kU32, kI64, kF64, kDType, kDevice };

struct ColumnShape {
  Elements elements;
  bool is_list = false;
};

std::string ExpectedText(Elements elements) {
  constexpr std::string_view kNames[] = {"", "u8", "u32", "i64", "f64", "dtype", "device"};
  if (elements == Elements::kNothing) return "expected no vector";
  return "expected " + std::string(kNames[static_cast<size_t>(elements)]) + " and no other vector";
}

uint64_t SizeOf(Elements elements) {
  constexpr uint64_t kSizes[] = {0, 1, 4, 8, 8, sizeof(DLDataType), sizeof(DLDevice)};
  return kSizes[static_cast<size_t>(elements)];
}

Elements ElementsOf(TypeKind kind) {
  switch (kind) {
    case TypeKind::kNone:
      return Elements::kNothing;
    case TypeKind::kBool:
      return Elements::kU8;
    case TypeKind::kInt:
      return Elements::kI64;
    case TypeKind::kFloat:
      return Elements::kF64;
    case TypeKind::kDataType:
      return Elements::kDType;
    default:
      return Elements::kU32;
  }
}

int32_t TypeIndexOf(Form form) {
  constexpr int32_t kIndices[] = {
      kTVMFFINone, kTVMFFIBool,  kTVMFFIInt,    kTVMFFIFloat,          kTVMFFIDataType,      kTVMFFIDevice,
      kTVMFFIStr,  kTVMFFIBytes, kTVMFFIBigInt, kTVMFFIShape,          kTVMFFITensor,        kTVMFFIArray,
      kTVMFFIList, kTVMFFIMap,   kTVMFFIDict,   kTVMFFIDynObjectBegin, kTVMFFIDynObjectBegin};
  return kIndices[static_cast<size_t>(form)];
}

std::vector<ColumnShape> ShapesOf(const TsmGroup& group) {
  std::vector<ColumnShape> shapes;
  switch (group.form) {
    case Form::None:
      return {};
    case Form::Bool:
      return {{Elements::kU8}};
    case Form::Int:
      return {{Elements::kI64}};
    case Form::Float:
      return {{Elements::kF64}};
    case Form::DataType:
      return {{Elements::kDType}};
    case Form::Device:
      return {{Elements::kDevice}};
    case Form::String:
    case Form::Bytes:
    case Form::Custom:
      return {{Elements::kU8, true}, {Elements::kU32}};
    case Form::BigInt:
    case Form::Shape:
      return {{Elements::kI64, true}};
    case Form::Tensor:
      return {{Elements::kDType}, {Elements::kDevice}, {Elements::kI64, true}, {Elements::kU32}};
    case Form::Array:
    case Form::List:
    case Form::Map:
    case Form::Dict:
      return {{Elements::kU32, true}};
    case Form::Object:
      for (const schema::FieldDescriptor& field : group.type->fields) shapes.push_back({ElementsOf(field.type.kind)});
      return shapes;
  }
  return {};
}

// Takes the vector that a column must have; the number of vectors that are there tells whether it has others too.
class ColumnReader {
 public:
  ColumnReader(const fb::Column& column, Elements wanted) : wanted_(wanted) {
    Look(Elements::kU8, column.u8());
    Look(Elements::kU32, column.u32());
    Look(Elements::kI64, column.i64());
    Look(Elements::kF64, column.f64());
    Look(Elements::kDType, column.dtype());
    Look(Elements::kDevice, column.device());
  }
  // A vector without elements may be left out.
  bool matches(bool may_be_empty) const {
    return others_ == 0 && (found_ || may_be_empty || wanted_ == Elements::kNothing);
  }
  const void* data() const { return data_; }
  uint64_t size() const { return size_; }

 private:
  template <class Vector>
  void Look(Elements elements, const Vector* vector) {
    if (vector == nullptr) return;
    if (elements != wanted_) {
      ++others_;
      return;
    }
    found_ = true;
    data_ = vector->Data();
    size_ = vector->size();
  }
  Elements wanted_;
  int others_ = 0;
  bool found_ = false;
  const void* data_ = nullptr;
  uint64_t size_ = 0;
};

template <class Where>
TsmColumn ReadColumn(const fb::Column& from, ColumnShape shape, uint32_t count, std::string_view source, Where where) {
  const ColumnReader reader(from, shape.elements);
  if (!reader.matches(shape.is_list)) ThrowTsm(source, where() + ExpectedText(shape.elements));
  if ((from.ends() != nullptr) != shape.is_list) {
    ThrowTsm(source, where() + (shape.is_list ? "the vector \"ends\" is missing" : "an unexpected vector \"ends\""));
  }
  const bool has_words = shape.elements == Elements::kI64 || shape.elements == Elements::kF64;
  if (has_words && !MayHoldWords(reader.data(), reader.size()))
    ThrowTsm(source, where() + "the vector is not aligned to 8 bytes");
  TsmColumn column;
  column.data = reader.data();
  column.size = reader.size();
  if (!shape.is_list) {
    column.step = column.size == count ? 1 : 0;
    if (shape.elements != Elements::kNothing && column.size != count && column.size != 1) {
      ThrowTsm(source, where() + std::to_string(column.size) + " values, where the group has " + std::to_string(count) +
                           " nodes");
    }
    return column;
  }
  if (from.ends()->size() != count) {
    ThrowTsm(source, where() + std::to_string(from.ends()->size()) + " ends, where the group has " +
                         std::to_string(count) + " nodes");
  }
  column.ends = from.ends()->data();
  uint32_t last = 0;
  for (uint32_t row = 0; row < count; ++row) {
    if (column.ends[row] < last)
      ThrowTsm(source, where() + "the ends must ascend; end " + std::to_string(row) + " does not");
    last = column.ends[row];
  }
  if (last != column.size) {
    ThrowTsm(source, where() + "the ends lead to " + std::to_string(last) + ", where the vector has " +
                         std::to_string(column.size) + " elements");
  }
  return column;
}

template <class Where>
void CheckBools(const TsmColumn& column, std::string_view source, Where where) {
  for (uint64_t i = 0; i < column.size; ++i) {
    if (column.Elements<uint8_t>()[i] > 1)
      ThrowTsm(source, where() + "value " + std::to_string(i) + " of a truth value is neither 0 nor 1");
  }
}

}  // namespace

TsmTable::TsmTable(const TsmFile& file) : file_(file), schemas_(ReadTsmSchemas(file)) {
  ReadNodeGroups();
  ReadGroups();
  NumberRows();
  CheckObjects();
}

std::string_view TsmTable::metadata() const {
  const flatbuffers::String* text = file_.graph().metadata();
  return text == nullptr ? std::string_view() : std::string_view(text->c_str(), text->size());
}

std::vector<schema::SchemaRef> ReadTsmSchemas(const TsmFile& file) {
  std::vector<schema::SchemaRef> result;
  const auto* schemas = file.graph().schemas();
  if (schemas == nullptr) return result;
  uint64_t total = 0;
  for (const fb::SchemaData* data : *schemas) {
    const auto* bytes = data->schema();
    total += bytes->size();
    if (total > file.graph_size())
      ThrowTsm(file.source(),
               "the schemas in the file lie in the same bytes, and take more than the graph section has");
    if (!MayHoldWords(bytes->data(), bytes->size()))
      ThrowTsm(file.source(), "a schema in the file is not aligned to 8 bytes");
    result.push_back(
        ReadTsmSchema({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, std::string(file.source())));
  }
  return result;
}

void TsmTable::ReadGroups() {
  const std::vector<uint32_t> counts = CountNodes();
  groups_.reserve(counts.size());
  for (uint32_t i = 0; i < counts.size(); ++i) ReadGroup(i, counts[i]);
}

void TsmTable::ReadType(const fb::Group& from, TsmGroup* group, const std::string& where) const {
  if (from.schema() >= schemas_.size() || from.type() >= schemas_[from.schema()]->types().size()) {
    ThrowTsm(file_.source(), where + "type " + std::to_string(from.type()) + " of schema " +
                                 std::to_string(from.schema()) + " is not in the file");
  }
  group->schema = from.schema();
  group->type = schemas_[from.schema()]->types()[from.type()].get();
  if (group->type->custom_data != (group->form == Form::Custom)) {
    ThrowTsm(file_.source(), where + "objects of type " + group->type->key +
                                 (group->type->custom_data ? " have data of their own form, not fields"
                                                           : " have fields, not data of their own form"));
  }
}

void TsmTable::ReadGroup(uint32_t number, uint32_t num_nodes) {
  const fb::Group& from = *file_.graph().groups()->Get(number);
  const std::string_view source = file_.source();
  const auto number_text = [&] { return "group " + std::to_string(number) + ": "; };
  if (from.form() > Form::MAX)
    ThrowTsm(source, number_text() + "form " + std::to_string(static_cast<int>(from.form())) +
                         " is not known here; a newer Transom may know it");
  TsmGroup& group = groups_.emplace_back();
  group.form = from.form();
  group.count = from.count();
  group.type_index = TypeIndexOf(group.form);
  has_none_ = has_none_ || group.form == Form::None;
  group.is_map = group.form == Form::Map || group.form == Form::Dict;
  group.is_container = group.is_map || group.form == Form::Array || group.form == Form::List;
  if (group.form == Form::Object || group.form == Form::Custom) ReadType(from, &group, number_text());
  const auto where = [&] { return "group " + std::to_string(number) + " (" + std::string(KeyOf(group)) + "): "; };
  if (group.count == 0) ThrowTsm(source, where() + "a group without nodes");
  // Before the columns are read, as hostile groups may all have the same ones.
  if (group.count != num_nodes) {
    ThrowTsm(source, where() + std::to_string(group.count) + " nodes, where the table of nodes has " +
                         std::to_string(num_nodes));
  }
  const std::vector<ColumnShape> shapes = ShapesOf(group);
  const size_t columns = from.columns() == nullptr ? 0 : from.columns()->size();
  if (columns != shapes.size()) {
    ThrowTsm(source,
             where() + std::to_string(columns) + " columns, where there must be " + std::to_string(shapes.size()));
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto column = [&] {
      return where() +
             (group.form == Form::Object ? "field " + schema::Quote(group.type->fields[i].name)
                                         : "column " + std::to_string(i)) +
             ": ";
    };
    group.columns.push_back(
        ReadColumn(*from.columns()->Get(static_cast<uint32_t>(i)), shapes[i], group.count, source, column));
    TakeVectors(group.columns.back(), SizeOf(shapes[i].elements));
    if (shapes[i].elements == Elements::kU8 && !shapes[i].is_list) CheckBools(group.columns.back(), source, column);
  }
}

// Vectors of columns have a place of their own in sound files, or few do not.
void TsmTable::TakeVectors(const TsmColumn& column, uint64_t element_size) {
  constexpr uint64_t kMaxSharing = 16, kAlwaysAllowed = uint64_t{1} << 20;
  const uint64_t num_ends = column.ends == nullptr ? 0 : groups_.back().count;
  vector_bytes_ += column.size * element_size + num_ends * sizeof(uint32_t);
  if (vector_bytes_ <= kMaxSharing * file_.graph_size() + kAlwaysAllowed) return;
  ThrowTsm(file_.source(),
           "the vectors of the columns lie in the same bytes, and take many times the size of the graph section");
}

// Objects of many fields can be said in few bytes.
void TsmTable::CheckObjects() const {
  uint64_t total = 0;
  for (const TsmGroup& group : groups_) {
    if (group.form == Form::Object) total += uint64_t{group.count} * (group.type->instance_size + group.columns.size());
  }
  file_.CheckMemory(total);
}

void TsmTable::ReadNodeGroups() {
  const std::string_view source = file_.source();
  const auto* narrow = file_.graph().node_groups8();
  const auto* wide = file_.graph().node_groups16();
  if ((narrow != nullptr) == (wide != nullptr))
    ThrowTsm(source, "expected one of the tables node_groups8 and node_groups16");
  if (narrow != nullptr) {
    node_groups_.assign(narrow->begin(), narrow->end());
  } else {
    node_groups_.assign(wide->begin(), wide->end());
  }
  num_nodes_ = static_cast<uint32_t>(node_groups_.size());
  if (num_nodes_ == 0) ThrowTsm(source, "the file has no nodes");
}

// By group.
std::vector<uint32_t> TsmTable::CountNodes() const {
  std::vector<uint32_t> counts(file_.graph().groups()->size());
  for (uint32_t i = 0; i < num_nodes_; ++i) {
    const uint32_t group = GroupOf(i);
    if (group >= counts.size()) {
      ThrowTsm(file_.source(), "node " + std::to_string(i) + ": group " + std::to_string(group) +
                                   ", where the file has " + std::to_string(counts.size()));
    }
    ++counts[group];
  }
  return counts;
}

void TsmTable::NumberRows() {
  first_node_.reserve(groups_.size());
  uint32_t first = 0;
  for (const TsmGroup& group : groups_) {
    first_node_.push_back(first);
    first += group.count;
  }
  std::vector<uint32_t> next = first_node_;
  rows_.resize(num_nodes_);
  nodes_.resize(num_nodes_);
  for (uint32_t i = 0; i < num_nodes_; ++i) {
    const uint32_t group = GroupOf(i);
    rows_[i] = next[group] - first_node_[group];
    nodes_[next[group]++] = i;
  }
}

bool TsmTable::HoldsReferences(const TsmGroup& group, size_t column) {
  if (group.form == Form::Object) return ElementsOf(group.type->fields[column].type.kind) == Elements::kU32;
  return group.is_container;
}

std::vector<uint32_t> TsmTable::CountReferences() const {
  std::vector<uint32_t> counts(num_nodes_);
  for (uint32_t g = 0; g < groups_.size(); ++g) {
    const TsmGroup& group = groups_[g];
    for (size_t c = 0; c < group.columns.size(); ++c) {
      if (HoldsReferences(group, c)) CountReferences(g, group.columns[c], &counts);
    }
  }
  for (uint32_t i = 0; i + 1 < num_nodes_; ++i) {
    if (counts[i] == 0)
      ThrowTsm(file_.source(), NodeText(i) + "no other node refers to it, and it is not the last, which is the root");
  }
  return counts;
}

void TsmTable::CountReferences(uint32_t group, const TsmColumn& column, std::vector<uint32_t>* counts) const {
  const uint32_t* nodes = NodesOf(group);
  const uint32_t* refs = column.Elements<uint32_t>();
  uint32_t* const count = counts->data();
  const auto check = [&](uint32_t reference, uint32_t node) {
    if (reference < node) return;
    ThrowTsm(file_.source(), NodeText(node) + "it refers to node " + std::to_string(reference) +
                                 "; a node can refer only to those before it");
  };
  if (column.ends == nullptr) {
    const uint64_t size = column.size;
    for (uint64_t row = 0; row < size; ++row) {
      check(refs[row], nodes[row]);
      ++count[refs[row]];
    }
    // A single reference stands for as many as there are nodes.
    if (column.step == 0) AddCount(groups_[group].count - 1, refs[0], counts);
    return;
  }
  uint32_t i = 0;
  for (uint32_t row = 0; row < groups_[group].count; ++row) {
    const uint32_t size = column.ends[row] - i;
    if (groups_[group].is_map && size % 2 != 0) {
      ThrowTsm(file_.source(),
               NodeText(nodes[row]) + "a map of " + std::to_string(size) + " elements; keys and values must alternate");
    }
    const uint32_t end = column.ends[row];
    for (const uint32_t node = nodes[row]; i < end; ++i) {
      check(refs[i], node);
      ++count[refs[i]];
    }
  }
}

// Counts of memory have 32 bits; references that are stored one by one cannot reach half of that.
void TsmTable::AddCount(uint32_t n, uint32_t node, std::vector<uint32_t>* counts) const {
  constexpr uint32_t kMax = uint32_t{1} << 31;
  if (n > kMax - std::min(kMax, (*counts)[node]))
    ThrowTsm(file_.source(), NodeText(node) + "more than 2,147,483,648 references lead to it");
  (*counts)[node] += n;
}

std::string_view TsmTable::KeyOf(const TsmGroup& group) {
  if (group.type != nullptr) return group.type->key;
  return transom::detail::ToStringView(TVMFFIGetTypeInfo(group.type_index)->type_key);
}

std::string TsmTable::NodeText(uint32_t node) const {
  return "node " + std::to_string(node) + " (" + std::string(KeyOf(groups_[GroupOf(node)])) + "): ";
}

std::string TsmTable::NodeText(const TsmGroup& group, uint32_t row) const {
  return NodeText(NodesOf(static_cast<uint32_t>(&group - groups_.data()))[row]);
}

std::string_view TsmTable::Blob(uint32_t reference, const TsmGroup& group, uint32_t row) const {
  if (reference <= file_.num_blobs()) return file_.blob(reference - 1);
  ThrowTsm(file_.source(), NodeText(group, row) + "blob " + std::to_string(reference - 1) + ", where the file has " +
                               std::to_string(file_.num_blobs()));
}

std::string_view TsmTable::TextAt(const TsmGroup& group, uint32_t row) const {
  const uint32_t begin = group.columns[0].Begin(row);
  const uint32_t size = group.columns[0].End(row) - begin;
  const uint32_t blob = group.columns[1].At<uint32_t>(row);
  if (blob == 0) return {static_cast<const char*>(group.columns[0].data) + begin, size};
  if (size != 0) ThrowTsm(file_.source(), NodeText(group, row) + "its text is in a blob and in the column too");
  return Blob(blob, group, row);
}

std::string_view TsmTable::TensorBytesAt(const TsmGroup& group, uint32_t row) const {
  const auto where = [&] { return NodeText(group, row); };
  const auto& dtype = group.columns[0].At<DLDataType>(row);
  // Any number, of which the enumeration of device types may not know.
  int32_t device_type = 0;
  std::memcpy(&device_type, &group.columns[1].At<DLDevice>(row), sizeof(device_type));
  if (device_type != kDLCPU) {
    ThrowTsm(file_.source(), where() + "device type " + std::to_string(device_type) + ", where 1 (CPU) is expected");
  }
  const TsmColumn& extents = group.columns[2];
  const uint32_t begin = extents.Begin(row);
  const int64_t bytes = TensorContentBytes({extents.Elements<int64_t>() + begin, extents.End(row) - begin}, dtype);
  if (bytes < 0) ThrowTsm(file_.source(), where() + "its shape is negative or too large");
  const uint32_t blob = group.columns[3].At<uint32_t>(row);
  const std::string_view content = blob == 0 ? std::string_view() : Blob(blob, group, row);
  if (content.size() != static_cast<uint64_t>(bytes)) {
    ThrowTsm(file_.source(), where() + "a blob of " + std::to_string(content.size()) +
                                 " bytes, where shape and dtype make " + std::to_string(bytes));
  }
  return content;
}

}  // namespace transom::formats
