#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/list.h>

#include <algorithm>
#include <random>
#include <vector>

#include "containers/test_objects.h"
#include "support/error_of.h"

namespace transom {
namespace {

using test::Counted;
using test::CountedObj;
using test::ReadAt;
using testing::ErrorOf;

std::vector<int64_t> Values(const Array<int64_t>& array) { return {array.begin(), array.end()}; }

TEST(Array, LayoutIsThatOfTheContract) {
  Array<int64_t> array = {10, 20, 30};
  const char* handle = reinterpret_cast<const char*>(array.get());
  EXPECT_EQ(ReadAt<int32_t>(array, 8), kTVMFFIArray);
  EXPECT_EQ(ReadAt<const char*>(array, 24), handle + 56);
  EXPECT_EQ(ReadAt<int64_t>(array, 32), 3);
  EXPECT_EQ(ReadAt<int64_t>(array, 40), 3);
  EXPECT_EQ(ReadAt<void*>(array, 48), nullptr);
  EXPECT_EQ(ReadAt<int64_t>(array, 56 + 16 + 8), 20);
  Array<Any> empty;
  EXPECT_EQ(ReadAt<int64_t>(empty, 32), 0);
  EXPECT_EQ(ReadAt<int64_t>(empty, 40), 4);
}

TEST(Array, ChangingALvalueLeavesItAsItWas) {
  const Array<int64_t> a = {1, 2, 3};
  const std::vector<int64_t> more = {8, 9};
  EXPECT_EQ(Values(a.push_back(4)), (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(Values(a.insert(1, 7)), (std::vector<int64_t>{1, 7, 2, 3}));
  EXPECT_EQ(Values(a.insert(3, more.begin(), more.end())), (std::vector<int64_t>{1, 2, 3, 8, 9}));
  EXPECT_EQ(Values(a.set(0, 5)), (std::vector<int64_t>{5, 2, 3}));
  EXPECT_EQ(Values(a.erase(1)), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(Values(a.erase(0, 2)), (std::vector<int64_t>{3}));
  EXPECT_EQ(Values(a.pop_back()), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(Values(a.resize(5)), (std::vector<int64_t>{1, 2, 3, 0, 0}));
  EXPECT_EQ(Values(a.resize(1)), (std::vector<int64_t>{1}));
  EXPECT_TRUE(a.clear().empty());
  EXPECT_EQ(Values(Concat(a, a)), (std::vector<int64_t>{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(Values(a), (std::vector<int64_t>{1, 2, 3}));
}

TEST(Array, AnOnlyOwnerIsChangedInPlace) {
  Array<int64_t> a = {1, 2, 3};
  a.reserve(10);
  const ArrayObj* storage = a.get();
  EXPECT_EQ(a.capacity(), 10);
  a = std::move(a).push_back(4);
  a = std::move(a).insert(0, 0);
  a = std::move(a).set(1, 7);
  a = std::move(a).erase(2);
  a = std::move(a).pop_back();
  EXPECT_EQ(a.get(), storage);
  EXPECT_EQ(Values(a), (std::vector<int64_t>{0, 7, 3}));

  Array<int64_t> shared = a;
  a = std::move(a).set(0, 100);
  EXPECT_NE(a.get(), storage);
  EXPECT_EQ(shared.get(), storage);
  EXPECT_EQ(shared[0], 0);
  EXPECT_EQ(a.capacity(), 10) << "a copy keeps the capacity";
}

TEST(Array, GrowthDoublesTheCapacity) {
  Array<int64_t> a;
  for (int64_t i = 0; i < 5; ++i) a = std::move(a).push_back(i);
  EXPECT_EQ(a.capacity(), 8);
  std::vector<int64_t> many(100, 1);
  a = std::move(a).insert(5, many.begin(), many.end());
  EXPECT_EQ(a.capacity(), 105);
}

TEST(Array, OwnElementsMayBeInserted) {
  Array<String> a = {"a string beyond the small ones", "b"};
  a = std::move(a).push_back(a[0]);
  a = std::move(a).insert(1, a.begin(), a.end());
  a = std::move(a).set(0, a[4]);
  EXPECT_EQ(a.size(), 6);
  EXPECT_EQ(a[1], "a string beyond the small ones");
  EXPECT_EQ(a[2], "b");
  EXPECT_EQ(a[0], "b");
}

TEST(Array, WrongIndicesAreIndexErrors) {
  const Array<int64_t> a = {1, 2};
  EXPECT_EQ(ErrorOf([&] { a[2]; }), "IndexError: Expected an index in [0, 2) but got 2");
  EXPECT_EQ(ErrorOf([&] { a[-1]; }), "IndexError: Expected an index in [0, 2) but got -1");
  EXPECT_EQ(ErrorOf([&] { (void)a.set(2, 0); }), "IndexError: Expected an index in [0, 2) but got 2");
  EXPECT_EQ(ErrorOf([&] { (void)a.erase(2); }), "IndexError: Expected an index in [0, 2) but got 2");
  EXPECT_EQ(ErrorOf([&] { (void)a.erase(1, 0); }), "IndexError: Expected a range within [0, 2] but got [1, 0)");
  EXPECT_EQ(ErrorOf([&] { (void)a.insert(3, 0); }), "IndexError: Expected a range within [0, 2] but got [3, 3)");
  EXPECT_EQ(ErrorOf([] { (void)Array<int64_t>().pop_back(); }), "IndexError: Expected an index in [0, 0) but got -1");
  EXPECT_EQ(ErrorOf([] { (void)Array<int64_t>().back(); }), "IndexError: Expected an index in [0, 0) but got -1");
}

TEST(Array, EveryReferenceIsGivenBack) {
  ASSERT_EQ(CountedObj::live, 0);
  {
    Array<Counted> a;
    for (int64_t i = 0; i < 20; ++i) a = std::move(a).push_back(Counted(i));
    Array<Counted> b = a.erase(3).insert(0, Counted(100)).set(5, Counted(200));
    Array<Counted> c = std::move(b).erase(0, 10);
    EXPECT_EQ(c.size(), 10);
    EXPECT_EQ(CountedObj::live, 20) << "what only dropped versions held is gone";
  }
  EXPECT_EQ(CountedObj::live, 0);
}

TEST(Array, EmptyOnesWork) {
  Array<Any> empty;
  EXPECT_EQ(empty.begin(), empty.end());
  Array<Any> none(empty.begin(), empty.end());
  EXPECT_TRUE(none.insert(0, empty.begin(), empty.end()).empty());
  EXPECT_TRUE(none.erase(0, 0).empty());
  Array<Any> moved = std::move(none);
  EXPECT_TRUE(none.empty());  // NOLINT: a moved-from array is empty
  EXPECT_EQ(none.begin(), none.end());
  EXPECT_EQ(std::move(none).push_back(1).size(), 1);
}

TEST(Array, ConvertsWhereAllElementsDo) {
  Any ints = Array<int64_t>{1, 2};
  EXPECT_EQ(ints.cast<Array<int64_t>>().get(), ints.as<ArrayObj>()) << "exact elements are shared";
  Array<double> doubles = ints.cast<Array<double>>();
  EXPECT_EQ(doubles[1], 2.0);
  EXPECT_EQ(doubles.get()->begin()->type_index(), kTVMFFIFloat) << "converted elements are stored converted";
  EXPECT_EQ(Any(List<int64_t>{1, 2}).cast<Array<int64_t>>().size(), 2);
  EXPECT_FALSE(Any(Array<Any>{1, "x"}).try_cast<Array<int64_t>>().has_value());
  EXPECT_EQ(ErrorOf([] {
              Any(Array<Any>{1, "x"}).cast<Array<int64_t>>();
            }),
            "TypeError: Cannot convert from type `Array[index 1: ffi.SmallStr]` to `Array<int>`");
  EXPECT_FALSE(Any(1).try_cast<Array<Any>>().has_value());
  EXPECT_FALSE(Any().try_cast<Array<Any>>().has_value());
  Array<ObjectRef> widened = Array<Counted>{Counted(1)};
  EXPECT_EQ(widened.size(), 1);
}

/* An array as another library may make it: its values in a block of their own. */
struct ForeignArray {
  TVMFFIObject header;
  TVMFFISeqCell cell;
};

TEST(Array, ValuesOutsideTheObjectAreReadAndCopied) {
  static int freed = 0;
  auto* foreign = new ForeignArray{};
  auto* values = new TVMFFIAny[2];
  values[0] = Any(7).Release();
  values[1] = Any("longer than seven").Release();
  foreign->header.combined_ref_count = detail::kSoleOwner;
  foreign->header.type_index = kTVMFFIArray;
  foreign->header.deleter = [](void* self, int flags) {
    auto* array = static_cast<ForeignArray*>(self);
    if (flags & 1) {
      for (int64_t i = 0; i < array->cell.size; ++i) Any::FromOwned(static_cast<TVMFFIAny*>(array->cell.data)[i]);
      array->cell.data_deleter(array->cell.data);
    }
    if (flags & 2) delete array;
  };
  foreign->cell = {values, 2, 2, [](void* data) {
                     delete[] static_cast<TVMFFIAny*>(data);
                     ++freed;
                   }};
  Array<Any> array(detail::ObjectAccess::Adopt<ArrayObj>(foreign));
  Array<Any> copy = array.push_back(1);
  EXPECT_EQ(array[1].cast<String>(), "longer than seven");
  array = std::move(array).push_back(2);  // The only owner: values move out of the foreign block.
  EXPECT_EQ(freed, 1);
  EXPECT_EQ(array.size(), 3);
  EXPECT_EQ(copy[1].cast<String>(), "longer than seven");
}

TEST(Array, RandomChangesAgreeWithVectorAndLeaveOldVersionsAlone) {
  std::mt19937 random(20240601);
  std::vector<std::pair<Array<int64_t>, std::vector<int64_t>>> versions;
  Array<int64_t> array;
  std::vector<int64_t> model;
  auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % static_cast<uint64_t>(limit)); };
  for (int step = 0; step < 4000; ++step) {
    auto size = static_cast<int64_t>(model.size());
    int64_t value = below(1000);
    if (below(4) == 0) versions.emplace_back(array, model);
    bool keep = below(2) == 0;  // Changing a lvalue, or a temporary in place.
    auto change = [&](auto op) { array = keep ? op(Array<int64_t>(array)) : op(std::move(array)); };
    switch (below(6)) {
      case 0:
        change([&](Array<int64_t> a) { return std::move(a).push_back(value); });
        model.push_back(value);
        break;
      case 1: {
        int64_t at = below(size + 1);
        change([&](Array<int64_t> a) { return std::move(a).insert(at, value); });
        model.insert(model.begin() + at, value);
        break;
      }
      case 2: {
        int64_t first = below(size + 1), last = first + below(size - first + 1), at = below(size + 1);
        std::vector<int64_t> part(model.begin() + first, model.begin() + last);
        Array<int64_t> self = array;
        if (part.size() > 20) break;
        change([&](Array<int64_t> a) { return std::move(a).insert(at, self.begin() + first, self.begin() + last); });
        model.insert(model.begin() + at, part.begin(), part.end());
        break;
      }
      case 3:
        if (size == 0) break;
        change([&](Array<int64_t> a) { return std::move(a).set(value % size, value); });
        model[static_cast<size_t>(value % size)] = value;
        break;
      case 4: {
        int64_t first = below(size + 1), last = std::min(size, first + below(4));
        change([&](Array<int64_t> a) { return std::move(a).erase(first, last); });
        model.erase(model.begin() + first, model.begin() + last);
        break;
      }
      default:
        if (size > 200) {
          change([&](Array<int64_t> a) { return std::move(a).resize(3); });
          model.resize(3);
        }
    }
    ASSERT_EQ(Values(array), model) << "after step " << step;
  }
  for (const auto& [version, expected] : versions) ASSERT_EQ(Values(version), expected);
}

TEST(Array, SlicesAndRunsBackwards) {
  const Array<int64_t> array = {1, 2, 3, 4};
  Array<int64_t> middle = array.slice(1, 3);
  EXPECT_EQ(std::vector<int64_t>(middle.begin(), middle.end()), (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE(array.slice(4, 4).empty());
  EXPECT_EQ(std::vector<int64_t>(array.rbegin(), array.rend()), (std::vector<int64_t>{4, 3, 2, 1}));
  EXPECT_EQ(ErrorOf([&] { array.slice(2, 5); }), "IndexError: Expected a range within [0, 4] but got [2, 5)");
  EXPECT_EQ(array.size(), 4);
}

}  // namespace
}  // namespace transom
