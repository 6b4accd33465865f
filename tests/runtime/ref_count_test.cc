#include <gtest/gtest.h>
#include <transom/runtime/object.h>
#include <transom/runtime/ref_count.h>

#include <atomic>
#include <thread>
#include <vector>

namespace transom {
namespace {

std::vector<int> deleter_flags;

TVMFFIObject NewHeader() {
  TVMFFIObject header{};
  header.combined_ref_count = detail::kSoleOwner;
  header.type_index = kTVMFFIObject;
  header.deleter = [](void*, int flags) { deleter_flags.push_back(flags); };
  deleter_flags.clear();
  return header;
}

TEST(RefCount, CountsLieInOneWord) {
  TVMFFIObject obj = NewHeader();
  EXPECT_EQ(obj.combined_ref_count, uint64_t{0x0000000100000001});
  detail::IncRef(&obj);
  EXPECT_EQ(obj.combined_ref_count, uint64_t{0x0000000100000002});
  detail::IncWeakRef(&obj);
  EXPECT_EQ(obj.combined_ref_count, uint64_t{0x0000000200000002});
  EXPECT_EQ(detail::UseCount(&obj), 2u);
}

TEST(RefCount, LastReleaseOfAnUnwatchedObjectRunsTheDeleterOnceWithBoth) {
  TVMFFIObject obj = NewHeader();
  detail::IncRef(&obj);
  detail::DecRef(&obj);
  EXPECT_TRUE(deleter_flags.empty());
  detail::DecRef(&obj);
  EXPECT_EQ(deleter_flags, std::vector<int>{3});
  EXPECT_EQ(obj.combined_ref_count, uint64_t{1} << 32);
}

TEST(RefCount, WatchedObjectIsDestroyedThenFreed) {
  TVMFFIObject obj = NewHeader();
  detail::IncWeakRef(&obj);
  detail::DecRef(&obj);
  EXPECT_EQ(deleter_flags, std::vector<int>{1});
  EXPECT_FALSE(detail::TryPromote(&obj));
  detail::DecWeakRef(&obj);
  EXPECT_EQ(deleter_flags, (std::vector<int>{1, 2}));
}

TEST(RefCount, UnwatchedAgainIsDestroyedAndFreedTogether) {
  TVMFFIObject obj = NewHeader();
  detail::IncWeakRef(&obj);
  EXPECT_TRUE(detail::TryPromote(&obj));
  EXPECT_EQ(detail::UseCount(&obj), 2u);
  detail::DecWeakRef(&obj);
  detail::DecRef(&obj);
  detail::DecRef(&obj);
  EXPECT_EQ(deleter_flags, std::vector<int>{3});
}

TEST(RefCount, ObjectWithoutDeleterIsLeftAlone) {
  TVMFFIObject obj = NewHeader();
  obj.deleter = nullptr;
  detail::DecRef(&obj);
  EXPECT_EQ(detail::UseCount(&obj), 0u);
}

// Threads share, watch and promote one object; it dies exactly once, after the last of them.
TEST(RefCount, ThreadsShareOneObject) {
  class CountingObj : public Object {
   public:
    explicit CountingObj(std::atomic<int>* count) : deaths(count) {}
    ~CountingObj() { ++*deaths; }
    std::atomic<int>* deaths;
    int64_t payload = 7;
  };
  std::atomic<int> deaths{0};
  for (int round = 0; round < 20; ++round) {
    ObjectPtr<CountingObj> shared = make_object<CountingObj>(&deaths);
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([copy = shared]() mutable {
        WeakObjectPtr<CountingObj> watcher(copy);
        for (int j = 0; j < 1000; ++j) {
          ObjectPtr<CountingObj> other = copy;
          ObjectPtr<CountingObj> locked = watcher.lock();
          ASSERT_NE(locked, nullptr);
          ASSERT_EQ(locked->payload, 7);
        }
        copy.reset();
        if (ObjectPtr<CountingObj> locked = watcher.lock()) {
          ASSERT_EQ(locked->payload, 7);
        }
      });
    }
    shared.reset();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(deaths, round + 1);
  }
}

}  // namespace
}  // namespace transom
