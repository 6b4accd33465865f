/*
 * JSON graph as text: SaveJSON, and the form that it has in a patch.
 */
#ifndef TRANSOM_SRC_FORMATS_JSON_JSON_WRITER_H_
#define TRANSOM_SRC_FORMATS_JSON_JSON_WRITER_H_

#include <transom/formats/load.h>

#include <string>

#include "structural/rules/places.h"

namespace transom::formats {

/*! \brief What makes a JSON graph a patch. */
struct PatchForm {
  std::string header;  // JSON text of the first member
  /*! \brief Objects of the old graph: they are written as references. */
  const structural::Places& old_places;
};

/*! \brief As SaveJSON; `patch` null: a plain graph. */
std::string WriteJson(AnyView value, const SaveOptions& options, const PatchForm* patch);

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_JSON_JSON_WRITER_H_
