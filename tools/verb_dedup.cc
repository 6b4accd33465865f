#include <transom/formats/load.h>
#include <transom/structural/deduplicate.h>

#include <algorithm>
#include <map>
#include <memory>

#include "common.h"
#include "verbs.h"

namespace transom::tool {
namespace {

struct Dedup {
  InputOptions input;
  DeduplicateOptions options;
  std::string in;
  std::string out;

  CLI::App* Declare(CLI::App& app) {
    CLI::App* verb = app.add_subcommand("dedup", "Write a graph again with equal parts as one object");
    verb->add_option("IN", in, "Graph to read")->required()->type_name("");
    verb->add_option("-o,--output", out, "File to write; its suffix tells the format, - has that of IN")
        ->required()
        ->type_name("OUT");
    verb->add_flag(
        "--merge-functions", options.merge_functions,
        "Also merge functions that are equal but for their variables; the result is then equal only when unfolded");
    verb->add_flag("--merge-ignored", options.merge_ignored,
                   "Also merge what differs in ignored fields only, such as source locations; the first one's stay");
    verb->add_flag("--skip-tensor-content", options.skip_tensor_content,
                   "Also merge tensors of one dtype and shape; the content of the first one stays");
    input.Declare(verb);
    return verb;
  }

  void Run() {
    CheckOutput(out, {in});
    CheckFormat(out);
    input.Prepare();
    const LoadResult& loaded = Load(in, input);
    options.as_files = true;
    if (!input.libraries.empty()) options.rules = loaded.schema;
    try {
      // Never freed, as what is loaded.
      static auto* result = new DeduplicateResult();
      *result = Deduplicate(loaded.value, options);
      Save(*result, loaded);
      Report(*result);
    } catch (const Error& error) {
      throw TroubleIn(NameOf(in), error);
    }
  }

  void Save(const DeduplicateResult& result, const LoadResult& loaded) const {
    SaveOptions save;
    save.metadata = loaded.metadata;
    if (loaded.schema_in_file && loaded.format == FileFormat::kJson) save.embed_schema = EmbedSchema::kAlways;
    SaveGraph(result.value, out, save, out == "-" ? loaded.format : FormatOfName(out));
  }

  // Beside the graph on standard output there is room on standard error only.
  void Report(const DeduplicateResult& result) const {
    const GraphStatistics before = result.before(), after = result.after();
    const auto saved = static_cast<int64_t>(before.bytes()) - static_cast<int64_t>(after.bytes());
    const std::string text = std::to_string(before.objects) + " objects -> " + std::to_string(after.objects) + ", " +
                             std::to_string(saved) + " bytes saved" + ByType(before, after);
    if (out == "-") return Complain("note: " + NameOf(in) + ": " + text);
    Output::Get().Write(NameOf(in) + ": " + text + "\n");
  }

  static std::string ByType(const GraphStatistics& before, const GraphStatistics& after) {
    constexpr size_t kShown = 8;
    const std::vector<std::pair<uint64_t, std::string>> gone = Gone(before, after);
    std::string text;
    for (size_t i = 0; i < gone.size() && i < kShown; ++i) {
      text += (i == 0 ? "; fewer: " : ", ") + std::to_string(gone[i].first) + " " + gone[i].second;
    }
    if (gone.size() > kShown) text += " and " + std::to_string(gone.size() - kShown) + " more types";
    return text;
  }

  // Objects that are gone by type, most first. Plain values and strings go with the objects that hold them.
  static std::vector<std::pair<uint64_t, std::string>> Gone(const GraphStatistics& before,
                                                            const GraphStatistics& after) {
    std::map<std::string, uint64_t> left;
    for (const TypeCount& type : after.types) left[type.type_key] = type.count;
    std::vector<std::pair<uint64_t, std::string>> gone;
    for (const TypeCount& type : before.types) {
      const bool counted = type.bytes != 0 && type.type_key != "ffi.String" && type.type_key != "ffi.Bytes";
      const uint64_t n = type.count - left[type.type_key];
      if (counted && n != 0) gone.emplace_back(n, type.type_key);
    }
    std::stable_sort(gone.begin(), gone.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    return gone;
  }
};

}  // namespace

void AddDedup(CLI::App& app, int*) {
  auto dedup = std::make_shared<Dedup>();
  dedup->Declare(app)->callback([dedup] { dedup->Run(); });
}

}  // namespace transom::tool
