#include "support/graph_edit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "support/base64.h"

namespace transom::testing {
namespace {

using JsonKind = JsonValue::Kind;

class Editor {
 public:
  Editor(const TypeRules& rules, NodeTable* table, uint64_t seed)
      : rules_(rules), table_(*table), seed_(seed), rng_(seed) {
    live_ = table_.PostOrder(rules_);
    for (int64_t index : live_) by_type_[table_.At(index).type].push_back(index);
  }

  using Method = std::string (Editor::*)();
  static const std::vector<std::pair<std::string, Method>>& Kinds() {
    static const std::vector<std::pair<std::string, Method>> kinds = {{"rename", &Editor::Rename},
                                                                      {"scalar", &Editor::ChangeScalar},
                                                                      {"leaf", &Editor::ChangeLeaf},
                                                                      {"retarget", &Editor::Retarget},
                                                                      {"replace", &Editor::Replace},
                                                                      {"unshare", &Editor::Unshare},
                                                                      {"share", &Editor::Share},
                                                                      {"swap", &Editor::Swap},
                                                                      {"drop", &Editor::Drop},
                                                                      {"insert", &Editor::Insert},
                                                                      {"duplicate", &Editor::Duplicate},
                                                                      {"permute", &Editor::Permute},
                                                                      {"maporder", &Editor::ReorderMap},
                                                                      {"mapdrop", &Editor::DropEntry},
                                                                      {"mapadd", &Editor::AddEntry},
                                                                      {"breaktype", &Editor::BreakType},
                                                                      {"ignored", &Editor::ChangeIgnored}};
    return kinds;
  }

  EditNote Make(const std::string& wanted) {
    for (int round = 0; round < 60; ++round) {
      const auto& [kind, method] = rng_.Pick(Kinds());
      if (!wanted.empty() && kind != wanted) continue;
      for (int attempt = 0; attempt < 20; ++attempt) {  // so that kinds that seldom fit are not crowded out
        std::string what = (this->*method)();
        if (!what.empty()) return {kind, what};
      }
    }
    return {};
  }

 private:
  std::string Name(int64_t index) const { return std::to_string(index) + " " + table_.At(index).type; }

  // A random live node that `good` accepts, or -1.
  int64_t PickNode(const std::function<bool(const TableNode&)>& good) {
    for (int attempt = 0; attempt < 60; ++attempt) {
      int64_t index = rng_.Pick(live_);
      if (good(table_.At(index))) return index;
    }
    return -1;
  }

  // A random field of a random object that `good` accepts.
  bool PickField(const std::function<bool(const FieldRule&)>& good, int64_t* index, const FieldRule** field) {
    for (int attempt = 0; attempt < 100; ++attempt) {
      *index = rng_.Pick(live_);
      const TypeRule* rule = rules_.Find(table_.At(*index).type);
      if (rule == nullptr || rule->custom || rule->fields.empty()) continue;
      *field = &rng_.Pick(rule->fields);
      if (table_.At(*index).data.Find((*field)->name) != nullptr && good(**field)) return true;
    }
    return false;
  }

  JsonValue& Value(int64_t index, const FieldRule& field) { return *table_.At(index).data.Find(field.name); }

  std::string FreshName() { return "edit_" + std::to_string(seed_) + (rng_.OneIn(2) ? "" : "_long_name"); }

  std::string Rename() {
    int64_t index = PickNode([&](const TableNode& node) {
      const TypeRule* rule = rules_.Find(node.type);
      return rule != nullptr && rule->kind == Kind::kFreeVar && !rule->label.empty();
    });
    if (index < 0) return "";
    int64_t name = table_.Add("ffi.String", JsonValue::String(FreshName()));
    *table_.At(index).data.Find(rules_.Find(table_.At(index).type)->label) = JsonValue::Int(name);
    return Name(index);
  }

  int64_t OtherInt(int64_t v) {
    static const std::vector<int64_t> kSteps = {1, -1, 2, int64_t{1} << 31, int64_t{1} << 40, int64_t{1} << 53};
    return static_cast<int64_t>(static_cast<uint64_t>(v) + static_cast<uint64_t>(rng_.Pick(kSteps)));
  }

