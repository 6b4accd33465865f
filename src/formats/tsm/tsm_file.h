/*
 * Sections of a .tsm file (docs/tsm.md): graph, blobs, footer; and the checks that need no look at the nodes.
 */
#ifndef TRANSOM_SRC_FORMATS_TSM_TSM_FILE_H_
#define TRANSOM_SRC_FORMATS_TSM_TSM_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/io/file_error.h"

namespace transom::tsm {
struct Graph;
}

namespace transom::formats {

// Of the format, as in the footer.
constexpr uint16_t kTsmMajor = 0;
constexpr uint16_t kTsmMinor = 1;
// Sections, blobs and the footer begin at multiples of this.
constexpr uint64_t kTsmAlignment = 64;
// Longer texts lie in the blob section.
constexpr uint64_t kTsmMaxInlineText = 65536;
// Limit of FlatBuffers.
constexpr uint64_t kTsmMaxGraphBytes = (uint64_t{1} << 31) - 1;
constexpr uint64_t AlignTsm(uint64_t offset) { return (offset + kTsmAlignment - 1) & ~(kTsmAlignment - 1); }

/*! \brief Throws "source: what". */
[[noreturn]] void ThrowTsm(std::string_view source, const std::string& what, Unreadable why = Unreadable::kDamaged);

/*! \brief Throws ValueError for a graph section that would take that many bytes or more. */
[[noreturn]] void ThrowGraphTooLarge(uint64_t bytes);

/*! \brief The last 64 bytes of a file. */
struct TsmFooter {
  static constexpr size_t kSize = 64;
  uint64_t graph_size = 0;
  uint64_t blobs_size = 0;
  uint64_t checksum[2] = {0, 0};  // of the graph section

  uint64_t blobs_begin() const { return AlignTsm(graph_size); }
  uint64_t footer_begin() const { return AlignTsm(blobs_begin() + blobs_size); }
  /*! \brief The footer's bytes, for a graph section with these bytes. */
  static std::string Write(std::string_view graph, uint64_t blobs_size);
};

/*! \brief XXH3, 64 bits. */
uint64_t TsmBlobChecksum(std::string_view bytes);

/*! \brief Whether content starts or ends as a .tsm file does. */
bool LooksLikeTsm(std::string_view content);

/*! \brief A file whose footer, graph section and blob sizes are right. Views into the content. */
class TsmFile {
 public:
  /*! \param content The whole file, aligned to 8 bytes. ValueError: damaged, or of a newer major version. */
  TsmFile(std::string_view content, std::string_view source);

  const tsm::Graph& graph() const { return *graph_; }
  std::string_view source() const { return source_; }
  uint64_t size() const { return content_.size(); }
  uint64_t graph_size() const { return footer_.graph_size; }
  size_t num_blobs() const { return blobs_.size(); }
  std::string_view blob(size_t i) const { return blobs_[i]; }
  /*! \brief ValueError: the bytes of blob `i` are not those that were written. */
  void CheckBlob(size_t i) const;
  /*! \brief ValueError: objects of that many bytes are out of all proportion to the file. */
  void CheckMemory(uint64_t bytes) const;
  /*! \brief Checks the zero bytes between sections and blobs. */
  void CheckPadding() const;

 private:
  void ReadFooter();
  void ReadGraph();
  void ReadBlobs();
  void CheckZeros(uint64_t begin, uint64_t end) const;

  std::string_view content_;
  std::string_view source_;
  TsmFooter footer_;
  const tsm::Graph* graph_ = nullptr;
  std::vector<std::string_view> blobs_;
};

}  // namespace transom::formats
#endif  // TRANSOM_SRC_FORMATS_TSM_TSM_FILE_H_
