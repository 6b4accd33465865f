/*
 * The benchmark's IR in Transom's objects. tvm_ffi/ir_tvm_ffi.cc declares the same types, key for key and field for
 * field, with the headers of the package apache-tvm-ffi.
 */
#ifndef TRANSOM_BENCH_IR_TRANSOM_H_
#define TRANSOM_BENCH_IR_TRANSOM_H_

#include <transom/containers/array.h>
#include <transom/containers/map.h>
#include <transom/containers/string.h>
#include <transom/runtime/dtype.h>
#include <transom/runtime/object.h>

#include <cstddef>
#include <cstdint>

namespace ir_bench {

using Attrs = transom::Map<transom::String, transom::Any>;

/*! \brief Base of all expressions; no fields. */
class ExprObj : public transom::Object {
 public:
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
  static constexpr int32_t _type_child_slots = 8;
  TRANSOM_DECLARE_OBJECT_INFO("bench.Expr", ExprObj, transom::Object);
};
class Expr : public transom::ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Expr, transom::ObjectRef, ExprObj);
};

/*! \brief A variable; its name does not count in comparison. */
class VarObj : public ExprObj {
 public:
  transom::String name;
  transom::DataType dtype;
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindFreeVar;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("bench.Var", VarObj, ExprObj);
};
class Var : public Expr {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Var, Expr, VarObj);
};

class IntImmObj : public ExprObj {
 public:
  int64_t value = 0;
  transom::DataType dtype;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("bench.IntImm", IntImmObj, ExprObj);
};

class AddObj : public ExprObj {
 public:
  Expr a;
  Expr b;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("bench.Add", AddObj, ExprObj);
};

class CallObj : public ExprObj {
 public:
  transom::String op;
  transom::Array<Expr> args;
  Attrs attrs;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("bench.Call", CallObj, ExprObj);
};

/*! \brief `var` is defined here, for `body`. */
class LetObj : public ExprObj {
 public:
  Var var;
  Expr value;
  Expr body;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("bench.Let", LetObj, ExprObj);
};

/*! \brief `params` are defined here. */
class FuncObj : public ExprObj {
 public:
  transom::String name;
  transom::Array<Var> params;
  Expr body;
  Attrs attrs;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("bench.Func", FuncObj, ExprObj);
};
class Func : public Expr {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Func, Expr, FuncObj);
};

using Graph = transom::Array<Func>;

/*! \brief A graph of about `num_objects` objects, a function of both arguments; `*made`, if not NULL, becomes their
 * exact number. */
Graph BuildGraph(uint64_t num_objects, uint64_t seed, uint64_t* made);

/*! \brief Changes `count` calls in as many functions of a graph that nobody else has: another operator, an argument
 * more or less, or an attribute more. At most as many as there are functions. */
void EditGraph(const Graph& graph, size_t count, uint64_t seed);

/*! \brief An equal graph, of which every object was interned when it was made. */
Graph BuildInterned(uint64_t num_objects, uint64_t seed);

}  // namespace ir_bench
#endif  // TRANSOM_BENCH_IR_TRANSOM_H_
