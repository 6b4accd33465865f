#include "formats/tsm/tsm_reader.h"

#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/formats/tsm.h>
#include <transom/runtime/error.h>
#include <tsm_generated.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "formats/io/tensor_over.h"
#include "formats/nodes/json_value.h"
#include "formats/tsm/tsm_file.h"
#include "formats/tsm/tsm_object_maker.h"
#include "formats/tsm/tsm_table.h"
#include "graph/path.h"
#include "schema/json_text.h"

namespace transom {
namespace formats {
namespace {

using graph::IsObject;
using schema::SchemaRef;
using tsm::Form;

// A text of that length lies inside its value.
constexpr size_t kMaxSmallText = transom::detail::kMaxSmallLength;

/*
 * Reading a graph: the table of nodes says of which group the next node is; each group makes its nodes in the order of
 * its rows, from nodes that are made already.
 */
class GraphReader {
 public:
  GraphReader(const TsmTable& table, const LoadOptions& options, const std::shared_ptr<const void>& owner)
      : table_(table),
        file_(table.file()),
        options_(options),
        owner_(owner),
        values_(table, table.CountReferences()),
        load_{table, options, dropped_fields_, values_, arena_, plans_} {}

  LoadResult Run() {
    CheckBytes();
    CheckTheMetadata();
    MakeFactories();
    MakeMakers();
    CheckTypes();
    CheckMemory();
    const uint32_t n = table_.num_nodes();
    for (uint32_t i = 0; i < n; ++i) Make(table_.GroupOf(i), table_.RowOf(i));
    return Result();
  }

 private:
  // Sums of blobs: of all when their bytes are copied or the caller asks, else of texts as they are read.
  void CheckBytes() {
    check_all_ = options_.check_tensors || owner_ == nullptr;
    if (!check_all_) return;
    file_.CheckPadding();
    for (size_t i = 0; i < file_.num_blobs(); ++i) file_.CheckBlob(i);
  }

  void CheckTheMetadata() const {
    try {
      const bool is_there = file_.graph().metadata() != nullptr;
      if (is_there && table_.metadata().empty()) ThrowTsm("", "the metadata is empty; without any it is left out");
      CheckMetadata(table_.metadata());
    } catch (const Error& error) {
      ThrowTsm(file_.source(), std::string(error.message()));
    }
  }

  void MakeFactories() {
    const size_t n = options_.schema ? 1 : table_.schemas().size();
    for (size_t i = 0; i < n; ++i) {
      const SchemaRef& schema = options_.schema ? options_.schema : table_.schemas()[i];
      const std::string name = schema->name().empty() ? schema->source() : schema->name();
      factories_.push_back(std::make_unique<NodeFactory>(options_));
      factories_.back()->SetSchema(schema,
                                   options_.schema ? "the schema " + graph::Quoted(name) : "the file's own schema");
      factories_.back()->SetMetadata(table_.metadata());
    }
  }
  NodeFactory& FactoryOf(const TsmGroup& group) { return *factories_[options_.schema ? 0 : group.schema]; }

  void MakeMakers() {
    bool all_native = true;
    for (const TsmGroup& group : table_.groups()) {
      all_native = all_native &&
                   (group.type == nullptr || FactoryOf(group).IsAlwaysNative(FactoryOf(group).TypeOf(group.type->key)));
    }
    if (!all_native) {
      for (const auto& factory : factories_) factory->ExpectRecords();
    }
    const SchemaRef registered = all_native ? RegisteredTypes() : SchemaRef();
    makers_.resize(table_.groups().size());
    for (size_t g = 0; g < makers_.size(); ++g) {
      const TsmGroup& group = table_.groups()[g];
      if (group.form != Form::Object) continue;
      makers_[g] = std::make_unique<TsmObjectMaker>(load_, group, FactoryOf(group), registered.get());
      if (!makers_[g]->takes_counted()) values_.AddTheirOwn(static_cast<uint32_t>(g));
    }
  }

