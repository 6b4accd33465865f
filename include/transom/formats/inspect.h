/*
 * What a file says of its graph, without loading the graph where the format allows it.
 */
#ifndef TRANSOM_FORMATS_INSPECT_H_
#define TRANSOM_FORMATS_INSPECT_H_

#include <transom/export.h>
#include <transom/formats/load.h>
#include <transom/graph/statistics.h>
#include <transom/schema/schema.h>

#include <string>
#include <vector>

namespace transom {

/*!
 * \brief Statistics of the graph in a file ("-": standard input), as of the loaded value. Of a regular .tsm file no
 * node is made and no byte of a tensor is read. Errors as LoadFromFile, and for JSON those of Statistics. Linear in the
 * number of nodes.
 */
TRANSOM_API GraphStatistics InspectStatistics(const std::string& path, LoadOptions options = {});

/*!
 * \brief Descriptions of the types in a file, with their ancestors and the types that their fields name; several when
 * it has objects of one type in several versions; none when it has no objects of described types. Of a regular .tsm
 * file only the schema tables are read. Errors as LoadFromFile.
 */
TRANSOM_API std::vector<schema::SchemaRef> InspectSchemas(const std::string& path, LoadOptions options = {});

}  // namespace transom
#endif  // TRANSOM_FORMATS_INSPECT_H_
