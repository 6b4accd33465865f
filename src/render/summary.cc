#include "render/summary.h"

#include <transom/render/dump.h>

#include <utility>

#include "render/children.h"
#include "render/value_text.h"

namespace transom {
namespace {

using namespace render;  // NOLINT: this file is that namespace's front
using graph::StructuralKind;
using graph::ValueClass;

constexpr int kMostLevels = 3;
constexpr int64_t kMaxString = 48;

/*
 * Writes objects of the first `levels` levels with their fields and what lies deeper as `Type(...)`; a container shows
 * its items one level further. Stops at a length, then only closes brackets. Recursion ends with the levels.
 */
class Summarizer {
 public:
  Summarizer(int levels, size_t max_length, const VariableNames& names)
      : levels_(levels), max_length_(max_length), names_(names) {}

  std::string Run(const TVMFFIAny& value) {
    Write(value, 0);
    return std::move(text_);
  }

 private:
  std::string NameOf(const TVMFFIAny& value) {
    const auto named = names_.find(value.v_obj);
    return named != names_.end() ? named->second : graph::LabelOf(plans_, value);
  }

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
    const std::string label = NameOf(value);
    const bool named = plan.kind == StructuralKind::kFreeVar && !label.empty();
    const Children children(value, cls, &plan, named, {});
    if (named) {
      text_ += VariableText(label);
      if (level > 0) return;
      text_ += ": ";
    }
    text_ += plan.key;
    if (!named && WriteBinding(children, level)) return;
    if (level < levels_) {
      WriteFields(children, level, named);
    } else {
      WriteBrief(children, label);
    }
  }

  void WriteFields(Children children, int level, bool named) {
    Child child;
    bool any = false;
    while (children.Next(keeper_, &child)) {
      text_ += std::exchange(any, true) ? ", " : "(";
      if (StopHere()) break;
      text_.append(child.field->name).append("=");
      Write(child.value, level + 1);
    }
    text_ += any ? ")" : named ? "" : "()";
  }

  void WriteBrief(Children children, const std::string& label) {
    Child child;
    const bool any = children.Next(keeper_, &child);
    text_ += !label.empty() ? "(" + QuotedText(label, kMaxString) + ")" : any ? "(...)" : "()";
  }

  // `Type %x = value`: two fields, of which the first defines a variable. Not within another one, which ends the
  // recursion.
  bool WriteBinding(Children children, int level) {
    Child variable, value, third;
    if (!children.Next(keeper_, &variable) || variable.field->def == graph::DefRegion::kNone) return false;
    if (graph::Classify(variable.value.type_index) != ValueClass::kObject) return false;
    if (plans_.Of(variable.value.v_obj).kind != StructuralKind::kFreeVar) return false;
    const std::string label = NameOf(variable.value);
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
      if (level > levels_) {
        text_ += "...";
        break;
      }
      if (child.role == Role::kMapValue) {
        text_ += ": ";
      } else {
        if (!first) text_ += ", ";
        if (StopHere()) break;
      }
      Write(child.value, level + 1);
    }
    text_ += cls == ValueClass::kMap ? "}" : "]";
  }

  bool StopHere() {
    if (text_.size() < max_length_) return false;
    text_ += "...";
    return true;
  }

  const int levels_;
  const size_t max_length_;
  const VariableNames& names_;
  graph::PlanTable plans_;
  graph::Keeper keeper_;
  std::string text_;
  bool in_binding_ = false;
};

}  // namespace

std::string render::SummaryWithNames(AnyView value, size_t max_length, const VariableNames& names) {
  std::string text;
  for (int levels = kMostLevels; levels > 0; --levels) {
    text = Summarizer(levels, max_length, names).Run(*value.raw());
    if (text.size() <= max_length) break;
  }
  return text;
}

std::string Summary(AnyView value, size_t max_length) { return SummaryWithNames(value, max_length, {}); }

}  // namespace transom
