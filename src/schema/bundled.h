#ifndef TRANSOM_SRC_SCHEMA_BUNDLED_H_
#define TRANSOM_SRC_SCHEMA_BUNDLED_H_

#include <string_view>
#include <vector>

namespace transom::schema {

// One schema/NAME.json of the source tree, embedded at build time.
struct BundledFile {
  std::string_view name;  // NAME, without folder and suffix
  std::string_view text;  // the whole file, byte by byte
};

// All embedded files, sorted by name. Views into the library's constant data: valid while it is loaded.
// Thread-safe. The definition is generated (cmake/EmbedSchemas.cmake).
const std::vector<BundledFile>& BundledFiles();

}  // namespace transom::schema

#endif  // TRANSOM_SRC_SCHEMA_BUNDLED_H_
