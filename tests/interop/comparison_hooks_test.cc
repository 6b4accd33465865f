// Types that compare by code of their own: what the library's functions and those of the C contract say of them.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/map.h>
#include <transom/reflection/registry.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>
#include <transom/structural/key.h>

#include <string>

#include "interop/call_global.h"
#include "support/native_types.h"
#include "support/small_stack.h"

namespace transom {
namespace {

namespace refl = reflection;
using testing::AsRecords;
using testing::Const;
using testing::ErrorOf;
using testing::Lambda;
using testing::RunOnSmallStack;
using testing::Var;

// How the hooks of the types below behave.
enum class Mode { kPlain, kThrow, kTemporaries, kCatch, kOverrule };
Mode mode = Mode::kPlain;

class ModeScope {
 public:
  explicit ModeScope(Mode value) { mode = value; }
  ~ModeScope() { mode = Mode::kPlain; }
};

// `a` and `b` count, by hooks; `note` does not, though nothing declares that.
class TwoObj : public Object {
 public:
  Any a, b, note;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.hooks.Two", TwoObj, Object);
};
bool TwoEqual(const TwoObj* lhs, const TwoObj* rhs, const Function& compare) {
  if (mode == Mode::kThrow) TRANSOM_THROW(KeyError) << "the hook of an equality";
  if (mode == Mode::kTemporaries) {
    return compare(Array<Any>{lhs->a, lhs->b}, Array<Any>{rhs->a, rhs->b}, 0, "both").cast<bool>();
  }
  if (mode == Mode::kCatch) {
    const std::string error = ErrorOf([&] { compare(lhs->note, rhs->note, 0, "note"); });
    EXPECT_EQ(error.substr(0, 10), "TypeError:");
  }
  const bool equal = compare(lhs->a, rhs->a, 0, "a").cast<bool>() && compare(lhs->b, rhs->b, 0, "b").cast<bool>();
  return equal || mode == Mode::kOverrule;
}
int64_t TwoHash(const TwoObj* self, int64_t init, const Function& hash) {
  if (mode == Mode::kThrow) TRANSOM_THROW(KeyError) << "the hook of a hash";
  if (mode == Mode::kTemporaries) return hash(Array<Any>{self->a, self->b}, init, 0).cast<int64_t>();
  init = hash(self->a, init, 0).cast<int64_t>();
  return hash(self->b, init, 0).cast<int64_t>();
}

// Its hooks say that `params` binds variables; its fields do not.
class BinderObj : public Object {
 public:
  Any params, body;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.hooks.Binder", BinderObj, Object);
};

// Its hooks have a form that the library does not call.
class OddObj : public Object {
 public:
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.hooks.Odd", OddObj, Object);
};

TRANSOM_STATIC_INIT_BLOCK() {
  refl::ObjectDef<TwoObj>().def_ro("a", &TwoObj::a).def_ro("b", &TwoObj::b).def_ro("note", &TwoObj::note);
  refl::TypeAttrDef<TwoObj>().def("__s_equal__", &TwoEqual).def("__s_hash__", &TwoHash);
  refl::ObjectDef<BinderObj>().def_ro("params", &BinderObj::params).def_ro("body", &BinderObj::body);
  refl::TypeAttrDef<BinderObj>()
      .def("__s_equal__",
           [](const BinderObj* lhs, const BinderObj* rhs, const Function& compare) {
             return compare(lhs->params, rhs->params, 1, "params").cast<bool>() &&
                    compare(lhs->body, rhs->body, 0, "body").cast<bool>();
           })
      .def("__s_hash__", [](const BinderObj* self, int64_t init, const Function& hash) {
        init = hash(self->params, init, 1).cast<int64_t>();
        return hash(self->body, init, 0).cast<int64_t>();
      });
  refl::ObjectDef<OddObj>();
  refl::TypeAttrDef<OddObj>()
      .def("__s_equal__", reinterpret_cast<void*>(&TwoEqual))
      .def("__s_hash__", reinterpret_cast<void*>(&TwoHash));
}

Any Two(Any a, Any b, Any note = nullptr) {
  auto two = make_object<TwoObj>();
  two->a = std::move(a);
  two->b = std::move(b);
  two->note = std::move(note);
  return Any(std::move(two));
}
Any Binder(Any params, Any body) {
  auto binder = make_object<BinderObj>();
  binder->params = std::move(params);
  binder->body = std::move(body);
  return Any(std::move(binder));
}

StructuralOptions FileOptions() {
  StructuralOptions options;
  options.as_files = true;
  return options;
}
bool Equal(const Any& lhs, const Any& rhs, const StructuralOptions& options = {}) {
  return StructuralEqual::Equal(lhs, rhs, options);
}
std::string Mismatch(const Any& lhs, const Any& rhs, const StructuralOptions& options = {}) {
  const auto found = StructuralEqual::GetFirstMismatch(lhs, rhs, options);
  return found ? found->lhs.ToString() + " | " + found->rhs.ToString() : "";
}
bool ContractEqual(const Any& lhs, const Any& rhs) {
  return testing::Call("ffi.StructuralEqual", {lhs, rhs, false, false}).cast<bool>();
}
int64_t ContractHash(const Any& value) {
  return testing::Call("ffi.StructuralHash", {value, false, false}).cast<int64_t>();
}

// All functions agree about two values.
void ExpectMismatch(const Any& lhs, const Any& rhs, const std::string& wanted) {
  const bool equal = wanted.empty();
  EXPECT_EQ(Mismatch(lhs, rhs), wanted);
  EXPECT_EQ(Equal(lhs, rhs), equal);
  EXPECT_EQ(Equal(rhs, lhs), equal);
  EXPECT_EQ(EqualForDiff(lhs, rhs), equal);
  EXPECT_EQ(ContractEqual(lhs, rhs), equal);
  EXPECT_EQ(StructuralDigest(lhs) == StructuralDigest(rhs), equal);
  EXPECT_EQ(StructuralKey(lhs) == StructuralKey(rhs), equal);
  if (!equal) return;
  EXPECT_EQ(ContractHash(lhs), ContractHash(rhs));
  EXPECT_EQ(StructuralKey(lhs).hash(), StructuralKey(rhs).hash());
  EXPECT_TRUE(Equal(lhs, rhs, FileOptions()));
  EXPECT_EQ(StructuralDigest(lhs, FileOptions()), StructuralDigest(rhs, FileOptions()));
}

// ---- What a hook decides --------------------------------------------------------------------------------------------

TEST(ComparisonHooks, WhatTheyCompareCounts) {
  ExpectMismatch(Two(1, Const(2)), Two(1, Const(2)), "");
  ExpectMismatch(Two(1, Const(2), "a note"), Two(1, Const(2), Const(3)), "");
  ExpectMismatch(Array<Any>{0, Two(1, Const(2))}, Array<Any>{0, Two(1, Const(3))},
                 "<root>[1].b.value | <root>[1].b.value");
  ExpectMismatch(Two(1, 2), Two(2, 2), "<root>.a | <root>.a");
  ExpectMismatch(Two(Two(1, 2), Two(3, 4)), Two(Two(1, 2), Two(3, 5)), "<root>.b.b | <root>.b.b");
  ExpectMismatch(Array<Any>{Two(1, 2), 3}, Array<Any>{Two(1, 2), 4}, "<root>[1] | <root>[1]");
}

TEST(ComparisonHooks, TheOrderOfWhatTheyHashCounts) {
  EXPECT_NE(StructuralDigest(Two(1, 2)), StructuralDigest(Two(2, 1)));
  EXPECT_NE(StructuralDigest(Two(1, 2)), StructuralDigest(Array<Any>{1, 2}));
}

TEST(ComparisonHooks, MayPassWhatTheyMake) {
  const ModeScope scope(Mode::kTemporaries);
  ExpectMismatch(Two(Two(1, 2), 3), Two(Two(1, 2), 3), "");
  ExpectMismatch(Two(1, Const(2)), Two(1, Const(3)), "<root>.both[1].value | <root>.both[1].value");
}

TEST(ComparisonHooks, MayOverruleADifference) {
  const ModeScope scope(Mode::kOverrule);
  EXPECT_EQ(Mismatch(Array<Any>{Two(1, 2), 5}, Array<Any>{Two(1, 3), 5}), "");
  EXPECT_EQ(Mismatch(Array<Any>{Two(1, 2), 5}, Array<Any>{Two(1, 3), 6}), "<root>[1] | <root>[1]");
}

TEST(ComparisonHooks, MayBindVariables) {
  const Any x = Var("x"), y = Var("y"), z = Var("z");
  ExpectMismatch(Binder(Array<Any>{x}, Array<Any>{x, 1}), Binder(Array<Any>{y}, Array<Any>{y, 1}), "");
  ExpectMismatch(Binder(Array<Any>{x}, Array<Any>{x, 1}), Binder(Array<Any>{y}, Array<Any>{y, 2}),
                 "<root>.body[1] | <root>.body[1]");
  ExpectMismatch(Binder(Array<Any>{x}, Array<Any>{x, z}), Binder(Array<Any>{y}, Array<Any>{y, z}), "");
  // Bound by a hook, used elsewhere.
  ExpectMismatch(Array<Any>{Binder(x, x), x}, Array<Any>{Binder(y, y), y}, "");
  EXPECT_EQ(Mismatch(Array<Any>{Binder(x, x), x}, Array<Any>{Binder(y, y), z}), "<root>[1] | <root>[1]");
  EXPECT_TRUE(Equal(Binder(x, z), Binder(y, Var("other")), FileOptions()));
  EXPECT_FALSE(Equal(Binder(x, z), Binder(y, Var("other"))));
  EXPECT_FALSE(StructuralKey(Binder(x, z)) == StructuralKey(Binder(y, Var("other"))));
}

TEST(ComparisonHooks, WhatTheyLeaveOutBindsNothing) {
  const Any x = Var("x"), y = Var("y");
  ExpectMismatch(Array<Any>{x, Two(1, 2, Lambda({x}, x))}, Array<Any>{x, Two(1, 2)}, "");
  EXPECT_TRUE(Equal(Array<Any>{x, Two(1, 2, Lambda({x}, x))}, Array<Any>{y, Two(1, 2)}, FileOptions()));
  EXPECT_EQ(StructuralDigest(Array<Any>{x, Two(1, 2, Lambda({x}, x))}), StructuralDigest(Array<Any>{y, Two(1, 2)}));
}

TEST(ComparisonHooks, ObjectsBelowThemAreComparedOnce) {
  const auto ladder = [](int64_t leaf) {
    Any value = leaf;
    for (int i = 0; i < 60; ++i) value = Two(value, value);
    return value;
  };
  ExpectMismatch(ladder(1), ladder(1), "");
  EXPECT_FALSE(Equal(ladder(1), ladder(2)));
  EXPECT_NE(StructuralDigest(ladder(1)), StructuralDigest(ladder(2)));
}

// ---- Keys of maps ---------------------------------------------------------------------------------------------------

// A type with an equality alone: what pairs two of its objects as keys is no more than a guess.
TEST(ComparisonHooks, DecideAboutKeysOfMaps) {
  using testing::Hooked;
  using AnyMap = Map<Any, Any>;
  EXPECT_EQ(Mismatch(AnyMap{{Two(1, 2), 3}}, AnyMap{{Two(1, 2, "note"), 3}}), "");
  EXPECT_EQ(StructuralDigest(AnyMap{{Two(1, 2), 3}}), StructuralDigest(AnyMap{{Two(1, 2, "note"), 3}}));
  EXPECT_FALSE(Equal(AnyMap{{Two(1, 2), 3}}, AnyMap{{Two(1, 3), 3}}));
  EXPECT_TRUE(Equal(AnyMap{{Hooked(1, "a"), 1}, {Hooked(2, "b"), 2}}, AnyMap{{Hooked(2), 2}, {Hooked(1), 1}}));
  EXPECT_FALSE(Equal(AnyMap{{Hooked(1), 1}}, AnyMap{{Hooked(2), 1}}));
  const auto nested = [](int64_t id) {
    return AnyMap{{Two(AnyMap{{Two(Hooked(id), 1), 2}}, 3), Const(4)}};
  };
  EXPECT_TRUE(Equal(nested(1), nested(1)));
  EXPECT_EQ(Mismatch(nested(1), nested(2)), "<root>[test.hooks.Two] | <root>[<missing:test.hooks.Two>]");
  EXPECT_FALSE(Equal(Two(nested(1), 0), Two(nested(2), 0)));
  const ModeScope scope(Mode::kOverrule);
  EXPECT_TRUE(Equal(nested(1), nested(2))) << "the outer hook knows better";
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

TEST(ComparisonHooks, TheirErrorsComeThrough) {
  const Any value = Array<Any>{Two(1, 2)};
  {
    const ModeScope scope(Mode::kThrow);
    EXPECT_EQ(ErrorOf([&] { Equal(value, value); }), "KeyError: the hook of an equality");
    EXPECT_EQ(ErrorOf([&] { Mismatch(value, value); }), "KeyError: the hook of an equality");
    EXPECT_EQ(ErrorOf([&] { StructuralDigest(value); }), "KeyError: the hook of a hash");
    EXPECT_EQ(ErrorOf([&] { StructuralKey key(value); }), "KeyError: the hook of a hash");
  }
  ExpectMismatch(value, value, "");
}

TEST(ComparisonHooks, MayCatchTheErrorOfACallback) {
  const ModeScope scope(Mode::kCatch);
  const Any bad = Array<Any>{testing::Plain(1)};
  EXPECT_EQ(Mismatch(Array<Any>{Two(1, 2, bad), 3}, Array<Any>{Two(1, 2, bad), 4}), "<root>[1] | <root>[1]");
}

TEST(ComparisonHooks, AFormThatIsNotKnownIsAnError) {
  const Any odd = Array<Any>{make_object<OddObj>()};
  const std::string equal = ErrorOf([&] { Equal(odd, odd); });
  EXPECT_EQ(equal,
            "TypeError: the attribute `__s_equal__` of type test.hooks.Odd is of type void*; a function is expected");
  EXPECT_EQ(ErrorOf([&] { Mismatch(odd, odd); }), equal);
  EXPECT_EQ(ErrorOf([&] { ContractEqual(odd, odd); }), equal);
  const std::string hash = ErrorOf([&] { StructuralDigest(odd); });
  EXPECT_EQ(hash,
            "TypeError: the attribute `__s_hash__` of type test.hooks.Odd is of type void*; a function is expected");
  EXPECT_EQ(ErrorOf([&] { ContractHash(odd); }), hash);
}

TEST(ComparisonHooks, AnEqualityAloneGivesNoDigest) {
  const Any value = Array<Any>{1, testing::Hooked(1)};
  EXPECT_EQ(Mismatch(value, Array<Any>{1, testing::Hooked(1, "note")}), "");
  EXPECT_EQ(Mismatch(value, Array<Any>{1, testing::Hooked(2)}), "<root>[1] | <root>[1]");
  const std::string error =
      "TypeError: <root>[1]: type native.Hooked compares by code of its own (`__s_equal__`) and has no `__s_hash__` to "
      "go with it; register one, or give a schema whose \"compare\" says which fields count";
  EXPECT_EQ(ErrorOf([&] { StructuralDigest(value); }), error);
  EXPECT_EQ(ErrorOf([&] { StructuralKey key(value); }), error);
}

TEST(ComparisonHooks, TakeNoRecordsAndMakeNoDiffs) {
  const Any native = Array<Any>{Two(1, 2)}, record = AsRecords(native);
  const std::string error =
      "TypeError: <root>[0]: type test.hooks.Two compares by code of its own; give a schema whose \"compare\" says which "
      "fields count";
  EXPECT_EQ(ErrorOf([&] { Equal(native, record); }), error);
  EXPECT_EQ(ErrorOf([&] { Equal(record, native); }), error);
  EXPECT_EQ(ErrorOf([&] { StructuralDiff(native, native); }), error);
  EXPECT_EQ(ErrorOf([&] { StructuralDiff(native, Array<Any>()); }), error);
  EXPECT_EQ(Mismatch(record, AsRecords(Array<Any>{Two(1, 2, "note")})), "<root>[0].note | <root>[0].note");
}

TEST(ComparisonHooks, ACompareStandsForThem) {
  StructuralOptions options;
  options.rules = schema::Schema::Parse(
      R"({"transom_schema":1,"name":"t","types":{"test.hooks.Two":{"structural":"tree","compare":["b"],
          "fields":[{"name":"a","type":"Any"},{"name":"b","type":"Any"},{"name":"note","type":"Any"}]}}})",
      "rules");
  const ModeScope scope(Mode::kThrow);
  EXPECT_TRUE(Equal(Two(1, 2), Two(3, 2), options));
  EXPECT_EQ(Mismatch(Two(1, 2), Two(1, 3), options), "<root>.b | <root>.b");
  EXPECT_EQ(StructuralDigest(Two(1, 2), options), StructuralDigest(Two(3, 2), options));
}

