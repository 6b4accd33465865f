#include "formats/tsm/tsm_type_check.h"

namespace transom::formats {

TsmNodeKinds::TsmNodeKinds(const TsmTable& table)
    : table_(table), is_container_(table.groups().size()), containers_(table.groups().size()) {
  const auto num_groups = static_cast<uint32_t>(table.groups().size());
  // Groups, then arrays by the group of their elements or without any, then lists.
  fits_.resize(num_groups + 2 * (size_t{num_groups} + 1));
  for (uint32_t g = 0; g < num_groups; ++g) is_container_[g] = table.groups()[g].is_container;
  for (uint32_t g = 0; g < num_groups; ++g) {
    const TsmGroup& group = table.groups()[g];
    if (!group.is_container || group.is_map) continue;
    containers_[g].resize(group.count);
    for (uint32_t row = 0; row < group.count; ++row) containers_[g][row] = OfItems(group, row);
  }
}

uint32_t TsmNodeKinds::OfItems(const TsmGroup& group, uint32_t row) const {
  const TsmColumn& column = group.columns[0];
  const auto num_groups = static_cast<uint32_t>(is_container_.size());
  const uint32_t first = num_groups + (group.type_index == kTVMFFIList ? num_groups + 1 : 0);
  const uint32_t* items = column.Elements<uint32_t>() + column.Begin(row);
  const uint32_t* end = column.Elements<uint32_t>() + column.End(row);
  if (items == end) return first + num_groups;
  const uint16_t* groups = table_.node_groups();
  const uint16_t common = groups[*items];
  if (is_container_[common] != 0) return kNone;
  while (++items != end) {
    if (groups[*items] != common) return kNone;
  }
  return first + common;
}

}  // namespace transom::formats
