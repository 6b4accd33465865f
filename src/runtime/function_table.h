/* The functions that all languages of the process find by name. */
#ifndef TRANSOM_SRC_RUNTIME_FUNCTION_TABLE_H_
#define TRANSOM_SRC_RUNTIME_FUNCTION_TABLE_H_

#include <transom/runtime/c_api.h>
#include <transom/runtime/function.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace transom::runtime {

/* What is known of a registered function. */
struct GlobalFunction {
  Function function;
  std::string doc;
  std::string metadata; /* JSON text, or empty */
  int64_t flags = kTVMFFIFieldFlagBitMaskIsStaticMethod;
};

/* Thread-safe. Never destroyed, so the order of exit does not matter. */
class FunctionTable {
 public:
  static FunctionTable* Global();

  /* The library that the function's code belongs to stays loaded from then on.
   * RuntimeError: the name is taken and `allow_override` is false. */
  void Set(std::string_view name, GlobalFunction entry, bool allow_override);
  /* The function of that name, or NULL. Nothing is copied but the reference: programs look names up often. */
  Function FindFunction(std::string_view name) const;
  /* All that is known of it, or nothing. */
  std::optional<GlobalFunction> Find(std::string_view name) const;
  /* True when a function had the name. */
  bool Remove(std::string_view name);
  /* All names, sorted. */
  std::vector<std::string> Names() const;

 private:
  /* Lookups by std::string_view. */
  struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const noexcept { return std::hash<std::string_view>()(name); }
  };

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, GlobalFunction, NameHash, std::equal_to<>> functions_;
};

/* Keeps in the process what a value that a table keeps needs: the library of an object's deleter, of a function's code,
 * of an address. As PinLibraryOf, to be called without a lock. */
void PinLibrariesOf(const TVMFFIAny& value) noexcept;

}  // namespace transom::runtime

#endif  // TRANSOM_SRC_RUNTIME_FUNCTION_TABLE_H_
