/*
 * A file descriptor that closes itself.
 */
#ifndef TRANSOM_SRC_FORMATS_IO_FILE_DESCRIPTOR_H_
#define TRANSOM_SRC_FORMATS_IO_FILE_DESCRIPTOR_H_

#include <transom/runtime/error.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace transom::formats {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  /*! \param owned Close it; standard input and output are not ours. */
  FileDescriptor(int fd, bool owned) : fd_(fd), owned_(owned) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)), owned_(other.owned_) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~FileDescriptor() { Close(); }
  int get() const { return fd_; }
  /*! \brief What close says. */
  int Close() {
    const int fd = std::exchange(fd_, -1);
    return owned_ && fd >= 0 ? close(fd) : 0;
  }

 private:
  int fd_ = -1;
  bool owned_ = false;
};

/*! \brief How messages call a file that is given by its path. */
inline std::string NameOfSource(const std::string& path) { return path == "-" ? "standard input" : path; }

/*! \brief Throws OSError "path: what: reason" for errno. */
[[noreturn]] inline void ThrowSystem(const std::string& path, const char* what) {
  const int error = errno;
  TRANSOM_THROW(OSError) << path << ": " << what << ": " << std::strerror(error);
}

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_IO_FILE_DESCRIPTOR_H_
