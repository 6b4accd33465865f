/*
 * Objects of an old graph that cannot stand in a new one, since that has objects with identity of its own there.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_DIFF_IDENTITY_CONFLICTS_H_
#define TRANSOM_SRC_STRUCTURAL_DIFF_IDENTITY_CONFLICTS_H_

#include <transom/structural/options.h>

#include "graph/pointer_map.h"
#include "graph/type_plan.h"
#include "structural/equality/correspondence.h"

namespace transom::structural {

/*!
 * \brief Outside of files a variable that is met before a place that binds it equals only itself, and so may a dag node
 * that is a map's key. Where the old graph binds such a variable, or has another object in the place of such a key or
 * of a part of it, what holds that must be the new graph's own. Linear in both graphs; what it finds is rare.
 */
class IdentityConflicts {
 public:
  /*! \brief Once; before it there are none. Objects are borrowed from the graphs. Errors of getters. */
  void Find(graph::PlanTable& plans, const StructuralOptions& options, const TVMFFIAny& old_root,
            const TVMFFIAny& new_root, const Correspondence& found);

  /*! \brief Whether the object of the old graph is one that cannot stand in the new one, or holds one. */
  bool Contains(const TVMFFIObject* old) const { return holders_.Find(old) != nullptr; }

  /*! \brief Whether a variable of the new graph equals only itself there. */
  bool StaysItself(const TVMFFIObject* variable) const { return unbound_.Find(variable) != nullptr; }

 private:
  graph::PointerMap<uint8_t> unbound_;
  graph::PointerMap<uint8_t> holders_;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_DIFF_IDENTITY_CONFLICTS_H_
