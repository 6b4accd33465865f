#include <transom/formats/inspect.h>

#include <filesystem>
#include <memory>

#include "common.h"
#include "verbs.h"

namespace transom::tool {
namespace {

struct SchemaVerb {
  InputOptions input;
  std::string file;
  std::string output;

  CLI::App* Declare(CLI::App& app) {
    CLI::App* verb = app.add_subcommand("schema", "Print the schema of a file's types, or of a library's");
    verb->add_option("FILE", file, "Graph whose types are described; without it, those that --load registers")
        ->type_name("");
    verb->add_option("-o,--output", output, "Write to this file")->type_name("FILE");
    input.Declare(verb);
    return verb;
  }

  void Run() {
    if (file.empty() && input.libraries.empty()) throw UsageError("FILE or --load LIB is required");
    if (file.empty() && !input.schema.empty()) throw UsageError("--schema tells how to read a FILE; there is none");
    CheckOutput(output, {file});
    input.Prepare();
    std::string text;
    for (const schema::SchemaRef& schema : file.empty() ? std::vector{OfLibraries()} : InspectSchemas(file, input.ForFile(file))) {
      text += schema->ToJSON() + "\n";
    }
    WriteDocument(output, text);
  }

  schema::SchemaRef OfLibraries() const {
    const std::string stem = std::filesystem::path(input.libraries.back()).stem();
    return schema::Schema::FromRegistry(stem.substr(0, 3) == "lib" ? stem.substr(3) : stem, {});
  }
};

}  // namespace

void AddSchema(CLI::App& app, int*) {
  auto schema = std::make_shared<SchemaVerb>();
  schema->Declare(app)->callback([schema] { schema->Run(); });
}

}  // namespace transom::tool
