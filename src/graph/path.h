/*
 * Paths: the way from a root to a place, as the walks build it, people read it and `--path` takes it.
 */
#ifndef TRANSOM_SRC_GRAPH_PATH_H_
#define TRANSOM_SRC_GRAPH_PATH_H_

#include <transom/reflection/access_path.h>
#include <transom/runtime/any.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/type_plan.h"

namespace transom::graph {

/*! \brief Kinds of steps; the numbers are those of AccessStep. */
enum class StepKind : uint8_t { kAttr = 0, kItem = 1, kKey = 2, kAttrMissing = 3, kItemMissing = 4, kKeyMissing = 5 };

struct Step {
  StepKind kind = StepKind::kAttr;
  std::string name;   // kAttr*
  int64_t index = 0;  // kItem*; kKey*: the key's place in iteration order, -1 where it is missing; kAttr*: the field's place, to order paths
  Any key;            // kKey*

  static Step Attr(std::string_view name, int64_t place = 0) { return {StepKind::kAttr, std::string(name), place, Any()}; }
  static Step Item(int64_t index) { return {StepKind::kItem, "", index, Any()}; }
  static Step Key(const TVMFFIAny& key, int64_t place) { return {StepKind::kKey, "", place, Any(AnyView::FromRaw(key))}; }
  /*! \brief The step to a place that is not there. */
  TRANSOM_API Step Missing() const;
};

using Path = std::vector<Step>;

/*!
 * \brief Text of a path: `<root>.params[0]["axis"]`, which ResolvePath and patterns take. A key that is an object prints as
 * TypeKey("label"), without a label as `#k`, its place. With `elide`, the middle of a path of over 32 steps is left out, and
 * that of a long key.
 */
TRANSOM_API std::string PathText(const Path& path, bool elide);

/*! \brief Text of one map key, as paths and dumps show it: that of AccessStep, but for the place of an object without a
 * label, which an AccessStep does not know. */
TRANSOM_API std::string KeyText(PlanTable& plans, const TVMFFIAny& key, int64_t place);

/*! \brief The same for messages: without the middle, if it is long. */
TRANSOM_API std::string ShortKeyText(PlanTable& plans, const TVMFFIAny& key, int64_t place);

/*! \brief What the text between brackets has to do with a key of a map. */
enum class KeyMatch : uint8_t {
  kNone,
  kLabel,  // ["x"]: the label of a key that is an object
  kText,   // what paths print for the key
};

/*! \brief How a key is meant by a text between brackets, which is as paths print it or as NormalKeyText returns it. */
KeyMatch MatchKey(PlanTable& plans, const TVMFFIAny& key, int64_t place, std::string_view text);

/*! \brief The same text, but that of a float as paths print it: `1e3` is `1000.0`. */
std::string NormalKeyText(std::string_view text);

/*! \brief A quoted string with escapes, valid UTF-8 kept. */
TRANSOM_API std::string Quoted(std::string_view text);

/*! \brief Where the bracket closes that was opened before `from`, over pairs of brackets and strings as Quoted prints them;
 * or npos. */
size_t FindClosing(std::string_view text, size_t from);

/*! \brief The public form. */
TRANSOM_API reflection::AccessPath ToAccessPath(const Path& path);

/*!
 * \brief The value at a path written as text (the `<root>` may be left out). The value is owned, so it outlives the root.
 * ValueError: text that is no path, a place that the value does not have (the message names the last place that exists
 * and what can follow it), or a text that several keys have.
 */
TRANSOM_API Any ResolvePath(const Any& root, std::string_view text);

}  // namespace transom::graph
#endif  // TRANSOM_SRC_GRAPH_PATH_H_
