/*
 * A file that is written whole or not at all.
 */
#ifndef TRANSOM_SRC_FORMATS_IO_OUTPUT_FILE_H_
#define TRANSOM_SRC_FORMATS_IO_OUTPUT_FILE_H_

#include <string>
#include <string_view>

#include "formats/io/file_descriptor.h"

namespace transom::formats {

/*!
 * \brief Writes a regular file beside its place and moves it there at the end (temporary file, fsync, rename; a
 * symbolic link stays one); a device, a pipe and "-" (standard output) directly. Where the file system can, the temporary
 * file has no name until it is whole, so that nothing is left of a program that is killed. OSError: path and reason.
 */
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /*! \brief Without Commit what was there stays. */
  ~OutputFile();

  void Write(std::string_view bytes);
  /*! \brief Puts the file in its place; once, at the end. */
  void Commit();

 private:
  void OpenBeside();
  void GiveName();

  std::string path_;       // for messages
  std::string target_;     // the regular file that is replaced, links followed; empty: written directly
  std::string temporary_;  // where it is until then; empty: nowhere, it has no name
  unsigned mode_ = 0;
  FileDescriptor file_;
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_IO_OUTPUT_FILE_H_
