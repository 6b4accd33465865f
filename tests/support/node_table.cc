#include "support/node_table.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace transom::testing {

NodeTable NodeTable::Parse(std::string_view text) {
  JsonValue json = ParseJson(text);
  NodeTable table;
  table.root = json.Find("root_index")->integer;
  for (JsonValue& node : json.Find("nodes")->items) {
    JsonValue* data = node.Find("data");
    table.Add(node.Find("type")->text, data == nullptr ? JsonValue() : std::move(*data));
  }
  if (const JsonValue* metadata = json.Find("metadata")) table.metadata = metadata->ToText();
  if (const JsonValue* schema = json.Find("schema")) table.schema = schema->ToText();
  return table;
}

std::string NodeTable::ToText() const {
  std::string out = "{";
  if (!schema.empty()) out += "\"schema\":" + schema + ",";
  out += "\"root_index\":" + std::to_string(root) + ",\"nodes\":[";
  for (size_t i = 0; i < nodes.size(); ++i) {
    out += i == 0 ? "{\"type\":" : ",{\"type\":";
    WriteJsonString(nodes[i].type, &out);
    if (nodes[i].type != "None") {
      out += ",\"data\":";
      nodes[i].data.Write(&out);
    }
    out += "}";
  }
  out += "]";
  if (!metadata.empty()) out += ",\"metadata\":" + metadata;
  return out + "}";
}

std::vector<int64_t*> NodeTable::Refs(const TypeRules& rules, int64_t index) {
  TableNode& node = At(index);
  std::vector<int64_t*> out;
  if (node.IsContainer()) {
    for (JsonValue& item : node.data.items) out.push_back(&item.integer);
    return out;
  }
  const TypeRule* rule = rules.Find(node.type);
  if (rule == nullptr || rule->custom) return out;
  for (auto& [name, value] : node.data.members) {
    int field = rule->Find(name);
    if (field >= 0 && !rule->fields[static_cast<size_t>(field)].is_inline) out.push_back(&value.integer);
  }
  return out;
}

std::vector<int64_t> NodeTable::Children(const TypeRules& rules, int64_t index) const {
  std::vector<int64_t> out;
  for (int64_t* ref : const_cast<NodeTable*>(this)->Refs(rules, index)) out.push_back(*ref);
  return out;
}

std::vector<int64_t> NodeTable::PostOrder(const TypeRules& rules) const {
  std::vector<int64_t> order;
  std::vector<char> seen(nodes.size());
  std::vector<std::pair<int64_t, bool>> stack = {{root, false}};
  while (!stack.empty()) {
    auto [index, done] = stack.back();
    stack.pop_back();
    if (done) {
      order.push_back(index);
      continue;
    }
    if (seen[static_cast<size_t>(index)]) continue;
    seen[static_cast<size_t>(index)] = 1;
    stack.push_back({index, true});
    std::vector<int64_t> children = Children(rules, index);
    for (auto child = children.rbegin(); child != children.rend(); ++child) stack.push_back({*child, false});
  }
  return order;
}

bool NodeTable::Reaches(const TypeRules& rules, int64_t from, int64_t to) const {
  NodeTable* self = const_cast<NodeTable*>(this);
  std::vector<char> seen(nodes.size());
  std::vector<int64_t> stack = {from};
  while (!stack.empty()) {
    int64_t index = stack.back();
    stack.pop_back();
    if (index == to) return true;
    if (seen[static_cast<size_t>(index)]) continue;
    seen[static_cast<size_t>(index)] = 1;
    for (int64_t* ref : self->Refs(rules, index)) stack.push_back(*ref);
  }
  return false;
}

void NodeTable::Renumber(const TypeRules& rules, const std::vector<int64_t>& order) {
  std::vector<int64_t> position(nodes.size(), -1);
  for (size_t i = 0; i < order.size(); ++i) position[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  std::vector<TableNode> sorted;
  for (int64_t index : order) {
    for (int64_t* ref : Refs(rules, index)) *ref = position[static_cast<size_t>(*ref)];
    sorted.push_back(std::move(At(index)));
  }
  nodes = std::move(sorted);
  root = position[static_cast<size_t>(root)];
}

int64_t NodeTable::AddDefault(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::kNull:
      return Add("None", {});
    case JsonValue::Kind::kBool:
      return Add("bool", value);
    case JsonValue::Kind::kInt:
      return Add("int", value);
    case JsonValue::Kind::kFloat:
      return Add("float", value);
    case JsonValue::Kind::kString:
      return Add("ffi.String", value);
    default:
      throw std::runtime_error("a default is a scalar, a string or null");
  }
}

void NodeTable::FillDefaults(const TypeRules& rules) {
  const auto count = static_cast<int64_t>(nodes.size());
  for (int64_t index = 0; index < count; ++index) {
    const TypeRule* rule = rules.Find(At(index).type);
    if (rule == nullptr || rule->custom) continue;
    for (const FieldRule& field : rule->fields) {
      if (!field.has_default || At(index).data.Find(field.name) != nullptr) continue;
      JsonValue value = field.is_inline ? field.default_value : JsonValue::Int(AddDefault(field.default_value));
      At(index).data.Add(field.name, std::move(value));
    }
  }
}

