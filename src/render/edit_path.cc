#include "render/edit_path.h"

#include <algorithm>

namespace transom::render {

using graph::Path;
using graph::Step;
using graph::StepKind;

bool SameStep(const Step& a, const Step& b) {
  return a.kind == b.kind && a.name == b.name && a.index == b.index && a.key.same_as(b.key);
}

size_t CommonSteps(const Path& a, const Path& b) {
  const size_t size = std::min(a.size(), b.size());
  size_t n = 0;
  while (n < size && SameStep(a[n], b[n])) ++n;
  return n;
}

size_t PartSteps(const Path& path) {
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    if (path[i].kind == StepKind::kKey || path[i].kind == StepKind::kItem) return i + 1;
  }
  return path.empty() ? 0 : path.size() - 1;
}

std::string StepsText(const Path& path, size_t begin, size_t end) {
  constexpr std::string_view kRoot = "<root>";
  return graph::PathText(Path(path.begin() + begin, path.begin() + end), true).substr(kRoot.size());
}

std::string CountsText(const DiffResult& diff) {
  const uint64_t total = diff.total();
  std::string kinds;
  for (int i = 0; i < kNumEditKinds; ++i) {
    const uint64_t count = diff.counts[static_cast<size_t>(i)];
    if (count == 0) continue;
    kinds +=
        (kinds.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(EditKindName(static_cast<EditKind>(i)));
  }
  return std::to_string(total) + (total == 1 ? " difference: " : " differences: ") + kinds;
}

}  // namespace transom::render
