#include "support/graph_gen.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "support/base64.h"

namespace transom::testing {
namespace {

template <class T>
void AppendRaw(const T& v, std::string* out) {
  out->append(reinterpret_cast<const char*>(&v), sizeof(v));
}

class Generator {
 public:
  Generator(uint64_t seed, const GenOptions& options) : rng_(seed), options_(options) {}

  NodeTable Make() {
    static const std::vector<const char*> kRoots = {"Any",         "test.Expr",      "test.Module",
                                                    "test.Lambda", "ffi.Array<Any>", "ffi.Map<Any, Any>"};
    table_.root = Value(DeclaredType::Parse(rng_.Pick(kRoots)), options_.max_depth);
    return std::move(table_);
  }

 private:
  struct Reusable {
    int64_t index;
    int depth;  // the node's own height does not exceed it
  };

  std::string Text() {
    static const std::vector<std::string> kTexts = {"",
                                                    "a",
                                                    "seven77",
                                                    "eight888",
                                                    "name",
                                                    "\xC3\xA9t\xC3\xA9",
                                                    std::string("a\0b", 3),
                                                    "line\nbreak\ttab",
                                                    "quote\"back\\slash/",
                                                    "\xF0\x9F\x98\x80",
                                                    "\x7f\x01",
                                                    "a text that does not fit into a value of its own"};
    std::string text = rng_.Pick(kTexts);
    return rng_.OneIn(3) ? text + std::to_string(rng_.Below(100)) : text;
  }

  std::string RawBytes() {
    std::string out(rng_.Below(20), '\0');
    for (char& c : out) c = static_cast<char>(rng_.Next());
    return out;
  }

  int64_t Integer() {
    using Limits = std::numeric_limits<int64_t>;
    static const std::vector<int64_t> kInts = {0, 1, -1, 7, 255, (int64_t{1} << 53) + 1, Limits::min(), Limits::max()};
    if (rng_.OneIn(4)) return static_cast<int64_t>(rng_.Next());
    return rng_.Pick(kInts);
  }

  double Float() {
    static const std::vector<double> kFloats = {0.0,
                                                -0.0,
                                                1.0,
                                                0.1,
                                                -2.5,
                                                1e-8,
                                                4.9406564584124654e-324,
                                                1e22,
                                                0.91872198684135509,
                                                std::numeric_limits<double>::max(),
                                                std::numeric_limits<double>::infinity(),
                                                -std::numeric_limits<double>::infinity(),
                                                std::numeric_limits<double>::quiet_NaN()};
    if (!rng_.OneIn(3)) return rng_.Pick(kFloats);
    uint64_t bits = rng_.Next();
    double v = 0;
    std::memcpy(&v, &bits, sizeof(v));
    return v;
  }

  std::string DataTypeText() {
    static const std::vector<std::string> kTypes = {"int8",    "int64",         "uint32",   "float16",
                                                    "float32", "float32x4",     "bfloat16", "bool",
                                                    "handle",  "float8_e4m3fn", "int4"};
    return rng_.Pick(kTypes);
  }

  std::string BigInt() {
    std::string digits = rng_.OneIn(2) ? "-" : "";
    digits += static_cast<char>('1' + rng_.Below(9));
    for (size_t i = 0, n = 19 + rng_.Below(40); i < n; ++i) digits += static_cast<char>('0' + rng_.Below(10));
    return digits;
  }

  // Magic and a reserved word, device, rank, dtype, extents, size, data.
  std::string TensorStream() {
    std::string out;
    AppendRaw(uint64_t{0xDD5E40F096B4A13F}, &out);
    AppendRaw(uint64_t{0}, &out);
    AppendRaw(int32_t{1}, &out);
    AppendRaw(int32_t{0}, &out);
    auto rank = static_cast<int32_t>(rng_.Below(4));
    AppendRaw(rank, &out);
    const bool is_float = rng_.OneIn(2);
    out.push_back(is_float ? 2 : 0);
    out.push_back(is_float ? 32 : 8);
    AppendRaw(uint16_t{1}, &out);
    int64_t size = is_float ? 4 : 1;
    for (int32_t i = 0; i < rank; ++i) {
      auto extent = static_cast<int64_t>(rng_.Below(4));
      size *= extent;
      AppendRaw(extent, &out);
    }
    AppendRaw(size, &out);
    for (int64_t i = 0; i < size; ++i) out.push_back(static_cast<char>(rng_.Below(3)));
    return out;
  }

