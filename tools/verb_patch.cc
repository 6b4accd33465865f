#include <transom/formats/load.h>
#include <transom/formats/patch.h>

#include <memory>

#include "common.h"
#include "verbs.h"

namespace transom::tool {
namespace {

struct Patch {
  InputOptions input;
  std::string old;
  std::string delta;
  std::string out;

  CLI::App* Declare(CLI::App& app) {
    CLI::App* verb = app.add_subcommand("patch", "Apply what transom diff --format patch wrote");
    verb->add_option("OLD", old, "Graph that the patch was made of")->required()->type_name("");
    verb->add_option("DELTA", delta, "The patch (docs/patch.md)")->required()->type_name("");
    verb->add_option("-o,--output", out, "File to write; its suffix tells the format, - has that of OLD")
        ->required()
        ->type_name("NEW");
    input.Declare(verb);
    return verb;
  }

  void CheckFiles() const {
    if (old == "-" && delta == "-") throw UsageError("only one of OLD and DELTA can be standard input");
    CheckOutput(out, {old, delta});
    CheckFormat(out);
  }

  int Run() {
    CheckFiles();
    input.Prepare();
    const LoadResult& loaded = Load(old, input);
    const schema::SchemaRef rules = input.libraries.empty() ? schema::SchemaRef() : loaded.schema;
    // Never freed, as what is loaded.
    static auto* result = new LoadResult();
    try {
      *result = ApplyPatch(loaded.value, ReadFile(delta), input.ForFile(delta), rules);
    } catch (const Error& error) {
      if (error.kind() != "PatchError") throw TroubleIn(NameOf(delta), error);
      Complain(NameOf(delta) + " does not fit " + NameOf(old) + ": " + OneLine(error));
      return kDifferent;
    }
    try {
      Save(*result, loaded);
    } catch (const Error& error) {
      throw TroubleIn(NameOf(out), error);
    }
    return kSuccess;
  }

  void Save(const LoadResult& result, const LoadResult& loaded) const {
    SaveOptions save;
    save.metadata = result.metadata;
    if (loaded.schema_in_file && loaded.format == FileFormat::kJson) save.embed_schema = EmbedSchema::kAlways;
    SaveGraph(result.value, out, save, out == "-" ? loaded.format : FormatOfName(out));
  }
};

}  // namespace

void AddPatch(CLI::App& app, int* status) {
  auto patch = std::make_shared<Patch>();
  patch->Declare(app)->callback([patch, status] { *status = patch->Run(); });
}

}  // namespace transom::tool
