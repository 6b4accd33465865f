/*
 * The FlatBuffers verifier with limits that fit the size of what it verifies.
 */
#ifndef TRANSOM_SRC_FORMATS_TSM_TSM_VERIFY_H_
#define TRANSOM_SRC_FORMATS_TSM_TSM_VERIFY_H_

#include <flatbuffers/flatbuffers.h>

#include <cstdint>
#include <string_view>

namespace transom::formats {

/*!
 * \brief Whether the bytes (aligned to 8) are a FlatBuffer with root table T. Buffers nested in it are not looked at,
 * nor whether elements of vectors are aligned to more than 4 bytes. Linear.
 */
template <class T>
bool VerifyTsm(std::string_view bytes, const char* identifier) {
  // Of FlatBuffers: larger buffers cannot be.
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) return false;
  flatbuffers::Verifier::Options options;
  options.max_depth = 16;  // tables of the format nest 4 deep
  // A table takes 8 bytes at least; more tables are the same ones again and again.
  options.max_tables = static_cast<flatbuffers::uoffset_t>(bytes.size() / 8 + 1);
  options.check_nested_flatbuffers = false;
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), options);
  return verifier.VerifyBuffer<T>(identifier);
}

/*! \brief Whether elements of 8 bytes may be read where they lie. A vector without elements may lie anywhere. */
inline bool MayHoldWords(const void* elements, uint64_t size) {
  return size == 0 || reinterpret_cast<uintptr_t>(elements) % alignof(uint64_t) == 0;
}

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_TSM_TSM_VERIFY_H_
