/*
 * From the columns of a .tsm file to a value.
 */
#ifndef TRANSOM_SRC_FORMATS_TSM_TSM_READER_H_
#define TRANSOM_SRC_FORMATS_TSM_TSM_READER_H_

#include <transom/formats/load.h>

#include <memory>
#include <string_view>

namespace transom::formats {

/*!
 * \brief Reads a file that lies in memory, aligned to 8 bytes. With `owner`, which keeps the memory, tensors are views
 * into it; without, they are copied. Errors as LoadTSM.
 */
LoadResult ReadTsm(std::string_view content, const LoadOptions& options, const std::shared_ptr<const void>& owner);

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_TSM_TSM_READER_H_
