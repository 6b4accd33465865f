#include <transom/structural/deduplicate.h>

#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/bigint.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/function.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "structural/dedup/deduplicate_parts.h"
#include "support/graph_gen.h"
#include "support/library.h"
#include "support/native_types.h"

namespace transom {
namespace {

using testing::AsRecords;
using testing::Call;
using testing::CallObj;
using testing::Const;
using testing::ErrorOf;
using testing::Hooked;
using testing::Lambda;
using testing::Let;
using testing::LoadTable;
using testing::MakeToken;
using testing::Node;
using testing::NodeTable;
using testing::Op;
using testing::Plain;
using testing::Var;

class SealedObj : public Object {
 public:
  explicit SealedObj(Any part) : part(std::move(part)) {}
  SealedObj(const SealedObj&) = delete;
  Any part;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.dedup.Sealed", SealedObj, Object);
};

// Copied by its hook, which knows what reflection does not.
class CachedObj : public Object {
 public:
  Any part;
  int hidden = 0;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindDAGNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.dedup.Cached", CachedObj, Object);
};

// A unique instance that holds something.
class HandleObj : public Object {
 public:
  Any part;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.dedup.Handle", HandleObj, Object);
};

TRANSOM_STATIC_INIT_BLOCK() {
  reflection::ObjectDef<HandleObj>().def_ro("part", &HandleObj::part);
  reflection::ObjectDef<SealedObj>().def_ro("part", &SealedObj::part);
  reflection::ObjectDef<CachedObj>().def_ro("part", &CachedObj::part);
}

Any Handle(Any part) {
  auto obj = make_object<HandleObj>();
  obj->part = std::move(part);
  return Any(std::move(obj));
}

DeduplicateOptions FileOptions() {
  DeduplicateOptions options;
  options.as_files = true;
  return options;
}

DeduplicateOptions FunctionOptions() {
  DeduplicateOptions options;
  options.merge_functions = true;
  return options;
}

Any Item(const Any& sequence, int64_t i) { return sequence.cast<Array<Any>>()[i]; }

bool SameObject(const Any& a, const Any& b) { return a.raw()->v_obj == b.raw()->v_obj; }

// Whether the two, side by side in an array, become one object.
bool Merges(const Any& a, const Any& b, const DeduplicateOptions& options = {}) {
  const Array<Any> both{a, b};
  const Any result = Deduplicate(both, options).value;
  EXPECT_TRUE(SameObject(Item(result, 0), a)) << "the first one stays";
  return SameObject(Item(result, 0), Item(result, 1));
}

Tensor Floats(const std::vector<float>& content, const std::vector<int64_t>& shape) {
  Tensor tensor = Tensor::Empty(Shape(shape.begin(), shape.end()), DLDataType{kDLFloat, 32, 1});
  std::memcpy(tensor.data_ptr(), content.data(), content.size() * sizeof(float));
  return tensor;
}

double NaNOf(uint64_t bits) {
  double v;
  std::memcpy(&v, &bits, sizeof(v));
  return v;
}

TEST(Deduplicate, EqualTreesBecomeOne) {
  const Any value = Array<Any>{Call("f", {Const(1), Const(2)}), Call("g", {Const(2)}), Call("f", {Const(1), Const(2)})};
  const DeduplicateResult result = Deduplicate(value);
  EXPECT_TRUE(SameObject(Item(result.value, 0), Item(value, 0))) << "what does not change is kept";
  EXPECT_TRUE(SameObject(Item(result.value, 0), Item(result.value, 2)));
  const Any g = Item(result.value, 1);
  EXPECT_TRUE(SameObject(g.as<CallObj>()->args[0], Item(value, 0).as<CallObj>()->args[1]));
  EXPECT_EQ(result.before().objects, 12u);
  EXPECT_EQ(result.after().objects, 7u);
  EXPECT_EQ(result.objects_saved(), 5u);
  EXPECT_GT(result.bytes_saved(), 0);
  EXPECT_TRUE(StructuralEqual::Equal(value, result.value));
  EXPECT_FALSE(SameObject(Item(value, 0), Item(value, 2))) << "the input is not changed";
  EXPECT_TRUE(Deduplicate(result.value).value.same_as(result.value));
}

TEST(Deduplicate, NothingToMergeGivesTheInput) {
  for (const Any& value : {Any(1), Any(nullptr), Any(String("a string beyond seven bytes")),
                           Any(Array<Any>{1, 1, "x", "x"}), Any(Shape{1, 2}), Call("f", {Const(1)})}) {
    const DeduplicateResult result = Deduplicate(value);
    EXPECT_TRUE(result.value.same_as(value));
    EXPECT_EQ(result.objects_saved(), 0u);
    EXPECT_EQ(result.bytes_saved(), 0);
  }
}

TEST(Deduplicate, RecordsAndNativeObjects) {
  const Any native = Array<Any>{Call("f", {Const(1)}), Call("f", {Const(1)}), Call("g", {Const(1)})};
  const Any records = AsRecords(native);
  for (const Any& value : {native, records, AsRecords(records)}) {
    const DeduplicateResult result = Deduplicate(value);
    EXPECT_EQ(result.before().objects, 10u);
    EXPECT_EQ(result.after().objects, 5u);
    EXPECT_TRUE(StructuralEqual::Equal(native, result.value));
  }
  // A native field may not hold a record, so the two stay apart; records of two readings of one schema do not.
  EXPECT_FALSE(Merges(Const(1), AsRecords(Const(1))));
  EXPECT_TRUE(Merges(AsRecords(Const(1)), AsRecords(Const(1))));
  EXPECT_EQ(Deduplicate(Array<Any>{native, records}).after().objects, 1u + 5u + 5u);
}

TEST(Deduplicate, Scalars) {
  EXPECT_TRUE(Merges(Const(0.0), Const(0.0)));
  EXPECT_FALSE(Merges(Const(0.0), Const(-0.0)));
  EXPECT_FALSE(Merges(Const(1), Const(1.0)));
  EXPECT_FALSE(Merges(Const(1), Const(true)));
  EXPECT_TRUE(Merges(Const(NaNOf(0x7ff8000000000000)), Const(NaNOf(0x7ff8000000000001))));
  EXPECT_FALSE(Merges(Const(nullptr), Const(0)));
  EXPECT_TRUE(Merges(Const(std::numeric_limits<int64_t>::min()), Const(std::numeric_limits<int64_t>::min())));
}

TEST(Deduplicate, Strings) {
  EXPECT_TRUE(Merges(Const("short"), Const("short")));
  EXPECT_TRUE(Merges(Const(String("a string beyond seven bytes")), Const(String("a string beyond seven bytes"))));
  EXPECT_FALSE(Merges(Const(String("a string beyond seven bytes")), Const(String("a string beyond seven byteS"))));
  EXPECT_FALSE(Merges(Const(String("a")), Const(Bytes(std::string("a")))));
  EXPECT_FALSE(Merges(Const(String("a\0b", 3)), Const(String("a\0c", 3))));
}

TEST(Deduplicate, LeafObjects) {
  EXPECT_TRUE(Merges(Shape{1, 2}, Shape{1, 2}));
  EXPECT_FALSE(Merges(Shape{1, 2}, Shape{1, 3}));
  EXPECT_FALSE(Merges(Shape{}, Shape{0}));
  EXPECT_TRUE(Merges(Shape{}, Shape{}));
  const auto big = [](const char* digits) {
    return LoadJSON(std::string(R"({"root_index":0,"nodes":[{"type":"ffi.BigInt","data":")") + digits + "\"}]}").value;
  };
  EXPECT_TRUE(Merges(big("99999999999999999999"), big("99999999999999999999")));
  EXPECT_FALSE(Merges(big("99999999999999999999"), big("-99999999999999999999")));
  // Inside an object: what holds a leaf that was merged is made again.
  EXPECT_TRUE(Merges(Const(Shape{7}), Const(Shape{7})));
}

TEST(Deduplicate, Tensors) {
  std::vector<float> content(10000, 1.5f);
  const Tensor tensor = Floats(content, {100, 100});
  EXPECT_TRUE(Merges(tensor, Floats(content, {100, 100})));
  EXPECT_FALSE(Merges(tensor, Floats(content, {10000}))) << "the same bytes in another shape";
  content[5000] = 1.25f;
  EXPECT_FALSE(Merges(tensor, Floats(content, {100, 100})));
  DeduplicateOptions skip;
  skip.skip_tensor_content = true;
  EXPECT_TRUE(Merges(tensor, Floats(content, {100, 100}), skip));
  EXPECT_FALSE(Merges(tensor, Floats(content, {10000}), skip));
  EXPECT_TRUE(Merges(Floats({0.0f}, {1}), Floats({0.0f}, {1})));
  EXPECT_FALSE(Merges(Floats({0.0f}, {1}), Floats({-0.0f}, {1})));
  Tensor other = Tensor::Empty({1}, DLDataType{kDLInt, 32, 1});
  std::memset(other.data_ptr(), 0, 4);
  EXPECT_FALSE(Merges(Floats({0.0f}, {1}), other)) << "the same bytes of another type";
}

TEST(Deduplicate, TensorsByTheirElementsWhateverTheirStrides) {
  float data[] = {1, 9, 2, 9, 3};
  int64_t shape[] = {3}, stride[] = {2};
  DLManagedTensor record{};
  record.dl_tensor = {data, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, stride, 0};
  EXPECT_TRUE(Merges(Floats({1, 2, 3}, {3}), Tensor::FromDLPack(&record)));
  EXPECT_FALSE(Merges(Floats({1, 9, 2}, {3}), Tensor::FromDLPack(&record)));
}

// Content that cannot be read is equal to itself only.
TEST(Deduplicate, TensorsBeyondTheCpu) {
  int64_t shape[] = {1};
  DLManagedTensor record{};
  record.dl_tensor = {shape, {kDLCUDA, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  const Any one = Tensor::FromDLPack(&record), other = Tensor::FromDLPack(&record);
  EXPECT_TRUE(Merges(Const(one), Const(one)));
  EXPECT_FALSE(Merges(Const(one), Const(other)));
  DeduplicateOptions skip;
  skip.skip_tensor_content = true;
  EXPECT_TRUE(Merges(Const(one), Const(other), skip));
  EXPECT_FALSE(Merges(Const(one), Const(Floats({0}, {1})), skip)) << "another device";
}

TEST(Deduplicate, ContainersByContent) {
  EXPECT_TRUE(Merges(Array<Any>{1, 2}, Array<Any>{1, 2}));
  EXPECT_FALSE(Merges(Array<Any>{1, 2}, Array<Any>{2, 1}));
  EXPECT_TRUE(Merges(Map<Any, Any>{{"a", 1}, {"b", 2}}, Map<Any, Any>{{"a", 1}, {"b", 2}}));
  EXPECT_TRUE(Merges(Map<Any, Any>{{"a", 1}, {"b", 2}}, Map<Any, Any>{{"b", 2}, {"a", 1}})) << "order does not count";
  EXPECT_FALSE(Merges(Map<Any, Any>{{"a", 1}, {"b", 2}}, Map<Any, Any>{{"a", 2}, {"b", 1}}));
  EXPECT_FALSE(Merges(Map<Any, Any>{{"a", 1}}, Map<Any, Any>{{"a", 1}, {"b", 1}}));
  EXPECT_TRUE(Merges(Map<Any, Any>{{Const(1), 1}}, Map<Any, Any>{{Const(1), 1}})) << "keys that are objects";
  EXPECT_FALSE(Merges(Map<Any, Any>{}, Array<Any>{}));
}

TEST(Deduplicate, MutableContainersAreNotMerged) {
  EXPECT_FALSE(Merges(List<Any>{1}, List<Any>{1}));
  EXPECT_FALSE(Merges(Dict<Any, Any>{{"a", 1}}, Dict<Any, Any>{{"a", 1}}));
  EXPECT_FALSE(Merges(Array<Any>{List<Any>{}}, Array<Any>{List<Any>{}})) << "nor what holds them";
  List<Any> list{1};
  EXPECT_FALSE(Merges(Array<Any>{list}, Array<Any>{list}));
}

// A list with something merged below is copied, once: what shared it shares the copy.
TEST(Deduplicate, MutableContainersKeepTheirSharing) {
  List<Any> list{Const(1), Const(1)};
  List<Any> same{Const(2)};
  Dict<Any, Any> dict{{"a", Const(1)}};
  const Any value = Array<Any>{list, list, same, dict, dict};
  const Any result = Deduplicate(value).value;
  EXPECT_FALSE(SameObject(Item(result, 0), list));
  EXPECT_TRUE(SameObject(Item(result, 0), Item(result, 1)));
  EXPECT_TRUE(SameObject(Item(result, 2), same)) << "nothing was merged below";
  EXPECT_TRUE(SameObject(Item(result, 3), Item(result, 4)));
  EXPECT_EQ(list.size(), 2);
  EXPECT_FALSE(SameObject(list[0], list[1])) << "the input is not changed";
  const auto copy = Item(result, 0).cast<List<Any>>();
  EXPECT_TRUE(SameObject(copy[0], copy[1]));
  EXPECT_TRUE(StructuralEqual::Equal(value, result));
}

TEST(Deduplicate, VariablesDagNodesAndUniqueInstancesAreNotMerged) {
  for (const DeduplicateOptions& options : {DeduplicateOptions(), FileOptions()}) {
    EXPECT_FALSE(Merges(Var("x"), Var("x"), options));
    const Any x = Var("x");
    EXPECT_FALSE(Merges(Call("f", {x}), Call("f", {x}), options)) << "not closed";
    EXPECT_FALSE(Merges(Lambda({x}, x), Lambda({x}, x), options));
    EXPECT_FALSE(Merges(Node(1), Node(1), options));
    EXPECT_FALSE(Merges(Const(Node(1)), Const(Node(1)), options));
    EXPECT_FALSE(Merges(MakeToken(1), MakeToken(1), options));
    EXPECT_FALSE(Merges(Op("add"), Op("add"), options));
  }
}

// What only equals itself outside of files stays, with all that it holds; other parts become what it holds.
TEST(Deduplicate, UnboundVariablesStayTheObjectsThatTheyAre) {
  const Any type = Const(1);
  const Any value = Array<Any>{Const(1), Var("x", type), Const(type), Var("y", Const(1))};
  const DeduplicateResult result = Deduplicate(value);
  EXPECT_TRUE(StructuralEqual::Equal(value, result.value));
  EXPECT_TRUE(SameObject(Item(result.value, 1), Item(value, 1)));
  EXPECT_TRUE(SameObject(Item(result.value, 3), Item(value, 3)));
  EXPECT_TRUE(SameObject(Item(result.value, 0), type));
  EXPECT_EQ(result.before().objects - result.after().objects, 1u);
  // In a file a variable is no more than what the file says.
  const DeduplicateResult file = Deduplicate(value, FileOptions());
  EXPECT_EQ(file.before().objects - file.after().objects, 2u);
  StructuralOptions as_files;
  as_files.as_files = true;
  EXPECT_TRUE(StructuralEqual::Equal(value, file.value, as_files));
  EXPECT_FALSE(StructuralEqual::Equal(value, file.value));
}

TEST(Deduplicate, UniqueInstancesStayTheObjectsThatTheyAre) {
  const Any value = Array<Any>{Const(1), Handle(Const(1))};
  const DeduplicateResult result = Deduplicate(value);
  EXPECT_TRUE(StructuralEqual::Equal(value, result.value));
  EXPECT_TRUE(SameObject(Item(result.value, 1), Item(value, 1)));
  EXPECT_EQ(result.objects_saved(), 1u);
  EXPECT_FALSE(SameObject(Item(Deduplicate(value, FileOptions()).value, 1), Item(value, 1)));
  // Also where comparison does not look.
  const Any ignored = Array<Any>{Const(1), Call("f", {}, Handle(Const(1)))};
  const Any kept = Item(Deduplicate(ignored).value, 1).as<CallObj>()->span;
  EXPECT_TRUE(SameObject(kept, Item(ignored, 1).as<CallObj>()->span));
}

// Equal parts of what stays are not made one there, but other parts find them.
TEST(Deduplicate, OthersBecomePartsOfWhatStays) {
  const Any two = Const(Const(1));
  const Any value = Array<Any>{Handle(Const(1)), Handle(two), Const(Const(1))};
  const DeduplicateResult result = Deduplicate(value);
  EXPECT_TRUE(SameObject(Item(result.value, 2), two));
  EXPECT_EQ(result.objects_saved(), 2u);
}

TEST(Deduplicate, BoundVariablesAreMadeAnew) {
  const Any x = Var("x", Const(1));
  const Any value = Array<Any>{Const(1), Lambda({x}, Call("f", {x, x}))};
  const DeduplicateResult result = Deduplicate(value);
  EXPECT_EQ(result.objects_saved(), 1u);
  EXPECT_TRUE(StructuralEqual::Equal(value, result.value));
}

TEST(Deduplicate, IgnoredFields) {
  const Any a = Call("f", {}, 1), b = Call("f", {}, 2), c = Call("f", {}, 1);
  EXPECT_FALSE(Merges(a, b));
  EXPECT_TRUE(Merges(a, c));
  DeduplicateOptions options;
  options.merge_ignored = true;
  EXPECT_TRUE(Merges(a, b, options));
  const Any kept = Item(Deduplicate(Array<Any>{a, b}, options).value, 1);
  EXPECT_EQ(kept.as<CallObj>()->span.cast<int64_t>(), 1) << "what the first one has";
  // What is open in an ignored field does not count then.
  EXPECT_FALSE(Merges(Call("f", {}, List<Any>{}), Call("f", {}, List<Any>{})));
  EXPECT_TRUE(Merges(Call("f", {}, List<Any>{}), Call("f", {}, List<Any>{}), options));
}

TEST(Deduplicate, TypesWithoutKindAreTreesInFilesOnly) {
  EXPECT_FALSE(Merges(Plain(1), Plain(1)));
  EXPECT_TRUE(Merges(Plain(1), Plain(1), FileOptions()));
  EXPECT_FALSE(Merges(Hooked(1), Hooked(1)));
  EXPECT_FALSE(Merges(Hooked(1), Hooked(1), FileOptions()));
  // What they hold is merged all the same.
  const Any value = Array<Any>{Const(1), Plain(Const(1)), Hooked(1, Const(1))};
  EXPECT_EQ(Deduplicate(value).objects_saved(), 2u);
}

// A schema that says what a type's comparison code looks at makes it a type like others.
TEST(Deduplicate, RulesOfASchema) {
  DeduplicateOptions options;
  options.rules = schema::Schema::Parse(
      R"({"transom_schema": 1, "name": "rules", "types": {"native.Hooked": {"structural": "tree", "compare": ["id"],
          "fields": [{"name": "id", "type": "int"}, {"name": "note", "type": "Any"}]}}})",
      "rules");
  EXPECT_TRUE(Merges(Hooked(1, "a"), Hooked(1, "a"), options));
  EXPECT_FALSE(Merges(Hooked(1, "a"), Hooked(1, "b"), options));
  options.merge_ignored = true;
  EXPECT_TRUE(Merges(Hooked(1, "a"), Hooked(1, "b"), options));
}

