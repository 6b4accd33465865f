#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/list.h>

#include <random>
#include <vector>

#include "containers/test_objects.h"
#include "support/error_of.h"

namespace transom {
namespace {

using test::Counted;
using test::CountedObj;
using test::OnDeathObj;
using test::ReadAt;
using testing::ErrorOf;

std::vector<int64_t> Values(const List<int64_t>& list) { return {list.begin(), list.end()}; }

TEST(List, LayoutIsThatOfTheContract) {
  List<int64_t> list;
  EXPECT_EQ(ReadAt<int32_t>(list, 8), kTVMFFIList);
  EXPECT_EQ(ReadAt<void*>(list, 24), nullptr);
  EXPECT_EQ(ReadAt<int64_t>(list, 32), 0);
  EXPECT_EQ(ReadAt<int64_t>(list, 40), 0);
  auto deleter = ReadAt<void (*)(void*)>(list, 48);
  ASSERT_NE(deleter, nullptr);
  deleter(nullptr);
  list.push_back(5);
  EXPECT_EQ(ReadAt<const Any*>(list, 24), list.get()->begin());
  EXPECT_EQ(ReadAt<int64_t>(list, 32), 1);
  EXPECT_EQ(ReadAt<int64_t>(list, 40), 1);
  EXPECT_EQ(ReadAt<void (*)(void*)>(list, 48), deleter);
}

TEST(List, CopiesAreTheSameListAndItsIdentityStays) {
  List<int64_t> a;
  List<int64_t> b = a;
  const ListObj* object = a.get();
  for (int64_t i = 0; i < 100; ++i) a.push_back(i);
  EXPECT_EQ(b.size(), 100);
  EXPECT_EQ(b.get(), object);
  b.clear();
  EXPECT_TRUE(a.empty());
  EXPECT_GE(a.capacity(), 100);
}

TEST(List, GrowthKeepsTheDeleterThatTheListWasMadeWith) {
  static int freed = 0;
  List<int64_t> list = {1, 2};
  void (*counting)(void*) = [](void* data) {
    if (data != nullptr) ++freed;
    ::operator delete(data);
  };
  std::memcpy(reinterpret_cast<char*>(detail::ObjectAccess::Header(list)) + 48, &counting, sizeof(counting));
  for (int64_t i = 0; i < 10; ++i) list.push_back(i);
  EXPECT_EQ(ReadAt<void (*)(void*)>(list, 48), counting);
  EXPECT_EQ(list.capacity(), 16);
  EXPECT_EQ(freed, 3) << "2, 4 and 8 slots";
  list = List<int64_t>();
  EXPECT_EQ(freed, 4);
}

TEST(List, AssigningToAnElementSetsIt) {
  List<int64_t> ints = {1, 2};
  ints[0] = 7;
  ints[1] = ints[0];
  EXPECT_EQ(Values(ints), (std::vector<int64_t>{7, 7}));
  auto copy = ints[0];
  copy = 9;
  EXPECT_EQ(copy, 9);
  EXPECT_EQ(ints[0], 7) << "a named copy is a value of its own";

  List<String> texts = {"a", "b"};
  texts[0] = "changed";
  EXPECT_EQ(texts[0], "changed");
  EXPECT_EQ(texts[0].size(), 7u);
  List<Any> values = {1, "x"};
  values[0] = 2.5;
  values[1] = values[0];
  EXPECT_EQ(values[1].cast<double>(), 2.5);
  Any boxed = values[0];
  EXPECT_EQ(boxed.type_index(), kTVMFFIFloat);
  List<Array<int64_t>> arrays;
  arrays.push_back({1});
  arrays[0] = Array<int64_t>{4, 5};
  EXPECT_EQ(arrays[0].size(), 2);
  EXPECT_EQ(Any(arrays[0]).type_index(), kTVMFFIArray);
  EXPECT_EQ(ErrorOf([&] { ints[2] = 1; }), "IndexError: Expected an index in [0, 2) but got 2");
}

TEST(List, OwnElementsMayBeInserted) {
  List<String> list = {"a string beyond the small ones", "b"};
  list.push_back(list[0]);
  list.insert(1, list.begin(), list.end());
  list.set(0, list[4]);
  EXPECT_EQ(list.size(), 6);
  EXPECT_EQ(list[1], "a string beyond the small ones");
  EXPECT_EQ(list[0], "b");
  List<Any> self;
  self.push_back(self);
  EXPECT_TRUE(self[0].cast<List<Any>>().same_as(self));
  self.clear();
}

TEST(List, ADestructorMayLookAtTheList) {
  List<Any> list = {1, 2};
  int64_t seen = -1;
  auto looker = [&] { return make_object<OnDeathObj>([&] { seen = list.size(); }); };
  list.push_back(looker());
  list.pop_back();
  EXPECT_EQ(seen, 2);
  list.push_back(looker());
  list.set(2, 5);
  EXPECT_EQ(seen, 3);
  list.set(0, looker());
  list.clear();
  EXPECT_EQ(seen, 0);
}

TEST(List, WrongIndicesAreIndexErrors) {
  List<int64_t> list = {1, 2};
  EXPECT_EQ(ErrorOf([&] { list.at(2); }), "IndexError: Expected an index in [0, 2) but got 2");
  EXPECT_EQ(ErrorOf([&] { list.set(-1, 0); }), "IndexError: Expected an index in [0, 2) but got -1");
  EXPECT_EQ(ErrorOf([&] { list.erase(2); }), "IndexError: Expected an index in [0, 2) but got 2");
  EXPECT_EQ(ErrorOf([&] { list.erase(2, 1); }), "IndexError: Expected a range within [0, 2] but got [2, 1)");
  EXPECT_EQ(ErrorOf([&] { list.insert(3, 0); }), "IndexError: Expected a range within [0, 2] but got [3, 3)");
  EXPECT_EQ(ErrorOf([] { List<int64_t>().pop_back(); }), "IndexError: Expected an index in [0, 0) but got -1");
  EXPECT_EQ(Values(list), (std::vector<int64_t>{1, 2}));
}

TEST(List, EmptyOnesWork) {
  List<Any> list;
  EXPECT_EQ(list.begin(), list.end());
  list.clear();
  list.erase(0, 0);
  list.insert(0, list.begin(), list.end());
  List<Any> moved = std::move(list);
  EXPECT_TRUE(list.empty());  // NOLINT: a moved-from list is empty
  list.push_back(1);
  EXPECT_EQ(list.size(), 1);
  EXPECT_TRUE(moved.empty());
}

TEST(List, ConvertsWhereAllElementsDo) {
  Any ints = List<int64_t>{1, 2};
  EXPECT_EQ(ints.cast<List<int64_t>>().get(), ints.as<ListObj>());
  EXPECT_EQ(ints.cast<List<double>>()[1], 2.0);
  EXPECT_EQ(Any(Array<int64_t>{1, 2}).cast<List<int64_t>>().size(), 2);
  EXPECT_FALSE(Any(List<Any>{"x"}).try_cast<List<int64_t>>().has_value());
}

TEST(List, RandomChangesAgreeWithVector) {
  std::mt19937 random(7);
  auto below = [&](int64_t limit) { return static_cast<int64_t>(random() % static_cast<uint64_t>(limit)); };
  {
    List<Counted> list;
    std::vector<int64_t> model;
    for (int step = 0; step < 5000; ++step) {
      auto size = static_cast<int64_t>(model.size());
      switch (below(5)) {
        case 0:
          list.push_back(Counted(step));
          model.push_back(step);
          break;
        case 1: {
          int64_t at = below(size + 1);
          list.insert(at, Counted(step));
          model.insert(model.begin() + at, step);
          break;
        }
        case 2:
          if (size == 0) break;
          list[step % size] = Counted(step);
          model[static_cast<size_t>(step % size)] = step;
          break;
        case 3: {
          int64_t first = below(size + 1), last = std::min(size, first + below(4));
          list.erase(first, last);
          model.erase(model.begin() + first, model.begin() + last);
          break;
        }
        default:
          list.reserve(below(50));
      }
      ASSERT_EQ(list.size(), static_cast<int64_t>(model.size()));
      for (size_t i = 0; i < model.size(); ++i) ASSERT_EQ(list[static_cast<int64_t>(i)]->id, model[i]);
      ASSERT_EQ(CountedObj::live, static_cast<int64_t>(model.size()));
    }
  }
  EXPECT_EQ(CountedObj::live, 0);
}

TEST(List, SlicesAreListsOfTheirOwn) {
  List<int64_t> list = {1, 2, 3, 4};
  List<int64_t> middle = list.slice(1, 3);
  middle[0] = 9;
  EXPECT_EQ(list[1], 2);
  EXPECT_EQ(std::vector<int64_t>(list.rbegin(), list.rend()), (std::vector<int64_t>{4, 3, 2, 1}));
  EXPECT_EQ(ErrorOf([&] { list.slice(-1, 2); }), "IndexError: Expected a range within [0, 4] but got [-1, 2)");
}

TEST(List, ReplacesARange) {
  auto values = [](const List<int64_t>& list) { return std::vector<int64_t>(list.begin(), list.end()); };
  List<int64_t> list = {1, 2, 3, 4};
  const std::vector<int64_t> more = {7, 8, 9};
  list.replace(1, 3, more.begin(), more.end());
  EXPECT_EQ(values(list), (std::vector<int64_t>{1, 7, 8, 9, 4}));
  list.replace(0, 5, list.rbegin(), list.rend());  // its own elements
  EXPECT_EQ(values(list), (std::vector<int64_t>{4, 9, 8, 7, 1}));
  list.replace(2, 2, more.begin(), more.begin() + 1);
  EXPECT_EQ(values(list), (std::vector<int64_t>{4, 9, 7, 8, 7, 1}));
  list.replace(1, 6, more.end(), more.end());
  EXPECT_EQ(values(list), (std::vector<int64_t>{4}));
  EXPECT_EQ(ErrorOf([&] { list.replace(0, 2, more.begin(), more.end()); }),
            "IndexError: Expected a range within [0, 1] but got [0, 2)");
  EXPECT_EQ(values(list), (std::vector<int64_t>{4}));
}

}  // namespace
}  // namespace transom
