/*
 * Reports of a diff: text for people, JSON for programs.
 */
#ifndef TRANSOM_RENDER_DIFF_REPORT_H_
#define TRANSOM_RENDER_DIFF_REPORT_H_

#include <transom/export.h>
#include <transom/structural/diff.h>

#include <cstdint>
#include <string>

namespace transom {

struct DiffReportOptions {
  bool color = false;
  /*! \brief Names of the two sides for the heading. */
  std::string lhs_name;
  std::string rhs_name;
  /*! \brief Levels of a value that are shown under an edit, and bytes of one string. */
  int64_t depth = 3;
  int64_t max_string = 80;
};

/*! \brief The edits as text, one block each: kind, path, old value, new value, places. Bound variables of the right side carry
 *  the left side's names where they were paired. Empty for no difference. */
TRANSOM_API std::string DiffText(const DiffResult& diff, const DiffReportOptions& options = {});

/*! \brief Counts by kind and by where they lie (the first steps of the paths), one line each. */
TRANSOM_API std::string DiffStat(const DiffResult& diff, const DiffReportOptions& options = {});

/*! \brief One JSON object; docs/diff-json.md defines it. */
TRANSOM_API std::string DiffJson(const DiffResult& diff);

}  // namespace transom
#endif  // TRANSOM_RENDER_DIFF_REPORT_H_
