#include "structural/digest_visitor.h"

#include <transom/containers/tensor.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <tuple>

#include "structural/key_scope.h"
#include "structural/leaf_equal.h"

namespace transom::structural {
namespace {

using graph::DefRegion;
using graph::FoldFrame;
using graph::TypePlan;
using graph::ValueClass;

Digest Mix(const void* bytes, size_t size, uint64_t seed) {
  const XXH128_hash_t h = XXH3_128bits_withSeed(bytes, size, seed);
  return {h.low64, h.high64};
}

uint64_t NameSeed(std::string_view name) { return XXH3_64bits(name.data(), name.size()); }

uint64_t ScalarPayload(const TVMFFIAny& v) {
  switch (v.type_index) {
    case kTVMFFIFloat:
      return std::isnan(v.v_float64) ? 0x7ff8000000000000u : v.v_uint64;
    case kTVMFFINone:
      return 0;
    default:
      return v.v_uint64;
  }
}

Digest TensorDigest(const TVMFFIAny& value, bool skip_content) {
  const Tensor tensor = graph::TensorRefOf(value);
  const DLTensor& t = *tensor.get();
  std::string bytes;
  const auto put = [&](const auto& x) { bytes.append(reinterpret_cast<const char*>(&x), sizeof(x)); };
  put(static_cast<int64_t>(t.ndim));
  for (int32_t i = 0; i < t.ndim; ++i) put(t.shape[i]);
  put(t.dtype);
  if (!skip_content) {
    const size_t size = static_cast<size_t>(tensor.NumBytes());
    Digest content;
    if (FillsItsBytes(tensor) && tensor.IsContiguous()) {
      content = Mix(tensor.data_ptr(), size, 0);
    } else {
      std::string compact(size, '\0');
      tensor.CopyToCompact(compact.data());
      content = Mix(compact.data(), size, 0);
    }
    put(content.low);
    put(content.high);
  }
  return Mix(bytes.data(), bytes.size(), kTVMFFITensor);
}

}  // namespace

Digest LeafDigest(const TVMFFIAny& value, ValueClass cls, bool skip_tensor_content) {
  switch (cls) {
    case ValueClass::kString:
    case ValueClass::kBytes: {
      const std::string_view text = graph::TextOf(value);
      return Mix(text.data(), text.size(), cls == ValueClass::kString ? kTVMFFIStr : kTVMFFIBytes);
    }
    case ValueClass::kShape: {
      const TVMFFIShapeCell& shape = graph::ShapeOf(value);
      return Mix(shape.data, shape.size * sizeof(int64_t), kTVMFFIShape);
    }
    case ValueClass::kBigInt: {
      const TVMFFIByteArray words = TVMFFIBigIntGetContentByteArray(&value);
      return Mix(words.data, words.size, kTVMFFIBigInt);
    }
    case ValueClass::kTensor:
      return TensorDigest(value, skip_tensor_content);
    default:
      return {ScalarPayload(value), static_cast<uint64_t>(value.type_index)};
  }
}

DigestVisitor::DigestVisitor(graph::PlanTable& plans, const StructuralOptions& options, Mode mode)
    : plans_(plans),
      options_(options),
      mode_(mode),
      part_(graph::NoneValue()),
      root_(graph::NoneValue()),
      fold_(plans, *this) {}

DigestVisitor::DigestVisitor(graph::PlanTable& plans, const StructuralOptions& options, NumberOf number_of)
    : DigestVisitor(plans, options, Mode::kWeak) {
  number_of_ = std::move(number_of);
}

DigestVisitor::~DigestVisitor() = default;

Digest DigestVisitor::Run(const TVMFFIAny& root) {
  root_ = root;
  return fold_.Run(root, options_.map_free_vars ? DefRegion::kRecursive : DefRegion::kNone);
}

Digest DigestVisitor::Leaf(const TVMFFIAny& value, ValueClass cls) {
  if (scope_ != nullptr) return KeyOfLeaf(value, cls);
  CheckLeaf(value, cls, options_, Opaque::kRefuse, [&] { return fold_.CurrentPath(); });
  return LeafDigest(value, cls, options_.skip_tensor_content);
}

// With a scope, also of what cannot be compared.
Digest DigestVisitor::KeyOfLeaf(const TVMFFIAny& value, ValueClass cls) const {
  if (scope_ == nullptr) return LeafDigest(value, cls, options_.skip_tensor_content);
  if (cls == ValueClass::kOpaque) return {0, static_cast<uint64_t>(value.type_index)};
  if (cls == ValueClass::kTensor) {
    const Tensor tensor = graph::TensorRefOf(value);
    const bool skip = options_.skip_tensor_content || !tensor.IsOnHost() ||
                      (without_floats_ && HasNearElements(tensor.get()->dtype));
    return LeafDigest(value, cls, skip);
  }
  if (without_floats_ && value.type_index == kTVMFFIFloat && std::isfinite(value.v_float64))
    return {0, static_cast<uint64_t>(value.type_index)};
  return LeafDigest(value, cls, options_.skip_tensor_content);
}

Digest DigestVisitor::Custom(const TVMFFIAny&, const TypePlan& plan, std::string_view json) {
  return Mix(json.data(), json.size(), plan.seed);
}

void DigestVisitor::Enter(FoldFrame& frame) {
  if (scope_ != nullptr) {
    frame.Visit(scope_->Fields(frame, CountedFields(*frame.plan, frame.value.v_obj, fold_.keeper())));
    return;
  }
  CheckComparable(*frame.plan, options_, Hooks::kRefuse, [&] { return fold_.CurrentPath(); });
  frame.Visit(CountedFields(*frame.plan, frame.value.v_obj, fold_.keeper()));
}

void DigestVisitor::MapChildren(FoldFrame& frame, std::vector<TVMFFIAny>* children) {
  struct Entry {
    Digest weak;
    TVMFFIAny key, value;
  };
  const MapBaseObj& map = graph::MapOf(frame.value);
  // Without numbers the order of visits does not matter, and KeysDone has the keys' digests.
  const bool sort_now = mode_ != Mode::kWeak;
  std::vector<Entry> entries;
  entries.reserve(map.size());
  if (scope_ != nullptr) {
    scope_->ForEachEntry(frame.value, [&](const TVMFFIAny& key, const TVMFFIAny& value) {
      entries.push_back({Digest(), key, value});
    });
    frame.count = 2 * entries.size();
  }
  for (uint64_t pos = map.First(); scope_ == nullptr && pos != MapBaseObj::kEnd; pos = map.Next(pos)) {
    const TVMFFIAny& key = *map.KeyAt(pos).raw();
    const auto place = static_cast<int64_t>(entries.size());
    entries.push_back({sort_now ? WeakDigest(key, place) : Digest(), key, *map.ValueAt(pos).raw()});
  }
  if (sort_now)
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.weak < b.weak; });
  for (const Entry& entry : entries) children->push_back(entry.key);
  for (const Entry& entry : entries) children->push_back(entry.value);
}

