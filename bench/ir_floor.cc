#include "ir_floor.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace ir_bench {
namespace {

// A hash table from variables to variables that never grows.
class Partners {
 public:
  explicit Partners(size_t most) {
    size_t slots = 16;
    while (slots < 2 * most) slots *= 2;
    slots_.resize(slots);
  }
  const VarObj* Find(const VarObj* var) const { return slots_[Place(var)].partner; }
  /*! \brief False: it has a partner already. */
  bool Insert(const VarObj* var, const VarObj* partner) {
    Slot& slot = slots_[Place(var)];
    if (slot.var != nullptr) return false;
    slot = {var, partner};
    return true;
  }

 private:
  struct Slot {
    const VarObj* var = nullptr;
    const VarObj* partner = nullptr;
  };
  // Neighbours in memory are neighbours here.
  size_t Place(const VarObj* var) const {
    size_t i = reinterpret_cast<uintptr_t>(var) / 32 % slots_.size();
    while (slots_[i].var != nullptr && slots_[i].var != var) i = (i + 1) % slots_.size();
    return i;
  }
  std::vector<Slot> slots_;
};

// What a compiler's author would write for this IR.
class HandWrittenEqual {
 public:
  explicit HandWrittenEqual(size_t num_variables) : right_of_(num_variables), left_of_(num_variables) {}

  bool Graphs(const Graph& lhs, const Graph& rhs) {
    if (lhs.size() != rhs.size()) return false;
    for (int64_t i = 0; i < lhs.size(); ++i) {
      if (!Expressions(lhs[i], rhs[i])) return false;
    }
    return true;
  }

 private:
  bool Expressions(const Expr& lhs, const Expr& rhs) {
    if (lhs->type_index() != rhs->type_index()) return false;
    if (const auto* var = lhs.as<VarObj>()) return Variables(var, rhs.as<VarObj>());
    if (const auto* imm = lhs.as<IntImmObj>()) return Constants(*imm, *rhs.as<IntImmObj>());
    if (const auto* add = lhs.as<AddObj>()) {
      const auto* other = rhs.as<AddObj>();
      return Expressions(add->a, other->a) && Expressions(add->b, other->b);
    }
    if (const auto* call = lhs.as<CallObj>()) return Calls(*call, *rhs.as<CallObj>());
    if (const auto* let = lhs.as<LetObj>()) {
      const auto* other = rhs.as<LetObj>();
      return Define(let->var.get(), other->var.get()) && Expressions(let->value, other->value) &&
             Expressions(let->body, other->body);
    }
    const auto* func = lhs.as<FuncObj>();
    return func != nullptr && Functions(*func, *rhs.as<FuncObj>());
  }

  bool Functions(const FuncObj& lhs, const FuncObj& rhs) {
    if (lhs.name != rhs.name || lhs.params.size() != rhs.params.size()) return false;
    for (int64_t i = 0; i < lhs.params.size(); ++i) {
      if (!Define(lhs.params[i].get(), rhs.params[i].get())) return false;
    }
    return Expressions(lhs.body, rhs.body) && Attributes(lhs.attrs, rhs.attrs);
  }

  bool Calls(const CallObj& lhs, const CallObj& rhs) {
    if (lhs.op != rhs.op || lhs.args.size() != rhs.args.size()) return false;
    for (int64_t i = 0; i < lhs.args.size(); ++i) {
      if (!Expressions(lhs.args[i], rhs.args[i])) return false;
    }
    return Attributes(lhs.attrs, rhs.attrs);
  }

  // Plain values and arrays of integers.
  static bool Attributes(const Attrs& lhs, const Attrs& rhs) {
    if (lhs.size() != rhs.size()) return false;
    for (const auto& [key, value] : lhs) {
      const auto other = rhs.find(key);
      if (other == rhs.end() || !Values(value, (*other).second)) return false;
    }
    return true;
  }
  static bool Values(const transom::Any& lhs, const transom::Any& rhs) {
    const auto* array = lhs.as<transom::ArrayObj>();
    const auto* other = rhs.as<transom::ArrayObj>();
    if (array == nullptr || other == nullptr) return transom::AnyEqual()(lhs, rhs);
    return std::equal(array->begin(), array->end(), other->begin(), other->end(), transom::AnyEqual());
  }

  static bool Constants(const IntImmObj& lhs, const IntImmObj& rhs) {
    return lhs.value == rhs.value && lhs.dtype == rhs.dtype;
  }
  bool Define(const VarObj* lhs, const VarObj* rhs) {
    return lhs->dtype == rhs->dtype && right_of_.Insert(lhs, rhs) && left_of_.Insert(rhs, lhs);
  }
  bool Variables(const VarObj* lhs, const VarObj* rhs) const { return right_of_.Find(lhs) == rhs; }

  Partners right_of_, left_of_;
};

// The same fields as the hash, in the same order.
class HandWrittenFold {
 public:
  uint64_t Graphs(const Graph& graph) {
    for (const Func& func : graph) Functions(*func.get());
    return sum_;
  }

 private:
  void Add(uint64_t word) { sum_ = (sum_ ^ word) * 0x9E3779B97F4A7C15u; }
  void Add(const transom::DataType& dtype) {
    uint32_t word = 0;
    static_assert(sizeof(DLDataType) == sizeof(word));
    std::memcpy(&word, static_cast<const DLDataType*>(&dtype), sizeof(word));
    Add(word);
  }
  void Add(const transom::String& text) {
    const std::string_view bytes(text.data(), text.size());
    uint64_t word = 0;
    for (size_t i = 0; i < bytes.size(); i += sizeof(word)) {
      word = 0;
      std::memcpy(&word, bytes.data() + i, std::min(sizeof(word), bytes.size() - i));
      Add(word);
    }
  }

  void Expressions(const Expr& expr) {
    if (const auto* var = expr.as<VarObj>()) return Add(var->dtype);
    if (const auto* imm = expr.as<IntImmObj>()) {
      Add(static_cast<uint64_t>(imm->value));
      return Add(imm->dtype);
    }
    if (const auto* add = expr.as<AddObj>()) {
      Expressions(add->a);
      return Expressions(add->b);
    }
    if (const auto* call = expr.as<CallObj>()) {
      Add(call->op);
      for (const Expr& argument : call->args) Expressions(argument);
      return Attributes(call->attrs);
    }
    if (const auto* let = expr.as<LetObj>()) {
      Add(let->var->dtype);
      Expressions(let->value);
      return Expressions(let->body);
    }
    if (const auto* func = expr.as<FuncObj>()) Functions(*func);
  }
  void Functions(const FuncObj& func) {
    Add(func.name);
    for (const Var& param : func.params) Add(param->dtype);
    Expressions(func.body);
    Attributes(func.attrs);
  }

  void Attributes(const Attrs& attrs) {
    for (const auto& [key, value] : attrs) {
      Add(key);
      Values(value);
    }
  }
  void Values(const transom::Any& value) {
    if (const auto* array = value.as<transom::ArrayObj>()) {
      for (const transom::Any& element : *array) Values(element);
    } else if (const auto text = value.as<transom::String>()) {
      Add(*text);
    } else {
      Add(value.raw()->v_uint64);
    }
  }

  uint64_t sum_ = 0;
};

}  // namespace

bool EqualByHand(const Graph& lhs, const Graph& rhs, size_t num_variables) {
  return HandWrittenEqual(num_variables).Graphs(lhs, rhs);
}

uint64_t FoldByHand(const Graph& graph) { return HandWrittenFold().Graphs(graph); }

}  // namespace ir_bench