  // What the registry says of the types of objects.
  SchemaRef RegisteredTypes() const {
    std::vector<std::string> keys;
    for (const TsmGroup& group : table_.groups()) {
      if (group.form == Form::Object) keys.push_back(group.type->key);
    }
    return keys.empty() ? SchemaRef() : schema::Schema::FromRegistry("registered types", keys);
  }

  // All declared types, before there is any object.
  void CheckTypes() {
    std::vector<const schema::TypeDescriptor*> targets;
    for (size_t g = 0; g < makers_.size(); ++g)
      targets.push_back(makers_[g] != nullptr ? makers_[g]->target() : table_.groups()[g].type);
    TsmNodeKinds kinds(table_);
    std::map<const schema::Schema*, TsmTypeCheck> checks;
    for (uint32_t g = 0; g < makers_.size(); ++g) {
      if (makers_[g] == nullptr) continue;
      const schema::Schema* schema = targets[g]->schema;
      const auto [place, is_new] = checks.try_emplace(schema, TsmNodeModel(table_, targets, schema));
      TsmTypeCheck& check = place->second;
      if (is_new) check.LimitLooks(file_.graph_size());
      makers_[g]->CheckTypes(check, kinds, g);
    }
  }

  // Columns can say much in few bytes; what they make must stay in proportion to the file.
  void CheckMemory() {
    constexpr uint64_t kPerEntry = 48, kPerItem = sizeof(TVMFFIAny), kPerNode = 64;
    uint64_t total = 0, arena = 0;
    for (size_t g = 0; g < makers_.size(); ++g) {
      const TsmGroup& group = table_.groups()[g];
      total += kPerNode * group.count;
      for (const TsmColumn& column : group.columns) {
        if (column.ends != nullptr)
          total += column.size * (group.form == Form::Map || group.form == Form::Dict ? kPerEntry : kPerItem);
      }
      if (makers_[g] != nullptr) {
        arena += makers_[g]->ArenaBytes();
        total += makers_[g]->OtherBytes();
      }
      if (group.form == Form::Array)
        arena += (sizeof(ArrayObj) + sizeof(void*)) * group.count + group.columns[0].size * kPerItem;
      total += BlobBytes(group);
      file_.CheckMemory(total + arena);
    }
    arena_.Expect(arena);
  }

  // What is copied out of blobs, which many nodes may name.
  uint64_t BlobBytes(const TsmGroup& group) const {
    const bool is_text = group.form == Form::String || group.form == Form::Bytes || group.form == Form::Custom;
    if (!is_text && (group.form != Form::Tensor || owner_ != nullptr)) return 0;
    uint64_t total = 0;
    for (uint32_t row = 0; row < group.count; ++row) {
      if (!is_text) {
        total += table_.TensorBytesAt(group, row).size();
      } else if (group.columns[1].At<uint32_t>(row) != 0) {
        total += table_.TextAt(group, row).size();
      }
    }
    return total;
  }

  void Make(uint32_t number, uint32_t row) {
    const TsmGroup& group = table_.groups()[number];
    switch (group.form) {
      case Form::Object:
        return makers_[number]->Make(row);
      case Form::Array:
        return MakeArray(group.columns[0], row);
      case Form::List:
        return MakeList(group.columns[0], row);
      case Form::Map:
      case Form::Dict:
        return MakeMap(group, row);
      case Form::String:
        return MakeText(kTVMFFISmallStr, kTVMFFIStr, Text(group, row));
      case Form::Bytes:
        return MakeText(kTVMFFISmallBytes, kTVMFFIBytes, Text(group, row));
      case Form::Custom:
        return MakeCustom(group, row);
      case Form::BigInt:
        return MakeBigInt(group.columns[0], row);
      case Form::Shape:
        return MakeShape(group.columns[0], row);
      case Form::Tensor:
        return MakeTensor(group, row);
      default:
        return values_.AddPlain(PlainValue(group.columns.data(), row, group.type_index));
    }
  }

