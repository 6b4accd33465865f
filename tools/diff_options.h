/*
 * The options that say what a diff leaves out, and what it takes otherwise.
 */
#ifndef TRANSOM_TOOLS_DIFF_OPTIONS_H_
#define TRANSOM_TOOLS_DIFF_OPTIONS_H_

#include <transom/structural/diff.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace transom::tool {

class CompareOptions {
 public:
  void Declare(CLI::App* verb);
  /*! \brief Into the library's options. UsageError: a text that is no option's value. */
  void Set(DiffOptions* options) const;
  /*! \brief The first of these options that was given, or null. */
  const char* First(const CLI::App* verb) const;

 private:
  std::vector<std::string> ignore_;
  std::vector<std::string> ignore_fields_;
  std::vector<std::string> ignore_types_;
  std::vector<std::string> only_;
  std::vector<std::string> unordered_;
  std::vector<std::string> keys_;  // PATH=FIELD
  double rtol_ = 0;
  double atol_ = 0;
};

/*! \brief Says on standard error which options match nothing in the two graphs: a mistyped one must not look like
 * success. */
void NoteUnmatched(const Any& lhs, const Any& rhs, const DiffOptions& options);

/*! \brief UsageError: options that no diff can be made with. */
void CheckCompareOptions(const DiffOptions& options);

}  // namespace transom::tool
#endif  // TRANSOM_TOOLS_DIFF_OPTIONS_H_