// Which fields count may depend on one of them: objects of one type that count different fields are different.
TEST(Deduplicate, FieldsThatCountByCondition) {
  const Any value = LoadJSON(R"({"schema":{"transom_schema":1,"name":"t","types":{
        "t.X":{"structural":"tree","fields":[]},
        "t.A":{"structural":"tree","compare":["a"],"compare_if":{"a":"t.X","then":["b"]},"fields":[
          {"name":"a","type":"Any"},{"name":"b","type":"Any"}]}}},"root_index":6,"nodes":[
        {"type":"int","data":1},{"type":"int","data":5},{"type":"t.X","data":{}},
        {"type":"t.A","data":{"a":1,"b":1}},{"type":"t.A","data":{"a":2,"b":1}},{"type":"t.A","data":{"a":1,"b":0}},
        {"type":"ffi.Array","data":[3,4,5]}]})")
                        .value;
  DeduplicateOptions options;
  options.merge_ignored = true;
  for (const uint64_t mask : {~uint64_t{0}, uint64_t{0}}) {
    const Any result = structural::DeduplicateByHash(value, options, mask).value;
    EXPECT_FALSE(SameObject(Item(result, 0), Item(result, 1)));
    EXPECT_TRUE(SameObject(Item(result, 0), Item(result, 2)));
  }
}

