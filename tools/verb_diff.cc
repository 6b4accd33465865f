#include <transom/formats/patch.h>
#include <transom/render/diff_report.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>

#include <memory>

#include "common.h"
#include "verbs.h"

namespace transom::tool {
namespace {

struct Diff {
  InputOptions input;
  ColorOption color;
  DiffOptions compare;
  std::string lhs;
  std::string rhs;
  std::string format = "text";
  std::string output;
  bool stat = false;
  bool brief = false;
  bool quiet = false;
  bool swap = false;
  bool no_moves = false;
  bool group = false;
  int64_t max_diffs = 1000;
  CLI::App* verb = nullptr;

  CLI::App* Declare(CLI::App& app) {
    verb = app.add_subcommand("diff", "Show what changed between two graphs");
    verb->add_option("OLD", lhs, "Graph before")->required()->type_name("");
    verb->add_option("NEW", rhs, "Graph after")->required()->type_name("");
    verb->add_option("--format", format, "text, json (docs/diff-json.md) or patch (what transom patch applies)")
        ->check(CLI::IsMember({"text", "json", "patch"}))
        ->type_name("FORMAT");
    verb->add_option("-o,--output", output, "Write the differences to this file")->type_name("FILE");
    verb->add_flag("--stat", stat, "Only count, by kind and by part of the graph");
    verb->add_flag("--first", compare.first_only, "Stop at the first difference");
    verb->add_flag("-q,--brief", brief, "Only one line that says whether they differ");
    verb->add_flag("--quiet", quiet, "Print nothing; the exit status tells");
    verb->add_option("--max-diffs", max_diffs, "Differences that are listed (default 1000); counts stay exact")
        ->check(CLI::NonNegativeNumber)
        ->type_name("N");
    DeclareKinds();
    verb->add_flag("--map-free-vars", compare.map_free_vars, "Let any unbound variable stand for another");
    verb->add_flag("--skip-tensor-content", compare.skip_tensor_content, "Compare tensors by dtype and shape only");
    verb->add_flag("--swap", swap, "Exchange OLD and NEW");
    color.Declare(verb);
    input.Declare(verb);
    return verb;
  }

  // What is told of the differences.
  void DeclareKinds() {
    verb->add_flag("--names", compare.names, "List bound variables that have other names; that is no difference");
    verb->add_flag("--no-moves", no_moves, "Show what stands elsewhere as gone and new");
    verb->add_flag("--group", group, "Show differences that are alike once, with their number");
  }

  // Options that would have no effect beside others are refused, not ignored.
  void CheckOptions() const {
    if (lhs == "-" && rhs == "-") throw UsageError("only one of OLD and NEW can be standard input");
    for (const std::string& input_path : {lhs, rhs}) {
      if (!output.empty() && output != "-" && output == input_path)
        throw UsageError("-o " + output + " would overwrite an input");
    }
    if (stat + compare.first_only + brief + quiet > 1) {
      throw UsageError("--stat, --first, --brief and --quiet exclude each other");
    }
    const auto refuse = [this](const char* option, const char* with) {
      if (verb->count(option) != 0) throw UsageError(std::string(option) + " has no effect with " + with);
    };
    const char* silent = brief ? "--brief" : quiet ? "--quiet" : nullptr;
    if (silent != nullptr || stat) refuse("--format", stat ? "--stat" : silent);
    if (silent != nullptr) refuse("--output", silent);
    if (stat || silent != nullptr || compare.first_only)
      refuse("--max-diffs", stat ? "--stat" : silent ? silent : "--first");
    if (silent != nullptr || compare.first_only) {
      for (const char* option : {"--names", "--no-moves"}) refuse(option, silent ? silent : "--first");
    }
    if (silent != nullptr || stat || compare.first_only) refuse("--group", stat ? "--stat" : silent ? silent : "--first");
    if (format == "patch") {
      for (const char* option : {"--max-diffs", "--first", "--names", "--no-moves", "--group"})
        refuse(option, "--format patch");
    }
  }

  int Run() {
    CheckOptions();
    if (swap) std::swap(lhs, rhs);
    input.CompareWhatTypesHave();
    if (quiet) input.note_dropped = false;
    input.Prepare();
    const LoadResult& left = Load(lhs, input);
    // The same bytes are the same graph, provided that they are one.
    if (format != "patch" && SameBytes(lhs, rhs)) return Report(DiffResult());
    const LoadResult& right = Load(rhs, input);
    compare.as_files = true;
    if (!input.libraries.empty()) compare.rules = left.schema;
    try {
      return format == "patch" ? WritePatch(left, right) : Compare(left.value, right.value);
    } catch (const Error& error) {
      throw TroubleIn(NameOf(lhs) + ", " + NameOf(rhs), error);
    }
  }

  int WritePatch(const LoadResult& left, const LoadResult& right) {
    SaveOptions save;
    save.metadata = right.metadata;
    WriteDocument(output, SavePatch(left.value, right.value, compare, save));
    return StructuralEqual::Equal(left.value, right.value, compare) ? kSuccess : kDifferent;
  }

  int Compare(const Any& left, const Any& right) {
    if (quiet || brief) {
      if (StructuralEqual::Equal(left, right, compare)) return kSuccess;
      if (brief) Output::Get().Write("Files " + NameOf(lhs) + " and " + NameOf(rhs) + " differ\n");
      return kDifferent;
    }
    constexpr uint64_t kTableEdits = 50'000;
    compare.find_moves = !no_moves;
    compare.max_edits = stat ? kTableEdits : static_cast<uint64_t>(max_diffs);
    return Report(StructuralDiff(left, right, compare));
  }

  int Report(const DiffResult& result) {
    DiffReportOptions report;
    report.color = color.Enabled(output);
    report.lhs_name = NameOf(lhs);
    report.rhs_name = NameOf(rhs);
    report.group = group;
    if (stat) {
      WriteDocument(output, DiffStat(result, report));
    } else if (format == "json") {
      WriteDocument(output, DiffJson(result, compare, group));
    } else if (!quiet && !brief) {
      WriteDocument(output, DiffText(result, report));
    }
    return result.equal() ? kSuccess : kDifferent;
  }
};

}  // namespace

void AddDiff(CLI::App& app, int* status) {
  auto diff = std::make_shared<Diff>();
  diff->Declare(app)->callback([diff, status] { *status = diff->Run(); });
}

}  // namespace transom::tool
