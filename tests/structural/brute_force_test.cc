// Comparison against the rules of the C contract followed word for word, with nothing remembered but what is bound: on
// small graphs whose parts, with variables bound outside of them, are shared many times.
#include <gtest/gtest.h>
#include <transom/containers/list.h>
#include <transom/containers/map.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/native_types.h"
#include "support/rng.h"

namespace transom {
namespace {

using testing::CallObj;
using testing::ConstObj;
using testing::LambdaObj;
using testing::LetObj;
using testing::NodeObj;
using testing::Rng;
using testing::TokenObj;
using testing::VarObj;

// ---- Graphs --------------------------------------------------------------------------------------------------------

// One value of a graph, made of earlier ones.
struct Instruction {
  int kind = 0;
  std::vector<size_t> parts;
  int64_t number = 0;
};

constexpr int kNumKinds = 11;

using Program = std::vector<Instruction>;

Program RandomProgram(Rng& rng) {
  Program program(6 + rng.Below(10));
  for (size_t i = 0; i < program.size(); ++i) {
    Instruction& made = program[i];
    made.kind = i < 3 ? 0 : static_cast<int>(rng.Below(kNumKinds));
    made.number = static_cast<int64_t>(rng.Below(3));
    // Mostly what was made last: so that the graph is deep, and everything is in it.
    for (int part = 0; part < 3; ++part) made.parts.push_back(i == 0 ? 0 : i - 1 - rng.Below(std::min<size_t>(i, 4)));
  }
  return program;
}

// What both sides of a comparison may share.
struct Common {
  std::vector<Any> values{testing::Var("global", 0), testing::Var("global", 0), testing::MakeToken(1),
                          testing::MakeToken(1), testing::Node(5)};
};

Any Make(const Instruction& made, const std::vector<Any>& values, const Common& common) {
  const auto part = [&](size_t i) { return values[made.parts[i]]; };
  switch (made.kind) {
    case 0:
      return testing::Var(made.number == 0 ? "x" : "y", made.number == 2 ? 1 : 0);
    case 1:
      return testing::Call(made.number == 0 ? "f" : "g", {part(0), part(1), part(2)});
    case 2:
      return testing::Call("h", {part(0), part(0)});
    case 3:
      return testing::Const(part(0));
    case 4:
      return testing::Node(part(0));
    case 5:
      return testing::Lambda({part(0), part(1)}, part(2));
    case 6:
      return testing::Let(part(0), part(1), part(2));
    case 7:
      return common.values[static_cast<size_t>(made.number) % common.values.size()];
    case 8:
      return List<Any>{part(0), part(1)};
    case 9:
      if (made.number == 0) return Map<Any, Any>{{"a", part(0)}};
      return Map<Any, Any>{{"a", part(0)}, {made.number == 1 ? "b" : "c", part(1)}};
    default:
      return made.number == 0 ? Array<Any>{part(0)} : Array<Any>{part(0), part(1), made.number};
  }
}

Any Build(const Program& program, const Common& common) {
  std::vector<Any> values;
  for (const Instruction& made : program) values.push_back(Make(made, values, common));
  return values.back();
}

// Another part, another number, or a copy of a value for one of its uses.
void Change(Program* program, Rng& rng) {
  const size_t i = 1 + rng.Below(program->size() - 1);
  Instruction& made = (*program)[i];
  switch (rng.Below(3)) {
    case 0:
      made.parts[rng.Below(3)] = rng.Below(i);
      return;
    case 1:
      made.number = static_cast<int64_t>(rng.Below(3));
      return;
    default: {
      const size_t use = rng.Below(3), source = made.parts[use];
      const Instruction copy = (*program)[source];
      program->insert(program->begin() + static_cast<std::ptrdiff_t>(source), copy);
      for (size_t k = source + 1; k < program->size(); ++k) {
        for (size_t& part : (*program)[k].parts) part += part >= source;
      }
      (*program)[i + 1].parts[use] = source;
    }
  }
}

// ---- The rules -----------------------------------------------------------------------------------------------------

enum class Region { kNone, kPattern, kSimple };

class BruteForce {
 public:
  bool Equal(const Any& lhs, const Any& rhs, Region region) {
    if (++steps_ > kMaxSteps) return true;
    if (lhs.type_index() != rhs.type_index()) return false;
    if (const auto* call = lhs.as<CallObj>()) {
      const auto* other = rhs.as<CallObj>();
      return Field(".op", String(call->op), String(other->op), region) &&
             Field(".args", call->args, other->args, region);
    }
    if (const auto* constant = lhs.as<ConstObj>()) {
      return lhs.same_as(rhs) || Field(".value", constant->value, rhs.as<ConstObj>()->value, region);
    }
    if (const auto* node = lhs.as<NodeObj>()) {
      if (bool same; Bound(lhs, rhs, &same)) return same;
      return Field(".value", node->value, rhs.as<NodeObj>()->value, region) && Bind(lhs, rhs);
    }
    if (const auto* lambda = lhs.as<LambdaObj>()) {
      const auto* other = rhs.as<LambdaObj>();
      return Field(".params", lambda->params, other->params, Region::kPattern) &&
             Field(".body", lambda->body, other->body, region);
    }
    if (const auto* let = lhs.as<LetObj>()) {
      const auto* other = rhs.as<LetObj>();
      const Region defines = region == Region::kPattern ? region : Region::kSimple;
      return Field(".value", let->value, other->value, region) && Field(".var", let->var, other->var, defines) &&
             Field(".body", let->body, other->body, region);
    }
    if (const auto* variable = lhs.as<VarObj>()) {
      if (bool same; Bound(lhs, rhs, &same)) return same;
      const Region inside = region == Region::kSimple ? Region::kNone : region;
      if (!Field(".type", variable->type, rhs.as<VarObj>()->type, inside)) return false;
      return (lhs.same_as(rhs) || region != Region::kNone) && Bind(lhs, rhs);
    }
    if (lhs.as<TokenObj>() != nullptr) return lhs.same_as(rhs);
    return Plain(lhs, rhs, region);
  }