TEST(Deduplicate, OpaqueValuesByIdentity) {
  const Function f = Function::FromTyped([](int64_t x) { return x; });
  const Function g = Function::FromTyped([](int64_t x) { return x; });
  EXPECT_TRUE(Merges(Const(f), Const(f)));
  EXPECT_FALSE(Merges(Const(f), Const(g)));
  int a = 0, b = 0;
  EXPECT_TRUE(Merges(Const(static_cast<void*>(&a)), Const(static_cast<void*>(&a))));
  EXPECT_FALSE(Merges(Const(static_cast<void*>(&a)), Const(static_cast<void*>(&b))));
}

// ---- Keys ----------------------------------------------------------------------------------------------------------

TEST(Deduplicate, EqualKeysOfAMapStayApart) {
  const Any k1 = Const(Const(1)), k2 = Const(Const(1)), k3 = Const(Const(1));
  for (const Any& map :
       {Any(Map<Any, Any>{{k1, "a"}, {k2, "b"}, {k3, "c"}}), Any(Dict<Any, Any>{{k1, "a"}, {k2, "b"}, {k3, "c"}})}) {
    const Any value = Array<Any>{map, k2, map, Map<Any, Any>{{k2, "x"}}};
    const DeduplicateResult result = Deduplicate(value);
    EXPECT_TRUE(StructuralEqual::Equal(value, result.value));
    EXPECT_LT(result.after().objects, result.before().objects);
    EXPECT_TRUE(SameObject(Item(result.value, 0), Item(result.value, 2)));
    EXPECT_TRUE(Deduplicate(result.value).value.same_as(result.value));
  }
  // Two maps of the same keys go on having the same keys, copies where these had to be made.
  const Any pair = Array<Any>{Map<Any, Any>{{k1, "a"}, {k2, "b"}}, Map<Any, Any>{{k1, "c"}, {k2, "d"}}};
  const DeduplicateResult kept = Deduplicate(pair);
  EXPECT_EQ(kept.after().objects, 3u + 3u);
  EXPECT_TRUE(StructuralEqual::Equal(pair, kept.value));
  // The one that stands for the others comes last in the map.
  const Any late = Array<Any>{k1, Map<Any, Any>{{k2, "b"}, {k3, "c"}, {k1, "a"}}};
  EXPECT_TRUE(StructuralEqual::Equal(late, Deduplicate(late).value));
  const Map<Any, Any> shapes{{Shape{1}, "a"}, {Shape{1}, "b"}};
  EXPECT_TRUE(Deduplicate(shapes).value.same_as(shapes));
  const Map<Any, Any> arrays{{Array<Any>{1}, "a"}, {Array<Any>{1}, "b"}};
  EXPECT_TRUE(Deduplicate(arrays).value.same_as(arrays));
}

