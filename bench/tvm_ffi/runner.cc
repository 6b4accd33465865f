/*
 * transom_bench_tvm_ffi NUM_OBJECTS SEED: the package apache-tvm-ffi's side of the comparison on the benchmark's IR;
 * serves steps (step_server.h). Answers to timed steps are "WALL CPU" in seconds.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "step_server.h"
#include "tvm_ffi/ir_tvm_ffi.h"

namespace {

class Handle {
 public:
  explicit Handle(IrHandle handle) : handle_(handle) {
    if (handle == nullptr) throw std::runtime_error("the package's function failed");
  }
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (handle_ != nullptr) IrFree(handle_);
  }
  IrHandle get() const { return handle_; }

 private:
  IrHandle handle_;
};

class Side {
 public:
  Side(uint64_t num_objects, uint64_t seed)
      : num_objects_(num_objects),
        seed_(seed),
        graph_(IrBuild(num_objects, seed, &made_)),
        other_(IrBuild(num_objects, seed, &made_)),
        text_(IrSaveJSON(graph_.get())) {}

  Handle Build() const {
    uint64_t made = 0;
    return Handle(IrBuild(num_objects_, seed_, &made));
  }
  Handle Save() const { return Handle(IrSaveJSON(graph_.get())); }
  Handle Load() const { return Handle(IrLoadJSON(text_.get())); }
  uint64_t Hash() const { return HashOf(graph_); }
  bool Equal() const {
    if (!AreEqual(graph_, other_)) throw std::runtime_error("two graphs of one seed are not equal");
    return true;
  }

  // Number of objects, bytes of the JSON text.
  std::string Describe() const {
    size_t size = 0;
    IrText(text_.get(), &size);
    return std::to_string(made_) + " " + std::to_string(size);
  }
  std::string Write(const std::string& path) const {
    size_t size = 0;
    const char* data = IrText(text_.get(), &size);
    std::ofstream file(path, std::ios::binary);
    file.write(data, static_cast<std::streamsize>(size));
    if (!file.flush()) throw std::runtime_error("cannot write " + path);
    return "written";
  }
  // Is the graph of that JSON file equal to the built one, by comparison and by hash?
  std::string Check(const std::string& path) const {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    if (!file) throw std::runtime_error("cannot read " + path);
    std::string text = content.str();
    Handle copy(IrMakeText(text.data(), text.size()));
    Handle loaded(IrLoadJSON(copy.get()));
    return AreEqual(graph_, loaded) && HashOf(loaded) == Hash() ? "equal" : "different";
  }

 private:
  static bool AreEqual(const Handle& lhs, const Handle& rhs) {
    int equal = IrEqual(lhs.get(), rhs.get());
    if (equal < 0) throw std::runtime_error("the package cannot compare the graphs");
    return equal == 1;
  }
  static uint64_t HashOf(const Handle& graph) {
    uint64_t hash = 0;
    if (IrHash(graph.get(), &hash) != 0) throw std::runtime_error("the package cannot hash the graph");
    return hash;
  }

  uint64_t num_objects_;
  uint64_t seed_;
  uint64_t made_ = 0;
  Handle graph_;
  Handle other_;  // equal, and shares nothing with it
  Handle text_;
};

std::map<std::string, ir_bench::Step> StepsOf(Side& side) {
  return {
      {"describe", [&](const std::string&) { return side.Describe(); }},
      {"write", [&](const std::string& path) { return side.Write(path); }},
      {"check", [&](const std::string& path) { return side.Check(path); }},
      {"build", ir_bench::Timed([&] { return side.Build(); })},
      {"save_json", ir_bench::Timed([&] { return side.Save(); })},
      {"load_json", ir_bench::Timed([&] { return side.Load(); })},
      {"equal", ir_bench::Timed([&] { return side.Equal(); })},
      {"hash", ir_bench::Timed([&] { return side.Hash(); })},
  };
}

}  // namespace

int main(int argc, char** argv) { return ir_bench::ServeSide("transom_bench_tvm_ffi", argc, argv, &StepsOf); }