  double OtherFloat(double v) {
    switch (rng_.Below(5)) {
      case 0:
        return std::nextafter(v, 1e300);
      case 1:
        return -v;
      case 2:
        return std::numeric_limits<double>::quiet_NaN();
      case 3:
        return std::numeric_limits<double>::infinity();
      default:
        return v + 0.1;
    }
  }

  std::string OtherDataType(const std::string& text) {
    static const std::vector<std::string> kTypes = {"int8",    "int64",     "uint1",    "bool",
                                                    "float16", "float32x4", "bfloat16", "handle"};
    std::string other = rng_.Pick(kTypes);
    return other == text ? "float64" : other;
  }

  std::string OtherText(const std::string& text) {
    switch (rng_.Below(4)) {
      case 0:
        return text + "_x";
      case 1:
        return text.substr(0, text.size() / 2);
      case 2:
        return text + std::string(1, '\0');
      default:
        return text + "\xC3\xA9";
    }
  }

  std::string ChangeScalar() {
    int64_t index = 0;
    const FieldRule* field = nullptr;
    if (!PickField([](const FieldRule& f) { return f.is_inline && f.type.head != "None"; }, &index, &field)) return "";
    JsonValue& value = Value(index, *field);
    const std::string& head = field->type.head;
    // A library may hold a field in fewer bits than the 64 that its schema promises.
    if (head == "int")
      value = JsonValue::Int(value.integer > 0 && rng_.OneIn(2) ? value.integer - 1 : value.integer ^ 1);
    if (head == "bool") value = JsonValue::Bool(!value.boolean);
    if (head == "float") value = JsonValue::Float(OtherFloat(value.number));
    if (head == "DataType") value = JsonValue::String(OtherDataType(value.text));
    return Name(index) + "." + field->name;
  }

  // Another value for a leaf's data, or false where the type has no other.
  bool OtherLeaf(const std::string& type, JsonValue* data) {
    if (type == "int") {
      *data = JsonValue::Int(OtherInt(data->integer));
    } else if (type == "float") {
      *data = JsonValue::Float(OtherFloat(data->number));
    } else if (type == "bool") {
      data->boolean = !data->boolean;
    } else if (type == "ffi.String") {
      data->text = OtherText(data->text);
    } else if (type == "DataType") {
      data->text = OtherDataType(data->text);
    } else if (type == "ffi.Bytes") {
      data->text = EncodeBase64(OtherText(DecodeBase64(data->text)));
    } else if (type == "ffi.BigInt") {
      data->text += "7";
    } else if (type == "ffi.Shape") {
      data->items.push_back(JsonValue::Int(static_cast<int64_t>(rng_.Below(9))));
    } else if (type == "Device") {
      data->items[1].integer += 1;
    } else if (type == "ffi.Tensor") {
      return OtherTensor(&data->text);
    } else {
      return false;
    }
    return true;
  }

  bool OtherTensor(std::string* text) {
    std::string stream = DecodeBase64(*text);
    size_t head = 44 + 8 * static_cast<size_t>(static_cast<unsigned char>(stream[24]));
    if (stream.size() <= head) return false;
    stream[head + rng_.Below(stream.size() - head)] ^= static_cast<char>(1u << rng_.Below(8));
    *text = EncodeBase64(stream);
    return true;
  }

  std::string ChangeLeaf() {
    int64_t index = PickNode([&](const TableNode& n) { return !n.IsContainer() && rules_.Find(n.type) == nullptr; });
    if (index < 0) return "";
    TableNode& node = table_.At(index);
    if (UsedAsKey(index) || !OtherLeaf(node.type, &node.data)) return "";
    return Name(index) + " " + node.data.ToText().substr(0, 40);
  }

  bool UsedAsKey(int64_t index) {
    return std::any_of(live_.begin(), live_.end(), [&](int64_t parent) {
      const TableNode& node = table_.At(parent);
      for (size_t i = 0; node.IsMap() && i < node.data.items.size(); i += 2) {
        if (node.data.items[i].integer == index) return true;
      }
      return false;
    });
  }

