#include "render/outline.h"

#include <transom/runtime/error.h>
#include <xxhash.h>

#include <algorithm>

#include "render/value_text.h"

namespace transom::render {
namespace {

using graph::StructuralKind;
using graph::ValueClass;

constexpr uint64_t kNodeTag = uint64_t{1} << 63;
constexpr uint32_t kReferenceWidth = 2;  // `%0` at least
constexpr uint32_t kMaxWidth = 1u << 20;

bool IsMutable(const TVMFFIAny& value) { return value.type_index == kTVMFFIList || value.type_index == kTVMFFIDict; }

bool IsListed(const Node& node) {
  return !node.variable && node.uses > 1 && !(node.plain && node.width <= Outline::kSmall);
}

uint64_t FieldOf(const graph::FieldPlan* field) { return reinterpret_cast<uintptr_t>(field); }

}  // namespace

void Outline::Read(const TVMFFIAny& root) {
  Visit(root, nullptr);
  while (!frames_.empty()) {
    Child child;
    Frame& frame = frames_.back();
    if (!frame.children.Next(keeper_, &child)) {
      Close();
      continue;
    }
    if (child.role == Role::kField) frame.own_width += static_cast<uint32_t>(child.field->name.size()) + 1;
    const bool first = open_parts_.size() == frame.first_part;
    frame.own_width = std::min(frame.own_width + (first ? 0 : 2), kMaxWidth);
    Visit(child.value, child.role == Role::kField ? child.field : nullptr);
  }
  Number();
  parts_ = {};
  by_content_ = {};
  texts_ = {};
  long_leaves_ = {};
}

void Outline::Visit(const TVMFFIAny& value, const graph::FieldPlan* field) {
  const ValueClass cls = graph::Classify(value.type_index);
  if (!graph::HasChildren(cls)) return VisitLeaf(value, cls, FieldOf(field));
  uint32_t* known = index_.Find(value.v_obj);
  if (known == nullptr) {
    // The part is added when the node is finished: it may turn out to be one that is there already.
    open_parts_.push_back({0, 0, FieldOf(field), 0});
    return Open(value, cls);
  }
  if (nodes_[*known].open) ThrowCycle();
  ++nodes_[*known].uses;
  AddPart(FieldOf(field), *known);
}

void Outline::AddPart(uint64_t field, uint32_t node) {
  open_parts_.push_back({kNodeTag, node, field, 0});
  if (!frames_.empty()) frames_.back().plain = frames_.back().plain && nodes_[node].plain;
}

void Outline::VisitLeaf(const TVMFFIAny& value, ValueClass cls, uint64_t field) {
  const bool text = cls == ValueClass::kString || cls == ValueClass::kBytes;
  const bool tensor = cls == ValueClass::kTensor;
  // Tensors are not read for their width: what stands before the elements is wide enough to decide by.
  std::string own = tensor ? "" : text ? std::string(graph::TextOf(value)) : LeafText(value, cls, max_string_);
  const size_t width = tensor ? kSmall + 1 : text ? own.size() + 2 : own.size();
  if (graph::IsObject(value) && width > kSmall) return VisitLongLeaf(value, cls, std::move(own), field);
  Part part{static_cast<uint64_t>(static_cast<uint32_t>(value.type_index)) << 32 | value.zero_padding, value.v_uint64,
            field, width};
  if (graph::IsObject(value)) part.payload = Intern(std::move(own));
  open_parts_.push_back(part);
}

// Only a tensor is an object of its own; all else of one content is one node.
void Outline::VisitLongLeaf(const TVMFFIAny& value, ValueClass cls, std::string text, uint64_t field) {
  const bool tensor = cls == ValueClass::kTensor;
  if (index_.Find(value.v_obj) == nullptr) {
    const std::string key = std::to_string(value.type_index) + ":" + text;
    const auto known = tensor ? long_leaves_.end() : long_leaves_.find(key);
    if (known != long_leaves_.end()) {
      *index_.Insert(value.v_obj).first = known->second;
    } else {
      const uint32_t index = NewNode(value);
      if (!tensor) long_leaves_.emplace(key, index);
      nodes_[index].own_width =
          static_cast<uint32_t>(std::min<size_t>(std::max<size_t>(text.size(), kSmall + 1), kMaxWidth));
      nodes_[index].plain = !tensor;
      finished_.push_back(index);
    }
  }
  const uint32_t index = *index_.Find(value.v_obj);
  ++nodes_[index].uses;
  AddPart(field, index);
}

uint64_t Outline::Intern(std::string text) { return texts_.emplace(std::move(text), texts_.size()).first->second; }

void Outline::Open(const TVMFFIAny& value, ValueClass cls) {
  Frame frame;
  frame.node = NewNode(value);
  frame.object = value.v_obj;
  frame.first_part = open_parts_.size();
  const graph::TypePlan* plan = cls == ValueClass::kObject ? &plans_.Of(value.v_obj) : nullptr;
  nodes_[frame.node].uses = 1;
  nodes_[frame.node].open = true;
  nodes_[frame.node].type = static_cast<uint32_t>(value.type_index);
  if (plan != nullptr) OpenObject(value, &frame);
  if (IsMutable(value)) {
    frame.plain = false;
    frame.own_width += static_cast<uint32_t>(graph::TypeKeyOf(value).size());
  }
  frame.children = Children(value, cls, plan, nodes_[frame.node].name != 0, show_);
  frames_.push_back(frame);
}

void Outline::OpenObject(const TVMFFIAny& value, Frame* frame) {
  const graph::TypePlan& plan = plans_.Of(value.v_obj);
  Node& node = nodes_[frame->node];
  node.variable = plan.kind == StructuralKind::kFreeVar;
  node.type = reinterpret_cast<uintptr_t>(&plan);
  frame->own_width += static_cast<uint32_t>(plan.key.size());
  if (node.variable) node.name = NewName(graph::LabelOf(plans_, value));
  if (plan.custom_data) {
    const std::string_view json = graph::CustomDataOf(value.v_obj, plan, keeper_);
    open_parts_.push_back({0, Intern(std::string(json)), 0, std::min<size_t>(json.size(), kMaxWidth)});
  } else {
    frame->plain = plan.kind != StructuralKind::kDag && plan.kind != StructuralKind::kUnique;
  }
}

void Outline::Close() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  Node& node = nodes_[frame.node];
  node.open = false;
  node.plain = node.variable || frame.plain;
  node.own_width =
      node.name != 0 ? static_cast<uint32_t>(std::min<size_t>(NameOf(node).size(), kMaxWidth)) : frame.own_width;
  const bool may_merge = !node.variable && node.plain && !exact_sharing_ && frame.children.hidden() == 0;
  if (!may_merge || !Merge(frame)) Keep(frame);
  open_parts_.resize(frame.first_part);
  const uint64_t field = open_parts_.back().field;
  open_parts_.pop_back();
  AddPart(field, *index_.Find(frame.object));
}

