/*
 * Equality alone, in a tight loop.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_EQUAL_WALK_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_EQUAL_WALK_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/pointer_map.h"
#include "graph/recent_results.h"
#include "graph/stack.h"
#include "graph/type_plan.h"
#include "structural/equality/address_map.h"
#include "structural/equality/address_set.h"
#include "structural/equality/binding_rule.h"
#include "structural/equality/equal_plan.h"
#include "structural/equality/pairing.h"
#include "structural/equality/side_keys.h"
#include "structural/equality/union_find.h"

namespace transom::structural {

/*!
 * \brief Whether two values are equal, by the rules of LockStep, which it visits pairs in the same order as. It knows
 * no paths, and leaves what is rare to LockStep: whatever is to be refused with a message, types with code of their
 * own, the two versions of one type, maps whose keys do not pair at once.
 *
 * A pair is entered once when either side is shared. Usually a left object has one partner, which one table holds; only
 * when it meets another one, pairs go into a union-find. Cycles are looked for on the left side only: a value without
 * cycles equals none that has some.
 */
class EqualWalk {
 public:
  enum class Verdict : uint8_t { kEqual, kDifferent, kUnknown };

  /*! \param hooks kRefuse: the library's own rules; kRun: those of the C contract. */
  EqualWalk(graph::PlanTable& plans, const StructuralOptions& options, Hooks hooks);

  /*! \brief Once per walk. Throws nothing but std::bad_alloc. Linear but for the inverse Ackermann function. */
  Verdict Run(const TVMFFIAny& lhs, const TVMFFIAny& rhs);
  /*! \brief As EqualPlans::met_hooks. */
  bool met_hooks() const { return equal_plans_.met_hooks(); }

 private:
  using Field = EqualPlan::Field;

  /*! \brief What is known of a pair that is met, or of the children of one. */
  enum class Step : uint8_t { kEqual, kEnter, kDifferent, kUnknown };
  /*! \brief What else is known of a pair whose children are being compared: in one word, which stays in a register. */
  class Marks {
   public:
    Marks() = default;
    Marks(graph::ValueClass cls, graph::DefRegion region, bool is_variable, bool remembered)
        : bits_(static_cast<uint32_t>(cls) << kClass | static_cast<uint32_t>(region) << kRegion |
                static_cast<uint32_t>(is_variable) << 1 | static_cast<uint32_t>(remembered)) {}

    graph::ValueClass cls() const { return static_cast<graph::ValueClass>(bits_ >> kClass); }
    graph::DefRegion region() const { return static_cast<graph::DefRegion>(bits_ >> kRegion & 0xff); }
    bool is_variable() const { return (bits_ & 2) != 0; }
    /*! \brief Whether the left object is in the table of partners. */
    bool remembered() const { return (bits_ & 1) != 0; }

   private:
    static constexpr int kRegion = 8, kClass = 16;

    uint64_t bits_;
  };
  /*! \brief A pair whose children are being compared. */
  struct Frame {
    const TVMFFIObject* lhs;
    const TVMFFIObject* rhs;
    union {
      const Field* field;  // objects: the next one
      uint64_t next;       // others: the next child; of maps, in children_
    };
    Marks marks;
  };
  /*! \brief A key or value of a map, with its partner. */
  struct Child {
    TVMFFIAny lhs;
    TVMFFIAny rhs;
    graph::DefRegion region;
  };
  using PartnerEntry = uintptr_t;  // the address of the partner, and whether the pair is being compared

  Verdict Walk(const TVMFFIAny& lhs, const TVMFFIAny& rhs);
  bool RightSideMayHaveCycle() const;

  bool IsRecent(const TVMFFIObject* lhs, const TVMFFIObject* rhs) const {
    const TVMFFIObject* const* partner = recent_.Find(lhs);
    return partner != nullptr && *partner == rhs;
  }

