#include <transom/reflection/registry.h>
#include <transom/runtime/visit_interrupt.h>

namespace transom::runtime {
namespace {

TRANSOM_STATIC_INIT_BLOCK() {
  reflection::ObjectDef<VisitInterruptObj>("Ends a walk over a graph")
      .no_init()
      .def_ro("value", &VisitInterruptObj::value, "What the caller of the walk gets", reflection::DefaultValue(nullptr));
}

}  // namespace
}  // namespace transom::runtime