// Outside of files such a key is found by identity.
TEST(Deduplicate, DagNodesThatAreKeysStayTheObjectsThatTheyAre) {
  const Any value = Array<Any>{Const(1), Map<Any, Any>{{Node(Const(1)), "a"}}};
  const DeduplicateResult result = Deduplicate(value);
  EXPECT_TRUE(StructuralEqual::Equal(value, result.value));
  EXPECT_TRUE(SameObject(Item(result.value, 1), Item(value, 1)));
  EXPECT_EQ(result.objects_saved(), 1u) << "the other becomes what the key holds";
  EXPECT_FALSE(SameObject(Item(Deduplicate(value, FileOptions()).value, 1), Item(value, 1)));
}

// ---- Functions -----------------------------------------------------------------------------------------------------

Any Increment(const char* name, Any by = 1) {
  const Any x = Var(name, Const("int"));
  return Lambda({x}, Call("add", {x, std::move(by)}));
}

TEST(Deduplicate, FunctionsMergeOnRequest) {
  Array<Any> functions;
  for (int i = 0; i < 100; ++i)
    functions = std::move(functions).push_back(Increment(("x" + std::to_string(i)).c_str()));
  for (const Any& value : {Any(functions), AsRecords(functions)}) {
    const DeduplicateResult apart = Deduplicate(value);
    EXPECT_FALSE(SameObject(Item(apart.value, 0), Item(apart.value, 1)));
    EXPECT_TRUE(StructuralEqual::Equal(value, apart.value));
    const DeduplicateResult merged = Deduplicate(value, FunctionOptions());
    for (int i = 1; i < 100; ++i) ASSERT_TRUE(SameObject(Item(merged.value, 0), Item(merged.value, i)));
    EXPECT_EQ(merged.after().objects, 7u);
    EXPECT_TRUE(StructuralEqual::Equal(Item(value, 42), Item(merged.value, 42)));
  }
}

