/*
 * What a program does with the object model all day, as jobs of many equal operations: calls, objects, values,
 * containers, text and errors, the same with whichever library's headers. This header includes neither library's.
 */
#ifndef TRANSOM_BENCH_RUNTIME_JOBS_H_
#define TRANSOM_BENCH_RUNTIME_JOBS_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "step_server.h"
#include "support/rng.h"

namespace runtime_bench {

// Entries of a container; small ones are what attributes of operators are.
constexpr uint64_t kElements = 1000;
constexpr uint64_t kFewElements = 4;
// Errors are rare and slow: one for so many operations of other jobs.
constexpr uint64_t kOperationsPerError = 1000;
constexpr std::string_view kShortText = "float32";
constexpr std::string_view kLongText = "a text that does not fit inside a value";

/*! \brief Makes the compiler believe that somebody reads `value` and may change it. */
template <class T>
void Opaque(T& value) {
  asm volatile("" : "+m"(value) : : "memory");
}

/*! \brief A job: its number of operations, and the work, which returns a number that the operations determine. */
struct Job {
  uint64_t operations;
  std::function<uint64_t()> run;
};
using Jobs = std::map<std::string, Job>;

/*! \brief Numbers that look random, each once, for the same seed the same. */
inline std::vector<int64_t> MakeNumbers(uint64_t count, uint64_t seed) {
  transom::testing::Rng rng(seed);
  std::vector<int64_t> numbers;
  for (uint64_t i = 0; i < count; ++i) numbers.push_back(static_cast<int64_t>(rng.Below(1u << 20) << 20 | i));
  return numbers;
}

inline std::string MakeName(int64_t number) { return "T_batch_matmul_" + std::to_string(number); }

/*! \brief Repeats `pass`, which does `size` operations, until `operations` are done. Returns the sum of the results. */
template <class Pass>
uint64_t Repeat(uint64_t operations, uint64_t size, Pass pass) {
  uint64_t sum = 0;
  for (uint64_t done = 0; done < operations; done += size) sum += pass();
  return sum;
}

/*
 * The jobs of a library. `Ffi` names its types Any, View, Text, Function, Error, Ints (an array of int64_t), IntMap
 * (int64_t to int64_t) and TextMap (Text to int64_t), of which jobs use what both libraries have alike, and has
 *
 *   CallC(Function, int64_t, int64_t) -> int64_t, by the C ABI
 *   MakeRef(int64_t), a reference to an object with one field `value`; MakeText(string_view) -> Text
 *   Push(Ints*, int64_t), Insert(Map*, key, value) of a container that is not shared
 *   Fail(), which throws an Error
 */
template <class Ffi>
class LibraryJobs {
 public:
  LibraryJobs(uint64_t operations, uint64_t seed) : operations_(operations), numbers_(MakeNumbers(kElements, seed)) {
    for (int64_t number : numbers_) names_.push_back(Ffi::MakeText(MakeName(number)));
    AddCalls();
    AddValues();
    AddArray();
    AddMap<typename Ffi::IntMap>("int", numbers_, kElements);
    AddMap<typename Ffi::TextMap>("text", names_, kElements);
    AddMap<typename Ffi::TextMap>("few", names_, kFewElements);
    AddErrors();
  }

  const Jobs& jobs() const { return jobs_; }

 protected:
  Jobs jobs_;

 private:
  using Any = typename Ffi::Any;
  using Function = typename Ffi::Function;

  /* A job of `operation`, called with 0, 1, 2, ...; the results are added up. */
  template <class Operation>
  void Add(const std::string& name, Operation operation, uint64_t divisor = 1) {
    uint64_t count = std::max<uint64_t>(operations_ / divisor, 1);
    jobs_[name] = Job{count, [operation, count] {
                        uint64_t sum = 0;
                        for (uint64_t i = 0; i < count; ++i) {
                          sum += static_cast<uint64_t>(operation(static_cast<int64_t>(i)));
                        }
                        return sum;
                      }};
  }
  /* A job of `pass`, which does `size` operations. */
  template <class Pass>
  void AddPasses(const std::string& name, uint64_t size, Pass pass) {
    uint64_t operations = (operations_ + size - 1) / size * size;
    jobs_[name] = Job{operations, [pass, operations, size] { return Repeat(operations, size, pass); }};
  }

  static int64_t Call(const Function& function, int64_t a, int64_t b) {
    return function(a, b).template cast<int64_t>();
  }
  void AddCalls() {
    Function::SetGlobal("bench.add", Function::FromTyped([](int64_t a, int64_t b) { return a + b; }));
    Function add = Function::GetGlobalRequired("bench.add");
    Add("call_global", [add](int64_t i) { return Call(add, i, 1); });
    Add("call_c", [add](int64_t i) { return Ffi::CallC(add, i, 1); });
    int64_t base = numbers_.front();
    Function closure = Function::FromTyped([base](int64_t a, int64_t b) { return base + a * b; });
    Add("call_closure", [closure](int64_t i) { return Call(closure, i, 1); });
    Function packed = Function::FromPacked([base](const typename Ffi::View* args, int32_t num_args, Any* result) {
      *result = base + num_args + args[0].template cast<int64_t>();
    });
    Add("call_packed", [packed](int64_t i) { return Call(packed, i, 1); });
    Add("find_global", [](int64_t) { return Function::GetGlobalRequired("bench.add") != nullptr ? 1 : 0; });
  }

