#include "formats/json/json_writer.h"

#include <transom/formats/json_graph.h>

#include <cstring>
#include <deque>
#include <limits>
#include <set>
#include <unordered_map>

#include "formats/io/base64.h"
#include "formats/io/tensor_stream.h"
#include "formats/nodes/json_value.h"
#include "formats/nodes/patch_script.h"
#include "formats/nodes/save_support.h"
#include "formats/nodes/value_tables.h"
#include "graph/fold.h"
#include "schema/builder.h"
#include "schema/json_text.h"
#include "structural/rules/nan_keys.h"

namespace transom {
namespace formats {
namespace {

using graph::FoldFrame;
using graph::TypePlan;
using graph::ValueClass;
using schema::AppendJsonFloat;
using schema::AppendJsonInt;
using schema::AppendJsonString;

/*
 * Writes the node table. The visitor's result is the index of the node that stands for a value; values that a field
 * holds itself have none.
 */
class NodeWriter {
 public:
  using Result = int64_t;
  static constexpr bool kKeysFirst = false;

  NodeWriter(const SaveOptions& options, const PatchForm* patch)
      : options_(options), old_places_(patch != nullptr ? &patch->old_places : nullptr), fold_(plans_, *this) {}

  int64_t Run(const TVMFFIAny& root) { return fold_.Run(root); }
  const std::string& nodes() const { return out_; }
  const std::set<const TypePlan*>& types() const { return types_; }

  bool Known(const TVMFFIAny& value, int64_t* index) {
    if (old_places_ == nullptr || old_places_->Find(value.v_obj) == nullptr) return false;
    *index = Reference(value.v_obj);
    return true;
  }

  int64_t Leaf(const TVMFFIAny& value, ValueClass cls) {
    if (cls == ValueClass::kOpaque) RefuseToSave(fold_.CurrentPath(), value);
    if (cls == ValueClass::kShape || cls == ValueClass::kTensor || cls == ValueClass::kBigInt)
      return SharedLeaf(value, cls);
    if (cls == ValueClass::kScalar) {
      int64_t* index = scalars_.Insert(value);
      if (*index < 0) *index = WriteScalar(value);
      return *index;
    }
    int64_t* index = (cls == ValueClass::kString ? strings_ : bytes_).Insert(value);
    if (*index < 0) *index = WriteText(value, cls);
    return *index;
  }

  int64_t Custom(const TVMFFIAny&, const TypePlan& plan, std::string_view json) {
    FieldsOf(plan);  // notes the type
    BeginNode(plan.key);
    out_ += Data();
    out_ += json;
    return End();
  }

  void Enter(FoldFrame& frame) {
    const TypePlan& plan = *frame.plan;
    if (!HasReadableFields(plan)) RefuseToSave(fold_.CurrentPath(), frame.value);
    // Values that stand in the field are not visited: they have no node.
    frame.Visit(FieldsOf(plan).references);
  }

  int64_t Leave(FoldFrame& frame, const int64_t* children) {
    if (frame.cls != ValueClass::kObject) {
      if (has_nan_ && frame.cls == ValueClass::kMap) CheckNans(frame.value);
      BeginNode(graph::TypeKeyOf(frame.value));
      out_ += Data();
      AppendInts(children, frame.count);
      return End();
    }
    const TypePlan& plan = *frame.plan;
    const FieldSet& set = FieldsOf(plan);
    BeginNode(plan.key);
    out_ += Data();
    if (plan.fields.empty()) {
      out_ += "{}";
      return End();
    }
    OpenBracket('{', 3);
    for (size_t i = 0; i < plan.fields.size(); ++i) {
      if (i != 0) Separator(4);
      out_ += set.keys[i];
      if (set.is_inline[i] != 0) {
        InlineValue(graph::ReadField(frame.value.v_obj, plan.fields[i], fold_.keeper()));
      } else {
        AppendJsonInt(*children++, &out_);
      }
    }
    CloseBracket('}', 2);
    return End();
  }

 private:
  struct FieldSet {
    std::vector<uint8_t> is_inline;
    std::vector<uint16_t> references;
    std::vector<std::string> keys;  // `"name":`
  };

  FieldSet& FieldsOf(const TypePlan& plan) {
    if (last_plan_ == &plan) return *last_set_;
    auto [entry, is_new] = field_sets_.try_emplace(&plan);
    FieldSet& set = entry->second;
    if (is_new) {
      types_.insert(&plan);
      set.references = ReferenceFields(plan);
      set.is_inline.assign(plan.fields.size(), 1);
      for (const uint16_t i : set.references) set.is_inline[i] = 0;
      for (size_t i = 0; i < plan.fields.size(); ++i) {
        std::string key;
        AppendJsonString(plan.fields[i].name, &key);
        set.keys.push_back(key + (options_.indent != 0 ? ": " : ":"));
      }
    }
    last_plan_ = &plan;
    last_set_ = &set;
    return set;
  }

