#include <fcntl.h>
#include <sys/stat.h>
#include <transom/formats/load.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "formats/io/file_descriptor.h"
#include "formats/io/output_file.h"

namespace transom {

using formats::FileDescriptor;
using formats::ThrowSystem;

std::string ReadFile(const std::string& path) {
  const bool standard_input = path == "-";
  FileDescriptor file(standard_input ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC), !standard_input);
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
    if (n < 0) ThrowSystem(formats::NameOfSource(path), "cannot be read");
    if (n == 0) break;
    size += static_cast<size_t>(n);
  }
  content.resize(size);
  return content;
}

void WriteFile(const std::string& path, std::string_view content) {
  formats::OutputFile file(path);
  file.Write(content);
  file.Commit();
}

}  // namespace transom
