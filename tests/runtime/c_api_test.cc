#include <gtest/gtest.h>
#include <transom/runtime/any.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>

#include <atomic>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace transom {
namespace {

TVMFFIByteArray Text(std::string_view text) { return {text.data(), text.size()}; }

int32_t Register(const std::string& key, int32_t parent = kTVMFFIObject, int32_t slots = 0, bool overflow = true) {
  TVMFFIByteArray name = Text(key);
  return TVMFFITypeGetOrAllocIndex(&name, -1, 0, slots, overflow, parent);
}

std::string TakeRaised() {
  TVMFFIObjectHandle handle = nullptr;
  TVMFFIErrorMoveFromRaised(&handle);
  return handle == nullptr ? "" : Error(detail::ObjectAccess::Adopt<ErrorObj>(handle)).what();
}

TEST(CApi, Version) {
  TVMFFIVersion version;
  TVMFFIGetVersion(&version);
  EXPECT_EQ(version.major, 0u);
  EXPECT_EQ(version.minor, 1u);
  EXPECT_EQ(version.patch, 14u);
}

TEST(CApi, BuiltInTypes) {
  const std::pair<int32_t, const char*> kTypes[] = {
      {0, "None"},
      {1, "int"},
      {2, "bool"},
      {3, "float"},
      {4, "void*"},
      {5, "DataType"},
      {6, "Device"},
      {7, "DLTensor*"},
      {8, "const char*"},
      {9, "TVMFFIByteArray*"},
      {10, "ObjectRValueRef"},
      {11, "ffi.SmallStr"},
      {12, "ffi.SmallBytes"},
      {64, "ffi.Object"},
      {65, "ffi.String"},
      {66, "ffi.Bytes"},
      {67, "ffi.Error"},
      {68, "ffi.Function"},
      {69, "ffi.Shape"},
      {70, "ffi.Tensor"},
      {71, "ffi.Array"},
      {72, "ffi.Map"},
      {73, "ffi.Module"},
      {74, "ffi.OpaquePyObject"},
      {75, "ffi.List"},
      {76, "ffi.Dict"},
      {77, "ffi.VisitInterrupt"},
      {78, "ffi.BigInt"},
  };
  for (const auto& [index, key] : kTypes) {
    const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(index);
    EXPECT_EQ(std::string(info->type_key.data, info->type_key.size), key);
    EXPECT_EQ(info->type_index, index);
    EXPECT_EQ(info->type_depth, index > 64 ? 1 : 0);
    if (index > 64) {
      EXPECT_EQ(info->type_ancestors[0], TVMFFIGetTypeInfo(64));
    }
    TVMFFIByteArray name = Text(key);
    int32_t found = -1;
    EXPECT_EQ(TVMFFITypeKeyToIndex(&name, &found), 0);
    EXPECT_EQ(found, index);
  }
  EXPECT_EQ(TVMFFIGetTypeInfo(64)->metadata->total_size, 24);
}

TEST(CApi, TypeIndicesAreStable) {
  int32_t first = Register("test.c.Stable");
  EXPECT_GE(first, 128);
  EXPECT_EQ(Register("test.c.Stable"), first);
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(first);
  EXPECT_EQ(info->type_depth, 1);
  EXPECT_STREQ(info->type_key.data, "test.c.Stable");
  EXPECT_EQ(info->metadata, nullptr);
  EXPECT_NE(info->type_key_hash, 0u);
  EXPECT_NE(info->type_key_hash, TVMFFIGetTypeInfo(64)->type_key_hash);
}

TEST(CApi, ChildrenTakeReservedSlotsFirst) {
  int32_t parent = Register("test.c.Parent", kTVMFFIObject, 3);
  EXPECT_EQ(Register("test.c.Child1", parent), parent + 1);
  EXPECT_EQ(Register("test.c.Child2", parent, 1), parent + 2);
  int32_t outside = Register("test.c.Child3", parent);
  EXPECT_GT(outside, parent + 3);
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(outside);
  EXPECT_EQ(info->type_depth, 2);
  EXPECT_EQ(info->type_ancestors[1]->type_index, parent);
}

TEST(CApi, QueryOfAnUnknownType) {
  EXPECT_EQ(Register("test.c.Unknown", -2), -2);
  TVMFFIByteArray name = Text("test.c.Unknown");
  int32_t found;
  EXPECT_EQ(TVMFFITypeKeyToIndex(&name, &found), -1);
  EXPECT_EQ(TakeRaised(),
            "InternalError: No type is registered under the key `test.c.Unknown`; load the library that registers it "
            "first");
}

TEST(CApiDeathTest, ContradictionsEndTheProgramWithTheirText) {
  EXPECT_EXIT(TVMFFIGetTypeInfo(100), ::testing::ExitedWithCode(255),
              "Exception caught during TVMFFIGetTypeInfo:\nInternalError: No type has the index 100");
  EXPECT_EXIT(TVMFFIGetTypeInfo(-5), ::testing::ExitedWithCode(255), "No type has the index -5");
  EXPECT_EXIT(Register("test.c.Orphan", -1), ::testing::ExitedWithCode(255), "has no parent");
  EXPECT_EXIT(Register("test.c.OfString", kTVMFFIStr), ::testing::ExitedWithCode(255), "does not let children overflow");
  EXPECT_EXIT(
      {
        TVMFFIByteArray name = Text("test.c.Deep");
        TVMFFITypeGetOrAllocIndex(&name, -1, 5, 0, 1, kTVMFFIObject);
      },
      ::testing::ExitedWithCode(255), "states the depth 5, but its parent gives it 1");
}

int GetZero(void*, TVMFFIAny* result) {
  result->type_index = kTVMFFIInt;
  result->v_int64 = 0;
  return 0;
}

TEST(CApi, FieldsKeepTheirOwnTexts) {
  int32_t type_index = Register("test.c.Fields");
  for (int i = 0; i < 20; ++i) {
    std::string name = "field" + std::to_string(i);
    TVMFFIFieldInfo field{};
    field.name = Text(name);
    field.doc = Text("");
    field.metadata = Text("{}");
    field.getter = &GetZero;
    EXPECT_EQ(TVMFFITypeRegisterField(type_index, &field), 0);
    name.assign(name.size(), '?');
  }
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(type_index);
  ASSERT_EQ(info->num_fields, 20);
  for (int i = 0; i < 20; ++i) EXPECT_STREQ(info->fields[i].name.data, ("field" + std::to_string(i)).c_str());
  EXPECT_EQ(info->fields[0].doc.data, nullptr);
  EXPECT_EQ(info->fields[0].default_value_or_factory.type_index, kTVMFFINone);
  TVMFFIFieldInfo again{};
  again.name = Text("field3");
  EXPECT_EQ(TVMFFITypeRegisterField(type_index, &again), -1);
  EXPECT_EQ(TakeRaised(), "InternalError: Type `test.c.Fields` has a field `field3` already");
  EXPECT_EQ(TVMFFITypeRegisterField(101, &again), -1);
  EXPECT_EQ(TakeRaised(), "InternalError: No type has the index 101");
}

TEST(CApi, MetadataIsRegisteredOnce) {
  int32_t type_index = Register("test.c.Metadata");
  TVMFFITypeMetadata metadata{};
  metadata.doc = Text("doc");
  metadata.total_size = 40;
  EXPECT_EQ(TVMFFITypeRegisterMetadata(type_index, &metadata), 0);
  EXPECT_STREQ(TVMFFIGetTypeInfo(type_index)->metadata->doc.data, "doc");
  EXPECT_EQ(TVMFFITypeRegisterMetadata(type_index, &metadata), -1);
  EXPECT_EQ(TakeRaised(), "RuntimeError: Type `test.c.Metadata` is registered already; register each type once");
}

TEST(CApi, InitialAttributeColumns) {
  for (const char* name :
       {"__any_hash__", "__any_equal__", "__s_equal__", "__s_hash__", "__s_visit__", "__data_to_json__",
        "__data_from_json__", "__ffi_shallow_copy__", "__ffi_repr__", "__ffi_hash__", "__ffi_eq__", "__ffi_compare__",
        "__ffi_new__", "__ffi_init__", "__ffi_enum__", "__ffi_convert__"}) {
    TVMFFIByteArray text = Text(name);
    ASSERT_NE(TVMFFIGetTypeAttrColumn(&text), nullptr) << name;
  }
  TVMFFIByteArray absent = Text("__test_absent__");
  EXPECT_EQ(TVMFFIGetTypeAttrColumn(&absent), nullptr);
}

TEST(CApi, AttributesBelongToOneType) {
  TVMFFIByteArray name = Text("__test_attr__");
  TVMFFIAny none{};
  EXPECT_EQ(TVMFFITypeRegisterAttr(kTVMFFINone, &name, &none), 0);
  const TVMFFITypeAttrColumn* column = TVMFFIGetTypeAttrColumn(&name);
  ASSERT_NE(column, nullptr);
  EXPECT_EQ(column->size, 0);
  EXPECT_EQ(column->begin_index, 0);
  int32_t parent = Register("test.c.AttrParent");
  int32_t child = Register("test.c.AttrChild", parent);
  Any text = "a text that is long enough for an object";
  EXPECT_EQ(TVMFFITypeRegisterAttr(parent, &name, text.raw()), 0);
  EXPECT_EQ(TVMFFIGetTypeAttrColumn(&name), column);
  EXPECT_EQ(column->data[parent].v_obj, text.raw()->v_obj);
  EXPECT_EQ(text.cast<ObjectRef>().use_count(), 3u);
  EXPECT_TRUE(child >= column->size || column->data[child].type_index == kTVMFFINone);
  EXPECT_EQ(TVMFFITypeRegisterAttr(parent, &name, text.raw()), -1);
  EXPECT_EQ(TakeRaised(),
            "RuntimeError: Type `test.c.AttrParent` has a value of the attribute `__test_attr__` already");
  EXPECT_EQ(TVMFFITypeRegisterAttr(102, &name, text.raw()), -1);
  EXPECT_EQ(TakeRaised(), "InternalError: No type has the index 102");
}

TEST(CApi, ThreadsRegisterTypesWhileOthersRead) {
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  TVMFFIByteArray attr = Text("__test_thread_attr__");
  TVMFFIAny none{};
  ASSERT_EQ(TVMFFITypeRegisterAttr(kTVMFFINone, &attr, &none), 0);
  const TVMFFITypeAttrColumn* column = TVMFFIGetTypeAttrColumn(&attr);
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        for (int j = 0; j < 400; ++j) {
          std::string key = "test.c.Thread" + std::to_string(j);
          int32_t index = Register(key, -2);
          if (index < 0) continue;
          const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(index);
          wrong += std::string(info->type_key.data, info->type_key.size) != key;
          int32_t size = __atomic_load_n(&column->size, __ATOMIC_ACQUIRE);
          const TVMFFIAny* data = __atomic_load_n(&column->data, __ATOMIC_ACQUIRE);
          if (index >= size) continue;
          if (__atomic_load_n(&data[index].type_index, __ATOMIC_ACQUIRE) == kTVMFFIInt) {
            wrong += data[index].v_int64 != index;
          }
        }
      }
    });
  }
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&, i] {
      for (int j = 0; j < 400; ++j) {
        int32_t index = Register("test.c.Thread" + std::to_string(j));
        if (j % 4 != i) continue;
        Any value = index;
        wrong += TVMFFITypeRegisterAttr(index, &attr, value.raw()) != 0;
      }
    });
  }
  for (std::thread& thread : writers) thread.join();
  stop = true;
  for (std::thread& thread : readers) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(CApi, StringsAndBytes) {
  TVMFFIAny value;
  TVMFFIByteArray small = Text(std::string_view("a\0bcdef", 7));
  ASSERT_EQ(TVMFFIStringFromByteArray(&small, &value), 0);
  EXPECT_EQ(value.type_index, kTVMFFISmallStr);
  EXPECT_EQ(value.small_str_len, 7u);
  ASSERT_EQ(TVMFFIBytesFromByteArray(&small, &value), 0);
  EXPECT_EQ(value.type_index, kTVMFFISmallBytes);
  std::string eight = "12345678";
  TVMFFIByteArray large = Text(eight);
  ASSERT_EQ(TVMFFIStringFromByteArray(&large, &value), 0);
  EXPECT_EQ(value.type_index, kTVMFFIStr);
  EXPECT_EQ(Any::FromOwned(value).cast<std::string>(), eight);
}

