#include "formats/io/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <transom/formats/load.h>

#include "formats/io/file_descriptor.h"

namespace transom::formats {

std::shared_ptr<const MappedFile> MappedFile::Open(const std::string& path) {
  if (path == "-") return nullptr;
  // Looked at first: opening a pipe would wait for a writer.
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) ThrowSystem(path, "cannot be opened");
  if (!S_ISREG(info.st_mode)) return nullptr;
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC), true);
  if (file.get() < 0 || fstat(file.get(), &info) != 0) ThrowSystem(path, "cannot be opened");
  if (!S_ISREG(info.st_mode) || info.st_size == 0) return nullptr;
  const auto size = static_cast<size_t>(info.st_size);
  // Copy on write, so that tensors may be written to; nothing is reserved for copies that will never be.
  void* data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.get(), 0);
  if (data == MAP_FAILED) ThrowSystem(path, "cannot be mapped into memory");
  return std::make_shared<const MappedFile>(data, size);
}

MappedFile::~MappedFile() { munmap(data_, size_); }

}  // namespace transom::formats

namespace transom {

bool SameBytes(const std::string& lhs_path, const std::string& rhs_path) {
  const auto lhs = formats::MappedFile::Open(lhs_path);
  const auto rhs = formats::MappedFile::Open(rhs_path);
  return lhs != nullptr && rhs != nullptr && lhs->content() == rhs->content();
}

}  // namespace transom
