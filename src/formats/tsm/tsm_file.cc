#include "formats/tsm/tsm_file.h"

#include <transom/runtime/error.h>
#include <tsm_generated.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "formats/tsm/tsm_verify.h"

namespace transom::formats {
namespace {

constexpr std::string_view kMagic("\x89TSM\r\n\x1a\n", 8);
// Where things lie in the footer.
constexpr size_t kGraphSizeAt = 8, kBlobsSizeAt = 16, kFileSizeAt = 24, kGraphSumAt = 32, kVersionAt = 48,
                 kReservedAt = 52, kFooterSumAt = 56;
// Where a FlatBuffer has its identifier.
constexpr size_t kIdentifierAt = 4;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file's numbers are read as they lie in memory");

template <class T>
T Load(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

template <class T>
void Store(T value, size_t at, std::string* bytes) {
  std::memcpy(bytes->data() + at, &value, sizeof(T));
}

std::string Version(int major, int minor) { return std::to_string(major) + "." + std::to_string(minor); }

}  // namespace

void ThrowTsm(std::string_view source, const std::string& what, Unreadable why) {
  ThrowUnreadable(why, (source.empty() ? "" : std::string(source) + ": ") + what);
}

void ThrowGraphTooLarge(uint64_t bytes) {
  TRANSOM_THROW(ValueError) << "the graph section of the .tsm file would take at least " << bytes
                            << " bytes, where it can have " << kTsmMaxGraphBytes
                            << "; save the graph in parts (tensors and long texts do not count)";
}

std::string TsmFooter::Write(std::string_view graph, uint64_t blobs_size) {
  TsmFooter footer;
  footer.graph_size = graph.size();
  footer.blobs_size = blobs_size;
  std::string bytes(kSize, '\0');
  bytes.replace(0, kMagic.size(), kMagic);
  Store(footer.graph_size, kGraphSizeAt, &bytes);
  Store(footer.blobs_size, kBlobsSizeAt, &bytes);
  Store(footer.footer_begin() + kSize, kFileSizeAt, &bytes);
  const XXH128_hash_t sum = XXH3_128bits(graph.data(), graph.size());
  Store(sum.low64, kGraphSumAt, &bytes);
  Store(sum.high64, kGraphSumAt + sizeof(uint64_t), &bytes);
  Store(kTsmMajor, kVersionAt, &bytes);
  Store(kTsmMinor, kVersionAt + sizeof(kTsmMajor), &bytes);
  Store(XXH3_64bits(bytes.data(), kFooterSumAt), kFooterSumAt, &bytes);
  return bytes;
}

uint64_t TsmBlobChecksum(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

bool LooksLikeTsm(std::string_view content) {
  if (content.size() >= kIdentifierAt + 4 && content.substr(kIdentifierAt, 4) == tsm::GraphIdentifier()) return true;
  return content.size() >= TsmFooter::kSize &&
         content.substr(content.size() - TsmFooter::kSize, kMagic.size()) == kMagic;
}

TsmFile::TsmFile(std::string_view content, std::string_view source) : content_(content), source_(source) {
  ReadFooter();
  ReadGraph();
  ReadBlobs();
}

void TsmFile::ReadFooter() {
  const auto at = [&](uint64_t byte) { return "byte " + std::to_string(byte) + ": "; };
  if (content_.size() < TsmFooter::kSize) {
    ThrowTsm(source_, "the file has " + std::to_string(content_.size()) + " bytes, where a .tsm file has more than " +
                          std::to_string(TsmFooter::kSize) + "; it is truncated");
  }
  const uint64_t begin = content_.size() - TsmFooter::kSize;
  const std::string_view bytes = content_.substr(begin);
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    ThrowTsm(source_,
             at(begin) + "no footer of a .tsm file at the end; the file is truncated, or something was appended to it");
  }
  if (Load<uint64_t>(bytes, kFooterSumAt) != XXH3_64bits(bytes.data(), kFooterSumAt)) {
    ThrowTsm(source_, at(begin) + "the footer does not have the checksum that it states; the file is damaged");
  }
  const auto major = Load<uint16_t>(bytes, kVersionAt);
  const auto minor = Load<uint16_t>(bytes, kVersionAt + sizeof(major));
  if (major > kTsmMajor || (major == 0 && minor != kTsmMinor)) {
    ThrowTsm(source_,
             "the file has version " + Version(major, minor) + " of the .tsm format, and this program reads version " +
                 Version(kTsmMajor, kTsmMinor) +
                 "; read it with the Transom that wrote it, or convert it there to JSON",
             Unreadable::kNewer);
  }
  footer_.graph_size = Load<uint64_t>(bytes, kGraphSizeAt);
  footer_.blobs_size = Load<uint64_t>(bytes, kBlobsSizeAt);
  const auto file_size = Load<uint64_t>(bytes, kFileSizeAt);
  if (file_size != content_.size()) {
    ThrowTsm(source_, "the file has " + std::to_string(content_.size()) + " bytes, where its footer states " +
                          std::to_string(file_size) + "; a part is missing, or something was added");
  }
  if (footer_.graph_size > begin || footer_.blobs_size > begin || footer_.footer_begin() != begin ||
      Load<uint32_t>(bytes, kReservedAt) != 0) {
    ThrowTsm(source_, at(begin) + "the sizes in the footer contradict each other");
  }
  for (int half : {0, 1}) footer_.checksum[half] = Load<uint64_t>(bytes, kGraphSumAt + sizeof(uint64_t) * half);
}

void TsmFile::ReadGraph() {
  const std::string_view bytes = content_.substr(0, footer_.graph_size);
  const XXH128_hash_t sum = XXH3_128bits(bytes.data(), bytes.size());
  if (sum.low64 != footer_.checksum[0] || sum.high64 != footer_.checksum[1]) {
    ThrowTsm(source_, "byte 0: the graph section (" + std::to_string(bytes.size()) +
                          " bytes) does not have the checksum that the footer states; the file is damaged");
  }
  if (!VerifyTsm<tsm::Graph>(bytes, tsm::GraphIdentifier())) {
    ThrowTsm(source_, "byte 0: the graph section is no FlatBuffer of the form that docs/tsm.md defines");
  }
  graph_ = tsm::GetGraph(bytes.data());
}

void TsmFile::ReadBlobs() {
  const auto* blobs = graph_->blobs();
  if (blobs != nullptr && !MayHoldWords(blobs->Data(), blobs->size()))
    ThrowTsm(source_, "the sizes of the blobs are not aligned to 8 bytes");
  uint64_t end = 0;
  for (size_t i = 0; blobs != nullptr && i < blobs->size(); ++i) {
    const uint64_t begin = AlignTsm(end);
    const uint64_t size = blobs->Get(static_cast<uint32_t>(i))->size();
    if (size == 0 || begin > footer_.blobs_size || size > footer_.blobs_size - begin) {
      ThrowTsm(source_, "blob " + std::to_string(i) + " of " + std::to_string(size) +
                            " bytes does not lie in the blob section, which has " + std::to_string(footer_.blobs_size) +
                            " bytes");
    }
    blobs_.push_back(content_.substr(footer_.blobs_begin() + begin, size));
    end = begin + size;
  }
  if (end != footer_.blobs_size) {
    ThrowTsm(source_, "the blob section has " + std::to_string(footer_.blobs_size) + " bytes, where the blobs take " +
                          std::to_string(end));
  }
}

void TsmFile::CheckBlob(size_t i) const {
  if (TsmBlobChecksum(blobs_[i]) == graph_->blobs()->Get(static_cast<uint32_t>(i))->checksum()) return;
  const auto at = static_cast<uint64_t>(blobs_[i].data() - content_.data());
  ThrowTsm(source_, "byte " + std::to_string(at) + ": blob " + std::to_string(i) + " (" +
                        std::to_string(blobs_[i].size()) +
                        " bytes) does not have the checksum that the file states; the file is damaged");
}

void TsmFile::CheckMemory(uint64_t bytes) const {
  constexpr uint64_t kAlwaysAllowed = uint64_t{64} << 20, kPerByte = 256;
  if (bytes <= std::max(kAlwaysAllowed, kPerByte * size())) return;
  ThrowTsm(source_, "its objects would take " + std::to_string(bytes) + " bytes, more than " +
                        std::to_string(kPerByte) + " times the size of the file (" + std::to_string(size()) +
                        "); a sound file does not do that");
}

void TsmFile::CheckZeros(uint64_t begin, uint64_t end) const {
  for (uint64_t i = begin; i < end; ++i) {
    if (content_[i] != '\0') {
      ThrowTsm(source_, "byte " + std::to_string(i) + ": padding between sections must be zero; the file is damaged");
    }
  }
}

void TsmFile::CheckPadding() const {
  uint64_t end = footer_.graph_size;
  for (const std::string_view blob : blobs_) {
    const auto begin = static_cast<uint64_t>(blob.data() - content_.data());
    CheckZeros(end, begin);
    end = begin + blob.size();
  }
  CheckZeros(end, footer_.footer_begin());
}

}  // namespace transom::formats
