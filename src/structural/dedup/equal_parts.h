/*
 * When one object may stand for another: what deduplication and interning share.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_DEDUP_EQUAL_PARTS_H_
#define TRANSOM_SRC_STRUCTURAL_DEDUP_EQUAL_PARTS_H_

#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "graph/fold.h"
#include "graph/type_plan.h"
#include "structural/rules/comparable.h"
#include "structural/rules/nan_keys.h"

namespace transom::structural {

/*! \brief Whether objects of the type are values that equal ones may stand for. */
inline bool IsMergeable(const graph::TypePlan& plan, const StructuralOptions& options) {
  const StructuralKind kind = EffectiveKind(plan, options);
  return (kind == StructuralKind::kTree || kind == StructuralKind::kConstTree) && !ComparesByHook(plan);
}

/*! \brief Whether the value is a tensor, shape or big integer: an object without children that another may stand for.
 */
inline bool IsLeafPart(const TVMFFIAny& value, graph::ValueClass cls) {
  using graph::ValueClass;
  return graph::IsObject(value) &&
         (cls == ValueClass::kTensor || cls == ValueClass::kShape || cls == ValueClass::kBigInt);
}

/*! \brief Whether objects of two types may stand for each other: one registered type, or records of one description. */
bool Interchangeable(const graph::TypePlan& plan, const graph::TypePlan* other);

/*! \brief Equality of values without children that stay themselves: by content; functions and the like by identity. */
bool SameValue(const TVMFFIAny& a, const TVMFFIAny& b);

/*! \brief A hash that agrees with SameValue, and for leaf parts with SameLeafPart. */
uint64_t ValueHash(const TVMFFIAny& value, graph::ValueClass cls, bool skip_tensor_content);

/*! \brief Whether one tensor, shape or big integer may stand for another value; tensors stay on their device. */
bool SameLeafPart(const TVMFFIAny& part, graph::ValueClass cls, const TVMFFIAny& other, bool skip_tensor_content);

/*! \brief Whether the leaf part can be compared; a tensor whose bits cannot be read equals itself only. */
bool IsReadable(const TVMFFIAny& part, graph::ValueClass cls, bool skip_tensor_content);

/*!
 * \brief Hash of a value by its type and its children. The order of a map's entries does not count.
 * \param fields Objects: the fields that count; else null.
 * \param children Results of a walk in which keys and values of maps alternate; objects: one per field of the type.
 * \param words Scratch.
 */
template <class Result, class ChildHash>
uint64_t PartHash(const graph::FoldFrame& frame, const std::vector<uint16_t>* fields, const Result* children,
                  std::vector<uint64_t>* words, ChildHash&& child_hash) {
  words->clear();
  if (frame.cls == graph::ValueClass::kMap) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < frame.count; i += 2) {
      const uint64_t entry[2] = {child_hash(children[i]), child_hash(children[i + 1])};
      sum += XXH3_64bits(entry, sizeof(entry));
    }
    words->push_back(sum);
  } else if (fields != nullptr) {
    for (const uint16_t i : *fields) words->push_back(child_hash(children[i]));
  } else {
    for (uint64_t i = 0; i < frame.count; ++i) words->push_back(child_hash(children[i]));
  }
  const uint64_t seed = frame.plan != nullptr ? frame.plan->seed : static_cast<uint64_t>(frame.value.type_index);
  return XXH3_64bits_withSeed(words->data(), words->size() * sizeof(uint64_t), seed);
}

/*! \brief A value that another is compared with; `plan` and `fields` of objects only. */
struct KnownPart {
  TVMFFIAny value;
  const graph::TypePlan* plan = nullptr;
  const std::vector<uint16_t>* fields = nullptr;  // those that count
};

/*!
 * \brief Whether a known part is what the frame's value becomes with these children: the same type, and
 * `same_child(child, value)` for what the part holds. `key_of(child)` is what a key of a map becomes. Errors of
 * getters.
 */
template <class Result, class SameChild, class KeyOf>
bool SamePart(const graph::FoldFrame& frame, const std::vector<uint16_t>* fields, const Result* children,
              const KnownPart& known, graph::Keeper& keeper, SameChild&& same_child, KeyOf&& key_of) {
  if (frame.value.type_index != known.value.type_index) return false;
  if (frame.cls == graph::ValueClass::kMap) {
    const MapBaseObj& map = graph::MapOf(known.value);
    if (2 * map.size() != frame.count) return false;
    bool has_nan = false;
    for (uint64_t i = 0; i < frame.count; i += 2) {
      const TVMFFIAny key = key_of(children[i]);
      // Several NaNs are too rare to be made one.
      if (IsNan(key) && std::exchange(has_nan, true)) return false;
      const Any* value = FindEntry(map, key);
      if (value == nullptr || !same_child(children[i + 1], *value->raw())) return false;
    }
    return true;
  }
  if (fields != nullptr) {
    if (known.fields == nullptr || !Interchangeable(*frame.plan, known.plan)) return false;
    if (fields != known.fields && *fields != *known.fields) return false;
    return std::all_of(fields->begin(), fields->end(), [&](uint16_t i) {
      return same_child(children[i], graph::ReadField(known.value.v_obj, known.plan->fields[i], keeper));
    });
  }
  const TVMFFISeqCell& cell = graph::SequenceOf(known.value);
  if (cell.size != static_cast<int64_t>(frame.count)) return false;
  for (int64_t i = 0; i < cell.size; ++i) {
    if (!same_child(children[i], graph::ItemsOf(cell)[i])) return false;
  }
  return true;
}

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_DEDUP_EQUAL_PARTS_H_
