/* Deeply nested containers are destroyed without recursion. */
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/tuple.h>
#include <transom/containers/variant.h>
#include <transom/reflection/access_path.h>

#include <utility>

#include "containers/test_objects.h"
#include "support/scale.h"
#include "support/small_stack.h"

namespace transom {
namespace {

constexpr int64_t kDepth = testing::kSanitized ? 300000 : 10000000;  // sanitizers multiply memory, not stack

/* Destroys the value in a thread with a stack of 1 MiB. */
void DestroyOnSmallStack(Any value) {
  testing::RunOnSmallStack([&] { value.reset(); });
  EXPECT_EQ(value, nullptr);
}

/* Wraps a counted object `kDepth` times and checks that it dies with the outermost value. */
template <class Wrap>
void CheckChain(Wrap wrap) {
  Any value = test::Counted(1);
  for (int64_t i = 0; i < kDepth; ++i) value = wrap(std::move(value), i);
  ASSERT_EQ(test::CountedObj::live, 1);
  DestroyOnSmallStack(std::move(value));
  EXPECT_EQ(test::CountedObj::live, 0);
}

Any InArray(Any value) {
  ObjectPtr<ArrayObj> array = ArrayObj::Create(1);
  array->PushOwned(std::move(value));
  return array;
}
Any InList(Any value) {
  ObjectPtr<ListObj> list = ListObj::Create(1);
  list->PushOwned(std::move(value));
  return list;
}
template <class Obj>
Any InMap(Any value, int64_t pairs) {
  Any entries[10];
  for (int64_t i = 0; i < pairs; ++i) entries[2 * i] = i;
  entries[2 * pairs - 1] = std::move(value);
  return Obj::CreateFromPairs(entries, static_cast<size_t>(pairs));
}

TEST(Nesting, Arrays) {
  CheckChain([](Any value, int64_t) { return InArray(std::move(value)); });
}

TEST(Nesting, Lists) {
  CheckChain([](Any value, int64_t) { return InList(std::move(value)); });
}

TEST(Nesting, Maps) {
  CheckChain([](Any value, int64_t) { return InMap<MapObj>(std::move(value), 1); });
}

TEST(Nesting, ContainersOfAllKinds) {
  CheckChain([](Any value, int64_t i) -> Any {
    switch (i % 64) {
      case 0:
        return InMap<MapObj>(std::move(value), 5);
      case 1:
        return InMap<DictObj>(std::move(value), 5);
      case 2:
        return InMap<DictObj>(std::move(value), 2);
      case 3:
        return InList(std::move(value));
      case 4:
        return Tuple<Any, int64_t>(std::move(value), 1);
      default:
        return InArray(std::move(value));
    }
  });
}

TEST(Nesting, PathsAsLongAsTheyAre) {
  reflection::AccessStep step = reflection::AccessStep::ArrayItem(0);
  reflection::AccessPath path = reflection::AccessPath::Root()->MapItem(test::Counted(1));
  for (int64_t i = 0; i < kDepth / 10; ++i) path = path->Extend(step);
  EXPECT_EQ(path->ToSteps().size(), kDepth / 10 + 1);
  EXPECT_TRUE(path->PathEqual(path->Extend(step)->GetParent()->Extend(step)) == false);
  DestroyOnSmallStack(std::move(path));
  EXPECT_EQ(test::CountedObj::live, 0);
}

}  // namespace
}  // namespace transom
