#include <transom/render/diff_report.h>
#include <transom/render/dump.h>
#include <transom/structural/group_edits.h>

#include <algorithm>

#include "render/edit_path.h"
#include "render/neighbours.h"
#include "render/style.h"
#include "render/summary.h"
#include "render/value_text.h"
#include "structural/diff/edit_steps.h"

namespace transom {
namespace {

using namespace render;  // NOLINT: this file is that namespace's front
using graph::Path;
using graph::ValueClass;

// What an edit shows of its two values.
struct Sides {
  std::string lhs;
  std::string rhs;
};

bool IsText(const TVMFFIAny& value) {
  const ValueClass cls = graph::Classify(value.type_index);
  return cls == ValueClass::kString || cls == ValueClass::kBytes;
}

// A long text, cut to the neighbourhood of the first byte that differs.
std::string CutText(const TVMFFIAny& value, size_t differs, size_t max_value) {
  const std::string_view text = graph::TextOf(value);
  const std::string_view sign = graph::Classify(value.type_index) == ValueClass::kBytes ? "b" : "";
  size_t begin = differs > max_value / 4 ? differs - max_value / 4 : 0;
  while (begin > 0 && begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  std::string out(begin > 0 ? "..." : "");
  return out + std::string(sign) + QuotedText(text.substr(begin), static_cast<int64_t>(max_value));
}

// A variable is its name: its type stands where it is defined.
std::string SideText(AnyView value, size_t max_value, const VariableNames& names) {
  graph::PlanTable plans;
  const TVMFFIAny& v = *value.raw();
  if (graph::Classify(v.type_index) == ValueClass::kObject &&
      plans.Of(v.v_obj).kind == graph::StructuralKind::kFreeVar) {
    const auto named = names.find(v.v_obj);
    const std::string label = named != names.end() ? named->second : graph::LabelOf(plans, v);
    if (!label.empty()) return VariableText(label);
  }
  return SummaryWithNames(value, max_value, names);
}

// `rhs_names`: what variables of the right side are called on the left.
Sides SidesOf(const Edit& edit, size_t max_value, const VariableNames& rhs_names) {
  const TVMFFIAny& lhs = *edit.lhs.raw();
  const TVMFFIAny& rhs = *edit.rhs.raw();
  if (edit.has_lhs && edit.has_rhs && IsText(lhs) && IsText(rhs)) {
    const std::string_view a = graph::TextOf(lhs);
    const std::string_view b = graph::TextOf(rhs);
    const size_t differs = static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
    return {CutText(lhs, differs, max_value), CutText(rhs, differs, max_value)};
  }
  Sides sides;
  if (edit.has_lhs) sides.lhs = SideText(edit.lhs, max_value, {});
  if (edit.has_rhs)
    sides.rhs = SideText(edit.rhs, max_value, edit.kind == EditKind::kRename ? VariableNames() : rhs_names);
  if (sides.lhs != sides.rhs) return sides;
  return {Summary(edit.lhs, max_value), Summary(edit.rhs, max_value)};
}

// What the `-` and `+` lines of an edit do not say by themselves.
std::string_view Remark(const Edit& edit) {
  switch (edit.kind) {
    case EditKind::kMove:
      return "moved";
    case EditKind::kRewire:
      return "rewired";
    case EditKind::kRename:
      return "renamed";
    case EditKind::kSharing:
      return edit.splits ? "one object became several" : "several objects became one";
    default:
      return "";
  }
}

class DiffWriter {
 public:
  DiffWriter(const DiffResult& diff, const DiffReportOptions& options) : diff_(diff), options_(options) {}

  std::string Run() {
    if (diff_.total() == 0) return "";
    if (!options_.lhs_name.empty() || !options_.rhs_name.empty()) {
      Line(Style::kRemoved, "--- " + options_.lhs_name);
      Line(Style::kAdded, "+++ " + options_.rhs_name);
    }
    graph::PlanTable plans;
    for (const auto& [lhs, rhs] : diff_.renamed) {
      const std::string name = graph::LabelOf(plans, *lhs.raw());
      if (!name.empty()) rhs_names_[rhs.raw()->v_obj] = name;
    }
    CollectEdits();
    for (const Shown& shown : shown_) paths_.push_back(structural::StepsToPath(shown.edit->lhs_path));
    for (size_t begin = 0; begin < paths_.size();) begin = WriteBlock(begin);
    WriteFoot();
    return std::move(out_);
  }

 private:
  // An edit, for itself or for all that are like it.
  struct Shown {
    const Edit* edit = nullptr;
    size_t alike = 1;
    uint64_t places = 1;  // of all of them
  };

  void CollectEdits() {
    if (options_.group) {
      for (const EditGroup& group : GroupEdits(diff_))
        shown_.push_back({&diff_.edits[group.edits[0]], group.edits.size(), group.places});
    } else {
      for (const Edit& edit : diff_.edits) shown_.push_back({&edit, 1, edit.places});
    }
  }

  void Put(Style style, std::string_view text) { AppendStyled(style, text, options_.color, &out_); }
  void Line(Style style, std::string_view text) {
    Put(style, text);
    out_ += '\n';
  }

  // The edits from `begin` on that lie in one part. Returns the end of them.
  size_t WriteBlock(size_t begin) {
    const size_t part = PartSteps(paths_[begin]);
    size_t common = paths_[begin].size();
    size_t end = begin + 1;
    for (; end < paths_.size(); ++end) {
      const size_t n = CommonSteps(paths_[begin], paths_[end]);
      if (n < part || PartSteps(paths_[end]) != part) break;
      common = std::min({common, n, paths_[end].size()});
    }
    const size_t head = end == begin + 1 ? SingleHead(begin) : std::min(common, ShortestPath(begin, end) - 1);
    out_ += '\n';
    Put(Style::kPlace, "<root>" + StepsText(paths_[begin], 0, head));
    if (head == paths_[begin].size()) WriteWhere(begin, head);
    out_ += '\n';
    if (options_.context == 0) {
      for (size_t i = begin; i < end; ++i) WriteEdit(i, head);
    } else {
      WriteWithNeighbours(begin, end, head);
    }
    return end;
  }

  void WriteWithNeighbours(size_t begin, size_t end, size_t head) {
    Neighbours neighbours(diff_.old_value, paths_[begin], head);
    for (size_t i = begin; i < end; ++i) {
      if (head < paths_[i].size()) neighbours.Change(paths_[i][head]);
    }
    neighbours.Show(options_.context);
    size_t done = 0;
    const auto write_until = [&](size_t place) {
      for (; done < place; ++done) WriteNeighbour(neighbours.parts()[done]);
    };
    for (size_t i = begin; i < end; ++i) {
      if (head < paths_[i].size()) write_until(std::max(done, neighbours.PlaceOf(paths_[i][head])));
      WriteEdit(i, head);
    }
    // Behind the last difference that is listed, others may stand.
    if (!diff_.truncated || end < paths_.size()) write_until(neighbours.parts().size());
  }

  void WriteNeighbour(const Neighbours::Part& part) {
    if (!part.shown) return;
    Line(Style::kFaint, "    " + StepsText({part.step}, 0, 1) + "  " + SideText(part.value, options_.max_value, {}));
  }

  // A lone edit stands under its own path; an insertion, a deletion or one with neighbours keeps its last step for its
  // line.
  size_t SingleHead(size_t i) const {
    const Edit& edit = *shown_[i].edit;
    const bool whole = edit.has_lhs && edit.has_rhs && options_.context == 0;
    return whole ? paths_[i].size() : paths_[i].size() - std::min<size_t>(1, paths_[i].size());
  }

  size_t ShortestPath(size_t begin, size_t end) const {
    size_t shortest = paths_[begin].size();
    for (size_t i = begin; i < end; ++i) shortest = std::min(shortest, paths_[i].size());
    return std::max<size_t>(shortest, 1);
  }

  void WriteEdit(size_t i, size_t head) {
    const Edit& edit = *shown_[i].edit;
    const Path& path = paths_[i];
    const Sides sides = SidesOf(edit, options_.max_value, rhs_names_);
    if (!edit.has_lhs || !edit.has_rhs) return WriteOneSided(i, head, sides);
    if (head < path.size()) {
      out_ += "  ";
      Put(Style::kPlace, StepsText(path, head, path.size()));
      WriteWhere(i, head);
      out_ += '\n';
    }
    const std::string indent(head < path.size() ? 4 : 2, ' ');
    if (sides.lhs == sides.rhs) return Line(Style::kPlain, indent + "  " + sides.lhs);
    Line(Style::kRemoved, indent + "- " + sides.lhs);
    Line(Style::kAdded, indent + "+ " + sides.rhs);
  }

  // An insertion or deletion: its place on its own side, and the value, on one line.
  void WriteOneSided(size_t i, size_t head, const Sides& sides) {
    const Edit& edit = *shown_[i].edit;
    const Path own = edit.has_lhs ? paths_[i] : structural::StepsToPath(edit.rhs_path);
    const std::string place = own.size() > head ? StepsText(own, head, own.size()) + "  " : "";
    const Style style = edit.has_lhs ? Style::kRemoved : Style::kAdded;
    Put(style, (edit.has_lhs ? "  - " + place + sides.lhs : "  + " + place + sides.rhs));
    if (!edit.around.empty()) {
      const Path way = structural::StepsToPath(edit.around);
      Put(Style::kFaint, std::string(edit.has_lhs ? " (taken away from" : " (put") + " around its " +
                             StepsText(way, 0, way.size()) + ")");
    }
    WritePlaces(shown_[i]);
    out_ += '\n';
  }

  // Where the right side has the value, when that is elsewhere, what kind of edit it is, and how often it is met.
  void WriteWhere(size_t i, size_t head) {
    const Edit& edit = *shown_[i].edit;
    const Path rhs = structural::StepsToPath(edit.rhs_path);
    const size_t differs = FirstMoved(paths_[i], rhs, edit.kind == EditKind::kMove);
    if (differs < rhs.size()) {
      // What moved within its container is told by its new index; a place elsewhere is named as a whole.
      const bool whole = edit.kind == EditKind::kMove && differs + 1 < std::max(paths_[i].size(), rhs.size());
      const std::string sign = whole ? "<root>" : differs > head ? "..." : "";
      Put(Style::kFaint, " -> " + sign + StepsText(rhs, whole ? 0 : differs, rhs.size()));
    }
    const std::string_view remark = Remark(edit);
    if (!remark.empty()) Put(Style::kFaint, " (" + std::string(remark) + ")");
    WritePlaces(shown_[i]);
  }

  void WritePlaces(const Shown& shown) {
    std::string text = shown.places > shown.alike ? std::to_string(shown.places) + " places" : "";
    if (shown.alike > 1) text = std::to_string(shown.alike) + " alike" + (text.empty() ? "" : " in " + text);
    if (!text.empty()) Put(Style::kFaint, " (" + text + ")");
  }

  // The first step that reads differently on the right: another index, or another place altogether. Keys that were
  // paired may have other names; those of what moved are other keys.
  static size_t FirstMoved(const Path& lhs, const Path& rhs, bool with_keys) {
    size_t n = 0;
    for (; n < lhs.size() && n < rhs.size(); ++n) {
      if (lhs[n].kind != rhs[n].kind || lhs[n].name != rhs[n].name) break;
      if (lhs[n].kind == graph::StepKind::kItem && lhs[n].index != rhs[n].index) break;
      if (with_keys && StepsText(lhs, n, n + 1) != StepsText(rhs, n, n + 1)) break;
    }
    return n < lhs.size() || n < rhs.size() ? n : rhs.size();
  }

  void WriteFoot() {
    out_ += '\n';
    std::string counts = CountsText(diff_);
    if (diff_.truncated && diff_.total() == diff_.edits.size()) {
      counts += " (the first; others were not looked for)";
    } else if (diff_.truncated) {
      counts += " (" + std::to_string(diff_.edits.size()) + " listed)";
    }
    Line(Style::kPlain, counts);
    for (const std::string& type : diff_.hook_types) {
      Line(Style::kFaint, "note: " + type + " is compared by code of its library; here its fields were compared");
    }
  }

  const DiffResult& diff_;
  const DiffReportOptions& options_;
  VariableNames rhs_names_;
  std::vector<Shown> shown_;
  std::vector<Path> paths_;  // left paths of what is shown
  std::string out_;
};

}  // namespace

std::string DiffText(const DiffResult& diff, const DiffReportOptions& options) {
  return DiffWriter(diff, options).Run();
}

}  // namespace transom
