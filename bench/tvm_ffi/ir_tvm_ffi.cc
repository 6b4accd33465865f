#include "tvm_ffi/ir_tvm_ffi.h"

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir_builder.h"

namespace ir_bench {
namespace {

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

using MapAttrs = ffi::Map<ffi::String, ffi::Any>;

class ExprObj : public ffi::Object {
 public:
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  static constexpr int32_t _type_child_slots = 8;
  TVM_FFI_DECLARE_OBJECT_INFO("bench.Expr", ExprObj, ffi::Object);
};
class ExprRef : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(ExprRef, ffi::ObjectRef, ExprObj);
};

class VarObj : public ExprObj {
 public:
  ffi::String name;
  DLDataType dtype{kDLFloat, 32, 1};
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindFreeVar;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("bench.Var", VarObj, ExprObj);
};
class VarRef : public ExprRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(VarRef, ExprRef, VarObj);
};

class IntImmObj : public ExprObj {
 public:
  int64_t value = 0;
  DLDataType dtype{kDLInt, 64, 1};
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("bench.IntImm", IntImmObj, ExprObj);
};

class AddObj : public ExprObj {
 public:
  ExprRef a;
  ExprRef b;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("bench.Add", AddObj, ExprObj);
};

class CallObj : public ExprObj {
 public:
  ffi::String op;
  ffi::Array<ExprRef> args;
  MapAttrs attrs;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("bench.Call", CallObj, ExprObj);
};

class LetObj : public ExprObj {
 public:
  VarRef var;
  ExprRef value;
  ExprRef body;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("bench.Let", LetObj, ExprObj);
};

class FuncObj : public ExprObj {
 public:
  ffi::String name;
  ffi::Array<VarRef> params;
  ExprRef body;
  MapAttrs attrs;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("bench.Func", FuncObj, ExprObj);
};
class FuncRef : public ExprRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(FuncRef, ExprRef, FuncObj);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  using Flag = refl::AttachFieldFlag;
  refl::ObjectDef<ExprObj>();
  refl::ObjectDef<VarObj>().def_ro("name", &VarObj::name, Flag::SEqHashIgnore()).def_ro("dtype", &VarObj::dtype);
  refl::ObjectDef<IntImmObj>().def_ro("value", &IntImmObj::value).def_ro("dtype", &IntImmObj::dtype);
  refl::ObjectDef<AddObj>().def_ro("a", &AddObj::a).def_ro("b", &AddObj::b);
  refl::ObjectDef<CallObj>().def_ro("op", &CallObj::op).def_ro("args", &CallObj::args).def_ro("attrs", &CallObj::attrs);
  refl::ObjectDef<LetObj>()
      .def_ro("var", &LetObj::var, Flag::SEqHashDefSimple())
      .def_ro("value", &LetObj::value)
      .def_ro("body", &LetObj::body);
  refl::ObjectDef<FuncObj>()
      .def_ro("name", &FuncObj::name)
      .def_ro("params", &FuncObj::params, Flag::SEqHashDefPattern())
      .def_ro("body", &FuncObj::body)
      .def_ro("attrs", &FuncObj::attrs);
}

// What GraphBuilder makes objects with.
struct TvmFfiIr {
  using Var = VarRef;
  using Expr = ExprRef;
  using Func = FuncRef;
  using Attrs = MapAttrs;
  using Text = ffi::String;
  using Value = ffi::Any;
  using Graph = ffi::Array<FuncRef>;

