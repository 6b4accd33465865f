/*
 * transom_growth_bench [SIZE [ROUNDS [GRAPHS [JOB]]]]: how the time of hash, comparison, diff and deduplication grows with the graph,
 * on families of graphs that are hard for one of them. Prints a table of processor times at SIZE and at twice that
 * (default 200000; the least of ROUNDS, default 3), and their ratios, for the families and jobs whose names begin with
 * GRAPHS and JOB. transom_growth_bench --deep DEPTH: times of one
 * chain of that depth, and of one in which each level holds the next twice.
 */
#include <transom/graph/statistics.h>
#include <transom/structural/deduplicate.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir_transom.h"
#include "step_server.h"
#include "support/rng.h"

namespace {

using ir_bench::Expr;
using ir_bench::Var;
using transom::Any;
using transom::testing::Rng;

Expr Constant(int64_t value) {
  auto constant = transom::make_object<ir_bench::IntImmObj>();
  constant->value = value;
  return Expr(std::move(constant));
}
Expr Add(Expr a, Expr b) {
  auto add = transom::make_object<ir_bench::AddObj>();
  add->a = std::move(a);
  add->b = std::move(b);
  return Expr(std::move(add));
}
Expr Let(Var var, Expr value, Expr body) {
  auto let = transom::make_object<ir_bench::LetObj>();
  let->var = std::move(var);
  let->value = std::move(value);
  let->body = std::move(body);
  return Expr(std::move(let));
}
Var Variable(std::string_view name) {
  auto var = transom::make_object<ir_bench::VarObj>();
  var->name = transom::String(name);
  return Var(std::move(var));
}
Any List(const std::vector<Expr>& items) { return transom::Array<Expr>(items.begin(), items.end()); }

// ---- Graphs ---------------------------------------------------------------------------------------------------------

Expr Chain(size_t depth, int64_t innermost) {
  Expr chain = Constant(innermost);
  const Expr one = Constant(1);
  for (size_t i = 0; i < depth; ++i) chain = Add(std::move(chain), one);
  return chain;
}
Expr Ladder(size_t depth, int64_t innermost) {
  Expr ladder = Constant(innermost);
  for (size_t i = 0; i < depth; ++i) ladder = Add(ladder, ladder);
  return ladder;
}
std::vector<Expr> Constants(size_t count) {
  std::vector<Expr> items;
  for (size_t i = 0; i < count; ++i) items.push_back(Constant(static_cast<int64_t>(i)));
  return items;
}
Any Shuffled(size_t count) {
  std::vector<Expr> items = Constants(count);
  Rng(count).Shuffle(&items);
  return List(items);
}
Any WithOneInFront(size_t count) {
  std::vector<Expr> items = Constants(count);
  items.insert(items.begin(), Constant(-1));
  return List(items);
}
Any EqualSubtrees(size_t count) {
  std::vector<Expr> items;
  for (size_t i = 0; i < count; ++i) items.push_back(Add(Constant(1), Constant(2)));
  return List(items);
}
// let x1 = x0 + x0 in let x2 = x1 + x1 in ... xn
Any Bindings(size_t count, std::string_view name) {
  std::vector<Var> vars{Variable(name)};
  for (size_t i = 0; i < count; ++i) vars.push_back(Variable(name));
  Expr body = vars.back();
  for (size_t i = count; i > 0; --i) body = Let(vars[i], Add(vars[i - 1], vars[i - 1]), std::move(body));
  return Let(vars[0], Constant(0), std::move(body));
}
// Each binding's value uses a part that holds all variables so far, and that all later values hold, too.
Any OpenParts(size_t count) {
  std::vector<Var> vars;
  std::vector<Expr> parts{Constant(0)};
  for (size_t i = 0; i < count; ++i) {
    vars.push_back(Variable("x"));
    parts.push_back(Add(parts.back(), vars.back()));
  }
  Expr body = Add(parts.back(), parts.back());
  for (size_t i = count; i > 0; --i) body = Let(vars[i - 1], Add(parts[i - 1], parts[i - 1]), std::move(body));
  return body;
}
// Sharing alternates between the sides: what is one object here is two there.
Any Alternating(size_t depth, bool first_is_one) {
  Expr below = Constant(0);
  const Expr one = Constant(1);
  for (size_t i = 0; i < depth; ++i) {
    if ((i % 2 == 0) == first_is_one) {
      const Expr part = Add(below, one);
      below = Add(part, part);
    } else {
      below = Add(Add(below, one), Add(below, one));
    }
  }
  return below;
}

struct Sides {
  Any lhs;
  Any rhs;
};
struct Family {
  const char* name;
  std::function<Sides(size_t)> make;
};

const std::vector<Family>& Families() {
  static const std::vector<Family> families{
      {"chain",
       [](size_t n) {
         return Sides{Chain(n, 0), Chain(n, 0)};
       }},
      {"chain, innermost differs",
       [](size_t n) {
         return Sides{Chain(n, 0), Chain(n, 1)};
       }},
      {"wide list",
       [](size_t n) {
         return Sides{List(Constants(n)), List(Constants(n))};
       }},
      {"ladder",
       [](size_t n) {
         return Sides{Ladder(n, 0), Ladder(n, 0)};
       }},
      {"ladder, innermost differs",
       [](size_t n) {
         return Sides{Ladder(n, 0), Ladder(n, 1)};
       }},
      {"one more in front of a list",
       [](size_t n) {
         return Sides{List(Constants(n)), WithOneInFront(n)};
       }},
      {"all binders renamed",
       [](size_t n) {
         return Sides{Bindings(n, "x"), Bindings(n, "y")};
       }},
      {"shuffled list",
       [](size_t n) {
         return Sides{List(Constants(n)), Shuffled(n)};
       }},
      {"unrelated graphs",
       [](size_t n) {
         return Sides{ir_bench::BuildGraph(n, 1, nullptr), ir_bench::BuildGraph(n, 2, nullptr)};
       }},
      {"equal parts against more of them",
       [](size_t n) {
         return Sides{EqualSubtrees(n), EqualSubtrees(n + n / 8)};
       }},
      {"open parts shared under binders",
       [](size_t n) {
         return Sides{OpenParts(n), OpenParts(n)};
       }},
      {"sharing that alternates",
       [](size_t n) {
         return Sides{Alternating(n, true), Alternating(n, false)};
       }},
  };
  return families;
}

// ---- Jobs -----------------------------------------------------------------------------------------------------------

struct Job {
  const char* name;
  std::function<void(const Sides&)> run;
};

// Without care a compiler may leave out what has no effect; library calls it cannot see through stay.
const std::vector<Job>& Jobs() {
  static const std::vector<Job> jobs{
      {"hash", [](const Sides& s) { transom::StructuralHash::Hash(s.lhs); }},
      {"equal", [](const Sides& s) { transom::StructuralEqual::Equal(s.lhs, s.rhs); }},
      {"first mismatch", [](const Sides& s) { transom::StructuralEqual::GetFirstMismatch(s.lhs, s.rhs); }},
      {"diff", [](const Sides& s) { transom::StructuralDiff(s.lhs, s.rhs); }},
      {"deduplicate", [](const Sides& s) { transom::Deduplicate(s.lhs); }},
  };
  return jobs;
}

double Milliseconds(const Job& job, const Sides& sides, int rounds) {
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < rounds; ++i) {
    const double begin = ir_bench::ReadClock(CLOCK_PROCESS_CPUTIME_ID);
    job.run(sides);
    best = std::min(best, ir_bench::ReadClock(CLOCK_PROCESS_CPUTIME_ID) - begin);
  }
  return 1e3 * best;
}

