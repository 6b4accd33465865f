/*
 * What visitors and mutators of the C contract share: hooks of types in both forms, results that may be errors, regions
 * that hold for a while, callbacks by type.
 */
#ifndef TRANSOM_SRC_INTEROP_STRUCTURAL_HOOKS_H_
#define TRANSOM_SRC_INTEROP_STRUCTURAL_HOOKS_H_

#include <transom/containers/array.h>
#include <transom/containers/tuple.h>
#include <transom/runtime/any_hash.h>
#include <transom/runtime/error.h>
#include <transom/runtime/function.h>

#include <cstdint>
#include <vector>

#include "graph/value.h"
#include "structural/rules/hook_lease.h"
#include "structural/visit/type_dispatch.h"

namespace transom::interop {

/*! \brief A column of type attributes, found once. */
class AttrColumn {
 public:
  /*! \param name A literal. The column is made when it is not there. */
  explicit AttrColumn(const char* name);
  /*! \brief The type's entry, or null. */
  const TVMFFIAny* Of(int32_t type_index) const { return detail::FindTypeAttr(column_, type_index); }
  /*! \brief Gives a type a C function. */
  void Set(int32_t type_index, void* function) const;
  const char* name() const { return name_; }

 private:
  const char* name_;
  const TVMFFITypeAttrColumn* column_;
};

/*! \brief Takes what a callback, a hook or a table's function gave; an Error among values is thrown. */
Any TakeResult(TVMFFIAny result);

/*! \brief The other direction: what `fn` gives, or the Error that it throws, as a value. */
template <class Fn>
TVMFFIAny ResultOf(Fn&& fn) noexcept {
  try {
    return Any(fn()).Release();
  } catch (const Error& error) {
    return Any(error).Release();
  } catch (const std::exception& error) {
    return Any(Error("InternalError", error.what(), "")).Release();
  }
}

/*! \brief Calls a type's hook, a C function `TVMFFIAny(Self*, TVMFFIAny)` or a Function, with the visitor or mutator
 * and the value. TypeError: the entry is neither; the hook's own error. */
template <class Self>
Any CallHook(const AttrColumn& column, const TVMFFIAny& hook, Self* self, const TVMFFIAny& value) {
  if (hook.type_index == kTVMFFIOpaquePtr && hook.v_ptr != nullptr) {
    return TakeResult(reinterpret_cast<TVMFFIAny (*)(Self*, TVMFFIAny)>(hook.v_ptr)(self, value));
  }
  TRANSOM_CHECK(hook.type_index == kTVMFFIFunction, TypeError)
      << "the attribute `" << column.name() << "` of type " << detail::TypeKeyOfIndex(value.type_index)
      << " is of type " << AnyView::FromRaw(hook).GetTypeKey() << "; a function or the address of one is expected";
  const AnyView args[] = {AnyView::FromRaw(graph::ObjectValue(detail::ObjectAccess::Header(self))),
                          AnyView::FromRaw(value)};
  const Any function(AnyView::FromRaw(hook));
  return TakeResult((*function.as<Function>()).CallPacked(args, 2).Release());
}

/*! \brief Gives a visitor or mutator a region, until this ends. */
template <class Self>
class RegionScope {
 public:
  RegionScope(Self* self, schema::DefRegion region) : self_(self), before_(self->region) {
    self->region = static_cast<int32_t>(region);
  }
  ~RegionScope() { self_->region = before_; }
  RegionScope(const RegionScope&) = delete;
  RegionScope& operator=(const RegionScope&) = delete;

 private:
  Self* self_;
  int32_t before_;
};

/*! \brief The region of a visitor or mutator, which foreign code may have set. ValueError: it is none. */
template <class Self>
schema::DefRegion RegionOf(const Self* self) {
  return structural::HookRegion(self->region);
}

/*! \brief Runs `fn` with the region; inside a recursive region every other kind means that one too. */
template <class Self>
Any WithRegion(Self* self, int64_t kind, const Function& fn) {
  const schema::DefRegion asked = structural::HookRegion(static_cast<int>(kind));
  const schema::DefRegion now = RegionOf(self);
  const RegionScope<Self> scope(self, now == schema::DefRegion::kRecursive ? now : asked);
  return fn();
}

/*! \brief A callback for values of a type. */
struct StructuralCallback {
  Function function;
  bool takes_more = false;  // the region, or whether the value may be changed itself
};

/*! \brief Callbacks in order; the first whose type fits is called. */
class StructuralCallbacks {
 public:
  void Add(int64_t type_index, Function function, bool takes_more);
  template <class List>
  void AddAll(const List& list, bool takes_more) {
    for (const auto& entry : list) Add(entry.template get<0>(), entry.template get<1>(), takes_more);
  }
  /*! \brief The callback for a value, or null. */
  const StructuralCallback* Find(const TVMFFIAny& value) {
    const int32_t i = dispatch_.Find(value);
    return i < 0 ? nullptr : &callbacks_[static_cast<size_t>(i)];
  }

 private:
  structural::TypeDispatch dispatch_;
  std::vector<StructuralCallback> callbacks_;
};

/*! \brief Before foreign code is called that may call back: RuntimeError when the thread's stack is nearly full. */
void CheckStack();

}  // namespace transom::interop
#endif  // TRANSOM_SRC_INTEROP_STRUCTURAL_HOOKS_H_
