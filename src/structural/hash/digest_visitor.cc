#include "structural/hash/digest_visitor.h"

#include <transom/containers/tensor.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#include "structural/hash/mix.h"
#include "structural/rules/hook_parts.h"
#include "structural/rules/key_scope.h"
#include "structural/rules/leaf_equal.h"
#include "structural/rules/nan_keys.h"

namespace transom::structural {
namespace {

using graph::DefRegion;
using graph::FoldFrame;
using graph::TypePlan;
using graph::ValueClass;

uint64_t NameSeed(std::string_view name) { return XXH3_64bits(name.data(), name.size()); }

const uint64_t kArraySeed = NameSeed("ffi.Array"), kListSeed = NameSeed("ffi.List"), kMapSeed = NameSeed("ffi.Map"),
               kDictSeed = NameSeed("ffi.Dict"), kVariableSeed = NameSeed("transom.variable"),
               kSharedSeed = NameSeed("transom.shared");

// The payload of None is zero.
inline Digest ScalarDigest(const TVMFFIAny& v) {
  uint64_t payload = v.v_uint64;
  if (IsNan(v)) payload = 0x7ff8000000000000u;
  if (v.type_index == kTVMFFINone) payload = 0;
  return {payload, static_cast<uint64_t>(v.type_index)};
}

template <class... Words>
Digest MixWords(const Digest& content, uint64_t seed, Words... words) {
  const uint64_t all[] = {content.low, content.high, words...};
  return Mix(all, sizeof(all), seed);
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
    if (graph::FillsItsBytes(tensor) && tensor.IsContiguous()) {
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
      return ScalarDigest(value);
  }
}

DigestVisitor::DigestVisitor(graph::PlanTable& plans, const StructuralOptions& options, Mode mode, Hooks hooks)
    : plans_(plans),
      options_(options),
      mode_(mode),
      hooks_(hooks),
      part_(graph::NoneValue()),
      root_(graph::NoneValue()),
      fold_(plans, *this) {}

DigestVisitor::DigestVisitor(graph::PlanTable& plans, const StructuralOptions& options, NumberOf number_of,
                             Hooks hooks)
    : DigestVisitor(plans, options, Mode::kWeak, hooks) {
  number_of_ = std::move(number_of);
}

DigestVisitor::~DigestVisitor() = default;

Digest DigestVisitor::Run(const TVMFFIAny& root) {
  root_ = root;
  return fold_.Run(root, options_.map_free_vars ? DefRegion::kRecursive : DefRegion::kNone);
}

inline Digest DigestVisitor::Leaf(const TVMFFIAny& value, ValueClass cls) {
  if (scope_ != nullptr) return KeyOfLeaf(value, cls);
  if (cls == ValueClass::kScalar) return ScalarDigest(value);
  CheckLeaf(value, cls, options_, Opaque::kRefuse, [&] { return fold_.CurrentPath(); });
  return LeafDigest(value, cls, options_.skip_tensor_content);
}

// With a scope, also of what cannot be compared.
Digest DigestVisitor::KeyOfLeaf(const TVMFFIAny& value, ValueClass cls) const {
  if (scope_ == nullptr) return LeafDigest(value, cls, options_.skip_tensor_content);
  if (cls == ValueClass::kOpaque) return {0, static_cast<uint64_t>(value.type_index)};
  if (cls == ValueClass::kTensor) {
    const Tensor tensor = graph::TensorRefOf(value);
    const bool skip =
        options_.skip_tensor_content || !tensor.IsOnHost() || (without_floats_ && HasNearElements(tensor.get()->dtype));
    return LeafDigest(value, cls, skip);
  }
  if (without_floats_ && value.type_index == kTVMFFIFloat && std::isfinite(value.v_float64))
    return {0, static_cast<uint64_t>(value.type_index)};
  return LeafDigest(value, cls, options_.skip_tensor_content);
}

Digest DigestVisitor::Custom(const TVMFFIAny&, const TypePlan& plan, std::string_view json) {
  return Mix(json.data(), json.size(), plan.seed);
}

inline void DigestVisitor::Enter(FoldFrame& frame) {
  if (scope_ != nullptr) {
    frame.Visit(scope_->Fields(frame, CountedFields(*frame.plan, frame.value.v_obj, fold_.keeper())));
    return;
  }
  if (frame.plan->plain) return frame.Visit(frame.plan->compare);
  CheckComparable(*frame.plan, options_, hooks_, [&] { return fold_.CurrentPath(); });
  if (ComparesByHook(*frame.plan)) return EnterHooked(frame);
  frame.Visit(CountedFields(*frame.plan, frame.value.v_obj, fold_.keeper()));
}

// Without `__s_hash__` it is not known what makes two objects equal: keys, which only guess, take them all for alike.
void DigestVisitor::EnterHooked(FoldFrame& frame) {
  const std::optional<std::vector<HookPart>> parts = HookPartsOf(*frame.plan, frame.value);
  TRANSOM_CHECK(parts.has_value() || mode_ == Mode::kWeak, TypeError)
      << graph::PathText(fold_.CurrentPath(), true) << ": type " << frame.plan->key
      << " compares by code of its own (`__s_equal__`) and has no `__s_hash__` to go with it; register one, or give a "
      << "schema whose \"compare\" says which fields count";
  fold_.VisitParts(frame, parts.value_or(std::vector<HookPart>()));
}

void DigestVisitor::MapChildren(FoldFrame& frame, std::vector<TVMFFIAny>* children) {
  // Without numbers the order of visits does not matter, and KeysDone has the keys' digests.
  if (scope_ != nullptr) return MapChildrenInScope(frame, children);
  if (mode_ == Mode::kWeak) return graph::PushKeysThenValues(graph::MapOf(frame.value), children);
  const MapBaseObj& map = graph::MapOf(frame.value);
  entries_.clear();
  for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) {
    const TVMFFIAny& key = *map.KeyAt(pos).raw();
    const Digest weak = WeakDigest(key, static_cast<int64_t>(entries_.size()));
    entries_.push_back({weak, key, *map.ValueAt(pos).raw()});
  }
  SortByDigest(&entries_);
  for (const Entry& entry : entries_) children->push_back(entry.key);
  for (const Entry& entry : entries_) children->push_back(entry.value);
}

void DigestVisitor::MapChildrenInScope(FoldFrame& frame, std::vector<TVMFFIAny>* children) {
  std::vector<TVMFFIAny> values;
  scope_->ForEachEntry(frame.value, [&](const TVMFFIAny& key, const TVMFFIAny& value) {
    children->push_back(key);
    values.push_back(value);
  });
  frame.count = 2 * values.size();
  children->insert(children->end(), values.begin(), values.end());
}

// Stable. Most maps are small, as attributes of operators are; the library's sort takes memory each time.
void DigestVisitor::SortByDigest(std::vector<Entry>* entries) {
  constexpr size_t kSmall = 16;
  const auto less = [](const Entry& a, const Entry& b) {
    if (a.digest == b.digest) return IsNan(a.key) && a.key.v_uint64 < b.key.v_uint64;
    return a.digest < b.digest;
  };
  if (entries->size() > kSmall) return std::stable_sort(entries->begin(), entries->end(), less);
  for (size_t i = 1; i < entries->size(); ++i) {
    const Entry entry = (*entries)[i];
    size_t at = i;
    for (; at > 0 && less(entry, (*entries)[at - 1]); --at) (*entries)[at] = (*entries)[at - 1];
    (*entries)[at] = entry;
  }
}

// Sorts entries [begin, end) of a map of n by the digests of their keys.
void DigestVisitor::SortEntries(size_t begin, size_t end, size_t n, TVMFFIAny* children, Digest* keys) {
  std::vector<Entry> entries;
  entries.reserve(end - begin);
  for (size_t i = begin; i < end; ++i) entries.push_back({keys[i], children[i], children[n + i]});
  SortByDigest(&entries);
  for (size_t i = begin; i < end; ++i) {
    const Entry& entry = entries[i - begin];
    keys[i] = entry.digest;
    children[i] = entry.key;
    children[n + i] = entry.value;
  }
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

[[gnu::always_inline]] inline Digest DigestVisitor::Leave(FoldFrame& frame, Digest* children) {
  switch (frame.cls) {
    case ValueClass::kSequence: {
      uint64_t count = frame.count;
      if (scope_ != nullptr) {
        count = scope_->KeepElements(frame.value, children, count);
        if (scope_->Unordered(frame.value)) std::sort(children, children + count);
      }
      return MixDigests(children, count, frame.value.type_index == kTVMFFIArray ? kArraySeed : kListSeed);
    }
    case ValueClass::kMap:
      if (frame.HasParts()) return Numbered(frame, MixDigests(children, frame.count, frame.plan->seed));
      return Entries(frame, children);
    default:
      return Numbered(frame, Fields(frame, children));
  }
}

Digest DigestVisitor::Entries(const FoldFrame& frame, Digest* children) {
  const size_t n = frame.count / 2;
  if (mode_ == Mode::kWeak) SortValuesOfTies(children, n);
  pairs_.clear();
  for (size_t i = 0; i < n; ++i) {
    pairs_.push_back(children[i]);
    pairs_.push_back(children[n + i]);
  }
  return MixDigests(pairs_.data(), pairs_.size(), frame.value.type_index == kTVMFFIMap ? kMapSeed : kDictSeed);
}

// Keys that look alike may have another order in an equal map, where what they are bound to tells them apart.
void DigestVisitor::SortValuesOfTies(Digest* children, size_t n) {
  for (size_t begin = 0, end = 0; begin < n; begin = end) {
    for (end = begin + 1; end < n && children[end] == children[begin];) ++end;
    if (end - begin > 1) std::sort(children + n + begin, children + n + end);
  }
}

// The children become what is mixed.
inline Digest DigestVisitor::Fields(const FoldFrame& frame, Digest* children) {
  const TypePlan& plan = *frame.plan;
  if (plan.has_defaults) return FieldsWithDefaults(frame, children);
  const graph::FieldPlan* fields = plan.fields.data();
  for (uint64_t i = 0; i < frame.count; ++i) children[i].low += fields[frame.list[i]].tag;
  return MixDigests(children, frame.count, plan.seed);
}

Digest DigestVisitor::FieldsWithDefaults(const FoldFrame& frame, Digest* children) {
  Digest* end = children;
  for (uint64_t i = 0; i < frame.count; ++i) {
    const graph::FieldPlan& field = frame.plan->fields[frame.list[i]];
    if (field.has_default && DefaultDigest(field) == children[i]) continue;
    *end++ = {children[i].low + field.tag, children[i].high};
  }
  return MixDigests(children, static_cast<size_t>(end - children), frame.plan->seed);
}

inline Digest DigestVisitor::Numbered(const FoldFrame& frame, const Digest& content) {
  switch (frame.plan->kind) {
    case StructuralKind::kFreeVar:
      return Variable(frame, content);
    case StructuralKind::kDag:
    case StructuralKind::kUnique:
      if (mode_ == Mode::kExact) return MixWords(content, kSharedSeed, num_shared_++);
      return Weak(frame, content, kSharedSeed);
    default:
      return content;
  }
}

inline Digest DigestVisitor::Variable(const FoldFrame& frame, const Digest& content) {
  if (mode_ != Mode::kExact) return Weak(frame, content, kVariableSeed);
  uint64_t status = 0;
  if (frame.region == DefRegion::kNone) {
    if (bound_ == nullptr) bound_ = std::make_unique<BoundVariables>(plans_, root_, options_, hooks_);
    status = bound_->Contains(frame.value.v_obj) ? 2 : 1;
  }
  const Digest both[] = {content, {status, num_variables_++}};
  return MixDigests(both, 2, kVariableSeed);
}

Digest DigestVisitor::Weak(const FoldFrame& frame, const Digest& content, uint64_t seed) const {
  return number_of_ ? MixWords(content, seed, static_cast<uint64_t>(number_of_(frame.value.v_obj)))
                    : MixWords(content, seed);
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
    weak_ = std::make_unique<DigestVisitor>(plans_, options_, Mode::kWeak, hooks_);
    weak_->SetPathOf([this](const TVMFFIAny& key, int64_t at) {
      graph::Path path = fold_.CurrentPath();
      path.push_back(graph::Step::Key(key, at));
      return path;
    });
  }
  return weak_->DigestOfPart(value, place);
}

}  // namespace transom::structural
