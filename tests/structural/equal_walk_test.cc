#include "structural/equality/equal_walk.h"

#include <gtest/gtest.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/formats/json_graph.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "structural/equality/lock_step.h"
#include "support/native_types.h"
#include "support/rng.h"
#include "support/small_stack.h"

namespace transom {
namespace {

using structural::EqualWalk;
using structural::Hooks;
using structural::LockStep;
using testing::Call;
using testing::CallObj;
using testing::Const;
using testing::ConstObj;
using testing::ErrorOf;
using testing::Lambda;
using testing::LambdaObj;
using testing::Let;
using testing::LetObj;
using testing::Node;
using testing::NodeObj;
using testing::Rng;
using testing::Var;
using testing::VarObj;
using Verdict = EqualWalk::Verdict;

Verdict Walk(const Any& lhs, const Any& rhs, const StructuralOptions& options = {}, Hooks hooks = Hooks::kRefuse) {
  graph::PlanTable plans(options.rules);
  return EqualWalk(plans, options, hooks).Run(*lhs.raw(), *rhs.raw());
}

bool LockStepEqual(const Any& lhs, const Any& rhs, LockStep::Goal goal,
                   LockStep::Rules rules = LockStep::Rules::kTransom) {
  const StructuralOptions options;
  graph::PlanTable plans;
  return LockStep(plans, options, goal, rules).Run(*lhs.raw(), *rhs.raw(), 0, nullptr);
}

// ---- Against brute force --------------------------------------------------------------------------------------------

enum class Region { kNone, kRecursive, kSimple };

// Structural equality of graphs of Random as it is defined: on the unfolded trees, without any memory of pairs but the
// pairing of variables and dag nodes.
class BruteForce {
 public:
  bool Same(const Any& lhs, const Any& rhs, Region region = Region::kNone) {
    if (lhs.type_index() != rhs.type_index()) return false;
    if (const auto* call = lhs.as<CallObj>()) {
      const auto* other = rhs.as<CallObj>();
      return call->op == other->op && SameItems(call->args, other->args, region);
    }
    if (const auto* lambda = lhs.as<LambdaObj>()) {
      const auto* other = rhs.as<LambdaObj>();
      return SameItems(lambda->params, other->params, Region::kRecursive) && Same(lambda->body, other->body, region);
    }
    if (const auto* let = lhs.as<LetObj>()) {
      const auto* other = rhs.as<LetObj>();
      const Region inside = region == Region::kRecursive ? region : Region::kSimple;
      return Same(let->value, other->value, region) && Same(let->var, other->var, inside) &&
             Same(let->body, other->body, region);
    }
    if (const auto* constant = lhs.as<ConstObj>()) {
      return constant == rhs.as<ConstObj>() || Same(constant->value, rhs.as<ConstObj>()->value, region);
    }
    if (const auto* var = lhs.as<VarObj>()) {
      const Region inside = region == Region::kSimple ? Region::kNone : region;
      return SameOneToOne(var, rhs.as<VarObj>(), region != Region::kNone,
                          [&] { return Same(var->type, rhs.as<VarObj>()->type, inside); });
    }
    if (const auto* node = lhs.as<NodeObj>()) {
      return SameOneToOne(node, rhs.as<NodeObj>(), true,
                          [&] { return Same(node->value, rhs.as<NodeObj>()->value, region); });
    }
    if (const auto* map = lhs.as<MapObj>()) return SameEntries(*map, *rhs.as<MapObj>(), region);
    if (lhs.as<ArrayObj>() != nullptr) return SameItems(lhs.cast<Array<Any>>(), rhs.cast<Array<Any>>(), region);
    return AnyEqual()(lhs, rhs);
  }

