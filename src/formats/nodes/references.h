/*
 * References of a patch, resolved against the old graph.
 */
#ifndef TRANSOM_SRC_FORMATS_NODES_REFERENCES_H_
#define TRANSOM_SRC_FORMATS_NODES_REFERENCES_H_

#include <transom/runtime/any.h>

#include <unordered_map>
#include <vector>

#include "graph/type_plan.h"

namespace transom::formats {

/*! \brief Finds what references lead to. Borrows the old graph. */
class References {
 public:
  References(graph::PlanTable& plans, const TVMFFIAny& old_root) : plans_(plans), old_root_(old_root) {}

  /*! \brief The value that a reference node with these elements leads to: none for the root, else an object, and
   * kind and key of each step from there. PatchError: there is none (what was expected, what was found). `node` is its
   * number. */
  Any Resolve(size_t node, const std::vector<TVMFFIAny>& elements);

 private:
  TVMFFIAny Step(size_t node, const TVMFFIAny& holder, const TVMFFIAny& kind, const TVMFFIAny& key);
  TVMFFIAny Field(size_t node, const TVMFFIAny& holder, const TVMFFIAny& name);
  TVMFFIAny Item(size_t node, const TVMFFIAny& holder, const TVMFFIAny& index);
  TVMFFIAny Value(size_t node, const TVMFFIAny& holder, const TVMFFIAny& key);
  TVMFFIAny Key(size_t node, const TVMFFIAny& holder, const TVMFFIAny& place);
  [[noreturn]] void Misfit(size_t node, const std::string& what);

  graph::PlanTable& plans_;
  const TVMFFIAny old_root_;
  graph::Keeper keeper_;
  std::unordered_map<const TVMFFIObject*, std::vector<TVMFFIAny>> keys_;  // of maps, by place
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_NODES_REFERENCES_H_
