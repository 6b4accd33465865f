#include "support/native_types.h"

#include <transom/containers/map.h>
#include <transom/formats/json_graph.h>
#include <transom/reflection/registry.h>

namespace transom::testing {
namespace {

namespace refl = reflection;

TRANSOM_STATIC_INIT_BLOCK() {
  refl::ObjectDef<CallObj>()
      .def_ro("op", &CallObj::op)
      .def_ro("args", &CallObj::args)
      .def_ro("span", &CallObj::span, refl::SEqHashIgnore(), refl::DefaultValue(nullptr));
  refl::ObjectDef<ScalarsObj>()
      .def_ro("i", &ScalarsObj::i)
      .def_ro("narrow", &ScalarsObj::narrow)
      .def_ro("tiny", &ScalarsObj::tiny)
      .def_ro("f", &ScalarsObj::f)
      .def_ro("single", &ScalarsObj::single)
      .def_ro("b", &ScalarsObj::b)
      .def_ro("dtype", &ScalarsObj::dtype)
      .def_ro("device", &ScalarsObj::device)
      .def_ro("s", &ScalarsObj::s)
      .def_ro("bytes", &ScalarsObj::bytes)
      .def_ro("maybe", &ScalarsObj::maybe)
      .def_ro("any", &ScalarsObj::any);
  refl::ObjectDef<DefaultsObj>()
      .def_ro("count", &DefaultsObj::count, refl::DefaultValue(7))
      .def_ro("price", &DefaultsObj::price, refl::DefaultValue(2))
      .def_ro("dtype", &DefaultsObj::dtype, refl::DefaultValue(String("float32")))
      .def_ro("items", &DefaultsObj::items, refl::DefaultValue(Array<Any>{1, 2}))
      .def_ro("made", &DefaultsObj::made, refl::DefaultFactory([] { return Array<Any>{3}; }));
  refl::ObjectDef<ConstObj>().def_ro("value", &ConstObj::value);
  refl::ObjectDef<NodeObj>().def_rw("value", &NodeObj::value);
  refl::ObjectDef<TokenObj>().def_ro("id", &TokenObj::id);
  refl::ObjectDef<VarObj>().def_ro("name", &VarObj::name, refl::SEqHashIgnore()).def_ro("type", &VarObj::type);
  refl::ObjectDef<LambdaObj>()
      .def_ro("params", &LambdaObj::params, refl::SEqHashDefRecursive())
      .def_ro("body", &LambdaObj::body);
  refl::ObjectDef<LetObj>()
      .def_ro("value", &LetObj::value)
      .def_ro("var", &LetObj::var, refl::SEqHashDefNonRecursive())
      .def_ro("body", &LetObj::body);
  refl::ObjectDef<PlainObj>().def_ro("payload", &PlainObj::payload);
  refl::ObjectDef<HookedObj>().def_ro("id", &HookedObj::id).def_ro("note", &HookedObj::note);
  refl::TypeAttrDef<HookedObj>().def(
      "__s_equal__", [](const HookedObj* lhs, const HookedObj* rhs, const Function&) { return lhs->id == rhs->id; });
  refl::ObjectDef<OpObj>().def_ro("name", &OpObj::name);
  refl::TypeAttrDef<OpObj>()
      .def("__data_to_json__",
           [](const OpObj* op) {
             return Map<String, Any>{{"name", op->name}};
           })
      .def("__data_from_json__", [](const Map<String, Any>& data) { return Op(data.at("name").cast<String>()); });
  refl::ObjectDef<BoxObj>().def_ro("token", &BoxObj::token).def_ro("size", &BoxObj::size, refl::DefaultValue(3));
}

}  // namespace

Any AsRecords(const Any& value) {
  LoadOptions options;
  options.types = LoadTypes::kRecords;
  return LoadJSON(SaveJSON(value), options).value;
}

}  // namespace transom::testing