TEST(Deduplicate, OtherFunctionsDoNotMerge) {
  EXPECT_TRUE(Merges(Increment("x"), Increment("y"), FunctionOptions()));
  EXPECT_FALSE(Merges(Increment("x"), Increment("y", 2), FunctionOptions()));
  EXPECT_FALSE(Merges(Increment("x"), Increment("y", 1.0), FunctionOptions()));
  const Any x = Var("x"), y = Var("y"), z = Var("z"), free = Var("free");
  const auto swapped = [](bool swap) {
    const Any a = Var("a"), b = Var("b");
    return Lambda({a, b}, swap ? Call("sub", {b, a}) : Call("sub", {a, b}));
  };
  EXPECT_TRUE(Merges(swapped(false), swapped(false), FunctionOptions()));
  EXPECT_FALSE(Merges(swapped(false), swapped(true), FunctionOptions()));
  EXPECT_FALSE(Merges(Lambda({x}, Call("add", {x, free})), Lambda({y}, Call("add", {y, free})), FunctionOptions()))
      << "a variable from outside";
  EXPECT_FALSE(Merges(Lambda({x}, List<Any>{x}), Lambda({y}, List<Any>{y}), FunctionOptions()));
  EXPECT_FALSE(Merges(Lambda({x}, Call("f", {x}, 1)), Lambda({y}, Call("f", {y}, 2)), FunctionOptions()))
      << "an ignored field of what is no variable";
  DeduplicateOptions ignored = FunctionOptions();
  ignored.merge_ignored = true;
  EXPECT_TRUE(Merges(Lambda({z}, Call("f", {z}, 1)), Lambda({y}, Call("f", {y}, 2)), ignored));
}

