#include <transom/render/dump.h>

#include <utility>

#include "render/children.h"
#include "render/value_text.h"

namespace transom {
namespace {

using namespace render;  // NOLINT: this file is that namespace's front
using graph::StructuralKind;
using graph::ValueClass;

constexpr int kLevels = 3;            // of nesting that are written out
constexpr int64_t kMaxString = 48;

// Writes until the text is long enough, then only what closes the brackets. Recursion ends at kLevels.
class Summarizer {
 public:
  explicit Summarizer(size_t max_length) : max_length_(max_length) {}

  std::string Run(const TVMFFIAny& value) {
    Write(value, 0);
    return std::move(text_);
  }

 private:
  bool Full() const { return text_.size() >= max_length_; }

  void Write(const TVMFFIAny& value, int level) {
    const ValueClass cls = graph::Classify(value.type_index);
    if (!graph::HasChildren(cls)) {
      text_ += LeafText(value, cls, kMaxString);
      return;
    }
    if (cls != ValueClass::kObject) return WriteContainer(value, cls, level);
    const graph::TypePlan& plan = plans_.Of(value.v_obj);
    if (plan.custom_data) {
      text_ += CustomText(plan.key, graph::CustomDataOf(value.v_obj, plan, keeper_), kMaxString);
      return;
    }
    const std::string label = graph::LabelOf(plans_, value);
    const bool named = plan.kind == StructuralKind::kFreeVar && !label.empty();
    const Children children(value, cls, &plan, named, {});
    if (named) {
      text_ += VariableText(label);
      if (level > 0) return;
      text_ += ": ";
    }
    text_ += plan.key;
    if (!named && WriteBinding(children, level)) return;
    WriteFields(children, label, level, named);
  }

  void WriteFields(Children children, const std::string& label, int level, bool named) {
    Child child;
    if (level + 1 >= kLevels) {
      const bool any = children.Next(keeper_, &child);
      text_ += label.empty() || named ? (any ? "(...)" : "()") : "(" + QuotedText(label, kMaxString) + ")";
      return;
    }
    text_ += "(";
    for (bool first = true; children.Next(keeper_, &child); first = false) {
      if (!first) text_ += ", ";
      if (StopHere()) break;
      text_.append(child.field->name).append("=");
      Write(child.value, level + 1);
    }
    text_ += ")";
  }

  // `Type %x = value`: two fields, of which the first defines a variable. Not within another one, which ends the recursion.
  bool WriteBinding(Children children, int level) {
    Child variable, value;
    if (!children.Next(keeper_, &variable) || variable.field->def == graph::DefRegion::kNone) return false;
    if (graph::Classify(variable.value.type_index) != ValueClass::kObject) return false;
    if (plans_.Of(variable.value.v_obj).kind != StructuralKind::kFreeVar) return false;
    const std::string label = graph::LabelOf(plans_, variable.value);
    Child third;
    if (label.empty() || !children.Next(keeper_, &value) || children.Next(keeper_, &third)) return false;
    if (std::exchange(in_binding_, true)) return false;
    text_ += " " + VariableText(label) + " = ";
    Write(value.value, level);
    return true;
  }

  void WriteContainer(const TVMFFIAny& value, ValueClass cls, int level) {
    if (value.type_index == kTVMFFIList || value.type_index == kTVMFFIDict) text_ += graph::TypeKeyOf(value);
    text_ += cls == ValueClass::kMap ? "{" : "[";
    Children children(value, cls, nullptr, false, {});
    Child child;
    for (bool first = true; children.Next(keeper_, &child); first = false) {
      if (child.role == Role::kMapValue) {
        text_ += ": ";
      } else if (!first) {
        text_ += ", ";
      }
      if (level + 1 >= kLevels || (child.role != Role::kMapValue && StopHere())) {
        if (level + 1 >= kLevels) text_ += "...";
        break;
      }
      Write(child.value, level + 1);
    }
    text_ += cls == ValueClass::kMap ? "}" : "]";
  }

  bool StopHere() {
    if (!Full()) return false;
    text_ += "...";
    return true;
  }

  const size_t max_length_;
  graph::PlanTable plans_;
  graph::Keeper keeper_;
  std::string text_;
  bool in_binding_ = false;
};

}  // namespace

std::string Summary(AnyView value, size_t max_length) { return Summarizer(max_length).Run(*value.raw()); }

}  // namespace transom
