/*
 * A small model of visits and rewritings of values, to check the library against: recursive and slow, written for being
 * read.
 */
#ifndef TRANSOM_SUPPORT_VISIT_MODEL_H_
#define TRANSOM_SUPPORT_VISIT_MODEL_H_

#include <transom/runtime/any.h>
#include <transom/structural/visit.h>

#include <string>
#include <vector>

namespace transom::testing {

/*! \brief A visit as lines, one per call of a hook: "pre TYPE PATH REGION", "post ...". */
std::vector<std::string> ModelVisit(const Any& root, const VisitOptions& options);

/*! \brief The line of one call. */
std::string VisitLine(const char* when, const Any& value, const WalkPlace& place);

/*! \brief The library's visit as lines. */
std::vector<std::string> LibraryVisit(const Any& root, const VisitOptions& options);

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_VISIT_MODEL_H_
