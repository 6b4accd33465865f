/*
 * Descriptions of types as tables of a .tsm file.
 */
#ifndef TRANSOM_SRC_FORMATS_TSM_TSM_SCHEMA_H_
#define TRANSOM_SRC_FORMATS_TSM_TSM_SCHEMA_H_

#include <transom/schema/schema.h>

#include <string>
#include <string_view>
#include <vector>

namespace transom::formats {

/*! \brief The FlatBuffer (root table Schema) that describes these types; a function of the name and of what they say.
 */
std::string WriteTsmSchema(const std::string& name, const std::vector<const schema::TypeDescriptor*>& types);

/*!
 * \brief The schema that such a FlatBuffer describes. `source` names the file in messages. The same bytes give the same
 * live schema. ValueError: damaged, or a rule of schemas is broken.
 */
schema::SchemaRef ReadTsmSchema(std::string_view bytes, const std::string& source);

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_TSM_TSM_SCHEMA_H_
