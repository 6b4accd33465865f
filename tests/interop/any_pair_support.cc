#include <transom/reflection/registry.h>

#include "interop/any_pair.h"

namespace transom::testing {

Function HookedPairObj::repr, HookedPairObj::hash, HookedPairObj::equal, HookedPairObj::compare;
Function HookedPairObj::structural_equal, HookedPairObj::structural_hash;

ObjectPtr<PairObj> Pair(Any a, Any b) {
  auto pair = make_object<PairObj>();
  pair->a = std::move(a);
  pair->b = std::move(b);
  return pair;
}
ObjectPtr<QuietObj> Quiet(Any a, Any quiet) {
  auto result = make_object<QuietObj>();
  result->a = std::move(a);
  result->quiet = std::move(quiet);
  return result;
}
ObjectPtr<HookedPairObj> HookedPair(Any a, Any b) {
  auto pair = make_object<HookedPairObj>();
  pair->a = std::move(a);
  pair->b = std::move(b);
  return pair;
}

namespace {

TRANSOM_STATIC_INIT_BLOCK() {
  namespace refl = reflection;
  refl::ObjectDef<PairObj>().no_init().def_rw("a", &PairObj::a).def_rw("b", &PairObj::b);
  refl::ObjectDef<QuietObj>()
      .no_init()
      .def_rw("a", &QuietObj::a)
      .def_rw("quiet", &QuietObj::quiet, refl::ReprOff(), refl::CompareOff());
  refl::ObjectDef<HookedPairObj>().no_init();
  const auto hook2 = [](const Function* hook) {
    return [hook](const Any& self, const Function& fn) { return (*hook)(self, fn); };
  };
  const auto hook3 = [](const Function* hook) {
    return [hook](const Any& lhs, const Any& rhs, const Function& fn) { return (*hook)(lhs, rhs, fn); };
  };
  refl::TypeAttrDef<HookedPairObj>()
      .def("__ffi_repr__", hook2(&HookedPairObj::repr))
      .def("__ffi_hash__", hook2(&HookedPairObj::hash))
      .def("__ffi_eq__", hook3(&HookedPairObj::equal))
      .def("__ffi_compare__", hook3(&HookedPairObj::compare))
      .def("__s_equal__", hook3(&HookedPairObj::structural_equal))
      .def("__s_hash__", [](const Any& self, int64_t init, const Function& fn) {
        return HookedPairObj::structural_hash(self, init, fn);
      });
  refl::ObjectDef<OwnEqualityObj>().no_init();
  refl::TypeAttrDef<OwnEqualityObj>().def("__ffi_eq__", hook3(&HookedPairObj::equal));
  refl::ObjectDef<UncopyableObj>().no_init();
}

}  // namespace
}  // namespace transom::testing
