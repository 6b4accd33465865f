/*
 * Loading and saving graphs: options and results that all formats share, and files.
 */
#ifndef TRANSOM_FORMATS_LOAD_H_
#define TRANSOM_FORMATS_LOAD_H_

#include <transom/export.h>
#include <transom/runtime/any.h>
#include <transom/schema/schema.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transom {

/*! \brief Which objects a loader makes. */
enum class LoadTypes : uint8_t {
  kNative,          // registered types natively, others as records
  kRecords,         // records always
  kRegisteredOnly,  // a type that is not registered is an error
};

/*! \brief Forms of a graph in a file: JSON graph (.json), binary (.tsm), that in base64 (.b64). */
enum class FileFormat : uint8_t { kUnknown, kJson, kTsm, kBase64 };

struct LoadOptions {
  LoadTypes types = LoadTypes::kNative;
  /*! \brief Schema to read with; empty: the file's own, else the bundled one that the metadata names. */
  schema::SchemaRef schema;
  /*! \brief Drop fields that the type does not have (else an error); LoadResult::dropped_fields names them. */
  bool drop_unknown_fields = false;
  /*! \brief Where a registered type lacks a field that the file's type has, load records of it (else that is an error,
   * or with drop_unknown_fields the field is dropped). */
  bool records_for_lost_fields = false;
  /*! \brief Count the nodes that the root does not reach (costs time and memory). */
  bool count_unreachable = false;
  /*! \brief .tsm: check the bytes of tensors against their checksums (loads that copy them always do). */
  bool check_tensors = false;
  /*! \brief .tsm files: copy tensors into memory of their own. Else those of a regular file are views into the mapped
   * file: nothing is read until it is touched, writes stay in the process, tensors with equal bytes share memory, and
   * nobody may shorten the file while one lives. */
  bool copy_tensors = false;
  /*! \brief Name for messages: a path, or empty. */
  std::string source;
};

struct LoadResult {
  Any value;
  FileFormat format = FileFormat::kUnknown;
  /*! \brief The file's metadata as JSON text, exactly as it stood there; empty: none. */
  std::string metadata;
  /*! \brief The schema that was used; empty when no type needed one. */
  schema::SchemaRef schema;
  bool schema_in_file = false;
  /*! \brief .tsm: all schemas of the file; more than one when it has objects of one type in several versions. */
  std::vector<schema::SchemaRef> schemas;
  /*! \brief Keys of types that were loaded as records, sorted. */
  std::vector<std::string> record_types;
  /*! \brief With drop_unknown_fields: what was dropped, as "TYPE.FIELD", sorted. */
  std::vector<std::string> dropped_fields;
  uint64_t num_nodes = 0;
  uint64_t num_unreachable = 0;  // with count_unreachable: nodes that the root does not reach; dropped
};

enum class EmbedSchema : uint8_t {
  kAuto,  // when no bundled schema covers every type
  kAlways,
  kNever,
};

struct SaveOptions {
  /*! \brief Metadata as JSON text, written exactly as it is; empty: none. */
  std::string metadata;
  /*! \brief JSON (.tsm files always have the schema): when to write it. */
  EmbedSchema embed_schema = EmbedSchema::kAuto;
  /*! \brief JSON: spaces per level; 0 is compact. */
  int indent = 0;
  /*! \brief JSON: numbers that JSON does not have (NaN, infinities) are written as strings, so that any parser takes
   * the text. */
  bool strict_json = false;
};

/*! \brief Format of a file by its content. */
TRANSOM_API FileFormat DetectFormat(std::string_view content);

/*! \brief Format that a file name stands for by its suffix (.json, .tsm, .b64), or kUnknown. */
TRANSOM_API FileFormat FormatOfName(const std::string& path);

/*! \brief Name for people: "JSON graph". */
TRANSOM_API std::string_view NameOfFormat(FileFormat format);

/*!
 * \brief Reads a graph in any format, recognised by content or given. `options.source` names it in messages.
 * Errors as LoadJSON and LoadTSM; ValueError for content that is no known format (says what it looks like).
 */
TRANSOM_API LoadResult LoadFromBytes(std::string_view content, const LoadOptions& options = {},
                                     FileFormat format = FileFormat::kUnknown);

/*! \brief Bytes of a file, or of standard input for "-". OSError: cannot be read (path and reason), a directory
 * included. */
TRANSOM_API std::string ReadFile(const std::string& path);

/*! \brief Whether two regular files have the same bytes; false when one is something else. OSError: cannot be opened.
 */
TRANSOM_API bool SameBytes(const std::string& lhs_path, const std::string& rhs_path);

/*!
 * \brief Reads a graph from a file, or from standard input for "-". `options.source` empty: the path. Errors as
 * LoadFromBytes and ReadFile. A regular .tsm file is mapped: see LoadOptions::copy_tensors.
 */
TRANSOM_API LoadResult LoadFromFile(const std::string& path, LoadOptions options = {},
                                    FileFormat format = FileFormat::kUnknown);

/*!
 * \brief Writes a file: a regular file whole or not at all (temporary file, fsync, rename; a symbolic link stays one),
 * a device, a pipe or
 * "-" (standard output) directly. OSError: path and reason.
 */
TRANSOM_API void WriteFile(const std::string& path, std::string_view content);

/*! \brief A graph in a format, as the bytes of a file. Errors as SaveJSON and SaveTSM; ValueError: kUnknown. */
TRANSOM_API std::string SaveToBytes(AnyView value, FileFormat format, const SaveOptions& options = {});

/*!
 * \brief Saves a graph, as WriteFile does, in the given format or that of the path's suffix. Tensors are not copied for
 * it. Errors as SaveToBytes and WriteFile; ValueError: a suffix that names no format.
 */
TRANSOM_API void SaveToFile(AnyView value, const std::string& path, const SaveOptions& options = {},
                            FileFormat format = FileFormat::kUnknown);

}  // namespace transom
#endif  // TRANSOM_FORMATS_LOAD_H_
