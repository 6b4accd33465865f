#include "structural/diff/moved_parts.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "structural/rules/part_size.h"
#include "structural/rules/places.h"

namespace transom::structural {
namespace {

class MovedParts {
 public:
  MovedParts(graph::PlanTable& plans, const StructuralOptions& options, const TVMFFIAny& lhs_root, LockStep* walk,
             Correspondence* found)
      : plans_(plans),
        walk_(*walk),
        found_(*found),
        places_(plans, lhs_root),
        lhs_keys_(plans, options, DigestVisitor::Mode::kWeak),
        rhs_keys_(plans, options, DigestVisitor::Mode::kWeak) {}

  void Run() {
    NoteNewPairs();
    for (const TVMFFIAny& object : places_.objects()) {
      const Role* role = lhs_roles_.Find(object.v_obj);
      if (!IsCandidate(object) || (role != nullptr && *role == Role::kDiffers)) continue;
      const std::optional<Digest> key = KeyOf(lhs_keys_, object);
      if (!key) return;
      const TVMFFIObject*& entry = index_[*key];
      const bool better = entry == nullptr || (role == nullptr && lhs_roles_.Find(entry) != nullptr);
      if (better) entry = object.v_obj;
    }
    // Comparing adds arrivals.
    for (size_t i = 0; i < found_.arrivals.size(); ++i) Search(found_.arrivals[i]);
  }

 private:
  enum class Role : uint8_t { kEqual, kDiffers };

  void NoteNewPairs() {
    for (; num_noted_ < found_.pairs.size(); ++num_noted_) {
      const PairRecord& pair = found_.pairs[num_noted_];
      auto [role, is_new] = lhs_roles_.Insert(pair.lhs);
      *role = pair.equal && (is_new || *role == Role::kEqual) ? Role::kEqual : Role::kDiffers;
      rhs_paired_.Insert(pair.rhs);
    }
  }

  // Variables and dag nodes are found with what holds them.
  bool IsCandidate(const TVMFFIAny& value) {
    const bool is_object = graph::Classify(value.type_index) == graph::ValueClass::kObject;
    if (is_object && HasIdentity(plans_.Of(value.v_obj).kind)) return false;
    return IsWorthMoving(value, plans_, keeper_);
  }

  void Search(const TVMFFIAny& arrival) {
    GoDownCounted({arrival}, plans_, keeper_, [&](const TVMFFIAny& value) {
      if (!rhs_paired_.Insert(value.v_obj).second) return false;  // has a partner, or was looked at
      return !(IsCandidate(value) && Compare(value));
    });
  }

  // Parts that the walk had nothing to compare with may be such as cannot be compared: then nothing more is looked for.
  std::optional<Digest> KeyOf(DigestVisitor& keys, const TVMFFIAny& value) {
    try {
      if (!gave_up_) return keys.KeyOf(value);
    } catch (const Error&) {
      gave_up_ = true;
    }
    return std::nullopt;
  }

  // Whether there was something to compare with. Then all that is below is in pairs, or among the arrivals.
  bool Compare(const TVMFFIAny& value) {
    const std::optional<Digest> key = KeyOf(rhs_keys_, value);
    const auto entry = key ? index_.find(*key) : index_.end();
    if (entry == index_.end()) return false;
    const TVMFFIObject* lhs = entry->second;
    // What has no partner yet gets one; another part that looks the same finds another one, or none.
    if (lhs_roles_.Find(lhs) == nullptr) index_.erase(entry);
    walk_.RunMore(graph::ObjectValue(const_cast<TVMFFIObject*>(lhs)), value);
    NoteNewPairs();
    return true;
  }

  graph::PlanTable& plans_;
  LockStep& walk_;
  Correspondence& found_;
  const Places places_;
  DigestVisitor lhs_keys_;
  DigestVisitor rhs_keys_;
  graph::Keeper keeper_;
  bool gave_up_ = false;
  size_t num_noted_ = 0;
  graph::PointerMap<Role> lhs_roles_;
  graph::PointerMap<uint8_t> rhs_paired_;
  std::unordered_map<Digest, const TVMFFIObject*, DigestHash> index_;
};

}  // namespace

void PairMovedParts(graph::PlanTable& plans, const StructuralOptions& options, const TVMFFIAny& lhs_root,
                    LockStep* walk, Correspondence* found) {
  const auto has_parts = [](const TVMFFIAny& value) { return graph::HasChildren(graph::Classify(value.type_index)); };
  if (std::none_of(found->arrivals.begin(), found->arrivals.end(), has_parts)) return;
  MovedParts(plans, options, lhs_root, walk, found).Run();
}

}  // namespace transom::structural