  int64_t Leaf(const std::string& type) {
    if (type == "None") return table_.Add(type, {});
    if (type == "bool") return table_.Add(type, JsonValue::Bool(rng_.OneIn(2)));
    if (type == "int") return table_.Add(type, JsonValue::Int(Integer()));
    if (type == "float") return table_.Add(type, JsonValue::Float(Float()));
    if (type == "DataType") return table_.Add(type, JsonValue::String(DataTypeText()));
    if (type == "Device") {
      return table_.Add(type, JsonValue::Ints({rng_.OneIn(2) ? 1 : 2, static_cast<int64_t>(rng_.Below(3))}));
    }
    if (type == "ffi.String") return table_.Add(type, JsonValue::String(Text()));
    if (type == "ffi.Bytes") return table_.Add(type, JsonValue::String(EncodeBase64(RawBytes())));
    if (type == "ffi.BigInt") return table_.Add(type, JsonValue::String(BigInt()));
    if (type == "ffi.Tensor") return table_.Add(type, JsonValue::String(EncodeBase64(TensorStream())));
    std::vector<int64_t> extents;
    for (size_t i = rng_.Below(4); i > 0; --i) extents.push_back(static_cast<int64_t>(rng_.Below(300)));
    return table_.Add("ffi.Shape", JsonValue::Ints(extents));
  }

  // A node made earlier that fits, or -1. What lies outside the scope of a variable is not there to be found.
  int64_t Reuse(const DeclaredType& type, int depth) {
    for (int attempt = 0; attempt < 4 && !reusable_.empty(); ++attempt) {
      const Reusable& node = rng_.Pick(reusable_);
      if (node.depth <= depth && table_.At(node.index).type != "None" && table_.Fits(TestRules(), node.index, type)) {
        return node.index;
      }
    }
    return -1;
  }

  int64_t Value(const DeclaredType& type, int depth) {
    if (rng_.OneIn(5)) {
      int64_t index = Reuse(type, depth);
      if (index >= 0) return index;
    }
    int64_t index = Fresh(type, depth);
    reusable_.push_back({index, depth});
    return index;
  }

  int64_t Fresh(const DeclaredType& type, int depth) {
    const std::string& head = type.head;
    if (head == "Any") return AnyValue(depth);
    if (head == "Optional") return rng_.OneIn(3) ? Leaf("None") : Value(type.args[0], depth);
    if (head == "Union") return Value(rng_.Pick(type.args), depth);
    if (head == "ffi.BigInt") return Leaf(rng_.OneIn(3) ? "int" : head);
    if (head == "Tuple") {
      JsonValue items = JsonValue::Array();
      for (const DeclaredType& arg : type.args) items.items.push_back(JsonValue::Int(Value(arg, depth - 1)));
      return table_.Add("ffi.Array", items);
    }
    if (head == "ffi.Array" || head == "ffi.List") return Sequence(head, type.args[0], depth);
    if (head == "ffi.Map" || head == "ffi.Dict") return MapValue(head, type.args[0], type.args[1], depth);
    if (TestRules().Find(head) != nullptr) return Object(head, depth);
    return Leaf(head);
  }

  int64_t AnyValue(int depth) {
    static const std::vector<std::string> kLeaves = {"None",      "bool",       "int",        "float",
                                                     "DataType",  "Device",     "ffi.String", "ffi.String",
                                                     "ffi.Bytes", "ffi.BigInt", "ffi.Shape",  "ffi.Tensor"};
    static const std::vector<std::string> kInner = {
        "ffi.Array<Any>", "ffi.List<Any>", "ffi.Map<Any, Any>", "ffi.Dict<ffi.String, Any>",
        "test.Expr",      "test.Lambda",   "test.Let",          "test.Bind",
        "test.Node",      "test.Token",    "test.Block",        "test.Module",
        "test.Plain",     "test.Call"};
    if (!scope_.empty() && rng_.OneIn(3)) return rng_.Pick(scope_);
    if (!options_.well_scoped && rng_.OneIn(12)) return Variable();
    if (depth <= 0 || rng_.OneIn(3)) return Leaf(rng_.Pick(kLeaves));
    return Fresh(DeclaredType::Parse(rng_.Pick(kInner)), depth);
  }

