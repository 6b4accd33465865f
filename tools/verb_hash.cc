#include <transom/structural/hash.h>

#include <cstdio>
#include <memory>

#include "common.h"
#include "verbs.h"

namespace transom::tool {
namespace {

struct HashVerb {
  InputOptions input;
  StructuralOptions compare;
  std::vector<std::string> files;
  std::string path;
  bool digest = false;

  CLI::App* Declare(CLI::App& app) {
    CLI::App* verb = app.add_subcommand("hash", "Print the structural hash of graphs, one line each");
    verb->add_option("FILE", files, "Graphs")->required()->type_name("");
    verb->add_option("--path", path, "Hash the value at this place")->type_name("PATH");
    verb->add_flag("--digest", digest, "Print 128 bits instead of 64");
    verb->add_flag("--map-free-vars", compare.map_free_vars, "Let any unbound variable stand for another");
    verb->add_flag("--skip-tensor-content", compare.skip_tensor_content, "Count tensors by dtype and shape only");
    input.Declare(verb);
    return verb;
  }

  int Run() {
    input.CompareWhatTypesHave();
    input.Prepare();
    compare.as_files = true;
    return ForEachFile(files, [this](const std::string& file) {
      const LoadResult& loaded = Load(file, input);
      const Any value = ValueAt(loaded, path, file);
      StructuralOptions options = compare;
      if (!input.libraries.empty()) options.rules = loaded.schema;
      Output::Get().Write(HashOf(value, options, file) + "  " + file + "\n");
      return kSuccess;
    });
  }

  std::string HashOf(const Any& value, const StructuralOptions& options, const std::string& file) const {
    try {
      const Digest result = StructuralDigest(value, options);
      if (digest) return result.ToString();
      char text[24];
      std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(result.low));
      return text;
    } catch (const Error& error) {
      throw Trouble(NameOf(file) + ": " + OneLine(error));
    }
  }
};

}  // namespace

void AddHash(CLI::App& app, int* status) {
  auto hash = std::make_shared<HashVerb>();
  hash->Declare(app)->callback([hash, status] { *status = hash->Run(); });
}

}  // namespace transom::tool