void Outline::Keep(const Frame& frame) {
  Node& node = nodes_[frame.node];
  node.first_part = parts_.size();
  node.num_parts = static_cast<uint32_t>(open_parts_.size() - frame.first_part);
  parts_.insert(parts_.end(), open_parts_.begin() + static_cast<ptrdiff_t>(frame.first_part), open_parts_.end());
  finished_.push_back(frame.node);
}

// True: a node with this content was there; the object has it now.
bool Outline::Merge(const Frame& frame) {
  const uint64_t hash = HashOf(frame);
  const auto [begin, end] = by_content_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    Node& node = nodes_[it->second];
    if (!SameContent(frame, node)) continue;
    ++node.uses;
    // What is not shown a second time uses its parts no second time.
    for (size_t i = frame.first_part; i < open_parts_.size(); ++i) {
      if (open_parts_[i].tag == kNodeTag) --nodes_[open_parts_[i].payload].uses;
    }
    *index_.Find(frame.object) = it->second;
    return true;
  }
  by_content_.emplace(hash, frame.node);
  return false;
}

uint64_t Outline::HashOf(const Frame& frame) const {
  const size_t count = open_parts_.size() - frame.first_part;
  return XXH3_64bits_withSeed(open_parts_.data() + frame.first_part, count * sizeof(Part), nodes_[frame.node].type);
}

bool Outline::SameContent(const Frame& frame, const Node& node) const {
  const size_t count = open_parts_.size() - frame.first_part;
  return node.type == nodes_[frame.node].type && node.num_parts == count &&
         std::equal(open_parts_.begin() + static_cast<ptrdiff_t>(frame.first_part), open_parts_.end(),
                    parts_.begin() + static_cast<ptrdiff_t>(node.first_part));
}

uint32_t Outline::NewNode(const TVMFFIAny& value) {
  const auto index = static_cast<uint32_t>(nodes_.size());
  *index_.Insert(value.v_obj).first = index;
  nodes_.emplace_back();
  return index;
}

uint32_t Outline::NewName(const std::string& label) {
  if (label.empty()) return 0;
  std::string name = VariableText(label);
  if (!taken_.insert(name).second) {
    uint64_t& i = repeats_[label];
    do {
      name = VariableText(label + "_" + std::to_string(++i));
    } while (!taken_.insert(name).second);
  }
  names_.push_back(std::move(name));
  return static_cast<uint32_t>(names_.size());
}

// Children first, so that whether a part is listed is known before its holders' widths.
void Outline::Number() {
  for (const uint32_t i : finished_) {
    Node& node = nodes_[i];
    node.width = node.own_width;
    for (uint32_t k = 0; k < node.num_parts && node.name == 0; ++k) {
      node.width = std::min(node.width + WidthOf(parts_[node.first_part + k]), kMaxWidth);
    }
    if (IsListed(node) || (node.variable && node.name == 0)) node.number = next_number_++;
  }
}

uint32_t Outline::WidthOf(const Part& part) const {
  if (part.tag != kNodeTag) return static_cast<uint32_t>(std::min<uint64_t>(part.width, kMaxWidth));
  const Node& node = nodes_[part.payload];
  return IsListed(node) ? kReferenceWidth : node.width;
}

void Outline::ThrowCycle() const {
  graph::Path path;
  for (const Frame& frame : frames_) path.push_back(frame.children.LastStep());
  TRANSOM_THROW(ValueError)
      << graph::PathText(path, true)
      << ": the value contains itself; a list, dict or field that leads back to an object above it "
         "cannot be shown";
}

}  // namespace transom::render
