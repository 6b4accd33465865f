#include "number_option.h"

#include <charconv>
#include <cmath>

#include "common.h"

namespace transom::tool {
namespace {

template <class Number>
bool IsAll(const std::string& text, Number* number) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && at == end;
}

}  // namespace

int64_t ParseWholeNumber(const std::string& name, const std::string& text, int64_t min, int64_t max) {
  int64_t number = 0;
  if (IsAll(text, &number) && number >= min && number <= max) return number;
  throw UsageError(name + " " + text + ": expected a whole number from " + std::to_string(min) + " to " +
                   std::to_string(max));
}

double ParseTolerance(const std::string& name, const std::string& text) {
  double number = 0;
  if (IsAll(text, &number) && std::isfinite(number) && number >= 0) return number;
  throw UsageError(name + " " + text + ": expected a finite number from 0 on, such as 1e-5");
}

CLI::Option* AddTolerance(CLI::App* verb, const std::string& name, double* value, const std::string& help) {
  const auto set = [=](const std::string& text) { *value = ParseTolerance(name, text); };
  return verb->add_option_function<std::string>(name, set, help);
}

}  // namespace transom::tool
