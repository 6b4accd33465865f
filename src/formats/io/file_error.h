/*
 * Errors about files that cannot be read.
 */
#ifndef TRANSOM_SRC_FORMATS_IO_FILE_ERROR_H_
#define TRANSOM_SRC_FORMATS_IO_FILE_ERROR_H_

#include <transom/runtime/error.h>

#include <cstdint>
#include <string>

namespace transom::formats {

/*! \brief Why a file cannot be read. */
enum class Unreadable : uint8_t {
  kDamaged,   // ValueError: what it says is wrong
  kNoSchema,  // SchemaError: it may be whole, but nobody describes its types
  kPatch,     // PatchError: it is a patch, where a graph is expected
  kNewer,     // VersionError: it may be whole, but its version is none that is read here
};

[[noreturn]] inline void ThrowUnreadable(Unreadable why, const std::string& message) {
  switch (why) {
    case Unreadable::kDamaged:
      break;
    case Unreadable::kNoSchema:
      TRANSOM_THROW(SchemaError) << message;
    case Unreadable::kPatch:
      TRANSOM_THROW(PatchError) << message;
    case Unreadable::kNewer:
      TRANSOM_THROW(VersionError) << message;
  }
  TRANSOM_THROW(ValueError) << message;
}

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_IO_FILE_ERROR_H_
