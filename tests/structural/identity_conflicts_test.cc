// Applied diffs of values that share variables and dag nodes: outside of files these are what they are.
#include <gtest/gtest.h>
#include <transom/containers/map.h>
#include <transom/render/dump.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>

#include <string>
#include <utility>
#include <vector>

#include "support/native_types.h"
#include "support/rng.h"

namespace transom {
namespace {

using testing::Call;
using testing::Lambda;
using testing::Let;
using testing::Node;
using testing::Rng;
using testing::Var;

void ExpectApplied(const Any& old_value, const Any& new_value, const std::string& what) {
  const DiffResult diff = StructuralDiff(old_value, new_value);
  const Any result = ApplyDiff(old_value, diff);
  const auto mismatch = StructuralEqual::GetFirstMismatch(result, new_value);
  EXPECT_FALSE(mismatch) << what << ": " << mismatch->lhs->ToString() << " is not " << mismatch->rhs->ToString()
                         << "\nold: " << DumpText(old_value) << "\nnew: " << DumpText(new_value)
                         << "\nresult: " << DumpText(result);
}

// A binder that was renamed, and a use that was forgotten: it must not be bound by the old binder.
TEST(IdentityConflicts, UnboundVariablesAreNotCaptured) {
  const Any p = Var("p"), q = Var("q");
  const std::vector<std::pair<Any, Any>> cases = {
      {Lambda({p}, nullptr), Lambda({q}, p)},
      {Lambda({p}, Call("add", {p, 1})), Lambda({q}, Call("add", {p, 2}))},
      {Lambda({p}, Call("add", {p, 1})), Lambda({q}, Call("add", {Call("add", {q, p}), 1}))},
      {Let(p, 1, Call("add", {p, p})), Let(q, 1, Call("add", {q, p}))},
      {Lambda({p, nullptr}, nullptr), Lambda({q}, p)},
      {Any(Array<Any>{Lambda({p}, p)}), Any(Array<Any>{Lambda({q}, q), p})},
      {Any(Array<Any>{Lambda({p}, p)}), Any(Array<Any>{p, Lambda({q}, q)})},
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    ExpectApplied(cases[i].first, cases[i].second, "case " + std::to_string(i));
    ExpectApplied(cases[i].second, cases[i].first, "case " + std::to_string(i) + ", backwards");
  }
}

TEST(IdentityConflicts, WhatIsNotInTheWayIsShared) {
  const Any p = Var("p"), q = Var("q"), same = Call("f", {1, 2, 3});
  const Any old_value = Array<Any>{Call("g", {same}), Lambda({p}, p)};
  const Any new_value = Array<Any>{Call("g", {Call("f", {1, 2, 3})}), Lambda({q}, p)};
  const Any result = ApplyDiff(old_value, StructuralDiff(old_value, new_value));
  EXPECT_TRUE(StructuralEqual::Equal(result, new_value));
  EXPECT_TRUE(result.cast<Array<Any>>()[0].same_as(old_value.cast<Array<Any>>()[0]));
}

TEST(IdentityConflicts, DagNodesThatAreKeysStayThemselves) {
  const Any d = Node(1), v = Var("v"), w = Var("v");
  const auto map = [](std::vector<std::pair<Any, Any>> entries) {
    return Any(Map<Any, Any>(entries.begin(), entries.end()));
  };
  const std::vector<std::pair<Any, Any>> cases = {
      {map({{Any(2), d}}), map({{d, nullptr}, {Any(2), Node(1)}})},
      {Any(Array<Any>{d, 1}), Any(Array<Any>{Node(1), map({{d, nullptr}})})},
      {Lambda({v}, 1), Lambda({w}, map({{Node(w), nullptr}}))},
      {Any(Array<Any>{d}), Any(Array<Any>{map({{Node(d), nullptr}})})},
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    ExpectApplied(cases[i].first, cases[i].second, "case " + std::to_string(i));
    ExpectApplied(cases[i].second, cases[i].first, "case " + std::to_string(i) + ", backwards");
  }
}

// Terms over a few variables and dag nodes that all terms share.
class TermMaker {
 public:
  explicit TermMaker(uint64_t seed) : rng_(seed) {
    for (const char* name : {"x", "y", "z"}) variables_.push_back(Var(name));
    for (int i = 0; i < 2; ++i) nodes_.push_back(Node(i % 2));
  }

  Any Make(int depth) {
    if (depth == 0 || rng_.OneIn(6)) return Leaf();
    switch (rng_.Below(5)) {
      case 0:
        return Lambda({rng_.Pick(variables_)}, Make(depth - 1));
      case 1:
        return Let(rng_.Pick(variables_), Make(depth - 1), Make(depth - 1));
      case 2:
        return Call("f", {Make(depth - 1), Make(depth - 1)});
      case 3:
        return Any(Map<Any, Any>{{rng_.OneIn(2) ? rng_.Pick(nodes_) : Any(1), Make(depth - 1)}});
      default:
        return Array<Any>{Make(depth - 1), Make(depth - 1)};
    }
  }

 private:
  Any Leaf() {
    if (rng_.OneIn(4)) return static_cast<int64_t>(rng_.Below(3));
    return rng_.OneIn(4) ? rng_.Pick(nodes_) : rng_.Pick(variables_);
  }

  Rng rng_;
  std::vector<Any> variables_;
  std::vector<Any> nodes_;
};

TEST(IdentityConflicts, TermsOverOneSetOfVariables) {
  for (uint64_t seed = 1; seed <= 4000 && !HasFailure(); ++seed) {
    TermMaker terms(seed);
    const int depth = 2 + static_cast<int>(seed % 3);
    const Any old_value = terms.Make(depth), new_value = terms.Make(depth);
    ExpectApplied(old_value, new_value, "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace transom
