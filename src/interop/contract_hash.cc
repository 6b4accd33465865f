#include "interop/contract_hash.h"

#include <transom/runtime/function.h>
#include <xxhash.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "graph/fold.h"
#include "graph/hook.h"
#include "structural/hash/digest_visitor.h"
#include "structural/rules/comparable.h"
#include "structural/rules/hook_lease.h"

namespace transom::interop {
namespace {

using graph::DefRegion;
using graph::FoldFrame;
using graph::StructuralKind;
using graph::TypePlan;
using graph::ValueClass;

uint64_t Mix(const std::vector<uint64_t>& words, uint64_t seed) {
  return XXH3_64bits_withSeed(words.data(), words.size() * sizeof(uint64_t), seed);
}

uint64_t Combine(uint64_t a, uint64_t b) { return Mix({a, b}, 0); }

class Hasher {
 public:
  using Result = uint64_t;
  static constexpr bool kKeysFirst = true;
  static constexpr bool kRunsForeignCode = true;  // hooks of types
  static constexpr bool kFieldsOnly = true;

  Hasher(graph::PlanTable& plans, const StructuralOptions& options) : options_(options), fold_(plans, *this) {}

  uint64_t Run(const TVMFFIAny& root) {
    return fold_.Run(root, options_.map_free_vars ? DefRegion::kRecursive : DefRegion::kNone);
  }

  // For the walk.
  uint64_t Leaf(const TVMFFIAny& value, ValueClass cls) {
    structural::CheckLeaf(value, cls, options_, structural::Opaque::kPointersCompare,
                          [&] { return fold_.CurrentPath(); });
    const Digest digest = structural::LeafDigest(value, cls, options_.skip_tensor_content);
    return Combine(digest.low, digest.high);
  }
  uint64_t Custom(const TVMFFIAny&, const TypePlan&, std::string_view json) {
    return XXH3_64bits(json.data(), json.size());
  }
  bool Whole(FoldFrame& frame, uint64_t* result);
  void Enter(FoldFrame& frame);
  void MapChildren(FoldFrame& frame, std::vector<TVMFFIAny>* children);
  DefRegion KeyRegion(const FoldFrame&, const TVMFFIAny&) { return DefRegion::kNone; }
  void KeysDone(FoldFrame&, TVMFFIAny*, uint64_t*) {}
  uint64_t Leave(FoldFrame& frame, const uint64_t* children);

 private:
  // A map's entry. Entries whose key is met for the first time do not count: such keys pair by identity, and what they
  // are bound to later must not matter.
  struct Entry {
    uint64_t key;
    TVMFFIAny value;
  };

  uint64_t HashForHook(const FoldFrame& frame, const Any& value, DefRegion region) {
    const TVMFFIAny kept = fold_.keeper().Keep(value);
    try {
      return fold_.Run(kept, graph::FieldRegion(frame.region, frame.plan->kind, region));
    } catch (...) {
      failed_ = true;
      throw;
    }
  }
  std::optional<uint64_t> KeyHash(const TVMFFIAny& key);
  uint64_t Entries(const FoldFrame& frame, const uint64_t* values);
  uint64_t Numbered(const FoldFrame& frame, uint64_t content);

