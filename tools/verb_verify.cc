#include <transom/graph/statistics.h>

#include <memory>

#include "common.h"
#include "verbs.h"

namespace transom::tool {
namespace {

std::string Counted(uint64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

struct Verify {
  InputOptions input;
  std::vector<std::string> files;

  CLI::App* Declare(CLI::App& app) {
    CLI::App* verb = app.add_subcommand("verify", "Tell whether files are whole and well-formed");
    verb->add_option("FILE", files, "Files")->required()->type_name("");
    input.Declare(verb);
    return verb;
  }

  int Run() {
    input.count_unreachable = true;
    input.Prepare();
    return ForEachFile(files, [this](const std::string& file) { return One(file); });
  }

  int One(const std::string& file) {
    const LoadResult* loaded = nullptr;
    try {
      loaded = &Load(file, input);
    } catch (const Error& error) {
      // A file whose types nobody describes, of another version, or a patch, may be whole: that is trouble, not damage.
      if (error.kind() != "ValueError") throw;
      Output::Get().Write(NameOf(file) + ": damaged: " + WithoutName(OneLine(error), file) + "\n");
      return kDifferent;
    }
    std::string line = NameOf(file) + ": whole: " + std::string(NameOfFormat(loaded->format)) + ", " + Counted(loaded->num_nodes, "node");
    if (loaded->format == FileFormat::kJson) line += " (" + std::to_string(loaded->num_unreachable) + " unreachable)";
    line += ", " + Counted(Statistics(loaded->value).types.size(), "type") + ", " + SchemaUsed(*loaded);
    Output::Get().Write(line + "\n");
    return kSuccess;
  }

  static std::string SchemaUsed(const LoadResult& loaded) {
    if (loaded.schema_in_file) return "schema in the file";
    return loaded.schema ? "schema " + loaded.schema->name() : "no schema needed";
  }
};

}  // namespace

void AddVerify(CLI::App& app, int* status) {
  auto verify = std::make_shared<Verify>();
  verify->Declare(app)->callback([verify, status] { *status = verify->Run(); });
}

}  // namespace transom::tool
