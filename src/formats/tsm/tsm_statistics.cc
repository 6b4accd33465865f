#include "formats/tsm/tsm_statistics.h"

#include <tsm_generated.h>

#include <vector>

#include "formats/nodes/node_table.h"
#include "graph/statistics_counter.h"

namespace transom::formats {
namespace {

using graph::StatisticsCounter;
using Result = StatisticsCounter::Result;
using tsm::Form;

class Counter {
 public:
  Counter(const TsmTable& table, const LoadOptions& options)
      : table_(table), results_(table.num_nodes()), seen_(table.num_nodes()) {
    for (const TsmGroup& group : table.groups())
      instance_bytes_.push_back(group.type == nullptr ? 0 : InstanceBytes(*group.type, options));
  }

  GraphStatistics Run() {
    const uint32_t n = table_.num_nodes();
    for (uint32_t node = 0; node < n; ++node) results_[node] = Count(node);
    const uint32_t root = n - 1;
    return counter_.Finish(IsPlace(Group(root)) ? Child(root) : results_[root]);
  }

 private:
  // Of an object as it would be loaded.
  static uint64_t InstanceBytes(const schema::TypeDescriptor& type, const LoadOptions& options) {
    const int32_t index = graph::RegisteredIndex(type.key);
    if (index < 0 || options.types == LoadTypes::kRecords) return type.instance_size;
    return graph::RegisteredBytes(index, type.instance_size);
  }

  const TsmGroup& Group(uint32_t node) const { return table_.groups()[table_.GroupOf(node)]; }
  // Plain values and texts are counted where they stand.
  static bool IsPlace(const TsmGroup& group) { return group.form <= Form::Bytes; }

  Result Child(uint32_t node) {
    const TsmGroup& group = Group(node);
    if (!IsPlace(group)) return results_[node];
    uint64_t bytes = 0;
    if (group.form >= Form::String && !std::exchange(seen_[node], 1)) {
      const size_t size = table_.TextAt(group, table_.RowOf(node)).size();
      if (size > transom::detail::kMaxSmallLength) bytes = graph::TextBytes(size);
    }
    return counter_.Place(TsmTable::KeyOf(group), group.form == Form::None, bytes);
  }

  Result Count(uint32_t node) {
    const TsmGroup& group = Group(node);
    const std::string_view key = TsmTable::KeyOf(group);
    const uint32_t row = table_.RowOf(node);
    switch (group.form) {
      case Form::BigInt:
        return counter_.Object(key, graph::BigIntBytes(ListSize(group.columns[0], row) * sizeof(int64_t)));
      case Form::Shape:
        return counter_.Object(key, graph::ShapeBytes(ListSize(group.columns[0], row)));
      case Form::Tensor: {
        const uint64_t content = table_.TensorBytesAt(group, row).size();
        return counter_.Tensor(key, graph::TensorBytes(ListSize(group.columns[2], row), content), content);
      }
      case Form::Custom:
        return counter_.Object(key, instance_bytes_[table_.GroupOf(node)] + table_.TextAt(group, row).size());
      case Form::Object:
        return Object(group, row, instance_bytes_[table_.GroupOf(node)]);
      default:
        return group.is_container ? Container(group, row) : Result{};
    }
  }

  static uint64_t ListSize(const TsmColumn& column, uint32_t row) { return column.End(row) - column.Begin(row); }

  Result Container(const TsmGroup& group, uint32_t row) {
    children_.clear();
    const TsmColumn& column = group.columns[0];
    for (uint32_t i = column.Begin(row); i < column.End(row); ++i)
      children_.push_back(Child(column.Elements<uint32_t>()[i]));
    const uint64_t n = children_.size();
    return counter_.Parent(TsmTable::KeyOf(group), group.is_map ? graph::FreshMapBytes(n / 2) : graph::SequenceBytes(n),
                           children_.data(), n);
  }

  Result Object(const TsmGroup& group, uint32_t row, uint64_t bytes) {
    children_.clear();
    for (size_t i = 0; i < group.columns.size(); ++i) {
      const schema::FieldDescriptor& field = group.type->fields[i];
      if (TsmTable::HoldsReferences(group, i)) {
        children_.push_back(Child(group.columns[i].At<uint32_t>(row)));
      } else {
        children_.push_back(counter_.Place(field.type_text, field.type.kind == schema::TypeKind::kNone));
      }
    }
    return counter_.Parent(group.type->key, bytes, children_.data(), children_.size());
  }

  const TsmTable& table_;
  StatisticsCounter counter_;
  std::vector<Result> results_;           // by node
  std::vector<uint8_t> seen_;             // by node: a text that was met
  std::vector<uint64_t> instance_bytes_;  // by group
  std::vector<Result> children_;
};

}  // namespace

GraphStatistics TsmStatistics(const TsmTable& table, const LoadOptions& options) {
  table.CountReferences();  // for its checks
  return Counter(table, options).Run();
}

}  // namespace transom::formats