// ---- Depth ----------------------------------------------------------------------------------------------------------

Any Chain(int64_t leaf) {
  Any value = leaf;
  for (int i = 0; i < 50'000; ++i) value = Two(value, 0);
  return value;
}

void ExpectTooDeep(const Any& lhs, const Any& rhs) {
  const auto error_of = [&](auto&& fn) { return ErrorOf(fn).substr(0, 80); };
  const std::string equal = "RuntimeError: the stack of the thread is nearly full of hooks (here `__s_equal__";
  EXPECT_EQ(error_of([&] { Equal(lhs, rhs); }), equal);
  EXPECT_EQ(error_of([&] { Mismatch(lhs, rhs); }), equal);
  EXPECT_EQ(error_of([&] { ContractEqual(lhs, rhs); }), equal);
  EXPECT_EQ(error_of([&] { testing::Call("ffi.GetFirstStructuralMismatch", {lhs, rhs, false, false}); }), equal);
  EXPECT_EQ(error_of([&] { ContractHash(lhs); }),
            "RuntimeError: the stack of the thread is nearly full of hooks (here `__s_hash__`");
}

TEST(ComparisonHooks, AreLimitedByTheStack) {
  const Any lhs = Chain(1), rhs = Chain(1);
  ExpectTooDeep(lhs, rhs);
  RunOnSmallStack([&] { ExpectTooDeep(lhs, rhs); });
}

TEST(ComparisonHooks, DigestsHaveAnyDepth) {
  const Any lhs = Chain(1), rhs = Chain(1), other = Chain(2);
  RunOnSmallStack([&] {
    EXPECT_EQ(StructuralDigest(lhs), StructuralDigest(rhs));
    EXPECT_NE(StructuralDigest(lhs), StructuralDigest(other));
    EXPECT_EQ(StructuralKey(lhs).hash(), StructuralKey(rhs).hash());
  });
}

TEST(ComparisonHooks, MayNest) {
  Any lhs = 1, rhs = 1, other = 2;
  for (int i = 0; i < 100; ++i) {
    lhs = Two(Array<Any>{lhs}, i, 1);
    rhs = Two(Array<Any>{rhs}, i, 2);
    other = Two(Array<Any>{other}, i, 3);
  }
  ExpectMismatch(lhs, rhs, "");
  EXPECT_FALSE(Equal(lhs, other));
  EXPECT_NE(StructuralDigest(lhs), StructuralDigest(other));
}

}  // namespace
}  // namespace transom
