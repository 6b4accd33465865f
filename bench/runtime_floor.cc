#include "runtime_floor.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <unordered_map>

namespace runtime_bench {
namespace {

struct Binary {
  virtual ~Binary() = default;
  virtual int64_t Call(int64_t a, int64_t b) = 0;
};
struct Sum : Binary {
  __attribute__((noinline)) int64_t Call(int64_t a, int64_t b) override { return a + b; }
};

// The size of a value of the C contract, and of an object with one number.
struct Words {
  uint64_t words[2];
};
constexpr size_t kObjectBytes = 32;

// Defined with a result, so that a loop around it is a job.
template <class Operation>
Job Loop(uint64_t operations, Operation operation) {
  return Job{operations, [operation, operations] {
               uint64_t sum = 0;
               for (uint64_t i = 0; i < operations; ++i) sum += operation(i);
               return sum;
             }};
}

template <class Pass>
Job Passes(uint64_t operations, uint64_t size, Pass pass) {
  return Job{operations, [operations, size, pass] { return Repeat(operations, size, pass); }};
}

uint64_t NewText(std::string_view text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  Opaque(copy);
  std::free(copy);
  return text.size();
}

void AddCalls(uint64_t operations, Jobs* jobs) {
  std::shared_ptr<Binary> binary = std::make_shared<Sum>();
  (*jobs)["floor_virtual_call"] = Loop(operations, [binary](uint64_t i) {
    Binary* callee = binary.get();
    Opaque(callee);
    return static_cast<uint64_t>(callee->Call(static_cast<int64_t>(i), 1));
  });
  std::unordered_map<std::string, int64_t> names = {{"bench.add", 1}, {"bench.sub", 2}};
  (*jobs)["floor_unordered_map_name"] = Loop(operations, [names](uint64_t) { return names.find("bench.add")->second; });
  (*jobs)["floor_throw"] = Loop(std::max<uint64_t>(operations / kOperationsPerError, 1), [](uint64_t) {
    try {
      throw std::runtime_error("expected");
    } catch (const std::exception& error) {
      return std::strlen(error.what());
    }
  });
}

void AddMemory(uint64_t operations, Jobs* jobs) {
  (*jobs)["floor_malloc_free"] = Loop(operations, [](uint64_t i) {
    void* block = std::malloc(kObjectBytes);
    std::memcpy(block, &i, sizeof(i));
    Opaque(block);
    std::free(block);
    return 1;
  });
  Words value = {{1, 7}};
  (*jobs)["floor_copy_16_bytes"] = Loop(operations, [value](uint64_t) {
    Words copy = value;
    Opaque(copy);
    return copy.words[0];
  });
  auto count = std::make_shared<std::atomic<uint64_t>>(1);
  (*jobs)["floor_count_up_down"] = Loop(operations, [value, count](uint64_t) {
    Words copy = value;
    count->fetch_add(1, std::memory_order_relaxed);
    Opaque(copy);
    return count->fetch_sub(1, std::memory_order_release);
  });
  (*jobs)["floor_copy_short_text"] = Loop(operations, [](uint64_t) {
    std::string_view text = kShortText;
    Opaque(text);
    char copy[16] = {};
    std::memcpy(copy, text.data(), text.size());
    Opaque(copy);
    return text.size();
  });
  (*jobs)["floor_malloc_long_text"] = Loop(operations, [](uint64_t) {
    std::string_view text = kLongText;
    Opaque(text);
    return NewText(text);
  });
}

void AddArrays(uint64_t operations, const std::vector<int64_t>& numbers, Jobs* jobs) {
  (*jobs)["floor_vector_push"] = Passes(operations, kElements, [numbers] {
    std::vector<int64_t> array;
    for (int64_t number : numbers) array.push_back(number);
    Opaque(array);
    return array.size();
  });
  (*jobs)["floor_plain_array"] = Passes(operations, kElements, [numbers] {
    uint64_t sum = 0;
    for (const int64_t& number : numbers) sum += static_cast<uint64_t>(number);
    return sum;
  });
}

template <class Key>
void AddMaps(uint64_t operations, const std::string& kind, const std::vector<Key>& keys, uint64_t size, Jobs* jobs) {
  auto make = [keys, size] {
    std::unordered_map<Key, int64_t> map;
    for (uint64_t i = 0; i < size; ++i) map.insert_or_assign(keys[i], static_cast<int64_t>(i));
    return map;
  };
  std::unordered_map<Key, int64_t> map = make();
  (*jobs)["floor_unordered_map_insert_" + kind] = Passes(operations, size, [make] { return make().size(); });
  (*jobs)["floor_unordered_map_find_" + kind] = Passes(operations, size, [map, keys, size] {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < size; ++i) sum += static_cast<uint64_t>(map.find(keys[i])->second);
    return sum;
  });
  (*jobs)["floor_unordered_map_iterate_" + kind] = Passes(operations, size, [map] {
    uint64_t sum = 0;
    for (const auto& entry : map) sum += static_cast<uint64_t>(entry.second);
    return sum;
  });
}

}  // namespace

Jobs FloorJobs(uint64_t operations, uint64_t seed) {
  Jobs jobs;
  std::vector<int64_t> numbers = MakeNumbers(kElements, seed);
  std::vector<std::string> names;
  for (int64_t number : numbers) names.push_back(MakeName(number));
  AddCalls(operations, &jobs);
  AddMemory(operations, &jobs);
  AddArrays(operations, numbers, &jobs);
  AddMaps(operations, "int", numbers, kElements, &jobs);
  AddMaps(operations, "text", names, kElements, &jobs);
  AddMaps(operations, "few", names, kFewElements, &jobs);
  return jobs;
}

}  // namespace runtime_bench