  // Text of the table: with indentation, nodes stand at level 2 and what is in them deeper.
  void NewLine(int level) {
    if (options_.indent == 0) return;
    out_ += '\n';
    out_.append(static_cast<size_t>(options_.indent * level), ' ');
  }
  void Separator(int level) {
    out_ += ',';
    NewLine(level);
  }
  void OpenBracket(char c, int level) {
    out_ += c;
    NewLine(level + 1);
  }
  void CloseBracket(char c, int level) {
    NewLine(level + 1);
    out_ += c;
  }
  const char* Data() const { return options_.indent != 0 ? "\"data\": " : "\"data\":"; }

  void BeginNode(std::string_view key) {
    if (count_ != 0) out_ += ',';
    NewLine(2);
    out_ += '{';
    NewLine(3);
    out_ += options_.indent != 0 ? "\"type\": " : "\"type\":";
    AppendJsonString(key, &out_);
    if (key == "None") return;
    out_ += ',';
    NewLine(3);
  }
  int64_t End() {
    NewLine(2);
    out_ += '}';
    return count_++;
  }

  template <class T>
  void AppendInts(const T* items, uint64_t n) {
    if (n == 0) {
      out_ += "[]";
      return;
    }
    OpenBracket('[', 3);
    for (uint64_t i = 0; i < n; ++i) {
      if (i != 0) Separator(4);
      AppendJsonInt(items[i], &out_);
    }
    CloseBracket(']', 2);
  }

  void Float(double value) {
    if (options_.strict_json && !(value - value == 0)) {
      out_ += '"';
      AppendJsonFloat(value, &out_);
      out_ += '"';
    } else {
      AppendJsonFloat(value, &out_);
    }
  }

  // The text of all NaNs is one.
  void CheckNans(const TVMFFIAny& value) {
    const MapBaseObj& map = graph::MapOf(value);
    uint64_t nans = 0;
    for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos))
      nans += structural::IsNan(*map.KeyAt(pos).raw());
    TRANSOM_CHECK(nans <= 1, ValueError)
        << graph::PathText(fold_.CurrentPath(), true) << ": " << nans
        << " keys of the map are NaN, of different bits, which JSON cannot tell apart; save as .tsm, which holds them";
  }

  void DataTypeText(const DLDataType& dtype) {
    uint32_t key;
    std::memcpy(&key, &dtype, sizeof(key));
    const auto [text, is_new] = dtype_texts_.try_emplace(key);
    if (is_new) text->second = TextOfDataType(dtype);
    out_ += text->second;
  }

  // As a JSON string. Not every data type has a text that reads back as the same.
  std::string TextOfDataType(const DLDataType& dtype) {
    std::string why;
    try {
      TVMFFIAny text = graph::NoneValue();
      CheckCall(TVMFFIDataTypeToString(&dtype, &text));
      const Any owner = Any::FromOwned(text);
      const std::string_view view = graph::TextOf(*owner.raw());
      const TVMFFIByteArray bytes{view.data(), view.size()};
      DLDataType back{};
      CheckCall(TVMFFIDataTypeFromString(&bytes, &back));
      if (std::memcmp(&back, &dtype, sizeof(dtype)) == 0) {
        std::string json;
        AppendJsonString(view, &json);
        return json;
      }
      why = "its text \"" + std::string(view) + "\" means another one";
    } catch (const Error& error) {
      why = std::string(error.message());
    }
    TRANSOM_THROW(ValueError) << graph::PathText(fold_.CurrentPath(), true) << ": the data type of code "
                              << int{dtype.code} << ", " << int{dtype.bits} << " bits, " << dtype.lanes
                              << " lanes has no text for JSON (" << why << "); save as .tsm, which holds it";
  }

  void InlineValue(const TVMFFIAny& value) {
    if (value.type_index == kTVMFFIFloat) return Float(value.v_float64);
    if (!schema::AppendJsonPlain(value, &out_)) DataTypeText(value.v_dtype);
  }

