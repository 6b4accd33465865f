#include <transom/graph/drop.h>
#include <transom/runtime/ref_count.h>

#include <exception>
#include <utility>
#include <vector>

#include "graph/children.h"
#include "graph/type_plan.h"
#include "graph/value.h"

namespace transom {
namespace graph {
namespace {

bool MayHoldObjects(int32_t type_index) { return HasChildren(Classify(type_index)) || type_index == kTVMFFIError; }

/* Owns references: to objects that are to be released, and for the moment to the children of one that dies. */
class Dropper {
 public:
  Dropper() = default;
  Dropper(const Dropper&) = delete;
  Dropper& operator=(const Dropper&) = delete;
  ~Dropper() {
    for (TVMFFIObject* obj : pending_) detail::DecRef(obj);
    for (TVMFFIObject* obj : held_) detail::DecRef(obj);
  }

  /* Takes over the value's reference. */
  void Add(Any* value) {
    pending_.push_back(value->raw()->v_obj);
    static_cast<void>(value->Release());
  }

  void Run() {
    while (!pending_.empty()) {
      TVMFFIObject* obj = pending_.back();
      // Other owners may come and go meanwhile; then the children are held in vain, but nothing is lost.
      if (StrongCount(obj) == 1) HoldChildren(obj);
      pending_.pop_back();
      detail::DecRef(obj);
      PassOnHeld();
    }
  }

 private:
  void Hold(const TVMFFIAny& child) {
    if (child.type_index < kTVMFFIStaticObjectBegin || !MayHoldObjects(child.type_index)) return;
    held_.push_back(child.v_obj);
    detail::IncRef(child.v_obj);
  }

  void HoldChildren(TVMFFIObject* obj) {
    if (obj->type_index == kTVMFFIError) {
      const auto* error = reinterpret_cast<const TVMFFIErrorCell*>(obj + 1);
      Hold(ObjectValue(static_cast<TVMFFIObject*>(error->cause_chain)));
      Hold(ObjectValue(static_cast<TVMFFIObject*>(error->extra_context)));
    } else if (Classify(obj->type_index) == ValueClass::kObject) {
      HoldFields(obj);
    } else {
      ForEachChild(ObjectValue(obj), plans_, keeper_,
                   [this](const TVMFFIAny& child, const FieldPlan*) { Hold(child); });
    }
  }

  // Not by ForEachChild: a getter has nothing to give here but objects that live on.
  void HoldFields(TVMFFIObject* obj) {
    for (const FieldPlan& field : plans_.Of(obj).fields) {
      const char* address = reinterpret_cast<const char*>(obj) + field.offset;
      if (field.storage == Storage::kAny) {
        Hold(*reinterpret_cast<const TVMFFIAny*>(address));
      } else if (field.storage == Storage::kObject) {
        Hold(ObjectValue(*reinterpret_cast<TVMFFIObject* const*>(address)));
      }
    }
  }

  /* Children that nobody else holds any more are released next; the others lost one reference that they had before. */
  void PassOnHeld() {
    while (!held_.empty()) {
      TVMFFIObject* child = held_.back();
      if (StrongCount(child) == 1) {
        pending_.push_back(child);
        held_.pop_back();
      } else {
        held_.pop_back();
        detail::DecRef(child);
      }
    }
  }

  PlanTable plans_;
  Keeper keeper_;
  std::vector<TVMFFIObject*> pending_;
  std::vector<TVMFFIObject*> held_;
};

}  // namespace
}  // namespace graph

void Drop(Any&& value) noexcept {
  Any taken = std::move(value);
  const TVMFFIAny& raw = *taken.raw();
  if (raw.type_index < kTVMFFIStaticObjectBegin || graph::StrongCount(raw.v_obj) != 1 ||
      !graph::MayHoldObjects(raw.type_index)) {
    return;
  }
  try {
    graph::Dropper dropper;
    dropper.Add(&taken);
    dropper.Run();
  } catch (const std::exception&) {
    // No memory for the list: what is left was released plainly.
  }
}

}  // namespace transom