  int64_t Sequence(const std::string& head, const DeclaredType& element, int depth) {
    JsonValue items = JsonValue::Array();
    if (depth > 0) {
      for (size_t i = rng_.Below(4); i > 0; --i) items.items.push_back(JsonValue::Int(Value(element, depth - 1)));
    }
    return table_.Add(head, items);
  }

  int64_t Key(const DeclaredType& type) {
    static const std::vector<std::string> kLeaves = {"ffi.String", "ffi.String", "int",    "float",
                                                     "bool",       "DataType",   "Device", "ffi.Bytes"};
    if (type.head == "test.Global") return Global();
    if (type.head != "Any") return Leaf(type.head);
    if (options_.wild_keys && rng_.OneIn(2)) return AnyValue(2);
    if (rng_.OneIn(6)) return Global();
    if (rng_.OneIn(6)) return SpanObject();
    if (!scope_.empty() && rng_.OneIn(5)) return rng_.Pick(scope_);
    return Leaf(rng_.Pick(kLeaves));
  }

  int64_t MapValue(const std::string& head, const DeclaredType& key, const DeclaredType& value, int depth) {
    JsonValue items = JsonValue::Array();
    std::set<std::string> used;
    for (size_t i = depth > 0 ? rng_.Below(4) : 0; i > 0; --i) {
      int64_t k = Key(key);
      // One key is one value; objects are told apart by their text too, so that no two keys of a map are equal.
      if (!used.insert(table_.At(k).type + KeyText(k)).second) continue;
      int64_t v = Value(value, depth - 1);
      items.items.insert(items.items.end(), {JsonValue::Int(k), JsonValue::Int(v)});
    }
    return table_.Add(head, items);
  }

  std::string KeyText(int64_t key) {
    const TableNode& node = table_.At(key);
    if (node.type == "test.Global") return table_.At(node.data.Find("name_hint")->integer).data.text;
    if (node.type == "test.Span") return std::to_string(node.data.Find("line")->integer);
    return node.type == "test.Var" ? std::to_string(key) : node.data.ToText();
  }

  int64_t SpanObject() {
    JsonValue data = JsonValue::Object();
    data.Add("line", JsonValue::Int(static_cast<int64_t>(rng_.Below(50))));
    data.Add("file", JsonValue::Int(Leaf("ffi.String")));
    return table_.Add("test.Span", data);
  }

  int64_t Global() {
    std::string name = "global_" + std::to_string(rng_.Below(6));
    int64_t& index = globals_[name];
    if (index == 0 || rng_.OneIn(8)) {
      JsonValue data = JsonValue::Object();
      data.Add("name_hint", JsonValue::Int(table_.Add("ffi.String", JsonValue::String(name))));
      data.Add("note", JsonValue::Int(Leaf("int")));
      index = table_.Add("test.Global", data);
    }
    return index;
  }

  int64_t Variable() {
    if (!options_.well_scoped && !variables_.empty() && rng_.OneIn(2)) return rng_.Pick(variables_);
    JsonValue data = JsonValue::Object();
    data.Add("name", JsonValue::Int(Leaf("ffi.String")));
    data.Add("type", JsonValue::Int(Leaf(rng_.OneIn(2) ? "DataType" : "int")));
    variables_.push_back(table_.Add("test.Var", data));
    return variables_.back();
  }

  int64_t Object(std::string type, int depth) {
    if (type == "test.Expr") type = ExprType(depth);
    if (type == "test.Op") return table_.Add(type, JsonValue::String("op." + std::to_string(rng_.Below(4))));
    if (type == "test.Var") return Variable();
    if (type == "test.Global") return Global();
    if (type == "test.Span") return rng_.OneIn(2) ? SpanObject() : Leaf("None");
    if (type == "test.Lambda" || type == "test.Let" || type == "test.Bind") return Binding(type, depth);
    return Record(type, depth, {});
  }

  std::string ExprType(int depth) {
    static const std::vector<std::string> kFlat = {"test.Scalars", "test.Texts", "test.Choice"};
    static const std::vector<std::string> kDeep = {"test.Call", "test.Lambda", "test.Let",    "test.Bind",
                                                   "test.Node", "test.Block",  "test.Scalars"};
    return depth <= 0 ? rng_.Pick(kFlat) : rng_.Pick(kDeep);
  }

