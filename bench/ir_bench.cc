/*
 * transom_ir_bench NUM_OBJECTS SEED: Transom's side of the comparison on the benchmark's IR; serves steps
 * (step_server.h). Answers to timed steps are "WALL CPU" in seconds.
 */
#include <transom/formats/json_graph.h>
#include <transom/formats/load.h>
#include <transom/formats/tsm.h>
#include <transom/graph/statistics.h>
#include <transom/structural/deduplicate.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "ir_floor.h"
#include "ir_transom.h"
#include "step_server.h"

namespace {

using ir_bench::Graph;
using transom::LoadResult;

class Side {
 public:
  Side(uint64_t num_objects, uint64_t seed)
      : num_objects_(num_objects), seed_(seed), graph_(ir_bench::BuildGraph(num_objects, seed, &made_)) {}

  Graph Build() const { return ir_bench::BuildGraph(num_objects_, seed_, nullptr); }
  Graph BuildInterned() const { return ir_bench::BuildInterned(num_objects_, seed_); }
  transom::DeduplicateResult BuildAndDeduplicate() const { return transom::Deduplicate(Build()); }
  std::string SaveJSON() const { return transom::SaveJSON(graph_); }
  LoadResult LoadJSON() const { return transom::LoadJSON(Json()); }
  std::string SaveTSM() const { return transom::SaveTSM(graph_); }
  LoadResult LoadTSM() const { return transom::LoadTSM(Tsm()); }
  uint64_t Hash() const { return transom::StructuralHash::Hash(graph_); }
  uint64_t FoldByHand() const { return ir_bench::FoldByHand(graph_); }
  bool Equal() const {
    if (!transom::StructuralEqual::Equal(graph_, Other()))
      throw std::runtime_error("two graphs of one seed are not equal");
    return true;
  }

  bool EqualByHand() const {
    if (!ir_bench::EqualByHand(graph_, Other(), made_ / 2))
      throw std::runtime_error("two graphs of one seed are not equal by hand");
    return true;
  }

  transom::DeduplicateResult Deduplicate() const { return transom::Deduplicate(graph_); }

  transom::DiffResult Diff() const {
    transom::DiffResult diff = transom::StructuralDiff(graph_, Edited());
    if (diff.total() < kEdits || diff.total() > 2 * kEdits) {
      throw std::runtime_error(std::to_string(kEdits) + " edits became " + std::to_string(diff.total()) +
                               " differences");
    }
    return diff;
  }
  // Both sides of Diff.
  uint64_t HashBoth() const { return Hash() ^ transom::StructuralHash::Hash(Edited()); }
  std::string Edit() const {
    Edited();
    return ir_bench::PeakMemory();
  }

  // Number of objects, bytes of the JSON text, bytes of the .tsm file, number of objects without repetition.
  std::string Describe() const {
    if (uint64_t walked = transom::Statistics(graph_).objects; walked != made_) {
      throw std::runtime_error(std::to_string(made_) + " objects were made, but the graph has " +
                               std::to_string(walked));
    }
    return std::to_string(made_) + " " + std::to_string(Json().size()) + " " + std::to_string(Tsm().size()) + " " +
           std::to_string(Deduplicate().after().objects);
  }
  std::string Write(const std::string& path) const {
    transom::WriteFile(path, Json());
    return "written";
  }
  std::string Check(const std::string& path) const { return Verdict(transom::LoadFromFile(path)); }
  // Do formats and deduplication keep the graph?
  std::string RoundTrip() const {
    for (const LoadResult& loaded : {LoadJSON(), LoadTSM()}) {
      if (std::string verdict = Verdict(loaded); verdict != "equal") return verdict;
    }
    LoadResult merged;
    merged.value = Deduplicate().value;
    if (std::string verdict = Verdict(merged); verdict != "equal") return verdict;
    // Each has variables of its own.
    if (!transom::StructuralEqual::Equal(graph_, BuildInterned())) return "another graph when it is interned";
    return "equal";
  }

 private:
  // Is it equal to the built graph, by comparison and by hash, and made of native objects only?
  std::string Verdict(const LoadResult& loaded) const {
    if (!loaded.record_types.empty()) return "records of " + loaded.record_types.front();
    if (auto mismatch = transom::StructuralEqual::GetFirstMismatch(graph_, loaded.value)) {
      return "different at " + mismatch->lhs.ToString();
    }
    return transom::StructuralHash::Hash(loaded.value) == Hash() ? "equal" : "equal, but with another hash";
  }

  static constexpr uint64_t kEdits = 100;

  // Made when they are asked for, so that a process can be asked for the memory of one step.
  const Graph& Other() const {  // equal, and shares nothing with the graph
    if (!other_.has_value()) other_ = Build();
    return *other_;
  }
  const Graph& Edited() const {  // the same with some edits
    if (!edited_.has_value()) ir_bench::EditGraph(edited_.emplace(Build()), kEdits, seed_);
    return *edited_;
  }
  const std::string& Json() const { return json_.empty() ? json_ = SaveJSON() : json_; }
  const std::string& Tsm() const { return tsm_.empty() ? tsm_ = SaveTSM() : tsm_; }

  uint64_t num_objects_;
  uint64_t seed_;
  uint64_t made_ = 0;
  Graph graph_;
  mutable std::optional<Graph> other_;
  mutable std::optional<Graph> edited_;
  mutable std::string json_;
  mutable std::string tsm_;
};

std::map<std::string, ir_bench::Step> StepsOf(Side& side) {
  return {
      {"describe", [&](const std::string&) { return side.Describe(); }},
      {"write", [&](const std::string& path) { return side.Write(path); }},
      {"check", [&](const std::string& path) { return side.Check(path); }},
      {"round_trip", [&](const std::string&) { return side.RoundTrip(); }},
      {"build", ir_bench::Timed([&] { return side.Build(); })},
      {"build_interned", ir_bench::Timed([&] { return side.BuildInterned(); })},
      {"build_deduplicate", ir_bench::Timed([&] { return side.BuildAndDeduplicate(); })},
      {"save_json", ir_bench::Timed([&] { return side.SaveJSON(); })},
      {"load_json", ir_bench::Timed([&] { return side.LoadJSON(); })},
      {"save_tsm", ir_bench::Timed([&] { return side.SaveTSM(); })},
      {"load_tsm", ir_bench::Timed([&] { return side.LoadTSM(); })},
      {"deduplicate", ir_bench::Timed([&] { return side.Deduplicate(); })},
      {"equal", ir_bench::Timed([&] { return side.Equal(); })},
      {"equal_by_hand", ir_bench::Timed([&] { return side.EqualByHand(); })},
      {"diff", ir_bench::Timed([&] { return side.Diff(); })},
      {"hash_both", ir_bench::Timed([&] { return side.HashBoth(); })},
      {"edit", [&](const std::string&) { return side.Edit(); }},
      {"peak_memory", [&](const std::string&) { return ir_bench::PeakMemory(); }},
      {"hash", ir_bench::Timed([&] { return side.Hash(); })},
      {"fold_by_hand", ir_bench::Timed([&] { return side.FoldByHand(); })},
  };
}

}  // namespace

int main(int argc, char** argv) { return ir_bench::ServeSide("transom_ir_bench", argc, argv, &StepsOf); }
