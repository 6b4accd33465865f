/*
 * Pairs of elements that are alike until more is known: chosen when the comparison comes to them.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_LATE_PAIRING_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_LATE_PAIRING_H_

#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "structural/equality/pairing.h"
#include "structural/hash/digest_visitor.h"

namespace transom::structural {

/*! \brief As many elements of one side as of the other, by their place; any could be the partner of any. */
struct AlikeElements {
  std::vector<int64_t> lhs;
  std::vector<int64_t> rhs;
};

/*!
 * \brief What is compared first binds variables and shared nodes, and so tells apart what is alike before. An element
 * gets the first partner of its group that is still free and uses the same pairs, else the first that is free.
 */
class LatePairing {
 public:
  /*! \brief What the elements belong to. All must outlive this. */
  struct Context {
    graph::PlanTable& plans;
    const StructuralOptions& options;
    const Bindings& bindings;
    KeyScope* lhs_scope;
    KeyScope* rhs_scope;
    const TVMFFIAny* lhs;  // elements
    const TVMFFIAny* rhs;
  };

  LatePairing(const Context& context, const std::vector<AlikeElements>& groups);

  /*! \brief The partner of an element of the left side, given what is bound now; -1: it is in no group. Asked for once.
   * An element is looked at again when something in it was bound; large ones never are. */
  int64_t RightOf(int64_t lhs);
  /*! \brief Whether the last partner was one of several that would do. */
  bool chose() const { return chose_; }

 private:
  struct Group {
    std::map<Digest, std::set<int64_t>> by_key;  // right elements that are free
    std::set<int64_t> free;
  };
  struct Element {
    size_t group = 0;
    Digest key;
    bool free = false;
  };

  Digest KeyNow(const TVMFFIAny& element, bool is_lhs);
  void Index(int64_t rhs);
  void Put(int64_t rhs);
  void Take(int64_t rhs);
  void FollowBindings();

  const Context context_;
  graph::Keeper keeper_;
  std::vector<Group> groups_;
  std::unordered_map<int64_t, size_t> group_of_;     // left elements
  std::unordered_map<int64_t, Element> elements_;    // right elements
  graph::PointerMap<std::vector<int64_t>> holders_;  // right elements, by what they hold that is not bound
  size_t num_bound_ = 0;                             // pairs that keys know of
  bool chose_ = false;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_LATE_PAIRING_H_
