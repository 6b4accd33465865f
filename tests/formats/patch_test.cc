// Patches: their text, what they leave out, and every way not to fit.
#include <gtest/gtest.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/tensor.h>
#include <transom/formats/json_graph.h>
#include <transom/formats/patch.h>
#include <transom/formats/tsm.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>

#include <limits>
#include <string>

#include "support/native_types.h"

namespace transom {
namespace {

using testing::AsRecords;
using testing::Call;
using testing::Const;
using testing::ErrorOf;
using testing::Lambda;
using testing::Var;

StructuralOptions FileOptions() {
  StructuralOptions options;
  options.as_files = true;
  return options;
}

// The text without its first member, which has the digests.
std::string Body(const std::string& patch) { return patch.substr(patch.find("},") + 2); }

// The patch applied, which is checked to give the new value.
Any Applied(const Any& old_value, const Any& new_value, const SaveOptions& save = {}) {
  const Any result = ApplyPatch(old_value, SavePatch(old_value, new_value, {}, save)).value;
  EXPECT_TRUE(StructuralEqual::Equal(result, new_value, FileOptions()));
  EXPECT_TRUE(StructuralEqual::Equal(LoadJSON(SaveJSON(result)).value, new_value, FileOptions()));
  EXPECT_TRUE(StructuralEqual::Equal(LoadTSM(SaveTSM(result)).value, new_value, FileOptions()));
  return result;
}

// A patch for `old_value` with other nodes, and with a result that is taken to be `new_value`.
std::string PatchOf(const Any& old_value, const Any& new_value, const std::string& body) {
  return "{\"transom_patch\":{\"version\":1,\"old\":\"" + StructuralDigest(old_value, FileOptions()).ToString() +
         "\",\"new\":\"" + StructuralDigest(new_value, FileOptions()).ToString() +
         "\",\"map_free_vars\":false,\"skip_tensor_content\":false}," + body;
}

// ---- Text ----------------------------------------------------------------------------------------------------------

TEST(Patch, TextOfEachEdit) {
  const Any old_value = Any(Map<Any, Any>{{Any("seq"), Any(Array<Any>{1, 2, 3})}, {Any("gone"), Any(1)}});
  const Any new_value = Any(Map<Any, Any>{{Any("seq"), Any(Array<Any>{1, 9, 3, 4})}, {Any("new"), Any(2)}});
  const std::string patch = SavePatch(old_value, new_value);
  EXPECT_EQ(patch.substr(0, patch.find("},") + 2), PatchOf(old_value, new_value, ""));
  EXPECT_EQ(
      Body(patch),
      R"("root_index":20,"nodes":[{"type":"transom.patch.Ref","data":[]},{"type":"ffi.String","data":"seq"},{"type":"int","data":2},)"
      R"({"type":"transom.patch.Ref","data":[0,2,1]},{"type":"ffi.String","data":"items"},{"type":"int","data":3},{"type":"int","data":1},)"
      R"({"type":"int","data":9},{"type":"ffi.Array","data":[7]},{"type":"int","data":0},{"type":"int","data":4},{"type":"ffi.Array","data":[10]},)"
      R"({"type":"ffi.Array","data":[3,4,5,6,6,8,5,9,11]},{"type":"ffi.String","data":"entries"},{"type":"ffi.String","data":"gone"},)"
      R"({"type":"ffi.Array","data":[14]},{"type":"ffi.String","data":"new"},{"type":"ffi.Array","data":[16,2]},{"type":"ffi.Array","data":[]},)"
      R"({"type":"ffi.Array","data":[0,13,2,15,17,18]},{"type":"ffi.Array","data":[0,12,19]}]})");
}

TEST(Patch, OfEqualValuesHasNoEdits) {
  const Any value = Call("f", {1});
  EXPECT_EQ(Body(SavePatch(value, Call("f", {1}))),
            R"("root_index":1,"nodes":[{"type":"transom.patch.Ref","data":[]},{"type":"ffi.Array","data":[0]}]})");
  EXPECT_EQ(ApplyPatch(value, SavePatch(value, Call("f", {1}))).value.raw()->v_obj, value.raw()->v_obj);
}

TEST(Patch, HasTheMetadataOfTheNewValueAndTheSchemaOfWhatIsNew) {
  SaveOptions save;
  save.metadata = R"({"note": "new"})";
  save.indent = 1;
  const Any old_value = Call("f", {1}), new_value = Call("f", {Call("g")});
  const std::string patch = SavePatch(old_value, new_value, {}, save);
  const LoadResult result = ApplyPatch(old_value, patch);
  EXPECT_EQ(result.metadata, save.metadata);
  EXPECT_TRUE(StructuralEqual::Equal(result.value, new_value));
  EXPECT_NE(patch.find("\"native.Call\""), std::string::npos);
  EXPECT_EQ(patch.find("\"native.Var\""), std::string::npos) << "the schema has what is new only";
  EXPECT_EQ(SavePatch(old_value, Call("f", {2}), {}, save).find("\"schema\""), std::string::npos);
  // As records, by the schema of the patch.
  Applied(AsRecords(old_value), AsRecords(new_value), save);
  save.strict_json = true;
  Applied(old_value, Call("f", {std::numeric_limits<double>::infinity()}), save);
}

TEST(Patch, WhatIsThereAlreadyIsNotInIt) {
  const auto tensor = [](float first) {
    Tensor made = Tensor::Empty({100}, DataType::Float(32));
    for (int i = 0; i < 100; ++i) static_cast<float*>(made.data_ptr())[i] = first + static_cast<float>(i);
    return Any(made);
  };
  const Any old_value = Call("f", {tensor(1), Call("g", {1, 2, 3})});
  const Any new_value = Call("f", {Call("wrap", {Call("g", {1, 2, 3})}), Const(tensor(1)), tensor(1)});
  const std::string patch = SavePatch(old_value, new_value);
  EXPECT_EQ(patch.find("ffi.Tensor\",\"data"), std::string::npos) << "weights are not shipped again";
  EXPECT_EQ(patch.find("{\"op\":\"g\""), std::string::npos);
  Applied(old_value, new_value);
  EXPECT_NE(SavePatch(old_value, Call("f", {tensor(2)})).find("ffi.Tensor\",\"data"), std::string::npos);
}

TEST(Patch, AnEditOfASharedObjectIsOneEdit) {
  const auto module = [](int64_t type) {
    const Any x = Var("x", type);
    Array<Any> uses;
    for (int64_t i = 0; i < 1000; ++i) uses = std::move(uses).push_back(Call("use", {x, i}));
    return Lambda({x}, Any(uses));
  };
  const std::string patch = SavePatch(module(1), module(2));
  EXPECT_LT(patch.size(), 1000u);
  Applied(module(1), module(2));
}

TEST(Patch, FitsAnyFormOfTheOldValue) {
  const Any old_value = AsRecords(Call("f", {1, Const("k"), Any(Map<Any, Any>{{Const("key"), Any(1)}})}));
  const Any new_value = AsRecords(Call("f", {2, Const("k"), Any(Map<Any, Any>{{Const("key"), Any(2)}})}));
  const std::string patch = SavePatch(old_value, new_value);
  EXPECT_TRUE(
      StructuralEqual::Equal(ApplyPatch(LoadTSM(SaveTSM(old_value)).value, patch).value, new_value, FileOptions()));
  EXPECT_TRUE(
      StructuralEqual::Equal(ApplyPatch(LoadJSON(SaveJSON(old_value)).value, patch).value, new_value, FileOptions()));
}

TEST(Patch, OptionsOfTheComparisonHoldForTheResult) {
  StructuralOptions options = FileOptions();
  options.map_free_vars = true;
  const Any old_value = Call("f", {Var("x"), 1}), new_value = Call("f", {Var("y"), 2});
  const std::string patch = SavePatch(old_value, new_value, options);
  EXPECT_NE(patch.find("\"map_free_vars\":true"), std::string::npos);
  EXPECT_TRUE(StructuralEqual::Equal(ApplyPatch(old_value, patch).value, new_value, options));
}

// ---- What does not fit ---------------------------------------------------------------------------------------------

TEST(PatchErrors, AnotherOldValue) {
  const Any lhs = Any(Array<Any>{1, 2}), rhs = Any(Array<Any>{1, 3});
  const std::string patch = SavePatch(lhs, rhs);
  EXPECT_EQ(ErrorOf([&] { ApplyPatch(rhs, patch); }),
            "PatchError: the patch is for another value: expected the digest " +
                StructuralDigest(lhs, FileOptions()).ToString() + ", found " +
                StructuralDigest(rhs, FileOptions()).ToString());
}

TEST(PatchErrors, TextsThatAreNoPatch) {
  const auto error = [](const std::string& text) {
    LoadOptions options;
    options.source = "p.json";
    return ErrorOf([&] { ApplyPatch(Any(1), text, options); });
  };
  const std::string no_patch =
      "ValueError: p.json: byte 0: no patch: a patch is a JSON object whose first member is \"transom_patch\"";
  EXPECT_EQ(error(""), no_patch);
  EXPECT_EQ(error("[1]"), no_patch);
  EXPECT_EQ(error(SaveJSON(Any(1))), no_patch);
  EXPECT_EQ(error("{\"transom_patch\":1}"), "ValueError: p.json: byte 0: the member \"transom_patch\" is no object");
  EXPECT_EQ(error("{\"transom_patch\":{}}"),
            "ValueError: p.json: byte 0: the member \"transom_patch\" has no \"version\" from 1 on");
  EXPECT_EQ(
      error("{\"transom_patch\":{\"version\":2}}"),
      "VersionError: p.json: byte 0: the member \"transom_patch\" has version 2, and this program knows version 1; "
      "a newer one may know it");
  EXPECT_EQ(error("{\"transom_patch\":{\"version\":1}}"),
            "ValueError: p.json: byte 0: the member \"transom_patch\" has no \"map_free_vars\" that is true or false");
  EXPECT_EQ(
      error("{\"transom_patch\":{\"version\":1,\"map_free_vars\":false,\"skip_tensor_content\":false,\"old\":\"1\"}}"),
      "ValueError: p.json: byte 0: the member \"transom_patch\" has no \"old\" of 32 hexadecimal digits");
  EXPECT_EQ(error("{\"transom_patch\":{").substr(0, 24), "ValueError: p.json: byte");
  EXPECT_EQ(error(PatchOf(Any(1), Any(1), "\"nodes\":[]}")),
            "ValueError: p.json: byte 0: the member \"root_index\" is missing; a JSON graph has \"root_index\" and "
            "\"nodes\"");
}

TEST(PatchErrors, APatchIsNoGraph) {
  const std::string patch = SavePatch(Any(1), Any(2));
  EXPECT_EQ(
      ErrorOf([&] { LoadJSON(patch); }),
      "PatchError: byte 0: the file is a patch, where a graph is expected; transom patch OLD PATCH -o NEW applies it");
}

struct Fault {
  const char* nodes;  // the last one is the root
  const char* error;
};

// A value with something of every kind, and a patch of these nodes.
std::string ErrorOfNodes(const std::string& nodes) {
  const Any old_value =
      Any(Map<Any, Any>{{Any("call"), AsRecords(Call("f", {1, 2}))}, {Any("list"), Any(List<Any>{1})}});
  int64_t count = 0;
  for (size_t at = nodes.find("{\"type\""); at != std::string::npos; at = nodes.find("{\"type\"", at + 1)) ++count;
  const std::string patch =
      PatchOf(old_value, Any(1), "\"root_index\":" + std::to_string(count - 1) + ",\"nodes\":[" + nodes + "]}");
  return ErrorOf([&] { ApplyPatch(old_value, patch); });
}

// Node 0 is the map, node 3 its call, node 6 the arguments of this.
const std::string kStart =
    R"({"type":"transom.patch.Ref","data":[]},{"type":"int","data":2},{"type":"ffi.String","data":"call"},{"type":"transom.patch.Ref","data":[0,1,2]},)"
    R"({"type":"int","data":0},{"type":"ffi.String","data":"args"},{"type":"transom.patch.Ref","data":[3,4,5]},{"type":"int","data":1},)"
    R"({"type":"int","data":-1},{"type":"int","data":99},)";

TEST(PatchErrors, ReferencesThatLeadNowhere) {
  const Fault faults[] = {
      {R"({"type":"transom.patch.Ref","data":[3,4,2]})",
       R"(PatchError: node 10 (transom.patch.Ref) of the patch leads to the field "call" of native.Call, which has none of that name)"},
      {R"({"type":"transom.patch.Ref","data":[3,4,7]})",
       R"(PatchError: node 10 (transom.patch.Ref) of the patch leads to the field int of native.Call, which has none of that name)"},
      {R"({"type":"transom.patch.Ref","data":[6,4,5]})",
       R"(PatchError: node 10 (transom.patch.Ref) of the patch leads to the field "args" of ffi.Array, which has none of that name)"},
      {R"({"type":"transom.patch.Ref","data":[6,7,1]})",
       "PatchError: node 10 (transom.patch.Ref) of the patch leads to element 2 of a sequence of 2"},
      {R"({"type":"transom.patch.Ref","data":[6,7,8]})",
       "PatchError: node 10 (transom.patch.Ref) of the patch leads to element -1 of a sequence of 2"},
      {R"({"type":"transom.patch.Ref","data":[3,7,4]})",
       "PatchError: node 10 (transom.patch.Ref) of the patch leads to element 0 of native.Call"},
      {R"({"type":"transom.patch.Ref","data":[0,1,5]})",
       R"(PatchError: node 10 (transom.patch.Ref) of the patch leads to the entry "args" of a map that has no such key)"},
      {R"({"type":"transom.patch.Ref","data":[6,1,5]})",
       R"(PatchError: node 10 (transom.patch.Ref) of the patch leads to the entry "args" of ffi.Array)"},
      {R"({"type":"int","data":6},{"type":"transom.patch.Ref","data":[0,10,9]})",
       "PatchError: node 11 (transom.patch.Ref) of the patch leads to the key at place 99 of a map of 2"},
      {R"({"type":"int","data":6},{"type":"transom.patch.Ref","data":[3,10,4]})",
       "PatchError: node 11 (transom.patch.Ref) of the patch leads to the key at place 0 of native.Call"},
      {R"({"type":"transom.patch.Ref","data":[0,9,5]})",
       "PatchError: node 10 (transom.patch.Ref) of the patch has 99 as the kind of a step; 0, 1, 2 and 6 are known"},
      {R"({"type":"transom.patch.Ref","data":[0,2,5]})",
       "PatchError: node 10 (transom.patch.Ref) of the patch has ffi.String as the kind of a step; 0, 1, 2 and 6 are "
       "known"},
      {R"({"type":"transom.patch.Ref","data":[0,2]})",
       "PatchError: node 10 (transom.patch.Ref) of the patch has 2 elements, where an object, and a kind and key for "
       "each step are expected"},
      {R"({"type":"transom.patch.Ref","data":[99]})",
       "ValueError: byte 545: node 10 (transom.patch.Ref): element 0 of the data refers to node 99 of 11"},
  };
  for (const Fault& fault : faults) EXPECT_EQ(ErrorOfNodes(kStart + fault.nodes), fault.error) << fault.nodes;
}

TEST(PatchErrors, EditsOfAnotherForm) {
  const std::string words =
      kStart +
      R"({"type":"ffi.String","data":"fields"},{"type":"ffi.String","data":"items"},)"
      R"({"type":"ffi.String","data":"entries"},{"type":"ffi.String","data":"value"},{"type":"ffi.Array","data":[]},)";
  const auto error = [&](const char* edit) {
    return ErrorOfNodes(words + R"({"type":"ffi.Array","data":[)" + edit + R"(]},{"type":"ffi.Array","data":[0,15]})");
  };
  EXPECT_EQ(ErrorOfNodes(kStart + R"({"type":"ffi.Map","data":[]})"),
            "PatchError: the root of the patch is ffi.Map, where an array of the result's root and edits is expected");
  EXPECT_EQ(
      ErrorOfNodes(kStart + R"({"type":"ffi.Array","data":[]})"),
      "PatchError: the root of the patch is ffi.Array, where an array of the result's root and edits is expected");
  EXPECT_EQ(ErrorOfNodes(kStart + R"({"type":"ffi.Array","data":[0,7]})"),
            "PatchError: edit 1 of the patch is int, where an array is expected");
  EXPECT_EQ(error(""), "PatchError: edit 1 of the patch ends where an object is expected");
  EXPECT_EQ(error("3"), "PatchError: edit 1 of the patch ends where the form of the edit is expected");
  EXPECT_EQ(error("3,7"),
            "PatchError: edit 1 of the patch has int as its element 1, where the form of the edit is expected");
  EXPECT_EQ(error("3,5"),
            "PatchError: edit 1 of the patch has \"args\" as its element 1, where fields, items, entries or value is "
            "expected");
  EXPECT_EQ(error("3,10,7,7"),
            "PatchError: edit 1 of the patch has int as its element 2, where the name of a field is expected");
  EXPECT_EQ(error("3,10,5"), "PatchError: edit 1 of the patch ends where the value of a field is expected");
  EXPECT_EQ(error("6,11,5"),
            "PatchError: edit 1 of the patch has \"args\" as its element 2, where the size of a sequence is expected");
  EXPECT_EQ(error("6,11,1,4,4,4"),
            "PatchError: edit 1 of the patch has int as its element 5, where an array of elements is expected");
  EXPECT_EQ(error("0,12,1,14,6,14,14"),
            "PatchError: edit 1 of the patch has ffi.Array as its element 6, where the end of the edit is expected");
  EXPECT_EQ(error("0,12,1,14,7,14"),
            "PatchError: edit 1 of the patch has int as its element 4, where an array of keys and values is expected");
  EXPECT_EQ(error("3,13,4,4"),
            "PatchError: edit 1 of the patch has int as its element 3, where the end of the edit is expected");
}

TEST(PatchErrors, EditsThatDoNotFitTheirObject) {
  const std::string words =
      kStart +
      R"({"type":"ffi.String","data":"fields"},{"type":"ffi.String","data":"items"},)"
      R"({"type":"ffi.String","data":"entries"},{"type":"ffi.String","data":"value"},{"type":"ffi.Array","data":[]},)";
  const auto error = [&](const std::string& edit) {
    return ErrorOfNodes(
        words +
        R"({"type":"ffi.Array","data":[2,4]},{"type":"ffi.Array","data":[2]},{"type":"ffi.Array","data":[4,4]},)" +
        R"({"type":"ffi.Array","data":[)" + edit + R"(]},{"type":"ffi.Array","data":[0,18]})");
  };
  // Fields.
  EXPECT_EQ(error("3,10,2,4"),
            "PatchError: <root>[\"call\"]: the patch expects an object with a field \"call\", found native.Call");
  EXPECT_EQ(error("6,10,5,4"),
            "PatchError: <root>[\"call\"].args: the patch expects an object with fields, found ffi.Array");
  EXPECT_EQ(error("4,10,5,4"), "PatchError: the patch edits a value of type int, which has no parts");
  EXPECT_EQ(error("3,10,5,4"),
            "PatchError: <root>[\"call\"]: the native.Call there cannot be edited: type \"native.Call\", field "
            "\"args\": expected ffi.Array<Any>, got int");
  // Sequences.
  EXPECT_EQ(error("3,11,1"), "PatchError: <root>[\"call\"]: the patch expects a sequence of 2, found native.Call");
  EXPECT_EQ(error("6,11,7"), "PatchError: <root>[\"call\"].args: the patch expects a sequence of 1, found one of 2");
  EXPECT_EQ(error("6,11,1,9,4,14"),
            "PatchError: <root>[\"call\"].args: the patch expects edits of elements in order, inside a sequence of 2, "
            "found 0 at 99 after those before 0");
  EXPECT_EQ(error("6,11,1,4,9,14"),
            "PatchError: <root>[\"call\"].args: the patch expects edits of elements in order, inside a sequence of 2, "
            "found 99 at 0 after those before 0");
  EXPECT_EQ(error("6,11,1,8,4,14"),
            "PatchError: <root>[\"call\"].args: the patch expects edits of elements in order, inside a sequence of 2, "
            "found 0 at -1 after those before 0");
  EXPECT_EQ(error("6,11,1,4,8,14"),
            "PatchError: <root>[\"call\"].args: the patch expects edits of elements in order, inside a sequence of 2, "
            "found -1 at 0 after those before 0");
  EXPECT_EQ(error("6,11,1,7,7,14,4,7,14"),
            "PatchError: <root>[\"call\"].args: the patch expects edits of elements in order, inside a sequence of 2, "
            "found 1 at 0 after those before 2");
  // Maps.
  EXPECT_EQ(error("6,12,1,14,14,14"),
            "PatchError: <root>[\"call\"].args: the patch expects a map of 2, found ffi.Array");
  EXPECT_EQ(error("0,12,7,14,14,14"), "PatchError: <root>: the patch expects a map of 1, found one of 2");
  EXPECT_EQ(error("0,12,1,17,14,14"),
            "PatchError: <root>: the patch expects a map with the key 0, found one without it");
  EXPECT_EQ(error("0,12,1,14,14,17"),
            "PatchError: <root>: the patch expects an order of 2 entries, each once, found one of 2");
  EXPECT_EQ(
      error("0,12,1,14,16,14"),
      "PatchError: edit 1 of the patch has ffi.Array as its element 4, where an array of keys and values is expected");
  EXPECT_EQ(error("0,12,1,14,14,16"),
            "PatchError: edit 1 of the patch has \"call\" as its element 5, where a place is expected");
  EXPECT_EQ(error("0,12,1,16,15,14"),
            "PatchError: <root>: the patch expects one edit of each entry, found two of \"call\"");
  // Values.
  EXPECT_EQ(error("3,13,6"),
            "PatchError: <root>[\"call\"]: the patch expects an object of type ffi.Array, found native.Call");
  EXPECT_EQ(error("3,13,4"),
            "PatchError: <root>[\"call\"]: the patch expects an object of type int, found native.Call");
}

TEST(PatchErrors, EditsOfOneObject) {
  const std::string words =
      kStart +
      R"({"type":"ffi.String","data":"fields"},{"type":"ffi.String","data":"op"},{"type":"ffi.String","data":"items"},)"
      R"({"type":"ffi.Array","data":[3]},)";
  EXPECT_EQ(ErrorOfNodes(words + R"({"type":"ffi.Array","data":[3,10,11,2]},{"type":"ffi.Array","data":[0,14,14]})"),
            "PatchError: <root>[\"call\"]: the native.Call there is edited twice");
  // The call becomes an element of its own arguments.
  EXPECT_EQ(ErrorOfNodes(words + R"({"type":"ffi.Array","data":[6,12,1,4,4,13]},{"type":"ffi.Array","data":[0,14]})"),
            "PatchError: the result of the edits cannot be made: <root>[\"call\"].args[0]: the value contains itself; "
            "lists, dicts and fields that lead "
            "back to an object above them can be neither compared nor saved");
  EXPECT_EQ(ErrorOfNodes(words + R"({"type":"ffi.Array","data":[3]})").substr(0, 73),
            "PatchError: the result of the patch is not the value that it was made for");
}

TEST(PatchErrors, DeclaredTypes) {
  const auto list = [](const char* item) {
    return LoadJSON(std::string(
                        R"({"schema":{"transom_schema":1,"name":"v","types":{"v.List":{"structural":"tree","fields":[)"
                        R"({"name":"items","type":"ffi.Array<ffi.String>"}]}}},"root_index":2,"nodes":[)") +
                    item + R"(,{"type":"ffi.Array","data":[0]},{"type":"v.List","data":{"items":1}}]})")
        .value;
  };
  const Any old_value = list(R"({"type":"ffi.String","data":"a"})");
  const std::string patch = SavePatch(old_value, list(R"({"type":"ffi.String","data":"b"})"));
  const std::string text = R"({"type":"ffi.String","data":"b"})";
  std::string other = patch;
  other.replace(patch.find(text), text.size(), R"({"type":"int","data":1})");
  EXPECT_EQ(ErrorOf([&] { ApplyPatch(old_value, other); }),
            "PatchError: <root>.items: a value of type ffi.Array<ffi.String> is declared there, and the patch puts "
            "ffi.Array whose element 0 is int");
}

// A damaged patch gives the value that it was made for, or an error.
TEST(PatchErrors, DamageNeverGivesAnotherValue) {
  const Any old_value =
      LoadJSON(SaveJSON(Call("f", {1, Call("g", {2}), Any(Map<Any, Any>{{Any("k"), Any(1)}})}))).value;
  const Any new_value =
      LoadJSON(SaveJSON(Call("f", {1, Call("h", {Call("g", {2})}), Any(Map<Any, Any>{{Any("l"), Any(1)}}), 5}))).value;
  const std::string patch = SavePatch(old_value, new_value);
  for (size_t i = 0; i < patch.size(); ++i) {
    for (const char c : {'0', '9', '"', 'x', ']', ' ', '\x80'}) {
      std::string damaged = patch;
      damaged[i] = c;
      try {
        const LoadResult result = ApplyPatch(old_value, damaged);
        ASSERT_TRUE(StructuralEqual::Equal(result.value, new_value, FileOptions())) << i << " " << c;
      } catch (const Error&) {
        // Said what is wrong.
      }
    }
    try {
      ApplyPatch(old_value, patch.substr(0, i));
      ADD_FAILURE() << "cut at " << i;
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace transom
