/*
 * The children of a value that text output shows, one after the other.
 */
#ifndef TRANSOM_SRC_RENDER_CHILDREN_H_
#define TRANSOM_SRC_RENDER_CHILDREN_H_

#include <cstdint>

#include "graph/path.h"
#include "graph/type_plan.h"
#include "graph/value.h"

namespace transom::render {

struct ShowOptions {
  bool all_fields = false;  // None-valued and ignored fields too
  int64_t max_items = 0;    // items of one sequence, entries of one map; 0: all
};

/*! \brief What a child is of its parent. A map entry is two children: key, then value. */
enum class Role : uint8_t { kItem, kKey, kMapValue, kField };

struct Child {
  Role role = Role::kItem;
  const graph::FieldPlan* field = nullptr;  // kField
  TVMFFIAny value;
};

/*!
 * \brief Walks over the shown children of one sequence, map or object. Left out: fields that are None or take no part
 * in comparison (unless all_fields), the label of a variable (its name says it), and what is beyond max_items.
 * Copyable.
 */
class Children {
 public:
  Children() = default;
  /*! \param plan Of an object; else null. `named`: a variable whose label is shown as its name. */
  Children(const TVMFFIAny& parent, graph::ValueClass cls, const graph::TypePlan* plan, bool named,
           const ShowOptions& options)
      : parent_(parent), plan_(plan), cls_(cls), named_(named), all_fields_(options.all_fields) {
    switch (cls) {
      case graph::ValueClass::kSequence:
        count_ = static_cast<uint64_t>(graph::SequenceOf(parent).size);
        break;
      case graph::ValueClass::kMap:
        count_ = graph::MapOf(parent).size();
        position_ = graph::MapOf(parent).First();
        break;
      case graph::ValueClass::kObject:
        count_ = plan->custom_data ? 0 : plan->fields.size();
        break;
      default:
        break;
    }
    limit_ = count_;
    if (options.max_items > 0 && cls != graph::ValueClass::kObject) {
      limit_ = std::min(count_, static_cast<uint64_t>(options.max_items));
    }
  }

  /*! \brief The next child into `*child`; false at the end. `keeper` owns what getters return. */
  bool Next(graph::Keeper& keeper, Child* child) {
    switch (cls_) {
      case graph::ValueClass::kSequence:
        return NextItem(child);
      case graph::ValueClass::kMap:
        return NextOfMap(child);
      case graph::ValueClass::kObject:
        return NextField(keeper, child);
      default:
        return false;
    }
  }

  /*! \brief Items or entries that max_items leaves out. */
  uint64_t hidden() const { return count_ - limit_; }

  /*! \brief The step to the child that was given last. Linear in its place in a map. */
  graph::Step LastStep() const {
    if (cls_ == graph::ValueClass::kObject) return graph::Step::Attr(plan_->fields[next_ - 1].name);
    if (cls_ == graph::ValueClass::kSequence) return graph::Step::Item(static_cast<int64_t>(next_ - 1));
    const MapBaseObj& map = graph::MapOf(parent_);
    const uint64_t place = at_value_ ? next_ : next_ - 1;
    uint64_t position = map.First();
    for (uint64_t i = 0; i < place; ++i) position = map.Next(position);
    return graph::Step::Key(*map.KeyAt(position).raw(), static_cast<int64_t>(place));
  }

 private:
  bool NextItem(Child* child) {
    if (next_ == limit_) return false;
    child->role = Role::kItem;
    child->value = graph::ItemsOf(graph::SequenceOf(parent_))[next_++];
    return true;
  }

  bool NextOfMap(Child* child) {
    if (next_ == limit_) return false;
    const MapBaseObj& map = graph::MapOf(parent_);
    if (!at_value_) {
      child->role = Role::kKey;
      child->value = *map.KeyAt(position_).raw();
      at_value_ = true;
      return true;
    }
    child->role = Role::kMapValue;
    child->value = *map.ValueAt(position_).raw();
    at_value_ = false;
    position_ = map.Next(position_);
    ++next_;
    return true;
  }

  bool NextField(graph::Keeper& keeper, Child* child) {
    while (next_ < count_) {
      const graph::FieldPlan& field = plan_->fields[next_];
      const bool is_label = named_ && static_cast<int64_t>(next_) == plan_->label_field;
      ++next_;
      if (is_label || (field.ignore && !all_fields_)) continue;
      child->value = graph::ReadField(parent_.v_obj, field, keeper);
      if (child->value.type_index == kTVMFFINone && !all_fields_) continue;
      child->role = Role::kField;
      child->field = &field;
      return true;
    }
    return false;
  }

  TVMFFIAny parent_;
  const graph::TypePlan* plan_ = nullptr;
  uint64_t next_ = 0;
  uint64_t count_ = 0;
  uint64_t limit_ = 0;
  uint64_t position_ = 0;  // kMap
  graph::ValueClass cls_ = graph::ValueClass::kScalar;
  bool at_value_ = false;  // kMap: the key was given
  bool named_ = false;
  bool all_fields_ = false;
};

}  // namespace transom::render
#endif  // TRANSOM_SRC_RENDER_CHILDREN_H_
