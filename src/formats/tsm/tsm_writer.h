/*
 * A value as a .tsm file (docs/tsm.md).
 */
#ifndef TRANSOM_SRC_FORMATS_TSM_TSM_WRITER_H_
#define TRANSOM_SRC_FORMATS_TSM_TSM_WRITER_H_

#include <transom/formats/load.h>
#include <transom/runtime/any.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace transom::formats {

/*! \brief A file that is ready to be written. The blobs are not copied: the value must live, unchanged, as long as
 * this. */
class TsmImage {
 public:
  /*! \brief Errors as SaveTSM. */
  TsmImage(AnyView value, const SaveOptions& options);
  ~TsmImage();

  /*! \brief Bytes of the file. */
  uint64_t size() const;
  /*! \brief Calls `write` with the pieces of the file in their order. */
  void WriteTo(const std::function<void(std::string_view)>& write) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_TSM_TSM_WRITER_H_
