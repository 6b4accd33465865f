/*
 * Seeded edits of JSON graphs: the changes that passes, people and other writers make to a file.
 */
#ifndef TRANSOM_SUPPORT_GRAPH_EDIT_H_
#define TRANSOM_SUPPORT_GRAPH_EDIT_H_

#include <cstdint>
#include <string>

#include "support/node_table.h"
#include "support/type_rules.h"

namespace transom::testing {

/*! \brief What an edit did: its kind ("rename", "swap", ...) and the node it touched, for messages. */
struct EditNote {
  std::string kind;  // empty: the graph has no place for an edit
  std::string what;
};

/*!
 * \brief Makes one edit. The graph stays free of cycles and duplicate map keys, but may break a declared type
 * (NodeTable::FirstBreach). New nodes stand at the end, so references may point forward.
 */
EditNote EditGraph(const TypeRules& rules, NodeTable* table, uint64_t seed);

/*! \brief The edit of that kind only; an empty note when the graph has no place for it. */
EditNote EditGraph(const TypeRules& rules, NodeTable* table, uint64_t seed, const std::string& kind);

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_GRAPH_EDIT_H_
