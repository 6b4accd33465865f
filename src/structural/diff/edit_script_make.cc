// From what a comparison found to belong together to edits.
#include <algorithm>
#include <map>

#include "graph/children.h"
#include "structural/diff/edit_script.h"
#include "structural/diff/identity_conflicts.h"
#include "structural/diff/moved_parts.h"
#include "structural/diff/new_parts.h"
#include "structural/equality/lock_step.h"
#include "structural/rules/comparable.h"

namespace transom::structural {
namespace {

using graph::Classify;
using graph::ObjectValue;
using graph::TypePlan;
using graph::ValueClass;
using Role = Partners::Role;

Any Owned(const TVMFFIAny& value) { return Any(AnyView::FromRaw(value)); }
TVMFFIAny ValueOf(const TVMFFIObject* object) { return ObjectValue(const_cast<TVMFFIObject*>(object)); }

/*
 * 1. Walk over both graphs; pairs of objects that are equal, and parts of those that differ, are noted.
 * 2. New parts are compared with equal parts that stand elsewhere in the old graph.
 * 3. Decide, parts first, which object of the old graph stands for which of the new one. Variables and dag nodes
 *    stand for their partners, unless the new graph has them as something else. Equal objects stand for each other, and must not be edited then. An object of the old
 *    graph is edited into one partner only; the others become new objects.
 * 4. Write down what stands elsewhere than in the old graph.
 */
class ScriptMaker {
 public:
  ScriptMaker(graph::PlanTable& plans, const TVMFFIAny& old_root, const TVMFFIAny& new_root,
              const StructuralOptions& options)
      : plans_(plans),
        options_(options),
        old_root_(old_root),
        new_root_(new_root),
        walk_(plans, options, LockStep::Goal::kAll),
        parts_(plans, options, old_root, partners_, walk_.bindings(), conflicts_) {}

  EditScript Run(DiffScope* scope) {
    walk_.Record(&found_);
    if (scope != nullptr) walk_.Restrict(scope);
    walk_.Run(old_root_, new_root_, 0, nullptr);
    PairMovedParts(plans_, options_, old_root_, &walk_, &found_);
    conflicts_.Find(plans_, options_, old_root_, new_root_, found_);
    std::vector<const PairRecord*> reordered;
    for (const PairRecord& pair : found_.pairs) {
      if (conflicts_.Contains(pair.lhs)) continue;
      if (pair.equal && HasEdits(pair)) {
        reordered.push_back(&pair);
      } else if (pair.equal) {
        Keep(pair);
      }
    }
    for (const PairRecord* pair : reordered) Decide(*pair);
    for (const PairRecord& pair : found_.pairs) {
      if (!pair.equal && !conflicts_.Contains(pair.lhs)) Decide(pair);
    }
    EditScript script;
    const TVMFFIObject* root = graph::IsObject(new_root_) ? partners_.Of(new_root_.v_obj) : nullptr;
    script.root = root != nullptr ? Owned(ValueOf(root)) : parts_.Of(new_root_);
    for (const PairRecord* pair : edited_) script.edits.push_back({Owned(ValueOf(pair->lhs)), ChangeOf(*pair)});
    return script;
  }

 private:
  void Keep(const PairRecord& pair) {
    auto [partner, is_new] = partners_.old_of.Insert(pair.rhs);
    if (is_new) *partner = pair.lhs;
    *partners_.roles.Insert(pair.lhs).first = Role::kKept;
    if (pair.untouched) KeepAllBelow(pair.lhs);
  }

  void KeepAllBelow(const TVMFFIObject* object) {
    std::vector<TVMFFIAny> children;
    ForEachCountedChild(ValueOf(object), plans_, keeper_,
                        [&](const TVMFFIAny& child, const graph::FieldPlan*) { children.push_back(child); });
    GoDownCounted(std::move(children), plans_, keeper_, [&](const TVMFFIAny& value) {
      if (!partners_.roles.Insert(value.v_obj).second) return false;
      *partners_.old_of.Insert(value.v_obj).first = value.v_obj;
      return true;
    });
  }

