/*
 * One line for a value, with variables called as the reader knows them.
 */
#ifndef TRANSOM_SRC_RENDER_SUMMARY_H_
#define TRANSOM_SRC_RENDER_SUMMARY_H_

#include <transom/runtime/any.h>

#include <string>
#include <unordered_map>

namespace transom::render {

/*! \brief Names for some variables in place of their own. */
using VariableNames = std::unordered_map<const TVMFFIObject*, std::string>;

/*! \brief As the public Summary. */
std::string SummaryWithNames(AnyView value, size_t max_length, const VariableNames& names);

}  // namespace transom::render
#endif  // TRANSOM_SRC_RENDER_SUMMARY_H_
