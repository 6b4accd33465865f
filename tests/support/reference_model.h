/*
 * A small model of structural comparison on JSON graphs, to check the library against: recursive and slow, written for
 * being read. Both sides are files: see StructuralOptions::as_files.
 */
#ifndef TRANSOM_SUPPORT_REFERENCE_MODEL_H_
#define TRANSOM_SUPPORT_REFERENCE_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "support/node_table.h"
#include "support/type_rules.h"

namespace transom::testing {

/*! \brief A step of a path; the kinds are those of AccessStep. */
struct ModelStep {
  int kind = 0;
  std::string name;   // of the field; text of the map key: quoted for a string and for an object with a label
  int64_t index = 0;  // of the element; place of the map key in iteration order, -1 where it is missing
};

struct ModelVerdict {
  bool equal = true;
  std::vector<ModelStep> lhs;  // the place of the first mismatch
  std::vector<ModelStep> rhs;
};

struct ModelOptions {
  bool map_free_vars = false;
  bool skip_tensor_content = false;
};

/*! \brief Compares two graphs. They keep their declared types and have no cycles. Recurses as deep as the graphs are.
 */
ModelVerdict CompareTables(const TypeRules& rules, NodeTable lhs, NodeTable rhs, const ModelOptions& options = {});

/*! \brief `<root>.functions["main"].body[2]`. */
std::string StepsText(const std::vector<ModelStep>& steps);

/*! \brief The text of a path with map keys as StepsText has them: `["main"]` for `[ir.GlobalVar("main")]`. */
std::string PlainPath(const std::string& path);

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_REFERENCE_MODEL_H_