  void Decide(const PairRecord& pair) {
    if (partners_.Of(pair.rhs) != nullptr) return;  // another object is equal to it
    const bool edits = HasEdits(pair);
    const Role* role = partners_.roles.Find(pair.lhs);
    if (!pair.one_to_one && role != nullptr && (edits || *role == Role::kEdited)) return;
    *partners_.old_of.Insert(pair.rhs).first = pair.lhs;
    *partners_.roles.Insert(pair.lhs).first = edits ? Role::kEdited : Role::kKept;
    if (edits) edited_.push_back(&pair);
    if (Classify(pair.rhs->type_index) != ValueClass::kObject && (edits || HasOtherElements(pair)))
      partners_.in_place_only.Insert(pair.rhs);
  }

  // Whether a container without edits holds containers that are edited, or hold such ones.
  bool HasOtherElements(const PairRecord& pair) {
    const std::vector<Child> rhs = ChildrenOf(pair.rhs);
    return std::any_of(SlotsBegin(pair), SlotsEnd(pair), [&](const Slot& slot) {
      return slot.state == Slot::State::kInside &&
             partners_.in_place_only.Find(rhs[static_cast<size_t>(slot.pair.rhs)].value.v_obj) != nullptr;
    });
  }

  // ---- Parts of a pair ----

  struct Child {
    TVMFFIAny key = graph::NoneValue();  // maps
    TVMFFIAny value = graph::NoneValue();
  };
  std::vector<Child> ChildrenOf(const TVMFFIObject* object) {
    const TVMFFIAny holder = ValueOf(object);
    std::vector<Child> children;
    const bool is_map = Classify(holder.type_index) == ValueClass::kMap;
    bool is_key = is_map;
    graph::ForEachChild(holder, plans_, keeper_, [&](const TVMFFIAny& value, const graph::FieldPlan*) {
      if (is_key) {
        children.push_back({value, graph::NoneValue()});
      } else if (is_map) {
        children.back().value = value;
      } else {
        children.push_back({graph::NoneValue(), value});
      }
      is_key = is_map && !is_key;
    });
    return children;
  }

  const Slot* SlotsBegin(const PairRecord& pair) const { return found_.slots.data() + pair.first_slot; }
  const Slot* SlotsEnd(const PairRecord& pair) const { return SlotsBegin(pair) + pair.num_slots; }

  // Whether what stands for the right part is the left one, where it stands.
  bool Stays(const Slot& slot, const std::vector<Child>& lhs, const std::vector<Child>& rhs) const {
    if (slot.state != Slot::State::kInside) return slot.state == Slot::State::kSame;
    const TVMFFIAny& part = rhs[static_cast<size_t>(slot.pair.rhs)].value;
    return partners_.Of(part.v_obj) == lhs[static_cast<size_t>(slot.pair.lhs)].value.v_obj;
  }

  // Whether the slot of a map is an entry of both sides.
  bool IsEntryOfBoth(const Slot& slot, const std::vector<Child>& lhs, const std::vector<Child>& rhs) const {
    if (slot.pair.lhs < 0 || slot.pair.rhs < 0) return false;
    if (slot.key_state == Slot::State::kSame) return true;
    const TVMFFIAny& key = rhs[static_cast<size_t>(slot.pair.rhs)].key;
    return partners_.Of(key.v_obj) == lhs[static_cast<size_t>(slot.pair.lhs)].key.v_obj;
  }

  // Of equal pairs, maps whose keys have another order have slots: that may have to change too.
  bool HasEdits(const PairRecord& pair) {
    if (pair.num_slots == 0 && pair.equal) return false;
    const bool is_map = Classify(pair.lhs->type_index) == ValueClass::kMap;
    const std::vector<Child> lhs = ChildrenOf(pair.lhs), rhs = ChildrenOf(pair.rhs);
    if (is_map) {
      // Entries of no slot go, or are new.
      const std::vector<int64_t> right_of = RightOf(pair, lhs, rhs);
      if (lhs.size() != rhs.size() || std::count(right_of.begin(), right_of.end(), -1) != 0) return true;
      if (!KeepsAlikeInOrder(rhs, right_of)) return true;
    }
    return !std::all_of(SlotsBegin(pair), SlotsEnd(pair), [&](const Slot& slot) { return Stays(slot, lhs, rhs); });
  }

