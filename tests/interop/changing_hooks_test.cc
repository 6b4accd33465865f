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

using testing::Call;
using testing::CallError;
using testing::HookedPair;
using testing::HookedPairObj;
using testing::Pair;

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

// One function over a container that its hooks empty: "ok" or the error's text. The container is held by `wrap`.
template <class Container>
std::string Outcome(const char* name, Container container, const std::function<Any(const Any&)>& wrap,
                    std::vector<Any> more) {
  SetHooks([container] { Empty(container); });
  std::vector<Any> args{wrap(container)};
  args.insert(args.end(), more.begin(), more.end());
  const std::string text = CallError(name, std::move(args));
  return text == "no error" ? "ok" : text;
}

TEST_F(ChangingHooks, DictsKeepTheirEntriesForTheWalk) {
  const auto itself = [](const Any& value) { return value; };
  EXPECT_EQ(Outcome("ffi.ReprPrint", MakeDict(), itself, {}), "ok");
  EXPECT_EQ(Outcome("ffi.RecursiveHash", MakeDict(), itself, {}), "ok");
  EXPECT_EQ(Outcome("ffi.StructuralHash", MakeDict(), itself, {false, false}), "ok");
  EXPECT_EQ(Outcome("ffi.StructuralEqual", MakeDict(), itself, {MakeDict(), false, false}), "ok");
}

TEST_F(ChangingHooks, DictsThatLoseEntriesInAComparisonAreAnError) {
  const auto itself = [](const Any& value) { return value; };
  EXPECT_EQ(Outcome("ffi.RecursiveEq", MakeDict(), itself, {MakeDict()}),
            "RuntimeError: a dict lost entries while it was compared");
}

TEST_F(ChangingHooks, ListsThatLoseElementsAreAnError) {
  const auto itself = [](const Any& value) { return value; };
  const std::string changed =
      "RuntimeError: <root>[1]: the list that holds this was changed from 50 to 0 elements while it was visited";
  EXPECT_EQ(Outcome("ffi.ReprPrint", MakeList(), itself, {}), changed);
  EXPECT_EQ(Outcome("ffi.RecursiveHash", MakeList(), itself, {}), changed);
  EXPECT_EQ(Outcome("ffi.StructuralHash", MakeList(), itself, {false, false}), changed);
  EXPECT_EQ(Outcome("ffi.RecursiveEq", MakeList(), itself, {MakeList()}),
            "RuntimeError: a list lost elements while it was compared");
  EXPECT_EQ(Outcome("ffi.StructuralEqual", MakeList(), itself, {MakeList(), false, false}), "ok");
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
    const std::string outcome = Outcome(name, make(), [](const Any& value) { return value; }, more);
    EXPECT_TRUE(outcome == "ok" || outcome.rfind("RuntimeError: ", 0) == 0) << name << ": " << outcome;
  }
}

}  // namespace
}  // namespace transom
