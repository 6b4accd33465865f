#include "formats/tsm/tsm_writer.h"

#include <transom/formats/tsm.h>
#include <transom/runtime/error.h>
#include <transom/version.h>
#include <tsm_generated.h>

#include <algorithm>
#include <map>
#include <utility>

#include "formats/nodes/json_value.h"
#include "formats/nodes/save_support.h"
#include "formats/tsm/tsm_file.h"
#include "formats/tsm/tsm_nodes.h"
#include "formats/tsm/tsm_schema.h"
#include "schema/builder.h"

namespace transom {
namespace formats {
namespace {

namespace fb = transom::tsm;
using fb::Form;
using flatbuffers::Offset;
using schema::TypeDescriptor;
using schema::TypeKind;
using Columns = std::vector<Offset<fb::Column>>;

static_assert(sizeof(fb::DataType) == sizeof(DLDataType) && sizeof(fb::Device) == sizeof(DLDevice),
              "the structs of DLPack");

// Where a type is described: numbers of the schema and of the type in it.
struct TypePlace {
  uint16_t schema = 0;
  uint32_t type = 0;
};

// The graph section: turns rows into columns.
class GraphWriter {
 public:
  GraphWriter(TsmNodes& nodes, const SaveOptions& options)
      : nodes_(nodes), options_(options), builder_(InitialSize()) {}

  // The finished FlatBuffer.
  flatbuffers::FlatBufferBuilder& Write() {
    const auto producer = builder_.CreateString("Transom " TRANSOM_VERSION);
    const auto metadata = options_.metadata.empty() ? 0 : builder_.CreateString(options_.metadata);
    const auto schemas = WriteSchemas();
    std::vector<Offset<fb::Group>> groups;
    for (TsmNodeGroup* group : nodes_.groups()) {
      groups.push_back(WriteGroup(*group));
      ReleaseRows(group);
    }
    const auto group_vector = builder_.CreateVector(groups);
    Offset<flatbuffers::Vector<uint8_t>> narrow = 0;
    Offset<flatbuffers::Vector<uint16_t>> wide = 0;
    const graph::Stack<uint16_t>& node_groups = nodes_.node_groups();
    if (groups.size() > 256) {
      wide = builder_.CreateVector(node_groups.begin(), node_groups.size());
    } else {
      uint8_t* out = nullptr;
      narrow = builder_.CreateUninitializedVector(node_groups.size(), &out);
      std::copy(node_groups.begin(), node_groups.end(), out);
    }
    builder_.Finish(fb::CreateGraph(builder_, producer, metadata, schemas, narrow, wide, group_vector, WriteBlobs()),
                    fb::GraphIdentifier());
    return builder_;
  }

 private:
  // About the size of the section, so that the buffer need not grow; and the place where a graph that is too large is
  // refused.
  size_t InitialSize() const {
    constexpr uint64_t kPerGroup = 1024, kOther = 65536;
    uint64_t bytes =
        kOther + options_.metadata.size() + nodes_.node_groups().size() * (nodes_.groups().size() > 256 ? 2 : 1);
    for (TsmNodeGroup* group : nodes_.groups()) {
      const TsmNodeGroup& g = *group;
      bytes += kPerGroup + g.refs.size() * sizeof(g.refs[0]) + g.words.size() * sizeof(g.words[0]) +
               g.ends.size() * sizeof(g.ends[0]) + g.text.size() + g.blobs.size() * sizeof(g.blobs[0]) +
               g.dtypes.size() * sizeof(DLDataType) + g.devices.size() * sizeof(DLDevice);
    }
    bytes += nodes_.blobs().blobs().size() * sizeof(fb::Blob);
    if (bytes > kTsmMaxGraphBytes) ThrowGraphTooLarge(bytes);
    return bytes;
  }

  // The rows are in the buffer now, which may need the memory.
  static void ReleaseRows(TsmNodeGroup* group) {
    group->refs.Release();
    group->words.Release();
    group->text = {};
  }

