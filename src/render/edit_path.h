/*
 * Paths of edits as the walk's paths, and the part of a value that an edit counts to.
 */
#ifndef TRANSOM_SRC_RENDER_EDIT_PATH_H_
#define TRANSOM_SRC_RENDER_EDIT_PATH_H_

#include <transom/structural/diff.h>

#include <string>

#include "graph/path.h"

namespace transom::render {

/*! \brief Whether two steps of one side are the same. */
bool SameStep(const graph::Step& a, const graph::Step& b);

/*! \brief Number of leading steps that are the same. */
size_t CommonSteps(const graph::Path& a, const graph::Path& b);

/*!
 * \brief How many leading steps name the part that an edit counts to: to the first entry of a map (a function of a
 * module) or item of a sequence, at least one step short of the end.
 */
size_t PartSteps(const graph::Path& path);

/*! \brief Text of the steps [begin, end), without `<root>`; the middle of long ones is left out. */
std::string StepsText(const graph::Path& path, size_t begin, size_t end);

/*! \brief "3 differences: 2 update, 1 insert". */
std::string CountsText(const DiffResult& diff);

}  // namespace transom::render
#endif  // TRANSOM_SRC_RENDER_EDIT_PATH_H_
