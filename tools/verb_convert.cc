#include <transom/formats/json_graph.h>

#include <memory>

#include "common.h"
#include "verbs.h"

namespace transom::tool {
namespace {

struct Convert {
  InputOptions input;
  SaveOptions save;
  std::string in;
  std::string out;
  std::string from;
  std::string to;
  bool records = false;
  bool embed_schema = false;

  CLI::App* Declare(CLI::App& app) {
    CLI::App* verb = app.add_subcommand("convert", "Read a graph and write it again");
    verb->add_option("IN", in, "Graph to read")->required()->type_name("");
    verb->add_option("OUT", out, "File to write; its suffix tells the format")->required()->type_name("");
    verb->add_option("--from", from, "Format of IN (default: told by its content): json")
        ->check(CLI::IsMember({"json"}))
        ->type_name("FORMAT");
    verb->add_option("--to", to, "Format of OUT (default: told by its suffix): json")
        ->check(CLI::IsMember({"json"}))
        ->type_name("FORMAT");
    verb->add_option("--indent", save.indent, "Spaces per level (default 0: compact)")
        ->check(CLI::Range(0, 16))
        ->type_name("N");
    verb->add_flag("--records", records, "Do not create objects of loaded libraries; keep fields as they stand");
    verb->add_flag("--drop-unknown", input.drop_unknown_fields, "Drop fields that their type does not have");
    verb->add_flag("--embed-schema", embed_schema, "Write the schema of the types into the file");
    verb->add_flag("--strict-json", save.strict_json, "Write text that every JSON parser takes");
    input.Declare(verb);
    return verb;
  }

  void Run() {
    CheckOutputFormat();
    if (records) input.types = LoadTypes::kRecords;
    if (embed_schema) save.embed_schema = EmbedSchema::kAlways;
    input.Prepare();
    const LoadResult& loaded = LoadInput();
    save.metadata = loaded.metadata;
    std::string text;
    try {
      text = SaveJSON(loaded.value, save);
    } catch (const Error& error) {
      throw Trouble(NameOf(in) + ": " + OneLine(error));
    }
    WriteDocument(out, text);
  }

  void CheckOutputFormat() const {
    if (!to.empty()) return;
    const size_t dot = out.rfind('.');
    const std::string suffix =
        dot == std::string::npos || out.find('/', dot) != std::string::npos ? "" : out.substr(dot);
    if (suffix == ".json") return;
    throw UsageError(NameOf(out) + ": the suffix does not tell the format (.json does); name it with --to");
  }

  const LoadResult& LoadInput() const {
    if (from.empty()) return Load(in, input);
    return KeepForGood(LoadJSON(ReadFile(in), input.ForFile(in)));
  }
};

}  // namespace

void AddConvert(CLI::App& app, int*) {
  auto convert = std::make_shared<Convert>();
  convert->Declare(app)->callback([convert] { convert->Run(); });
}

}  // namespace transom::tool
