/*
 * Which parts of two values belong together: fields by name, map entries by key, elements by position or by content.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_PAIRING_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_PAIRING_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "graph/pointer_map.h"
#include "graph/type_plan.h"
#include "structural/hash/digest_visitor.h"

namespace transom::structural {

/*! \brief Two parts that are compared with each other. Negative: that side has no such part, Absent(value) is where it would be. */
struct Pair {
  int64_t lhs = -1;
  int64_t rhs = -1;
};

/*! \brief Encodes the place of an absent part, and decodes it. */
constexpr int64_t Absent(int64_t place) { return -1 - place; }

/*! \brief Fields of two plans of one type key (two versions of the type, or record and native), by name; in the left side's order of comparison,
 *  then what only the right side counts. */
std::vector<Pair> PairFields(const graph::TypePlan& lhs, const std::vector<uint16_t>& lhs_counted,
                             const graph::TypePlan& rhs, const std::vector<uint16_t>& rhs_counted);

/*! \brief An entry of a map, with its place in iteration order. */
struct MapEntry {
  TVMFFIAny key;
  TVMFFIAny value;
};

/*! \brief Entries in iteration order. */
std::vector<MapEntry> EntriesOf(const MapBaseObj& map);

/*! \brief Variables and shared nodes that were paired: one to one, never taken back. */
class Bindings {
 public:
  /*! \brief The partner of an object of the left side, or null. */
  const TVMFFIObject* RightOf(const TVMFFIObject* lhs) const { return Partner(right_of_, lhs); }
  const TVMFFIObject* LeftOf(const TVMFFIObject* rhs) const { return Partner(left_of_, rhs); }
  /*! \brief Number of the pair that an object of that side is in; -1: none. */
  int64_t NumberOf(const TVMFFIObject* obj, bool is_lhs) const {
    const Bound* found = (is_lhs ? right_of_ : left_of_).Find(obj);
    return found != nullptr ? found->number : -1;
  }
  void Bind(const TVMFFIObject* lhs, const TVMFFIObject* rhs) {
    *right_of_.Insert(lhs).first = {rhs, size_};
    *left_of_.Insert(rhs).first = {lhs, size_};
    ++size_;
    pairs_.emplace_back(lhs, rhs);
  }
  /*! \brief All pairs in the order in which they were made. */
  const std::vector<std::pair<const TVMFFIObject*, const TVMFFIObject*>>& pairs() const { return pairs_; }

 private:
  struct Bound {
    const TVMFFIObject* partner = nullptr;
    int64_t number = 0;
  };
  using Map = graph::PointerMap<Bound>;
  static const TVMFFIObject* Partner(const Map& map, const TVMFFIObject* obj) {
    const Bound* found = map.Find(obj);
    return found != nullptr ? found->partner : nullptr;
  }
  Map right_of_;
  Map left_of_;
  std::vector<std::pair<const TVMFFIObject*, const TVMFFIObject*>> pairs_;
  int64_t size_ = 0;
};

/*!
 * \brief Pairs the entries of two maps: plain keys and strings by value; objects by what they are bound to, by identity, then by
 * content without context, in iteration order among equals. The result has the left entries in their order, then the right entries that
 * are left over in theirs. What pairs by content is still to be compared.
 */
class MapPairing {
 public:
  /*! \brief Whether two keys of equal digests are alike: equal but for the variables and shared nodes that they hold,
   * of which those that are bound are bound to each other. */
  using Alike = std::function<bool(const TVMFFIAny& lhs, const TVMFFIAny& rhs)>;

  /*! \param alike Empty: where several keys have one digest, none of them pairs.
   *  \param on_trial For a walk that counts its steps: all that costs more than the maps' sizes is `alike`. */
  MapPairing(graph::PlanTable& plans, const StructuralOptions& options, const Bindings& bindings,
             DigestVisitor& lhs_keys, DigestVisitor& rhs_keys, Alike alike = {}, bool on_trial = false)
      : plans_(plans),
        options_(options),
        bindings_(bindings),
        lhs_keys_(lhs_keys),
        rhs_keys_(rhs_keys),
        alike_(std::move(alike)),
        on_trial_(on_trial) {}

  std::vector<Pair> Run(const std::vector<MapEntry>& lhs, const std::vector<MapEntry>& rhs);
  /*! \brief The same pairs, ordered by the content of their keys: what is found on the way does not depend on the order of the maps. */
  std::vector<Pair> RunByContent(const std::vector<MapEntry>& lhs, const std::vector<MapEntry>& rhs);
  /*! \brief Whether bindings of what is inside of keys were asked for, to tell keys apart. */
  bool used_context() const { return used_context_; }

 private:
  void PairNans(const std::vector<MapEntry>& lhs, const std::vector<MapEntry>& rhs);
  bool MayPairByContent(const TVMFFIAny& key);
  void PairByContent(const std::vector<MapEntry>& lhs, const std::vector<MapEntry>& rhs);
  void PairAlike(const std::vector<MapEntry>& lhs, const std::vector<MapEntry>& rhs, const std::vector<size_t>& left,
                 const std::vector<size_t>& right);
  void Join(size_t i, size_t j) {
    right_of_[i] = static_cast<int64_t>(j);
    taken_[j] = 1;
  }

  graph::PlanTable& plans_;
  const StructuralOptions& options_;
  const Bindings& bindings_;
  DigestVisitor& lhs_keys_;
  DigestVisitor& rhs_keys_;
  const Alike alike_;
  const bool on_trial_;
  std::vector<int64_t> right_of_;  // by left entry
  std::vector<uint8_t> taken_;     // by right entry
  bool used_context_ = false;
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_PAIRING_H_