  int64_t WriteScalar(const TVMFFIAny& value) {
    BeginNode(graph::TypeKeyOf(value));
    if (value.type_index == kTVMFFINone) return End();
    out_ += Data();
    has_nan_ |= structural::IsNan(value);
    if (value.type_index == kTVMFFIDevice) {
      const Device device(value.v_device);
      const int64_t parts[2] = {device.type(), device.id()};
      AppendInts(parts, 2);
    } else {
      InlineValue(value);
    }
    return End();
  }

  int64_t WriteText(const TVMFFIAny& value, ValueClass cls) {
    const std::string_view text = graph::TextOf(value);
    BeginNode(cls == ValueClass::kString ? "ffi.String" : "ffi.Bytes");
    out_ += Data();
    if (cls == ValueClass::kBytes) {
      AppendJsonString(EncodeBase64(text), &out_);
    } else if (schema::IsValidUtf8(text)) {
      AppendJsonString(text, &out_);
    } else {
      out_ += options_.indent != 0 ? "{\"base64\": " : "{\"base64\":";
      AppendJsonString(EncodeBase64(text), &out_);
      out_ += '}';
    }
    return End();
  }

  // Objects without children: once each, by address.
  int64_t SharedLeaf(const TVMFFIAny& value, ValueClass cls) {
    if (old_places_ != nullptr && old_places_->Find(value.v_obj) != nullptr) return Reference(value.v_obj);
    auto [index, is_new] = leaves_.Insert(value.v_obj);
    if (!is_new) return *index;
    BeginNode(graph::TypeKeyOf(value));
    out_ += Data();
    if (cls == ValueClass::kShape) {
      const TVMFFIShapeCell& shape = graph::ShapeOf(value);
      AppendInts(shape.data, shape.size);
    } else if (cls == ValueClass::kBigInt) {
      AppendJsonString(BigInt::ToDecimal(AnyView::FromRaw(value)), &out_);
    } else {
      std::string bytes;
      if (!WriteTensorStream(graph::TensorRefOf(value), &bytes)) RefuseDeviceTensor(fold_.CurrentPath());
      AppendJsonString(EncodeBase64(bytes), &out_);
    }
    return *index = End();
  }

  // ---- Patches: objects of the old graph ----

  // The node that stands for one, after those of what leads to it. Depth costs memory, not stack.
  int64_t Reference(const TVMFFIObject* object) {
    std::vector<const TVMFFIObject*> stack{object};
    while (!stack.empty()) {
      const TVMFFIObject* top = stack.back();
      if (references_.Find(top) != nullptr || WriteReference(top, &stack)) stack.pop_back();
    }
    return *references_.Find(object);
  }

  // False when another is to be written first, which is on the stack then.
  bool WriteReference(const TVMFFIObject* object, std::vector<const TVMFFIObject*>* stack) {
    constexpr size_t kMaxSteps =
        16;  // in one node: what lies on the way may be referred to later, and is not written itself
    std::vector<const structural::Place*> way;
    const TVMFFIObject* from = object;
    while (way.size() < kMaxSteps && references_.Find(from) == nullptr) {
      const structural::Place* place = old_places_->Find(from);
      if (place->kind == structural::Place::Kind::kRoot)
        return from == object ? AddReference(from, {}) : NeedsFirst(from, stack);
      way.push_back(place);
      from = place->holder;
    }
    const int64_t* start = references_.Find(from);
    if (start == nullptr) return NeedsFirst(from, stack);
    std::vector<int64_t> elements{*start};
    for (auto place = way.rbegin(); place != way.rend(); ++place) {
      if (!AddStep(**place, &elements, stack)) return false;
    }
    return AddReference(object, elements);
  }

  bool NeedsFirst(const TVMFFIObject* object, std::vector<const TVMFFIObject*>* stack) {
    stack->push_back(object);
    return false;
  }

  bool AddStep(const structural::Place& place, std::vector<int64_t>* elements,
               std::vector<const TVMFFIObject*>* stack) {
    using Kind = structural::Place::Kind;
    const auto add = [&](ReferenceKind kind, int64_t key) {
      const int64_t kind_node = Leaf(graph::IntValue(static_cast<int64_t>(kind)), ValueClass::kScalar);
      elements->insert(elements->end(), {kind_node, key});
      return true;
    };
    switch (place.kind) {
      case Kind::kField: {
        const graph::FieldPlan& field = plans_.Of(place.holder).fields[static_cast<size_t>(place.at)];
        const Any& name = names_.emplace_back(String(field.name));
        return add(ReferenceKind::kField, Leaf(*name.raw(), ValueClass::kString));
      }
      case Kind::kItem:
        return add(ReferenceKind::kItem, Leaf(graph::IntValue(place.at), ValueClass::kScalar));
      case Kind::kKey:
        return add(ReferenceKind::kKey, Leaf(graph::IntValue(place.at), ValueClass::kScalar));
      default: {
        const TVMFFIAny& key = KeyAt(place);
        if (!graph::IsObject(key) || old_places_->Find(key.v_obj) == nullptr) {
          return add(ReferenceKind::kValue, Leaf(key, graph::Classify(key.type_index)));
        }
        const int64_t* key_node = references_.Find(key.v_obj);
        return key_node != nullptr ? add(ReferenceKind::kValue, *key_node) : NeedsFirst(key.v_obj, stack);
      }
    }
  }

