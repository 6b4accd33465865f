/*
 * A folder that ends with the test.
 */
#ifndef TRANSOM_TESTS_SUPPORT_SCRATCH_FOLDER_H_
#define TRANSOM_TESTS_SUPPORT_SCRATCH_FOLDER_H_

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace transom::testing {

/*! \brief Made in the system's folder for temporary files, removed with all that is in it. */
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "transom-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make the folder " + name);
    path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  /*! \brief Path of a file in it. */
  std::string PathTo(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace transom::testing
#endif  // TRANSOM_TESTS_SUPPORT_SCRATCH_FOLDER_H_
