#include <transom/graph/drop.h>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/runtime/error.h>
#include <transom/runtime/function.h>

#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "support/scale.h"
#include "support/small_stack.h"

namespace transom {
namespace {

using testing::kLarge;
using testing::RunOnSmallStack;

// Objects of a library whose deleter destroys children recursively.
class ForeignNodes : public ::testing::Test {
 protected:
  void SetUp() override {
    static void* const library = dlopen(TRANSOM_TEST_LIB_DIR "/foreign_chain_lib.so", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    make_ = Function::GetGlobalRequired("test.foreign.make");
    ASSERT_EQ(Live(), 0);
    MaxDepth();
  }
  void TearDown() override { EXPECT_EQ(Live(), 0); }

  Any Node(const Any& next, const Any& value = nullptr, const Any& hidden = nullptr) const {
    return make_(next, value, hidden);
  }
  static int64_t Live() { return Function::GetGlobalRequired("test.foreign.live")().cast<int64_t>(); }
  /* Deepest nesting of the library's deleter since the last call. */
  static int64_t MaxDepth() { return Function::GetGlobalRequired("test.foreign.max_depth")().cast<int64_t>(); }

  Function make_;
};

TEST_F(ForeignNodes, WithoutDropTheirDeletersNest) {
  Any chain;
  for (int i = 0; i < 100; ++i) chain = Node(chain);
  chain.reset();
  EXPECT_EQ(MaxDepth(), 100);
}

TEST_F(ForeignNodes, ALongChainIsDroppedOnASmallStack) {
  RunOnSmallStack([&] {
    Any chain;
    for (int64_t i = 0; i < kLarge; ++i) chain = i % 2 == 0 ? Node(chain, i) : Node(nullptr, chain);
    EXPECT_EQ(Live(), kLarge);
    Drop(std::move(chain));
    EXPECT_TRUE(chain == nullptr);  // NOLINT: it is None afterwards
  });
  EXPECT_EQ(MaxDepth(), 1);
}

TEST_F(ForeignNodes, ContainersInBetween) {
  RunOnSmallStack([&] {
    Any chain;
    for (int64_t i = 0; i < kLarge / 5; ++i) {
      chain = Node(Array<Any>{chain, i});
      chain = Node(nullptr, Map<Any, Any>{{chain, 1}});
      chain = Node(Dict<Any, Any>{{1, chain}, {2, chain}});
      chain = Node(List<Any>{chain, chain});
      chain =
          Node(Error("ValueError", "text", "", Error("KeyError", "cause", "", std::nullopt, chain.cast<ObjectRef>())));
    }
    Drop(std::move(chain));
  });
  EXPECT_EQ(MaxDepth(), 1);
}

TEST_F(ForeignNodes, SharedAtEveryLevel) {
  RunOnSmallStack([&] {
    Any value = Node(nullptr);
    for (int64_t i = 1; i < kLarge; ++i) value = Node(value, value);
    Drop(std::move(value));
  });
  EXPECT_EQ(MaxDepth(), 1);
}

TEST_F(ForeignNodes, WhatOthersHoldStays) {
  Any shared = Node(Node(nullptr));
  Any root = Node(shared, Array<Any>{Node(shared), shared});
  Any second = root;
  Drop(std::move(root));
  EXPECT_EQ(Live(), 4);  // `second` holds all of it
  Drop(std::move(second));
  EXPECT_EQ(Live(), 2);
  EXPECT_EQ(shared.cast<ObjectRef>().use_count(), 2u);
  Drop(std::move(shared));
}

TEST_F(ForeignNodes, WhatIsNotReflectedDiesWithItsOwner) {
  Any hidden = Node(Node(nullptr));
  Any root = Node(Node(nullptr), nullptr, hidden);
  hidden.reset();
  Drop(std::move(root));
  EXPECT_EQ(Live(), 0);
  EXPECT_EQ(MaxDepth(), 3);
}

TEST_F(ForeignNodes, WatchedObjectsDieOnce) {
  Any chain;
  std::vector<WeakObjectPtr<Object>> watchers;
  for (int i = 0; i < 100; ++i) {
    chain = Node(chain);
    watchers.emplace_back(chain.cast<ObjectPtr<Object>>());
  }
  Drop(std::move(chain));
  EXPECT_EQ(Live(), 0);
  EXPECT_EQ(MaxDepth(), 1);
  for (const auto& watcher : watchers) EXPECT_EQ(watcher.lock(), nullptr);
}

TEST_F(ForeignNodes, SeveralThreadsDropGraphsThatShare) {
  Any shared;
  for (int i = 0; i < 1000; ++i) shared = Node(shared, Array<Any>{i});
  std::vector<Any> roots;
  for (int i = 0; i < 4; ++i) roots.push_back(Node(shared, shared));
  shared.reset();
  std::vector<std::thread> threads;
  for (Any& root : roots) threads.emplace_back([&root] { Drop(std::move(root)); });
  for (std::thread& thread : threads) thread.join();
}

TEST(Drop, ValuesWithoutObjects) {
  Any value = 1;
  Drop(std::move(value));
  EXPECT_TRUE(value == nullptr);  // NOLINT
  Drop("text that lies on the heap");
  Drop(nullptr);
  Drop(Array<int64_t>{1, 2});
  ObjectRef ref = Array<int64_t>{1};
  Drop(std::move(ref));
  EXPECT_FALSE(ref.defined());  // NOLINT
}

}  // namespace
}  // namespace transom