  // A random reference of a random node that is no map key; its holder in `parent`.
  int64_t* PickRef(int64_t* parent) {
    for (int attempt = 0; attempt < 60; ++attempt) {
      *parent = rng_.Pick(live_);
      std::vector<int64_t*> refs = table_.Refs(rules_, *parent);
      if (refs.empty()) continue;
      size_t i = rng_.Below(refs.size());
      if (!table_.At(*parent).IsMap() || i % 2 == 1) return refs[i];
    }
    return nullptr;
  }

  std::string Retarget() {
    int64_t parent = 0;
    int64_t* ref = PickRef(&parent);
    if (ref == nullptr) return "";
    int64_t other = rng_.Pick(by_type_[table_.At(*ref).type]);
    if (other == *ref || table_.Reaches(rules_, other, parent)) return "";
    *ref = other;
    return Name(parent) + " to " + Name(other);
  }

  std::string Replace() {
    int64_t index = 0;
    const FieldRule* field = nullptr;
    if (!PickField([](const FieldRule& f) { return !f.is_inline; }, &index, &field)) return "";
    int64_t old = Value(index, *field).integer;
    int64_t other = PickNode([&](const TableNode& node) { return node.type != table_.At(old).type; });
    // Whether None may stand for a missing object depends on the library, not only on the declared type.
    if (other < 0 || (table_.At(other).type == "None" && field->type.head != "Any")) return "";
    if (!table_.Fits(rules_, other, field->type) || table_.Reaches(rules_, other, index)) return "";
    Value(index, *field).integer = other;
    return Name(index) + "." + field->name + " to " + Name(other);
  }

  std::unordered_map<int64_t, std::vector<int64_t*>> AllRefs() {
    std::unordered_map<int64_t, std::vector<int64_t*>> refs;
    for (int64_t index : live_) {
      for (int64_t* ref : table_.Refs(rules_, index)) refs[*ref].push_back(ref);
    }
    return refs;
  }

  std::string Unshare() {
    auto refs = AllRefs();
    int64_t index = PickNode([](const TableNode& node) { return node.type != "None"; });
    if (index < 0 || refs[index].size() < 2) return "";
    int64_t* ref = rng_.Pick(refs[index]);
    *ref = static_cast<int64_t>(table_.nodes.size());  // before Add: the table grows, the data of its nodes stays
    table_.nodes.push_back(TableNode(table_.At(index)));
    return Name(index);
  }

  std::string Share() {
    int64_t index = PickNode([](const TableNode& node) { return node.type != "None"; });
    if (index < 0) return "";
    const TableNode& node = table_.At(index);
    for (int64_t other : by_type_[node.type]) {
      if (other == index || table_.At(other).data.ToText() != node.data.ToText()) continue;
      auto refs = AllRefs();
      for (int64_t* ref : refs[other]) *ref = index;
      return Name(index) + " for " + Name(other);
    }
    return "";
  }

  std::vector<JsonValue>* PickSequence(size_t min_size, int64_t* index) {
    *index = PickNode([&](const TableNode& n) { return n.IsSequence() && n.data.items.size() >= min_size; });
    return *index < 0 ? nullptr : &table_.At(*index).data.items;
  }

  std::string Swap() {
    int64_t index = 0;
    std::vector<JsonValue>* items = PickSequence(2, &index);
    if (items == nullptr) return "";
    size_t i = rng_.Below(items->size());
    size_t j = rng_.Below(items->size());
    if ((*items)[i].integer == (*items)[j].integer) return "";
    std::swap((*items)[i], (*items)[j]);
    return Name(index);
  }

  std::string Drop() {
    int64_t index = 0;
    std::vector<JsonValue>* items = PickSequence(1, &index);
    if (items == nullptr) return "";
    items->erase(items->begin() + static_cast<std::ptrdiff_t>(rng_.Below(items->size())));
    return Name(index);
  }

  std::string Insert() {
    int64_t index = 0;
    std::vector<JsonValue>* items = PickSequence(1, &index);
    if (items == nullptr) return "";
    int64_t like = rng_.Pick(*items).integer;
    int64_t other = rng_.Pick(by_type_[table_.At(like).type]);
    if (table_.Reaches(rules_, other, index)) return "";
    items->insert(items->begin() + static_cast<std::ptrdiff_t>(rng_.Below(items->size() + 1)), JsonValue::Int(other));
    return Name(index) + " takes " + Name(other);
  }

