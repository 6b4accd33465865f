/*
 * Structural equality: same content, whatever the addresses, with bound variables paired through their binders.
 */
#ifndef TRANSOM_STRUCTURAL_EQUAL_H_
#define TRANSOM_STRUCTURAL_EQUAL_H_

#include <transom/export.h>
#include <transom/reflection/access_path.h>
#include <transom/runtime/any.h>
#include <transom/structural/options.h>

#include <optional>

namespace transom {

/*! \brief The first place, in the left side's order, where two values differ. */
struct Mismatch {
  reflection::AccessPath lhs;
  reflection::AccessPath rhs;
};

/*!
 * \brief Structural equality.
 *
 * Both functions are linear in the objects plus edges of the two graphs, shared parts counted once, and do not recurse but
 * for hooks. They throw TypeError for a type without structural kind (unless `as_files`), and ValueError for cycles and
 * values that cannot be compared; messages have the path. Thread-safe while nobody changes the values.
 *
 * A type's `__s_equal__` decides about its native objects where no "compare" of a schema does; it must not change what is
 * compared. Its own errors come through. RuntimeError: hooks that run inside each other fill the stack of the thread.
 * TypeError: an object with such a hook beside a record of its type, or an attribute that is no function. A variable that
 * is used before it is bound may have the type's `__s_hash__` asked as well, for what that passes on may bind it.
 */
class StructuralEqual {
 public:
  explicit StructuralEqual(StructuralOptions options = {}) : options_(std::move(options)) {}
  bool operator()(AnyView lhs, AnyView rhs) const { return Equal(lhs, rhs, options_); }

  TRANSOM_API static bool Equal(AnyView lhs, AnyView rhs, const StructuralOptions& options = {});
  /*! \brief The first mismatch, or nothing when the values are equal. Both paths have the same length. */
  TRANSOM_API static std::optional<Mismatch> GetFirstMismatch(AnyView lhs, AnyView rhs, const StructuralOptions& options = {});

 private:
  StructuralOptions options_;
};

}  // namespace transom
#endif  // TRANSOM_STRUCTURAL_EQUAL_H_
