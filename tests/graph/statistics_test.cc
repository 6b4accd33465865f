#include <transom/graph/statistics.h>

#include <gtest/gtest.h>
#include <transom/containers/bigint.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>
#include <transom/runtime/function.h>

#include <limits>
#include <string>

#include "support/native_types.h"

namespace transom {
namespace {

using testing::Call;
using testing::Const;

TypeCount Of(const GraphStatistics& stats, const std::string& key) {
  for (const TypeCount& type : stats.types) {
    if (type.type_key == key) return type;
  }
  return {};
}

TEST(Statistics, OfAPlainValue) {
  const GraphStatistics stats = Statistics(7);
  ASSERT_EQ(stats.types.size(), 1u);
  EXPECT_EQ(stats.types[0].type_key, "int");
  EXPECT_EQ(stats.types[0].count, 1u);
  EXPECT_EQ(stats.types[0].bytes, 0u);
  EXPECT_EQ(stats.objects, 0u);
  EXPECT_EQ(stats.edges, 0u);
  EXPECT_EQ(stats.max_depth, 0u);
  EXPECT_EQ(stats.tree_size, 1u);
}

TEST(Statistics, CountsObjectsEdgesAndSharing) {
  const Any shared = Const(1);
  // Call -> args -> {shared, shared, Const -> shared}; the op is a string, the span is None.
  const GraphStatistics stats = Statistics(Call("f", {shared, shared, Const(shared)}));
  EXPECT_EQ(stats.objects, 4u);
  EXPECT_EQ(stats.shared, 1u);
  EXPECT_EQ(stats.edges, 1u + 1u + 3u + 1u + 1u);
  EXPECT_EQ(stats.max_depth, 4u);
  EXPECT_EQ(stats.tree_size, 1u + 1u + 1u + 2u + 2u + 3u);
  EXPECT_EQ(Of(stats, "native.Const").count, 2u);
  EXPECT_EQ(Of(stats, "native.Const").bytes, 2 * sizeof(testing::ConstObj));
  EXPECT_EQ(Of(stats, "ffi.Array").count, 1u);
  EXPECT_EQ(Of(stats, "ffi.String").count, 1u);
  EXPECT_EQ(Of(stats, "int").count, 1u);
}

TEST(Statistics, RecordsCountAsTheirTypes) {
  const Any record = testing::AsRecords(Call("f", {Const(1)}));
  const GraphStatistics stats = Statistics(record);
  EXPECT_EQ(Of(stats, "native.Call").count, 1u);
  EXPECT_EQ(Of(stats, "native.Const").count, 1u);
  EXPECT_EQ(Of(stats, "transom.Record").count, 0u);
  EXPECT_GT(Of(stats, "native.Call").bytes, 0u);
}

TEST(Statistics, EveryTensorCountsOnce) {
  const Tensor a = Tensor::Empty({4, 3}, DataType::Float(32)), b = Tensor::Empty({3}, DataType::Int(4));
  const GraphStatistics stats = Statistics(Array<Any>{a, a, b, Map<String, Any>{{"k", a}}});
  EXPECT_EQ(stats.tensors, 2u);
  EXPECT_EQ(stats.tensor_bytes, 48u + 2u);
  EXPECT_EQ(stats.shared, 1u);
  EXPECT_EQ(stats.objects, 4u);
  EXPECT_EQ(Of(stats, "ffi.Tensor").count, 2u);
}

TEST(Statistics, EveryKindOfValueIsKnown) {
  const GraphStatistics stats = Statistics(
      Array<Any>{nullptr, true, 1, 1.5, DataType::Int(8), Device(kDLCPU, 0), "short", "a text of more than seven bytes",
                 Bytes(std::string("b")), Shape{1, 2}, BigInt::FromDecimal("99999999999999999999"), List<Any>{1},
                 Map<Any, Any>{{1, 2}}, Dict<Any, Any>{{1, 2}}, testing::Op("add"), Function::FromTyped([] {})});
  for (const char* key : {"None", "bool", "float", "DataType", "Device", "ffi.Bytes", "ffi.Shape", "ffi.BigInt",
                          "ffi.List", "ffi.Map", "ffi.Dict", "native.Op", "ffi.Function"}) {
    EXPECT_EQ(Of(stats, key).count, 1u) << key;
  }
  EXPECT_EQ(Of(stats, "ffi.String").count, 2u);
  EXPECT_EQ(Of(stats, "ffi.String").bytes, 40u + 31u + 1u);
  EXPECT_EQ(Of(stats, "int").count, 1u + 1u + 2u + 2u);
  EXPECT_EQ(Of(stats, "ffi.Shape").bytes, 40u + 16u);
}

TEST(Statistics, LargestTypesComeFirst) {
  const GraphStatistics stats = Statistics(Array<Any>{Call("f"), Call("g"), Const(1), true, 2, 3});
  for (size_t i = 1; i < stats.types.size(); ++i) {
    const TypeCount &a = stats.types[i - 1], &b = stats.types[i];
    EXPECT_TRUE(a.bytes > b.bytes ||
                (a.bytes == b.bytes && (a.count > b.count || (a.count == b.count && a.type_key < b.type_key))));
  }
}

TEST(Statistics, LaddersAreLinearAndSaturate) {
  Any last = Const(1);
  for (int i = 0; i < 40; ++i) last = Array<Any>{last, last};
  GraphStatistics stats = Statistics(last);
  EXPECT_EQ(stats.objects, 41u);
  EXPECT_EQ(stats.max_depth, 41u);
  EXPECT_EQ(stats.tree_size, ((uint64_t{1} << 40) - 1) + 2 * (uint64_t{1} << 40));
  for (int i = 0; i < 100000; ++i) last = Array<Any>{last, last};
  stats = Statistics(last);
  EXPECT_EQ(stats.tree_size, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(stats.shared, 100040u);
}

TEST(Statistics, AChainOfAMillion) {
  Any last;
  for (int i = 0; i < 1000000; ++i) last = Const(std::move(last));
  const GraphStatistics stats = Statistics(last);
  EXPECT_EQ(stats.objects, 1000000u);
  EXPECT_EQ(stats.max_depth, 999999u);
}

TEST(Statistics, CyclesAreErrorsWithTheirPlace) {
  List<Any> list;
  list.push_back(Const(list));
  EXPECT_EQ(testing::ErrorOf([&] { Statistics(list); }).substr(0, 52),
            "ValueError: <root>[0].value: the value contains itse");
  list.clear();
}

}  // namespace
}  // namespace transom
