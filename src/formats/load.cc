#include <transom/formats/json_graph.h>
#include <transom/formats/load.h>
#include <transom/formats/tsm.h>
#include <transom/runtime/error.h>

#include <algorithm>

#include "formats/io/base64.h"
#include "formats/io/file_descriptor.h"
#include "formats/io/mapped_file.h"
#include "formats/io/output_file.h"
#include "formats/json/json_reader.h"
#include "formats/tsm/tsm_file.h"
#include "formats/tsm/tsm_reader.h"
#include "formats/tsm/tsm_writer.h"
#include "graph/path.h"

namespace transom {
namespace {

struct FormatName {
  FileFormat format;
  std::string_view suffix;
  std::string_view name;
};

constexpr FormatName kFormats[] = {
    {FileFormat::kJson, ".json", "JSON graph"},
    {FileFormat::kTsm, ".tsm", ".tsm file"},
    {FileFormat::kBase64, ".b64", ".tsm file in base64"},
};

bool StartsLikeJson(std::string_view content) {
  const size_t i = content.find_first_not_of(" \t\r\n");
  return i != std::string_view::npos && content[i] == '{';
}

// Base64 of a .tsm file, told by its first groups.
bool StartsLikeBase64(std::string_view content) {
  constexpr size_t kGroup = 4, kNeeded = 4 * kGroup;
  std::string letters;
  for (size_t i = 0; i < content.size() && letters.size() < kNeeded; ++i) {
    if (std::string_view(" \t\r\n").find(content[i]) == std::string_view::npos) letters += content[i];
  }
  std::string bytes;
  return letters.size() == kNeeded && formats::DecodeBase64(letters, &bytes) == nullptr && formats::LooksLikeTsm(bytes);
}

// What content that is no known format looks like, for the message.
std::string LooksLike(std::string_view content) {
  if (content.empty()) return "the file is empty";
  if (content.find_first_not_of(" \t\r\n") == std::string_view::npos) return "the file holds white space only";
  if (content.substr(0, 3) == "\xEF\xBB\xBF") return "it starts with a byte order mark; save it as UTF-8 without one";
  const bool marked = content.substr(0, 2) == "\xFF\xFE" || content.substr(0, 2) == "\xFE\xFF";
  if (marked || (content.size() > 1 && content[0] == '\0' && content[1] != '\0'))
    return "it is UTF-16 text; save it as UTF-8";
  if (content.substr(0, 2) == "\x1F\x8B") return "it is compressed with gzip; decompress it first";
  if (content.substr(0, 4) == "\x28\xB5\x2F\xFD") return "it is compressed with zstd; decompress it first";
  if (content.substr(0, 4) == std::string_view("\x7F"
                                               "ELF",
                                               4))
    return "it is an ELF binary";
  if (content.substr(0, 4) == "PK\x03\x04") return "it is a zip archive";
  return "it starts with " + graph::Quoted(content.substr(0, 16));
}

LoadResult LoadBase64(std::string_view text, const LoadOptions& options) {
  std::string bytes;
  size_t wrong_at = 0;
  if (const char* problem = formats::DecodeBase64(text, &bytes, &wrong_at)) {
    formats::ThrowTsm(options.source,
                      "byte " + std::to_string(wrong_at) + ": expected base64 text, found " + problem);
  }
  return LoadTSM(bytes, options);
}

LoadResult LoadText(const std::string& content, const LoadOptions& options, FileFormat format) {
  if (format == FileFormat::kUnknown) format = DetectFormat(content);
  LoadResult result;
  switch (format) {
    case FileFormat::kJson:
      result = formats::LoadJsonText(content, options);
      break;
    case FileFormat::kTsm:
      result = LoadTSM(content, options);
      break;
    case FileFormat::kBase64:
      result = LoadBase64(content, options);
      break;
    case FileFormat::kUnknown:
      TRANSOM_THROW(ValueError) << options.source << (options.source.empty() ? "" : ": ")
                                << "byte 0: no format that is known here; a JSON graph starts with \"{\", a .tsm file "
                                   "has TSMG at byte 4, but "
                                << LooksLike(content);
  }
  result.format = format;
  return result;
}

// The format to write; the suffix tells it where the caller does not.
FileFormat FormatToWrite(const std::string& path, FileFormat format) {
  if (format == FileFormat::kUnknown) format = FormatOfName(path);
  if (format == FileFormat::kUnknown) {
    TRANSOM_THROW(ValueError) << path << ": the format to save in is told by the suffix: .json, .tsm or .b64";
  }
  return format;
}

}  // namespace

FileFormat DetectFormat(std::string_view content) {
  if (StartsLikeJson(content)) return FileFormat::kJson;
  if (formats::LooksLikeTsm(content)) return FileFormat::kTsm;
  return StartsLikeBase64(content) ? FileFormat::kBase64 : FileFormat::kUnknown;
}

FileFormat FormatOfName(const std::string& path) {
  for (const FormatName& format : kFormats) {
    const size_t n = format.suffix.size();
    if (path.size() > n && path.compare(path.size() - n, n, format.suffix) == 0) return format.format;
  }
  return FileFormat::kUnknown;
}

std::string_view NameOfFormat(FileFormat format) {
  for (const FormatName& known : kFormats) {
    if (known.format == format) return known.name;
  }
  return "unknown format";
}

LoadResult LoadFromBytes(std::string_view content, const LoadOptions& options, FileFormat format) {
  return LoadText(std::string(content), options, format);
}

LoadResult LoadFromFile(const std::string& path, LoadOptions options, FileFormat format) {
  if (options.source.empty()) options.source = formats::NameOfSource(path);
  if (format == FileFormat::kUnknown || format == FileFormat::kTsm) {
    const std::shared_ptr<const formats::MappedFile> file = formats::MappedFile::Open(path);
    if (file != nullptr && (format == FileFormat::kTsm || formats::LooksLikeTsm(file->content()))) {
      LoadResult result = formats::ReadTsm(file->content(), options, options.copy_tensors ? nullptr : file);
      result.format = FileFormat::kTsm;
      return result;
    }
  }
  return LoadText(ReadFile(path), options, format);
}

std::string SaveToBytes(AnyView value, FileFormat format, const SaveOptions& options) {
  switch (format) {
    case FileFormat::kJson:
      return SaveJSON(value, options);
    case FileFormat::kTsm:
      return SaveTSM(value, options);
    case FileFormat::kBase64:
      return formats::EncodeBase64(SaveTSM(value, options)) + "\n";
    case FileFormat::kUnknown:
      break;
  }
  TRANSOM_THROW(ValueError) << "expected the format to save in, got FileFormat::kUnknown";
}

void SaveToFile(AnyView value, const std::string& path, const SaveOptions& options, FileFormat format) {
  format = FormatToWrite(path, format);
  if (format != FileFormat::kTsm) return WriteFile(path, SaveToBytes(value, format, options));
  const formats::TsmImage image(value, options);
  formats::OutputFile file(path);
  image.WriteTo([&](std::string_view bytes) { file.Write(bytes); });
  file.Commit();
}

String SerializeToBase64(AnyView value) { return String(formats::EncodeBase64(SaveTSM(value))); }

Deserialized DeserializeFromBase64(const String& text) {
  return Deserialized(LoadBase64(std::string_view(text.data(), text.size()), {}).value);
}

}  // namespace transom
