/*
 * Records in blocks of memory that many objects share.
 */
#ifndef TRANSOM_SRC_SCHEMA_RECORD_BLOCK_H_
#define TRANSOM_SRC_SCHEMA_RECORD_BLOCK_H_

#include <transom/export.h>
#include <transom/schema/record.h>

namespace transom::schema {

/*!
 * \brief Makes a record in `descriptor.instance_size` bytes of an ObjectBlock, with zero fields and one reference. The
 * caller has added the record's reference to the schema (Schema::AddRefs).
 */
TRANSOM_API RecordObj* PlaceRecord(void* memory, const TypeDescriptor& descriptor);

}  // namespace transom::schema
#endif  // TRANSOM_SRC_SCHEMA_RECORD_BLOCK_H_
