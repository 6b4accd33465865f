// Graphs of ten million objects of any shape are destroyed on a small stack: containers, native objects and records,
// alone and in each other.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/reflection/registry.h>
#include <transom/schema/record.h>
#include <transom/schema/schema.h>

#include <utility>
#include <vector>

#include "support/scale.h"
#include "support/small_stack.h"

namespace transom {
namespace {

using testing::RunOnSmallStack;

constexpr int64_t kObjects = testing::kSanitized ? 300000 : 10000000;

int64_t live = 0;

class PairObj : public Object {
 public:
  PairObj() { ++live; }
  PairObj(const PairObj& other) : Object(other), first(other.first), second(other.second) { ++live; }
  ~PairObj() { --live; }
  Any first;
  ObjectRef second;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.destruction.Pair", PairObj, Object);
};

ObjectRef Pair(Any first, ObjectRef second) {
  auto pair = make_object<PairObj>();
  pair->first = std::move(first);
  pair->second = std::move(second);
  return ObjectRef(std::move(pair));
}

const schema::TypeDescriptor& NodeType() {
  static const schema::SchemaRef types = schema::Schema::Parse(
      R"({"transom_schema":1,"name":"destruction","types":{"destruction.Node":{"fields":[{"name":"next","type":"Any"}]}}})",
      "test");
  return *types->Find("destruction.Node");
}

Any Record(Any next) {
  ObjectPtr<RecordObj> record = RecordObj::Create(NodeType());
  record->Init(0, std::move(next));
  return record;
}

/* Destroys what `make` gives; nothing of it is left. */
template <class Make>
void ExpectDestroyed(Make make) {
  ASSERT_EQ(live, 0);
  RunOnSmallStack([&] {
    Any root = make();
    EXPECT_GT(live, 0);
    root.reset();
  });
  EXPECT_EQ(live, 0);
}

/* One more object around a value; which kind, `i` says. */
Any Wrap(Any value, int64_t i) {
  switch (i % 8) {
    case 0:
      return Array<Any>{std::move(value), "text that lies on the heap"};
    case 1:
      return List<Any>{1, std::move(value)};
    case 2:
      return Map<Any, Any>{{"key", std::move(value)}};
    case 3:
      return Dict<Any, Any>{{1, 2}, {std::move(value), 3}};  // as a key
    case 4:
      return Record(std::move(value));
    case 5:
      return Map<Any, Any>{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, std::move(value)}};  // the dense layout
    default:
      return Pair(std::move(value), ObjectRef());
  }
}

TEST(Destruction, AChainOfAllKinds) {
  ExpectDestroyed([] {
    Any value;
    for (int64_t i = 0; i < kObjects; ++i) value = Wrap(std::move(value), i);
    return value;
  });
}

TEST(Destruction, MapsOfMaps) {
  ExpectDestroyed([] {
    Any value = Pair(nullptr, ObjectRef());
    for (int64_t i = 0; i < kObjects; ++i) {
      value = i % 2 == 0 ? Any(Map<Any, Any>{{std::move(value), i}}) : Any(Dict<Any, Any>{{i, std::move(value)}});
    }
    return value;
  });
}

TEST(Destruction, AWideTree) {
  ExpectDestroyed([] {
    std::vector<Any> rows;
    for (int64_t i = 0; i < kObjects / 1000; ++i) {
      ObjectPtr<ArrayObj> row = ArrayObj::Create(1000);
      for (int64_t j = 0; j < 1000; ++j) row->PushOwned(Pair(j, ObjectRef()));
      rows.emplace_back(std::move(row));
    }
    return Any(Array<Any>(rows));
  });
}

TEST(Destruction, SharedAtEveryLevel) {
  // Its tree expansion has 2^kObjects nodes.
  ExpectDestroyed([] {
    ObjectRef value = Pair(nullptr, ObjectRef());
    for (int64_t i = 1; i < kObjects; ++i) value = Pair(value, value);
    return Any(std::move(value));
  });
}

TEST(Destruction, AChainThatIsSharedFromTheSide) {
  // Every object of the chain is held by a list too, so the chain dies one by one as the list gives them up.
  ExpectDestroyed([] {
    List<Any> all;
    Any value;
    for (int64_t i = 0; i < kObjects / 2; ++i) {
      value = Wrap(std::move(value), i);
      all.push_back(value);
    }
    all.insert(0, std::move(value));
    return Any(std::move(all));
  });
}

TEST(Destruction, ACombOfLongChains) {
  ExpectDestroyed([] {
    constexpr int64_t kTeeth = 100;
    ObjectRef spine;
    for (int64_t tooth = 0; tooth < kTeeth; ++tooth) {
      Any value;
      for (int64_t i = 0; i < kObjects / kTeeth; ++i) value = Wrap(std::move(value), i);
      spine = Pair(std::move(value), std::move(spine));
    }
    return Any(std::move(spine));
  });
}

TEST(Destruction, WatchedObjectsInAChain) {
  std::vector<WeakObjectPtr<Object>> watchers;
  ExpectDestroyed([&] {
    Any value;
    for (int64_t i = 0; i < kObjects / 10; ++i) {
      value = Wrap(std::move(value), i);
      if (i % 5 == 0) watchers.emplace_back(value.cast<ObjectPtr<Object>>());
    }
    return value;
  });
  for (const auto& watcher : watchers) ASSERT_TRUE(watcher.expired());
}

}  // namespace
}  // namespace transom
