#include <transom/graph/resolve_path.h>

#include <gtest/gtest.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>

#include <string>

#include "support/native_types.h"

namespace transom {
namespace {

using testing::Call;
using testing::Const;
using testing::ErrorOf;
using testing::Var;

Any Root() {
  return Call(
      "f",
      {10, Map<Any, Any>{{"k]\"[", 11}, {2, 12}, {true, 13}, {-0.0, 14}, {nullptr, 15}, {Var("x"), 16}, {Const(1), 17}},
       List<Any>{Dict<String, Any>{{"", 18}, {"a.b", 19}}}});
}

int64_t At(const std::string& path) { return ResolvePath(Root(), path).cast<int64_t>(); }

TEST(ResolvePath, FindsFieldsItemsAndKeys) {
  EXPECT_EQ(ResolvePath(Root(), "").type_index(), Root().type_index());
  EXPECT_EQ(ResolvePath(Root(), "<root>").type_index(), Root().type_index());
  EXPECT_EQ(ResolvePath(Root(), "<root>.op").cast<std::string>(), "f");
  EXPECT_EQ(At("<root>.args[0]"), 10);
  EXPECT_EQ(At(".args[0]"), 10);
  EXPECT_EQ(At("<root>.args[1][\"k]\\\"[\"]"), 11);
  EXPECT_EQ(At("<root>.args[1][2]"), 12);
  EXPECT_EQ(At("<root>.args[1][True]"), 13);
  EXPECT_EQ(At("<root>.args[1][-0.0]"), 14);
  EXPECT_EQ(At("<root>.args[1][None]"), 15);
  EXPECT_EQ(At("<root>.args[2][0][\"\"]"), 18);
  EXPECT_EQ(At("<root>.args[2][0][\"a.b\"]"), 19);
}

TEST(ResolvePath, FindsKeysThatAreObjects) {
  EXPECT_EQ(At("<root>.args[1][native.Var(\"x\")]"), 16);
  EXPECT_EQ(At("<root>.args[1][\"x\"]"), 16);
  EXPECT_EQ(At("<root>.args[1][#5]"), 16);
  EXPECT_EQ(At("<root>.args[1][#6]"), 17);
}

TEST(ResolvePath, TheValueOutlivesTheRoot) {
  Any value;
  {
    const Any root = Const(Call("a text of its own"));
    value = ResolvePath(root, ".value.op");
  }
  EXPECT_EQ(value.cast<std::string>(), "a text of its own");
}

TEST(ResolvePath, GoesThroughRecordsToo) {
  const Any records = testing::AsRecords(Call("f", {Const(5)}));
  EXPECT_EQ(ResolvePath(records, "<root>.args[0].value").cast<int>(), 5);
}

TEST(ResolvePath, ErrorsNameTheLastPlaceAndWhatCanFollow) {
  const auto error = [](const std::string& path) { return ErrorOf([&] { ResolvePath(Root(), path); }); };
  EXPECT_EQ(error("<root>.argz[0]"),
            "ValueError: path \"<root>.argz[0]\": at character 6, after `<root>`: type native.Call has no field "
            "\"argz\"; it has: op, "
            "args, span");
  EXPECT_EQ(
      error("<root>.args[3]"),
      "ValueError: path \"<root>.args[3]\": at character 11, after `<root>.args`: `[3]` is no item of a sequence of 3");
  for (const char* item : {"-1", "x", "1.0", "", "99999999999999999999", " 1"}) {
    EXPECT_NE(error(".args[" + std::string(item) + "]").find("is no item of a sequence of 3"), std::string::npos)
        << item;
  }
  EXPECT_EQ(error(".args[2][0][\"c\"]"),
            "ValueError: path \".args[2][0][\\\"c\\\"]\": at character 11, after `.args[2][0]`: the map has no key "
            "`\"c\"`; it has: "
            "\"\", \"a.b\"");
  EXPECT_NE(error(".op.x").find("a value of type ffi.String has no fields"), std::string::npos);
  EXPECT_NE(error(".op[0]").find("a value of type ffi.String has no items"), std::string::npos);
  EXPECT_NE(error("[0]").find("a value of type native.Call has no items"), std::string::npos);
  EXPECT_NE(error(".args[0").find("a bracket is not closed"), std::string::npos);
  EXPECT_NE(error(".args[1][\"k]").find("a bracket is not closed"), std::string::npos);
  EXPECT_NE(error("args").find("expected `.field`, `[index]` or `[key]`"), std::string::npos);
  EXPECT_NE(error("<root>x").find("expected `.field`, `[index]` or `[key]`"), std::string::npos);
  EXPECT_NE(error(".args[1][#7]").find("has no key `#7`"), std::string::npos);
}

TEST(ResolvePath, LongListsOfKeysAreCut) {
  Map<Any, Any> map;
  for (int64_t i = 0; i < 20; ++i) map = std::move(map).insert(i, i);
  EXPECT_EQ(ErrorOf([&] { ResolvePath(map, "[99]"); }),
            "ValueError: path \"[99]\": at character 0, after `<root>`: the map has no key `99`; it has: 0, 1, 2, 3, "
            "4, 5, 6, 7, ... "
            "(20 in all)");
}

}  // namespace
}  // namespace transom
