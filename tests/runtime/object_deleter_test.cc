#include <dlfcn.h>
#include <gtest/gtest.h>
#include <transom/runtime/any.h>
#include <transom/runtime/function.h>
#include <transom/runtime/object.h>
#include <transom/runtime/object_deleter.h>

#include <string>
#include <utility>
#include <vector>

#include "support/scale.h"
#include "support/small_stack.h"

namespace transom {
namespace {

using transom::testing::RunOnSmallStack;

constexpr int64_t kLongChain = testing::kSanitized ? 300000 : 10000000;

class LinkObj : public Object {
 public:
  explicit LinkObj(ObjectPtr<Object> next_link, int64_t* count = nullptr) : next(std::move(next_link)), deaths(count) {}
  ~LinkObj() {
    if (deaths != nullptr) ++*deaths;
  }
  ObjectPtr<Object> next;
  int64_t* deaths;
  TRANSOM_DECLARE_OBJECT_INFO("test.deleter.Link", LinkObj, Object);
};

// Values in the object's own block, as containers have them.
class RowObj : public Object {
 public:
  explicit RowObj(size_t count) : size(count) {
    for (size_t i = 0; i < size; ++i) new (values() + i) Any();
  }
  ~RowObj() {
    for (size_t i = 0; i < size; ++i) values()[i].~Any();
  }
  Any* values() { return reinterpret_cast<Any*>(this + 1); }
  size_t size;
  TRANSOM_DECLARE_OBJECT_INFO("test.deleter.Row", RowObj, Object);
};

TEST(ObjectDeleter, LongChainNeedsNoStack) {
  int64_t deaths = 0;
  RunOnSmallStack([&] {
    ObjectPtr<Object> head;
    for (int64_t i = 0; i < kLongChain; ++i) head = make_object<LinkObj>(std::move(head), &deaths);
    head.reset();
  });
  EXPECT_EQ(deaths, kLongChain);
}

TEST(ObjectDeleter, ChainThatAlternatesWithContainersNeedsNoStack) {
  int64_t deaths = 0;
  constexpr int64_t kLinks = 200000;
  RunOnSmallStack([&] {
    ObjectPtr<Object> head;
    for (int64_t i = 0; i < kLinks; ++i) {
      auto row = make_inplace_array_object<RowObj, Any>(3, 3);
      row->values()[0] = make_object<LinkObj>(nullptr, &deaths);
      row->values()[1] = std::move(head);
      row->values()[2] = String("longer than a small string");
      head = make_object<LinkObj>(std::move(row), &deaths);
    }
    head.reset();
  });
  EXPECT_EQ(deaths, 2 * kLinks);
}

TEST(ObjectDeleter, ChainThatAlternatesBetweenLibrariesNeedsNoStack) {
  for (const char* name : {"chain_one_lib", "chain_two_lib"}) {
    std::string path = std::string(TRANSOM_TEST_LIB_DIR "/") + name + ".so";
    ASSERT_NE(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
  }
  Function make_one = Function::GetGlobalRequired("test.chain_one.make");
  Function make_two = Function::GetGlobalRequired("test.chain_two.make");
  int64_t deaths = 0;
  RunOnSmallStack([&] {
    Any head = make_object<LinkObj>(nullptr, &deaths);
    for (int i = 0; i < 200000; ++i)
      head = make_object<LinkObj>(make_two(make_one(head)).cast<ObjectPtr<Object>>(), &deaths);
    head.reset();
  });
  EXPECT_EQ(deaths, 200001);
}

TEST(ObjectDeleter, ParentIsDestroyedBeforeItsChild) {
  std::vector<std::string> events;
  class NotingObj : public Object {
   public:
    NotingObj(std::string label, std::vector<std::string>* log, ObjectPtr<Object> child_ptr)
        : name(std::move(label)), events(log), child(std::move(child_ptr)) {}
    ~NotingObj() { events->push_back(name); }
    std::string name;
    std::vector<std::string>* events;
    ObjectPtr<Object> child;
  };
  ObjectPtr<Object> root = make_object<NotingObj>(
      "root", &events, make_object<NotingObj>("middle", &events, make_object<NotingObj>("leaf", &events, nullptr)));
  root.reset();
  EXPECT_EQ(events, (std::vector<std::string>{"root", "middle", "leaf"}));
}

TEST(ObjectDeleter, ObjectsDestroyedInADestructorAreGoneAfterTheOutermostRelease) {
  int64_t deaths = 0;
  auto shared = make_object<LinkObj>(nullptr, &deaths);
  auto first = make_object<LinkObj>(shared, &deaths);
  auto second = make_object<LinkObj>(std::move(shared), &deaths);
  first.reset();
  EXPECT_EQ(deaths, 1);
  second.reset();
  EXPECT_EQ(deaths, 3);
}

TEST(ObjectDeleter, WatchedObjectsOfAChainDieOnceAndStayReadable) {
  int64_t deaths = 0;
  std::vector<WeakObjectPtr<Object>> watchers;
  constexpr int64_t kLinks = 100000;
  RunOnSmallStack([&] {
    ObjectPtr<Object> head;
    for (int64_t i = 0; i < kLinks; ++i) {
      head = make_object<LinkObj>(std::move(head), &deaths);
      if (i % 3 != 0) watchers.emplace_back(head);
    }
    head.reset();
  });
  EXPECT_EQ(deaths, kLinks);
  for (const WeakObjectPtr<Object>& watcher : watchers) {
    ASSERT_TRUE(watcher.expired());
    ASSERT_EQ(watcher.lock(), nullptr);
  }
}

TEST(ObjectDeleter, WatcherMayDieInsideTheTeardown) {
  // The child's last watcher lives in the parent, so the child is watched when it dies and unwatched when it is
  // destroyed.
  class ParentObj : public Object {
   public:
    WeakObjectPtr<Object> watcher;  // destroyed after `child`
    ObjectPtr<Object> child;
  };
  int64_t deaths = 0;
  auto parent = make_object<ParentObj>();
  parent->child = make_object<LinkObj>(nullptr, &deaths);
  parent->watcher = WeakObjectPtr<Object>(parent->child);
  parent.reset();
  EXPECT_EQ(deaths, 1);
}

TEST(ObjectDeleter, TrivialBodiesAreFreedAtOnce) {
  class LeafObj : public Object {
   public:
    int64_t value = 0;
  };
  class HolderObj : public Object {
   public:
    ~HolderObj() {
      leaf.reset();
      *pending = detail::pending_deaths.head;
    }
    ObjectPtr<Object> leaf;
    const TVMFFIObject** pending = nullptr;
  };
  const TVMFFIObject* pending = reinterpret_cast<const TVMFFIObject*>(&pending);
  auto holder = make_object<HolderObj>();
  holder->leaf = make_object<LeafObj>();
  holder->pending = &pending;
  holder.reset();
  EXPECT_EQ(pending, nullptr);
}

TEST(ObjectDeleter, CustomTeardown) {
  static int destroyed = 0;
  static int freed = 0;
  struct Teardown {
    static void Destroy(TVMFFIObject*) noexcept { ++destroyed; }
    static void Free(TVMFFIObject* obj) noexcept {
      ++freed;
      delete obj;
    }
  };
  auto make = [] {
    auto* header = new TVMFFIObject();
    detail::ObjectAccess::Init(detail::ObjectAccess::FromHeader(header), kTVMFFIObject,
                               &detail::DeferredDeleter<Teardown>::Delete);
    return detail::ObjectAccess::Adopt<Object>(header);
  };
  make();
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(freed, 1);
  ObjectPtr<Object> watched = make();
  WeakObjectPtr<Object> watcher(watched);
  watched.reset();
  EXPECT_EQ(destroyed, 2);
  EXPECT_EQ(freed, 1);
  watcher.reset();
  EXPECT_EQ(freed, 2);
}

}  // namespace
}  // namespace transom