  const StructuralOptions& options_;
  graph::Fold<Hasher> fold_;
  graph::PointerMap<uint64_t> variables_;          // variables and dag nodes that were met
  std::vector<std::vector<uint64_t>> key_hashes_;  // of the maps that are open: those that count, in order
  uint64_t num_variables_ = 0;
  uint64_t num_dag_nodes_ = 0;
  bool failed_ = false;  // inside a hook: the walk cannot go on
};

bool Hasher::Whole(FoldFrame& frame, uint64_t* result) {
  if (frame.plan->type_index < 0) return false;
  const std::optional<Function> hook = graph::FunctionHookOf(frame.plan->type_index, "__s_hash__");
  if (!hook.has_value()) return false;
  structural::CheckComparable(*frame.plan, options_, structural::Hooks::kRun, [&] { return fold_.CurrentPath(); });
  const structural::HookLease<Hasher> lease(this, "__s_hash__");
  const Function combine = Function::FromTyped(
      [hasher = lease.get(), frame](const Any& value, int64_t init, int region) {
        const uint64_t hash = (*hasher).HashForHook(frame, value, structural::HookRegion(region));
        return static_cast<int64_t>(Combine(static_cast<uint64_t>(init), hash));
      },
      "__s_hash__ callback");
  const AnyView args[] = {AnyView::FromRaw(frame.value), AnyView(static_cast<int64_t>(frame.plan->seed)),
                          AnyView(combine)};
  const auto hash = static_cast<uint64_t>(hook->CallPacked(args, 3).cast<int64_t>());
  TRANSOM_CHECK(!failed_, RuntimeError) << "the `__s_hash__` hook of type " << frame.plan->key
                                        << " went on after a part of its object could not be hashed";
  *result = Numbered(frame, hash);
  return true;
}

void Hasher::Enter(FoldFrame& frame) {
  structural::CheckComparable(*frame.plan, options_, structural::Hooks::kRun, [&] { return fold_.CurrentPath(); });
  frame.Visit(frame.plan->compare);
}

std::optional<uint64_t> Hasher::KeyHash(const TVMFFIAny& key) {
  const ValueClass cls = graph::Classify(key.type_index);
  if (cls == ValueClass::kScalar || cls == ValueClass::kString || cls == ValueClass::kBytes || !graph::IsObject(key)) {
    const Digest digest = structural::LeafDigest(key, cls, true);
    return Combine(digest.low, digest.high);
  }
  const uint64_t* known = variables_.Find(key.v_obj);
  return known != nullptr ? std::optional<uint64_t>(*known) : std::nullopt;
}

// The walk sees None in place of keys, and of values that do not count.
void Hasher::MapChildren(FoldFrame& frame, std::vector<TVMFFIAny>* children) {
  const MapBaseObj& map = graph::MapOf(frame.value);
  std::vector<Entry> entries;
  for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) {
    if (const std::optional<uint64_t> key = KeyHash(*map.KeyAt(pos).raw()))
      entries.push_back({*key, *map.ValueAt(pos).raw()});
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
  std::vector<uint64_t>& hashes = key_hashes_.emplace_back();
  for (const Entry& entry : entries) hashes.push_back(entry.key);
  const uint64_t n = frame.count / 2;
  children->insert(children->end(), n, graph::NoneValue());
  for (size_t i = 0; i < n; ++i) {
    // Among equal hashes the order is that of the map, which must not matter.
    const bool counts = i < entries.size() && (i == 0 || entries[i - 1].key != entries[i].key) &&
                        (i + 1 == entries.size() || entries[i + 1].key != entries[i].key);
    children->push_back(counts ? entries[i].value : graph::NoneValue());
  }
}

uint64_t Hasher::Leave(FoldFrame& frame, const uint64_t* children) {
  switch (frame.cls) {
    case ValueClass::kSequence:
      return Mix(std::vector<uint64_t>(children, children + frame.count),
                 static_cast<uint64_t>(frame.value.type_index));
    case ValueClass::kMap:
      return Entries(frame, children + frame.count / 2);
    default: {
      std::vector<uint64_t> words;
      for (uint64_t i = 0; i < frame.count; ++i) words.push_back(children[i] + frame.plan->fields[frame.list[i]].tag);
      return Numbered(frame, Mix(words, frame.plan->seed));
    }
  }
}

uint64_t Hasher::Entries(const FoldFrame& frame, const uint64_t* values) {
  const std::vector<uint64_t> keys = std::move(key_hashes_.back());
  key_hashes_.pop_back();
  std::vector<uint64_t> words{frame.count / 2};
  for (size_t i = 0; i < keys.size(); ++i) {
    words.push_back(keys[i]);
    words.push_back(values[i]);
  }
  return Mix(words, static_cast<uint64_t>(frame.value.type_index));
}

uint64_t Hasher::Numbered(const FoldFrame& frame, uint64_t content) {
  uint64_t hash = content;
  switch (frame.plan->kind) {
    case StructuralKind::kFreeVar:
      hash = frame.region != DefRegion::kNone ? Combine(content, num_variables_++)
                                              : Combine(reinterpret_cast<uintptr_t>(frame.value.v_obj), 0);
      break;
    case StructuralKind::kDag:
      hash = Combine(content, num_dag_nodes_++);
      break;
    default:
      return content;
  }
  *variables_.Insert(frame.value.v_obj).first = hash;
  return hash;
}

}  // namespace

uint64_t ContractHash(const AnyView& value, const StructuralOptions& options) {
  graph::PlanTable plans;
  return Hasher(plans, options).Run(*value.raw());
}

}  // namespace transom::interop
