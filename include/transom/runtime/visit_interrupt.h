/* What the callback of a walk over a graph returns to end the walk, with a value for the caller of the walk. */
#ifndef TRANSOM_RUNTIME_VISIT_INTERRUPT_H_
#define TRANSOM_RUNTIME_VISIT_INTERRUPT_H_

#include <transom/runtime/any.h>
#include <transom/runtime/object.h>

#include <utility>

namespace transom {

/* What a VisitInterrupt refers to. */
class VisitInterruptObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.VisitInterrupt", kTVMFFIVisitInterrupt, VisitInterruptObj, Object);

  Any value; /* for the caller of the walk; None when there is nothing to say */
};
static_assert(sizeof(VisitInterruptObj) == 40, "layout of the C contract");

/* Reference to one; never NULL, except after it was moved from. */
class VisitInterrupt : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(VisitInterrupt, ObjectRef, VisitInterruptObj);

  explicit VisitInterrupt(Any value = Any()) : VisitInterrupt(make_object<VisitInterruptObj>()) {
    static_cast<VisitInterruptObj*>(data_.get())->value = std::move(value);
  }
};

}  // namespace transom

#endif  // TRANSOM_RUNTIME_VISIT_INTERRUPT_H_
