/*
 * A JSON graph as a table of nodes that tests can change.
 */
#ifndef TRANSOM_SUPPORT_NODE_TABLE_H_
#define TRANSOM_SUPPORT_NODE_TABLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/json_value.h"
#include "support/rng.h"
#include "support/type_rules.h"

namespace transom::testing {

/*! \brief A node as the file holds it. None has null data. */
struct TableNode {
  std::string type;
  JsonValue data;

  bool IsSequence() const { return type == "ffi.Array" || type == "ffi.List"; }
  bool IsMap() const { return type == "ffi.Map" || type == "ffi.Dict"; }
  bool IsContainer() const { return IsSequence() || IsMap(); }
};

/*! \brief A table of nodes; references are positions in it. */
class NodeTable {
 public:
  std::vector<TableNode> nodes;
  int64_t root = 0;
  std::string metadata;  // JSON text; empty: none
  std::string schema;    // JSON text of an embedded schema; empty: none

  /*! \brief Reads a JSON graph. std::runtime_error: malformed. */
  static NodeTable Parse(std::string_view text);
  /*! \brief The text of the graph, nodes in the order of the table. */
  std::string ToText() const;

  int64_t Add(std::string type, JsonValue data) {
    nodes.push_back({std::move(type), std::move(data)});
    return static_cast<int64_t>(nodes.size()) - 1;
  }
  const TableNode& At(int64_t index) const { return nodes[static_cast<size_t>(index)]; }
  TableNode& At(int64_t index) { return nodes[static_cast<size_t>(index)]; }

  /*! \brief The references of a node in the order of its data. Valid until the node's data changes. */
  std::vector<int64_t*> Refs(const TypeRules& rules, int64_t index);
  std::vector<int64_t> Children(const TypeRules& rules, int64_t index) const;
  /*! \brief Nodes that the root reaches, children before parents. Iterative. */
  std::vector<int64_t> PostOrder(const TypeRules& rules) const;
  /*! \brief Whether a walk from `from` meets `to`. */
  bool Reaches(const TypeRules& rules, int64_t from, int64_t to) const;
  /*! \brief Puts the nodes into the given order; nodes that it does not list are dropped. */
  void Renumber(const TypeRules& rules, const std::vector<int64_t>& order);
  /*! \brief Gives absent fields their declared defaults, where the schema states them. */
  void FillDefaults(const TypeRules& rules);
  /*! \brief Integers that stand for floats become floats: a writer may write 2^60 without a point. */
  void UnifyFloats(const TypeRules& rules);
  /*!
   * \brief Brings the table into the form that writers give it: absent fields filled in, fields as declared, equal
   * plain values and strings once, nodes in post-order, nothing unreachable.
   */
  void Normalize(const TypeRules& rules);
  /*!
   * \brief Where the graph breaks a declared type: "node 3 test.Call.args", or empty when it keeps all. Nodes that the
   * root does not reach do not count.
   */
  std::string FirstBreach(const TypeRules& rules) const;
  /*! \brief Whether node `index` may stand where `type` is declared. */
  bool Fits(const TypeRules& rules, int64_t index, const DeclaredType& type) const;

 private:
  void MergeLeaves(const TypeRules& rules);
  int64_t AddDefault(const JsonValue& value);
  bool SequenceFits(const TypeRules& rules, const TableNode& node, const DeclaredType& type) const;
};

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_NODE_TABLE_H_