void NodeTable::MergeLeaves(const TypeRules& rules) {
  static const std::set<std::string> kMerged = {"None",     "bool",   "int",        "float",
                                                "DataType", "Device", "ffi.String", "ffi.Bytes"};
  std::map<std::string, int64_t> first;
  std::vector<int64_t> representative(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    auto index = static_cast<int64_t>(i);
    const bool merged = kMerged.count(nodes[i].type) != 0;
    representative[i] = merged ? first.emplace(nodes[i].type + nodes[i].data.ToText(), index).first->second : index;
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (int64_t* ref : Refs(rules, static_cast<int64_t>(i))) *ref = representative[static_cast<size_t>(*ref)];
  }
}

void NodeTable::UnifyFloats(const TypeRules& rules) {
  auto unify = [](JsonValue* value) {
    if (value->kind == JsonValue::Kind::kInt) *value = JsonValue::Float(static_cast<double>(value->integer));
  };
  for (TableNode& node : nodes) {
    if (node.type == "float") unify(&node.data);
    const TypeRule* rule = rules.Find(node.type);
    if (rule == nullptr || rule->custom) continue;
    for (auto& [name, value] : node.data.members) {
      const int field = rule->Find(name);
      if (field >= 0 && rule->fields[static_cast<size_t>(field)].type.head == "float") unify(&value);
    }
  }
}

void NodeTable::Normalize(const TypeRules& rules) {
  FillDefaults(rules);
  UnifyFloats(rules);
  MergeLeaves(rules);
  for (TableNode& node : nodes) {
    const TypeRule* rule = rules.Find(node.type);
    if (rule == nullptr || rule->custom) continue;
    std::stable_sort(node.data.members.begin(), node.data.members.end(),
                     [&](const auto& a, const auto& b) { return rule->Find(a.first) < rule->Find(b.first); });
  }
  Renumber(rules, PostOrder(rules));
}

std::string NodeTable::FirstBreach(const TypeRules& rules) const {
  using JsonKind = JsonValue::Kind;
  for (int64_t index : PostOrder(rules)) {
    const TableNode& node = At(index);
    const TypeRule* rule = rules.Find(node.type);
    if (rule == nullptr || rule->custom) continue;
    for (const FieldRule& field : rule->fields) {
      const JsonValue* value = node.data.Find(field.name);
      if (value == nullptr) continue;
      const std::string& head = field.type.head;
      bool good = head == "int"        ? value->kind == JsonKind::kInt
                  : head == "bool"     ? value->kind == JsonKind::kBool
                  : head == "float"    ? value->kind == JsonKind::kFloat || value->kind == JsonKind::kInt
                  : head == "DataType" ? value->kind == JsonKind::kString
                  : head == "None"     ? value->kind == JsonKind::kNull
                                       : Fits(rules, value->integer, field.type);
      if (!good) return "node " + std::to_string(index) + " " + node.type + "." + field.name;
    }
  }
  return "";
}

bool NodeTable::SequenceFits(const TypeRules& rules, const TableNode& node, const DeclaredType& type) const {
  const std::vector<JsonValue>& items = node.data.items;
  if (type.head == "Tuple") {
    if (node.type != "ffi.Array" || items.size() != type.args.size()) return false;
    for (size_t i = 0; i < items.size(); ++i) {
      if (!Fits(rules, items[i].integer, type.args[i])) return false;
    }
    return true;
  }
  if (node.type != type.head) return false;
  for (size_t i = 0; i < items.size() && !type.args.empty(); ++i) {
    if (!Fits(rules, items[i].integer, type.args[node.IsMap() ? i % 2 : 0])) return false;
  }
  return true;
}

bool NodeTable::Fits(const TypeRules& rules, int64_t index, const DeclaredType& type) const {
  const TableNode& node = At(index);
  const std::string& head = type.head;
  if (head == "Any" || head == "ffi.Object") return true;
  if (head == "Optional") return node.type == "None" || Fits(rules, index, type.args[0]);
  if (head == "Union" || head == "Variant") {
    return std::any_of(type.args.begin(), type.args.end(),
                       [&](const DeclaredType& arg) { return Fits(rules, index, arg); });
  }
  if (head == "float") return node.type == "float" || node.type == "int";
  if (head == "ffi.BigInt") return node.type == "ffi.BigInt" || node.type == "int";
  if (head == "std::string") return node.type == "ffi.String";
  if (head == "ffi.String" || head == "ffi.Bytes" || head == "Device" || type.IsInline()) return node.type == head;
  if (node.type == "None") return true;  // what holds an object may hold none
  if (head == "Tuple" || head == "ffi.Array" || head == "ffi.List" || head == "ffi.Map" || head == "ffi.Dict") {
    return SequenceFits(rules, node, type);
  }
  if (rules.Find(head) != nullptr) return rules.IsA(node.type, head);
  return !type.args.empty() || node.type == head;  // an unknown generic type promises nothing
}

}  // namespace transom::testing
