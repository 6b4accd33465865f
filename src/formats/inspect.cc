#include <transom/formats/inspect.h>

#include <filesystem>

#include "formats/io/file_descriptor.h"
#include "formats/io/mapped_file.h"
#include "formats/tsm/tsm_file.h"
#include "formats/tsm/tsm_statistics.h"
#include "formats/tsm/tsm_table.h"

namespace transom {
namespace {

// The file when it is one whose parts can be read by themselves.
std::shared_ptr<const formats::MappedFile> OpenTsm(const std::string& path) {
  std::shared_ptr<const formats::MappedFile> file = formats::MappedFile::Open(path);
  return file != nullptr && formats::LooksLikeTsm(file->content()) ? file : nullptr;
}

}  // namespace

GraphStatistics InspectStatistics(const std::string& path, LoadOptions options) {
  if (options.source.empty()) options.source = formats::NameOfSource(path);
  if (const auto file = OpenTsm(path)) {
    const formats::TsmFile sections(file->content(), options.source);
    return formats::TsmStatistics(formats::TsmTable(sections), options);
  }
  return Statistics(LoadFromFile(path, options).value);
}

std::vector<schema::SchemaRef> InspectSchemas(const std::string& path, LoadOptions options) {
  if (options.source.empty()) options.source = formats::NameOfSource(path);
  if (const auto file = OpenTsm(path)) {
    return formats::ReadTsmSchemas(formats::TsmFile(file->content(), options.source));
  }
  // As records all types are known by their descriptors, whatever libraries are loaded.
  options.types = LoadTypes::kRecords;
  const LoadResult loaded = LoadFromFile(path, options);
  if (loaded.format != FileFormat::kJson) return loaded.schemas;
  if (loaded.record_types.empty()) return {};
  // What the file's schema lacks was described by the registry.
  std::vector<const schema::TypeDescriptor*> used;
  std::vector<std::string> others;
  for (const std::string& key : loaded.record_types) {
    const schema::TypeDescriptor* type = loaded.schema ? loaded.schema->Find(key) : nullptr;
    if (type != nullptr) {
      used.push_back(type);
    } else {
      others.push_back(key);
    }
  }
  const std::string name = used.empty() ? "registered types" : loaded.schema->name();
  schema::SchemaRef registered;
  if (!others.empty()) registered = schema::Schema::FromRegistry(name, others);
  for (const std::string& key : others) used.push_back(registered->Find(key));
  return {schema::Schema::Select(name, used)};
}

}  // namespace transom
