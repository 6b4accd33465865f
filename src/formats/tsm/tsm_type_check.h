/*
 * Declared types of fields, checked on the columns of a .tsm file before any object is made.
 */
#ifndef TRANSOM_SRC_FORMATS_TSM_TSM_TYPE_CHECK_H_
#define TRANSOM_SRC_FORMATS_TSM_TSM_TYPE_CHECK_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/tsm/tsm_table.h"
#include "graph/type_check.h"

namespace transom::formats {

/*! \brief Nodes of a file, by number, for types of one schema. */
class TsmNodeModel {
 public:
  using Value = uint32_t;

  /*! \param types By group: what its objects become; null for other forms. Both must live as long as this. */
  TsmNodeModel(const TsmTable& table, const std::vector<const schema::TypeDescriptor*>& types,
               const schema::Schema* schema)
      : table_(&table), types_(&types), schema_(schema) {}

  int32_t TypeIndex(uint32_t node) const { return Group(node).type_index; }
  bool IsA(uint32_t node, const schema::TypeExpr& type) const {
    const schema::TypeDescriptor* d = (*types_)[table_->GroupOf(node)];
    if (d == nullptr) return false;
    if (d->schema == schema_) return type.order_begin <= d->order_begin && d->order_begin < type.order_end;
    for (; d != nullptr; d = d->parent) {
      if (d->key == type.name) return true;
    }
    return false;
  }
  // All nodes of a group fit a type or none does, but for containers of something: of these the last type is known.
  bool Known(const schema::TypeExpr& type, uint32_t node) {
    if (Row(type)[table_->GroupOf(node)] != 0) return true;
    return !containers_.empty() && containers_[node] == type.id + 1;
  }
  void Remember(const schema::TypeExpr& type, uint32_t node) {
    if (!Group(node).is_container || type.kind == schema::TypeKind::kAny) {
      Row(type)[table_->GroupOf(node)] = 1;
      return;
    }
    if (containers_.empty()) containers_.resize(table_->num_nodes());
    containers_[node] = type.id + 1;
  }
  bool AllItemsKnown(const schema::TypeExpr& type, uint32_t node) {
    const uint8_t* known = Row(type);
    const uint16_t* groups = table_->node_groups();
    return AllItems(node, [=](uint32_t item) { return known[groups[item]] != 0; });
  }
  std::string_view KeyOf(uint32_t node) const { return TsmTable::KeyOf(Group(node)); }
  uint64_t Identity(uint32_t node) const { return node; }
  uint64_t Size(uint32_t node) const {
    const TsmGroup& group = Group(node);
    const uint32_t row = table_->RowOf(node);
    const uint32_t n = group.columns[0].End(row) - group.columns[0].Begin(row);
    return group.is_map ? n / 2 : n;
  }
  template <class Fn>
  bool AllItems(uint32_t node, Fn fits) const {
    const TsmColumn& column = Group(node).columns[0];
    const uint32_t row = table_->RowOf(node);
    for (uint32_t i = column.Begin(row); i < column.End(row); ++i) {
      if (!fits(column.Elements<uint32_t>()[i])) return false;
    }
    return true;
  }
  template <class Fn>
  bool AllEntries(uint32_t node, Fn fits) const {
    const TsmColumn& column = Group(node).columns[0];
    const uint32_t row = table_->RowOf(node);
    for (uint32_t i = column.Begin(row); i < column.End(row); i += 2) {
      if (!fits(column.Elements<uint32_t>()[i], column.Elements<uint32_t>()[i + 1])) return false;
    }
    return true;
  }

 private:
  uint8_t* Row(const schema::TypeExpr& type) {
    if (type.id == last_type_) return last_row_;
    if (memo_.size() <= type.id) memo_.resize(type.id + 1);
    std::vector<uint8_t>& row = memo_[type.id];
    if (row.empty()) row.resize(table_->groups().size());
    last_type_ = type.id;
    return last_row_ = row.data();
  }
  const TsmGroup& Group(uint32_t node) const { return table_->groups()[table_->GroupOf(node)]; }

  const TsmTable* table_;
  const std::vector<const schema::TypeDescriptor*>* types_;
  const schema::Schema* schema_;
  std::vector<std::vector<uint8_t>> memo_;  // by type, then group: 1 when all its nodes fit
  std::vector<uint32_t> containers_;        // by node: 1 + id of a type that it fits
  uint32_t last_type_ = UINT32_MAX;
  uint8_t* last_row_ = nullptr;
};

using TsmTypeCheck = graph::TypeRules<TsmNodeModel>;

/*!
 * \brief Kinds of nodes: those of one kind fit a type together, unless the type asks for a number of elements. A group
 * is one, but for containers; of these, arrays (or lists) with elements of one such group are, and those without any.
 */
class TsmNodeKinds {
 public:
  /*! \brief Linear in the nodes and the elements of arrays and lists. */
  explicit TsmNodeKinds(const TsmTable& table);

  static constexpr uint32_t kNone = UINT32_MAX;
  /*! \brief Kind of a node, or kNone. */
  uint32_t Of(uint32_t node) const {
    const uint16_t group = table_.node_groups()[node];
    return is_container_[group] == 0 ? group : OfContainer(group, node);
  }
  /*! \brief Whether the kind is a group. */
  bool IsGroup(uint32_t kind) const { return kind < is_container_.size(); }

  /*! \brief From here on another type is looked at, which no kind is known to fit. */
  void BeginType() { ++type_; }
  bool Fits(uint32_t kind) const { return fits_[kind] == type_; }
  void NoteFit(uint32_t kind) { fits_[kind] = type_; }

 private:
  uint32_t OfContainer(uint16_t group, uint32_t node) const {
    return containers_[group].empty() ? kNone : containers_[group][table_.RowOf(node)];
  }
  uint32_t OfItems(const TsmGroup& group, uint32_t row) const;

  const TsmTable& table_;
  uint32_t type_ = 0;
  std::vector<uint32_t> fits_;                     // by kind: the last type that it fits
  std::vector<uint8_t> is_container_;              // by group
  std::vector<std::vector<uint32_t>> containers_;  // by group, then row; only arrays and lists
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_TSM_TSM_TYPE_CHECK_H_