// What binds a variable lies above the array of variables, so that is no closed part.
TEST(Deduplicate, VariablesWithoutUseStayWithTheirFunction) {
  const Any value = Array<Any>{Lambda({Var("x")}, 1), Lambda({Var("y")}, 2)};
  EXPECT_TRUE(Deduplicate(value, FunctionOptions()).value.same_as(value));
}

TEST(Deduplicate, FunctionsBelowWhatStaysAreNotMerged) {
  const Any held = Increment("y");
  const Any value = Array<Any>{Increment("x"), Handle(held), held};
  const Any result = Deduplicate(value, FunctionOptions()).value;
  EXPECT_TRUE(SameObject(Item(result, 1), Item(value, 1)));
  EXPECT_TRUE(SameObject(Item(result, 1).as<HandleObj>()->part, held));
  EXPECT_TRUE(SameObject(Item(result, 2), held)) << "what the instance shares stays shared";
  const Any later = Deduplicate(Array<Any>{Handle(held), Increment("x")}, FunctionOptions()).value;
  EXPECT_TRUE(SameObject(Item(later, 1), held)) << "others may become it";
}

// A function whose variable is used outside of it is no closed part.
TEST(Deduplicate, VariablesThatEscapeKeepTheirFunction) {
  const Any x = Var("x");
  const Any value = Array<Any>{Increment("y"), Lambda({x}, Call("add", {x, 1})), x};
  const Any result = Deduplicate(value, FunctionOptions()).value;
  EXPECT_FALSE(SameObject(Item(result, 0), Item(result, 1)));
  // Two functions that share a body.
  const Any y = Var("y");
  const Any body = Call("add", {y, 1});
  const Any shared = Array<Any>{Lambda({y}, body), Lambda({y}, body)};
  EXPECT_TRUE(Deduplicate(shared, FunctionOptions()).value.same_as(shared));
}