  std::string_view Text(const TsmGroup& group, uint32_t row) {
    const std::string_view text = table_.TextAt(group, row);
    const uint32_t blob = group.columns[1].At<uint32_t>(row);
    if (blob != 0 && !check_all_) file_.CheckBlob(blob - 1);
    return text;
  }

  void MakeText(int32_t small_index, int32_t heap_index, std::string_view text) {
    if (text.size() <= kMaxSmallText) {
      TVMFFIAny value = graph::NoneValue();
      value.type_index = small_index;
      value.small_str_len = static_cast<uint32_t>(text.size());
      if (!text.empty()) std::memcpy(value.v_bytes, text.data(), text.size());
      values_.AddPlain(value);
    } else {
      // String and Bytes differ in nothing but the index.
      char* memory = static_cast<char*>(arena_.Allocate((sizeof(StringObj) + text.size() + 1 + 7) & ~size_t{7}));
      auto* object = new (memory) StringObj();
      char* bytes = memory + sizeof(StringObj);
      std::memcpy(bytes, text.data(), text.size());
      bytes[text.size()] = '\0';
      object->data = bytes;
      object->size = text.size();
      transom::detail::ObjectAccess::Init(object, heap_index, &transom::detail::BlockDeleter<StringObj>::Delete);
      values_.AddNew(transom::detail::ObjectAccess::Header(object));
    }
  }

  // A value with one of its counted references, for a container.
  Any Counted(uint32_t node) {
    if (values_[node].type_index == kTVMFFINone) values_.NoteNone();
    return Any::FromOwned(values_[node]);
  }

  void MakeArray(const TsmColumn& column, uint32_t row) {
    const uint32_t begin = column.Begin(row);
    const uint32_t n = column.End(row) - begin;
    ObjectPtr<ArrayObj> array =
        ArrayObj::Place(arena_.Allocate(ArrayObj::SizeFor(n)), n, &transom::detail::BlockDeleter<ArrayObj>::Delete);
    const uint32_t* refs = column.Elements<uint32_t>() + begin;
    for (uint32_t i = 0; i < n; ++i) array->PushOwned(Counted(refs[i]));
    values_.AddNew(transom::detail::ObjectAccess::Release(&array));
  }

  void MakeList(const TsmColumn& column, uint32_t row) {
    List<Any> list;
    list.reserve(column.End(row) - column.Begin(row));
    for (uint32_t i = column.Begin(row); i < column.End(row); ++i)
      list.push_back(Counted(column.Elements<uint32_t>()[i]));
    values_.Add(Any(std::move(list)));
  }

  void MakeMap(const TsmGroup& group, uint32_t row) {
    const TsmColumn& column = group.columns[0];
    const uint32_t begin = column.Begin(row);
    const uint32_t size = column.End(row) - begin;
    values_.NoteTaken();
    pairs_.clear();
    for (uint32_t i = 0; i < size; ++i) pairs_.push_back(Counted(column.Elements<uint32_t>()[begin + i]));
    const size_t n = size / 2;
    Any map;
    try {
      map = group.form == Form::Map ? Any(MapObj::CreateFromPairs(pairs_.data(), n))
                                    : Any(DictObj::CreateFromPairs(pairs_.data(), n));
    } catch (const Error& error) {
      load_.Fail("the object cannot be made: " + std::string(error.message()));
    }
    if (graph::MapOf(*map.raw()).size() != n) load_.Fail("a key is there twice");
    values_.Add(std::move(map));
  }

  void MakeCustom(const TsmGroup& group, uint32_t row) {
    NodeFactory& factory = FactoryOf(group);
    const NodeType& type = factory.TypeOf(group.type->key);
    if (type.form == NodeForm::kUnknown) load_.Fail(factory.UnknownText(group.type->key), Unreadable::kNoSchema);
    if (type.form != NodeForm::kCustom)
      load_.Fail("the data of the type has its own form in the file, and fields in " + factory.schema_text());
    const std::string_view json = Text(group, row);
    try {
      std::string canonical;
      schema::AppendCanonicalJson(*ParseJsonValue(json).raw(), &canonical);
      values_.Add(factory.MakeCustom(type, canonical));
    } catch (const Error& error) {
      load_.Fail("the object cannot be made: " + std::string(error.message()));
    }
  }

