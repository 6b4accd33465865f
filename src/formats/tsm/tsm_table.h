/*
 * The nodes of a .tsm file as checked columns: what a value is built from, and what can be told without building it.
 */
#ifndef TRANSOM_SRC_FORMATS_TSM_TSM_TABLE_H_
#define TRANSOM_SRC_FORMATS_TSM_TSM_TABLE_H_

#include <transom/schema/schema.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tsm/tsm_file.h"

namespace transom::tsm {
enum class Form : uint8_t;
struct Group;
struct Column;
}  // namespace transom::tsm

namespace transom::formats {

/*! \brief A column of a group: one element per node, one for all of them, or with `ends` a run of elements per node. */
struct TsmColumn {
  const void* data = nullptr;
  const uint32_t* ends = nullptr;
  uint64_t size = 0;  // elements
  uint32_t step = 1;  // 0: one element for all nodes

  template <class T>
  const T& At(uint32_t row) const {
    return static_cast<const T*>(data)[uint64_t{row} * step];
  }
  uint32_t Begin(uint32_t row) const { return row == 0 ? 0 : ends[row - 1]; }
  uint32_t End(uint32_t row) const { return ends[row]; }
  template <class T>
  const T* Elements() const {
    return static_cast<const T*>(data);
  }
};

/*! \brief All nodes of one type. */
struct TsmGroup {
  tsm::Form form;
  bool is_container = false;  // Array, List, Map, Dict
  bool is_map = false;        // Map, Dict
  int32_t type_index = 0;  // of the values, as in the C contract; kTVMFFIDynObjectBegin for objects of described types
  uint32_t count = 0;
  uint16_t schema = 0;
  const schema::TypeDescriptor* type = nullptr;  // Object, Custom: as the file describes it
  std::vector<TsmColumn> columns;
};

/*! \brief The schemas of a file, in its order. ValueError: damaged, or a rule of schemas is broken. */
std::vector<schema::SchemaRef> ReadTsmSchemas(const TsmFile& file);

/*!
 * \brief The groups of a file. Made from a file whose sections are right; the constructor checks all that does not
 * depend on the values of references. Views into the file.
 */
class TsmTable {
 public:
  /*! \brief ValueError: damaged; names group and column. Linear in the file. */
  explicit TsmTable(const TsmFile& file);

  const TsmFile& file() const { return file_; }
  const std::vector<schema::SchemaRef>& schemas() const { return schemas_; }
  const std::vector<TsmGroup>& groups() const { return groups_; }
  uint32_t num_nodes() const { return num_nodes_; }
  /*! \brief Whether None is among the nodes. */
  bool HasNone() const { return has_none_; }
  /*! \brief Group of a node, its row there, and back. */
  uint32_t GroupOf(uint32_t node) const { return node_groups_[node]; }
  const uint16_t* node_groups() const { return node_groups_.data(); }
  uint32_t RowOf(uint32_t node) const { return rows_[node]; }
  const uint32_t* NodesOf(uint32_t group) const { return nodes_.data() + first_node_[group]; }
  /*!
   * \brief For each node, the number of references to it.
   * ValueError: a reference that does not lead to an earlier node, a map without a value for each key, a node that
   * nothing refers to.
   */
  std::vector<uint32_t> CountReferences() const;
  /*! \brief JSON text, or empty. */
  std::string_view metadata() const;
  /*! \brief Whether a column of the group holds references. */
  static bool HoldsReferences(const TsmGroup& group, size_t column);
  /*! \brief Type key of a group's nodes. */
  static std::string_view KeyOf(const TsmGroup& group);
  /*! \brief Text of row `row` of a String, Bytes or Custom group. ValueError: a blob that is not there. */
  std::string_view TextAt(const TsmGroup& group, uint32_t row) const;
  /*! \brief The elements of a tensor, row `row`; empty for none. ValueError: a blob that is not there or has another
   * size. */
  std::string_view TensorBytesAt(const TsmGroup& group, uint32_t row) const;
  /*! \brief "node 7 (ir.Add): ", for messages. */
  std::string NodeText(uint32_t node) const;

 private:
  void ReadNodeGroups();
  std::vector<uint32_t> CountNodes() const;
  void ReadGroups();
  void ReadGroup(uint32_t number, uint32_t num_nodes);
  void CheckObjects() const;
  void TakeVectors(const TsmColumn& column, uint64_t element_size);
  void NumberRows();
  void CountReferences(uint32_t group, const TsmColumn& column, std::vector<uint32_t>* counts) const;
  void ReadType(const tsm::Group& from, TsmGroup* group, const std::string& where) const;
  void AddCount(uint32_t n, uint32_t node, std::vector<uint32_t>* counts) const;
  std::string_view Blob(uint32_t reference, const TsmGroup& group, uint32_t row) const;
  std::string NodeText(const TsmGroup& group, uint32_t row) const;

  const TsmFile& file_;
  std::vector<schema::SchemaRef> schemas_;
  std::vector<TsmGroup> groups_;
  uint32_t num_nodes_ = 0;
  bool has_none_ = false;
  uint64_t vector_bytes_ = 0;  // of the columns that were read
  std::vector<uint16_t> node_groups_;
  std::vector<uint32_t> rows_;        // by node
  std::vector<uint32_t> nodes_;       // by group, then row
  std::vector<uint32_t> first_node_;  // by group: where in nodes_
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_TSM_TSM_TABLE_H_
