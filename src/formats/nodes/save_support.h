/*
 * What all writers share: the types that a graph uses, and values that no file can hold.
 */
#ifndef TRANSOM_SRC_FORMATS_NODES_SAVE_SUPPORT_H_
#define TRANSOM_SRC_FORMATS_NODES_SAVE_SUPPORT_H_

#include <vector>

#include "graph/path.h"
#include "graph/type_plan.h"

namespace transom::formats {

/*! \brief Throws ValueError for a value that is nothing but an address or code. */
[[noreturn]] void RefuseToSave(const graph::Path& path, const TVMFFIAny& value);

/*! \brief Throws ValueError for a tensor in the memory of another device. */
[[noreturn]] void RefuseDeviceTensor(const graph::Path& path);

/*! \brief Whether objects of the type say what is in them. */
bool HasReadableFields(const graph::TypePlan& plan);

/*! \brief Whether a native field of this static type stands in the object's data itself, rather than being a node of
 * its own. */
bool IsInlineType(int32_t static_type_index);

/*! \brief Indices of the fields whose values are nodes of their own, by declared type. */
std::vector<uint16_t> ReferenceFields(const graph::TypePlan& plan);

/*! \brief Descriptions of plans, in their order; what the registry says of native types is kept by `keep`. */
std::vector<const schema::TypeDescriptor*> DescribeTypes(const std::vector<const graph::TypePlan*>& plans,
                                                         std::vector<schema::SchemaRef>* keep);

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_NODES_SAVE_SUPPORT_H_