  decltype(ObjectEdit::change) ChangeOf(const PairRecord& pair) {
    const TVMFFIAny lhs = ValueOf(pair.lhs), rhs = ValueOf(pair.rhs);
    switch (Classify(lhs.type_index)) {
      case ValueClass::kSequence:
        return ItemsOf(pair);
      case ValueClass::kMap:
        return EntriesOf(pair);
      default:
        if (HasOtherFields(pair)) return Replacement{parts_.Fresh(rhs)};
        return FieldsOf(pair);
    }
  }

  // Whether other fields count on the right side: another version of the type, or a rule that depends on the object.
  bool HasOtherFields(const PairRecord& pair) {
    const TypePlan &lhs = plans_.Of(pair.lhs), &rhs = plans_.Of(pair.rhs);
    return &lhs != &rhs || &CountedFields(lhs, pair.lhs, keeper_) != &CountedFields(rhs, pair.rhs, keeper_);
  }

  FieldEdits FieldsOf(const PairRecord& pair) {
    const std::vector<Child> lhs = ChildrenOf(pair.lhs), rhs = ChildrenOf(pair.rhs);
    const TypePlan& plan = plans_.Of(pair.lhs);
    FieldEdits edits;
    for (const Slot* slot = SlotsBegin(pair); slot != SlotsEnd(pair); ++slot) {
      if (Stays(*slot, lhs, rhs)) continue;
      const auto field = static_cast<size_t>(slot->pair.rhs);
      edits.fields.push_back({std::string(plan.fields[field].name), parts_.Of(rhs[field].value)});
    }
    return edits;
  }

  ItemEdits ItemsOf(const PairRecord& pair) {
    const std::vector<Child> lhs = ChildrenOf(pair.lhs), rhs = ChildrenOf(pair.rhs);
    ItemEdits edits;
    edits.old_size = static_cast<int64_t>(lhs.size());
    int64_t done = 0;  // elements of the left side
    bool in_splice = false;
    for (const Slot* slot = SlotsBegin(pair); slot != SlotsEnd(pair); ++slot) {
      const bool has_lhs = slot->pair.lhs >= 0, has_rhs = slot->pair.rhs >= 0;
      const bool stays = has_lhs && has_rhs && Stays(*slot, lhs, rhs);
      if (!stays && !in_splice) edits.splices.push_back({done, 0, {}});
      in_splice = !stays;
      done += has_lhs;
      if (stays) continue;
      edits.splices.back().removed += has_lhs;
      if (has_rhs) edits.splices.back().inserted.push_back(parts_.Of(rhs[static_cast<size_t>(slot->pair.rhs)].value));
    }
    return edits;
  }

  // ---- Maps ----

  EntryEdits EntriesOf(const PairRecord& pair) {
    const std::vector<Child> lhs = ChildrenOf(pair.lhs), rhs = ChildrenOf(pair.rhs);
    std::vector<int64_t> right_of = RightOf(pair, lhs, rhs);
    EntryEdits edits;
    edits.old_size = static_cast<int64_t>(lhs.size());
    SetValues(pair, lhs, rhs, &right_of, &edits);
    graph::PointerMap<uint8_t> keys;
    std::vector<uint8_t> paired(rhs.size(), 0);
    std::vector<int64_t> sequence;  // entries of the right side in the order that the result has without more
    for (size_t l = 0; l < lhs.size(); ++l) {
      if (right_of[l] < 0) {
        edits.erased.push_back(Owned(lhs[l].key));
        continue;
      }
      sequence.push_back(right_of[l]);
      paired[static_cast<size_t>(right_of[l])] = 1;
      if (graph::IsObject(lhs[l].key)) keys.Insert(lhs[l].key.v_obj);
    }
    for (size_t r = 0; r < rhs.size(); ++r) {
      if (paired[r] != 0) continue;
      sequence.push_back(static_cast<int64_t>(r));
      Any key = parts_.Of(rhs[r].key);
      // An equal key that stays in the map must not become this one.
      if (graph::IsObject(*key.raw()) && !keys.Insert(key.raw()->v_obj).second) key = parts_.Fresh(rhs[r].key);
      edits.set.emplace_back(std::move(key), parts_.Of(rhs[r].value));
    }
    if (!KeepsAlikeInOrder(rhs, sequence)) edits.order = OrderOf(sequence);
    return edits;
  }

