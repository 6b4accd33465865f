/*
 * Structural map: a graph rewritten by own code at its values, by type.
 */
#ifndef TRANSOM_STRUCTURAL_MAP_H_
#define TRANSOM_STRUCTURAL_MAP_H_

#include <transom/export.h>
#include <transom/runtime/any.h>
#include <transom/structural/hook.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace transom {

/*! \brief What a hook makes of a value. */
class MapResult {
 public:
  /*! \brief The value stays; before the children: and they are rewritten. */
  MapResult() = default;
  static MapResult Keep() { return {}; }
  /*! \brief Before the children: the value stays, and so does all that it holds. The same as Keep after them. */
  static MapResult Skip() {
    MapResult result;
    result.final_ = true;
    return result;
  }
  /*! \brief The replacement stands there; before the children: as it is, and is not rewritten. */
  static MapResult Final(Any replacement) {
    MapResult result(std::move(replacement));
    result.final_ = true;
    return result;
  }
  /*! \brief The replacement stands there; before the children: and those of the replacement are rewritten. So it must
   * not hold the value that it replaces, which would be replaced again and again; after the children it may. */
  template <class T,
            class = std::enable_if_t<std::is_convertible_v<T&&, Any> && !std::is_same_v<std::decay_t<T>, MapResult>>>
  MapResult(T&& replacement) : replacement_(Any(std::forward<T>(replacement))) {}  // NOLINT: what most hooks return

  const std::optional<Any>& replacement() const { return replacement_; }
  bool is_final() const { return final_; }

 private:
  std::optional<Any> replacement_;
  bool final_ = false;
};

/*!
 * \brief Rewrites a value: hooks by type say what stands in the place of values.
 *
 *     StructuralMap fold;
 *     fold.Post<AddNode>([](const AddNode* add) -> MapResult {
 *       const auto *a = add->a.as<IntNode>(), *b = add->b.as<IntNode>();
 *       if (a == nullptr || b == nullptr) return MapResult::Keep();
 *       return MakeInt(a->value + b->value);
 *     });
 *     Any simpler = fold(module);
 *
 * Hooks are registered and chosen as those of StructuralVisit and called in the same order; the value that a hook after
 * the children gets has the children as they were rewritten. What it returns is not rewritten again.
 *
 * The input is not changed. What holds something that was replaced is made anew, all else stays the same objects, and
 * when nothing is replaced the result is the input. An object with several owners is rewritten once, and the result
 * stands at all of its places: sharing is kept, and a variable that is replaced where it is defined is replaced where
 * it is used, also where it is used first (WalkPlace::region of a variable is that of its definition). Fields,
 * elements, and keys and values of maps are rewritten. Objects are made anew by their type's `__ffi_shallow_copy__`,
 * else created and set field by field; records by their descriptor.
 *
 * Linear in objects plus edges. No recursion. One object may be used again and again, from one thread at a time.
 */
class StructuralMap {
 public:
  explicit StructuralMap(WalkOptions options = {}) : options_(std::move(options)) {}

  /*! \brief Adds a hook that is called before the children. */
  template <class T, class F>
  StructuralMap& Pre(F hook) {
    pre_.push_back(detail::MakeHook<T, MapResult>(std::move(hook)));
    return *this;
  }
  template <class F>
  StructuralMap& Pre(std::string type_key, F hook) {
    pre_.push_back(detail::MakeHook<MapResult>(std::move(type_key), std::move(hook)));
    return *this;
  }
  /*! \brief Adds a hook that is called after the children. */
  template <class T, class F>
  StructuralMap& Post(F hook) {
    post_.push_back(detail::MakeHook<T, MapResult>(std::move(hook)));
    return *this;
  }
  template <class F>
  StructuralMap& Post(std::string type_key, F hook) {
    post_.push_back(detail::MakeHook<MapResult>(std::move(type_key), std::move(hook)));
    return *this;
  }

  /*!
   * \brief The rewritten value.
   *
   * ValueError: a value that contains itself, or is held by what a hook before the children puts in its place; what
   * cannot be made anew with its new parts, since a field refuses the
   * new value (path, type, field and both types are named), two keys of a map have become equal, or the type says
   * neither how to copy nor how to create its objects. A hook's Error comes out as that of a StructuralVisit.
   */
  TRANSOM_API Any operator()(AnyView root) const;

 private:
  WalkOptions options_;
  std::vector<detail::TypeHook<MapResult>> pre_;
  std::vector<detail::TypeHook<MapResult>> post_;
};

/*!
 * \brief A copy of an object or record with another value in one field; what most hooks of rewritings by type key
 * return. The value converts to the field's type as an argument would; fields of records take what their declared type
 * says. TypeError: no object with fields, or the field refuses the value, or the type says neither how to copy nor how
 * to create its objects; AttributeError: no such field, with the names of those that there are.
 */
TRANSOM_API Any WithField(const Any& object, std::string_view name, const Any& value);

}  // namespace transom
#endif  // TRANSOM_STRUCTURAL_MAP_H_
