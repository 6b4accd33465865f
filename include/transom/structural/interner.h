/*
 * Interning: equal values become one object while they are built.
 */
#ifndef TRANSOM_STRUCTURAL_INTERNER_H_
#define TRANSOM_STRUCTURAL_INTERNER_H_

#include <transom/export.h>
#include <transom/runtime/any.h>
#include <transom/runtime/object.h>
#include <transom/schema/schema.h>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace transom {

struct InternerOptions {
  /*! \brief Objects that differ in ignored fields (source locations) are the same; what the first has there stays. */
  bool merge_ignored = false;
  /*! \brief Types without a declared structural kind are trees, as in StructuralOptions; else their objects are not
   * interned. */
  bool as_files = false;
  /*! \brief Rules that also hold for registered types of the same key, as in StructuralOptions; may be empty. */
  schema::SchemaRef rules;
};

struct InternerStatistics {
  uint64_t entries = 0;  // objects in the table, and dead ones that were not dropped yet
  uint64_t entered = 0;  // objects that were new
  uint64_t hits = 0;     // objects for which an equal one was there already
};

/*!
 * \brief A hash-consing table: of all equal values that are interned, the first one stands for the others.
 *
 *     Interner interner;
 *     Expr x = interner.Make<Var>("x");                                   // variables stay themselves
 *     Expr a = interner.Make<Add>(x, interner.Make<IntImm>(1));           // new
 *     Expr b = interner.Intern(Add(x, IntImm(1)));                        // a: IntImm(1) is interned on the way
 *     a.same_as(b);
 *
 * The table keeps nothing alive: when the last reference to an object goes, so does the object; its block of memory
 * goes with its entry, on the way of later calls or in Compact().
 *
 * What is interned: arrays, maps, shapes, big integers, tensors (by the bits of their elements) and objects of tree
 * kinds, records or native; objects of one type within one representation, native or record of one description. They
 * are the same when all their fields are, ignored ones too (but see the options). What is not interned is returned as
 * it is, with all that it holds, and equals itself only where it is a part of something: variables and what holds them
 * in fields that define them (parameters), dag nodes, unique instances, Lists and Dicts, objects of types without a
 * structural kind or with comparison code of their own, functions, modules; constant-tree nodes that hold one of these;
 * a map two of whose keys are equal objects. Strings and plain values are values, not objects. So what comes back is
 * structurally equal to what went in, and stays so in the place of it in any graph; functions of the IR that are equal
 * but for their variables are not made one.
 *
 * Parts are interned with what holds them. Where they were interned before, as when a graph is built bottom up, that
 * costs O(1) a part, and interning O(own fields). Otherwise their parts are looked at as well, in time linear in the
 * objects plus edges that were not interned, and what holds a part for which an equal one stands is made anew, as by
 * Deduplicate. No recursion.
 *
 * A value that was interned must not change as long as the table is used, also not in place, as an Array of one owner
 * does; what did is no longer found. A moved-from interner is an empty one with the same options. Types are registered before their objects are interned. For one thread at a time;
 * the objects may be used, and may die, on any thread meanwhile.
 */
class Interner {
 public:
  TRANSOM_API explicit Interner(InternerOptions options = {});
  TRANSOM_API ~Interner();
  TRANSOM_API Interner(Interner&& other) noexcept;
  TRANSOM_API Interner& operator=(Interner&& other) noexcept;

  /*!
   * \brief The value that stands for all that are equal to this one: an earlier one, or this one, which is entered.
   *
   * ValueError: a value that contains itself, or an object that would have to be made anew with interned parts and
   * cannot (intern the parts before); hooks of types (getters, setters, `__data_to_json__`) throw their own. Messages
   * have the path. What was interned before the error stays interned.
   */
  TRANSOM_API Any Intern(AnyView value);

  /*! \brief Intern for reference classes. */
  template <class Ref, class = std::enable_if_t<std::is_base_of_v<ObjectRef, Ref>>>
  Ref Intern(const Ref& value) {
    return InternObject<typename Ref::ContainerType, Ref>(value);
  }
  /*! \brief Intern for pointers to objects. */
  template <class T>
  ObjectPtr<T> Intern(const ObjectPtr<T>& value) {
    return InternObject<T, ObjectPtr<T>>(value);
  }

  /*! \brief A new value, interned: `T(args...)` of a reference class, make_object<T>(args...) of a class of objects. */
  template <class T, class... Args>
  auto Make(Args&&... args) {
    if constexpr (std::is_base_of_v<Object, T>) {
      return Intern(make_object<T>(std::forward<Args>(args)...));
    } else {
      return Intern(T(std::forward<Args>(args)...));
    }
  }

  /*! \brief Drops the entries of objects that have died, and gives back what memory the table does not need. Linear. */
  TRANSOM_API void Compact();

  TRANSOM_API InternerStatistics statistics() const;

  class Impl;

 private:
  // What stands for an object has its type, so it is taken without another look at its elements.
  template <class T, class Handle>
  Handle InternObject(const Handle& value) {
    Any interned = Intern(AnyView(value));
    if (interned == nullptr) return value;
    return Handle(detail::ObjectAccess::Adopt<T>(interned.Release().v_obj));
  }

  InternerOptions options_;
  std::unique_ptr<Impl> impl_;  // null: nothing was interned since it was moved from
};

}  // namespace transom
#endif  // TRANSOM_STRUCTURAL_INTERNER_H_
