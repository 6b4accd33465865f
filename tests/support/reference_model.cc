#include "support/reference_model.h"

#include <cmath>
#include <cstring>
#include <map>
#include <regex>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "support/base64.h"

namespace transom::testing {
namespace {

enum StepKind { kAttr = 0, kItem = 1, kKey = 2, kItemMissing = 4, kKeyMissing = 5 };

double AsDouble(const JsonValue& v) {
  return v.kind == JsonValue::Kind::kInt ? static_cast<double>(v.integer) : v.number;
}

bool SameFloat(const JsonValue& l, const JsonValue& r) {
  double a = AsDouble(l);
  double b = AsDouble(r);
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof(a)) == 0;
}

// Two values of one built-in type that are not containers.
bool SameLeaf(const std::string& type, const JsonValue& l, const JsonValue& r, bool skip_tensor_content) {
  if (type == "float") return SameFloat(l, r);
  if (type == "ffi.Bytes") return DecodeBase64(l.text) == DecodeBase64(r.text);
  if (type == "ffi.Tensor") {
    // Stream: magic and a reserved word, device, rank, dtype, extents, size, data. The device does not count.
    std::string a = DecodeBase64(l.text).substr(24);
    std::string b = DecodeBase64(r.text).substr(24);
    if (skip_tensor_content) {
      int32_t rank = 0;
      std::memcpy(&rank, a.data(), sizeof(rank));
      size_t head = 8 + 8 * static_cast<size_t>(rank);
      return a.substr(0, head) == b.substr(0, head);
    }
    return a == b;
  }
  return l.Canonical() == r.Canonical();
}

bool IsLeaf(const TypeRules& rules, const TableNode& node) {
  return !node.IsContainer() && rules.Find(node.type) == nullptr;
}

const std::vector<size_t>& CountedFields(const TypeRules& rules, const TypeRule& rule, const NodeTable& table,
                                         const TableNode& node) {
  if (rule.compare_if_field < 0) return rule.compare;
  const FieldRule& field = rule.fields[static_cast<size_t>(rule.compare_if_field)];
  const std::string& type = table.At(node.data.Find(field.name)->integer).type;
  return rules.IsA(type, rule.compare_if_type) ? rule.compare_then : rule.compare;
}

Region Inside(Region region, const TypeRule& rule, const FieldRule& field) {
  if (region == Region::kRecursive) return region;
  if (field.region != Region::kNone) return field.region;
  return rule.kind == Kind::kFreeVar ? Region::kNone : region;
}

// The variables that a definition region, or the keys of a map, bind anywhere in a graph.
class Binders {
 public:
  Binders(const TypeRules& rules, const NodeTable& table) : rules_(rules), table_(table) {}

  std::unordered_set<int64_t> Find(Region region) {
    Visit(table_.root, region);
    return bound_;
  }

 private:
  void Visit(int64_t index, Region region) {
    if (!seen_.insert({index, region}).second) return;
    const TableNode& node = table_.At(index);
    if (node.IsContainer()) return VisitContainer(node, region);
    const TypeRule* rule = rules_.Find(node.type);
    if (rule == nullptr || rule->custom) return;
    if (rule->kind == Kind::kFreeVar && region != Region::kNone) bound_.insert(index);
    for (size_t i : CountedFields(rules_, *rule, table_, node)) {
      const FieldRule& field = rule->fields[i];
      if (!field.is_inline) Visit(node.data.Find(field.name)->integer, Inside(region, *rule, field));
    }
  }
  void VisitContainer(const TableNode& node, Region region) {
    for (size_t i = 0; i < node.data.items.size(); ++i) {
      int64_t child = node.data.items[i].integer;
      Visit(child, region);
      const TypeRule* rule = rules_.Find(table_.At(child).type);
      bool is_key = node.IsMap() && i % 2 == 0;
      if (is_key && rule != nullptr && rule->kind == Kind::kFreeVar && rule->has_compare) bound_.insert(child);
    }
  }

  const TypeRules& rules_;
  const NodeTable& table_;
  std::set<std::pair<int64_t, Region>> seen_;
  std::unordered_set<int64_t> bound_;
};

class Model {
 public:
  Model(const TypeRules& rules, const NodeTable& lhs, const NodeTable& rhs, const ModelOptions& options)
      : rules_(rules), lhs_(lhs), rhs_(rhs), options_(options) {
    Region region = options.map_free_vars ? Region::kRecursive : Region::kNone;
    bound_lhs_ = Binders(rules, lhs).Find(region);
    bound_rhs_ = Binders(rules, rhs).Find(region);
    verdict_.equal = Equal(lhs.root, rhs.root, region);
  }
  const ModelVerdict& verdict() const { return verdict_; }