  Offset<flatbuffers::Vector<Offset<fb::SchemaData>>> WriteSchemas() {
    std::vector<const graph::TypePlan*> plans;
    for (TsmNodeGroup* group : nodes_.groups()) {
      if (group->plan != nullptr) plans.push_back(group->plan);
    }
    used_ = DescribeTypes(plans, &registered_);
    const std::vector<std::vector<const TypeDescriptor*>> parts = schema::PartitionTypes(used_);
    std::vector<Offset<fb::SchemaData>> schemas;
    for (const auto& types : parts) {
      for (size_t i = 0; i < types.size(); ++i) {
        const TypePlace place{static_cast<uint16_t>(schemas.size()), static_cast<uint32_t>(i)};
        places_.emplace(std::pair(types[i]->digest[0], types[i]->digest[1]), place);
      }
      const std::string bytes = WriteTsmSchema(CommonName(types), types);
      builder_.ForceVectorAlignment(bytes.size(), 1, sizeof(uint64_t));
      schemas.push_back(fb::CreateSchemaData(
          builder_, builder_.CreateVector(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size())));
    }
    return schemas.empty() ? 0 : builder_.CreateVector(schemas);
  }

  // Name of the schema that all the types are from; the registry's has none of its own.
  static std::string CommonName(const std::vector<const TypeDescriptor*>& types) {
    const schema::Schema* schema = types[0]->schema;
    for (const TypeDescriptor* type : types) {
      if (type->schema->name() != schema->name()) return "";
    }
    return schema->name();
  }

  // A column of `n` values, of one when all are equal.
  template <class T, class ValueAt>
  Offset<flatbuffers::Vector<T>> Values(uint32_t n, ValueAt value_at) {
    uint32_t equal = 1;
    while (equal < n && value_at(equal) == value_at(0)) ++equal;
    if (equal == n) n = 1;
    T* out = nullptr;
    const auto column = builder_.CreateUninitializedVector(n, &out);
    for (uint32_t i = 0; i < n; ++i) out[i] = value_at(i);
    return column;
  }

  template <class Struct, class T>
  Offset<flatbuffers::Vector<const Struct*>> Structs(const std::vector<T>& values) {
    const bool equal = std::all_of(values.begin(), values.end(),
                                   [&](const T& v) { return std::memcmp(&v, &values[0], sizeof(T)) == 0; });
    return builder_.CreateVectorOfStructs(reinterpret_cast<const Struct*>(values.data()), equal ? 1 : values.size());
  }

  template <class Fill>
  void AddColumn(Columns* columns, Fill fill) {
    fb::ColumnBuilder column(builder_);
    fill(column);
    columns->push_back(column.Finish());
  }

  void U32Column(Columns* columns, const std::vector<uint32_t>& values) {
    const auto vector = Values<uint32_t>(static_cast<uint32_t>(values.size()), [&](uint32_t i) { return values[i]; });
    AddColumn(columns, [&](auto& c) { c.add_u32(vector); });
  }
  void TextColumns(Columns* columns, const TsmNodeGroup& g) {
    const auto ends = builder_.CreateVector(g.ends.begin(), g.ends.size());
    const auto text = builder_.CreateVector(reinterpret_cast<const uint8_t*>(g.text.data()), g.text.size());
    AddColumn(columns, [&](auto& c) {
      c.add_ends(ends);
      c.add_u8(text);
    });
    U32Column(columns, g.blobs);
  }
  void ListColumn(Columns* columns, const TsmNodeGroup& g) {
    const auto ends = builder_.CreateVector(g.ends.begin(), g.ends.size());
    const auto refs = builder_.CreateVector(g.refs.begin(), g.refs.size());
    AddColumn(columns, [&](auto& c) {
      c.add_ends(ends);
      c.add_u32(refs);
    });
  }
  void WordListColumn(Columns* columns, const TsmNodeGroup& g) {
    const auto ends = builder_.CreateVector(g.ends.begin(), g.ends.size());
    const auto words = builder_.CreateVector(reinterpret_cast<const int64_t*>(g.words.begin()), g.words.size());
    AddColumn(columns, [&](auto& c) {
      c.add_ends(ends);
      c.add_i64(words);
    });
  }
  template <class T>
  void DTypeColumn(Columns* columns, const std::vector<T>& dtypes) {
    const auto vector = Structs<fb::DataType>(dtypes);
    AddColumn(columns, [&](auto& c) { c.add_dtype(vector); });
  }
  void DeviceColumn(Columns* columns, const TsmNodeGroup& g) {
    const auto vector = Structs<fb::Device>(g.devices);
    AddColumn(columns, [&](auto& c) { c.add_device(vector); });
  }

