#include "formats/tsm/tsm_values.h"

#include <algorithm>
#include <utility>

namespace transom::formats {
namespace {

// Takes `n` references from an object at once.
void Drop(TVMFFIObject* object, uint32_t n) {
  if (n == 0) return;
  if (n > 1) __atomic_fetch_sub(&object->combined_ref_count, uint64_t{n - 1}, __ATOMIC_RELEASE);
  transom::detail::DecRef(object);
}

// Calls `fn(node)` for each reference from row `row` of a group.
template <class Fn>
void ForEachReference(const TsmGroup& group, uint32_t row, Fn fn) {
  for (size_t c = 0; c < group.columns.size(); ++c) {
    if (!TsmTable::HoldsReferences(group, c)) continue;
    const TsmColumn& column = group.columns[c];
    if (column.ends == nullptr) {
      fn(column.At<uint32_t>(row));
    } else {
      for (uint32_t i = column.Begin(row); i < column.End(row); ++i) fn(column.Elements<uint32_t>()[i]);
    }
  }
}

}  // namespace

TVMFFIAny PlainValue(const TsmColumn* column, uint32_t row, int32_t type_index) {
  TVMFFIAny value = graph::NoneValue();
  value.type_index = type_index;
  switch (type_index) {
    case kTVMFFIBool:
      value.v_int64 = column->At<uint8_t>(row);
      break;
    case kTVMFFIDataType:
      value.v_dtype = column->At<DLDataType>(row);
      break;
    case kTVMFFIDevice:
      value.v_device = column->At<DLDevice>(row);
      break;
    case kTVMFFIInt:
    case kTVMFFIFloat:
      value.v_uint64 = column->At<uint64_t>(row);
      break;
    default:
      break;
  }
  return value;
}

TsmValues::TsmValues(const TsmTable& table, std::vector<uint32_t> counts)
    : table_(table),
      counts_(std::move(counts)),
      adds_own_(table.groups().size()),
      holds_none_(table.num_nodes()),
      values_(new TVMFFIAny[table.num_nodes()]) {
  ++counts_.back();  // the caller's, of the root
}

TsmValues::~TsmValues() {
  if (!finished_) Unwind();
}

void TsmValues::AddTheirOwn(uint32_t group) {
  adds_own_[group] = 1;
  held_.resize(table_.num_nodes());
  const TsmGroup& g = table_.groups()[group];
  for (uint32_t row = 0; row < g.count; ++row) {
    ForEachReference(g, row, [&](uint32_t node) {
      --counts_[node];
      if (!std::exchange(held_[node], 1)) ++counts_[node];
    });
  }
}

void TsmValues::Add(Any value) {
  const TVMFFIAny raw = value.Release();
  if (graph::IsObject(raw))
    __atomic_fetch_add(&raw.v_obj->combined_ref_count, uint64_t{counts_[built_]} - 1, __ATOMIC_RELAXED);
  values_[built_++] = raw;
}

Any TsmValues::Finish() {
  finished_ = true;
  Any root = Any::FromOwned(values_[built_ - 1]);
  DropOwn();
  return root;
}

void TsmValues::DropOwn() {
  for (uint32_t i = 0; i < held_.size(); ++i) {
    if (held_[i] != 0 && graph::IsObject(values_[i])) Drop(values_[i].v_obj, 1);
  }
}

// What nodes that were made hold stays theirs; the other references that were counted have no holder.
void TsmValues::Unwind() {
  std::vector<uint32_t> holders(counts_.size());
  for (uint32_t i = 0; i < std::max(built_, taken_); ++i) {
    const uint32_t group = table_.GroupOf(i);
    if (adds_own_[group] == 0)
      ForEachReference(table_.groups()[group], table_.RowOf(i), [&](uint32_t node) { ++holders[node]; });
  }
  for (uint32_t i = 0; i < built_; ++i) {
    if (graph::IsObject(values_[i])) Drop(values_[i].v_obj, counts_[i] - holders[i]);
  }
}

}  // namespace transom::formats
