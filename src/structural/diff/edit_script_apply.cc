// From a graph and edits to the graph after them.
#include <transom/runtime/error.h>

#include <deque>

#include "graph/children.h"
#include "graph/rebuild.h"
#include "structural/diff/edit_script.h"
#include "structural/rules/comparable.h"
#include "structural/rules/nan_keys.h"
#include "structural/rules/places.h"

namespace transom::structural {
namespace {

using graph::Classify;
using graph::FoldFrame;
using graph::TypePlan;
using graph::ValueClass;

/*
 * First every object with an edit is made again, with parts as they were before all edits. Then a walk from the new
 * root visits these in the place of the objects they stand for, and makes again what holds one, up to the root.
 */
class ScriptApplier {
 public:
  struct Result {
    TVMFFIAny value;
    bool changed = false;
  };
  static constexpr bool kKeysFirst = false;
  static constexpr bool kFieldsOnly = true;  // objects with custom data are values

  ScriptApplier(graph::PlanTable& plans, const TVMFFIAny& old_root)
      : plans_(plans), old_root_(old_root), fold_(plans, *this) {}

  Any Run(const EditScript& script) {
    for (const ObjectEdit& edit : script.edits) Edit(edit);
    try {
      return Any(AnyView::FromRaw(fold_.Run(*script.root.raw()).value));
    } catch (const Error& error) {
      TRANSOM_THROW(PatchError) << "the result of the edits cannot be made: " << error.message();
    }
  }

  // For the walk.
  bool Begin(FoldFrame& frame, Result*) {
    if (const TVMFFIAny* stand_in = edited_.Find(frame.value.v_obj)) frame.Become(*stand_in, plans_);
    return false;
  }
  Result Leaf(const TVMFFIAny& value, ValueClass) { return {value, false}; }
  Result Custom(const TVMFFIAny& value, const TypePlan&, std::string_view) { return {value, false}; }
  void Enter(FoldFrame& frame) {
    if (!frame.plan->custom_data) frame.Visit(CountedFields(*frame.plan, frame.value.v_obj, fold_.keeper()));
  }
  Result Leave(FoldFrame& frame, const Result* children) {
    const TVMFFIAny value = rebuilder_.Remake(frame, children, fold_.keeper(), [&] { return fold_.CurrentPath(); });
    return {value, value.v_obj != frame.met};
  }

 private:
  void Edit(const ObjectEdit& edit) {
    const TVMFFIAny& target = *edit.target.raw();
    const ValueClass cls = Classify(target.type_index);
    TRANSOM_CHECK(graph::HasChildren(cls), PatchError)
        << "the patch edits a value of type " << graph::TypeKeyOf(target) << ", which has no parts";
    Any made;
    try {
      made = std::visit([&](const auto& change) { return Make(edit, target, cls, change); }, edit.change);
    } catch (const Error& error) {
      if (error.kind() == "PatchError") throw;
      TRANSOM_THROW(PatchError) << PlaceOf(target) << ": the " << graph::TypeKeyOf(target)
                                << " there cannot be edited: " << error.message();
    }
    auto [entry, is_new] = edited_.Insert(target.v_obj);
    TRANSOM_CHECK(is_new, PatchError) << PlaceOf(target) << ": the " << graph::TypeKeyOf(target)
                                      << " there is edited twice";
    *entry = *made.raw();
    owned_.push_back(std::move(made));
  }

  Any Make(const ObjectEdit& edit, const TVMFFIAny& target, ValueClass cls, const FieldEdits& edits) {
    const TypePlan* plan = cls == ValueClass::kObject ? &plans_.Of(target.v_obj) : nullptr;
    if (plan == nullptr || plan->custom_data) Misfit(edit, "an object with fields");
    std::vector<TVMFFIAny> children;
    PushChildren(target, &children);
    for (const FieldEdits::Set& field : edits.fields) {
      const int32_t i = plan->FindField(field.name);
      if (i < 0) Misfit(edit, "an object with a field " + graph::Quoted(field.name));
      children[static_cast<size_t>(i)] = *field.value.raw();
    }
    return graph::Rebuild(target, plan, children.data());
  }

  Any Make(const ObjectEdit& edit, const TVMFFIAny& target, ValueClass cls, const ItemEdits& edits) {
    const std::string size = std::to_string(edits.old_size);
    if (cls != ValueClass::kSequence) Misfit(edit, "a sequence of " + size);
    const TVMFFISeqCell& cell = graph::SequenceOf(target);
    if (cell.size != edits.old_size) Misfit(edit, "a sequence of " + size, "one of " + std::to_string(cell.size));
    const TVMFFIAny* items = graph::ItemsOf(cell);
    std::vector<TVMFFIAny> children;
    int64_t done = 0;
    for (const ItemEdits::Splice& splice : edits.splices) {
      if (splice.begin < done || splice.removed < 0 || splice.begin > cell.size ||
          splice.removed > cell.size - splice.begin) {
        Misfit(edit, "edits of elements in order, inside a sequence of " + size,
               std::to_string(splice.removed) + " at " + std::to_string(splice.begin) + " after those before " +
                   std::to_string(done));
      }
      children.insert(children.end(), items + done, items + splice.begin);
      for (const Any& item : splice.inserted) children.push_back(*item.raw());
      done = splice.begin + splice.removed;
    }
    children.insert(children.end(), items + done, items + cell.size);
    return graph::MakeContainer(target.type_index, children.data(), children.size());
  }