  // Values of a plain kind, given as their bits.
  template <class WordAt>
  void ScalarColumn(Columns* columns, TypeKind kind, uint32_t n, WordAt word_at) {
    if (kind == TypeKind::kNone) return AddColumn(columns, [](auto&) {});
    if (kind == TypeKind::kBool) {
      const auto vector = Values<uint8_t>(n, word_at);
      return AddColumn(columns, [&](auto& c) { c.add_u8(vector); });
    }
    if (kind == TypeKind::kInt) {
      const auto vector = Values<int64_t>(n, word_at);
      return AddColumn(columns, [&](auto& c) { c.add_i64(vector); });
    }
    if (kind == TypeKind::kDataType) {
      std::vector<DLDataType> dtypes(n);
      for (uint32_t i = 0; i < n; ++i) {
        const uint64_t word = word_at(i);
        std::memcpy(&dtypes[i], &word, sizeof(DLDataType));
      }
      return DTypeColumn(columns, dtypes);
    }
    // Bits are compared, not numbers: NaN and -0.0 stay what they are.
    const auto vector = Values<uint64_t>(n, word_at);
    AddColumn(columns, [&](auto& c) { c.add_f64(Offset<flatbuffers::Vector<double>>(vector.o)); });
  }

  void FieldColumns(Columns* columns, const TsmNodeGroup& g, const TypeDescriptor& type) {
    const size_t width = g.references.size();
    const size_t words = g.inlines.size();
    size_t ref = 0, word = 0;
    for (size_t i = 0; i < type.fields.size(); ++i) {
      if (ref < width && g.references[ref] == i) {
        const uint32_t* column = g.refs.begin() + ref++;
        const auto vector = Values<uint32_t>(g.count, [&](uint32_t row) { return column[row * width]; });
        AddColumn(columns, [&](auto& c) { c.add_u32(vector); });
      } else {
        const uint64_t* column = g.words.begin() + word++;
        ScalarColumn(columns, type.fields[i].type.kind, g.count, [&](uint32_t row) { return column[row * words]; });
      }
    }
  }

  void WriteColumns(Columns* columns, const TsmNodeGroup& g, const TypeDescriptor* type) {
    const auto word_at = [&](uint32_t i) { return g.words[i]; };
    switch (g.form) {
      case Form::None:
        return;
      case Form::Bool:
        return ScalarColumn(columns, TypeKind::kBool, g.count, word_at);
      case Form::Int:
        return ScalarColumn(columns, TypeKind::kInt, g.count, word_at);
      case Form::Float:
        return ScalarColumn(columns, TypeKind::kFloat, g.count, word_at);
      case Form::DataType:
        return DTypeColumn(columns, g.dtypes);
      case Form::Device:
        return DeviceColumn(columns, g);
      case Form::String:
      case Form::Bytes:
      case Form::Custom:
        return TextColumns(columns, g);
      case Form::BigInt:
      case Form::Shape:
        return WordListColumn(columns, g);
      case Form::Tensor:
        DTypeColumn(columns, g.dtypes);
        DeviceColumn(columns, g);
        WordListColumn(columns, g);
        return U32Column(columns, g.blobs);
      case Form::Array:
      case Form::List:
      case Form::Map:
      case Form::Dict:
        return ListColumn(columns, g);
      case Form::Object:
        return FieldColumns(columns, g, *type);
    }
  }

