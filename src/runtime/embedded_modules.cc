#include "runtime/embedded_modules.h"

#include <transom/runtime/error.h>
#include <transom/runtime/function.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace transom::runtime {
namespace {

constexpr std::string_view kOwnKind = "_lib";
constexpr std::string_view kLoaderPrefix = "ffi.Module.load_from_bytes.";

/* The data, read from the front. */
class Reader {
 public:
  Reader(std::string_view data, std::string_view source) : data_(data), source_(source) {}

  [[noreturn]] void ThrowDamaged(const std::string& what) const {
    TRANSOM_THROW(RuntimeError) << "The modules embedded in " << source_ << " are damaged: " << what;
  }

  uint64_t Number(const char* what) {
    if (Rest() < sizeof(uint64_t)) {
      ThrowDamaged("expected " + std::string(what) + " at byte " + std::to_string(pos_) + " but the data ends there");
    }
    uint64_t value = 0;
    std::memcpy(&value, data_.data() + pos_, sizeof(value));
    pos_ += sizeof(value);
    return value;
  }
  /* Bytes after their number. */
  std::string_view Bytes(const char* what) {
    const uint64_t size = Length(what, 1);
    std::string_view bytes = data_.substr(pos_, size);
    pos_ += size;
    return bytes;
  }
  /* Numbers after how many they are. */
  std::vector<uint64_t> Numbers(const char* what) {
    std::vector<uint64_t> numbers(Length(what, sizeof(uint64_t)));
    for (uint64_t& number : numbers) number = Number(what);
    return numbers;
  }
  void CheckEnd() const {
    if (Rest() != 0) ThrowDamaged("expected the end of the data at byte " + std::to_string(pos_) + " but more follows");
  }

 private:
  size_t Rest() const { return data_.size() - pos_; }
  uint64_t Length(const char* what, size_t item_size) {
    const size_t start = pos_;
    const uint64_t count = Number(what);
    if (count > Rest() / item_size) {
      ThrowDamaged("the length of " + std::string(what) + " at byte " + std::to_string(start) + " is " +
                   std::to_string(count) + ", but " + std::to_string(Rest()) + " bytes follow");
    }
    return count;
  }

  std::string_view data_;
  std::string_view source_;
  size_t pos_ = 0;
};

/* Which module imports which: those of module i are imports[starts[i]] to before imports[starts[i + 1]]. */
struct ImportTree {
  std::vector<uint64_t> starts;
  std::vector<uint64_t> imports;

  size_t num_modules() const { return starts.size() - 1; }
};

ImportTree ReadTree(Reader* reader) {
  ImportTree tree;
  tree.starts = reader->Numbers("the starts of imports");
  tree.imports = reader->Numbers("the imports");
  if (tree.starts.size() < 2) reader->ThrowDamaged("expected at least one module");
  if (tree.starts.front() != 0 || tree.starts.back() != tree.imports.size() ||
      !std::is_sorted(tree.starts.begin(), tree.starts.end())) {
    reader->ThrowDamaged("the starts of imports do not ascend from 0 to their number, " +
                         std::to_string(tree.imports.size()));
  }
  for (uint64_t import : tree.imports) {
    if (import >= tree.num_modules()) {
      reader->ThrowDamaged("expected imports below " + std::to_string(tree.num_modules()) + " but got " +
                           std::to_string(import));
    }
  }
  return tree;
}

Module LoadModule(std::string_view kind, std::string_view bytes, std::string_view source) {
  const std::string loader = std::string(kLoaderPrefix).append(kind);
  std::optional<Function> load = Function::GetGlobal(loader);
  TRANSOM_CHECK(load.has_value(), RuntimeError)
      << source << " embeds a module of kind `" << kind << "`, but no function is registered under the name `" << loader
      << "`; load the library that registers it first";
  return (*load)(Bytes(bytes.data(), bytes.size())).cast<Module>();
}

}  // namespace

Module LoadEmbeddedModules(std::string_view data, const Module& own, std::string_view source) {
  Reader reader(data, source);
  const ImportTree tree = ReadTree(&reader);
  std::vector<Module> modules;
  for (size_t i = 0; i < tree.num_modules(); ++i) {
    const std::string_view kind = reader.Bytes("the kind of a module");
    modules.push_back(kind == kOwnKind ? own : LoadModule(kind, reader.Bytes("the bytes of a module"), source));
  }
  reader.CheckEnd();
  try {
    for (size_t i = 0; i < modules.size(); ++i) {
      for (uint64_t k = tree.starts[i]; k < tree.starts[i + 1]; ++k) modules[i].ImportModule(modules[tree.imports[k]]);
    }
  } catch (const Error& error) {
    reader.ThrowDamaged(std::string(error.message()));
  }
  return modules[0];
}

}  // namespace transom::runtime