// Sorts entries [begin, end) of a map of n by the digests of their keys.
void DigestVisitor::SortEntries(size_t begin, size_t end, size_t n, TVMFFIAny* children, Digest* keys) {
  std::vector<size_t> order(end - begin);
  std::iota(order.begin(), order.end(), begin);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  std::vector<std::tuple<Digest, TVMFFIAny, TVMFFIAny>> sorted;
  sorted.reserve(order.size());
  for (const size_t i : order) sorted.emplace_back(keys[i], children[i], children[n + i]);
  for (size_t i = begin; i < end; ++i) std::tie(keys[i], children[i], children[n + i]) = sorted[i - begin];
}

void DigestVisitor::KeysDone(FoldFrame& frame, TVMFFIAny* children, Digest* keys) {
  const size_t n = frame.count / 2;
  if (mode_ == Mode::kWeak) return SortEntries(0, n, n, children, keys);
  // Entries whose keys look alike without context get the order of their keys in context.
  for (size_t begin = 0; begin < n;) {
    size_t end = begin + 1;
    if (graph::IsObject(children[begin])) {
      const Digest weak = WeakDigest(children[begin]);
      while (end < n && graph::IsObject(children[end]) && WeakDigest(children[end]) == weak) ++end;
    }
    if (end - begin > 1) SortEntries(begin, end, n, children, keys);
    begin = end;
  }
}

