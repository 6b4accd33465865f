#include <transom/render/diff_report.h>

#include <algorithm>
#include <unordered_map>

#include "render/edit_path.h"
#include "render/style.h"
#include "structural/diff/edit_steps.h"

namespace transom {
namespace {

using namespace render;  // NOLINT: this file is that namespace's front

constexpr uint64_t kBar = 40;

struct Part {
  std::string path;
  uint64_t removed = 0;
  uint64_t added = 0;
  uint64_t changed = 0;
  uint64_t total() const { return removed + added + changed; }
};

std::vector<Part> PartsOf(const DiffResult& diff) {
  std::vector<Part> parts;
  std::unordered_map<std::string, size_t> index;
  for (const Edit& edit : diff.edits) {
    // A part that is new as a whole is named as the right side names it.
    const graph::Path path = structural::StepsToPath(edit.has_lhs ? edit.lhs_path : edit.rhs_path);
    const bool whole = (!edit.has_lhs || !edit.has_rhs) && !path.empty() && PartSteps(path) + 1 == path.size();
    std::string text = "<root>" + StepsText(path, 0, whole ? path.size() : PartSteps(path));
    const auto [it, is_new] = index.emplace(std::move(text), parts.size());
    if (is_new) parts.emplace_back().path = it->first;
    Part& part = parts[it->second];
    ++(!edit.has_lhs ? part.added : !edit.has_rhs ? part.removed : part.changed);
  }
  return parts;
}

// One sign per edit, or fewer in proportion where there are many; a kind that occurs keeps at least one.
std::string Bar(const Part& part, uint64_t most, bool color) {
  std::string bar;
  const auto append = [&](uint64_t count, char sign, Style style) {
    const uint64_t length = most <= kBar ? count : (count * kBar + most - 1) / most;
    AppendStyled(style, std::string(length, sign), color, &bar);
  };
  append(part.added, '+', Style::kAdded);
  append(part.removed, '-', Style::kRemoved);
  append(part.changed, '~', Style::kPlain);
  return bar;
}

}  // namespace

std::string DiffStat(const DiffResult& diff, const DiffReportOptions& options) {
  if (diff.total() == 0) return "";
  const std::vector<Part> parts = PartsOf(diff);
  uint64_t most = 0;
  size_t width = 0;
  for (const Part& part : parts) {
    most = std::max(most, part.total());
    width = std::max(width, part.path.size());
  }
  const size_t digits = std::to_string(most).size();
  std::string out;
  for (const Part& part : parts) {
    const std::string count = std::to_string(part.total());
    AppendStyled(Style::kPlace, part.path, options.color, &out);
    out.append(width - part.path.size(), ' ').append(" | ").append(digits - count.size(), ' ').append(count);
    out.append(" ").append(Bar(part, most, options.color)).append("\n");
  }
  out += CountsText(diff);
  if (diff.truncated) out += " (" + std::to_string(diff.edits.size()) + " in the table)";
  return out + "\n";
}

}  // namespace transom
