#include <transom/structural/key.h>

#include <gtest/gtest.h>
#include <transom/containers/map.h>
#include <transom/structural/equal.h>

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "support/graph_edit.h"
#include "support/graph_gen.h"
#include "support/library.h"
#include "support/native_types.h"

namespace transom {
namespace {

using testing::Call;
using testing::ErrorOf;
using testing::Lambda;
using testing::Var;

TEST(StructuralKey, KeysOfHashContainers) {
  std::unordered_map<StructuralKey, int> uses;
  for (int i = 0; i < 3; ++i) ++uses[StructuralKey(Call("f", {1, Map<Any, Any>{{"a", 1}, {"b", 2}}}, i))];
  ++uses[StructuralKey(Call("f", {1, Map<Any, Any>{{"b", 2}, {"a", 1}}}))];
  ++uses[StructuralKey(Call("g"))];
  EXPECT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses.at(StructuralKey(Call("f", {1, Map<Any, Any>{{"a", 1}, {"b", 2}}}))), 4);
  EXPECT_EQ(StructuralKey(5).value().cast<int64_t>(), 5);
}

TEST(StructuralKey, UnboundVariablesAndUniqueInstancesByIdentity) {
  const Any x = Var("x"), y = Var("x"), a = testing::MakeToken(1), b = testing::MakeToken(1);
  const auto key = [](const Any& value) { return StructuralKey(Call("f", {value, value})); };
  EXPECT_TRUE(key(x) == key(x));
  EXPECT_TRUE(key(x) != key(y));
  EXPECT_TRUE(key(a) == key(a));
  EXPECT_TRUE(key(a) != key(b));
  EXPECT_NE(key(x).hash(), key(y).hash()) << "else all functions of one free variable collide";
  EXPECT_NE(key(a).hash(), key(b).hash());
  EXPECT_TRUE(StructuralKey(Lambda({x}, x)) == StructuralKey(Lambda({y}, y)));
  EXPECT_EQ(StructuralKey(Lambda({x}, x)).hash(), StructuralKey(Lambda({y}, y)).hash());
}

TEST(StructuralKey, Errors) {
  EXPECT_EQ(
      ErrorOf([] { StructuralKey(testing::Plain(1)); }),
      "TypeError: <root>: type native.Plain has no structural kind; declare one where the type is registered, or in "
      "its schema");
}

TEST(StructuralKey, AgreesWithStructuralEqual) {
  int equal = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    testing::NodeTable table = testing::RandomGraph(seed);
    testing::NodeTable edited = table;
    if (seed % 2 == 1) testing::EditGraph(testing::TestRules(), &edited, seed);
    Any lhs, rhs;
    try {
      lhs = testing::LoadTable(table).value;
      rhs = testing::LoadTable(edited).value;
      StructuralKey(lhs).hash();
    } catch (const Error&) {
      continue;  // an edit that breaks a declared type, or a type without a kind
    }
    const bool same = StructuralEqual::Equal(lhs, rhs);
    EXPECT_EQ(StructuralKey(lhs) == StructuralKey(rhs), same);
    EXPECT_TRUE(StructuralKey(lhs) == StructuralKey(lhs));
    equal += same ? 1 : 0;
  }
  EXPECT_GT(equal, 3);
}

TEST(StructuralKey, AnyDepth) {
  Any deep = 1;
  for (int i = 0; i < 300'000; ++i) deep = testing::Const(std::move(deep));
  Any ladder = 1;
  for (int i = 0; i < 100'000; ++i) ladder = Array<Any>{ladder, ladder};
  const std::unordered_set<StructuralKey> keys{StructuralKey(deep), StructuralKey(ladder), StructuralKey(deep)};
  EXPECT_EQ(keys.size(), 2u);
}

}  // namespace
}  // namespace transom