  // An object with the given fields already made.
  int64_t Record(const std::string& type, int depth, const std::vector<std::pair<std::string, int64_t>>& made) {
    JsonValue data = JsonValue::Object();
    for (const FieldRule& field : TestRules().Find(type)->fields) {
      if (field.has_default && rng_.OneIn(3)) continue;
      JsonValue value;
      for (const auto& [name, index] : made) {
        if (name == field.name) value = JsonValue::Int(index);
      }
      if (value.kind == JsonValue::Kind::kNull) value = Field(field, depth);
      data.Add(field.name, value);
    }
    return table_.Add(type, data);
  }

  JsonValue Field(const FieldRule& field, int depth) {
    const std::string& head = field.type.head;
    if (head == "int") return JsonValue::Int(Integer());
    if (head == "float") return JsonValue::Float(Float());
    if (head == "bool") return JsonValue::Bool(rng_.OneIn(2));
    if (head == "DataType") return JsonValue::String(DataTypeText());
    if (head == "None") return {};
    return JsonValue::Int(Value(field.type, depth - 1));
  }

  // The value of a Let or Bind is made outside the scope of its variable, but for a function that may call itself.
  int64_t Binding(const std::string& type, int depth) {
    static const DeclaredType kAny = DeclaredType::Parse("Any");
    static const DeclaredType kVariables = DeclaredType::Parse("ffi.Array<test.Var>");
    const size_t scope = scope_.size();
    const size_t reusable = reusable_.size();
    std::vector<std::pair<std::string, int64_t>> made;
    if (type == "test.Lambda") {
      JsonValue params = JsonValue::Array();
      for (size_t i = rng_.Below(3); i > 0; --i) Bind(Variable(), &params);
      made = {{"params", table_.Add("ffi.Array", params)}};
    } else if (type == "test.Bind" && rng_.OneIn(2)) {
      Bind(Variable(), nullptr);
      made = {{"var", scope_.back()}, {"value", Binding("test.Lambda", depth - 1)}};
    } else {
      int64_t value = depth > 0 ? Value(kAny, depth - 1) : Leaf("int");
      Bind(Variable(), nullptr);
      made = {{"var", scope_.back()}, {"value", value}};
    }
    if (type != "test.Bind") made.push_back({"body", AnyValue(depth - 1)});
    scope_.resize(scope);
    if (options_.well_scoped) reusable_.resize(std::min(reusable, reusable_.size()));
    return Record(type, depth, made);
  }

  void Bind(int64_t variable, JsonValue* params) {
    scope_.push_back(variable);
    if (params != nullptr) params->items.push_back(JsonValue::Int(variable));
  }

  Rng rng_;
  GenOptions options_;
  NodeTable table_;
  std::vector<int64_t> scope_;      // variables that may be used here
  std::vector<int64_t> variables_;  // all of them
  std::vector<Reusable> reusable_;
  std::map<std::string, int64_t> globals_;
};

}  // namespace

NodeTable RandomGraph(uint64_t seed, const GenOptions& options) { return Generator(seed, options).Make(); }

NodeTable DeepGraph(int levels) {
  NodeTable table;
  int64_t op = table.Add("test.Op", JsonValue::String("op.chain"));
  int64_t attrs = table.Add("ffi.Map", JsonValue::Array());
  int64_t last = table.Add("None", {});
  for (int i = 0; i < levels; ++i) {
    JsonValue data = JsonValue::Object();
    data.Add("op", JsonValue::Int(op));
    data.Add("args", JsonValue::Int(table.Add("ffi.Array", JsonValue::Ints({last}))));
    data.Add("attrs", JsonValue::Int(attrs));
    last = table.Add("test.Call", data);
  }
  table.root = last;
  return table;
}

NodeTable DiamondGraph(int levels) {
  NodeTable table;
  int64_t last = table.Add("ffi.String", JsonValue::String("the only leaf"));
  for (int i = 0; i < levels; ++i) last = table.Add("ffi.Array", JsonValue::Ints({last, last}));
  table.root = last;
  return table;
}

NodeTable WideGraph(int size) {
  NodeTable table;
  std::vector<int64_t> items;
  for (int i = 0; i < size; ++i) {
    JsonValue data = JsonValue::Object();
    data.Add("id", JsonValue::Int(i));
    items.push_back(table.Add("test.Token", data));
  }
  table.root = table.Add("ffi.Array", JsonValue::Ints(items));
  return table;
}

}  // namespace transom::testing