  void MakeBigInt(const TsmColumn& column, uint32_t row) {
    const uint32_t begin = column.Begin(row);
    const uint32_t n = column.End(row) - begin;
    if (n < 2) load_.Fail("an integer of " + std::to_string(n) + " words, where there are at least 2");
    const TVMFFIByteArray words{reinterpret_cast<const char*>(column.Elements<int64_t>() + begin), n * sizeof(int64_t)};
    TVMFFIAny value = graph::NoneValue();
    CheckCall(TVMFFIBigIntFromByteArray(&words, &value));
    Any owner = Any::FromOwned(value);
    if (value.type_index != kTVMFFIBigInt || TVMFFIBigIntGetContentByteArray(&value).size != words.size) {
      load_.Fail("an integer of " + std::to_string(n) + " words that fits in fewer");
    }
    values_.Add(std::move(owner));
  }

  void MakeShape(const TsmColumn& column, uint32_t row) {
    const int64_t* extents = column.Elements<int64_t>();
    values_.Add(Any(Shape(extents + column.Begin(row), extents + column.End(row))));
  }

  void MakeTensor(const TsmGroup& group, uint32_t row) {
    const std::string_view bytes = table_.TensorBytesAt(group, row);
    const TsmColumn& extents = group.columns[2];
    const uint32_t begin = extents.Begin(row);
    const ShapeView shape(extents.Elements<int64_t>() + begin, extents.End(row) - begin);
    values_.Add(Any(
        TensorOver(bytes, shape, group.columns[0].At<DLDataType>(row), group.columns[1].At<DLDevice>(row), owner_)));
  }

  LoadResult Result() {
    LoadResult result;
    result.value = values_.Finish();
    result.metadata = std::string(table_.metadata());
    result.schemas = table_.schemas();
    if (!factories_.empty()) result.schema = factories_[0]->schema();
    result.schema_in_file = !table_.schemas().empty();
    std::set<std::string> records;
    for (const TsmGroup& group : table_.groups()) {
      if (group.form == Form::Object && FactoryOf(group).TypeOf(group.type->key).native_index < 0)
        records.insert(group.type->key);
    }
    for (const auto& factory : factories_) {
      factory->AddLostFields(&dropped_fields_);
      for (const std::string& key : factory->RecordTypes()) records.insert(key);
    }
    result.record_types.assign(records.begin(), records.end());
    result.dropped_fields.assign(dropped_fields_.begin(), dropped_fields_.end());
    result.num_nodes = table_.num_nodes();
    return result;
  }

  const TsmTable& table_;
  const TsmFile& file_;
  const LoadOptions& options_;
  const std::shared_ptr<const void>& owner_;
  bool check_all_ = true;
  std::set<std::string> dropped_fields_;
  std::vector<std::unique_ptr<NodeFactory>> factories_;  // one per schema
  graph::PlanTable plans_;
  ObjectArena arena_;
  TsmValues values_;
  TsmLoad load_;
  std::vector<std::unique_ptr<TsmObjectMaker>> makers_;  // by group; null for other forms
  std::vector<Any> pairs_;
};

}  // namespace

LoadResult ReadTsm(std::string_view content, const LoadOptions& options, const std::shared_ptr<const void>& owner) {
  const TsmFile file(content, options.source);
  const TsmTable table(file);
  return GraphReader(table, options, owner).Run();
}

}  // namespace formats

LoadResult LoadTSM(std::string_view bytes, const LoadOptions& options) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(uint64_t) == 0)
    return formats::ReadTsm(bytes, options, nullptr);
  const std::vector<uint64_t> aligned = [&] {
    std::vector<uint64_t> words(bytes.size() / sizeof(uint64_t) + 1);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
  }();
  return formats::ReadTsm({reinterpret_cast<const char*>(aligned.data()), bytes.size()}, options, nullptr);
}

}  // namespace transom