Digest DigestVisitor::Leave(FoldFrame& frame, Digest* children) {
  switch (frame.cls) {
    case ValueClass::kSequence: {
      static const uint64_t kArraySeed = NameSeed("ffi.Array"), kListSeed = NameSeed("ffi.List");
      uint64_t count = frame.count;
      if (scope_ != nullptr) {
        count = scope_->KeepElements(frame.value, children, count);
        if (scope_->Unordered(frame.value)) std::sort(children, children + count);
      }
      return Mix(children, count * sizeof(Digest),
                 frame.value.type_index == kTVMFFIArray ? kArraySeed : kListSeed);
    }
    case ValueClass::kMap:
      return Entries(frame, children);
    default:
      return Numbered(frame, Fields(frame, children));
  }
}

Digest DigestVisitor::Entries(const FoldFrame& frame, const Digest* children) {
  static const uint64_t kMapSeed = NameSeed("ffi.Map"), kDictSeed = NameSeed("ffi.Dict");
  const size_t n = frame.count / 2;
  pairs_.clear();
  for (size_t i = 0; i < n; ++i) {
    pairs_.push_back(children[i]);
    pairs_.push_back(children[n + i]);
  }
  return Mix(pairs_.data(), pairs_.size() * sizeof(Digest),
             frame.value.type_index == kTVMFFIMap ? kMapSeed : kDictSeed);
}

// The children become what is mixed.
Digest DigestVisitor::Fields(const FoldFrame& frame, Digest* children) {
  const TypePlan& plan = *frame.plan;
  const graph::FieldPlan* fields = plan.fields.data();
  Digest* end = children;
  for (uint64_t i = 0; i < frame.count; ++i) {
    const graph::FieldPlan& field = fields[frame.list[i]];
    if (field.has_default && DefaultDigest(field) == children[i]) continue;
    *end++ = {children[i].low + field.tag, children[i].high};
  }
  return Mix(children, static_cast<size_t>(end - children) * sizeof(Digest), plan.seed);
}

Digest DigestVisitor::Numbered(const FoldFrame& frame, const Digest& content) {
  static const uint64_t kVariableSeed = NameSeed("transom.variable"), kSharedSeed = NameSeed("transom.shared");
  const StructuralKind kind = frame.plan->kind;
  const bool variable = kind == StructuralKind::kFreeVar;
  if (!variable && kind != StructuralKind::kDag && kind != StructuralKind::kUnique) return content;
  uint64_t words[4] = {content.low, content.high, 0, 0};
  size_t size = 2;
  if (mode_ == Mode::kExact && variable) {
    uint64_t status = 0;
    if (frame.region == DefRegion::kNone) {
      if (bound_ == nullptr) bound_ = std::make_unique<BoundVariables>(plans_, root_, options_);
      status = bound_->Contains(frame.value.v_obj) ? 2 : 1;
    }
    words[size++] = status;
    words[size++] = num_variables_++;
  } else if (mode_ == Mode::kExact) {
    words[size++] = num_shared_++;
  } else if (number_of_) {
    words[size++] = static_cast<uint64_t>(number_of_(frame.value.v_obj));
  }
  return Mix(words, size * sizeof(uint64_t), variable ? kVariableSeed : kSharedSeed);
}

// A default that counts has no children.
const Digest& DigestVisitor::DefaultDigest(const graph::FieldPlan& field) {
  auto [digest, is_new] = defaults_.Insert(&field);
  if (is_new) {
    const TVMFFIAny& value = *field.default_value.raw();
    *digest = KeyOfLeaf(value, graph::Classify(value.type_index));
  }
  return *digest;
}

Digest DigestVisitor::WeakDigest(const TVMFFIAny& value, int64_t place) {
  const ValueClass cls = graph::Classify(value.type_index);
  if (!graph::HasChildren(cls)) return KeyOfLeaf(value, cls);
  if (mode_ == Mode::kWeak) return fold_.Run(value, DefRegion::kNone);
  if (weak_ == nullptr) {
    weak_ = std::make_unique<DigestVisitor>(plans_, options_, Mode::kWeak);
    weak_->SetPathOf([this](const TVMFFIAny& key, int64_t at) {
      graph::Path path = fold_.CurrentPath();
      path.push_back(graph::Step::Key(key, at));
      return path;
    });
  }
  return weak_->KeyOf(value, place);
}

}  // namespace transom::structural
