/*
 * What the walk (fold.h) asks a visitor, and the frame of a value that they share.
 */
#ifndef TRANSOM_SRC_GRAPH_FOLD_VISITOR_H_
#define TRANSOM_SRC_GRAPH_FOLD_VISITOR_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "graph/path.h"
#include "graph/type_plan.h"
#include "graph/value.h"

namespace transom::graph {

/*! \brief A value on the way: its children are numbered 0 .. count-1. */
struct FoldFrame {
  TVMFFIAny value;
  const TVMFFIObject* met;  // the object as the walk met it: `value` itself, unless the visitor went on in another
  const TypePlan* plan;     // kObject
  void* note;               // the visitor's own
  union {
    const uint16_t* list;  // kObject: indices of the fields to visit
    size_t first_child;    // kMap: where its keys and values, or its parts, lie on the engine's stack of children
  };
  uint64_t count;
  uint64_t next;
  uint32_t memo;  // shared: where the memo has it
  ValueClass cls;
  DefRegion region;
  DefRegion inside;  // kObject: region of fields that declare none
  bool shared;

  /*! \brief kObject: the fields to visit; the list must outlive the frame. */
  void Visit(const std::vector<uint16_t>& fields) {
    list = fields.data();
    count = fields.size();
  }
  /*! \brief Whether this is an object whose children are no fields: Fold::VisitParts. It is of class kMap then. */
  bool HasParts() const { return cls == ValueClass::kMap && plan != nullptr; }
  /*! \brief Goes on in another value, which has children and lives as long as the walk. For Begin. */
  void Become(const TVMFFIAny& other, PlanTable& plans) {
    value = other;
    cls = Classify(other.type_index);
    plan = cls == ValueClass::kObject ? &plans.Of(other.v_obj) : nullptr;
  }
};

// One member of each name that a visitor may have.
struct OptionalNames {
  int Origin, Known, Whole, kFieldsOnly, Begin, Key, kRunsForeignCode, OnlyLeaves, kTextsByAddress, RememberAll, Early,
      Again, Lasting;
};
// A name is ambiguous here when the visitor has a member of it, whatever that is.
template <class Visitor>
struct NamesOf : Visitor, OptionalNames {};

/*!
 * \brief Which of the optional members a visitor has. A member of that name with another signature does not compile.
 */
// Visitor:
//   using Result;
//     Trivially copyable.
//   static constexpr bool kKeysFirst
//     Maps: the n keys come first, then the n values, in an order of the visitor's; else k0 v0 k1 v1 ... in iteration
//     order.
//   Result Leaf(const TVMFFIAny& value, ValueClass cls)
//     Everything without children; may throw. May take the region as a third argument.
//   Result Custom(const TVMFFIAny& value, const TypePlan&, std::string_view json)
//     Objects with custom data.
//   void Enter(FoldFrame&)
//     kObject: says which fields to visit (FoldFrame::Visit).
//   Result Leave(FoldFrame&, Result* children)
//     Children in the order of the visit.
// With kKeysFirst:
//   void MapChildren(FoldFrame&, std::vector<TVMFFIAny>* children)
//     Pushes these 2n values.
//   DefRegion KeyRegion(const FoldFrame&, const TVMFFIAny& key)
//     The region of a key.
//   void KeysDone(FoldFrame&, TVMFFIAny* children, Result* keys)
//     May reorder entries in place.
template <class Visitor>
struct FoldMembers {
  static_assert(!std::is_final_v<Visitor>, "what members a final class has cannot be asked");
  using Result = typename Visitor::Result;

  /*! \brief Where the root of this walk lies, for messages. */
  static constexpr bool kOrigin = !requires { &NamesOf<Visitor>::Origin; };
  static_assert(
      !kOrigin ||
          requires(Visitor & v) {
            { v.Origin() } -> std::same_as<Path>;
          },
      "Path Origin()");

  /*! \brief Whether the visitor has the result of a value with children, which then is not entered. */
  static constexpr bool kKnown = !requires { &NamesOf<Visitor>::Known; };
  static_assert(
      !kKnown ||
          requires(Visitor & v, const TVMFFIAny& value, Result* result) {
            { v.Known(value, result) } -> std::same_as<bool>;
          },
      "bool Known(const TVMFFIAny& value, Result*)");

