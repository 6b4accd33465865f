/*
 * Reports of a diff: text for people, JSON for programs.
 */
#ifndef TRANSOM_RENDER_DIFF_REPORT_H_
#define TRANSOM_RENDER_DIFF_REPORT_H_

#include <transom/export.h>
#include <transom/structural/diff.h>

#include <cstddef>
#include <string>

namespace transom {

struct DiffReportOptions {
  bool color = false;
  /*! \brief Names of the two sides for the heading; both empty: no heading. */
  std::string lhs_name;
  std::string rhs_name;
  /*! \brief About how many bytes of a value are shown. */
  size_t max_value = 100;
  /*! \brief Edits that are alike (GroupEdits) are shown once, by the first of them, with their number. */
  bool group = false;
  /*! \brief How many unchanged neighbours of what changed are shown on each side: elements, entries or fields of the
   * left value, in the part that a block is about. */
  uint64_t context = 0;
};

/*!
 * \brief The edits as text: one block per function or other part of the value (its path once, as AccessPath text that
 * can be pasted), in it `-` and `+` lines with the values, and at the end the counts. Variables of the right side carry
 * the names of the left ones that they were paired with. Empty for no edit. Linear
 * in the edits; the sizes of their values do not matter (tensors apart: their contents are hashed).
 */
TRANSOM_API std::string DiffText(const DiffResult& diff, const DiffReportOptions& options = {});

/*! \brief The places of the listed edits, one line each: the path, or ` -> ` between two paths that differ. Never
 * shortened. Empty for no difference. */
TRANSOM_API std::string DiffPaths(const DiffResult& diff);

/*! \brief Listed edits counted by the part of the value they lie in, one line each, then the counts by kind. Empty for
 * no edit. */
TRANSOM_API std::string DiffStat(const DiffResult& diff, const DiffReportOptions& options = {});

/*!
 * \brief One JSON object on one line; docs/diff-json.md defines it.
 * \param options Those of the comparison, for the digests of values. Time: as StructuralDigest of each listed value.
 * \param group Edits that are alike (GroupEdits) are listed once, with their number.
 */
TRANSOM_API std::string DiffJson(const DiffResult& diff, const StructuralOptions& options = {}, bool group = false);

}  // namespace transom
#endif  // TRANSOM_RENDER_DIFF_REPORT_H_
