/*
 * What a patch brings: parts of the new graph, in which what the old graph has is the old graph's.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_DIFF_NEW_PARTS_H_
#define TRANSOM_SRC_STRUCTURAL_DIFF_NEW_PARTS_H_

#include <transom/structural/options.h>

#include <unordered_map>
#include <vector>

#include "graph/fold.h"
#include "graph/rebuild.h"
#include "structural/diff/identity_conflicts.h"
#include "structural/equality/pairing.h"
#include "structural/hash/digest_visitor.h"

namespace transom::structural {

/*! \brief Which object of the old graph stands in the result for an object of the new one, as it is there: with its
 * edits. */
struct Partners {
  enum class Role : uint8_t { kKept, kEdited };
  graph::PointerMap<const TVMFFIObject*> old_of;  // by object of the new graph
  graph::PointerMap<Role> roles;                  // of objects of the old graph
  /*! \brief Containers of the new graph whose partner has other elements before its edits: new parts get new ones,
   * since what they are declared to hold may be what the partner does not have yet. */
  graph::PointerMap<uint8_t> in_place_only;

  const TVMFFIObject* Of(const TVMFFIObject* object) const {
    const auto* partner = old_of.Find(object);
    return partner != nullptr ? *partner : nullptr;
  }
};

/*!
 * \brief Visitor that gives every value of the new graph the one that stands for it: an object of the old graph, or one
 * like it with such parts, itself when it has no others. An object that both graphs have means the old graph's in the
 * results. Owns what it makes.
 */
class NewParts {
 public:
  struct Result {
    TVMFFIAny value;
    bool changed = false;
  };
  static constexpr bool kKeysFirst = false;
  static constexpr bool kFieldsOnly = true;  // objects with custom data stay as they are

  NewParts(graph::PlanTable& plans, const StructuralOptions& options, const TVMFFIAny& old_root,
           const Partners& partners, const Bindings& bindings, const IdentityConflicts& conflicts);

  Any Of(const TVMFFIAny& value) { return Any(AnyView::FromRaw(fold_.Run(value).value)); }
  /*! \brief An object of its own for one that has children, whatever stands for it elsewhere. */
  Any Fresh(const TVMFFIAny& value);

  // For the walk. What holds a value may be visited in one place and left out in another.
  bool RememberAll() const { return true; }
  bool Known(const TVMFFIAny& value, Result* result);
  Result Leaf(const TVMFFIAny& value, graph::ValueClass cls);
  Result Custom(const TVMFFIAny& value, const graph::TypePlan&, std::string_view) { return {value, false}; }
  void Enter(graph::FoldFrame& frame);
  Result Leave(graph::FoldFrame& frame, Result* children);

 private:
  bool StaysItself(const TVMFFIAny& value);
  bool MeansAnother(const TVMFFIObject* object) const;
  void SeparateKeys(const graph::FoldFrame& frame, Result* children);
  const TVMFFIAny* OldTensor(const TVMFFIAny& tensor);

  graph::PlanTable& plans_;
  const StructuralOptions& options_;
  const TVMFFIAny old_root_;
  const Partners& partners_;
  const Bindings& bindings_;
  const IdentityConflicts& conflicts_;
  graph::Rebuilder rebuilder_;
  bool has_old_tensors_ = false;  // `old_tensors_` is filled
  std::unordered_map<Digest, TVMFFIAny, DigestHash> old_tensors_;
  graph::Fold<NewParts> fold_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_DIFF_NEW_PARTS_H_