bool BeginsWith(std::string_view name, std::string_view begin) { return name.substr(0, begin.size()) == begin; }

void PrintGrowth(size_t size, int rounds, std::string_view graphs, std::string_view job) {
  std::printf("| graphs | job | at %zu, ms | at %zu, ms | ratio |\n| --- | --- | ---: | ---: | ---: |\n", size,
              2 * size);
  for (const Family& family : Families()) {
    if (!BeginsWith(family.name, graphs)) continue;
    std::vector<double> once(Jobs().size());
    for (const size_t n : {size, 2 * size}) {
      const Sides sides = family.make(n);
      for (size_t j = 0; j < Jobs().size(); ++j) {
        if (!BeginsWith(Jobs()[j].name, job)) continue;
        const double time = Milliseconds(Jobs()[j], sides, rounds);
        if (n == size) {
          once[j] = time;
          continue;
        }
        std::printf("| %s | %s | %.1f | %.1f | %.2f |\n", family.name, Jobs()[j].name, once[j], time, time / once[j]);
        std::fflush(stdout);
      }
    }
  }
}

void PrintDeep(size_t depth) {
  std::printf("| job | chain of %zu, ms | ladder of %zu, ms |\n| --- | ---: | ---: |\n", depth, depth / 10);
  const Sides chain{Chain(depth, 0), Chain(depth, 1)}, ladder{Ladder(depth / 10, 0), Ladder(depth / 10, 0)};
  for (const Job& job : Jobs()) {
    std::printf("| %s | %.0f | %.0f |\n", job.name, Milliseconds(job, chain, 1), Milliseconds(job, ladder, 1));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  ir_bench::KeepHeap();
  const auto number = [&](int i, size_t otherwise) {
    return i < argc ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  if (argc == 3 && std::string_view(argv[1]) == "--deep") {
    PrintDeep(number(2, 0));
  } else {
    PrintGrowth(number(1, 200'000), static_cast<int>(number(2, 3)), argc > 3 ? argv[3] : "", argc > 4 ? argv[4] : "");
  }
  return 0;
}
