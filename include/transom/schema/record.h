/*
 * Record: an object of a type that this process does not have, laid out by its descriptor.
 */
#ifndef TRANSOM_SCHEMA_RECORD_H_
#define TRANSOM_SCHEMA_RECORD_H_

#include <transom/export.h>
#include <transom/runtime/any.h>
#include <transom/runtime/object.h>
#include <transom/schema/schema.h>

#include <string_view>

namespace transom {

/*!
 * \brief An object that knows its type key and fields through a descriptor and behaves in hash, comparison, printing
 * and saving exactly as the native object would. Fields lie after this header as the descriptor's offsets say: about 8
 * bytes each. A record of a type with custom data has no fields, but the data as JSON text (`data()`).
 *
 * Reading from many threads is safe; a record is not changed once it is built.
 */
class RecordObj : public Object {
 public:
  const schema::TypeDescriptor* descriptor = nullptr;  // its schema is kept alive by this record

  /*!
   * \brief Makes a record whose fields are zero: None, 0, false.
   * \param adopt_schema_ref The caller has added the record's reference to the schema already (Schema::AddRefs).
   */
  TRANSOM_API static ObjectPtr<RecordObj> Create(const schema::TypeDescriptor& descriptor,
                                                 bool adopt_schema_ref = false);

  /*! \brief Value of field `index`, borrowed from the record. O(1). */
  TRANSOM_API AnyView Get(uint32_t index) const;
  /*! \brief Value of the field of that name. AttributeError: no such field (names the type and its fields). */
  TRANSOM_API AnyView Get(std::string_view name) const;
  /*!
   * \brief Sets field `index`, taking the value. Only while the record is being built.
   * TypeError: the storage of the field cannot hold it (declared types are checked by the readers, not here).
   */
  TRANSOM_API void Init(uint32_t index, Any value);

  /*! \brief Custom data as canonical JSON text; empty for records with fields. Kept in the record. */
  TRANSOM_API std::string_view data() const;
  /*! \brief Sets the custom data; once, while the record is being built. */
  TRANSOM_API void InitData(Any json_text);

  /*! \brief Address of field `index`. */
  void* FieldAddress(uint32_t index) { return reinterpret_cast<char*>(this) + descriptor->fields[index].offset; }
  const void* FieldAddress(uint32_t index) const {
    return reinterpret_cast<const char*>(this) + descriptor->fields[index].offset;
  }

  /*! \brief Type index of all records in this process ("transom.Record"). */
  TRANSOM_API static int32_t RuntimeTypeIndex();
  static constexpr const char* kTypeKey = "transom.Record";

  /*! \brief Offset of the first field, from the object header. */
  static constexpr uint32_t kFieldsOffset = 32;
};

/*! \brief The record in `value`, or null when it is something else. `record_type` is RecordObj::RuntimeTypeIndex(). */
inline const RecordObj* AsRecord(const TVMFFIAny& value, int32_t record_type) {
  return value.type_index == record_type ? reinterpret_cast<const RecordObj*>(value.v_obj) : nullptr;
}

}  // namespace transom
#endif  // TRANSOM_SCHEMA_RECORD_H_
