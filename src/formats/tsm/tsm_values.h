/*
 * Values of the nodes of a .tsm file while they are made.
 */
#ifndef TRANSOM_SRC_FORMATS_TSM_TSM_VALUES_H_
#define TRANSOM_SRC_FORMATS_TSM_TSM_VALUES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "formats/tsm/tsm_table.h"
#include "graph/value.h"

namespace transom::formats {

/*! \brief The value of row `row` of a column of plain values; `type_index` tells of which kind, None needs no column. */
TVMFFIAny PlainValue(const TsmColumn* column, uint32_t row, int32_t type_index);

/*!
 * \brief Values in the order of the nodes. All references in a file are known before the first object is made, so an
 * object starts with as many as will lead to it, and who stores it has nothing to count.
 *
 * A group takes counted references (records, containers) or adds its own (what setters and factories fill); then the
 * table holds one for each node that it uses.
 */
class TsmValues {
 public:
  /*! \param counts References to each node (TsmTable::CountReferences). */
  TsmValues(const TsmTable& table, std::vector<uint32_t> counts);
  TsmValues(const TsmValues&) = delete;
  TsmValues& operator=(const TsmValues&) = delete;
  /*! \brief Ends everything that was made, unless Finish was called. */
  ~TsmValues();

  /*! \brief Says that the objects of a group add their own references. Before the first Add. */
  void AddTheirOwn(uint32_t group);

  /*! \brief Number of the node that is made next. */
  uint32_t built() const { return built_; }
  /*! \brief The value of a node: with a counted reference for those who take one, else borrowed. */
  const TVMFFIAny* all() const { return values_.get(); }
  const TVMFFIAny& operator[](uint32_t node) const { return values_[node]; }

  /*! \brief Adds a plain value. */
  void AddPlain(const TVMFFIAny& value) { values_[built_++] = value; }
  /*! \brief Adds an object that nobody else has seen, with one reference. */
  void AddNew(TVMFFIObject* object) {
    object->combined_ref_count = transom::detail::kWeakOne | counts_[built_];
    values_[built_++] = graph::ObjectValue(object);
  }
  /*! \brief Adds a value that may be known elsewhere; takes its reference over. */
  void Add(Any value);
  /*! \brief The node that is being made has taken its references, although it may still fail. */
  void NoteTaken() { taken_ = built_ + 1; }

  /*! \brief A container holds None: those who cannot store that ask. */
  void NoteNone() { holds_none_[built_] = 1; }
  bool HoldsNone(uint32_t node) const { return holds_none_[node] != 0; }
  /*! \brief Gives back one counted reference to a node that its user did not take. */
  void DropCounted(uint32_t node) {
    if (graph::IsObject(values_[node])) transom::detail::DecRef(values_[node].v_obj);
  }

  /*! \brief The last value. Everything must be made. */
  Any Finish();

 private:
  void DropOwn();
  void Unwind();

  const TsmTable& table_;
  std::vector<uint32_t> counts_;
  std::vector<uint8_t> adds_own_;    // by group
  std::vector<uint8_t> held_;        // by node: the table has a reference; empty: none
  std::vector<uint8_t> holds_none_;  // by node
  std::unique_ptr<TVMFFIAny[]> values_;
  uint32_t built_ = 0;
  uint32_t taken_ = 0;
  bool finished_ = false;
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_TSM_TSM_VALUES_H_
