#include <transom/runtime/object_block.h>

#include <gtest/gtest.h>
#include <malloc.h>
#include <transom/containers/array.h>
#include <transom/runtime/any.h>

#include <thread>
#include <vector>

#include "support/scale.h"
#include "support/small_stack.h"

namespace transom {
namespace {

using transom::testing::RunOnSmallStack;

using detail::BlockDeleter;
using detail::ObjectAccess;
using detail::ObjectBlock;

// Fills one block as readers of files do.
class Filler {
 public:
  explicit Filler(size_t size)
      : block_(static_cast<ObjectBlock*>(std::malloc(sizeof(ObjectBlock) + size))),
        next_(reinterpret_cast<char*>(block_ + 1)) {
    block_->live = 1;
  }
  Filler(const Filler&) = delete;
  Filler& operator=(const Filler&) = delete;
  ~Filler() { detail::DropFromBlock(block_, 1); }

  void* Allocate(size_t size) {
    auto** prefix = reinterpret_cast<ObjectBlock**>(next_);
    *prefix = block_;
    ++block_->live;
    next_ += sizeof(ObjectBlock*) + size;
    return prefix + 1;
  }
  template <class T, class... Args>
  ObjectPtr<T> Make(Args&&... args) {
    T* body = new (Allocate(sizeof(T))) T(std::forward<Args>(args)...);
    ObjectAccess::Init(body, T::RuntimeTypeIndex(), &BlockDeleter<T>::Delete);
    return ObjectAccess::Adopt<T>(ObjectAccess::Header(body));
  }
  uint64_t live() const { return block_->live; }

