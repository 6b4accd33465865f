/*
 * Structural visit: own code at the values of any graph, by type, before or after what they hold.
 */
#ifndef TRANSOM_STRUCTURAL_VISIT_H_
#define TRANSOM_STRUCTURAL_VISIT_H_

#include <transom/export.h>
#include <transom/runtime/any.h>
#include <transom/runtime/visit_interrupt.h>
#include <transom/structural/hook.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace transom {

/*! \brief How a visit goes on after a hook. */
class VisitResult {
 public:
  /*! \brief With the children, and then the next value. */
  VisitResult() = default;
  static VisitResult Continue() { return {}; }
  /*! \brief With the next value. The same as Continue after the children. */
  static VisitResult SkipChildren() {
    VisitResult result;
    result.skips_ = true;
    return result;
  }
  /*! \brief Not at all: the visit ends and gives this value. */
  static VisitResult Interrupt(Any value) { return VisitInterrupt(std::move(value)); }
  VisitResult(VisitInterrupt interrupt) : interrupt_(std::move(interrupt)) {}  // NOLINT: a result as the contract's

  bool skips_children() const { return skips_; }
  const std::optional<VisitInterrupt>& interrupt() const { return interrupt_; }

 private:
  bool skips_ = false;
  std::optional<VisitInterrupt> interrupt_;
};

struct VisitOptions : WalkOptions {
  /*! \brief An object is visited at every place that it is met, with that place's region and path, not only at the
   * first. A graph with much sharing has very many places: 2^n in a chain of n pairs. */
  bool every_place = false;
};

/*!
 * \brief Visits a value and all that it holds, depth first: fields in the order of declaration, ancestors' first;
 * elements; keys and values of maps in iteration order. None is not visited.
 *
 *     std::vector<std::string> calls;
 *     StructuralVisit visit;
 *     visit.Pre<CallNode>([&](const CallNode* call) { calls.push_back(call->op); });
 *     visit.Post("relax.expr.Var", [&](const Any& var, const WalkPlace& place) { ... });  // objects and records
 *     visit(module);
 *
 * A hook is for values of one type and for objects of derived types; the first hook, in the order of registration, that
 * is for the value's type is called, one of those before the children and one of those after them. Types are stated
 *   - by class of objects: `const T*`, registered objects only;
 *   - by class of values (reference classes, String, int64_t, Any for all, ...): a T;
 *   - by type key: an Any, registered objects and records alike; the type need not be known to this process.
 * Besides the value a hook may take a `const WalkPlace&`. It returns void or VisitResult.
 *
 * The value must not change meanwhile. Hooks may start other visits. An object with more than one owner is visited at
 * the first place where it is met; see VisitOptions::every_place.
 *
 * Linear in objects plus edges, O(1) for the choice of a hook. No recursion: depth is limited by memory. One visit
 * object may be used again and again, from one thread at a time.
 */
class StructuralVisit {
 public:
  explicit StructuralVisit(VisitOptions options = {}) : options_(std::move(options)) {}

  /*! \brief Adds a hook that is called before the children. */
  template <class T, class F>
  StructuralVisit& Pre(F hook) {
    pre_.push_back(detail::MakeHook<T, VisitResult>(std::move(hook)));
    return *this;
  }
  template <class F>
  StructuralVisit& Pre(std::string type_key, F hook) {
    pre_.push_back(detail::MakeHook<VisitResult>(std::move(type_key), std::move(hook)));
    return *this;
  }
  /*! \brief Adds a hook that is called after the children. */
  template <class T, class F>
  StructuralVisit& Post(F hook) {
    post_.push_back(detail::MakeHook<T, VisitResult>(std::move(hook)));
    return *this;
  }
  template <class F>
  StructuralVisit& Post(std::string type_key, F hook) {
    post_.push_back(detail::MakeHook<VisitResult>(std::move(type_key), std::move(hook)));
    return *this;
  }

  /*!
   * \brief Visits a value. Returns what a hook has interrupted the visit with; nothing when it came to its end.
   *
   * ValueError: a value that contains itself, with the path. A hook's Error comes out with the path before its message,
   * its kind kept and itself as the cause; other exceptions come out as they are. TypeError: a hook for Array<T> or the
   * like and a value that has other elements.
   */
  TRANSOM_API std::optional<Any> operator()(AnyView root) const;

 private:
  VisitOptions options_;
  std::vector<detail::TypeHook<VisitResult>> pre_;
  std::vector<detail::TypeHook<VisitResult>> post_;
};

}  // namespace transom
#endif  // TRANSOM_STRUCTURAL_VISIT_H_
