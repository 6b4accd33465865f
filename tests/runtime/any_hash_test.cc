#include <gtest/gtest.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/any_hash.h>

#include <cmath>
#include <string>

namespace transom {
namespace {

// Heap form of a short text, which other libraries make.
Any HeapText(const std::string& text) {
  TVMFFIAny raw;
  std::memcpy(detail::NewText<StringObj>(text.size(), &raw), text.data(), text.size());
  return Any::FromOwned(raw);
}

class KeyObj : public Object {
 public:
  explicit KeyObj(int64_t number) : value(number) {}
  int64_t value;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.any_hash.Key", KeyObj, Object);
};

TEST(AnyHash, CheckValuesOfTheContract) {
  AnyHash hash;
  EXPECT_EQ(hash(Any()), 0x9e3779b9u);
  EXPECT_EQ(hash(Any(5)), 0x9e3779ffu);
  EXPECT_EQ(hash(Any(true)), 0x9e377a38u);
  EXPECT_EQ(hash(Any(1.0)), 0x3ff000009e377a7au);
  EXPECT_EQ(hash(Any("a")), 0x9e378a2bu);
  EXPECT_EQ(hash(HeapText("a")), 0x9e378a2bu);
  EXPECT_EQ(hash(Any("abcdefg")), 0x10369b975u);
  EXPECT_EQ(hash(HeapText("abcdefg")), 0x10369b975u);
  EXPECT_EQ(hash(Any("hello world")), 0xdef11395u);
  EXPECT_EQ(detail::HashBytes("a", 1), 97u);
  EXPECT_EQ(detail::HashBytes("hello world", 11), 1085901259u);
  EXPECT_EQ(detail::HashBytes("", 0), 0u);
}

TEST(AnyEqual, TextComparesByContentInBothForms) {
  AnyEqual equal;
  EXPECT_TRUE(equal(Any("abc"), HeapText("abc")));
  EXPECT_TRUE(equal(HeapText("abc"), HeapText("abc")));
  EXPECT_FALSE(equal(Any("abc"), Any("abd")));
  EXPECT_FALSE(equal(Any("abc"), Any(Bytes("abc", 3))));
  EXPECT_TRUE(equal(Any(Bytes("0123456789", 10)), Any(Bytes("0123456789", 10))));
  EXPECT_TRUE(equal(HeapText(""), Any("")));
}

TEST(AnyEqual, NumbersCompareByBits) {
  AnyEqual equal;
  EXPECT_FALSE(equal(Any(1), Any(true)));
  EXPECT_FALSE(equal(Any(1), Any(1.0)));
  EXPECT_FALSE(equal(Any(0.0), Any(-0.0)));
  EXPECT_TRUE(equal(Any(std::nan("")), Any(std::nan(""))));
  EXPECT_TRUE(equal(Any(), Any()));
}

TEST(AnyEqual, ObjectsCompareByIdentity) {
  ObjectRef a(make_object<Object>());
  ObjectRef b(make_object<Object>());
  EXPECT_TRUE(AnyEqual()(Any(a), Any(a)));
  EXPECT_FALSE(AnyEqual()(Any(a), Any(b)));
  EXPECT_NE(AnyHash()(Any(a)), AnyHash()(Any(b)));
}

TEST(AnyHash, HooksByFunction) {
  reflection::TypeAttrDef<KeyObj>()
      .def("__any_hash__", [](const KeyObj* key) { return key->value; })
      .def("__any_equal__", [](const KeyObj* lhs, const KeyObj* rhs) { return lhs->value == rhs->value; });
  Any a = make_object<KeyObj>(5);
  Any b = make_object<KeyObj>(5);
  Any c = make_object<KeyObj>(6);
  EXPECT_EQ(AnyHash()(a), detail::HashCombine(static_cast<uint64_t>(a.type_index()), 5));
  EXPECT_EQ(AnyHash()(a), AnyHash()(b));
  EXPECT_TRUE(AnyEqual()(a, b));
  EXPECT_FALSE(AnyEqual()(a, c));
}

class AddressHookObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.any_hash.AddressHook", AddressHookObj, Object);
};

TEST(AnyHash, HooksByAddress) {
  int64_t (*hash)(const Any&) = [](const Any&) -> int64_t { return 11; };
  bool (*equal)(const Any&, const Any&) = [](const Any&, const Any&) { return true; };
  reflection::TypeAttrDef<AddressHookObj>()
      .def("__any_hash__", reinterpret_cast<void*>(hash))
      .def("__any_equal__", reinterpret_cast<void*>(equal));
  Any a = make_object<AddressHookObj>();
  Any b = make_object<AddressHookObj>();
  EXPECT_EQ(AnyHash()(a), detail::HashCombine(static_cast<uint64_t>(a.type_index()), 11));
  EXPECT_TRUE(AnyEqual()(a, b));
}

class BadHookObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.any_hash.BadHook", BadHookObj, Object);
};
class WrongResultObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.any_hash.WrongResult", WrongResultObj, Object);
};

TEST(AnyHash, UnknownHooksAreErrorsThatNameTheType) {
  reflection::TypeAttrDef<BadHookObj>().def("__any_hash__", 3);
  reflection::TypeAttrDef<WrongResultObj>().def("__any_hash__", [](const WrongResultObj*) { return true; });
  try {
    AnyHash()(Any(make_object<BadHookObj>()));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "InternalError: The `__any_hash__` hook of type `test.any_hash.BadHook` has a form that this library "
                 "does not know");
  }
  try {
    AnyHash()(Any(make_object<WrongResultObj>()));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "InternalError: Expected the `__any_hash__` hook of type `test.any_hash.WrongResult` to return `int` "
                 "but got `bool`");
  }
}

}  // namespace
}  // namespace transom
