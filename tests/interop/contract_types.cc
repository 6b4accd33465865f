// Types of every structural kind for the comparison of two libraries of the C contract: built once per library, from
// this project's headers, and loaded beside it.
#include <transom/containers/array.h>
#include <transom/containers/list.h>
#include <transom/containers/string.h>
#include <transom/containers/tensor.h>
#include <transom/reflection/access_path.h>
#include <transom/reflection/registry.h>

#include <string>

namespace {

namespace refl = transom::reflection;
using transom::Any;
using transom::Array;
using transom::Function;
using transom::Object;
using transom::String;

struct TreeObj : Object {
  Any a, b;
  String note;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.Tree", TreeObj, Object);
};
struct ConstObj : Object {
  Any a;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindConstTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.Const", ConstObj, Object);
};
struct VarObj : Object {
  String name;
  Any type;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindFreeVar;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.Var", VarObj, Object);
};
struct DagObj : Object {
  Any a;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindDAGNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.Dag", DagObj, Object);
};
struct UniqueObj : Object {
  Any a;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindUniqueInstance;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.Unique", UniqueObj, Object);
};
struct FuncObj : Object {
  Any params, body;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.Func", FuncObj, Object);
};
struct LetObj : Object {
  Any var, value, body;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.Let", LetObj, Object);
};
// Its hook binds `a` as a definition and then compares `b`; `c` does not count.
struct HookedObj : Object {
  Any a, b, c;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.Hooked", HookedObj, Object);
};
struct ScalarsObj : Object {
  int64_t i = 0;
  double f = 0;
  bool b = false;
  int8_t small = 0;
  transom::DataType dtype;
  String text;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.Scalars", ScalarsObj, Object);
};
struct DefaultsObj : Object {
  int64_t given = 0;
  int64_t seven = 0;
  Any list;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.Defaults", DefaultsObj, Object);
};
struct UpperObj : Object {
  String text;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.interop.Upper", UpperObj, Object);
};

bool HookedEqual(const HookedObj* lhs, const HookedObj* rhs, const Function& compare) {
  return compare(lhs->a, rhs->a, 2, "a").cast<bool>() && compare(lhs->b, rhs->b, 0, "b").cast<bool>();
}
int64_t HookedHash(const HookedObj* self, int64_t init, const Function& hash) {
  return hash(self->b, hash(self->a, init, 2).cast<int64_t>(), 0).cast<int64_t>();
}

TRANSOM_STATIC_INIT_BLOCK() {
  const refl::FieldFlag ignore = refl::SEqHashIgnore(), recursive = refl::SEqHashDefRecursive(),
                        simple = refl::SEqHashDefNonRecursive();
  refl::ObjectDef<TreeObj>().def_ro("a", &TreeObj::a).def_ro("b", &TreeObj::b).def_ro("note", &TreeObj::note, ignore);
  refl::ObjectDef<ConstObj>().def_ro("a", &ConstObj::a);
  refl::ObjectDef<VarObj>().def_ro("name", &VarObj::name, ignore).def_ro("type", &VarObj::type);
  refl::ObjectDef<DagObj>().def_ro("a", &DagObj::a);
  refl::ObjectDef<UniqueObj>().def_ro("a", &UniqueObj::a);
  refl::ObjectDef<FuncObj>().def_ro("params", &FuncObj::params, recursive).def_ro("body", &FuncObj::body);
  refl::ObjectDef<LetObj>()
      .def_ro("var", &LetObj::var, simple)
      .def_ro("value", &LetObj::value)
      .def_ro("body", &LetObj::body);
  refl::ObjectDef<HookedObj>().def_ro("a", &HookedObj::a).def_ro("b", &HookedObj::b).def_ro("c", &HookedObj::c);
  refl::TypeAttrDef<HookedObj>().def("__s_equal__", &HookedEqual).def("__s_hash__", &HookedHash);
  refl::ObjectDef<ScalarsObj>()
      .def_ro("i", &ScalarsObj::i)
      .def_ro("f", &ScalarsObj::f)
      .def_ro("b", &ScalarsObj::b)
      .def_ro("small", &ScalarsObj::small)
      .def_ro("dtype", &ScalarsObj::dtype)
      .def_ro("text", &ScalarsObj::text);
  refl::ObjectDef<DefaultsObj>()
      .def_ro("given", &DefaultsObj::given)
      .def_ro("seven", &DefaultsObj::seven, refl::DefaultValue(7))
      .def_ro("list", &DefaultsObj::list, refl::DefaultFactory([] { return transom::List<Any>(); }));
  refl::ObjectDef<UpperObj>().def_ro("text", &UpperObj::text);
  refl::TypeAttrDef<UpperObj>()
      .def("__data_to_json__",
           [](const UpperObj* self) {
             return Array<Any>{self->text, int64_t{1}};
           })
      .def("__data_from_json__", [](const Any& data) {
        auto obj = transom::make_object<UpperObj>();
        obj->text = data.cast<Array<Any>>()[0].cast<String>();
        return obj;
      });
  refl::GlobalDef()
      .def("test.interop.item", [](const Array<Any>& items, int64_t i) { return items[i]; })
      .def("test.interop.tensor",
           [](int64_t n) {
             transom::Tensor tensor = transom::Tensor::Empty({n}, transom::DataType::Int(64));
             for (int64_t i = 0; i < n; ++i) static_cast<int64_t*>(tensor.data_ptr())[i] = i;
             return tensor;
           })
      .def("test.interop.path_text",
           [](const Array<Any>& pair) {
             std::string text;
             for (const Any& path : pair) text += path.cast<refl::AccessPath>()->ToString() + "\n";
             return String(text);
           })
      .def("test.interop.pair", [](const Any& a, const Any& b) {
        return Array<Any>{a, b};
      });
}

}  // namespace