TEST(Deduplicate, DagNodesInsideAFunctionGoWithIt) {
  const auto make = [](bool twice) {
    const Any x = Var("x");
    const Any node = Node(x);
    return Lambda({x}, Array<Any>{node, twice ? node : Node(x)});
  };
  EXPECT_TRUE(Merges(make(true), make(true), FunctionOptions()));
  EXPECT_TRUE(Merges(make(false), make(false), FunctionOptions()));
  EXPECT_FALSE(Merges(make(true), make(false), FunctionOptions()));
  const Any outside = Node(1);
  const auto use = [&] {
    const Any x = Var("x");
    return Lambda({x}, Array<Any>{x, outside});
  };
  EXPECT_FALSE(Merges(use(), use(), FunctionOptions())) << "a dag node that others share";
}

TEST(Deduplicate, FunctionsInsideFunctions) {
  const auto make = [](const char* name) {
    const Any y = Var(name);
    return Lambda({y}, Call("compose", {Increment("a"), Increment("b"), Call("f", {y})}));
  };
  const DeduplicateResult result = Deduplicate(Array<Any>{make("x"), make("z")}, FunctionOptions());
  EXPECT_TRUE(SameObject(Item(result.value, 0), Item(result.value, 1)));
  // Array, Lambda, params, y, Call, args, Call f, its args; Lambda, params, x, type, Call, args.
  EXPECT_EQ(result.after().objects, 14u);
  // What unfolds to the same is the same, whether or not it shared before.
  const Any one = Increment("c");
  const Any x = Var("x"), y = Var("y");
  EXPECT_TRUE(Merges(Lambda({x}, Array<Any>{one, one, x}), Lambda({y}, Array<Any>{Increment("d"), Increment("e"), y}),
                     FunctionOptions()));
}

TEST(Deduplicate, FunctionsThatAreKeysStay) {
  const Map<Any, Any> value{{Increment("x"), 1}, {Increment("y"), 2}};
  const Any result = Deduplicate(value, FunctionOptions()).value;
  EXPECT_EQ(result.as<MapObj>()->size(), 2u);
  EXPECT_TRUE(StructuralEqual::Equal(value, result));
}

TEST(Deduplicate, FunctionsThatUseTheSameUniqueInstance) {
  const Any token = MakeToken(1);
  const auto make = [](const Any& unique) {
    const Any x = Var("x");
    return Lambda({x}, Call("f", {x, unique}));
  };
  EXPECT_TRUE(Merges(make(token), make(token), FunctionOptions()));
  EXPECT_FALSE(Merges(make(token), make(MakeToken(1)), FunctionOptions()));
  EXPECT_TRUE(Merges(make(Op("add")), make(Op("add")), FunctionOptions())) << "custom data is compared by content";
  EXPECT_FALSE(Merges(make(Op("add")), make(Op("sub")), FunctionOptions()));
}

// ---- Wrong input ---------------------------------------------------------------------------------------------------

TEST(Deduplicate, CyclesAreErrors) {
  List<Any> list;
  list.push_back(Array<Any>{list});
  const Any value = Array<Any>{1, list};
  for (const DeduplicateOptions& options : {DeduplicateOptions(), FileOptions(), FunctionOptions()}) {
    const std::string error = ErrorOf([&] { Deduplicate(value, options); });
    EXPECT_EQ(error.rfind("ValueError: <root>[1][0][0]: ", 0), 0u) << error;
  }
  list.clear();
}

