/*
 * Patches: files that turn one graph into another. docs/patch.md defines them byte by byte.
 */
#ifndef TRANSOM_FORMATS_PATCH_H_
#define TRANSOM_FORMATS_PATCH_H_

#include <transom/export.h>
#include <transom/formats/load.h>
#include <transom/runtime/any.h>
#include <transom/structural/options.h>

#include <string>
#include <string_view>

namespace transom {

/*!
 * \brief The patch from one value to another, as the text of a file: the differences, all of them, with what is new.
 * Parts that both have, also where they moved to, are not in it, but for fields that do not count: those of objects
 * that both have stay the old value's.
 *
 * \param options How the values are compared; as files, whatever `as_files` says.
 * \param save `metadata`: of the new value, which the result of the patch has; `embed_schema`, `indent`,
 *        `strict_json` as in JSON graphs.
 * \return The text: a function of values and options. Errors as StructuralDiff, and as SaveJSON for what is
 *         new. About linear. No recursion. Thread-safe while nobody changes the values.
 */
TRANSOM_API std::string SavePatch(AnyView old_value, AnyView new_value, const StructuralOptions& options = {},
                                  const SaveOptions& save = {});

/*!
 * \brief Applies a patch.
 *
 * The result is equal to the value that the patch was made for, which is proved by its digest; it shares with
 * `old_value`, which is not changed, what the patch does not touch.
 *
 * \param old_value The value that the patch was made of, or an equal one with the same sharing and order of map
 *        entries, as it is after loading any file that it was saved to.
 * \param patch The text of the patch; not kept.
 * \param options As for loading the value: which objects are made for what is new, and with which schema.
 * \param rules As StructuralOptions::rules.
 * \return `value`, and `metadata` of the new value; `schema`, `record_types` and the like of what is new.
 *         ValueError: a text that is no patch. VersionError: a newer version. What LoadJSON throws. PatchError: the
 * patch does not fit (another value, or a place, type or size that is not as the patch says, with path, what was
 *         expected and what was found). Linear in value and patch. No recursion. Thread-safe while nobody changes the
 *         value.
 */
TRANSOM_API LoadResult ApplyPatch(AnyView old_value, std::string_view patch, const LoadOptions& options = {},
                                  const schema::SchemaRef& rules = {});

}  // namespace transom
#endif  // TRANSOM_FORMATS_PATCH_H_
