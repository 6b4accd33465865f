/*
 * Objects of one group of a .tsm file, made row by row from its columns.
 */
#ifndef TRANSOM_SRC_FORMATS_TSM_OBJECT_MAKER_H_
#define TRANSOM_SRC_FORMATS_TSM_OBJECT_MAKER_H_

#include <transom/formats/load.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/node_table.h"
#include "formats/object_arena.h"
#include "formats/tsm_table.h"
#include "graph/type_plan.h"

namespace transom::formats {

/*!
 * \brief Values of the nodes so far. Holds one reference to each object until it is given to the first place that asks, so most objects are never
 * counted up and down.
 */
class TsmValues {
 public:
  explicit TsmValues(uint32_t n) : values_(n), states_(n, kUnused) {}
  TsmValues(const TsmValues&) = delete;
  TsmValues& operator=(const TsmValues&) = delete;
  ~TsmValues();

  uint32_t built() const { return built_; }
  /*! \brief Adds the next node; takes the reference over. */
  void Add(const TVMFFIAny& value) { values_[built_++] = value; }
  /*! \brief The value of a node, borrowed; the node counts as used. */
  const TVMFFIAny& Borrow(uint32_t node) {
    if (states_[node] == kUnused) states_[node] = kBorrowed;
    return values_[node];
  }
  const TVMFFIAny& Look(uint32_t node) const { return values_[node]; }
  /*! \brief The value of a node with a reference of its own. */
  const TVMFFIAny& Take(uint32_t node) {
    const TVMFFIAny& value = values_[node];
    if (states_[node] != kTaken) {
      states_[node] = kTaken;
    } else if (graph::IsObject(value)) {
      // No other thread has seen it yet.
      ++value.v_obj->combined_ref_count;
    }
    return value;
  }
  /*! \brief First node below the last that nothing uses, or the number of nodes. */
  uint32_t FirstUnused() const;

 private:
  enum State : uint8_t { kUnused, kBorrowed, kTaken };
  std::vector<TVMFFIAny> values_;
  std::vector<State> states_;
  uint32_t built_ = 0;
};

/*! \brief What the groups of one load share. */
struct TsmLoad {
  const TsmTable& table;
  const LoadOptions& options;
  std::set<std::string>& dropped_fields;
  TsmValues& values;
  ObjectArena& arena;
  graph::PlanTable& plans;

  /*! \brief Throws ValueError about the node that is being built. */
  [[noreturn]] void Fail(const std::string& what) const;
  /*! \brief The reference, checked to lead to a node that is built. */
  uint32_t Check(uint32_t reference) const {
    if (reference >= values.built()) FailReference(reference);
    return reference;
  }

 private:
  [[noreturn]] void FailReference(uint32_t reference) const;
};

/*! \brief Makes the objects of an Object group. */
class TsmObjectMaker {
 public:
  /*! \param all_native No type of the file becomes records, so registered fields can be filled without asking. */
  TsmObjectMaker(const TsmLoad& load, const TsmGroup& group, NodeFactory& factory, bool all_native);
  TsmObjectMaker(const TsmObjectMaker&) = delete;
  TsmObjectMaker& operator=(const TsmObjectMaker&) = delete;
  ~TsmObjectMaker();

  /*! \brief Adds the object of row `row`, which follows the last one, to the values. */
  void Make(uint32_t row);
  /*! \brief Bytes in the arena, of all objects. */
  uint64_t ArenaBytes() const { return way_ == Way::kGeneral ? 0 : uint64_t{group_.count} * (size_ + sizeof(void*)); }

 private:
  enum class Way : uint8_t {
    kRecord,   // a record in the arena
    kNative,   // an object that its type's layout places in the arena
    kGeneral,  // whatever the factory makes of values
  };
  enum Fit : uint8_t { kUnknown, kFits, kLookInside };
  // A column of references and what it fills.
  struct Reference {
    const TsmColumn* column;
    const schema::FieldDescriptor* field;
    uint32_t at;                          // byte in the object; kGeneral: number of the field
    bool is_any = false;                  // the field holds 16 bytes
    bool none_is_fine = true;             // None may be stored without asking
    TVMFFIFieldSetter setter = nullptr;   // kNative: takes what is not stored directly
    bool always_ask = false;              // kNative: the declared type does not tell what the setter takes
    std::vector<uint8_t> fits;            // by group of the value: Fit
  };
  // A column of plain values and what it fills.
  struct Word {
    const TsmColumn* column;
    uint32_t at;
    graph::Storage storage;
  };

  void MapColumns();
  void MapColumn(size_t target_field);
  void CheckNoFieldLost();
  void PrepareRecord();
  bool PrepareNative();
  bool PrepareNativeField(const TVMFFIFieldInfo& info, const graph::FieldPlan& plan, size_t i);

  void MakePlaced(uint32_t row);
  void MakeGeneral(uint32_t row);
  void BakeConstants();
  void CheckType(Reference& ref, uint32_t node) {
    if (ref.fits[load_.table.GroupOf(node)] != kFits) CheckTypeSlowly(ref, node);
  }
  void CheckTypeSlowly(Reference& ref, uint32_t node);
  void Store(Reference& ref, TVMFFIObject* object, uint32_t node);
  void AskSetter(Reference& ref, TVMFFIObject* object, uint32_t node);

  const TsmLoad& load_;
  const TsmGroup& group_;
  NodeFactory& factory_;
  const NodeType* type_;
  const schema::TypeDescriptor* target_;  // what is made: the file's type, or the given schema's
  Way way_ = Way::kGeneral;
  uint32_t size_ = 0;  // kRecord, kNative: bytes of an object
  const transom::detail::BlockLayout* layout_ = nullptr;
  std::vector<uint64_t> prototype_;  // kRecord: what every object starts as
  std::vector<Reference> references_;
  std::vector<Word> words_;
  std::vector<std::pair<uint32_t, Any>> defaults_;  // kGeneral: fields that the file does not have
  std::vector<TVMFFIAny> fields_;                   // kGeneral: of the current row
  uint32_t made_ = 0;
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_TSM_OBJECT_MAKER_H_