  Any Make(const ObjectEdit& edit, const TVMFFIAny& target, ValueClass cls, const EntryEdits& edits) {
    const std::string size = std::to_string(edits.old_size);
    if (cls != ValueClass::kMap) Misfit(edit, "a map of " + size);
    const MapBaseObj& map = graph::MapOf(target);
    if (static_cast<int64_t>(map.size()) != edits.old_size)
      Misfit(edit, "a map of " + size, "one of " + std::to_string(map.size()));
    // By the entry that the map has for the key; null: it goes.
    graph::PointerMap<const Any*> changes;
    const auto change = [&](const Any& key, const Any* value) {
      const Any* found = FindEntry(map, *key.raw());
      if (found == nullptr) return false;
      auto [entry, is_new] = changes.Insert(found);
      // Of NaNs that do not pair, those of the old map go and those of the new one come.
      if (!is_new && *entry == nullptr && value != nullptr && IsNan(*key.raw())) return false;
      if (!is_new) Misfit(edit, "one edit of each entry", "two of " + KeyText(key));
      *entry = value;
      return true;
    };
    for (const Any& key : edits.erased) {
      if (!change(key, nullptr)) Misfit(edit, "a map with the key " + KeyText(key), "one without it");
    }
    std::vector<TVMFFIAny> added;
    for (const auto& [key, value] : edits.set) {
      if (!change(key, &value)) added.insert(added.end(), {*key.raw(), *value.raw()});
    }
    std::vector<TVMFFIAny> entries;
    for (uint64_t pos = map.First(); pos != MapBaseObj::kEnd; pos = map.Next(pos)) {
      const Any* const* changed = changes.Find(&map.ValueAt(pos));
      if (changed != nullptr && *changed == nullptr) continue;
      const Any* value = changed != nullptr ? *changed : &map.ValueAt(pos);
      entries.insert(entries.end(), {*map.KeyAt(pos).raw(), *value->raw()});
    }
    entries.insert(entries.end(), added.begin(), added.end());
    if (!edits.order.empty()) Reorder(edit, edits.order, &entries);
    return graph::MakeContainer(target.type_index, entries.data(), entries.size());
  }

  void Reorder(const ObjectEdit& edit, const std::vector<int64_t>& order, std::vector<TVMFFIAny>* entries) {
    const size_t n = entries->size() / 2;
    std::vector<uint8_t> seen(n, 0);
    std::vector<TVMFFIAny> sorted;
    for (const int64_t i : order) {
      if (i < 0 || static_cast<size_t>(i) >= n || order.size() != n ||
          std::exchange(seen[static_cast<size_t>(i)], 1) != 0) {
        Misfit(edit, "an order of " + std::to_string(n) + " entries, each once",
               "one of " + std::to_string(order.size()));
      }
      sorted.insert(sorted.end(), {(*entries)[2 * static_cast<size_t>(i)], (*entries)[2 * static_cast<size_t>(i) + 1]});
    }
    entries->swap(sorted);
  }

  Any Make(const ObjectEdit& edit, const TVMFFIAny& target, ValueClass, const Replacement& replacement) {
    const TVMFFIAny& value = *replacement.value.raw();
    const bool fits =
        Classify(value.type_index) == ValueClass::kObject && graph::TypeKeyOf(value) == graph::TypeKeyOf(target);
    if (!fits) Misfit(edit, "an object of type " + std::string(graph::TypeKeyOf(value)));
    return replacement.value;
  }

  void PushChildren(const TVMFFIAny& value, std::vector<TVMFFIAny>* children) {
    graph::ForEachChild(value, plans_, fold_.keeper(),
                        [&](const TVMFFIAny& child, const graph::FieldPlan*) { children->push_back(child); });
  }

  std::string PlaceOf(const TVMFFIAny& object) {
    return graph::PathText(Places(plans_, old_root_).PathTo(object.v_obj), true);
  }
  std::string KeyText(const Any& key) { return graph::ShortKeyText(plans_, *key.raw(), 0); }

  [[noreturn]] void Misfit(const ObjectEdit& edit, const std::string& expected, const std::string& found = "") {
    const TVMFFIAny& target = *edit.target.raw();
    TRANSOM_THROW(PatchError) << PlaceOf(target) << ": the patch expects " << expected << ", found "
                              << (found.empty() ? graph::TypeKeyOf(target) : std::string_view(found));
  }

  graph::PlanTable& plans_;
  const TVMFFIAny old_root_;
  graph::Rebuilder rebuilder_;
  std::deque<Any> owned_;
  graph::PointerMap<TVMFFIAny> edited_;  // by object of the old graph: what is visited in its place
  graph::Fold<ScriptApplier> fold_;
};

}  // namespace

Any ApplyEditScript(graph::PlanTable& plans, const TVMFFIAny& old_root, const EditScript& script) {
  return ScriptApplier(plans, old_root).Run(script);
}

}  // namespace transom::structural
