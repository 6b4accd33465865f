/*
 * A value made again with other children: what rewriting walks build their results with.
 */
#ifndef TRANSOM_SRC_GRAPH_REBUILD_H_
#define TRANSOM_SRC_GRAPH_REBUILD_H_

#include <transom/export.h>
#include <transom/runtime/any.h>

#include <memory>
#include <vector>

#include "graph/fold.h"
#include "graph/type_check.h"

namespace transom::graph {

/*!
 * \brief A new value like `value` (kSequence, kMap, or kObject without custom data) with the given children, borrowed:
 * elements; k0 v0 k1 v1 ... in iteration order; all fields of `plan`, which objects must have. A record gets the same
 * descriptor; an object of a registered type is copied by its `__ffi_shallow_copy__`, else created empty, and set
 * through its setters. `checks`: fields of records refuse what their declared type does not take; null: children are
 * trusted. TypeError: the type can be neither copied nor created, or a field refuses a child, which the message says;
 * ValueError: two keys are equal; the errors of hooks and setters.
 */
TRANSOM_API Any Rebuild(const TVMFFIAny& value, const TypePlan* plan, const TVMFFIAny* children,
                        TypeChecks* checks = nullptr);

/*! \brief The children of a frame's value as Rebuild takes them: what the walk made of those that it visited (results
 * with a member `value`; keys and values alternate), and the other fields as they are. */
template <class Result>
void GatherChildren(const FoldFrame& frame, const Result* results, Keeper& keeper, std::vector<TVMFFIAny>* children) {
  children->clear();
  if (frame.plan == nullptr) {
    for (uint64_t i = 0; i < frame.count; ++i) children->push_back(results[i].value);
    return;
  }
  for (const FieldPlan& field : frame.plan->fields) children->push_back(ReadField(frame.value.v_obj, field, keeper));
  for (uint64_t i = 0; i < frame.count; ++i) (*children)[frame.list[i]] = results[i].value;
}

/*! \brief A new container of that type (Array, List, Map or Dict) of `count` children: elements, or k0 v0 k1 v1 ...
 * ValueError: two keys are equal. */
TRANSOM_API Any MakeContainer(int32_t type_index, const TVMFFIAny* children, size_t count);

/*!
 * \brief Makes the values of a rewritten graph during a walk in which keys and values of maps alternate. Owns what it
 * makes as long as it lives, so that results can be borrowed values.
 */
class TRANSOM_API Rebuilder {
 public:
  enum class Children : uint8_t { kTrusted, kChecked };
  explicit Rebuilder(Children children = Children::kTrusted) {
    if (children == Children::kChecked) checks_ = std::make_unique<TypeChecks>();
  }

  /*! \brief Rebuild of the frame's value. `path` makes its path, for the message of the ValueError that every failure
   * becomes. */
  template <class MakePath>
  TVMFFIAny Make(const FoldFrame& frame, const TVMFFIAny* children, MakePath&& path) {
    try {
      return Keep(Rebuild(frame.value, frame.plan, children, checks_.get()));
    } catch (const Error& error) {
      TRANSOM_THROW(ValueError) << PathText(path(), true) << ": the " << TypeKeyOf(frame.value)
                                << " there cannot be made again with other parts: " << error.message();
    }
  }
  /*!
   * \brief The frame's value with the parts that it has now: itself when no child has changed. `children` are results
   * of the walk with members `value` and `changed`. Errors as Make.
   */
  template <class Result, class MakePath>
  TVMFFIAny Remake(const FoldFrame& frame, const Result* children, Keeper& keeper, MakePath&& path) {
    bool changed = false;
    for (uint64_t i = 0; i < frame.count && !changed; ++i) changed = children[i].changed;
    if (!changed) return frame.value;
    GatherChildren(frame, children, keeper, &values_);
    return Make(frame, values_.data(), path);
  }
  /*! \brief Owns the value from now on. */
  TVMFFIAny Keep(Any value) {
    made_.push_back(std::move(value));
    return *made_.back().raw();
  }

 private:
  std::unique_ptr<TypeChecks> checks_;
  std::vector<Any> made_;
  std::vector<TVMFFIAny> values_;
};

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_REBUILD_H_
