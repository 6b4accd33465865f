/*
 * Structural hash and digest: functions of a value's structure alone, stable across processes, machines and languages.
 * docs/digest.md defines both.
 */
#ifndef TRANSOM_STRUCTURAL_HASH_H_
#define TRANSOM_STRUCTURAL_HASH_H_

#include <transom/export.h>
#include <transom/runtime/any.h>
#include <transom/structural/options.h>

#include <cstdint>
#include <string>

namespace transom {

/*! \brief 128-bit digest of a value. May be stored. */
struct Digest {
  uint64_t low = 0;
  uint64_t high = 0;
  /*! \brief 32 hexadecimal digits, high half first. */
  TRANSOM_API std::string ToString() const;
  friend bool operator==(const Digest& a, const Digest& b) { return a.low == b.low && a.high == b.high; }
  friend bool operator!=(const Digest& a, const Digest& b) { return !(a == b); }
  /*! \brief Order as 128-bit numbers. */
  friend bool operator<(const Digest& a, const Digest& b) { return a.high != b.high ? a.high < b.high : a.low < b.low; }
};

/*!
 * \brief Digest of a value. Equal values have equal digests under the same options; the digest treats unbound variables as
 * `StructuralOptions::as_files` does, whether or not that is set.
 * TypeError: a type without structural kind (unless as_files), or one that compares by an `__s_equal__` that no "compare"
 * describes and has no `__s_hash__`; ValueError: a cycle, or a value that cannot be compared (a function, a tensor that is
 * not on the CPU). Messages have the path.
 * Linear in objects plus edges (sorting map entries apart). No recursion. Thread-safe while nobody changes the value.
 *
 * With both hooks, native objects count by what `__s_hash__` passes to its callback, in that order; neither the number that it
 * returns nor those that it is given count (the callback returns its second argument). So equal objects have equal digests
 * when the hooks of objects that `__s_equal__` calls equal pass on equal values in the same order. Errors of hooks come
 * through. Hooks do not nest, so values may have any depth.
 */
TRANSOM_API Digest StructuralDigest(AnyView value, const StructuralOptions& options = {});

/*! \brief 64-bit hash: the low half of the digest. A function object, so it also serves hash tables. */
class StructuralHash {
 public:
  explicit StructuralHash(StructuralOptions options = {}) : options_(std::move(options)) {}
  /*! \brief Errors and costs as StructuralDigest. */
  int64_t operator()(AnyView value) const { return static_cast<int64_t>(Hash(value, options_)); }
  TRANSOM_API static uint64_t Hash(AnyView value, const StructuralOptions& options = {});

 private:
  StructuralOptions options_;
};

}  // namespace transom
#endif  // TRANSOM_STRUCTURAL_HASH_H_
