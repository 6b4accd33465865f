// Hooks of types that change what is being looked at.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>

#include <functional>
#include <string>

#include "interop/any_pair.h"
#include "interop/call_global.h"

namespace transom {
namespace {

using testing::CallError;
using testing::HookedPair;
using testing::HookedPairObj;

constexpr int kSize = 50;

Dict<Any, Any> MakeDict() {
  Dict<Any, Any> dict;
  for (int i = 0; i < kSize; ++i) dict.set(i, HookedPair(i));
  return dict;
}

List<Any> MakeList() {
  List<Any> list;
  for (int i = 0; i < kSize; ++i) list.push_back(HookedPair(i));
  return list;
}

// Drops all that a container had, and has it take other memory.
void Empty(Dict<Any, Any> dict) {
  dict.clear();
  for (int i = 0; i < 10 * kSize; ++i) dict.set(std::to_string(i), i);
  dict.clear();
}
void Empty(List<Any> list) {
  list.clear();
  for (int i = 0; i < 10 * kSize; ++i) list.push_back(i);
  list.clear();
  list.reserve(100 * kSize);
}

// Every hook calls `change` and says what a hook of its kind says.
void SetHooks(const std::function<void()>& change) {
  const auto hook2 = [&](Any result) {
    return Function::FromTyped([change, result](const Any&, const Any&) {
      change();
      return result;
    });
  };
  const auto hook3 = [&](Any result) {
    return Function::FromTyped([change, result](const Any&, const Any&, const Any&) {
      change();
      return result;
    });
  };
  HookedPairObj::repr = hook2("m");
  HookedPairObj::hash = hook2(int64_t{1});
  HookedPairObj::equal = hook3(true);
  HookedPairObj::compare = hook3(0);
  HookedPairObj::structural_equal = hook3(true);
  HookedPairObj::structural_hash = hook3(1);
}

class ChangingHooks : public ::testing::Test {
 protected:
  void TearDown() override { SetHooks([] {}); }
};

// One function over a container that its hooks empty: the error's text, or "no error".
template <class Container>
std::string Outcome(const char* name, Container container, std::vector<Any> more) {
  SetHooks([container] { Empty(container); });
  more.insert(more.begin(), Any(container));
  return CallError(name, std::move(more));
}

TEST_F(ChangingHooks, DictsKeepTheirEntriesForTheWalk) {
  EXPECT_EQ(Outcome("ffi.ReprPrint", MakeDict(), {}), "no error");
  EXPECT_EQ(Outcome("ffi.RecursiveHash", MakeDict(), {}), "no error");
  EXPECT_EQ(Outcome("ffi.StructuralHash", MakeDict(), {false, false}), "no error");
  EXPECT_EQ(Outcome("ffi.StructuralEqual", MakeDict(), {MakeDict(), false, false}), "no error");
}

TEST_F(ChangingHooks, DictsThatLoseEntriesInAComparisonAreAnError) {
  EXPECT_EQ(Outcome("ffi.RecursiveEq", MakeDict(), {MakeDict()}),
            "RuntimeError: a dict lost entries while it was compared");
}

TEST_F(ChangingHooks, ListsThatLoseElementsAreAnError) {
  const std::string changed =
      "RuntimeError: <root>[1]: the list that holds this was changed from 50 to 0 elements while it was visited";
  EXPECT_EQ(Outcome("ffi.ReprPrint", MakeList(), {}), changed);
  EXPECT_EQ(Outcome("ffi.RecursiveHash", MakeList(), {}), changed);
  EXPECT_EQ(Outcome("ffi.StructuralHash", MakeList(), {false, false}), changed);
  EXPECT_EQ(Outcome("ffi.RecursiveEq", MakeList(), {MakeList()}),
            "RuntimeError: a list lost elements while it was compared");
  EXPECT_EQ(Outcome("ffi.StructuralEqual", MakeList(), {MakeList(), false, false}), "no error");
}

// What is above the hook's object dies with it.
TEST_F(ChangingHooks, HoldersMayBeDropped) {
  for (const char* name : {"ffi.ReprPrint", "ffi.RecursiveHash", "ffi.StructuralHash", "ffi.RecursiveEq",
                           "ffi.StructuralEqual"}) {
    const auto make = [] {
      List<Any> outer;
      outer.push_back(Array<Any>{Array<Any>{HookedPair(1), "text of more than seven bytes"}, 2});
      return outer;
    };
    std::vector<Any> more;
    if (std::string(name).find("Eq") != std::string::npos) more.push_back(make());
    if (std::string(name).find("Structural") != std::string::npos) more.insert(more.end(), {Any(false), Any(false)});
    const std::string outcome = Outcome(name, make(), more);
    EXPECT_TRUE(outcome == "no error" || outcome.rfind("RuntimeError: ", 0) == 0) << name << ": " << outcome;
  }
}

}  // namespace
}  // namespace transom
