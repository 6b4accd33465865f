/*
 * Types for tests of functions over everything in a value.
 */
#ifndef TRANSOM_INTEROP_ANY_PAIR_H_
#define TRANSOM_INTEROP_ANY_PAIR_H_

#include <transom/runtime/function.h>

namespace transom::testing {

/*! \brief Two fields of any type, which may be changed. */
class PairObj : public Object {
 public:
  Any a, b;
  TRANSOM_DECLARE_OBJECT_INFO("test.interop.Pair", PairObj, Object);
};
ObjectPtr<PairObj> Pair(Any a, Any b = Any());

/*! \brief One field that counts and one that is switched off for text, hash and comparison. */
class QuietObj : public Object {
 public:
  Any a, quiet;
  TRANSOM_DECLARE_OBJECT_INFO("test.interop.Quiet", QuietObj, Object);
};
ObjectPtr<QuietObj> Quiet(Any a, Any quiet);

/*! \brief A type whose hooks are what the test sets them to; they get the arguments of hooks. */
class HookedPairObj : public PairObj {
 public:
  static Function repr, hash, equal, compare, structural_equal, structural_hash;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO("test.interop.HookedPair", HookedPairObj, PairObj);
};
ObjectPtr<HookedPairObj> HookedPair(Any a, Any b = Any());

/*! \brief A type with an equality of its own, and no hash. */
class OwnEqualityObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO("test.interop.OwnEquality", OwnEqualityObj, Object);
};

/*! \brief A type that cannot be copied. */
class UncopyableObj : public Object {
 public:
  UncopyableObj() = default;
  UncopyableObj(const UncopyableObj&) = delete;
  TRANSOM_DECLARE_OBJECT_INFO("test.interop.Uncopyable", UncopyableObj, Object);
};

}  // namespace transom::testing
#endif  // TRANSOM_INTEROP_ANY_PAIR_H_