  std::string Duplicate() {
    int64_t index = 0;
    std::vector<JsonValue>* items = PickSequence(1, &index);
    if (items == nullptr) return "";
    JsonValue copy = rng_.Pick(*items);
    items->insert(items->begin() + static_cast<std::ptrdiff_t>(rng_.Below(items->size() + 1)), copy);
    return Name(index);
  }

  std::string Permute() {
    std::vector<int64_t> order(table_.nodes.size());
    std::iota(order.begin(), order.end(), 0);
    rng_.Shuffle(&order);
    table_.Renumber(rules_, order);
    return "all";
  }

  int64_t PickMap(size_t min_entries) {
    return PickNode([&](const TableNode& n) { return n.IsMap() && n.data.items.size() >= 2 * min_entries; });
  }

  std::string ReorderMap() {
    int64_t index = PickMap(2);
    if (index < 0) return "";
    std::vector<JsonValue>& items = table_.At(index).data.items;
    std::vector<size_t> order(items.size() / 2);
    std::iota(order.begin(), order.end(), size_t{0});
    rng_.Shuffle(&order);
    std::vector<JsonValue> sorted;
    for (size_t i : order) sorted.insert(sorted.end(), {items[2 * i], items[2 * i + 1]});
    items = std::move(sorted);
    return Name(index);
  }

  std::string DropEntry() {
    int64_t index = PickMap(1);
    if (index < 0) return "";
    std::vector<JsonValue>& items = table_.At(index).data.items;
    auto entry = items.begin() + static_cast<std::ptrdiff_t>(2 * rng_.Below(items.size() / 2));
    items.erase(entry, entry + 2);
    return Name(index);
  }

  std::string AddEntry() {
    int64_t index = PickMap(1);
    if (index < 0 || table_.At(table_.At(index).data.items[0].integer).type != "ffi.String") return "";
    JsonValue value = table_.At(index).data.items[1];
    int64_t key = table_.Add("ffi.String", JsonValue::String(FreshName()));
    std::vector<JsonValue>& items = table_.At(index).data.items;
    size_t at = 2 * rng_.Below(items.size() / 2 + 1);
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), {JsonValue::Int(key), value});
    return Name(index);
  }

  std::string BreakType() {
    int64_t index = 0;
    const FieldRule* field = nullptr;
    if (!PickField([](const FieldRule& f) { return f.type.head != "Any"; }, &index, &field)) {
      return "";
    }
    JsonValue& value = Value(index, *field);
    if (field->is_inline) {
      value = value.kind == JsonKind::kString ? JsonValue::Int(3) : JsonValue::Array();
      return Name(index) + "." + field->name;
    }
    int64_t other = PickNode([](const TableNode&) { return true; });
    if (table_.Fits(rules_, other, field->type) || table_.Reaches(rules_, other, index)) return "";
    value.integer = other;
    return Name(index) + "." + field->name + " to " + Name(other);
  }

  std::string ChangeIgnored() {
    int64_t index = 0;
    const FieldRule* field = nullptr;
    if (!PickField([](const FieldRule& f) { return f.ignore && !f.is_inline; }, &index, &field)) return "";
    int64_t other = PickNode([](const TableNode&) { return true; });
    int64_t old = Value(index, *field).integer;
    if (other == old || !table_.Fits(rules_, other, field->type) || table_.Reaches(rules_, other, index)) return "";
    if (table_.At(other).type == "None" && field->type.head != "Any") return "";
    Value(index, *field).integer = other;
    return Name(index) + "." + field->name + " to " + Name(other);
  }

  const TypeRules& rules_;
  NodeTable& table_;
  uint64_t seed_;
  Rng rng_;
  std::vector<int64_t> live_;
  std::map<std::string, std::vector<int64_t>> by_type_;
};

}  // namespace

EditNote EditGraph(const TypeRules& rules, NodeTable* table, uint64_t seed) {
  return EditGraph(rules, table, seed, "");
}

EditNote EditGraph(const TypeRules& rules, NodeTable* table, uint64_t seed, const std::string& kind) {
  return Editor(rules, table, seed).Make(kind);
}

}  // namespace transom::testing
