/*
 * The visitor, the mutator and the interrupt of the C contract: objects that hooks of types get, with layouts that code
 * compiled elsewhere reads and calls through.
 */
#ifndef TRANSOM_SRC_INTEROP_STRUCTURAL_OBJECTS_H_
#define TRANSOM_SRC_INTEROP_STRUCTURAL_OBJECTS_H_

#include <transom/containers/optional.h>
#include <transom/runtime/any.h>
#include <transom/runtime/object.h>
#include <transom/runtime/visit_interrupt.h>

#include <cstdint>
#include <utility>

namespace transom::interop {

/*! \brief What goes through a value's children. `region` is that of the value that a callback or hook is asked about.
 */
class StructuralVisitorObj : public Object {
 public:
  struct VTable {
    /* None: go on; VisitInterrupt: stop; Error: failure. The result is owned, the value borrowed; throws nothing. */
    TVMFFIAny (*visit)(StructuralVisitorObj* self, TVMFFIAny value);
  };
  const VTable* vtable;
  int32_t region = kTVMFFIDefRegionKindNone;

  explicit StructuralVisitorObj(const VTable* table) : vtable(table) {}
  TRANSOM_DECLARE_OBJECT_INFO("ffi.StructuralVisitor", StructuralVisitorObj, Object);
};
static_assert(sizeof(StructuralVisitorObj) == 40, "layout of the C contract");

class StructuralVisitor : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StructuralVisitor, ObjectRef, StructuralVisitorObj);
  StructuralVisitorObj* mutable_get() const { return const_cast<StructuralVisitorObj*>(get()); }
};

/*! \brief What makes values anew from their children. */
class StructuralMutatorObj : public Object {
 public:
  /* Results are owned, arguments borrowed; an Error is a failure; they throw nothing. */
  struct VTable {
    /* What stands in the value's place. */
    TVMFFIAny (*mutate)(StructuralMutatorObj* self, TVMFFIAny value);
    /* The same; a value that only the caller holds may be changed itself. */
    TVMFFIAny (*maybe_inplace_mutate)(StructuralMutatorObj* self, TVMFFIAny value);
    /* What was recorded for a variable; None when nothing was. */
    TVMFFIAny (*var_remap_get)(StructuralMutatorObj* self, TVMFFIAny variable);
    TVMFFIAny (*var_remap_set)(StructuralMutatorObj* self, TVMFFIAny variable, TVMFFIAny value);
  };
  const VTable* vtable;
  int32_t region = kTVMFFIDefRegionKindNone;

  explicit StructuralMutatorObj(const VTable* table) : vtable(table) {}
  TRANSOM_DECLARE_OBJECT_INFO("ffi.StructuralMutator", StructuralMutatorObj, Object);
};
static_assert(sizeof(StructuralMutatorObj) == 40, "layout of the C contract");

class StructuralMutator : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StructuralMutator, ObjectRef, StructuralMutatorObj);
  StructuralMutatorObj* mutable_get() const { return const_cast<StructuralMutatorObj*>(get()); }
};

}  // namespace transom::interop
#endif  // TRANSOM_SRC_INTEROP_STRUCTURAL_OBJECTS_H_