  Offset<fb::Group> WriteGroup(const TsmNodeGroup& group) {
    const TypeDescriptor* type = nullptr;
    TypePlace place;
    if (group.plan != nullptr) {
      type = used_[next_used_++];
      if (type->custom_data != (group.form == Form::Custom)) {
        TRANSOM_THROW(TypeError) << "objects of type " << type->key
                                 << " cannot be saved: the type is an enumeration or has data of its own "
                                 << "form, but registers no `__data_to_json__`";
      }
      place = places_.at({type->digest[0], type->digest[1]});
    }
    Columns columns;
    WriteColumns(&columns, group, type);
    const auto vector = columns.empty() ? 0 : builder_.CreateVector(columns);
    return fb::CreateGroup(builder_, group.form, group.count, place.schema, place.type, vector);
  }

  Offset<flatbuffers::Vector<const fb::Blob*>> WriteBlobs() {
    std::vector<fb::Blob> blobs;
    for (const TsmBlobTable::Blob& blob : nodes_.blobs().blobs()) blobs.emplace_back(blob.bytes.size(), blob.checksum);
    return blobs.empty() ? 0 : builder_.CreateVectorOfStructs(blobs);
  }

  TsmNodes& nodes_;
  const SaveOptions& options_;
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<schema::SchemaRef> registered_;
  std::vector<const TypeDescriptor*> used_;  // of groups with a type, in their order
  size_t next_used_ = 0;
  std::map<std::pair<uint64_t, uint64_t>, TypePlace> places_;  // by digest
};

}  // namespace

struct TsmImage::Parts {
  TsmNodes nodes;
  flatbuffers::DetachedBuffer graph;
  std::string footer;
  uint64_t blobs_size = 0;

  std::string_view graph_bytes() const { return {reinterpret_cast<const char*>(graph.data()), graph.size()}; }
};

TsmImage::TsmImage(AnyView value, const SaveOptions& options) : parts_(std::make_unique<Parts>()) {
  CheckMetadata(options.metadata);
  parts_->nodes.Run(*value.raw());
  {
    GraphWriter writer(parts_->nodes, options);
    parts_->graph = writer.Write().Release();
  }
  for (const TsmBlobTable::Blob& blob : parts_->nodes.blobs().blobs()) {
    parts_->blobs_size = AlignTsm(parts_->blobs_size) + blob.bytes.size();
  }
  parts_->footer = TsmFooter::Write(parts_->graph_bytes(), parts_->blobs_size);
}

TsmImage::~TsmImage() = default;

uint64_t TsmImage::size() const {
  return AlignTsm(AlignTsm(parts_->graph.size()) + parts_->blobs_size) + TsmFooter::kSize;
}

void TsmImage::WriteTo(const std::function<void(std::string_view)>& write) const {
  static constexpr char kZeros[kTsmAlignment] = {};
  uint64_t offset = 0;
  const auto append = [&](std::string_view bytes) {
    const uint64_t padding = AlignTsm(offset) - offset;
    if (padding != 0) write({kZeros, padding});
    write(bytes);
    offset += padding + bytes.size();
  };
  append(parts_->graph_bytes());
  for (const TsmBlobTable::Blob& blob : parts_->nodes.blobs().blobs()) append(blob.bytes);
  append(parts_->footer);
}

}  // namespace formats

std::string SaveTSM(AnyView value, const SaveOptions& options) {
  const formats::TsmImage image(value, options);
  std::string bytes;
  bytes.reserve(image.size());
  image.WriteTo([&](std::string_view piece) { bytes += piece; });
  return bytes;
}

}  // namespace transom
