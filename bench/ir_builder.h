/*
 * A large IR of a made-up compiler, built object by object: the same graph, for the same seed, whichever library's
 * objects it is made of. This header includes neither library's headers.
 */
#ifndef TRANSOM_BENCH_IR_BUILDER_H_
#define TRANSOM_BENCH_IR_BUILDER_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/rng.h"

namespace ir_bench {

// What makes the graph like real IR: functions of some dozens of bindings, calls with a few arguments that are
// mostly recent variables, small constants, attributes that many calls share.
constexpr const char* kOperators[] = {"matmul",  "add",   "multiply", "reshape",       "permute_dims",  "nn.softmax",
                                      "nn.relu", "split", "concat",   "strided_slice", "nn.layer_norm", "call_tir"};
constexpr size_t kMaxParams = 5;
constexpr size_t kMinBindings = 16;
constexpr size_t kMaxBindings = 48;
constexpr size_t kMaxArguments = 3;
constexpr size_t kRecent = 8;
constexpr int kMaxNesting = 3;

/*
 * Builds graphs. `Ir` names the library's types Text, Value, Attrs, Expr, Var, Func and Graph, and makes objects of
 * them:
 *
 *   MakeText(string_view), MakeInts(vector<int64_t>), MakeAttrs(vector<pair<Text, Value>>),
 *   MakeVar(Text name), MakeIntImm(int64_t), MakeAdd(Expr, Expr), MakeCall(Text op, vector<Expr> args, Attrs),
 *   MakeLet(Var, Expr value, Expr body), MakeFunc(Text name, vector<Var> params, Expr body, Attrs),
 *   MakeGraph(vector<Func>)
 *
 * Not thread-safe; linear in the objects that it makes.
 */
template <class Ir>
class GraphBuilder {
 public:
  explicit GraphBuilder(uint64_t seed) : rng_(seed), no_attrs_(MakeAttrs(0)) {
    for (const char* name : kOperators) operators_.push_back(Ir::MakeText(name));
    for (const char* name : {"axis", "keepdims", "out_dtype", "epsilon", "axes"}) keys_.push_back(Ir::MakeText(name));
    for (const char* name : {"float32", "float16", "int32"}) dtypes_.push_back(Ir::MakeText(name));
  }

  // Whole functions until there are at least `num_objects` objects, the graph's own included.
  typename Ir::Graph Build(uint64_t num_objects) {
    std::vector<typename Ir::Func> functions;
    ++num_objects_;
    while (num_objects_ < num_objects) functions.push_back(MakeFunc(functions.size()));
    return Ir::MakeGraph(functions);
  }

  // Objects made so far; strings do not count.
  uint64_t num_objects() const { return num_objects_; }

 private:
  using Var = typename Ir::Var;
  using Expr = typename Ir::Expr;
  using Attrs = typename Ir::Attrs;

  Var MakeVar() {
    ++num_objects_;
    return Ir::MakeVar(Ir::MakeText("lv" + std::to_string(scope_.size())));
  }

  Attrs MakeAttrs(size_t size) {
    ++num_objects_;
    std::vector<std::pair<typename Ir::Text, typename Ir::Value>> entries;
    for (size_t i = 0; i < size; ++i) entries.emplace_back(keys_[i], MakeAttr(i));
    return Ir::MakeAttrs(entries);
  }
  typename Ir::Value MakeAttr(size_t key) {
    switch (key) {
      case 0:
        return typename Ir::Value(static_cast<int64_t>(rng_.Below(4)));
      case 1:
        return typename Ir::Value(rng_.OneIn(2));
      case 2:
        return typename Ir::Value(rng_.Pick(dtypes_));
      case 3:
        return typename Ir::Value(1e-5);
      default:
        ++num_objects_;
        return Ir::MakeInts({0, static_cast<int64_t>(rng_.Below(4))});
    }
  }
  // Half of the calls have none, most others one of their function's.
  Attrs PickAttrs() {
    if (rng_.OneIn(2)) return no_attrs_;
    if (!attrs_.empty() && !rng_.OneIn(3)) return rng_.Pick(attrs_);
    attrs_.push_back(MakeAttrs(1 + rng_.Below(keys_.size())));
    return attrs_.back();
  }

  Expr PickVar() {
    size_t recent = std::min(scope_.size(), kRecent);
    return rng_.OneIn(4) ? Expr(rng_.Pick(scope_)) : Expr(scope_[scope_.size() - 1 - rng_.Below(recent)]);
  }
  Expr MakeConstant() {
    if (!constants_.empty() && rng_.OneIn(2)) return rng_.Pick(constants_);
    ++num_objects_;
    constants_.push_back(Ir::MakeIntImm(static_cast<int64_t>(rng_.Below(1024))));
    return constants_.back();
  }
  Expr MakeOperand(int nesting) {
    size_t kind = rng_.Below(10);
    if (kind < 6) return PickVar();
    if (kind < 8 || nesting >= kMaxNesting) return MakeConstant();
    return MakeAdd(nesting + 1);
  }
  Expr MakeAdd(int nesting) {
    Expr lhs = MakeOperand(nesting);
    Expr rhs = MakeOperand(nesting);
    ++num_objects_;
    return Ir::MakeAdd(lhs, rhs);
  }
  Expr MakeCall() {
    const auto& op = rng_.Pick(operators_);
    std::vector<Expr> arguments;
    for (size_t count = 1 + rng_.Below(kMaxArguments); count > 0; --count) arguments.push_back(MakeOperand(0));
    Attrs attrs = PickAttrs();
    num_objects_ += 2;
    return Ir::MakeCall(op, arguments, attrs);
  }

  typename Ir::Func MakeFunc(size_t number) {
    scope_.clear();
    constants_.clear();
    attrs_.clear();
    for (size_t count = 1 + rng_.Below(kMaxParams); count > 0; --count) scope_.push_back(MakeVar());
    std::vector<Var> params = scope_;
    std::vector<Expr> values;
    for (size_t count = kMinBindings + rng_.Below(kMaxBindings - kMinBindings + 1); count > 0; --count) {
      values.push_back(rng_.OneIn(4) ? MakeAdd(0) : MakeCall());
      scope_.push_back(MakeVar());
    }
    Expr body = scope_.back();
    for (size_t i = values.size(); i > 0; --i) {
      ++num_objects_;
      body = Ir::MakeLet(scope_[params.size() + i - 1], values[i - 1], body);
    }
    Attrs attrs = MakeAttrs(2);
    num_objects_ += 2;
    return Ir::MakeFunc(Ir::MakeText("fused_function_" + std::to_string(number)), params, body, attrs);
  }

  transom::testing::Rng rng_;
  uint64_t num_objects_ = 0;
  std::vector<typename Ir::Text> operators_;
  std::vector<typename Ir::Text> keys_;
  std::vector<typename Ir::Text> dtypes_;
  Attrs no_attrs_;
  // Of the function that is being made.
  std::vector<Var> scope_;
  std::vector<Expr> constants_;
  std::vector<Attrs> attrs_;
};

}  // namespace ir_bench
#endif  // TRANSOM_BENCH_IR_BUILDER_H_
