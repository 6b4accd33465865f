#include "structural/rules/diff_scope.h"

#include <transom/runtime/error.h>

#include <cmath>
#include <map>
#include <string>

namespace transom::structural {
namespace {

graph::LeftOut::Field ParseField(const std::string& text) {
  const size_t dot = text.rfind('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == text.size() || text.find_first_of("[]<> \"") != text.npos) {
    TRANSOM_THROW(ValueError) << "ignored field " << graph::Quoted(text)
                              << ": expected TYPE.FIELD, such as ir.Call.span, or *.span for the fields of that name "
                                 "of all types";
  }
  return {text.substr(0, dot), text.substr(dot + 1)};
}

void CheckType(const std::string& key) {
  if (key.empty() || key.find_first_of("[]<>* \"") != std::string::npos) {
    TRANSOM_THROW(ValueError) << "ignored type " << graph::Quoted(key)
                              << ": expected the key of a type, such as ir.Span";
  }
  const int32_t index = graph::RegisteredIndex(key);
  if (index < 0 || graph::Classify(index) == graph::ValueClass::kObject) return;  // negative: a type of records
  TRANSOM_THROW(ValueError) << "ignored type " << graph::Quoted(key)
                            << ": only types of objects with fields can be ignored; ignore the fields or places that "
                               "hold such values";
}

double CheckTolerance(double value, const char* name) {
  if (std::isfinite(value) && value >= 0) return value;
  TRANSOM_THROW(ValueError) << name << " " << value << ": a tolerance is a finite number from 0 on";
}

// Which of two fields would pair the elements is no question that an order of options should answer.
void CheckKeys(const std::vector<DiffKey>& keys) {
  std::map<std::string, std::string> fields;
  for (const DiffKey& key : keys) {
    TRANSOM_CHECK(!key.field.empty(), ValueError)
        << "path of a sequence with a key field " << graph::Quoted(key.path) << ": the name of the field is empty";
    const auto [known, is_new] = fields.emplace(key.path, key.field);
    TRANSOM_CHECK(is_new || known->second == key.field, ValueError)
        << "path of a sequence with a key field " << graph::Quoted(key.path) << ": it has two, "
        << graph::Quoted(known->second) << " and " << graph::Quoted(key.field)
        << "; elements pair by one field, so leave one of them out";
  }
}

}  // namespace

graph::LeftOut LeftOutBy(const DiffOptions& options) {
  graph::LeftOut left_out;
  for (const std::string& text : options.ignore_fields) left_out.fields.push_back(ParseField(text));
  for (const std::string& key : options.ignore_types) CheckType(key);
  left_out.types = options.ignore_types;
  return left_out;
}

DiffScope::DiffScope(const DiffOptions& options)
    : leaves_out_(!options.ignore_fields.empty() || !options.ignore_types.empty()),
      plans_(options.rules, LeftOutBy(options)),
      paths_(plans_),
      tolerance_{CheckTolerance(options.rtol, "rtol"), CheckTolerance(options.atol, "atol")} {
  const auto add = [&](PathUse use, const char* what, const std::string& pattern, const std::string& field = "") {
    paths_.Add(use, graph::ParsePathPattern(pattern, what), field);
    has_blind_spots_ |= use != PathUse::kOnly;
  };
  for (const std::string& pattern : options.ignore) add(PathUse::kIgnore, "ignored path", pattern);
  for (const std::string& pattern : options.only) add(PathUse::kOnly, "path to be compared only", pattern);
  for (const std::string& pattern : options.unordered)
    add(PathUse::kUnordered, "path of an unordered sequence", pattern);
  CheckKeys(options.keys);
  for (const DiffKey& key : options.keys)
    add(PathUse::kKey, "path of a sequence with a key field", key.path, key.field);
}

}  // namespace transom::structural