  bool AddReference(const TVMFFIObject* object, const std::vector<int64_t>& elements) {
    BeginNode(kReferenceKey);
    out_ += Data();
    AppendInts(elements.data(), elements.size());
    *references_.Insert(object).first = End();
    return true;
  }

  const TVMFFIAny& KeyAt(const structural::Place& place) {
    std::vector<const TVMFFIAny*>& keys = old_keys_[place.holder];
    if (keys.empty()) {
      const auto& map = *reinterpret_cast<const MapBaseObj*>(place.holder);
      for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos))
        keys.push_back(map.KeyAt(pos).raw());
    }
    return *keys[static_cast<size_t>(place.at)];
  }

  const SaveOptions& options_;
  const structural::Places* const old_places_;
  graph::PlanTable plans_;
  graph::Fold<NodeWriter> fold_;
  std::string out_;
  int64_t count_ = 0;
  bool has_nan_ = false;  // among the nodes
  std::set<const TypePlan*> types_;
  std::unordered_map<const TypePlan*, FieldSet> field_sets_;
  const TypePlan* last_plan_ = nullptr;
  FieldSet* last_set_ = nullptr;
  std::unordered_map<uint32_t, std::string> dtype_texts_;
  ScalarTable scalars_;
  TextTable strings_;
  TextTable bytes_;
  graph::PointerMap<int64_t> leaves_;
  graph::PointerMap<int64_t> references_;
  std::unordered_map<const TVMFFIObject*, std::vector<const TVMFFIAny*>> old_keys_;  // of maps, by place
  std::deque<Any> names_;  // of fields; texts are known by their address
};

// The schema to write, as JSON text; empty: none is needed.
std::string SchemaText(const std::set<const TypePlan*>& types, const SaveOptions& options) {
  if (options.embed_schema == EmbedSchema::kNever || types.empty()) return "";
  std::vector<schema::SchemaRef> keep;
  const std::vector<const schema::TypeDescriptor*> used = DescribeTypes({types.begin(), types.end()}, &keep);
  if (options.embed_schema == EmbedSchema::kAuto) {
    const schema::SchemaRef bundled = schema::Schema::MatchBundled(options.metadata);
    bool covered = static_cast<bool>(bundled);
    for (const schema::TypeDescriptor* d : used) {
      const schema::TypeDescriptor* other = covered ? bundled->Find(d->key) : nullptr;
      covered = other != nullptr && schema::SameDescription(*other, *d);
    }
    if (covered) return "";
  }
  return schema::Schema::Select("embedded", used)->ToJSON();
}

}  // namespace

std::string WriteJson(AnyView value, const SaveOptions& options, const PatchForm* patch) {
  CheckMetadata(options.metadata);
  NodeWriter writer(options, patch);
  const int64_t root = writer.Run(*value.raw());
  const std::string schema = SchemaText(writer.types(), options);
  const std::string line = options.indent == 0 ? "" : "\n" + std::string(static_cast<size_t>(options.indent), ' ');
  const std::string colon = options.indent == 0 ? ":" : ": ";
  std::string out;
  out.reserve(writer.nodes().size() + schema.size() + options.metadata.size() + 100);
  out += "{";
  if (patch != nullptr) out += line + "\"" + std::string(kPatchKey) + "\"" + colon + patch->header + ",";
  if (!schema.empty()) out += line + "\"schema\"" + colon + schema + ",";
  out += line + "\"root_index\"" + colon + std::to_string(root) + ",";
  out += line + "\"nodes\"" + colon + "[" + writer.nodes() + line + "]";
  if (!options.metadata.empty()) out += "," + line + "\"metadata\"" + colon + options.metadata;
  out += options.indent == 0 ? "}" : "\n}";
  return out;
}

}  // namespace formats

std::string SaveJSON(AnyView value, const SaveOptions& options) { return formats::WriteJson(value, options, nullptr); }

String SerializeToJSON(AnyView value) { return String(SaveJSON(value)); }

}  // namespace transom
