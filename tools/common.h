/*
 * What all verbs share: options, loading, output with checked errors, exit statuses. No verb's own logic.
 */
#ifndef TRANSOM_TOOLS_COMMON_H_
#define TRANSOM_TOOLS_COMMON_H_

#include <transom/formats/load.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace transom::tool {

constexpr int kSuccess = 0;
constexpr int kDifferent = 1;  // verify: damaged; patch: does not fit
constexpr int kTrouble = 2;

/*! \brief Ends the run with exit status 2 and this one line on standard error. */
class Trouble : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/*! \brief A command line that makes no sense; the message is followed by a hint at the verb's help. */
class UsageError : public Trouble {
 public:
  using Trouble::Trouble;
};

/*! \brief One line of an exception: kind left out, control characters replaced. */
std::string OneLine(const std::exception& error);

/*! \brief Writes "transom: message" to standard error. */
void Complain(std::string_view message);

/*! \brief Standard output, buffered. After a closed pipe what is written is dropped. Trouble: any other error. */
class Output {
 public:
  static Output& Get();
  void Write(std::string_view text);
  /*! \brief Sends out what is buffered and closes standard output; once, at the end. */
  void Close();

 private:
  void Flush();
  void Send(std::string_view text);
  std::string buffer_;
  bool closed_ = false;
};

/*! \brief UsageError when writing to `output` would replace a file that is read. "" and "-" are standard streams. */
void CheckOutput(const std::string& output, const std::vector<std::string>& inputs);

/*! \brief UsageError when the suffix of a file that is written does not tell the format. "-" has that of the input. */
void CheckFormat(const std::string& output);

/*! \brief Writes a document to a file, or to standard output for "" and "-". */
void WriteDocument(const std::string& path, std::string_view text);

/*! \brief --load, --schema: how files are read. */
struct InputOptions {
  std::vector<std::string> libraries;
  std::string schema;
  LoadTypes types = LoadTypes::kNative;
  bool drop_unknown_fields = false;
  bool records_for_lost_fields = true;  // what a library does not know is kept
  bool note_dropped = false;            // say on standard error what was dropped
  bool count_unreachable = false;
  void Declare(CLI::App* verb);
  /*! \brief For verbs that compare: fields that a type does not have are left out, as the library of the type itself
   * would, and standard error says which. */
  void CompareWhatTypesHave() { drop_unknown_fields = note_dropped = true; }
  /*! \brief Loads the libraries (they stay) and the schema. Call before the first file is read. Trouble: what fails and
   * why. */
  void Prepare();
  LoadOptions ForFile(const std::string& path) const;
  const schema::SchemaRef& given_schema() const { return given_schema_; }

 private:
  schema::SchemaRef given_schema_;
};

/*!
 * \brief Reads a file. The result is never freed: taking a large graph apart object by object costs as much as reading
 * it, and the process is about to end.
 */
const LoadResult& Load(const std::string& path, const InputOptions& options, FileFormat format = FileFormat::kUnknown);

/*! \brief SaveToFile, but "-" is the buffered standard output, which may have been closed. */
void SaveGraph(const Any& value, const std::string& path, const SaveOptions& options, FileFormat format);

/*! \brief A format by the name that options use: json, tsm, b64. */
FileFormat FormatNamed(std::string_view name);

/*! \brief Name of a file in messages. */
std::string NameOf(const std::string& path);

/*! \brief A message about a file without the file's name at its start. */
std::string WithoutName(const std::string& message, const std::string& file);

/*! \brief The trouble that an error about files of these names is; errors of the system name their file themselves. */
Trouble TroubleIn(const std::string& names, const Error& error);

/*! \brief The value at a path as text, or the root for no path. Trouble: no such place in FILE. */
Any ValueAt(const LoadResult& file, const std::string& path_text, const std::string& file_path);

/*! \brief --color. */
struct ColorOption {
  std::string when = "auto";
  void Declare(CLI::App* verb);
  /*! \brief Whether a document that goes to `output` is coloured. */
  bool Enabled(const std::string& output) const;
};

/*! \brief Runs `work` for each file; trouble with one is reported and the others follow. Returns the worst exit status.
 * UsageError: standard input twice. */
int ForEachFile(const std::vector<std::string>& files, const std::function<int(const std::string&)>& work);

}  // namespace transom::tool
#endif  // TRANSOM_TOOLS_COMMON_H_
