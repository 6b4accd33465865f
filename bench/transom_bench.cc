/*
 * Times of the library's steps on graphs of JSON files: transom_bench [FILE...] [--benchmark_...]. Benchmarks are named
 * STEP/FILE; bytes per second count the JSON text.
 */
#include <benchmark/benchmark.h>
#include <transom/formats/json_graph.h>
#include <transom/formats/load.h>
#include <transom/formats/tsm.h>
#include <transom/runtime/error.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using transom::LoadResult;

// One input file, loaded twice: the two values share nothing.
struct Input {
  explicit Input(const std::string& path) : text(transom::ReadFile(path)), first(Load()), second(Load()) {
    options.as_files = true;
    options.rules = first.schema;
    save.metadata = first.metadata;
    tsm = transom::SaveTSM(first.value, save);
    if (transom::SaveJSON(LoadTsm().value, save) != transom::SaveJSON(first.value, save)) {
      TRANSOM_THROW(ValueError) << path << ": the .tsm form does not give the same JSON back";
    }
  }

  LoadResult Load() const { return transom::LoadJSON(text); }
  LoadResult LoadTsm() const { return transom::LoadTSM(tsm); }

  std::string text;
  std::string tsm;
  LoadResult first;
  LoadResult second;
  transom::StructuralOptions options;
  transom::SaveOptions save;
};

using Step = void (*)(benchmark::State& state, const Input& input);

template <LoadResult (Input::*kLoad)() const>
void TimeLoad(benchmark::State& state, const Input& input) {
  for (auto _ : state) {
    LoadResult result = (input.*kLoad)();
    benchmark::DoNotOptimize(result);
    state.PauseTiming();  // freeing the graph is a step of its own
    result = LoadResult();
    state.ResumeTiming();
  }
}

template <LoadResult (Input::*kLoad)() const>
void TimeFree(benchmark::State& state, const Input& input) {
  for (auto _ : state) {
    state.PauseTiming();
    LoadResult result = (input.*kLoad)();
    state.ResumeTiming();
    result.value = transom::Any();
  }
}

void TimeSave(benchmark::State& state, const Input& input) {
  for (auto _ : state) benchmark::DoNotOptimize(transom::SaveJSON(input.first.value, input.save));
}

void TimeSaveTsm(benchmark::State& state, const Input& input) {
  for (auto _ : state) benchmark::DoNotOptimize(transom::SaveTSM(input.first.value, input.save));
}

void TimeHash(benchmark::State& state, const Input& input) {
  for (auto _ : state) benchmark::DoNotOptimize(transom::StructuralHash::Hash(input.first.value, input.options));
}

void TimeEqual(benchmark::State& state, const Input& input) {
  for (auto _ : state) {
    if (!transom::StructuralEqual::Equal(input.first.value, input.second.value, input.options)) {
      state.SkipWithError("a file must equal itself");
      return;
    }
  }
}

constexpr std::pair<const char*, Step> kSteps[] = {
    {"load", TimeLoad<&Input::Load>},       {"save", TimeSave},   {"load .tsm", TimeLoad<&Input::LoadTsm>},
    {"save .tsm", TimeSaveTsm},             {"hash", TimeHash},   {"equal", TimeEqual},
    {"free", TimeFree<&Input::Load>},       {"free .tsm", TimeFree<&Input::LoadTsm>}};

void Register(const std::string& path) {
  auto input = std::make_shared<const Input>(path);
  for (auto [name, step] : kSteps) {
    std::string title = std::string(name) + "/" + std::filesystem::path(path).filename().string();
    benchmark::RegisterBenchmark(title.c_str(), [input, step = step](benchmark::State& state) {
      step(state, *input);
      state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * input->text.size()));
    })->Unit(benchmark::kMillisecond);
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  std::vector<std::string> files(argv + 1, argv + argc);
  if (files.empty()) files.push_back(TRANSOM_TEST_DATA_DIR "/tvm-0.27/lm2.1-legalize.json");
  try {
    for (const std::string& file : files) Register(file);
    benchmark::RunSpecifiedBenchmarks();
  } catch (const transom::Error& error) {
    std::fprintf(stderr, "transom_bench: %s\n", error.what());
    return 2;
  }
  benchmark::Shutdown();
  return 0;
}
