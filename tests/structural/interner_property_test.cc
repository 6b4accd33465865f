// Interning of random graphs: what comes back equals what went in, under all options, and is as small as it can be.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/structural/deduplicate.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>

#include <set>
#include <string>

#include "structural/dedup/interner.h"
#include "support/error_of.h"
#include "support/graph_edit.h"
#include "support/graph_gen.h"
#include "support/library.h"

namespace transom {
namespace {

using testing::EditGraph;
using testing::ErrorOf;
using testing::GenOptions;
using testing::LoadTable;
using testing::NodeTable;
using testing::RandomGraph;
using testing::TestRules;

void ExpectEqual(const Any& value, const Any& result) {
  for (const bool as_files : {false, true}) {
    for (const bool map_free_vars : {false, true}) {
      StructuralOptions options;
      options.as_files = as_files;
      options.map_free_vars = map_free_vars;
      if (ErrorOf([&] { StructuralDigest(value, options); }) != "no error") continue;  // types without a kind
      EXPECT_TRUE(StructuralEqual::Equal(value, result, options));
      EXPECT_TRUE(StructuralEqual::Equal(result, value, options));
      EXPECT_EQ(StructuralDigest(value, options), StructuralDigest(result, options));
    }
  }
}

InternerOptions Options(uint64_t seed) {
  InternerOptions options;
  options.as_files = seed % 4 != 0;
  return options;
}

// Whether nothing of the graph has an identity of its own.
bool IsPlain(const NodeTable& table) {
  static const std::set<std::string> kOwnIdentity = {"ffi.List", "ffi.Dict",    "test.Token", "test.Node",
                                                     "test.Var", "test.Global", "test.Op"};
  for (int64_t i : table.PostOrder(TestRules())) {
    if (kOwnIdentity.count(table.At(i).type) != 0) return false;
  }
  return true;
}

GenOptions Gen(uint64_t seed) {
  GenOptions gen;
  gen.max_depth = 2 + static_cast<int>(seed % 5);
  gen.well_scoped = seed % 2 == 0;
  gen.wild_keys = seed % 3 == 0;
  return gen;
}

TEST(InternerProperty, WhatComesBackIsEqual) {
  int changed = 0, plain = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    const NodeTable table = RandomGraph(seed + 800000, Gen(seed));
    const Any first = Array<Any>{LoadTable(table).value}, second = Array<Any>{LoadTable(table).value};
    const std::string text = SaveJSON(first);
    Interner interner(Options(seed));
    const Any result = interner.Intern(first);
    EXPECT_EQ(SaveJSON(first), text) << "the input has changed";
    ExpectEqual(first, result);
    EXPECT_TRUE(interner.Intern(result).same_as(result));
    const Any other = interner.Intern(second);
    ExpectEqual(second, other);
    changed += !result.same_as(first);
    if (IsPlain(table) && seed % 4 != 0 && seed % 3 != 0) {  // equal keys stay apart
      ++plain;
      EXPECT_TRUE(interner.Intern(first).same_as(result));
      EXPECT_TRUE(other.same_as(result));
      EXPECT_TRUE(Deduplicate(result).value.same_as(result)) << "something is there twice";
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(changed, 100);
  EXPECT_GT(plain, 300);
}

// Two versions of a graph in one table: what is equal in both is one object, the rest stays what it is.
TEST(InternerProperty, VersionsOfAGraph) {
  int compared = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    const NodeTable table = RandomGraph(seed + 810000, Gen(seed));
    NodeTable edited = table;
    for (uint64_t i = 0; i <= seed % 3; ++i) EditGraph(TestRules(), &edited, seed * 4 + i);
    if (!edited.FirstBreach(TestRules()).empty()) continue;
    ++compared;
    const Any lhs = LoadTable(table).value, rhs = LoadTable(edited).value;
    Interner interner(Options(seed));
    const Any first = interner.Intern(lhs), second = interner.Intern(rhs);
    ExpectEqual(lhs, first);
    ExpectEqual(rhs, second);
    StructuralOptions options;
    options.as_files = true;
    const bool equal = StructuralEqual::Equal(lhs, rhs, options);
    EXPECT_EQ(StructuralEqual::Equal(first, second, options), equal) << "shared objects hide or make a difference";
    EXPECT_TRUE(equal || !first.same_as(second));
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(compared, 1000);
}

TEST(InternerProperty, AWeakHashGivesTheSameResult) {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    const Any value = LoadTable(RandomGraph(seed + 820000, Gen(seed))).value;
    Interner exact(Options(seed));
    const std::string wanted = SaveJSON(exact.Intern(value));
    for (const uint64_t mask : {uint64_t{0}, uint64_t{1}, uint64_t{3}, uint64_t{0xff}}) {
      Interner::Impl weak(Options(seed), mask);
      const Any result = weak.Intern(*value.raw());
      ASSERT_EQ(SaveJSON(result), wanted);
      ASSERT_TRUE(weak.Intern(*result.raw()).same_as(result));
      ASSERT_EQ(weak.statistics().entered, exact.statistics().entered);
    }
  }
}

}  // namespace
}  // namespace transom
