/*
 * Objects of one group of a .tsm file, made row by row from its columns.
 */
#ifndef TRANSOM_SRC_FORMATS_TSM_TSM_OBJECT_MAKER_H_
#define TRANSOM_SRC_FORMATS_TSM_TSM_OBJECT_MAKER_H_

#include <transom/formats/load.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "formats/nodes/node_table.h"
#include "formats/tsm/object_arena.h"
#include "formats/tsm/tsm_table.h"
#include "formats/tsm/tsm_type_check.h"
#include "formats/tsm/tsm_values.h"
#include "graph/type_plan.h"

namespace transom::formats {

/*! \brief What the groups of one load share. */
struct TsmLoad {
  const TsmTable& table;
  const LoadOptions& options;
  std::set<std::string>& dropped_fields;
  TsmValues& values;
  ObjectArena& arena;
  graph::PlanTable& plans;

  /*! \brief Throws ValueError about the node that is being built. */
  [[noreturn]] void Fail(const std::string& what, Unreadable why = Unreadable::kDamaged) const;
};

/*! \brief Makes the objects of an Object group. */
class TsmObjectMaker {
 public:
  /*! \param registered What the registry says of the types, when none of the file becomes records: then registered
   * fields can be filled without asking. Else null. */
  TsmObjectMaker(const TsmLoad& load, const TsmGroup& group, NodeFactory& factory, const schema::Schema* registered);
  TsmObjectMaker(const TsmObjectMaker&) = delete;
  TsmObjectMaker& operator=(const TsmObjectMaker&) = delete;
  ~TsmObjectMaker();

  /*! \brief What the objects become, for the types of fields that hold them. */
  const schema::TypeDescriptor* target() const { return target_; }
  /*! \brief ValueError: a node that is not of the declared type of the field that holds it. References have been
   * checked. */
  void CheckTypes(TsmTypeCheck& check, TsmNodeKinds& kinds, uint32_t group) const;
  /*! \brief Whether the objects take the references that were counted for them; else they add their own. */
  bool takes_counted() const { return way_ != Way::kGeneral; }
  /*! \brief Adds the object of row `row`, which follows the last one, to the values. */
  void Make(uint32_t row) {
    switch (way_) {
      case Way::kRecord:
        return MakeRecord(row);
      case Way::kNative:
        return MakeNative(row);
      case Way::kGeneral:
        return MakeGeneral(row);
    }
  }
  /*! \brief Bytes in the arena, of all objects. */
  uint64_t ArenaBytes() const { return way_ == Way::kGeneral ? 0 : uint64_t{group_.count} * (size_ + sizeof(void*)); }
  /*! \brief Bytes elsewhere, of all objects, about. */
  uint64_t OtherBytes() const { return way_ == Way::kGeneral ? uint64_t{group_.count} * target_->instance_size : 0; }

 private:
  enum class Way : uint8_t {
    kRecord,   // a record in the arena
    kNative,   // an object that its type's layout places in the arena
    kGeneral,  // whatever the factory makes of values
  };
  enum class Told : uint8_t { kAll, kAllButNoneInside, kNothing };
  // A column of references and what it fills.
  struct Reference {
    const schema::FieldDescriptor* field;
    const uint32_t* refs;                // of the column
    uint32_t step;                       // of the column
    uint32_t at;                         // byte in the object; kGeneral: number of the field
    bool is_any = false;                 // the field holds 16 bytes
    bool none_is_fine = true;            // None may be stored without asking
    TVMFFIFieldSetter setter = nullptr;  // kNative: takes what is not stored directly
    Told told = Told::kAll;              // kNative: how much the declared type says of what the setter takes
    bool never_asks = false;             // kNative: nothing in the file makes it ask
  };
  // A column of references and the field whose declared type they must be of.
  struct Checked {
    const TsmColumn* column;
    const schema::FieldDescriptor* type;
  };
  // A field that the file does not have.
  struct Default {
    uint32_t field;
    Any value;
    bool registered;  // made for each object, as its registration says
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
  bool PrepareNative(const schema::Schema& registered);
  bool PrepareNativeField(const TVMFFIFieldInfo& info, const graph::FieldPlan& plan, size_t i);

  void MakeRecord(uint32_t row);
  void MakeNative(uint32_t row);
  void MakeGeneral(uint32_t row);
  void BakeConstants();
  TVMFFIObject* PlaceNative();
  void FillNative(TVMFFIObject* object, uint32_t row);
  bool HasOnlyFields() const;
  void MakeOriginal();
  static Told WhatDeclaredTypeTells(const schema::FieldDescriptor& field);
  bool MustAsk(const Reference& ref, uint32_t node) const;
  static void Store(const Reference& ref, TVMFFIObject* object, const TVMFFIAny& value);
  void AskSetter(Reference& ref, TVMFFIObject* object, uint32_t node);

  const TsmLoad& load_;
  const TsmGroup& group_;
  NodeFactory& factory_;
  const NodeType* type_;
  const schema::TypeDescriptor* target_;  // what is made: the file's type, or the given schema's
  Way way_ = Way::kGeneral;
  uint32_t size_ = 0;  // kRecord, kNative: bytes of an object
  const transom::detail::BlockLayout* layout_ = nullptr;
  std::vector<uint64_t> prototype_;    // kRecord: what every object starts as
  bool never_asks_ = false;            // kNative: of all references
  Any original_;                       // kNative: a default-constructed object that the others are copies of; or None
  std::vector<Reference> references_;  // kRecord: those to fields of 8 bytes first
  size_t num_pointers_ = 0;            // kRecord: how many these are
  std::vector<Word> words_;
  std::vector<Checked> checked_;
  std::vector<Default> defaults_;  // kGeneral: fields that the file does not have
  bool loses_references_ = false;  // the file has columns of references that no field takes
  std::vector<TVMFFIAny> fields_;  // kGeneral: of the current row
  uint32_t made_ = 0;
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_TSM_TSM_OBJECT_MAKER_H_
