/*
 * Base64 of RFC 4648: standard alphabet, padded.
 */
#ifndef TRANSOM_SRC_FORMATS_IO_BASE64_H_
#define TRANSOM_SRC_FORMATS_IO_BASE64_H_

#include <transom/export.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace transom::formats {

TRANSOM_API std::string EncodeBase64(std::string_view bytes);

/*!
 * \brief Appends the decoded bytes to `*out`. ASCII white space is skipped; zero bits must fill the last group.
 * \param wrong_at May be null; else gets the byte of `text` at which it goes wrong.
 * \return Null, or what is wrong with the text, for a message.
 */
TRANSOM_API const char* DecodeBase64(std::string_view text, std::string* out, size_t* wrong_at = nullptr);

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_IO_BASE64_H_
