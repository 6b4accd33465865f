#include "structural/equality/likeness.h"

#include <algorithm>

#include "structural/rules/comparable.h"

namespace transom::structural {

Sketch Sketches::Of(const TVMFFIAny& value, DigestVisitor& keys, bool with_content) {
  constexpr size_t kMaxChildren = 64;
  Sketch sketch;
  sketch.type = graph::Classify(value.type_index) == graph::ValueClass::kObject
                    ? plans_.Of(value.v_obj).seed
                    : static_cast<uint64_t>(value.type_index);
  if (value.type_index == kTVMFFIStr) sketch.type = kTVMFFISmallStr;
  if (value.type_index == kTVMFFIBytes) sketch.type = kTVMFFISmallBytes;
  if (!with_content) return sketch;
  sketch.label = graph::LabelOf(plans_, value);
  ForEachCountedChild(value, plans_, keeper_, [&](const TVMFFIAny& child, const graph::FieldPlan*) {
    if (sketch.children.size() < kMaxChildren) sketch.children.push_back(keys.KeyOf(child).low);
  });
  std::sort(sketch.children.begin(), sketch.children.end());
  return sketch;
}

int64_t Likeness(const Sketch& a, const Sketch& b) {
  if (a.type != b.type) return 0;
  constexpr int64_t kPair = 1000, kLabel = 400, kChildren = 500;
  size_t common = 0;
  for (size_t i = 0, j = 0; i < a.children.size() && j < b.children.size();) {
    if (a.children[i] == b.children[j]) {
      ++common, ++i, ++j;
    } else {
      a.children[i] < b.children[j] ? ++i : ++j;
    }
  }
  const size_t all = std::max(a.children.size(), b.children.size());
  const int64_t children = all == 0 ? 0 : kChildren * static_cast<int64_t>(common) / static_cast<int64_t>(all);
  return kPair + (!a.label.empty() && a.label == b.label ? kLabel : 0) + children;
}

}  // namespace transom::structural
