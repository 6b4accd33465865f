#include <transom/formats/load.h>

#include <memory>

#include "common.h"
#include "number_option.h"
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
    verb->add_option("--from", from, "Format of IN (default: told by its content): json, tsm, b64")
        ->check(CLI::IsMember({"json", "tsm", "b64"}))
        ->type_name("FORMAT");
    verb->add_option("--to", to, "Format of OUT (default: told by its suffix): json, tsm, b64")
        ->check(CLI::IsMember({"json", "tsm", "b64"}))
        ->type_name("FORMAT");
    AddWholeNumber(verb, "--indent", &save.indent, "JSON: spaces per level (default 0: compact)", 0, 16);
    verb->add_flag("--records", records, "Do not create objects of loaded libraries; keep fields as they stand");
    verb->add_flag("--drop-unknown", input.drop_unknown_fields, "Drop fields that their type does not have");
    verb->add_flag("--embed-schema", embed_schema, "JSON: write the schema of the types into the file");
    verb->add_flag("--strict-json", save.strict_json, "JSON: write text that every parser takes");
    input.Declare(verb);
    return verb;
  }

  void Run() {
    const FileFormat format = OutputFormat();
    if (records) input.types = LoadTypes::kRecords;
    if (embed_schema) save.embed_schema = EmbedSchema::kAlways;
    input.records_for_lost_fields = false;  // --records, --drop-unknown
    input.Prepare();
    const LoadResult& loaded = Load(in, input, FormatNamed(from));
    save.metadata = loaded.metadata;
    try {
      SaveGraph(loaded.value, out, save, format);
    } catch (const Error& error) {
      throw TroubleIn(NameOf(in), error);
    }
  }

  FileFormat OutputFormat() const {
    const FileFormat format = to.empty() ? FormatOfName(out) : FormatNamed(to);
    if (format == FileFormat::kUnknown) {
      throw UsageError((out == "-" ? "standard output" : out) +
                       ": the suffix does not tell the format (.json, .tsm and .b64 do); name it with --to");
    }
    return format;
  }
};

}  // namespace

void AddConvert(CLI::App& app, int*) {
  auto convert = std::make_shared<Convert>();
  convert->Declare(app)->callback([convert] { convert->Run(); });
}

}  // namespace transom::tool