  // New values of entries of both sides, and of those whose keys become each other, which are noted in `right_of`.
  void SetValues(const PairRecord& pair, const std::vector<Child>& lhs, const std::vector<Child>& rhs,
                 std::vector<int64_t>* right_of, EntryEdits* edits) {
    for (const Slot* slot = SlotsBegin(pair); slot != SlotsEnd(pair); ++slot) {
      if (!IsEntryOfBoth(*slot, lhs, rhs) || Stays(*slot, lhs, rhs)) continue;
      const TVMFFIAny& value = rhs[static_cast<size_t>(slot->pair.rhs)].value;
      edits->set.emplace_back(Owned(lhs[static_cast<size_t>(slot->pair.lhs)].key), parts_.Of(value));
    }
    for (const size_t l : PairEditedKeys(lhs, rhs, right_of)) {
      edits->set.emplace_back(Owned(lhs[l].key), parts_.Of(rhs[static_cast<size_t>((*right_of)[l])].value));
    }
  }

  // Entries of the right side by those of the left: -1 for none.
  std::vector<int64_t> RightOf(const PairRecord& pair, const std::vector<Child>& lhs,
                               const std::vector<Child>& rhs) const {
    std::vector<int64_t> right_of(lhs.size(), -1);
    for (const Slot* slot = SlotsBegin(pair); slot != SlotsEnd(pair); ++slot) {
      if (IsEntryOfBoth(*slot, lhs, rhs)) right_of[static_cast<size_t>(slot->pair.lhs)] = slot->pair.rhs;
    }
    return right_of;
  }

  // Keys that are no pair as keys, but stand for each other: variables that were paired elsewhere, with another name.
  // Returns their left entries.
  std::vector<size_t> PairEditedKeys(const std::vector<Child>& lhs, const std::vector<Child>& rhs,
                                     std::vector<int64_t>* right_of) const {
    graph::PointerMap<size_t> free_keys;
    for (size_t l = 0; l < lhs.size(); ++l) {
      if ((*right_of)[l] < 0 && graph::IsObject(lhs[l].key)) *free_keys.Insert(lhs[l].key.v_obj).first = l;
    }
    std::vector<size_t> paired;
    for (size_t r = 0; free_keys.size() != 0 && r < rhs.size(); ++r) {
      const TVMFFIObject* partner = graph::IsObject(rhs[r].key) ? partners_.Of(rhs[r].key.v_obj) : nullptr;
      const size_t* l = partner != nullptr ? free_keys.Find(partner) : nullptr;
      if (l == nullptr || (*right_of)[*l] >= 0) continue;
      (*right_of)[*l] = static_cast<int64_t>(r);
      paired.push_back(*l);
    }
    return paired;
  }

  // Keys that look alike without their context pair in their order: whether that is the right side's.
  bool KeepsAlikeInOrder(const std::vector<Child>& rhs, const std::vector<int64_t>& sequence) {
    if (std::is_sorted(sequence.begin(), sequence.end())) return true;
    DigestVisitor weak(plans_, options_, DigestVisitor::Mode::kWeak);
    std::map<Digest, int64_t> last;
    for (const int64_t r : sequence) {
      const TVMFFIAny& key = rhs[static_cast<size_t>(r)].key;
      if (!graph::IsObject(key)) continue;
      auto [before, is_new] = last.try_emplace(weak.KeyOf(key), r);
      if (!is_new && before->second > r) return false;
      before->second = r;
    }
    return true;
  }

  // The order of the right side, in terms of the places in `sequence`.
  static std::vector<int64_t> OrderOf(const std::vector<int64_t>& sequence) {
    std::vector<int64_t> order(sequence.size());
    for (size_t place = 0; place < sequence.size(); ++place)
      order[static_cast<size_t>(sequence[place])] = static_cast<int64_t>(place);
    return order;
  }

  graph::PlanTable& plans_;
  const StructuralOptions& options_;
  const TVMFFIAny old_root_;
  const TVMFFIAny new_root_;
  graph::Keeper keeper_;
  LockStep walk_;
  Correspondence found_;
  Partners partners_;
  IdentityConflicts conflicts_;
  NewParts parts_;
  std::vector<const PairRecord*> edited_;
};

}  // namespace

EditScript MakeEditScript(graph::PlanTable& plans, const TVMFFIAny& old_root, const TVMFFIAny& new_root,
                          const StructuralOptions& options, DiffScope* scope) {
  return ScriptMaker(plans, old_root, new_root, options).Run(scope);
}

}  // namespace transom::structural
