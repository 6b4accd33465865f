/*
 * .tsm: one binary file for a graph, its types and its tensors. docs/tsm.md defines it byte by byte.
 */
#ifndef TRANSOM_FORMATS_TSM_H_
#define TRANSOM_FORMATS_TSM_H_

#include <transom/containers/string.h>
#include <transom/export.h>
#include <transom/formats/deserialized.h>
#include <transom/formats/load.h>
#include <transom/runtime/any.h>

#include <string>
#include <string_view>

namespace transom {

/*!
 * \brief Reads a .tsm file from memory. Checks checksums, structure, references, declared types and tensors; what is
 * wrong is a ValueError with the source and the byte or node. VersionError: another version of the format; SchemaError:
 * a type that is not to be a record (LoadOptions) and that no library registers; such a file may be whole.
 *
 * \param bytes The whole file; not kept: tensors are copied.
 * \return The value and what came with it. Linear; memory at most 64 MiB or 256 times the size of `bytes`. No
 * recursion. Thread-safe.
 */
TRANSOM_API LoadResult LoadTSM(std::string_view bytes, const LoadOptions& options = {});

/*!
 * \brief The value as the bytes of a .tsm file: a function of value and `options.metadata`. Types are always described
 * in it. ValueError: a cycle, a value that no file can hold (function, module, pointer, tensor not on the CPU), a graph
 * section of more than 2 GiB (tensors do not count). TypeError: a type without fields that can be read. Messages have
 * the path. Linear. Thread-safe while nobody changes the value.
 */
TRANSOM_API std::string SaveTSM(AnyView value, const SaveOptions& options = {});

/*! \brief SaveTSM and LoadTSM with default options, in base64: standard alphabet, padded, one line; white space is
 * skipped when reading. ValueError: text that is no base64 (with the byte), and the errors of those. The result
 * converts to the type it is assigned to. */
TRANSOM_API String SerializeToBase64(AnyView value);
TRANSOM_API Deserialized DeserializeFromBase64(const String& text);

}  // namespace transom
#endif  // TRANSOM_FORMATS_TSM_H_
