#include "schema/record_block.h"

#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/runtime/object_block.h>
#include <transom/schema/schema.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace transom::schema {
namespace {

SchemaRef TestTypes() {
  return Schema::Parse(
      R"({"transom_schema":1,"name":"blocks","types":{"b.Link":{"fields":[{"name":"next","type":"b.Link"},{"name":"any","type":"Any"},
      {"name":"number","type":"int"}]},"b.Op":{"data":"custom"},"b.Empty":{"fields":[]}}})",
      "blocks");
}

// Records in one block, made as readers of files make them.
class Records {
 public:
  Records(const TypeDescriptor& type, size_t capacity) : type_(type) {
    block_ = static_cast<detail::ObjectBlock*>(
        std::malloc(sizeof(detail::ObjectBlock) + capacity * (type.instance_size + sizeof(void*))));
    block_->live = 1;
    next_ = reinterpret_cast<char*>(block_ + 1);
  }
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;
  ~Records() { detail::DropFromBlock(block_, 1); }

  ObjectPtr<RecordObj> Make() {
    *reinterpret_cast<detail::ObjectBlock**>(next_) = block_;
    ++block_->live;
    void* memory = next_ + sizeof(void*);
    next_ += sizeof(void*) + type_.instance_size;
    type_.schema->AddRefs(1);
    return detail::ObjectAccess::Adopt<RecordObj>(reinterpret_cast<TVMFFIObject*>(PlaceRecord(memory, type_)));
  }
  uint64_t live() const { return block_->live; }

 private:
  const TypeDescriptor& type_;
  detail::ObjectBlock* block_;
  char* next_;
};

TEST(RecordBlock, RecordsAreLikeOthers) {
  Any kept;
  {
    SchemaRef schema = TestTypes();
    Records records(*schema->Find("b.Link"), 3);
    ObjectPtr<RecordObj> first = records.Make();
    EXPECT_EQ(Any(first->Get("next")), nullptr);
    EXPECT_EQ(Any(first->Get("any")), nullptr);
    EXPECT_EQ(first->Get("number").cast<int64_t>(), 0);
    first->Init(1, Any(String("a text of some length")));
    first->Init(2, Any(5));
    ObjectPtr<RecordObj> second = records.Make();
    second->Init(0, Any(first));
    kept = Any(second);
    EXPECT_EQ(records.live(), 3u);
  }
  // The record keeps its schema, its block and what it holds.
  const RecordObj* record = AsRecord(*kept.raw(), RecordObj::RuntimeTypeIndex());
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->descriptor->key, "b.Link");
  const Any first(record->Get("next"));
  EXPECT_EQ(AsRecord(*first.raw(), RecordObj::RuntimeTypeIndex())->Get("any").cast<std::string>(),
            "a text of some length");
}

TEST(RecordBlock, CustomDataAndNoFields) {
  SchemaRef schema = TestTypes();
  Records ops(*schema->Find("b.Op"), 1), empties(*schema->Find("b.Empty"), 1);
  ObjectPtr<RecordObj> op = ops.Make(), empty = empties.Make();
  EXPECT_EQ(op->data(), "");
  op->InitData(String("{\"name\":\"a name of some length\"}"));
  EXPECT_EQ(op->data(), "{\"name\":\"a name of some length\"}");
  empty.reset();
  EXPECT_EQ(empties.live(), 1u);
}

TEST(RecordBlock, ALongChainNeedsNoStack) {
  constexpr size_t kLinks = 1000000;
  SchemaRef schema = TestTypes();
  Records records(*schema->Find("b.Link"), kLinks);
  Any head;
  for (size_t i = 0; i < kLinks; ++i) {
    ObjectPtr<RecordObj> link = records.Make();
    link->Init(i % 2 == 0 ? 0 : 1, std::move(head));
    head = Any(std::move(link));
  }
  EXPECT_EQ(records.live(), kLinks + 1);
  head = nullptr;
  EXPECT_EQ(records.live(), 1u);
}

TEST(RecordBlock, SeveralThreadsDropRecordsOfOneBlock) {
  constexpr size_t kThreads = 4, kRecords = 8000;
  std::vector<std::vector<Any>> parts(kThreads);
  SchemaRef schema = TestTypes();
  Records records(*schema->Find("b.Link"), kRecords + 1);
  Any shared(records.Make());
  for (size_t i = 0; i < kRecords; ++i) {
    ObjectPtr<RecordObj> record = records.Make();
    record->Init(0, shared);
    parts[i % kThreads].push_back(Any(std::move(record)));
  }
  shared = nullptr;
  std::vector<std::thread> threads;
  for (auto& part : parts) threads.emplace_back([&part] { part.clear(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(records.live(), 1u);
}

}  // namespace
}  // namespace transom::schema
