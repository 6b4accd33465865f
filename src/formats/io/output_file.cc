#include "formats/io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>

namespace transom::formats {
namespace {

constexpr char kOpenFiles[] = "/proc/self/fd/";

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
  OpenBeside();
}

void OutputFile::OpenBeside() {
  const std::string folder = target_.substr(0, target_.rfind('/') + 1);
#ifdef O_TMPFILE
  // A name is given through /proc.
  if (access(kOpenFiles, X_OK) == 0) {
    file_ = FileDescriptor(open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600), true);
    if (file_.get() >= 0) return;
  }
#endif
  // A name that is never too long.
  temporary_ = folder + ".transom-XXXXXX";
  file_ = FileDescriptor(mkstemp(temporary_.data()), true);
  if (file_.get() < 0) {
    temporary_.clear();
    ThrowSystem(path_, "cannot be written");
  }
}

// Of a file without one. A link does not replace what is there, so it is one to be renamed.
void OutputFile::GiveName() {
  const std::string open_file = kOpenFiles + std::to_string(file_.get());
  constexpr int kAttempts = 1000;
  for (int i = 0; i < kAttempts; ++i) {
    std::string name = target_.substr(0, target_.rfind('/') + 1) + ".transom-" + std::to_string(getpid()) + "-" +
                       std::to_string(i);
    if (linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = std::move(name);
      return;
    }
    if (errno != EEXIST) break;
  }
  ThrowSystem(path_, "cannot be written");
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
  if (target_.empty()) {
    if (file_.Close() != 0) ThrowSystem(path_, "cannot be written");
    return;
  }
  if (fchmod(file_.get(), mode_) != 0 || fsync(file_.get()) != 0) ThrowSystem(path_, "cannot be written");
  if (temporary_.empty()) GiveName();
  if (file_.Close() != 0) ThrowSystem(path_, "cannot be written");
  if (rename(temporary_.c_str(), target_.c_str()) != 0) ThrowSystem(path_, "cannot be replaced");
  temporary_.clear();
}

}  // namespace transom::formats