 private:
  template <class Fields>
  bool SameOneToOne(const Object* lhs, const Object* rhs, bool may_bind, Fields same_fields) {
    const auto right = right_of_.find(lhs);
    if (right != right_of_.end()) return right->second == rhs;
    if (left_of_.count(rhs) != 0 || !same_fields() || (!may_bind && lhs != rhs)) return false;
    right_of_[lhs] = rhs;
    left_of_[rhs] = lhs;
    return true;
  }
  bool SameItems(const Array<Any>& lhs, const Array<Any>& rhs, Region region) {
    for (int64_t i = 0; i < std::min(lhs.size(), rhs.size()); ++i) {
      if (!Same(lhs[i], rhs[i], region)) return false;
    }
    return lhs.size() == rhs.size();
  }
  bool SameEntries(const MapObj& lhs, const MapObj& rhs, Region region) {
    for (uint64_t pos = lhs.First(); pos != MapObj::kEnd; pos = lhs.Next(pos)) {
      const Any* other = rhs.Find(lhs.KeyAt(pos));
      if (other == nullptr || !Same(lhs.ValueAt(pos), *other, region)) return false;
    }
    return lhs.size() == rhs.size();
  }

  std::map<const Object*, const Object*> right_of_, left_of_;
};

// A graph as a list of nodes whose parts are earlier ones. It becomes objects in many ways: a part that is used more
// than once becomes one object or several.
class Recipe {
 public:
  Recipe(Rng* rng, size_t size) {
    for (size_t i = 0; i < size; ++i) nodes_.push_back(RandomNode(rng, i));
  }
  // One node is another one.
  void Edit(Rng* rng) {
    const size_t i = rng->Below(nodes_.size());
    nodes_[i] = RandomNode(rng, i);
  }
  struct Copies {
    size_t one_in = 4;            // uses of a part that get an object of their own
    size_t variables_one_in = 0;  // the same of variables; 0: none
  };
  Any Make(Rng* rng, const Copies& copies) const {
    std::vector<Any> made(nodes_.size());
    return Make(nodes_.size() - 1, rng, copies, &made);
  }

 private:
  enum class Kind { kLeaf, kVar, kCall, kArray, kMap, kLambda, kLet, kConst, kNode };
  struct Part {
    Kind kind;
    int64_t number;
    std::vector<size_t> parts;
  };

  Part RandomNode(Rng* rng, size_t i) const {
    Part node{static_cast<Kind>(i < 3 ? i % 2 : rng->Below(9)), static_cast<int64_t>(rng->Below(2)), {}};
    if (node.kind == Kind::kLeaf || node.kind == Kind::kVar) return node;
    for (size_t n = 1 + rng->Below(3); n > 0; --n) {
      // Mostly recent ones, so that graphs are deep.
      node.parts.push_back(rng->OneIn(3) ? rng->Below(i) : i - 1 - rng->Below(std::min<size_t>(i, 3)));
    }
    return node;
  }

  Any Make(size_t i, Rng* rng, const Copies& copies, std::vector<Any>* made) const {
    const size_t one_in = nodes_[i].kind == Kind::kVar ? copies.variables_one_in : copies.one_in;
    Any& known = (*made)[i];
    if (known != nullptr && (one_in == 0 || !rng->OneIn(one_in))) return known;
    const Any value = MakeNew(nodes_[i], rng, copies, made);
    if (known == nullptr) known = value;
    return value;
  }
  Any MakeNew(const Part& node, Rng* rng, const Copies& copies, std::vector<Any>* made) const {
    std::vector<Any> parts;
    for (const size_t part : node.parts) parts.push_back(Make(part, rng, copies, made));
    switch (node.kind) {
      case Kind::kLeaf:
        return Any(node.number);
      case Kind::kVar:
        return Var("x", node.number == 0 ? Any() : Any(node.number));
      case Kind::kCall:
        return Call(node.number == 0 ? "f" : "g", Array<Any>(parts.begin(), parts.end()));
      case Kind::kArray:
        return Array<Any>(parts.begin(), parts.end());
      case Kind::kMap: {
        Map<String, Any> map;
        const int64_t size = static_cast<int64_t>(parts.size());
        for (int64_t k = 0; k < size; ++k) {
          // Entries in either order.
          const int64_t at = rng->OneIn(2) ? k : size - 1 - k;
          if (map.count(std::to_string(at)) == 0) map = map.set(std::to_string(at), parts[static_cast<size_t>(at)]);
        }
        for (int64_t k = 0; k < size; ++k) {
          if (map.count(std::to_string(k)) == 0) map = map.set(std::to_string(k), parts[static_cast<size_t>(k)]);
        }
        return map;
      }
      case Kind::kLambda:
        return Lambda(Array<Any>(parts.begin(), parts.end() - 1), parts.back());
      case Kind::kLet:
        return Let(parts.front(), parts[parts.size() / 2], parts.back());
      case Kind::kConst:
        return Const(parts.front());
      default:
        return Node(parts.front());
    }
  }

