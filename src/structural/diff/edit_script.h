/*
 * What turns one graph into another: edits of its objects, made from a comparison and applied by rebuilding what they
 * change.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_DIFF_EDIT_SCRIPT_H_
#define TRANSOM_SRC_STRUCTURAL_DIFF_EDIT_SCRIPT_H_

#include <transom/runtime/any.h>
#include <transom/structural/options.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graph/type_plan.h"

namespace transom::structural {

class DiffScope;

/*! \brief Fields that get other values. */
struct FieldEdits {
  struct Set {
    std::string name;
    Any value;
  };
  std::vector<Set> fields;
};

/*! \brief Runs of a sequence that give way to others; in the order of the old sequence, apart from each other. */
struct ItemEdits {
  struct Splice {
    int64_t begin = 0;    // in the old sequence
    int64_t removed = 0;  // its elements from there on
    std::vector<Any> inserted;
  };
  int64_t old_size = 0;
  std::vector<Splice> splices;
};

/*! \brief Entries of a map that go, get another value or are new. New ones follow the old ones. */
struct EntryEdits {
  int64_t old_size = 0;
  std::vector<Any> erased;
  std::vector<std::pair<Any, Any>> set;
  /*! \brief When the entries stand in another order: for each place, which of them, as numbered without this. Else
   * empty. */
  std::vector<int64_t> order;
};

/*! \brief The object becomes another one: of another version of its type. */
struct Replacement {
  Any value;
};

struct ObjectEdit {
  Any target;  // of the old graph
  std::variant<FieldEdits, ItemEdits, EntryEdits, Replacement> change;
};

/*!
 * \brief Edits of objects of an old graph. Values hold objects of the old graph as they are before any edit; they stand
 * for what these become. So do all other places of an edited object: it is edited once.
 */
struct EditScript {
  Any root;  // of the result
  std::vector<ObjectEdit> edits;
};

/*!
 * \brief The edits that turn `old_root` into a value equal to `new_root` under the options. Parts that are equal, also
 * where they stand elsewhere, are the old graph's; fields that do not count stay as they are in objects that both
 * graphs have. `scope`: what options of a diff leave out stays too; they do not speak of paths. Errors as
 * StructuralDiff, and as graph::Rebuilder where parts of both graphs come together in an object.
 */
EditScript MakeEditScript(graph::PlanTable& plans, const TVMFFIAny& old_root, const TVMFFIAny& new_root,
                          const StructuralOptions& options, DiffScope* scope = nullptr);

/*!
 * \brief The graph after the edits. What they do not reach is the same objects as before; nothing is changed in place.
 * PatchError: an edit that does not fit its object, with the path, or edits that make an object part of itself. Linear
 * in the graph and the edits.
 */
Any ApplyEditScript(graph::PlanTable& plans, const TVMFFIAny& old_root, const EditScript& script);

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_DIFF_EDIT_SCRIPT_H_
