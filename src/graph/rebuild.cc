#include "graph/rebuild.h"

#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/reflection/field_access.h>
#include <transom/schema/record.h>

#include <atomic>
#include <cstring>
#include <string>

#include "graph/native_object.h"

namespace transom::graph {
namespace {

Any Owned(const TVMFFIAny& value) { return Any(AnyView::FromRaw(value)); }

template <class Seq>
Any MakeSequence(const TVMFFIAny* items, size_t size) {
  ObjectPtr<Seq> result = Seq::Create(static_cast<int64_t>(size));
  for (size_t i = 0; i < size; ++i) result->PushOwned(Owned(items[i]));
  return Any(std::move(result));
}

Any MakeMap(int32_t type_index, const TVMFFIAny* children, size_t num_pairs) {
  std::vector<Any> pairs;
  pairs.reserve(2 * num_pairs);
  for (size_t i = 0; i < 2 * num_pairs; ++i) pairs.push_back(Owned(children[i]));
  Any map = type_index == kTVMFFIMap ? Any(MapObj::CreateFromPairs(pairs.data(), num_pairs))
                                     : Any(DictObj::CreateFromPairs(pairs.data(), num_pairs));
  if (MapOf(*map.raw()).size() != num_pairs) TRANSOM_THROW(ValueError) << "two of its keys are equal";
  return map;
}

bool SameBits(const TVMFFIAny& a, const TVMFFIAny& b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

void CheckDeclaredType(const schema::FieldDescriptor& field, const TVMFFIAny& value, TypeCheck& check) {
  if (check.Fits(field.type, value)) return;
  TRANSOM_THROW(TypeError) << "field `" << field.name << "` takes " << field.type_text << ", got "
                           << check.Describe(field.type, value);
}

Any MakeRecord(const RecordObj& like, const TVMFFIAny* children, TypeChecks* checks) {
  const schema::TypeDescriptor& descriptor = *like.descriptor;
  ObjectPtr<RecordObj> record = RecordObj::Create(descriptor);
  for (uint32_t i = 0; i < descriptor.fields.size(); ++i) {
    if (checks != nullptr && !SameBits(*like.Get(i).raw(), children[i])) {
      CheckDeclaredType(descriptor.fields[i], children[i], checks->Of(descriptor.schema));
    }
    record->Init(i, Owned(children[i]));
  }
  return Any(std::move(record));
}

const TVMFFIAny* CopyHookOf(int32_t type_index) {
  // Columns never move, but this one may be new.
  static std::atomic<const TVMFFITypeAttrColumn*> known{nullptr};
  const TVMFFITypeAttrColumn* column = known.load(std::memory_order_acquire);
  if (column == nullptr) {
    column = transom::detail::TypeAttrColumn("__ffi_shallow_copy__");
    known.store(column, std::memory_order_release);
  }
  return column != nullptr ? transom::detail::FindTypeAttr(column, type_index) : nullptr;
}

// A copy by the type's own hook, which also has what reflection does not see; None when there is no hook.
Any ShallowCopy(const TVMFFIAny& value) {
  const TVMFFIAny* hook = CopyHookOf(value.type_index);
  if (hook == nullptr || hook->type_index != kTVMFFIFunction) return Any();
  TVMFFIAny argument = value;
  TVMFFIAny result = NoneValue();
  CheckCall(TVMFFIFunctionCall(hook->v_obj, &argument, 1, &result));
  Any copy = Any::FromOwned(result);
  if (copy.type_index() != value.type_index || copy.raw()->v_obj == value.v_obj) {
    TRANSOM_THROW(TypeError) << "its `__ffi_shallow_copy__` gave "
                             << (copy.type_index() != value.type_index ? copy.GetTypeKey() : "the object itself")
                             << "; a new object of the same type is expected";
  }
  return copy;
}

// Sets a field; an error says which.
void SetNamedField(const TVMFFIFieldInfo& field, const Any& object, const TVMFFIAny& value) {
  try {
    SetField(field, object, AnyView::FromRaw(value));
  } catch (const Error& error) {
    std::string message = "field `" + std::string(field.name.data, field.name.size) + "`: ";
    message.append(error.message());
    throw Error(error.kind(), message, error.backtrace(), error);
  }
}

Any MakeNative(const TVMFFIAny& value, const TypePlan& plan, const TVMFFIAny* children) {
  Any object = ShallowCopy(value);
  const bool is_copy = object != nullptr;
  if (!is_copy) {
    if (!CanCreate(value.type_index)) {
      TRANSOM_THROW(TypeError) << "type " << plan.key
                               << " has no creator; register it with a default or copy constructor";
    }
    object = CreateEmpty(value.type_index);
  }
  Keeper keeper;
  size_t i = 0;
  reflection::ForEachField(TVMFFIGetTypeInfo(value.type_index), [&](const TVMFFIFieldInfo* field) {
    if (i == plan.fields.size()) return;  // the type has gained fields since the plan was made
    const TVMFFIAny& child = children[i];
    const TVMFFIAny old = ReadField(value.v_obj, plan.fields[i++], keeper);
    if (!is_copy || !SameBits(old, child)) SetNamedField(*field, object, child);
  });
  return object;
}

}  // namespace

Any MakeContainer(int32_t type_index, const TVMFFIAny* children, size_t count) {
  switch (type_index) {
    case kTVMFFIArray:
      return MakeSequence<ArrayObj>(children, count);
    case kTVMFFIList:
      return MakeSequence<ListObj>(children, count);
    default:
      return MakeMap(type_index, children, count / 2);
  }
}

Any Rebuild(const TVMFFIAny& value, const TypePlan* plan, const TVMFFIAny* children, TypeChecks* checks) {
  switch (Classify(value.type_index)) {
    case ValueClass::kSequence:
      return MakeContainer(value.type_index, children, static_cast<size_t>(SequenceOf(value).size));
    case ValueClass::kMap:
      return MakeContainer(value.type_index, children, 2 * MapOf(value).size());
    default:
      if (plan->type_index < 0) return MakeRecord(*reinterpret_cast<const RecordObj*>(value.v_obj), children, checks);
      return MakeNative(value, *plan, children);
  }
}

}  // namespace transom::graph
