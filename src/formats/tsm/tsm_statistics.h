/*
 * Statistics of a .tsm file from its columns.
 */
#ifndef TRANSOM_SRC_FORMATS_TSM_TSM_STATISTICS_H_
#define TRANSOM_SRC_FORMATS_TSM_TSM_STATISTICS_H_

#include <transom/formats/load.h>
#include <transom/graph/statistics.h>

#include "formats/tsm/tsm_table.h"

namespace transom::formats {

/*! \brief What Statistics would say of the loaded value. Reads no bytes of tensors. ValueError: damaged references. */
GraphStatistics TsmStatistics(const TsmTable& table, const LoadOptions& options);

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_TSM_TSM_STATISTICS_H_
