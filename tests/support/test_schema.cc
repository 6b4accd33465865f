#include "support/graph_gen.h"

namespace transom::testing {

std::string_view TestSchemaText() {
  return R"json({"transom_schema": 1, "name": "test", "types": {
 "test.Span": {"structural": "tree", "fields": [
   {"name": "line", "type": "int"}, {"name": "file", "type": "ffi.String"}]},
 "test.Expr": {"structural": "tree", "fields": [
   {"name": "span", "type": "test.Span", "ignore": true, "default": null}]},
 "test.Scalars": {"parent": "test.Expr", "structural": "tree", "fields": [
   {"name": "i", "type": "int"}, {"name": "f", "type": "float"}, {"name": "b", "type": "bool"},
   {"name": "t", "type": "DataType"}, {"name": "n", "type": "None"}, {"name": "device", "type": "Device"},
   {"name": "cost", "type": "float", "ignore": true, "default": 0.5}]},
 "test.Texts": {"parent": "test.Expr", "structural": "const_tree", "fields": [
   {"name": "s", "type": "ffi.String"}, {"name": "raw", "type": "ffi.Bytes"},
   {"name": "maybe", "type": "Optional<ffi.String>"}, {"name": "shape", "type": "ffi.Shape"}]},
 "test.Op": {"structural": "unique", "data": "custom"},
 "test.Call": {"parent": "test.Expr", "structural": "tree", "fields": [
   {"name": "op", "type": "test.Op"}, {"name": "args", "type": "ffi.Array<test.Expr>"},
   {"name": "attrs", "type": "ffi.Map<ffi.String, Any>"}]},
 "test.Var": {"parent": "test.Expr", "structural": "free_var", "fields": [
   {"name": "name", "type": "ffi.String", "ignore": true}, {"name": "type", "type": "Any"}]},
 "test.Global": {"parent": "test.Expr", "structural": "free_var", "compare": ["name_hint"], "fields": [
   {"name": "name_hint", "type": "ffi.String"}, {"name": "note", "type": "Any"}]},
 "test.Lambda": {"parent": "test.Expr", "structural": "tree", "fields": [
   {"name": "params", "type": "ffi.Array<test.Var>", "def": "recursive"}, {"name": "body", "type": "Any"}]},
 "test.Let": {"parent": "test.Expr", "structural": "tree", "compare": ["value", "var", "body"], "fields": [
   {"name": "var", "type": "test.Var", "def": "simple"}, {"name": "value", "type": "Any"},
   {"name": "body", "type": "Any"}]},
 "test.Bind": {"parent": "test.Expr", "structural": "tree", "compare": ["value", "var"],
   "compare_if": {"value": "test.Lambda", "then": ["var", "value"]}, "fields": [
   {"name": "var", "type": "test.Var", "def": "simple"}, {"name": "value", "type": "Any"}]},
 "test.Node": {"parent": "test.Expr", "structural": "dag", "fields": [
   {"name": "inputs", "type": "ffi.Array<Any>"}, {"name": "tag", "type": "int"}]},
 "test.Token": {"structural": "unique", "fields": [{"name": "id", "type": "int"}]},
 "test.Block": {"parent": "test.Expr", "structural": "tree", "fields": [
   {"name": "stmts", "type": "ffi.List<test.Expr>"}, {"name": "table", "type": "ffi.Dict<Any, Any>"}]},
 "test.Module": {"structural": "tree", "fields": [
   {"name": "functions", "type": "ffi.Map<test.Global, test.Expr>"}, {"name": "attrs", "type": "ffi.Map<Any, Any>"}]},
 "test.Plain": {"fields": [{"name": "payload", "type": "Any"}, {"name": "count", "type": "int", "default": 7}]},
 "test.Choice": {"parent": "test.Expr", "structural": "tree", "fields": [
   {"name": "value", "type": "Union<int, ffi.String, ffi.Array<int>>"},
   {"name": "pair", "type": "Tuple<int, ffi.String>"}, {"name": "weights", "type": "Optional<ffi.Tensor>"}, {"name": "big", "type": "ffi.BigInt"}]}}})json";
}

const TypeRules& TestRules() {
  static const TypeRules rules(TestSchemaText());
  return rules;
}

}  // namespace transom::testing
