/*
 * Statistics of a graph as a table for people.
 */
#ifndef TRANSOM_RENDER_STATISTICS_TEXT_H_
#define TRANSOM_RENDER_STATISTICS_TEXT_H_

#include <transom/export.h>
#include <transom/graph/statistics.h>

#include <string>

namespace transom {

/*! \brief Totals, then one line per type: count, bytes, type key; largest first. Ends in a newline. */
TRANSOM_API std::string StatisticsText(const GraphStatistics& statistics);

}  // namespace transom
#endif  // TRANSOM_RENDER_STATISTICS_TEXT_H_
