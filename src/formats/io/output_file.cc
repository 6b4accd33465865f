#include "formats/io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>

namespace transom::formats {
namespace {

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

mode_t DefaultMode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path == "-") {
    path_ = "standard output";
    file_ = FileDescriptor(STDOUT_FILENO, false);
    return;
  }
  const std::string target = FollowLinks(path);
  struct stat info {};
  const bool exists = stat(target.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) {
    file_ = FileDescriptor(open(target.c_str(), O_WRONLY | O_CLOEXEC), true);
    if (file_.get() < 0) ThrowSystem(path, "cannot be opened for writing");
    return;
  }
  target_ = target;
  mode_ = exists ? info.st_mode & 07777 : DefaultMode();
  // Beside it, under a name that is never too long.
  temporary_ = target.substr(0, target.rfind('/') + 1) + ".transom-XXXXXX";
  file_ = FileDescriptor(mkstemp(temporary_.data()), true);
  if (file_.get() < 0) {
    temporary_.clear();
    ThrowSystem(path, "cannot be written");
  }
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(file_.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) ThrowSystem(path_, "cannot be written");
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void OutputFile::Commit() {
  if (temporary_.empty()) {
    if (file_.Close() != 0) ThrowSystem(path_, "cannot be written");
    return;
  }
  if (fchmod(file_.get(), mode_) != 0 || fsync(file_.get()) != 0 || file_.Close() != 0)
    ThrowSystem(path_, "cannot be written");
  if (rename(temporary_.c_str(), target_.c_str()) != 0) ThrowSystem(path_, "cannot be replaced");
  temporary_.clear();
}

}  // namespace transom::formats