 private:
  bool Equal(int64_t l, int64_t r, Region region) {
    const TableNode& a = lhs_.At(l);
    const TableNode& b = rhs_.At(r);
    if (a.type != b.type) return Fail();
    if (IsLeaf(rules_, a)) return SameLeaf(a.type, a.data, b.data, options_.skip_tensor_content) || Fail();
    if (done_.count({l, r, region}) != 0) return true;
    bool equal = a.IsSequence() ? SequenceEqual(a, b, region)
                 : a.IsMap()    ? MapEqual(a, b, region)
                                : ObjectEqual(l, r, region);
    if (equal) done_.insert({l, r, region});
    return equal;
  }

  bool SequenceEqual(const TableNode& a, const TableNode& b, Region region) {
    size_t na = a.data.items.size();
    size_t nb = b.data.items.size();
    for (size_t i = 0; i < std::min(na, nb); ++i) {
      ModelStep step{kItem, "", static_cast<int64_t>(i)};
      if (!Below(step, step, a.data.items[i].integer, b.data.items[i].integer, region)) return false;
    }
    if (na == nb) return true;
    auto end = static_cast<int64_t>(std::min(na, nb));
    return Fail({na > nb ? kItem : kItemMissing, "", end}, {nb > na ? kItem : kItemMissing, "", end});
  }

  bool ObjectEqual(int64_t l, int64_t r, Region region) {
    const TableNode& a = lhs_.At(l);
    const TableNode& b = rhs_.At(r);
    const TypeRule& rule = *rules_.Find(a.type);
    if (rule.custom) return a.data.Canonical() == b.data.Canonical() || Fail();
    const bool paired_kind = rule.kind == Kind::kFreeVar || rule.kind == Kind::kDag || rule.kind == Kind::kUnique;
    if (paired_kind) {
      auto known = to_rhs_.find(l);
      if (known != to_rhs_.end()) return known->second == r || Fail();
      if (to_lhs_.count(r) != 0) return Fail();
    }
    const std::vector<size_t>& list = CountedFields(rules_, rule, lhs_, a);
    for (size_t i : list) {
      if (!FieldEqual(a, b, rule, rule.fields[i], region)) return false;
    }
    const bool is_use = rule.kind == Kind::kFreeVar && region == Region::kNone;
    if (is_use && bound_lhs_.count(l) != bound_rhs_.count(r)) return Fail();
    if (paired_kind) Pair(l, r);
    return true;
  }

  bool FieldEqual(const TableNode& a, const TableNode& b, const TypeRule& rule, const FieldRule& field, Region region) {
    const JsonValue& x = *a.data.Find(field.name);
    const JsonValue& y = *b.data.Find(field.name);
    ModelStep step{kAttr, field.name, 0};
    if (!field.is_inline) return Below(step, step, x.integer, y.integer, Inside(region, rule, field));
    bool equal = field.type.head == "float" ? SameFloat(x, y) : x.Canonical() == y.Canonical();
    return equal || Fail(step, step);
  }

  // What a key is found by without comparing it, or empty: a value, or a variable by its counted fields.
  std::string KeyIdentity(const NodeTable& table, int64_t key) const {
    const TableNode& node = table.At(key);
    if (IsLeaf(rules_, node)) return node.type + " " + node.data.Canonical();
    const TypeRule* rule = rules_.Find(node.type);
    if (rule == nullptr || rule->kind != Kind::kFreeVar || !rule->has_compare) return "";
    std::string out = node.type;
    for (size_t i : rule->compare) {
      const JsonValue& value = *node.data.Find(rule->fields[i].name);
      out += " " + (rule->fields[i].is_inline ? value : table.At(value.integer).data).Canonical();
    }
    return out;
  }

  bool IsTree(const NodeTable& table, int64_t key) const {
    const TypeRule* rule = rules_.Find(table.At(key).type);
    return rule != nullptr && (rule->kind == Kind::kTree || rule->kind == Kind::kConstTree);
  }

  // Whether key `l` goes with key `r`, before either map's values are compared.
  bool KeysMatch(int64_t l, int64_t r) {
    auto known = to_rhs_.find(l);
    if (known != to_rhs_.end()) return known->second == r;
    if (to_lhs_.count(r) != 0) return false;
    std::string identity = KeyIdentity(lhs_, l);
    if (!identity.empty()) return identity == KeyIdentity(rhs_, r);
    if (!IsTree(lhs_, l) || !IsTree(rhs_, r)) return false;
    Model trial = *this;
    return trial.Equal(l, r, Region::kNone);
  }