TEST(Deduplicate, ObjectsThatCannotBeMadeAnew) {
  const Any sealed(make_object<SealedObj>(Const(1)));
  EXPECT_TRUE(SameObject(Item(Deduplicate(Array<Any>{sealed, sealed}).value, 0), sealed)) << "no need";
  const std::string error = ErrorOf([&] { Deduplicate(Array<Any>{Const(1), Map<Any, Any>{{"k", sealed}}}); });
  EXPECT_EQ(error.rfind("ValueError: <root>[1][\"k\"]: ", 0), 0u) << error;
  EXPECT_NE(error.find("test.dedup.Sealed"), std::string::npos) << error;
  // At the root, where the path has no step.
  const Any root(make_object<SealedObj>(Array<Any>{Const(1), Const(1)}));
  EXPECT_EQ(ErrorOf([&] { Deduplicate(root); }).rfind("ValueError: <root>: ", 0), 0u);
  EXPECT_NE(error.find("creator"), std::string::npos) << error;
}

TEST(Deduplicate, CopiesKeepWhatReflectionDoesNotSee) {
  auto cached = make_object<CachedObj>();
  cached->part = Const(1);
  cached->hidden = 42;
  const Any value = Array<Any>{Const(1), Any(cached)};
  const Any copy = Item(Deduplicate(value).value, 1);
  ASSERT_FALSE(SameObject(copy, Item(value, 1)));
  EXPECT_EQ(copy.as<CachedObj>()->hidden, 42);
}

// ---- Scale ---------------------------------------------------------------------------------------------------------

TEST(Deduplicate, DeepWideAndExponentialGraphs) {
  constexpr int kMany = 200000;
  const auto check = [](const Any& value, uint64_t before, uint64_t after) {
    for (const bool functions : {false, true}) {
      DeduplicateOptions options = FileOptions();
      options.merge_functions = functions;
      const DeduplicateResult result = Deduplicate(value, options);
      EXPECT_EQ(result.before().objects, before);
      EXPECT_EQ(result.after().objects, after);
    }
  };
  // Two chains that are equal but for their last element.
  Any left = Array<Any>{1}, right = Array<Any>{2}, same = Array<Any>{1};
  for (int i = 1; i < kMany; ++i) {
    left = Array<Any>{left};
    right = Array<Any>{right};
    same = Array<Any>{same};
  }
  check(Array<Any>{left, right}, 2 * kMany + 1, 2 * kMany + 1);
  check(Array<Any>{left, same}, 2 * kMany + 1, kMany + 1);
  Array<Any> wide;
  for (int i = 0; i < kMany; ++i) wide = std::move(wide).push_back(Const(i % 1000));
  check(wide, kMany + 1, 1001);
  Any ladder = Const(0), unshared = Const(0);
  for (int i = 0; i < kMany / 10; ++i) {
    ladder = Array<Any>{ladder, ladder};
    unshared = Array<Any>{unshared, unshared};
  }
  check(Array<Any>{ladder, unshared}, 2 * (kMany / 10 + 1) + 1, kMany / 10 + 2);
}

// Chains of functions that are closed at every level, and at the top only.
TEST(Deduplicate, DeepFunctions) {
  constexpr int kMany = 50000;
  const auto closed = [] {
    Any f = Const(0);
    for (int i = 0; i < kMany; ++i) {
      const Any x = Var("x");
      f = Lambda({x}, Array<Any>{x, f});
    }
    return f;
  };
  const auto lets = [] {
    std::vector<Any> variables;
    Array<Any> all;
    for (int i = 0; i < kMany; ++i) variables.push_back(Var("x"));
    for (const Any& x : variables) all = std::move(all).push_back(x);
    Any body = all;
    for (int i = kMany - 1; i >= 0; --i) {
      const Any value = i == 0 ? Const(1) : Call("next", {variables[static_cast<size_t>(i) - 1]});
      body = Let(variables[static_cast<size_t>(i)], value, body);
    }
    return body;
  };
  EXPECT_TRUE(Merges(closed(), closed(), FunctionOptions()));
  EXPECT_TRUE(Merges(lets(), lets(), FunctionOptions()));
  // A variable at the bottom of a ladder; without sharing its text would be endless.
  const auto ladder = [] {
    const Any x = Var("x");
    Any body = x;
    for (int i = 0; i < 1000; ++i) body = Array<Any>{body, body};
    return Lambda({x}, body);
  };
  EXPECT_TRUE(Merges(ladder(), ladder(), FunctionOptions()));
}

}  // namespace
}  // namespace transom
