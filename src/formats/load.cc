#include <transom/formats/load.h>

#include <transom/formats/json_graph.h>
#include <transom/runtime/error.h>

#include "formats/json_reader.h"
#include "graph/path.h"

namespace transom {
namespace {

bool StartsLikeJson(std::string_view content) {
  const size_t i = content.find_first_not_of(" \t\r\n");
  return i != std::string_view::npos && content[i] == '{';
}

// What content that is no known format looks like, for the message.
std::string LooksLike(std::string_view content) {
  if (content.empty()) return "the file is empty";
  if (content.find_first_not_of(" \t\r\n") == std::string_view::npos) return "the file holds white space only";
  if (content.substr(0, 3) == "\xEF\xBB\xBF") return "it starts with a byte order mark; save it as UTF-8 without one";
  const bool marked = content.substr(0, 2) == "\xFF\xFE" || content.substr(0, 2) == "\xFE\xFF";
  if (marked || (content.size() > 1 && content[0] == '\0' && content[1] != '\0')) return "it is UTF-16 text; save it as UTF-8";
  if (content.substr(0, 2) == "\x1F\x8B") return "it is compressed with gzip; decompress it first";
  if (content.substr(0, 4) == std::string_view("\x7F" "ELF", 4)) return "it is an ELF binary";
  if (content.substr(0, 4) == "PK\x03\x04") return "it is a zip archive";
  return "it starts with " + graph::Quoted(content.substr(0, 16));
}

}  // namespace

FileFormat DetectFormat(std::string_view content) { return StartsLikeJson(content) ? FileFormat::kJson : FileFormat::kUnknown; }

namespace {

LoadResult LoadText(const std::string& content, const LoadOptions& options) {
  if (DetectFormat(content) == FileFormat::kJson) return formats::LoadJsonText(content, options);
  TRANSOM_THROW(ValueError) << options.source << (options.source.empty() ? "" : ": ")
                            << "byte 0: no format that is known here; a JSON graph starts with \"{\", but " << LooksLike(content);
}

}  // namespace

LoadResult LoadFromBytes(std::string_view content, const LoadOptions& options) { return LoadText(std::string(content), options); }

LoadResult LoadFromFile(const std::string& path, LoadOptions options) {
  if (options.source.empty()) options.source = path == "-" ? "standard input" : path;
  return LoadText(ReadFile(path), options);
}

void SaveToFile(AnyView value, const std::string& path, const SaveOptions& options) {
  const std::string_view suffix = ".json";
  if (path != "-" && (path.size() < suffix.size() || path.compare(path.size() - suffix.size(), suffix.size(), suffix) != 0)) {
    TRANSOM_THROW(ValueError) << path << ": the format to save in is told by the suffix; .json is known";
  }
  WriteFile(path, SaveJSON(value, options));
}

}  // namespace transom
