#include "render/outline.h"

#include <transom/runtime/error.h>

#include <algorithm>

#include "render/value_text.h"

namespace transom::render {

using graph::StructuralKind;
using graph::ValueClass;

void Outline::Read(const TVMFFIAny& root) {
  Extent extent{0, true};
  Visit(root, &extent);
  while (!frames_.empty()) {
    Child child;
    if (!frames_.back().children.Next(keeper_, &child)) {
      extent = Close();
      if (!frames_.empty()) Add(extent);
      continue;
    }
    if (child.role == Role::kField) frames_.back().width += static_cast<uint32_t>(child.field->name.size()) + 1;
    if (Visit(child.value, &extent)) Add(extent);
  }
  Number();
}

void Outline::Add(const Extent& extent) {
  Frame& frame = frames_.back();
  frame.width = std::min<uint32_t>(frame.width + extent.width + (frame.count++ == 0 ? 0 : 2), 1u << 20);
  frame.plain = frame.plain && extent.plain;
}

bool Outline::Visit(const TVMFFIAny& value, Extent* extent) {
  const ValueClass cls = graph::Classify(value.type_index);
  if (!graph::HasChildren(cls)) return VisitLeaf(value, cls, extent);
  if (Node* node = Find(value)) {
    if (node->open) ThrowCycle();
    ++node->uses;
    *extent = {node->width, node->plain};
    return true;
  }
  Open(value, cls);
  return false;
}

bool Outline::VisitLeaf(const TVMFFIAny& value, ValueClass cls, Extent* extent) {
  const bool tensor = cls == ValueClass::kTensor;
  const bool text = cls == ValueClass::kString || cls == ValueClass::kBytes;
  // Tensors are not read for their width: what stands before the elements is wide enough to decide by.
  const size_t width = tensor ? kSmall + 1 : text ? graph::TextOf(value).size() + 2 : LeafText(value, cls, max_string_).size();
  *extent = {static_cast<uint32_t>(std::min<size_t>(width, kWidest)), !tensor};
  if (!graph::IsObject(value) || width <= kSmall) return true;
  Node* node = Find(value);
  if (node == nullptr) {
    node = &NewNode(value);
    node->width = static_cast<uint8_t>(extent->width);
    node->plain = !tensor;
    finished_.push_back(static_cast<uint32_t>(nodes_.size() - 1));
  }
  ++node->uses;
  return true;
}

void Outline::Open(const TVMFFIAny& value, ValueClass cls) {
  const auto index = static_cast<uint32_t>(nodes_.size());
  Node& node = NewNode(value);
  node.uses = 1;
  node.open = true;
  Frame frame;
  frame.node = index;
  frame.width = 2;
  const graph::TypePlan* plan = nullptr;
  if (cls == ValueClass::kObject) {
    plan = &plans_.Of(value.v_obj);
    node.variable = plan->kind == StructuralKind::kFreeVar;
    frame.plain = plan->kind != StructuralKind::kDag && plan->kind != StructuralKind::kUnique;
    frame.width += static_cast<uint32_t>(plan->key.size());
    if (plan->custom_data) {
      frame.plain = true;  // the text is all that there is
      frame.width += static_cast<uint32_t>(graph::CustomDataOf(value.v_obj, *plan, keeper_).size());
    }
    if (node.variable) node.name = NewName(graph::LabelOf(plans_, value));
  } else if (value.type_index == kTVMFFIList || value.type_index == kTVMFFIDict) {
    frame.plain = false;
    frame.width += static_cast<uint32_t>(graph::TypeKeyOf(value).size());
  }
  frame.children = Children(value, cls, plan, node.name != 0, show_);
  frames_.push_back(frame);
}

Outline::Extent Outline::Close() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  Node& node = nodes_[frame.node];
  node.open = false;
  const uint64_t width = node.name != 0 ? NameOf(node).size() : frame.width;
  node.width = static_cast<uint8_t>(std::min<uint64_t>(width, kWidest));
  node.plain = node.variable || frame.plain;
  finished_.push_back(frame.node);
  return {node.width, node.plain};
}

Node& Outline::NewNode(const TVMFFIAny& value) {
  *index_.Insert(value.v_obj).first = static_cast<uint32_t>(nodes_.size());
  return nodes_.emplace_back();
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

void Outline::Number() {
  for (const uint32_t i : finished_) {
    Node& node = nodes_[i];
    const bool listed = !node.variable && node.uses > 1 && !(node.plain && node.width <= kSmall);
    if (listed || (node.variable && node.name == 0)) node.number = next_number_++;
  }
}

void Outline::ThrowCycle() const {
  graph::Path path;
  for (const Frame& frame : frames_) path.push_back(frame.children.LastStep());
  TRANSOM_THROW(ValueError) << graph::PathText(path, true)
                            << ": the value contains itself; a list, dict or field that leads back to an object above it "
                               "cannot be shown";
}

}  // namespace transom::render
