#include <fcntl.h>
#include <sys/stat.h>
#include <transom/formats/load.h>
#include <transom/runtime/error.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <algorithm>
#include <cstring>
#include <utility>

namespace transom {
namespace {

// Closes on every way out.
class Descriptor {
 public:
  Descriptor(int fd, bool owned) : fd_(fd), owned_(owned) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int Close() {
    const int fd = std::exchange(fd_, -1);
    return owned_ && fd >= 0 ? close(fd) : 0;
  }

 private:
  int fd_;
  bool owned_;
};

[[noreturn]] void ThrowSystem(const std::string& path, const char* what) {
  const int error = errno;
  TRANSOM_THROW(OSError) << path << ": " << what << ": " << std::strerror(error);
}

void WriteAll(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t n = write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) ThrowSystem(path, "cannot be written");
    content.remove_prefix(static_cast<size_t>(n));
  }
}

// The file a link leads to, so that the link stays and its target is replaced.
std::string FollowLinks(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) return path;
  char* resolved = realpath(path.c_str(), nullptr);
  if (resolved == nullptr) ThrowSystem(path, "is a symbolic link that leads nowhere");
  std::string target(resolved);
  std::free(resolved);
  return target;
}

void ReplaceFile(const std::string& path, std::string_view content, mode_t mode) {
  std::string temporary = path + ".tmp-XXXXXX";
  Descriptor file(mkstemp(temporary.data()), true);
  if (file.get() < 0) ThrowSystem(path, "cannot be written");
  try {
    WriteAll(file.get(), content, path);
    if (fchmod(file.get(), mode) != 0 || fsync(file.get()) != 0 || file.Close() != 0) ThrowSystem(path, "cannot be written");
    if (rename(temporary.c_str(), path.c_str()) != 0) ThrowSystem(path, "cannot be replaced");
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
}

mode_t DefaultMode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

std::string ReadFile(const std::string& path) {
  const bool standard_input = path == "-";
  Descriptor file(standard_input ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC), !standard_input);
  if (file.get() < 0) ThrowSystem(path, "cannot be opened");
  struct stat info {};
  std::string content;
  if (fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode)) content.reserve(static_cast<size_t>(info.st_size) + 1);
  constexpr size_t kChunk = size_t{1} << 16;
  size_t size = 0;
  while (true) {
    content.resize(std::max(content.capacity(), size + kChunk));
    const ssize_t n = read(file.get(), content.data() + size, content.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) ThrowSystem(standard_input ? "standard input" : path, "cannot be read");
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  content.resize(size);
  return content;
}

void WriteFile(const std::string& path, std::string_view content) {
  if (path == "-") return WriteAll(STDOUT_FILENO, content, "standard output");
  const std::string target = FollowLinks(path);
  struct stat info {};
  const bool exists = stat(target.c_str(), &info) == 0;
  if (!exists || S_ISREG(info.st_mode)) return ReplaceFile(target, content, exists ? info.st_mode & 07777 : DefaultMode());
  Descriptor file(open(target.c_str(), O_WRONLY | O_CLOEXEC), true);
  if (file.get() < 0) ThrowSystem(path, "cannot be opened for writing");
  WriteAll(file.get(), content, path);
}

}  // namespace transom
