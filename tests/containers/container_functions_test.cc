// The global functions for containers, by which front ends of other languages work on them.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/tensor.h>
#include <transom/runtime/device.h>
#include <transom/runtime/function.h>

#include <string>
#include <vector>

#include "support/error_of.h"

namespace transom {
namespace {

using testing::ErrorOf;

template <class... Args>
Any Call(const char* name, const Args&... args) {
  return Function::GetGlobalRequired(name)(args...);
}

std::vector<int64_t> Ints(const Any& seq) {
  std::vector<int64_t> ints;
  for (int64_t value : seq.cast<Array<int64_t>>()) ints.push_back(value);
  return ints;
}

TEST(BuiltinArrayFunctions, MakeAndRead) {
  const Any array = Call("ffi.Array", 1, "two", nullptr);
  EXPECT_EQ(array.type_index(), kTVMFFIArray);
  EXPECT_EQ(Call("ffi.ArraySize", array).cast<int64_t>(), 3);
  EXPECT_EQ(Call("ffi.ArrayGetItem", array, 1).cast<String>(), "two");
  EXPECT_TRUE(Call("ffi.ArrayContains", array, "two").cast<bool>());
  EXPECT_TRUE(Call("ffi.ArrayContains", array, nullptr).cast<bool>());
  EXPECT_FALSE(Call("ffi.ArrayContains", array, 1.0).cast<bool>());
  EXPECT_FALSE(Call("ffi.ArrayContains", array, true).cast<bool>());
  EXPECT_EQ(Call("ffi.ArraySize", Call("ffi.Array")).cast<int64_t>(), 0);
}

TEST(BuiltinArrayFunctions, WrongUse) {
  const Any array = Call("ffi.Array", 1, 2);
  EXPECT_EQ(ErrorOf([&] { Call("ffi.ArrayGetItem", array, 2); }), "IndexError: Expected an index in [0, 2) but got 2");
  EXPECT_EQ(ErrorOf([&] { Call("ffi.ArrayGetItem", array, -1); }), "IndexError: Expected an index in [0, 2) but got -1");
  EXPECT_EQ(ErrorOf([&] { Call("ffi.ArraySize", nullptr); }), "TypeError: Expected a `ffi.Array` but got `None`");
  EXPECT_EQ(ErrorOf([&] { Call("ffi.ArraySize", Call("ffi.List")); }),
            "TypeError: Mismatched type on argument #0 when calling: `ffi.ArraySize(0: ffi.Array) -> int`. Expected "
            "`ffi.Array` but got `ffi.List`");
  EXPECT_EQ(ErrorOf([&] { Call("ffi.ArraySize"); }),
            "TypeError: Mismatched number of arguments when calling: `ffi.ArraySize(0: ffi.Array) -> int`. Expected 1 but got 0 "
            "arguments");
}

TEST(BuiltinListFunctions, ChangeTheOneList) {
  const Any list = Call("ffi.List", 1, 2, 3);
  Call("ffi.ListAppend", list, 4);
  Call("ffi.ListInsert", list, 0, 0);
  Call("ffi.ListInsert", list, 5, 5);
  EXPECT_EQ(Ints(list), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  Call("ffi.ListSetItem", list, 1, 10);
  EXPECT_EQ(Call("ffi.ListPop", list, 0).cast<int64_t>(), 0);
  Call("ffi.ListErase", list, 4);
  EXPECT_EQ(Ints(list), (std::vector<int64_t>{10, 2, 3, 4}));
  Call("ffi.ListReverse", list);
  EXPECT_EQ(Ints(list), (std::vector<int64_t>{4, 3, 2, 10}));
  Call("ffi.ListEraseRange", list, 1, 3);
  Call("ffi.ListEraseRange", list, 2, 2);
  EXPECT_EQ(Ints(list), (std::vector<int64_t>{4, 10}));
  EXPECT_EQ(Call("ffi.ListGetItem", list, 1).cast<int64_t>(), 10);
  EXPECT_TRUE(Call("ffi.ListContains", list, 10).cast<bool>());
  EXPECT_FALSE(Call("ffi.ListContains", list, 11).cast<bool>());
  Call("ffi.ListClear", list);
  EXPECT_EQ(Call("ffi.ListSize", list).cast<int64_t>(), 0);
}

TEST(BuiltinListFunctions, ReplaceASlice) {
  const Any list = Call("ffi.List", 1, 2, 3);
  Call("ffi.ListReplaceSlice", list, 1, 2, Call("ffi.List", 7, 8, 9));
  EXPECT_EQ(Ints(list), (std::vector<int64_t>{1, 7, 8, 9, 3}));
  Call("ffi.ListReplaceSlice", list, 0, 5, Call("ffi.List"));
  EXPECT_EQ(Ints(list), std::vector<int64_t>{});
  Call("ffi.ListReplaceSlice", list, 0, 0, Call("ffi.List", 1, 2));
  Call("ffi.ListReplaceSlice", list, 1, 1, list);  // Its own values.
  EXPECT_EQ(Ints(list), (std::vector<int64_t>{1, 1, 2, 2}));
}

TEST(BuiltinListFunctions, IndicesOutOfRangeChangeNothing) {
  const Any list = Call("ffi.List", 1, 2);
  const std::string bad_index = "IndexError: Expected an index in [0, 2) but got ";
  EXPECT_EQ(ErrorOf([&] { Call("ffi.ListGetItem", list, -1); }), bad_index + "-1");
  EXPECT_EQ(ErrorOf([&] { Call("ffi.ListSetItem", list, 2, 0); }), bad_index + "2");
  EXPECT_EQ(ErrorOf([&] { Call("ffi.ListPop", list, 2); }), bad_index + "2");
  EXPECT_EQ(ErrorOf([&] { Call("ffi.ListErase", list, -1); }), bad_index + "-1");
  const std::string bad_range = "IndexError: Expected a range within [0, 2] but got ";
  EXPECT_EQ(ErrorOf([&] { Call("ffi.ListInsert", list, 3, 0); }), bad_range + "[3, 3)");
  EXPECT_EQ(ErrorOf([&] { Call("ffi.ListEraseRange", list, 1, 0); }), bad_range + "[1, 0)");
  EXPECT_EQ(ErrorOf([&] { Call("ffi.ListEraseRange", list, 0, 3); }), bad_range + "[0, 3)");
  EXPECT_EQ(ErrorOf([&] { Call("ffi.ListReplaceSlice", list, 3, 3, list); }), bad_range + "[3, 3)");
  EXPECT_EQ(Ints(list), (std::vector<int64_t>{1, 2}));
}

struct MapNames {
  const char* make;
  const char* size;
  const char* get;
  const char* count;
  const char* get_or_missing;
  const char* iterate;
};
constexpr MapNames kMaps[] = {
    {"ffi.Map", "ffi.MapSize", "ffi.MapGetItem", "ffi.MapCount", "ffi.MapGetItemOrMissing", "ffi.MapForwardIterFunctor"},
    {"ffi.Dict", "ffi.DictSize", "ffi.DictGetItem", "ffi.DictCount", "ffi.DictGetItemOrMissing",
     "ffi.DictForwardIterFunctor"},
};

TEST(BuiltinMapFunctions, MakeAndRead) {
  for (const MapNames& names : kMaps) {
    const Any map = Call(names.make, "a", 1, 2, "two", "a", 3);
    EXPECT_EQ(map.GetTypeKey(), names.make);
    EXPECT_EQ(Call(names.size, map).cast<int64_t>(), 2);
    EXPECT_EQ(Call(names.get, map, "a").cast<int64_t>(), 3);
    EXPECT_EQ(Call(names.count, map, 2).cast<int64_t>(), 1);
    EXPECT_EQ(Call(names.count, map, 2.0).cast<int64_t>(), 0);
    EXPECT_EQ(Call(names.get_or_missing, map, 2).cast<String>(), "two");
    EXPECT_TRUE(Call(names.get_or_missing, map, "b").same_as(Call("ffi.GetInvalidObject")));
    EXPECT_EQ(ErrorOf([&] { Call(names.get, map, "b"); }), "KeyError: key is not in Map");
    EXPECT_EQ(ErrorOf([&] { Call(names.make, 1, 2, 3); }),
              "InternalError: Expected keys and values in turn but got 3 arguments");
    EXPECT_EQ(ErrorOf([&] { Call(names.size, nullptr); }),
              std::string("TypeError: Expected a `") + names.make + "` but got `None`");
  }
}

TEST(BuiltinMapFunctions, IterateInOrder) {
  for (const MapNames& names : kMaps) {
    for (int64_t size : {1, 3, 20}) {
      std::vector<Any> pairs;
      for (int64_t i = 0; i < size; ++i) pairs.insert(pairs.end(), {Any(i * 7), Any(i)});
      std::vector<AnyView> views(pairs.begin(), pairs.end());
      Any map = Function::GetGlobalRequired(names.make).CallPacked(views.data(), static_cast<int32_t>(views.size()));
      const Function iterator = Call(names.iterate, map).cast<Function>();
      map.reset();  // The iterator keeps it.
      for (int64_t i = 0; i < size; ++i) {
        EXPECT_EQ(iterator(0).cast<int64_t>(), i * 7);
        EXPECT_EQ(iterator(1).cast<int64_t>(), i);
        EXPECT_EQ(iterator(2).cast<bool>(), i + 1 < size);
      }
      EXPECT_FALSE(iterator(2).cast<bool>());
      EXPECT_EQ(ErrorOf([&] { iterator(0); }),
                std::string("IndexError: The iteration over the `") + names.make + "` is at its end");
    }
    const Function empty = Call(names.iterate, Call(names.make)).cast<Function>();
    EXPECT_EQ(ErrorOf([&] { empty(1); }),
              std::string("IndexError: The iteration over the `") + names.make + "` is at its end");
    EXPECT_FALSE(empty(2).cast<bool>());
  }
}

TEST(BuiltinDictFunctions, ChangeTheOneDict) {
  const Any dict = Call("ffi.Dict");
  for (int64_t i = 0; i < 10; ++i) Call("ffi.DictSetItem", dict, i, i * i);
  EXPECT_EQ(Call("ffi.DictGetItem", dict, 9).cast<int64_t>(), 81);
  Call("ffi.DictErase", dict, 9);
  Call("ffi.DictErase", dict, 9);  // One that is not there.
  EXPECT_EQ(Call("ffi.DictSize", dict).cast<int64_t>(), 9);
  Call("ffi.DictClear", dict);
  EXPECT_EQ(Call("ffi.DictSize", dict).cast<int64_t>(), 0);
}

TEST(BuiltinDictFunctions, ChangesUnderAnIterationAreErrors) {
  const std::string changed = "RuntimeError: The `ffi.Dict` changed while it was iterated over";
  for (int64_t size : {2, 20}) {
    const Any dict = Call("ffi.Dict");
    for (int64_t i = 0; i < size; ++i) Call("ffi.DictSetItem", dict, i, i);
    const Function first = Call("ffi.DictForwardIterFunctor", dict).cast<Function>();
    Call("ffi.DictSetItem", dict, -1, -1);
    EXPECT_EQ(ErrorOf([&] { first(0); }), changed);
    const Function second = Call("ffi.DictForwardIterFunctor", dict).cast<Function>();
    Call("ffi.DictErase", dict, 0);
    EXPECT_EQ(ErrorOf([&] { second(2); }), changed);
    const Function third = Call("ffi.DictForwardIterFunctor", dict).cast<Function>();
    Call("ffi.DictClear", dict);
    EXPECT_EQ(ErrorOf([&] { third(1); }), changed);
  }
}

// A tensor that says to be on a device; its memory is never touched.
Tensor TensorOn(DLDevice device) {
  static int64_t shape[] = {2};
  static int64_t strides[] = {1};
  static float data[2];
  auto* record = new DLManagedTensor();
  record->dl_tensor = {data, device, 1, {kDLFloat, 32, 1}, shape, strides, 0};
  record->deleter = [](DLManagedTensor* self) { delete self; };
  return Tensor::FromDLPack(record);
}

std::string DeviceIn(const Any& value) {
  return Device(Call("ffi.ContainerFindFirstNonCPUDevice", value).cast<DLDevice>()).ToString();
}

TEST(BuiltinContainerDevice, IsThatOfTheFirstTensorElsewhere) {
  const Tensor host = TensorOn({kDLCPU, 0});
  const Tensor first = TensorOn({kDLCUDA, 1});
  const Tensor second = TensorOn({kDLROCM, 2});
  EXPECT_EQ(DeviceIn(Any()), "cpu:0");
  EXPECT_EQ(DeviceIn(first), "cuda:1");
  EXPECT_EQ(DeviceIn(Array<Any>{1, host, "text"}), "cpu:0");
  EXPECT_EQ(DeviceIn(Array<Any>{host, Array<Any>{List<Any>{host}, List<Any>{first}}, second}), "cuda:1");
  EXPECT_EQ(DeviceIn(Map<Any, Any>{{"a", host}, {"b", second}, {"c", first}}), "rocm:2");
  EXPECT_EQ(DeviceIn(Dict<Any, Any>{{first, 1}}), "cpu:0");  // Keys are not looked at.
}

TEST(BuiltinContainerDevice, CyclesSharingAndDepth) {
  List<Any> cycle{1};
  cycle.push_back(cycle);
  EXPECT_EQ(DeviceIn(cycle), "cpu:0");
  cycle.push_back(TensorOn({kDLCUDA, 3}));
  EXPECT_EQ(DeviceIn(cycle), "cuda:3");
  cycle.clear();
  Any shared = Array<Any>{};
  for (int i = 0; i < 100; ++i) shared = Array<Any>{shared, shared};
  EXPECT_EQ(DeviceIn(shared), "cpu:0");
  Any deep = TensorOn({kDLCUDA, 4});
  for (int i = 0; i < 200000; ++i) deep = Array<Any>{deep};
  EXPECT_EQ(DeviceIn(deep), "cuda:4");
}

}  // namespace
}  // namespace transom