  static Text MakeText(std::string_view text) { return Text(text.data(), text.size()); }
  static Value MakeInts(const std::vector<int64_t>& values) {
    return ffi::Array<int64_t>(values.begin(), values.end());
  }
  static Attrs MakeAttrs(const std::vector<std::pair<Text, Value>>& entries) {
    return Attrs(entries.begin(), entries.end());
  }
  static Var MakeVar(Text name) {
    auto var = ffi::make_object<VarObj>();
    var->name = std::move(name);
    return Var(std::move(var));
  }
  static Expr MakeIntImm(int64_t value) {
    auto imm = ffi::make_object<IntImmObj>();
    imm->value = value;
    return Expr(std::move(imm));
  }
  static Expr MakeAdd(Expr a, Expr b) {
    auto add = ffi::make_object<AddObj>();
    add->a = std::move(a);
    add->b = std::move(b);
    return Expr(std::move(add));
  }
  static Expr MakeCall(Text op, const std::vector<Expr>& args, Attrs attrs) {
    auto call = ffi::make_object<CallObj>();
    call->op = std::move(op);
    call->args = ffi::Array<Expr>(args.begin(), args.end());
    call->attrs = std::move(attrs);
    return Expr(std::move(call));
  }
  static Expr MakeLet(Var var, Expr value, Expr body) {
    auto let = ffi::make_object<LetObj>();
    let->var = std::move(var);
    let->value = std::move(value);
    let->body = std::move(body);
    return Expr(std::move(let));
  }
  static Func MakeFunc(Text name, const std::vector<Var>& params, Expr body, Attrs attrs) {
    auto func = ffi::make_object<FuncObj>();
    func->name = std::move(name);
    func->params = ffi::Array<Var>(params.begin(), params.end());
    func->body = std::move(body);
    func->attrs = std::move(attrs);
    return Func(std::move(func));
  }
  static Graph MakeGraph(const std::vector<Func>& functions) { return Graph(functions.begin(), functions.end()); }
};

// Nothing is thrown across the C functions.
template <class Result, class Work>
Result Guard(const char* what, Result failed, Work work) {
  try {
    return work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", what, error.what());
    return failed;
  }
}

const ffi::Any& Value(IrHandle handle) { return *static_cast<const ffi::Any*>(handle); }

IrHandle NewHandle(ffi::Any value) { return new ffi::Any(std::move(value)); }

}  // namespace
}  // namespace ir_bench

using namespace ir_bench;  // NOLINT: the C functions are outside of it

IrHandle IrBuild(uint64_t num_objects, uint64_t seed, uint64_t* made) {
  return Guard<IrHandle>("IrBuild", nullptr, [&] {
    GraphBuilder<TvmFfiIr> builder(seed);
    IrHandle graph = NewHandle(builder.Build(num_objects));
    *made = builder.num_objects();
    return graph;
  });
}

IrHandle IrSaveJSON(IrHandle graph) {
  return Guard<IrHandle>("IrSaveJSON", nullptr, [&] {
    static const ffi::Function save = ffi::Function::GetGlobalRequired("ffi.ToJSONGraphString");
    return NewHandle(save(Value(graph), nullptr));
  });
}

const char* IrText(IrHandle text, size_t* size) {
  // A graph's text is never one of the few bytes that lie within the value.
  const auto* object = Value(text).as<ffi::details::StringObj>();
  *size = object->size;
  return object->data;
}

IrHandle IrMakeText(const char* data, size_t size) {
  return Guard<IrHandle>("IrMakeText", nullptr, [&] { return NewHandle(ffi::String(data, size)); });
}

IrHandle IrLoadJSON(IrHandle text) {
  return Guard<IrHandle>("IrLoadJSON", nullptr, [&] {
    static const ffi::Function load = ffi::Function::GetGlobalRequired("ffi.FromJSONGraphString");
    return NewHandle(load(Value(text)));
  });
}

int IrEqual(IrHandle lhs, IrHandle rhs) {
  return Guard<int>("IrEqual", -1, [&] { return ffi::StructuralEqual::Equal(Value(lhs), Value(rhs)) ? 1 : 0; });
}

int IrHash(IrHandle graph, uint64_t* hash) {
  return Guard<int>("IrHash", -1, [&] {
    *hash = ffi::StructuralHash::Hash(Value(graph));
    return 0;
  });
}

void IrFree(IrHandle handle) { delete static_cast<ffi::Any*>(handle); }