  std::vector<Part> nodes_;
};

// Maps are visited in the left side's order by all of them, so that variables pair in one order.
void ExpectAllAgree(const Any& lhs, const Any& rhs, uint64_t seed, int* num_equal) {
  const bool wanted = BruteForce().Same(lhs, rhs);
  *num_equal += wanted ? 1 : 0;
  // A difference may be left to LockStep.
  EXPECT_EQ(Walk(lhs, rhs) == Verdict::kEqual, wanted) << seed;
  EXPECT_EQ(Walk(lhs, rhs, {}, Hooks::kRun) == Verdict::kEqual, wanted) << seed;
  EXPECT_EQ(LockStepEqual(lhs, rhs, LockStep::Goal::kFirst), wanted) << seed;
  EXPECT_EQ(LockStepEqual(lhs, rhs, LockStep::Goal::kFirst, LockStep::Rules::kContract), wanted) << seed;
  EXPECT_EQ(StructuralEqual::Equal(lhs, rhs), wanted) << seed;
  EXPECT_EQ(StructuralEqual::GetFirstMismatch(lhs, rhs).has_value(), !wanted) << seed;
}

// What is remembered of pairs never changes a verdict: parts with variables of outside, which are equal in one place,
// are equal in all.
TEST(EqualWalk, AgreesWithBruteForceOnSharedOpenParts) {
  constexpr int kGraphs = 4000;
  int num_equal = 0, num_pairs = 0;
  for (uint64_t seed = 0; seed < kGraphs; ++seed) {
    Rng rng(seed);
    const Recipe recipe(&rng, 4 + rng.Below(10));
    const Recipe::Copies copies{1 + rng.Below(4), rng.OneIn(3) ? 6u : 0u};
    Recipe edited = recipe;
    edited.Edit(&rng);
    const Any lhs = recipe.Make(&rng, copies);
    for (const Any& rhs : {recipe.Make(&rng, copies), edited.Make(&rng, copies)}) {
      ExpectAllAgree(lhs, rhs, seed, &num_equal);
      ++num_pairs;
    }
  }
  EXPECT_GT(num_equal, num_pairs / 10);
  EXPECT_LT(num_equal, num_pairs - num_pairs / 10);
}

// ---- What the walk decides ------------------------------------------------------------------------------------------

TEST(EqualWalk, DecidesWithoutHelp) {
  const Any x = Var("x"), y = Var("y");
  EXPECT_EQ(Walk(Call("f", {1, 2.5, "text"}), Call("f", {1, 2.5, "text"})), Verdict::kEqual);
  EXPECT_EQ(Walk(Call("f", {1}), Call("f", {2})), Verdict::kDifferent);
  EXPECT_EQ(Walk(Call("f", {1}), Call("f", {1, 2})), Verdict::kDifferent);
  EXPECT_EQ(Walk(Call("f"), Array<Any>{1}), Verdict::kDifferent);
  EXPECT_EQ(Walk(Array<Any>{1}, List<Any>{1}), Verdict::kDifferent);
  EXPECT_EQ(Walk(Call("f", {Array<Any>()}), Call("f", {nullptr})), Verdict::kDifferent);
  EXPECT_EQ(Walk(Lambda({x}, Call("f", {x})), Lambda({y}, Call("f", {y}))), Verdict::kEqual);
  EXPECT_EQ(Walk(Lambda({x, y}, Call("f", {x})), Lambda({x, y}, Call("f", {y}))), Verdict::kDifferent);
  EXPECT_EQ(Walk(Call("f", {x}), Call("f", {y})), Verdict::kDifferent);
  EXPECT_EQ(Walk(Call("f", {x}), Call("f", {x})), Verdict::kEqual);
}

TEST(EqualWalk, MapsInAnyOrderAndWithAnyKeys) {
  const Map<String, Any> ab{{"a", 1}, {"b", Call("f")}}, ba{{"b", Call("f")}, {"a", 1}};
  EXPECT_EQ(Walk(ab, ba), Verdict::kEqual);
  EXPECT_EQ(Walk(ab, Map<String, Any>{{"a", 1}, {"b", Call("g")}}), Verdict::kDifferent);
  const Any key = Call("k"), same = Call("k");
  EXPECT_EQ(Walk(Map<Any, Any>{{key, 1}}, Map<Any, Any>{{same, 1}}), Verdict::kEqual);
  EXPECT_EQ(Walk(Map<Any, Any>{{key, 1}}, Map<Any, Any>{{same, 2}}), Verdict::kDifferent);
  // Keys that pair by the variables that they are bound to.
  const Any x = Var("x"), y = Var("y");
  EXPECT_EQ(Walk(Lambda({x}, Map<Any, Any>{{x, 1}}), Lambda({y}, Map<Any, Any>{{y, 1}})), Verdict::kEqual);
}

// LockStep has the paths, and the rules for what is rare.
TEST(EqualWalk, LeavesTheRestToLockStep) {
  const Map<String, Any> one{{"a", 1}}, other{{"b", 1}};
  EXPECT_EQ(Walk(one, other), Verdict::kUnknown);
  EXPECT_EQ(Walk(testing::Plain(1), testing::Plain(1)), Verdict::kUnknown);
  EXPECT_EQ(Walk(testing::Hooked(1), testing::Hooked(1)), Verdict::kUnknown);
  EXPECT_EQ(Walk(Function::FromTyped([] {}), Function::FromTyped([] {})), Verdict::kUnknown);
  StructuralOptions files;
  files.as_files = true;
  EXPECT_EQ(Walk(Call("f"), testing::AsRecords(Call("f")), files), Verdict::kUnknown);
  EXPECT_FALSE(StructuralEqual::Equal(one, other));
  EXPECT_TRUE(StructuralEqual::Equal(Call("f"), testing::AsRecords(Call("f")), files));
}

TEST(EqualWalk, RecordsOfFiles) {
  StructuralOptions files;
  files.as_files = true;
  const Any x = Var("x"), y = Var("y");
  const auto records = [&](const Any& v) { return testing::AsRecords(Array<Any>{v, v}); };
  EXPECT_EQ(Walk(records(Call("f", {x})), records(Call("f", {y})), files), Verdict::kEqual);
  EXPECT_EQ(Walk(records(Call("f", {x, x})), records(Call("f", {x, y})), files), Verdict::kDifferent);
  EXPECT_FALSE(StructuralEqual::Equal(records(Call("f", {x, y})), records(Call("f", {x, x})), files));
}

// ---- Cycles ---------------------------------------------------------------------------------------------------------

Any Cycle() {
  List<Any> list;
  list.push_back(Call("f", {list}));
  return list;
}

// Ends a cycle, which would never be freed.
void Open(const Any& cycle) { cycle.cast<List<Any>>().clear(); }

TEST(EqualWalk, CyclesOfEitherSideAreReported) {
  const Any lhs = Cycle(), rhs = Cycle();
  EXPECT_EQ(Walk(lhs, rhs), Verdict::kUnknown);
  EXPECT_EQ(ErrorOf([&] { StructuralEqual::Equal(lhs, rhs); }),
            "ValueError: <root>[0].args[0]: the left value contains itself; values with cycles cannot be compared");
  // As long as the left side goes along with the cycle of the right one.
  const Any straight = List<Any>{Call("f", {List<Any>{Call("f", {List<Any>{1}})}})};
  EXPECT_EQ(Walk(straight, rhs), Verdict::kUnknown);
  EXPECT_EQ(ErrorOf([&] { StructuralEqual::Equal(straight, rhs); }),
            "ValueError: <root>[0].args[0]: the right value contains itself; values with cycles cannot be compared");
  // Before it does.
  EXPECT_FALSE(StructuralEqual::Equal(List<Any>{Call("g", {})}, rhs));
  Open(lhs);
  Open(rhs);
}

// ---- Large graphs ---------------------------------------------------------------------------------------------------

Any Chain(int64_t depth) {
  Any chain = Call("leaf");
  for (int64_t i = 0; i < depth; ++i) chain = Call("f", {std::move(chain)});
  return chain;
}

Any Ladder(int levels, bool one_object) {
  Any below = Call("leaf");
  for (int i = 0; i < levels; ++i) {
    below = one_object ? Call("f", {below, below}) : Call("f", {Call("f", {below}), Call("f", {below})});
  }
  return below;
}

TEST(EqualWalk, SharedPartsAreEnteredOnce) {
  testing::RunOnSmallStack([] {
    EXPECT_TRUE(StructuralEqual::Equal(Ladder(100000, true), Ladder(100000, true)));
    EXPECT_TRUE(StructuralEqual::Equal(Ladder(100000, false), Ladder(100000, false)));
    EXPECT_FALSE(StructuralEqual::Equal(Ladder(100, true), Ladder(101, true)));
    EXPECT_TRUE(StructuralEqual::Equal(Chain(300000), Chain(300000)));
  });
}

// Every pair of two shared objects has one side that was met with another partner before.
TEST(EqualWalk, OneObjectAgainstManyAndManyAgainstOne) {
  constexpr int kLevels = 60;
  const auto graph = [](bool left_is_shared) {
    Any below = Call("leaf");
    for (int i = 0; i < kLevels; ++i) {
      // x = Neg(w), twice, where the other side has two objects that hold one.
      const bool one = (i % 2 == 0) == left_is_shared;
      if (one) {
        const Any neg = Call("neg", {below});
        below = Call("f", {neg, neg});
      } else {
        below = Call("f", {Call("neg", {below}), Call("neg", {below})});
      }
    }
    return below;
  };
  for (const bool shared : {true, false}) {
    const Any lhs = graph(shared), rhs = graph(!shared);
    EXPECT_EQ(Walk(lhs, rhs), Verdict::kEqual);
    EXPECT_TRUE(LockStepEqual(lhs, rhs, LockStep::Goal::kFirst));
    EXPECT_TRUE(LockStepEqual(lhs, rhs, LockStep::Goal::kAll));
    EXPECT_TRUE(StructuralDiff(lhs, rhs).equal());
    EXPECT_EQ(StructuralDiff(lhs, Call("f", {rhs})).equal(), false);
  }
}

// n objects against m, in all combinations: a union-find, not a table of pairs.
TEST(EqualWalk, EveryEqualPartAgainstEveryOther) {
  constexpr size_t kObjects = 300, kDepth = 300;
  const auto objects = [&] {
    std::vector<Any> result;
    for (size_t i = 0; i < kObjects; ++i) result.push_back(Chain(kDepth));
    return result;
  };
  const std::vector<Any> lhs_objects = objects(), rhs_objects = objects();
  std::vector<Any> lhs, rhs;
  for (size_t i = 0; i < kObjects * kObjects; ++i) {
    lhs.push_back(lhs_objects[i % kObjects]);
    rhs.push_back(rhs_objects[i / kObjects]);
  }
  const Any left = Array<Any>(lhs.begin(), lhs.end()), right = Array<Any>(rhs.begin(), rhs.end());
  EXPECT_EQ(Walk(left, right), Verdict::kEqual);
  EXPECT_TRUE(StructuralDiff(left, right).equal());
}

}  // namespace
}  // namespace transom