  void AddValues() {
    Add("object", [](int64_t i) { return Ffi::MakeRef(i)->value; });
    AddCopies("copy_int", Any(int64_t{7}));
    AddCopies("copy_object", Any(Ffi::MakeRef(7)));
    AddCopies("copy_short_text", Any(Ffi::MakeText(kShortText)));
    AddCopies("copy_long_text", Any(Ffi::MakeText(kLongText)));
    AddTexts("short_text", kShortText);
    AddTexts("long_text", kLongText);
  }
  void AddCopies(const std::string& name, Any value) {
    Add(name, [value](int64_t) {
      Any copy(value);
      Opaque(copy);
      return copy != nullptr ? 1 : 0;
    });
  }
  void AddTexts(const std::string& name, std::string_view text) {
    Add(name, [text](int64_t) {
      std::string_view source = text;
      Opaque(source);
      typename Ffi::Text copy = Ffi::MakeText(source);
      Opaque(copy);
      return copy.size();
    });
  }

  void AddArray() {
    using Ints = typename Ffi::Ints;
    AddPasses("array_push", kElements, [numbers = numbers_] {
      Ints array;
      for (int64_t number : numbers) Ffi::Push(&array, number);
      return static_cast<uint64_t>(array.size());
    });
    Ints array;
    for (int64_t number : numbers_) Ffi::Push(&array, number);
    AddPasses("array_index", kElements, [array] {
      uint64_t sum = 0;
      auto size = static_cast<int64_t>(array.size());
      for (int64_t i = 0; i < size; ++i) sum += static_cast<uint64_t>(array[i]);
      return sum;
    });
    AddPasses("array_iterate", kElements, [array] {
      uint64_t sum = 0;
      for (int64_t number : array) sum += static_cast<uint64_t>(number);
      return sum;
    });
  }

  template <class Map, class Key>
  static Map MakeMap(const std::vector<Key>& keys, uint64_t size) {
    Map map;
    for (uint64_t i = 0; i < size; ++i) Ffi::Insert(&map, keys[i], static_cast<int64_t>(i));
    return map;
  }
  template <class Map, class Key>
  void AddMap(const std::string& kind, const std::vector<Key>& keys, uint64_t size) {
    AddPasses("map_insert_" + kind, size,
              [keys, size] { return static_cast<uint64_t>(MakeMap<Map>(keys, size).size()); });
    Map map = MakeMap<Map>(keys, size);
    AddPasses("map_find_" + kind, size, [map, keys, size] {
      uint64_t sum = 0;
      for (uint64_t i = 0; i < size; ++i) sum += static_cast<uint64_t>(map.at(keys[i]));
      return sum;
    });
    AddPasses("map_iterate_" + kind, size, [map] {
      uint64_t sum = 0;
      for (auto entry : map) sum += static_cast<uint64_t>(entry.second);
      return sum;
    });
  }

  void AddErrors() {
    Function fail = Function::FromTyped([](int64_t, int64_t) { return Ffi::Fail(); });
    Add(
        "error", [fail](int64_t i) { return SizeOfError([&] { Call(fail, i, 1); }); }, kOperationsPerError);
    Add(
        "error_c", [fail](int64_t i) { return SizeOfError([&] { Ffi::CallC(fail, i, 1); }); }, kOperationsPerError);
  }
  template <class Work>
  static size_t SizeOfError(Work work) {
    try {
      work();
    } catch (const typename Ffi::Error& error) {
      return error.kind().size() + error.message().size();
    }
    throw std::runtime_error("a function that fails did not");
  }

  uint64_t operations_;
  std::vector<int64_t> numbers_;
  std::vector<typename Ffi::Text> names_;
};

/*! \brief Steps of a side with jobs: one timed step each, and "describe", which answers for each its name, number of
 * operations and result. */
template <class Side>
std::map<std::string, ir_bench::Step> StepsOf(Side& side) {
  std::map<std::string, ir_bench::Step> steps;
  for (const auto& [name, job] : side.jobs()) steps[name] = ir_bench::Timed(job.run);
  steps["describe"] = [&side](const std::string&) {
    std::string answer;
    for (const auto& [name, job] : side.jobs()) {
      std::string result = std::to_string(job.run());
      answer += (answer.empty() ? "" : " ") + name + ":" + std::to_string(job.operations) + ":" + result;
    }
    return answer;
  };
  return steps;
}

}  // namespace runtime_bench
#endif  // TRANSOM_BENCH_RUNTIME_JOBS_H_
