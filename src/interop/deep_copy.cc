// ffi.DeepCopy: a value made again with everything below it.
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/reflection/registry.h>
#include <transom/schema/record.h>

#include <cstring>

#include "graph/fold.h"
#include "graph/hook.h"
#include "graph/native_object.h"
#include "interop/enum_member.h"

namespace transom::interop {
namespace {

using graph::FoldFrame;
using graph::ValueClass;

Any Owned(const TVMFFIAny& value) { return Any(AnyView::FromRaw(value)); }

// The object of a value that holds one of class T.
template <class T>
T& ObjectOf(const TVMFFIAny& value) {
  return *static_cast<T*>(detail::ObjectAccess::FromHeader(value.v_obj));
}

// A copy of the object alone, by its type's own hook.
Any ShallowCopy(const TVMFFIAny& value) {
  const std::optional<Function> hook = graph::FunctionHookOf(value.type_index, "__ffi_shallow_copy__");
  TRANSOM_CHECK(hook.has_value(), InternalError)
      << "Cannot deep copy object of type \"" << graph::TypeKeyOf(value) << "\" because it is not copy-constructible";
  Any copy = (*hook)(AnyView::FromRaw(value));
  TRANSOM_CHECK(copy.type_index() == value.type_index, TypeError)
      << "The `__ffi_shallow_copy__` hook of type `" << graph::TypeKeyOf(value) << "` gave a value of type `"
      << copy.GetTypeKey() << "`";
  return copy;
}

// An empty container, or an object whose fields are to be set.
Any MakeCopy(const FoldFrame& frame) {
  switch (frame.value.type_index) {
    case kTVMFFIArray:
      return Any(ArrayObj::Create(graph::SequenceOf(frame.value).size));
    case kTVMFFIList:
      return Any(ListObj::Create(graph::SequenceOf(frame.value).size));
    case kTVMFFIMap:
      return Any(MapObj::Create());
    case kTVMFFIDict:
      return Any(DictObj::Create());
    default:
      if (frame.plan->type_index < 0) return Any(RecordObj::Create(*ObjectOf<RecordObj>(frame.value).descriptor));
      return ShallowCopy(frame.value);
  }
}

// A copy is made where its original is met first, and filled when the parts have been copied: what leads back to an
// original finds its copy.
class Copier {
 public:
  using Result = TVMFFIAny;  // kept by the copier
  static constexpr bool kKeysFirst = false;
  static constexpr bool kRunsForeignCode = true;  // hooks of types
  static constexpr bool kFieldsOnly = true;

  Copier() : fold_(plans_, *this) {}
  Any Run(const TVMFFIAny& root) { return Owned(fold_.Run(root)); }

  // For the walk.
  TVMFFIAny Leaf(const TVMFFIAny& value, ValueClass cls) {
    const bool is_opaque = cls == ValueClass::kTensor || cls == ValueClass::kOpaque;
    return is_opaque && graph::IsObject(value) ? copies_.Keep(ShallowCopy(value)) : value;
  }
  TVMFFIAny Custom(const TVMFFIAny& value, const graph::TypePlan&, std::string_view) { return value; }
  bool Whole(FoldFrame& frame, TVMFFIAny* result) {
    if (!IsWhole(*frame.plan)) return false;
    *result = frame.value;
    return true;
  }
  TVMFFIAny Early(FoldFrame& frame) {
    const TVMFFIAny copy = copies_.Keep(MakeCopy(frame));
    frame.note = copy.v_obj;
    return copy;
  }
  void Enter(FoldFrame& frame) { frame.Visit(frame.plan->all); }
  TVMFFIAny Leave(FoldFrame& frame, const TVMFFIAny* children);
  bool RememberAll() { return true; }

 private:
  // Members of enums are one object each; records with custom data do not change.
  static bool IsWhole(const graph::TypePlan& plan) {
    return plan.type_index < 0 ? plan.custom_data : EnumFormOf(plan.type_index) != EnumForm::kNone;
  }
  void SetChangedFields(const FoldFrame& frame, const TVMFFIAny& copy, const TVMFFIAny* children);

  graph::PlanTable plans_;
  graph::Fold<Copier> fold_;
  graph::Keeper copies_;
};

TVMFFIAny Copier::Leave(FoldFrame& frame, const TVMFFIAny* children) {
  const TVMFFIAny copy = graph::ObjectValue(static_cast<TVMFFIObject*>(frame.note));
  for (uint64_t i = 0; i < frame.count; ++i) {
    switch (frame.value.type_index) {
      case kTVMFFIArray:
        ObjectOf<ArrayObj>(copy).PushOwned(Owned(children[i]));
        break;
      case kTVMFFIList:
        ObjectOf<ListObj>(copy).PushOwned(Owned(children[i]));
        break;
      case kTVMFFIMap:
        ObjectOf<MapObj>(copy).Init(Owned(children[i]), Owned(children[i + 1]));
        ++i;
        break;
      case kTVMFFIDict:
        ObjectOf<DictObj>(copy).Set(Owned(children[i]), Owned(children[i + 1]));
        ++i;
        break;
      default:
        SetChangedFields(frame, copy, children);
        return copy;
    }
  }
  return copy;
}

void Copier::SetChangedFields(const FoldFrame& frame, const TVMFFIAny& copy, const TVMFFIAny* children) {
  const graph::TypePlan& plan = *frame.plan;
  if (plan.type_index < 0) {
    for (uint32_t i = 0; i < plan.fields.size(); ++i) ObjectOf<RecordObj>(copy).Init(i, Owned(children[i]));
    return;
  }
  const Any object = Owned(copy);
  size_t i = 0;
  reflection::ForEachField(TVMFFIGetTypeInfo(plan.type_index), [&](const TVMFFIFieldInfo* field) {
    if (i == plan.fields.size()) return;  // the type has gained fields since the plan was made
    const TVMFFIAny& child = children[i];
    const TVMFFIAny old = graph::ReadField(frame.value.v_obj, plan.fields[i++], fold_.keeper());
    if (std::memcmp(&old, &child, sizeof(child)) != 0) graph::SetField(*field, object, AnyView::FromRaw(child));
  });
}

Any DeepCopy(const Any& value) { return Copier().Run(*value.raw()); }

TRANSOM_STATIC_INIT_BLOCK() {
  reflection::GlobalDef().def("ffi.DeepCopy", &DeepCopy, "A copy of a value and of everything in it; keeps sharing.");
}

}  // namespace
}  // namespace transom::interop