  std::vector<int64_t> PairKeys(const TableNode& a, const TableNode& b) {
    std::vector<int64_t> partner(a.data.items.size() / 2, -1);
    std::vector<char> taken(b.data.items.size() / 2);
    for (size_t i = 0; i < partner.size(); ++i) {
      for (size_t j = 0; j < taken.size(); ++j) {
        if (taken[j] || !KeysMatch(a.data.items[2 * i].integer, b.data.items[2 * j].integer)) continue;
        partner[i] = static_cast<int64_t>(j);
        taken[j] = 1;
        break;
      }
    }
    return partner;
  }

  bool MapEqual(const TableNode& a, const TableNode& b, Region region) {
    std::vector<int64_t> partner = PairKeys(a, b);
    std::vector<char> taken(b.data.items.size() / 2);
    for (size_t i = 0; i < partner.size(); ++i) {
      if (partner[i] < 0) continue;
      taken[static_cast<size_t>(partner[i])] = 1;
      int64_t l = a.data.items[2 * i].integer;
      int64_t r = b.data.items[2 * static_cast<size_t>(partner[i])].integer;
      const TypeRule* rule = rules_.Find(lhs_.At(l).type);
      if (rule != nullptr && rule->kind == Kind::kFreeVar) Pair(l, r);
    }
    for (size_t i = 0; i < partner.size(); ++i) {
      std::string text = KeyText(lhs_, a.data.items[2 * i].integer);
      ModelStep here{kKey, text, static_cast<int64_t>(i)};
      if (partner[i] < 0) return Fail(here, {kKeyMissing, text, -1});
      size_t j = static_cast<size_t>(partner[i]);
      ModelStep there{kKey, KeyText(rhs_, b.data.items[2 * j].integer), static_cast<int64_t>(j)};
      if (!Below(here, there, a.data.items[2 * i + 1].integer, b.data.items[2 * j + 1].integer, region)) return false;
    }
    for (size_t j = 0; j < taken.size(); ++j) {
      std::string text = KeyText(rhs_, b.data.items[2 * j].integer);
      if (!taken[j]) return Fail({kKeyMissing, text, -1}, {kKey, text, static_cast<int64_t>(j)});
    }
    return true;
  }

  std::string KeyText(const NodeTable& table, int64_t key) const {
    const TableNode& node = table.At(key);
    const TypeRule* rule = rules_.Find(node.type);
    if (rule == nullptr || rule->custom || rule->label.empty()) return node.data.Canonical();
    const TableNode& label = table.At(node.data.Find(rule->label)->integer);
    return label.data.Canonical();
  }

  void Pair(int64_t l, int64_t r) {
    to_rhs_[l] = r;
    to_lhs_[r] = l;
  }

  bool Below(const ModelStep& lstep, const ModelStep& rstep, int64_t l, int64_t r, Region region) {
    lpath_.push_back(lstep);
    rpath_.push_back(rstep);
    bool equal = Equal(l, r, region);
    lpath_.pop_back();
    rpath_.pop_back();
    return equal;
  }

  bool Fail() {
    verdict_.lhs = lpath_;
    verdict_.rhs = rpath_;
    return false;
  }
  bool Fail(const ModelStep& lstep, const ModelStep& rstep) {
    Fail();
    verdict_.lhs.push_back(lstep);
    verdict_.rhs.push_back(rstep);
    return false;
  }

  const TypeRules& rules_;
  const NodeTable& lhs_;
  const NodeTable& rhs_;
  ModelOptions options_;
  std::unordered_set<int64_t> bound_lhs_, bound_rhs_;
  std::unordered_map<int64_t, int64_t> to_rhs_, to_lhs_;
  std::set<std::tuple<int64_t, int64_t, Region>> done_;
  std::vector<ModelStep> lpath_, rpath_;
  ModelVerdict verdict_;
};

}  // namespace

ModelVerdict CompareTables(const TypeRules& rules, NodeTable lhs, NodeTable rhs, const ModelOptions& options) {
  lhs.FillDefaults(rules);
  rhs.FillDefaults(rules);
  return Model(rules, lhs, rhs, options).verdict();
}

std::string StepsText(const std::vector<ModelStep>& steps) {
  std::string out = "<root>";
  for (const ModelStep& step : steps) {
    std::string key = step.kind == kItem || step.kind == kItemMissing ? std::to_string(step.index) : step.name;
    bool missing = step.kind == kItemMissing || step.kind == kKeyMissing;
    out += step.kind == kAttr ? "." + key : missing ? "[<missing:" + key + ">]" : "[" + key + "]";
  }
  return out;
}

std::string PlainPath(const std::string& path) {
  static const std::regex kObjectKey(R"(\[(<missing:)?[A-Za-z_][A-Za-z0-9_.]*\(("[^"]*")\)(>?)\])");
  return std::regex_replace(path, kObjectKey, "[$1$2$3]");
}

}  // namespace transom::testing