  // Where the first mismatch lies, once Equal has said that there is one.
  const std::string& lhs_path() const { return lhs_path_; }
  const std::string& rhs_path() const { return rhs_path_; }
  bool gave_up() const { return steps_ > kMaxSteps; }

 private:
  static constexpr int kMaxSteps = 300000;

  bool Plain(const Any& lhs, const Any& rhs, Region region) {
    if (lhs.type_index() == kTVMFFIArray) return Items(lhs.cast<Array<Any>>(), rhs.cast<Array<Any>>(), region);
    if (lhs.type_index() == kTVMFFIList) return Items(lhs.cast<List<Any>>(), rhs.cast<List<Any>>(), region);
    if (lhs.type_index() == kTVMFFIMap) return Entries(lhs.cast<Map<Any, Any>>(), rhs.cast<Map<Any, Any>>(), region);
    return lhs.same_as(rhs);  // numbers, and texts of few bytes
  }

  template <class Sequence>
  bool Items(const Sequence& lhs, const Sequence& rhs, Region region) {
    const auto size = static_cast<int64_t>(lhs.size()), other_size = static_cast<int64_t>(rhs.size());
    for (int64_t i = 0; i < std::min(size, other_size); ++i) {
      if (!Field("[" + std::to_string(i) + "]", lhs[i], rhs[i], region)) return false;
    }
    if (size == other_size) return true;
    const std::string at = std::to_string(std::min(size, other_size));
    const std::string there = "[" + at + "]", missing = "[<missing:" + at + ">]";
    return Fail(size > other_size ? there : missing, size > other_size ? missing : there);
  }

  bool Entries(const Map<Any, Any>& lhs, const Map<Any, Any>& rhs, Region region) {
    const auto text = [](const Any& key) { return "\"" + key.cast<std::string>() + "\""; };
    for (const auto& [key, value] : lhs) {
      const std::string there = "[" + text(key) + "]";
      if (rhs.count(key) == 0) return Fail(there, "[<missing:" + text(key) + ">]");
      if (!Field(there, value, rhs.at(key), region)) return false;
    }
    for (const auto& [key, value] : rhs) {
      if (lhs.count(key) == 0) return Fail("[<missing:" + text(key) + ">]", "[" + text(key) + "]");
    }
    return true;
  }

  bool Field(const std::string& step, const Any& lhs, const Any& rhs, Region region) {
    return Equal(lhs, rhs, region) || Fail(step, step);
  }
  bool Fail(const std::string& lhs_step, const std::string& rhs_step) {
    lhs_path_ = lhs_step + lhs_path_;
    rhs_path_ = rhs_step + rhs_path_;
    return false;
  }

