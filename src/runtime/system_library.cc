// The functions that are linked into the process, as modules.
#include <transom/reflection/registry.h>
#include <transom/runtime/c_env_api.h>
#include <transom/runtime/function.h>

#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "runtime/library.h"

namespace transom::runtime {
namespace {

/* Symbols that code linked into the process registered. Thread-safe. Never destroyed. */
class SystemSymbols {
 public:
  static SystemSymbols* Global() {
    static SystemSymbols* const symbols = new SystemSymbols();
    return symbols;
  }

  void Set(std::string name, void* address) {
    std::unique_lock lock(mutex_);
    auto [it, inserted] = addresses_.try_emplace(std::move(name), address);
    void* old = std::exchange(it->second, address);
    if (inserted || old == address) return;
    std::fprintf(stderr, "Warning: system library symbol %s moves from %p to %p\n", it->first.c_str(), old, address);
  }
  void* Find(const std::string& name) const {
    std::shared_lock lock(mutex_);
    auto it = addresses_.find(name);
    return it == addresses_.end() ? nullptr : it->second;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, void*> addresses_;
};

/* The symbols whose names have a prefix, and those without it where the first are not there. */
class SystemLibrary : public Library {
 public:
  explicit SystemLibrary(std::string prefix) : prefix_(std::move(prefix)) {}

  void* Find(std::string_view affix, std::string_view name) const override {
    const std::string start(affix);
    void* address = SystemSymbols::Global()->Find(std::string(start).append(prefix_).append(name));
    if (address != nullptr || prefix_.empty()) return address;
    return SystemSymbols::Global()->Find(std::string(start).append(name));
  }
  std::string Name() const override { return "system library with prefix `" + prefix_ + "`"; }

 private:
  std::string prefix_;
};

/* One module per prefix. Never destroyed, like the code they are for. */
Module SystemModule(const std::string& prefix) {
  static auto* const mutex = new std::mutex();
  static auto* const modules = new std::map<std::string, Module>();
  {
    std::lock_guard lock(*mutex);
    if (auto it = modules->find(prefix); it != modules->end()) return it->second;
  }
  // Made without the lock, as loaders of embedded modules run. Of two threads that get here the first one's stays.
  Module module = MakeLibraryModule(std::make_unique<SystemLibrary>(prefix));
  std::lock_guard lock(*mutex);
  return modules->try_emplace(prefix, std::move(module)).first->second;
}

TRANSOM_STATIC_INIT_BLOCK() {
  reflection::GlobalDef().def_packed(
      "ffi.SystemLib",
      [](PackedArgs args, Any* result) {
        TRANSOM_CHECK(args.size() <= 1, TypeError) << "Expected at most one argument, a prefix, but got " << args.size();
        *result = SystemModule(args.size() == 0 ? std::string() : std::string(args[0].cast<String>()));
      },
      "The functions linked into the process whose names have the given prefix, if any, as a module");
}

}  // namespace
}  // namespace transom::runtime

int TVMFFIEnvModRegisterSystemLibSymbol(const char* name, void* symbol) {
  TRANSOM_SAFE_CALL_BEGIN();
  TRANSOM_CHECK(name != nullptr, ValueError) << "Expected the name of a symbol but got NULL";
  transom::runtime::SystemSymbols::Global()->Set(name, symbol);
  TRANSOM_SAFE_CALL_END();
}
