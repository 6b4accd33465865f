/*
 * Patterns of paths: AccessPath text in which some steps may be any.
 */
#ifndef TRANSOM_SRC_GRAPH_PATH_PATTERN_H_
#define TRANSOM_SRC_GRAPH_PATH_PATTERN_H_

#include <transom/export.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/type_plan.h"

namespace transom::graph {

/*! \brief What a pattern says of one step, or (kAnyNumber) of several. */
struct PatternStep {
  enum class Kind : uint8_t {
    kField,      // .name
    kAnyField,   // .*
    kIndex,      // [3]: an item, or the entry of an integer key
    kText,       // ["name"]: an entry by its key, or by the label of a key that is an object
    kKey,        // [ir.GlobalVar("main")], [True]: an entry by its key, as paths print it
    kPlace,      // [#3]: an entry by its place
    kPart,       // [*]: any item or entry
    kAny,        // *: any step
    kAnyNumber,  // **: any number of steps, none too
    kMissing,    // [<missing:"name">]: a field or an entry
  };
  Kind kind = Kind::kAny;
  std::string text;   // kField, kText, kKey, kMissing
  int64_t index = 0;  // kIndex, kPlace
};

/*! \brief A pattern of whole paths, from the root on. */
struct PathPattern {
  std::string text;  // as it was written
  std::vector<PatternStep> steps;
};

/*!
 * \brief Reads a pattern: what `diff` prints as a path, where `.*` stands for any field, `[*]` for any item or entry,
 * `*` for any step and `**` for any number of steps. `<root>` may be left out; the place of a missing part is that of
 * the part; a middle that was left out in print is `**`.
 * \param what Names the pattern in messages: "ignored path".
 * \return The pattern. ValueError: what is wrong, and at which character.
 */
TRANSOM_API PathPattern ParsePathPattern(std::string_view text, std::string_view what);

/*! \brief Whether a step of a pattern is that to a field. */
bool MatchesField(const PatternStep& step, std::string_view name);
/*! \brief ... to an item of a sequence. */
bool MatchesItem(const PatternStep& step, int64_t index);
/*! \brief ... to an entry of a map. */
bool MatchesEntry(const PatternStep& step, PlanTable& plans, const TVMFFIAny& key, int64_t place);

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_PATH_PATTERN_H_
