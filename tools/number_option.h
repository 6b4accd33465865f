/*
 * Options whose value is a number: read exactly, or an error that says what was expected.
 */
#ifndef TRANSOM_TOOLS_NUMBER_OPTION_H_
#define TRANSOM_TOOLS_NUMBER_OPTION_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace transom::tool {

/*! \brief Declares an option for a whole number. UsageError, when it is given: another text, or a number out of range.
 */
template <class Int>
CLI::Option* AddWholeNumber(CLI::App* verb, const std::string& name, Int* value, const std::string& help, int64_t min,
                            int64_t max = std::numeric_limits<int64_t>::max());
/*! \brief Declares an option for a finite number from 0 on. UsageError, when it is given: another text. */
CLI::Option* AddTolerance(CLI::App* verb, const std::string& name, double* value, const std::string& help);

/*! \brief The number that a text is. `name` is for the message. */
int64_t ParseWholeNumber(const std::string& name, const std::string& text, int64_t min, int64_t max);
double ParseTolerance(const std::string& name, const std::string& text);

template <class Int>
CLI::Option* AddWholeNumber(CLI::App* verb, const std::string& name, Int* value, const std::string& help, int64_t min,
                            int64_t max) {
  const std::string long_name = name.substr(name.find("--"));
  const auto set = [=](const std::string& text) {
    *value = static_cast<Int>(ParseWholeNumber(long_name, text, min, max));
  };
  return verb->add_option_function<std::string>(name, set, help)->type_name("N");
}

}  // namespace transom::tool
#endif  // TRANSOM_TOOLS_NUMBER_OPTION_H_
