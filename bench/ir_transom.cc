#include "ir_transom.h"

#include <transom/reflection/registry.h>
#include <transom/structural/interner.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "ir_builder.h"

namespace ir_bench {
namespace {

namespace refl = transom::reflection;

TRANSOM_STATIC_INIT_BLOCK() {
  refl::ObjectDef<ExprObj>();
  refl::ObjectDef<VarObj>().def_ro("name", &VarObj::name, refl::SEqHashIgnore()).def_ro("dtype", &VarObj::dtype);
  refl::ObjectDef<IntImmObj>().def_ro("value", &IntImmObj::value).def_ro("dtype", &IntImmObj::dtype);
  refl::ObjectDef<AddObj>().def_ro("a", &AddObj::a).def_ro("b", &AddObj::b);
  refl::ObjectDef<CallObj>().def_ro("op", &CallObj::op).def_ro("args", &CallObj::args).def_ro("attrs", &CallObj::attrs);
  refl::ObjectDef<LetObj>()
      .def_ro("var", &LetObj::var, refl::SEqHashDefNonRecursive())
      .def_ro("value", &LetObj::value)
      .def_ro("body", &LetObj::body);
  refl::ObjectDef<FuncObj>()
      .def_ro("name", &FuncObj::name)
      .def_ro("params", &FuncObj::params, refl::SEqHashDefRecursive())
      .def_ro("body", &FuncObj::body)
      .def_ro("attrs", &FuncObj::attrs);
}

// What GraphBuilder makes objects with.
struct TransomIr {
  using Var = ir_bench::Var;
  using Expr = ir_bench::Expr;
  using Func = ir_bench::Func;
  using Attrs = ir_bench::Attrs;
  using Text = transom::String;
  using Value = transom::Any;
  using Graph = ir_bench::Graph;

  static Text MakeText(std::string_view text) { return Text(text); }
  static Value MakeInts(const std::vector<int64_t>& values) {
    return transom::Array<int64_t>(values.begin(), values.end());
  }
  static Attrs MakeAttrs(const std::vector<std::pair<Text, Value>>& entries) {
    return Attrs(entries.begin(), entries.end());
  }
  static Var MakeVar(Text name) {
    auto var = transom::make_object<VarObj>();
    var->name = std::move(name);
    var->dtype = transom::DataType::Float(32);
    return Var(std::move(var));
  }
  static Expr MakeIntImm(int64_t value) {
    auto imm = transom::make_object<IntImmObj>();
    imm->value = value;
    imm->dtype = transom::DataType::Int(64);
    return Expr(std::move(imm));
  }
  static Expr MakeAdd(Expr a, Expr b) {
    auto add = transom::make_object<AddObj>();
    add->a = std::move(a);
    add->b = std::move(b);
    return Expr(std::move(add));
  }
  static Expr MakeCall(Text op, const std::vector<Expr>& args, Attrs attrs) {
    auto call = transom::make_object<CallObj>();
    call->op = std::move(op);
    call->args = transom::Array<Expr>(args.begin(), args.end());
    call->attrs = std::move(attrs);
    return Expr(std::move(call));
  }
  static Expr MakeLet(Var var, Expr value, Expr body) {
    auto let = transom::make_object<LetObj>();
    let->var = std::move(var);
    let->value = std::move(value);
    let->body = std::move(body);
    return Expr(std::move(let));
  }
  static Func MakeFunc(Text name, const std::vector<Var>& params, Expr body, Attrs attrs) {
    auto func = transom::make_object<FuncObj>();
    func->name = std::move(name);
    func->params = transom::Array<Var>(params.begin(), params.end());
    func->body = std::move(body);
    func->attrs = std::move(attrs);
    return Func(std::move(func));
  }
  static Graph MakeGraph(const std::vector<Func>& functions) { return Graph(functions.begin(), functions.end()); }
};

// The same, interned object by object.
struct InternedIr : TransomIr {
  static thread_local transom::Interner* interner;

  static Value MakeInts(const std::vector<int64_t>& values) { return interner->Intern(TransomIr::MakeInts(values)); }
  static Attrs MakeAttrs(const std::vector<std::pair<Text, Value>>& entries) {
    return interner->Intern(TransomIr::MakeAttrs(entries));
  }
  static Expr MakeIntImm(int64_t value) { return interner->Intern(TransomIr::MakeIntImm(value)); }
  static Expr MakeAdd(Expr a, Expr b) { return interner->Intern(TransomIr::MakeAdd(std::move(a), std::move(b))); }
  static Expr MakeCall(Text op, const std::vector<Expr>& args, Attrs attrs) {
    return interner->Intern(TransomIr::MakeCall(std::move(op), args, std::move(attrs)));
  }
  static Expr MakeLet(Var var, Expr value, Expr body) {
    return interner->Intern(TransomIr::MakeLet(std::move(var), std::move(value), std::move(body)));
  }
  static Func MakeFunc(Text name, const std::vector<Var>& params, Expr body, Attrs attrs) {
    return interner->Intern(TransomIr::MakeFunc(std::move(name), params, std::move(body), std::move(attrs)));
  }
};
thread_local transom::Interner* InternedIr::interner = nullptr;

// The calls that a function binds.
std::vector<const CallObj*> CallsOf(const Func& function) {
  std::vector<const CallObj*> calls;
  for (const auto* let = function->body.as<LetObj>(); let != nullptr; let = let->body.as<LetObj>()) {
    if (const auto* call = let->value.as<CallObj>()) calls.push_back(call);
  }
  return calls;
}

void EditCall(CallObj* call, const Expr& argument, size_t kind) {
  if (kind == 0) {
    call->op = transom::String("edited");
  } else if (kind == 1) {
    call->args = call->args.push_back(argument);
  } else if (kind == 2 && call->args.size() > 1) {
    call->args = call->args.pop_back();
  } else {
    call->attrs = call->attrs.set("edited", transom::Any(int64_t{1}));
  }
}

}  // namespace

Graph BuildInterned(uint64_t num_objects, uint64_t seed) {
  transom::Interner interner;
  InternedIr::interner = &interner;
  return GraphBuilder<InternedIr>(seed).Build(num_objects);
}

void EditGraph(const Graph& graph, size_t count, uint64_t seed) {
  transom::testing::Rng rng(seed);
  std::vector<Func> functions(graph.begin(), graph.end());
  rng.Shuffle(&functions);
  functions.resize(std::min(functions.size(), count));
  for (size_t i = 0; i < functions.size(); ++i) {
    const std::vector<const CallObj*> calls = CallsOf(functions[i]);
    if (!calls.empty()) EditCall(const_cast<CallObj*>(rng.Pick(calls)), functions[i]->params[0], i % 4);
  }
}

Graph BuildGraph(uint64_t num_objects, uint64_t seed, uint64_t* made) {
  GraphBuilder<TransomIr> builder(seed);
  Graph graph = builder.Build(num_objects);
  if (made != nullptr) *made = builder.num_objects();
  return graph;
}

}  // namespace ir_bench