TEST(CApi, ViewToOwned) {
  Any text = "some text of more than seven bytes";
  TVMFFIAny owned;
  ASSERT_EQ(TVMFFIAnyViewToOwnedAny(text.raw(), &owned), 0);
  EXPECT_EQ(owned.v_obj, text.raw()->v_obj);
  EXPECT_EQ(text.cast<ObjectRef>().use_count(), 3u);
  Any::FromOwned(owned).reset();
  TVMFFIObject* nothing = nullptr;
  TVMFFIAny view{};
  view.type_index = kTVMFFIObjectRValueRef;
  view.v_ptr = &nothing;
  EXPECT_EQ(TVMFFIAnyViewToOwnedAny(&view, &owned), -1);
  EXPECT_EQ(TakeRaised().substr(0, 15), "InternalError: ");
}

TVMFFIByteArray WordBytes(const std::vector<int64_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * 8};
}

TEST(CApi, BigIntIsNormalised) {
  TVMFFIAny value;
  auto to_int = [&](std::vector<int64_t> words) {
    TVMFFIByteArray bytes = WordBytes(words);
    EXPECT_EQ(TVMFFIBigIntFromByteArray(&bytes, &value), 0);
    EXPECT_EQ(value.type_index, kTVMFFIInt);
    return value.v_int64;
  };
  EXPECT_EQ(to_int({}), 0);
  EXPECT_EQ(to_int({5}), 5);
  EXPECT_EQ(to_int({5, 0, 0}), 5);
  EXPECT_EQ(to_int({-5, -1, -1}), -5);
  EXPECT_EQ(to_int({0, 0}), 0);
  for (std::vector<int64_t> words : {std::vector<int64_t>{INT64_MIN, 0}, {INT64_MAX, -1}, {1, 2, 3}}) {
    std::vector<int64_t> padded = words;
    padded.push_back(words.back() < 0 ? -1 : 0);
    TVMFFIByteArray bytes = WordBytes(padded);
    ASSERT_EQ(TVMFFIBigIntFromByteArray(&bytes, &value), 0);
    ASSERT_EQ(value.type_index, kTVMFFIBigInt);
    Any owner = Any::FromOwned(value);
    TVMFFIByteArray content = TVMFFIBigIntGetContentByteArray(owner.raw());
    ASSERT_EQ(content.size, words.size() * 8);
    EXPECT_EQ(std::memcmp(content.data, words.data(), content.size), 0);
    const auto* raw = reinterpret_cast<const char*>(owner.raw()->v_obj);
    size_t count;
    std::memcpy(&count, raw + 24, sizeof(count));
    EXPECT_EQ(count, words.size());
    EXPECT_EQ(content.data, raw + 32);
  }
  TVMFFIByteArray odd{"abc", 3};
  EXPECT_EQ(TVMFFIBigIntFromByteArray(&odd, &value), -1);
  EXPECT_EQ(TakeRaised(), "ValueError: Expected the bytes of an integer in whole 64-bit words but got 3 bytes");
  Any five = 5;
  TVMFFIByteArray content = TVMFFIBigIntGetContentByteArray(five.raw());
  EXPECT_EQ(content.size, 8u);
  EXPECT_EQ(TVMFFIBigIntGetContentByteArray(Any("x").raw()).data, nullptr);
}

TEST(CApi, ErrorsWithCauseAndContext) {
  TVMFFIByteArray kind = Text("ValueError");
  TVMFFIByteArray empty = Text("");
  Error cause("cause");
  Any context = String("context that is an object");
  TVMFFIObjectHandle handle = nullptr;
  ASSERT_EQ(TVMFFIErrorCreateWithCauseAndExtraContext(&kind, &empty, &empty, const_cast<ErrorObj*>(cause.get()),
                                                      context.raw()->v_obj, &handle),
            0);
  EXPECT_EQ(cause.use_count(), 2u);
  Error error(detail::ObjectAccess::Adopt<ErrorObj>(handle));
  EXPECT_TRUE(error.cause()->same_as(cause));
  error = Error("other");
  EXPECT_EQ(cause.use_count(), 1u);
  EXPECT_EQ(context.cast<ObjectRef>().use_count(), 2u);
}

TEST(CApi, DecRefOfNullIsIgnored) { EXPECT_EQ(TVMFFIObjectDecRef(nullptr), 0); }

}  // namespace
}  // namespace transom
