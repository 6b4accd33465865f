/*
 * A good .tsm file with groups of every form, for tests that damage it behind its checksums.
 */
#ifndef TRANSOM_TESTS_FORMATS_TSM_DAMAGED_GRAPH_H_
#define TRANSOM_TESTS_FORMATS_TSM_DAMAGED_GRAPH_H_

#include <transom/containers/array.h>
#include <transom/containers/bigint.h>
#include <transom/containers/dict.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>
#include <transom/formats/json_graph.h>
#include <transom/formats/tsm.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "support/native_types.h"
#include "support/tsm_file.h"

namespace transom::testing {

inline constexpr char kStoreSchema[] = R"({"transom_schema":1,"name":"store","types":{
  "store.Base":{"structural":"tree","fields":[{"name":"id","type":"int"}]},
  "store.Item":{"parent":"store.Base","structural":"tree","compare":["id","name"],"label":"name","fields":[
    {"name":"name","type":"ffi.String"},{"name":"price","type":"float","default":1.5},{"name":"sold","type":"bool"},
    {"name":"kind","type":"DataType"},{"name":"nothing","type":"None"},{"name":"tags","type":"ffi.Array<ffi.String>"},
    {"name":"next","type":"store.Base"},{"name":"note","type":"Any","ignore":true}]},
  "store.Op":{"structural":"unique","data":"custom"}}})";

// Nodes: 0 None, 1 bool, 2 int, 3 float, 4 DataType, 5 Device, 6 "text", 7 Bytes, 8 BigInt, 9 Shape, 10 and 11 Tensor,
// 12 List, 13 Map, 14 Dict, 15 store.Op, 16 store.Op, 17 "nut", 18 ["text", "nut"], 19 store.Item, 20 "bolt", 21
// store.Item, 22 a long text, 23 the root.
inline Any StoreValue() {
  Tensor bytes = Tensor::Empty({2, 3}, DataType::Int(8));
  std::memset(bytes.data_ptr(), 3, 6);
  const Any plain = Array<Any>{nullptr,
                               true,
                               7,
                               2.5,
                               DataType::Int(8),
                               Device(kDLCPU, 0),
                               "text",
                               Bytes(std::string("b")),
                               BigInt::FromDecimal("9223372036854775808"),
                               Shape{2, 3},
                               bytes,
                               Tensor::Empty({0}, DataType::Float(32)),
                               List<Any>{7, "text"},
                               Map<Any, Any>{{"text", 7}, {7, "text"}},
                               Dict<Any, Any>{{true, nullptr}}};
  // Read from JSON, as no library has the types.
  LoadOptions load;
  load.schema = schema::Schema::Parse(kStoreSchema, "store");
  const Any items =
      LoadJSON(
          R"({"root_index":6,"nodes":[{"type":"ffi.String","data":"text"},{"type":"ffi.String","data":"nut"},{"type":"ffi.Array","data":[0,1]},
    {"type":"None"},{"type":"store.Item","data":{"id":1,"name":1,"price":2.5,"sold":true,"kind":"int8","nothing":null,"tags":2,"next":3,"note":0}},
    {"type":"store.Item","data":{"id":2,"name":7,"price":2.5,"sold":false,"kind":"int8","nothing":null,"tags":2,"next":4,"note":3}},
    {"type":"ffi.Array","data":[8,9,4,5]},{"type":"ffi.String","data":"bolt"},{"type":"store.Op","data":"add"},{"type":"store.Op","data":{"mul":[1]}}]})",
          load)
          .value;
  Array<Any> root = plain.cast<Array<Any>>();
  for (const Any& item : items.cast<Array<Any>>()) root = std::move(root).push_back(item);
  return std::move(root).push_back(String(std::string(70000, 'x')));
}

inline const std::string& StoreFile() {
  static const std::string file = SaveTSM(StoreValue());
  return file;
}

// What loading says of the file after a change; "no error" when it says nothing.
inline std::string ErrorAfter(const std::function<void(TsmParts&)>& change, const LoadOptions& options = {}) {
  TsmParts parts = TsmParts::Of(StoreFile());
  change(parts);
  const std::string file = parts.ToFile();
  return ErrorOf([&] { LoadTSM(file, options); });
}

}  // namespace transom::testing
#endif  // TRANSOM_TESTS_FORMATS_TSM_DAMAGED_GRAPH_H_