 private:
  ObjectBlock* block_;
  char* next_;
};

class LinkObj : public Object {
 public:
  explicit LinkObj(ObjectPtr<Object> next_link = nullptr, int64_t* count = nullptr)
      : next(std::move(next_link)), deaths(count) {}
  ~LinkObj() {
    if (deaths != nullptr) __atomic_add_fetch(deaths, 1, __ATOMIC_RELAXED);
  }
  ObjectPtr<Object> next;
  int64_t* deaths;
  TRANSOM_DECLARE_OBJECT_INFO("test.block.Link", LinkObj, Object);
};

// Owns nothing: freed without a destructor.
class PlainObj : public Object {
 public:
  int64_t value = 7;
  TRANSOM_DECLARE_OBJECT_INFO("test.block.Plain", PlainObj, Object);
};

// Much larger than what else comes and goes in a test.
constexpr size_t kLargeBlock = size_t{4} << 20;
constexpr bool kCountMemory = !testing::kSanitized;  // theirs is not glibc's malloc; they look for leaks themselves
size_t UsedMemory() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

void ExpectMemory(size_t before) {
  if (kCountMemory) {
    EXPECT_LT(UsedMemory(), before + kLargeBlock / 2);
  }
}

void ExpectBlockIsKept(size_t before) {
  if (kCountMemory) {
    EXPECT_GT(UsedMemory(), before + kLargeBlock / 2);
  }
}

TEST(ObjectBlock, ObjectsAreDestroyedOnceAndMemoryGoesWithTheLast) {
  const size_t before = UsedMemory();
  int64_t deaths = 0;
  std::vector<ObjectPtr<LinkObj>> objects;
  {
    Filler filler(kLargeBlock);
    for (int i = 0; i < 1000; ++i) objects.push_back(filler.Make<LinkObj>(nullptr, &deaths));
    EXPECT_EQ(filler.live(), 1001u);
    objects.pop_back();
    EXPECT_EQ(filler.live(), 1000u);
  }
  EXPECT_EQ(deaths, 1);
  ExpectBlockIsKept(before);
  ObjectPtr<LinkObj> last = objects[500];
  objects.clear();
  EXPECT_EQ(deaths, 999);
  ExpectBlockIsKept(before);
  last.reset();
  EXPECT_EQ(deaths, 1000);
  ExpectMemory(before);
}

TEST(ObjectBlock, AnEmptyBlockGoesWithItsFiller) {
  const size_t before = UsedMemory();
  { Filler filler(kLargeBlock); }
  ExpectMemory(before);
  {
    Filler filler(kLargeBlock);
    for (int i = 0; i < 10; ++i) filler.Make<LinkObj>();
    EXPECT_EQ(filler.live(), 1u) << "places are not used again";
  }
  ExpectMemory(before);
}

TEST(ObjectBlock, ObjectsThatOwnNothing) {
  const size_t before = UsedMemory();
  ObjectPtr<PlainObj> kept;
  {
    Filler filler(kLargeBlock);
    kept = filler.Make<PlainObj>();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(filler.Make<PlainObj>()->value, 7);
  }
  EXPECT_EQ(kept->value, 7);
  kept.reset();
  ExpectMemory(before);
}

TEST(ObjectBlock, WeakReferencesKeepTheBlock) {
  const size_t before = UsedMemory();
  int64_t deaths = 0;
  WeakObjectPtr<LinkObj> weak;
  WeakObjectPtr<PlainObj> weak_plain;
  {
    Filler filler(kLargeBlock);
    ObjectPtr<LinkObj> object = filler.Make<LinkObj>(nullptr, &deaths);
    ObjectPtr<PlainObj> plain = filler.Make<PlainObj>();
    weak = WeakObjectPtr<LinkObj>(object);
    weak_plain = WeakObjectPtr<PlainObj>(plain);
    EXPECT_NE(weak.lock(), nullptr);
  }
  EXPECT_EQ(deaths, 1);
  EXPECT_TRUE(weak.expired());
  EXPECT_EQ(weak_plain.lock(), nullptr);
  ExpectBlockIsKept(before);
  weak.reset();
  ExpectBlockIsKept(before);
  weak_plain.reset();
  ExpectMemory(before);
}

TEST(ObjectBlock, ObjectsOfSeveralBlocksHoldEachOther) {
  const size_t before = UsedMemory();
  int64_t deaths = 0;
  ObjectPtr<Object> head;
  {
    Filler a(kLargeBlock), b(kLargeBlock);
    for (int i = 0; i < 1000; ++i) {
      head = a.Make<LinkObj>(std::move(head), &deaths);
      head = b.Make<LinkObj>(std::move(head), &deaths);
      head = make_object<LinkObj>(std::move(head), &deaths);
    }
  }
  head.reset();
  EXPECT_EQ(deaths, 3000);
  ExpectMemory(before);
}

TEST(ObjectBlock, ALongChainNeedsNoStack) {
  constexpr int64_t kLinks = 1000000;
  const size_t before = UsedMemory();
  int64_t deaths = 0;
  RunOnSmallStack([&] {
    ObjectPtr<Object> head;
    {
      Filler filler((sizeof(LinkObj) + sizeof(void*)) * kLinks);
      for (int64_t i = 0; i < kLinks; ++i) head = filler.Make<LinkObj>(std::move(head), &deaths);
    }
    head.reset();
  });
  EXPECT_EQ(deaths, kLinks);
  ExpectMemory(before);
}

TEST(ObjectBlock, SeveralThreadsDropObjectsOfOneBlock) {
  const size_t before = UsedMemory();
  constexpr int kThreads = 4, kObjects = 20000;
  int64_t deaths = 0;
  std::vector<std::vector<ObjectPtr<Object>>> parts(kThreads);
  {
    Filler filler(kLargeBlock);
    ObjectPtr<Object> shared = filler.Make<LinkObj>(nullptr, &deaths);
    for (int i = 0; i < kObjects; ++i)
      parts[static_cast<size_t>(i % kThreads)].push_back(filler.Make<LinkObj>(shared, &deaths));
  }
  std::vector<std::thread> threads;
  for (auto& part : parts) threads.emplace_back([&part] { part.clear(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(deaths, kObjects + 1);
  ExpectMemory(before);
}

// ---- Arrays that begin in a block

Array<Any> ArrayInBlock(Filler& filler, uint32_t capacity, int64_t size) {
  ObjectPtr<ArrayObj> array =
      ArrayObj::Place(filler.Allocate(ArrayObj::SizeFor(capacity)), capacity, &BlockDeleter<ArrayObj>::Delete);
  for (int64_t i = 0; i < size; ++i) array->PushOwned(Any(i));
  return Array<Any>(std::move(array));
}

TEST(ObjectBlock, AnArrayGrowsOutOfItsBlock) {
  const size_t before = UsedMemory();
  Array<Any> array;
  {
    Filler filler(kLargeBlock);
    array = ArrayInBlock(filler, 3, 3);
  }
  EXPECT_EQ(array.size(), 3);
  const Array<Any> old = array;
  for (int64_t i = 3; i < 1000; ++i) array = std::move(array).push_back(Any(i));
  EXPECT_EQ(old.size(), 3);
  for (int64_t i = 0; i < 1000; ++i) ASSERT_EQ(array[i].cast<int64_t>(), i);
  array = Array<Any>();
  EXPECT_EQ(old[2].cast<int64_t>(), 2);
  ExpectBlockIsKept(before);
  array = old;
}

TEST(ObjectBlock, AnArrayThatIsChangedInPlace) {
  const size_t before = UsedMemory();
  {
    int64_t deaths = 0;
    Array<Any> array;
    {
      Filler filler(kLargeBlock);
      array = ArrayInBlock(filler, 8, 3);
      array = std::move(array).push_back(Any(filler.Make<LinkObj>(nullptr, &deaths)));
    }
    EXPECT_EQ(array.size(), 4);
    array = std::move(array).set(3, Any(5));
    EXPECT_EQ(deaths, 1);
    array = std::move(array).erase(0);
    EXPECT_EQ(array[2].cast<int64_t>(), 5);
  }
  ExpectMemory(before);
}

TEST(ObjectBlock, AnEmptyArray) {
  const size_t before = UsedMemory();
  {
    Array<Any> array;
    {
      Filler filler(kLargeBlock);
      array = ArrayInBlock(filler, 0, 0);
    }
    EXPECT_TRUE(array.empty());
    array = std::move(array).push_back(1);
    EXPECT_EQ(array.size(), 1);
  }
  ExpectMemory(before);
}

// ---- Layouts of types

TEST(BlockLayout, PlacesAndCopies) {
  class DefaultsObj : public Object {
   public:
    Array<Any> items{1, 2};
    int64_t number = 5;
  };
  static_assert(detail::kFitsInBlock<DefaultsObj>);
  const detail::BlockLayout& layout = *detail::BlockLayoutOf<DefaultsObj>();
  EXPECT_EQ(layout.size, sizeof(DefaultsObj));
  Filler filler(4096);
  const int32_t index = PlainObj::RuntimeTypeIndex();
  const auto owned = [](TVMFFIObject* header) { return ObjectAccess::Adopt<DefaultsObj>(header); };
  const ObjectPtr<DefaultsObj> placed = owned(layout.place(filler.Allocate(layout.size), index));
  EXPECT_EQ(placed->type_index(), index);
  EXPECT_EQ(placed.use_count(), 1);
  EXPECT_EQ(placed->items.size(), 2);
  placed->number = 6;
  const ObjectPtr<DefaultsObj> copy =
      owned(layout.copy(filler.Allocate(layout.size), ObjectAccess::Header(placed.get()), index));
  EXPECT_EQ(copy.use_count(), 1);
  EXPECT_EQ(copy->number, 6);
  EXPECT_EQ(Any(copy->items).raw()->v_obj, Any(placed->items).raw()->v_obj);
  EXPECT_EQ(filler.live(), 3u);
}

TEST(BlockLayout, TypesThatDoNotFit) {
  class VirtualObj : public Object {
   public:
    virtual ~VirtualObj() = default;
  };
  class ArgumentObj : public Object {
   public:
    explicit ArgumentObj(int) {}
  };
  class alignas(64) AlignedObj : public Object {};
  class UniqueObj : public Object {
   public:
    UniqueObj() = default;
    UniqueObj(const UniqueObj&) = delete;
  };
  EXPECT_FALSE(detail::kFitsInBlock<VirtualObj>);
  EXPECT_FALSE(detail::kFitsInBlock<ArgumentObj>);
  EXPECT_FALSE(detail::kFitsInBlock<AlignedObj>);
  EXPECT_TRUE(detail::kFitsInBlock<UniqueObj>);
  EXPECT_EQ(detail::BlockLayoutOf<UniqueObj>()->copy, nullptr);
}

}  // namespace
}  // namespace transom
