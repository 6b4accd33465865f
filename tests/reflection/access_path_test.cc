#include <gtest/gtest.h>
#include <transom/reflection/access_path.h>

#include <sstream>
#include <thread>
#include <vector>

#include "containers/test_objects.h"

namespace transom {
namespace reflection {
namespace {

using test::ReadAt;

/* A type with a name that paths can show. */
class VarObj : public Object {
 public:
  explicit VarObj(String name) : name_hint(std::move(name)) {}
  String name_hint;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.reflection.Var", VarObj, Object);
};
TRANSOM_STATIC_INIT_BLOCK() { ObjectDef<VarObj>().def_ro("name_hint", &VarObj::name_hint); }

std::string Text(const AccessPath& path) {
  std::ostringstream text;
  text << path;
  return text.str();
}

TEST(AccessPath, PrintsItsSteps) {
  AccessPath root = AccessPath::Root();
  EXPECT_EQ(Text(root), "<root>");
  AccessPath path = root->Attr("params")->ArrayItem(0);
  EXPECT_EQ(Text(path->Attr("dtype")), "<root>.params[0].dtype");
  EXPECT_EQ(Text(path->MapItem("k")), "<root>.params[0][\"k\"]");
  EXPECT_EQ(Text(root->AttrMissing("body")), "<root>[<missing:\"body\">]");
  EXPECT_EQ(Text(root->ArrayItemMissing(3)), "<root>[<missing:3>]");
  EXPECT_EQ(Text(root->MapItemMissing("k")), "<root>[<missing:\"k\">]");
  EXPECT_EQ(Text(root->MapItemMissing()), "<root>[<missing:None>]");
}

TEST(AccessPath, PrintsKeysOfAllKinds) {
  auto key = [](Any value) { return Text(AccessPath::Root()->MapItem(std::move(value))); };
  EXPECT_EQ(key("a \"quoted\" \\ text\n\t\x01"), "<root>[\"a \\\"quoted\\\" \\\\ text\\n\\t\\x01\"]");
  EXPECT_EQ(key("größe"), "<root>[\"größe\"]");
  EXPECT_EQ(key(String("\xFF\xC3", 2)), "<root>[\"\\xff\\xc3\"]") << "broken UTF-8";
  EXPECT_EQ(key(String("\xED\xA0\x80", 3)), "<root>[\"\\xed\\xa0\\x80\"]") << "a surrogate";
  EXPECT_EQ(key(Bytes("a\0", 2)), "<root>[b\"a\\x00\"]");
  EXPECT_EQ(key(-5), "<root>[-5]");
  EXPECT_EQ(key(true), "<root>[True]");
  EXPECT_EQ(key(nullptr), "<root>[None]");
  EXPECT_EQ(key(2.0), "<root>[2.0]");
  EXPECT_EQ(key(0.1), "<root>[0.1]");
  EXPECT_EQ(key(DataType::Float(32)), "<root>[float32]");
  EXPECT_EQ(key(Device(2, 1)), "<root>[cuda:1]");
  EXPECT_EQ(key(BigInt::FromDecimal("-9223372036854775809")), "<root>[-9223372036854775809]");
  EXPECT_EQ(key(make_object<VarObj>("x")), "<root>[test.reflection.Var(\"x\")]");
  EXPECT_EQ(key(make_object<VarObj>("")), "<root>[test.reflection.Var]");
  EXPECT_EQ(key(Array<Any>{1}), "<root>[ffi.Array]");
}

TEST(AccessPath, ListsItsSteps) {
  AccessPath path = AccessPath::Root()->Attr("a")->ArrayItem(2)->MapItem(true);
  Array<AccessStep> steps = path->ToSteps();
  ASSERT_EQ(steps.size(), 3);
  EXPECT_EQ(steps[0]->kind, AccessKind::kAttr);
  EXPECT_EQ(steps[0]->key.cast<String>(), "a");
  EXPECT_EQ(steps[1]->key.cast<int64_t>(), 2);
  EXPECT_EQ(steps[2]->kind, AccessKind::kMapItem);
  EXPECT_TRUE(AccessPath::FromSteps(steps)->PathEqual(path));
  EXPECT_EQ(AccessPath::Root()->ToSteps().size(), 0);
  EXPECT_EQ(path->GetParent()->depth, 2);
}

TEST(AccessPath, IsEqualByItsSteps) {
  AccessPath a = AccessPath::Root()->Attr("x")->ArrayItem(1);
  AccessPath b = AccessPath::Root()->Attr("x")->ArrayItem(1);
  EXPECT_TRUE(a->PathEqual(b));
  EXPECT_FALSE(a->PathEqual(AccessPath::Root()->Attr("x")->ArrayItem(2)));
  EXPECT_FALSE(a->PathEqual(AccessPath::Root()->Attr("x")->MapItem(1)));
  EXPECT_FALSE(a->PathEqual(AccessPath::Root()->Attr("y")->ArrayItem(1)));
  EXPECT_FALSE(a->PathEqual(b->ArrayItem(0)));
  EXPECT_TRUE(a->IsPrefixOf(b));
  EXPECT_TRUE(a->IsPrefixOf(b->Attr("z")));
  EXPECT_FALSE(b->Attr("z")->IsPrefixOf(a));
  EXPECT_TRUE(AccessPath::Root()->IsPrefixOf(a));
}

TEST(AccessPath, LayoutIsThatOfTheContract) {
  AccessPath root = AccessPath::Root();
  AccessPath path = root->ArrayItem(4);
  EXPECT_EQ(ReadAt<const void*>(path, 24), root.get());
  const auto* step = ReadAt<const AccessStepObj*>(path, 32);
  EXPECT_EQ(ReadAt<int32_t>(path, 40), 1);
  AccessStep ref = GetRef<AccessStep>(step);
  EXPECT_EQ(ReadAt<int32_t>(ref, 24), 1);
  EXPECT_EQ(ReadAt<int32_t>(ref, 32), kTVMFFIInt);
  EXPECT_EQ(ReadAt<int64_t>(ref, 40), 4);
  EXPECT_EQ(ReadAt<const void*>(root, 24), nullptr);
  EXPECT_EQ(root->GetTypeKey(), "ffi.reflection.AccessPath");
  EXPECT_EQ(ref->GetTypeKey(), "ffi.reflection.AccessStep");
}

TEST(AccessPath, IsDescribedToTheTypeTable) {
  AccessPath path = AccessPath::Root()->Attr("a");
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(path->type_index());
  ASSERT_NE(info->metadata, nullptr);
  EXPECT_EQ(info->metadata->structural_eq_hash_kind, kTVMFFISEqHashKindConstTreeNode);
  EXPECT_EQ(info->metadata->total_size, 48);
  const TVMFFIFieldInfo* depth = FindField(info, "depth");
  ASSERT_NE(depth, nullptr);
  EXPECT_EQ(GetField(path.get(), depth).cast<int64_t>(), 1);
  const TVMFFIFieldInfo* parent = FindField(info, "parent");
  EXPECT_EQ(parent->field_static_type_index, kTVMFFIAny);
  EXPECT_EQ(parent->size, 8);
  EXPECT_TRUE(GetField(path.get(), parent).cast<AccessPath>()->PathEqual(AccessPath::Root()));
  bool called = false;
  for (int32_t i = 0; i < info->num_methods; ++i) {
    const TVMFFIMethodInfo& method = info->methods[i];
    if (transom::detail::ToStringView(method.name) != "_array_item") continue;
    Function extend = Any(AnyView::FromRaw(method.method)).cast<Function>();
    EXPECT_EQ(Text(extend(path, 7).cast<AccessPath>()), "<root>.a[7]");
    called = true;
  }
  EXPECT_TRUE(called);
}

TEST(AccessPath, MayBeBuiltFromManyThreads) {
  AccessPath base = AccessPath::Root()->Attr("shared");
  std::vector<std::thread> threads;
  std::vector<std::string> texts(8);
  for (size_t i = 0; i < texts.size(); ++i) {
    threads.emplace_back([&, i] {
      AccessPath path = base;
      for (int64_t step = 0; step < 100; ++step) path = path->ArrayItem(static_cast<int64_t>(i));
      texts[i] = Text(base->ArrayItem(static_cast<int64_t>(i)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(texts[i], "<root>.shared[" + std::to_string(i) + "]");
}

}  // namespace
}  // namespace reflection
}  // namespace transom
