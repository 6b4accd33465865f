/*
 * Structural key: a value as the key of a hash container, by its structure.
 */
#ifndef TRANSOM_STRUCTURAL_KEY_H_
#define TRANSOM_STRUCTURAL_KEY_H_

#include <transom/export.h>
#include <transom/runtime/any.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace transom {

/*!
 * \brief A value with its hash, computed once.
 *
 *     std::unordered_map<StructuralKey, int> uses;
 *     ++uses[StructuralKey(call)];
 *
 * Two keys are equal when StructuralEqual says so of their values (default options): an unbound variable and a unique
 * instance equal themselves only. The hash counts these by their addresses, so it means nothing in another process; for
 * a hash that may be stored take StructuralHash. The value must not change as long as the key is used.
 *
 * Types with hooks of their own count as in StructuralEqual and StructuralDigest, so they need both hooks.
 *
 * Making a key is linear in objects plus edges, and so is comparing two keys of equal hash. Neither recurses. Copies
 * may be used from any thread.
 */
class StructuralKey {
 public:
  /*! \brief The key of a value, which it shares. Errors as StructuralDigest. */
  TRANSOM_API explicit StructuralKey(Any value);

  const Any& value() const { return value_; }
  uint64_t hash() const { return hash_; }

  /*! \brief Errors as StructuralEqual; only where the hashes agree. */
  TRANSOM_API friend bool operator==(const StructuralKey& lhs, const StructuralKey& rhs);
  friend bool operator!=(const StructuralKey& lhs, const StructuralKey& rhs) { return !(lhs == rhs); }

 private:
  Any value_;
  uint64_t hash_;
};

}  // namespace transom

template <>
struct std::hash<transom::StructuralKey> {
  size_t operator()(const transom::StructuralKey& key) const noexcept { return static_cast<size_t>(key.hash()); }
};

#endif  // TRANSOM_STRUCTURAL_KEY_H_