  // One pair of values. kEnter: it is in `*child` then.
  Step Meet(const TVMFFIAny& lhs, const TVMFFIAny& rhs, graph::DefRegion region, Frame* child);
  Step MeetLeaves(const TVMFFIAny& lhs, const TVMFFIAny& rhs) const;
  template <class Region>
  Step MeetObjects(const TVMFFIObject* lhs, const TVMFFIObject* rhs, Region region, Frame* child);
  Step MeetByRule(const TVMFFIObject* lhs, const TVMFFIObject* rhs, const EqualPlan& plan);
  Step MeetOneToOne(const TVMFFIObject* lhs, const TVMFFIObject* rhs, const EqualPlan& plan, graph::DefRegion region);
  Step MeetFirst(const TVMFFIObject* lhs, const TVMFFIObject* rhs, const EqualPlan& plan, graph::DefRegion region,
                 PartnerEntry* entry);
  Step MeetSequences(const TVMFFIObject* lhs, const TVMFFIObject* rhs, graph::DefRegion region, Frame* child);
  Step MeetMaps(const TVMFFIObject* lhs, const TVMFFIObject* rhs, graph::DefRegion region, Frame* child);
  Step MeetShared(const TVMFFIObject* lhs, const TVMFFIObject* rhs);
  Step MeetAgain(const TVMFFIObject* lhs, const TVMFFIObject* rhs, PartnerEntry* entry);
  Step OtherType(const TVMFFIObject* lhs, const TVMFFIObject* rhs, const EqualPlan& plan);
  Step CompareData(const TVMFFIObject* lhs, const TVMFFIObject* rhs, const graph::TypePlan& plan);
  Step CompareLeafFields(const TVMFFIObject* lhs, const TVMFFIObject* rhs, const EqualPlan& plan);
  const Field* FieldsOf(const EqualPlan& plan, const TVMFFIObject* obj);
  TVMFFIAny ReadField(const TVMFFIObject* obj, const Field& field);
  static graph::DefRegion RegionOf(Field field, Marks marks);
  void PrefetchChildren(const Frame& frame);
  static void PrefetchPair(const TVMFFIObject* lhs, const TVMFFIObject* rhs);
  uint32_t SetOf(const TVMFFIObject* obj, bool is_lhs);

  // The children of the pair at hand. kEnter: the pair at hand is one of them now.
  Step VisitPairs(Frame frame);
  Step VisitFields(Frame* at_hand);
  Step MeetFields(const TVMFFIObject* lhs, const TVMFFIObject* rhs, Field field, Marks marks, Frame* child);
  Step VisitItems(Frame* at_hand);
  Step VisitEntries(const TVMFFIObject* lhs, const TVMFFIObject* rhs, uint64_t next, Marks marks, Frame* child);
  bool Settle(const TVMFFIObject* lhs, const TVMFFIObject* rhs, Marks marks);

  Step PairEntries(const MapBaseObj& lhs, const MapBaseObj& rhs, graph::DefRegion region);
  Step PairObjectKeys(const MapBaseObj& lhs, const MapBaseObj& rhs, graph::DefRegion region);
  bool IsOneToOne(const TVMFFIAny& key);

  graph::PlanTable& plans_;
  const StructuralOptions& options_;
  const Hooks hooks_;
  EqualPlans equal_plans_;
  BindingRule binding_rule_;
  graph::Keeper keeper_;
  graph::Stack<Frame> frames_;
  std::vector<Child> children_;                            // of the maps on the stack
  std::vector<size_t> map_starts_;                         // where those of each begin
  graph::RecentResults<const TVMFFIObject*, 256> recent_;  // partners for good, of left objects
  AddressMap<PartnerEntry> partners_;                      // of left objects
  AddressSet bound_;                    // right objects that are or will be one to one with a left one
  graph::PointerMap<uint32_t> set_of_;  // of objects that met a second partner; odd addresses: of the right side
  UnionFind sets_;
  std::unique_ptr<SideKeys> keys_;  // of keys of maps that are objects
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_EQUAL_WALK_H_
