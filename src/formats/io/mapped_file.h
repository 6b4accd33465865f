/*
 * A regular file in memory without reading it.
 */
#ifndef TRANSOM_SRC_FORMATS_IO_MAPPED_FILE_H_
#define TRANSOM_SRC_FORMATS_IO_MAPPED_FILE_H_

#include <memory>
#include <string>
#include <string_view>

namespace transom::formats {

/*! \brief Keeps the bytes of a file in memory. Writes to them stay in the process. The file must not become shorter
 * meanwhile. */
class MappedFile {
 public:
  /*! \brief Null when the path is no regular file, or an empty one. OSError: cannot be opened or mapped. */
  static std::shared_ptr<const MappedFile> Open(const std::string& path);
  MappedFile(void* data, size_t size) : data_(data), size_(size) {}
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();
  std::string_view content() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_;
  size_t size_;
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_IO_MAPPED_FILE_H_
