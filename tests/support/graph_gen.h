/*
 * Random graphs of every kind of value, as JSON graph text of a schema of their own.
 */
#ifndef TRANSOM_SUPPORT_GRAPH_GEN_H_
#define TRANSOM_SUPPORT_GRAPH_GEN_H_

#include <cstdint>
#include <string_view>

#include "support/node_table.h"
#include "support/type_rules.h"

namespace transom::testing {

/*! \brief Schema file of the types that the generator uses ("test.Let", ...): all structural kinds, regions and rules.
 */
std::string_view TestSchemaText();
/*! \brief The same types for the tests. */
const TypeRules& TestRules();

struct GenOptions {
  int max_depth = 6;
  /*! \brief Variables are used only where they are bound. Otherwise some are bound nowhere, and some are used before or
   *  beside the place that binds them. */
  bool well_scoped = true;
  /*! \brief Map keys are values of any kind, and some keys of a map are equal but for their addresses. */
  bool wild_keys = false;
};

/*! \brief A random graph; the same seed gives the same graph everywhere. Its schema is not embedded. */
NodeTable RandomGraph(uint64_t seed, const GenOptions& options = {});

/*! \brief `levels` calls, each the argument of the next. */
NodeTable DeepGraph(int levels);
/*! \brief Arrays of the same array twice, `levels` deep: its unfolding has 2^levels leaves. */
NodeTable DiamondGraph(int levels);
/*! \brief An array of `size` objects. */
NodeTable WideGraph(int size);

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_GRAPH_GEN_H_
