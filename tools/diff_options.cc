#include "diff_options.h"

#include <transom/structural/unmatched.h>

#include "common.h"
#include "number_option.h"

namespace transom::tool {
namespace {

// The field stands after the last `=` outside of brackets, since keys of maps may hold one.
DiffKey ParseKey(const std::string& text) {
  const size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size() || text.find(']', at) != std::string::npos) {
    throw UsageError("--key " + text + ": expected PATH=FIELD, such as '<root>.functions=name'");
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

}  // namespace

void CompareOptions::Declare(CLI::App* verb) {
  const auto add = [verb](const char* name, std::vector<std::string>* values, const char* help, const char* type) {
    // One value each, so that what follows is an option or a file again.
    verb->add_option(name, *values, help)->type_name(type)->allow_extra_args(false);
  };
  add("--ignore", &ignore_, "Leave out places: '<root>.body[*].span', '**.span'; may be given again", "PATH");
  add("--ignore-field", &ignore_fields_, "Leave out a field of a type and its descendants; '*.FIELD' of all types",
      "TYPE.FIELD");
  add("--ignore-type", &ignore_types_, "Take all objects of a type and its descendants for equal", "TYPE");
  add("--only", &only_, "Compare only there and below", "PATH");
  AddTolerance(verb, "--rtol", &rtol_, "Floats are equal within ATOL + RTOL * the larger of the two (default 0)")
      ->type_name("RTOL");
  AddTolerance(verb, "--atol", &atol_, "See --rtol")->type_name("ATOL");
  add("--unordered", &unordered_, "Sequences whose order does not count", "PATH");
  add("--key", &keys_, "Sequences whose elements pair by a field, in any order", "PATH=FIELD");
}

void CompareOptions::Set(DiffOptions* options) const {
  options->ignore = ignore_;
  options->ignore_fields = ignore_fields_;
  options->ignore_types = ignore_types_;
  options->only = only_;
  options->unordered = unordered_;
  for (const std::string& key : keys_) options->keys.push_back(ParseKey(key));
  options->rtol = rtol_;
  options->atol = atol_;
}

void CheckCompareOptions(const DiffOptions& options) {
  try {
    EqualForDiff(nullptr, nullptr, options);
  } catch (const Error& error) {
    throw UsageError(OneLine(error));
  }
}

void NoteUnmatched(const Any& lhs, const Any& rhs, const DiffOptions& options) {
  const DiffOptions unmatched = UnmatchedOptions(lhs, rhs, options);
  const auto note = [](const char* option, const std::string& text, const char* what) {
    Complain(std::string("note: ") + option + " " + text + ": " + what);
  };
  const char* no_place = "matches no place that counts in either graph";
  for (const std::string& path : unmatched.ignore) note("--ignore", path, no_place);
  for (const std::string& path : unmatched.only) note("--only", path, no_place);
  for (const std::string& path : unmatched.unordered) note("--unordered", path, no_place);
  for (const DiffKey& key : unmatched.keys) note("--key", key.path + "=" + key.field, no_place);
  for (const std::string& field : unmatched.ignore_fields)
    note("--ignore-field", field, "no object in either graph has this field");
  for (const std::string& type : unmatched.ignore_types)
    note("--ignore-type", type, "no object in either graph is of this type");
}

const char* CompareOptions::First(const CLI::App* verb) const {
  for (const char* option :
       {"--ignore", "--ignore-field", "--ignore-type", "--only", "--rtol", "--atol", "--unordered", "--key"}) {
    if (verb->count(option) != 0) return option;
  }
  return nullptr;
}

}  // namespace transom::tool