  /*! \brief Whether the visitor folds an object by itself, without a visit of its fields; it may run the walk on other
   * values meanwhile. */
  static constexpr bool kWhole = !requires { &NamesOf<Visitor>::Whole; };
  static_assert(
      !kWhole ||
          requires(Visitor & v, FoldFrame& frame, Result* result) {
            { v.Whole(frame, result) } -> std::same_as<bool>;
          },
      "bool Whole(FoldFrame&, Result*)");

  /*! \brief Objects with custom data are visited by their fields as well. */
  static constexpr bool kFieldsOnly = !requires { &NamesOf<Visitor>::kFieldsOnly; };
  static_assert(
      !kFieldsOnly || requires { requires Visitor::kFieldsOnly; }, "static constexpr bool kFieldsOnly = true");

  /*! \brief Whether the visitor has the result of a value with children, which then is not looked into. It may run the
   * walk, on that value too, or go on in another value (FoldFrame::Become). */
  static constexpr bool kBegin = !requires { &NamesOf<Visitor>::Begin; };
  static_assert(
      !kBegin ||
          requires(Visitor & v, FoldFrame& frame, Result* result) {
            { v.Begin(frame, result) } -> std::same_as<bool>;
          },
      "bool Begin(FoldFrame&, Result*)");

  /*! \brief Whether the visitor has the result of a map's key, which then is not visited. Not with kKeysFirst. */
  static constexpr bool kKey = !requires { &NamesOf<Visitor>::Key; };
  static_assert(!kKey || (!Visitor::kKeysFirst &&
                          requires(Visitor & v, const TVMFFIAny& key, Result* result) {
                            { v.Key(key, result) } -> std::same_as<bool>;
                          }),
                "bool Key(const TVMFFIAny& key, Result*)");

  /*! \brief What is being visited is kept alive, since the code that the visitor calls may drop it. */
  static constexpr bool kRunsForeignCode = !requires { &NamesOf<Visitor>::kRunsForeignCode; };
  static_assert(
      !kRunsForeignCode || requires { requires Visitor::kRunsForeignCode; },
      "static constexpr bool kRunsForeignCode = true");

  /*! \brief Whether all fields that Enter says of a plan's objects are plain numbers. Then Enter does not throw, Leave
   * does not run the walk, and the objects get no frame. */
  static constexpr bool kOnlyLeaves = !requires { &NamesOf<Visitor>::OnlyLeaves; };
  static_assert(
      !kOnlyLeaves ||
          requires(Visitor & v, const TypePlan& plan) {
            { v.OnlyLeaves(plan) } -> std::same_as<bool>;
          },
      "bool OnlyLeaves(const TypePlan&)");

  /*! \brief A text on the heap has one result, wherever it is met. */
  static constexpr bool kTextsByAddress = !requires { &NamesOf<Visitor>::kTextsByAddress; };
  static_assert(
      !kTextsByAddress || requires { requires Visitor::kTextsByAddress; },
      "static constexpr bool kTextsByAddress = true");

  /*! \brief Keep the results of all objects, not only of shared ones, for later runs. */
  static constexpr bool kRememberAll = !requires { &NamesOf<Visitor>::RememberAll; };
  static_assert(
      !kRememberAll ||
          requires(Visitor & v) {
            { v.RememberAll() } -> std::same_as<bool>;
          },
      "bool RememberAll()");

  /*! \brief The result of a value with children before they are visited: what leads back to the value gets it. Leave
   * gives the same one. */
  static constexpr bool kEarly = !requires { &NamesOf<Visitor>::Early; };
  static_assert(
      !kEarly ||
          requires(Visitor & v, FoldFrame& frame) {
            { v.Early(frame) } -> std::same_as<Result>;
          },
      "Result Early(FoldFrame&)");

  /*! \brief The result of a value that contains itself, where it is met inside itself. With RememberAll this finds all
   * cycles, else those through shared objects. */
  static constexpr bool kAgain = !requires { &NamesOf<Visitor>::Again; };
  static_assert(
      !kAgain ||
          requires(Visitor & v, const TVMFFIAny& value) {
            { v.Again(value) } -> std::same_as<Result>;
          },
      "Result Again(const TVMFFIAny& value)");

  /*! \brief Whether the result of a value also holds for its other places; else it is visited there again. */
  static constexpr bool kLasting = !requires { &NamesOf<Visitor>::Lasting; };
  static_assert(
      !kLasting ||
          requires(Visitor & v, const Result& result) {
            { v.Lasting(result) } -> std::same_as<bool>;
          },
      "bool Lasting(const Result&)");
};

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_FOLD_VISITOR_H_