  // Whether either is bound; then whether to the other.
  bool Bound(const Any& lhs, const Any& rhs, bool* same) const {
    const auto left = right_of_.find(lhs.raw()->v_obj), right = left_of_.find(rhs.raw()->v_obj);
    *same = left != right_of_.end() && left->second == rhs.raw()->v_obj;
    return left != right_of_.end() || right != left_of_.end();
  }
  bool Bind(const Any& lhs, const Any& rhs) {
    right_of_[lhs.raw()->v_obj] = rhs.raw()->v_obj;
    left_of_[rhs.raw()->v_obj] = lhs.raw()->v_obj;
    return true;
  }

  std::map<const void*, const void*> right_of_, left_of_;
  std::string lhs_path_, rhs_path_;
  int steps_ = 0;
};

// ---- Comparison ----------------------------------------------------------------------------------------------------

// Returns whether the two are equal; both the same when the rules take too long.
bool Check(const Any& lhs, const Any& rhs, const StructuralOptions& options) {
  BruteForce rules;
  const bool equal = rules.Equal(lhs, rhs, options.map_free_vars ? Region::kPattern : Region::kNone);
  if (rules.gave_up()) return equal;
  EXPECT_EQ(StructuralEqual::Equal(lhs, rhs, options), equal);
  const auto mismatch = StructuralEqual::GetFirstMismatch(lhs, rhs, options);
  EXPECT_EQ(mismatch.has_value(), !equal);
  if (mismatch) {
    EXPECT_EQ(mismatch->lhs->ToString(), "<root>" + rules.lhs_path());
    EXPECT_EQ(mismatch->rhs->ToString(), "<root>" + rules.rhs_path());
  }
  DiffOptions all;
  static_cast<StructuralOptions&>(all) = options;
  EXPECT_EQ(StructuralDiff(lhs, rhs, all).equal(), equal);
  EXPECT_TRUE(!equal || StructuralHash::Hash(lhs, options) == StructuralHash::Hash(rhs, options));
  return equal;
}

TEST(BruteForce, ComparisonFollowsTheRules) {
  int equal = 0, different = 0;
  const Common common;
  for (uint64_t seed = 0; seed < 12000; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Program program = RandomProgram(rng);
    Program changed = program;
    for (uint64_t i = 0; i < seed % 4; ++i) Change(&changed, rng);
    const Any lhs = Build(program, common), rhs = Build(changed, common);
    StructuralOptions options;
    options.map_free_vars = seed % 3 == 0;
    const bool there = Check(lhs, rhs, options);
    Check(rhs, lhs, options);
    Check(lhs, lhs, options);
    (there ? equal : different)++;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(equal, 2000);
  EXPECT_GT(different, 3000);
}

// Native objects and records of the same types give the same answers; hashes, too.
TEST(BruteForce, RecordsCompareAsNativeObjects) {
  int equal = 0, different = 0;
  for (uint64_t seed = 20000; seed < 22000; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    const Program program = RandomProgram(rng);
    Program changed = program;
    for (uint64_t i = 0; i < seed % 3; ++i) Change(&changed, rng);
    const Any lhs = Build(program, Common()), rhs = Build(changed, Common());
    const Any lhs_record = testing::AsRecords(lhs), rhs_record = testing::AsRecords(rhs);
    StructuralOptions options;
    options.as_files = true;
    options.map_free_vars = seed % 5 == 0;
    const bool same = StructuralEqual::Equal(lhs, rhs, options);
    (same ? equal : different)++;
    EXPECT_EQ(StructuralDigest(lhs, options), StructuralDigest(lhs_record, options));
    const std::pair<Any, Any> mixes[] = {{lhs_record, rhs_record}, {lhs, rhs_record}, {lhs_record, rhs}};
    for (const auto& [left, right] : mixes) {
      EXPECT_EQ(StructuralEqual::Equal(left, right, options), same);
      const auto native = StructuralEqual::GetFirstMismatch(lhs, rhs, options);
      const auto mixed = StructuralEqual::GetFirstMismatch(left, right, options);
      EXPECT_EQ(mixed ? mixed->lhs->ToString() : "", native ? native->lhs->ToString() : "");
      EXPECT_EQ(mixed ? mixed->rhs->ToString() : "", native ? native->rhs->ToString() : "");
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(equal, 300);
  EXPECT_GT(different, 100);
}

}  // namespace
}  // namespace transom
