#include <transom/formats/json_graph.h>
#include <transom/render/dump.h>

#include <memory>

#include "common.h"
#include "number_option.h"
#include "verbs.h"

namespace transom::tool {
namespace {

struct Dump {
  InputOptions input;
  ColorOption color;
  DumpOptions text;
  std::string file;
  std::string format = "text";
  std::string path;
  std::string output;
  CLI::App* verb = nullptr;

  void Declare(CLI::App& app) {
    verb = app.add_subcommand("dump", "Show a graph as text that reads like IR");
    verb->add_option("FILE", file, "Graph to show")->required()->type_name("");
    verb->add_option("--format", format, "text, or json: the node table")
        ->check(CLI::IsMember({"text", "json"}))
        ->type_name("FORMAT");
    verb->add_option("--path", path, "Show the value at this place only, such as <root>.functions[\"main\"]")
        ->type_name("PATH");
    AddWholeNumber(verb, "--depth", &text.depth,
                   "Levels of nesting in place; deeper objects are listed after (default 64)", 0, 1000);
    AddWholeNumber(verb, "--max-items", &text.max_items, "Items of one sequence or map (default: all)", 1);
    AddWholeNumber(verb, "--max-string", &text.max_string, "Bytes of one string (default: all)", 1);
    verb->add_flag("--all-fields", text.all_fields, "Show fields that are None or ignored in comparison too");
    verb->add_flag("--exact-sharing", text.exact_sharing, "List what is one object only, not equal parts");
    verb->add_option("-o,--output", output, "Write to this file")->type_name("FILE");
    color.Declare(verb);
    input.Declare(verb);
  }

  void Run() {
    if (format == "json") {
      for (const char* option : {"--depth", "--max-items", "--max-string", "--all-fields", "--exact-sharing"}) {
        if (verb->count(option) != 0) throw UsageError(std::string(option) + " is for --format text");
      }
    }
    CheckOutput(output, {file});
    input.Prepare();
    const LoadResult& loaded = Load(file, input);
    const Any value = ValueAt(loaded, path, file);
    text.color = color.Enabled(output);
    try {
      WriteDocument(output, format == "json" ? Json(loaded, value) : DumpText(value, text));
    } catch (const Error& error) {
      throw TroubleIn(NameOf(file), error);
    }
  }

  static std::string Json(const LoadResult& loaded, const Any& value) {
    SaveOptions save;
    save.metadata = loaded.metadata;
    save.indent = 1;
    return SaveJSON(value, save) + "\n";
  }
};

}  // namespace

void AddDump(CLI::App& app, int*) {
  auto dump = std::make_shared<Dump>();
  dump->Declare(app);
  dump->verb->callback([dump] { dump->Run(); });
}

}  // namespace transom::tool
