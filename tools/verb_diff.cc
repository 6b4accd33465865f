#include <transom/formats/patch.h>
#include <transom/render/diff_report.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>

#include <initializer_list>
#include <memory>

#include "common.h"
#include "diff_options.h"
#include "number_option.h"
#include "verbs.h"

namespace transom::tool {
namespace {

struct Diff {
  InputOptions input;
  ColorOption color;
  DiffOptions compare;
  CompareOptions what;
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
  bool paths_only = false;
  bool exit_code = true;
  bool no_exit_code = false;
  int64_t context = 0;
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
    AddWholeNumber(verb, "--max-diffs", &max_diffs, "Differences that are listed (default 1000); counts stay exact", 0);
    DeclareKinds();
    verb->add_flag("--map-free-vars", compare.map_free_vars, "Let any unbound variable stand for another");
    verb->add_flag("--skip-tensor-content", compare.skip_tensor_content, "Compare tensors by dtype and shape only");
    verb->add_flag("--swap", swap, "Exchange OLD and NEW");
    what.Declare(verb);
    verb->add_flag("--paths-only", paths_only, "Only the places, one line each");
    AddWholeNumber(verb, "-U,--context", &context, "Show so many neighbours of what changed (default 0)", 0);
    verb->add_flag("--exit-code", exit_code, "The exit status tells whether they differ, as it does anyway");
    verb->add_flag("--no-exit-code", no_exit_code, "Exit status 0 also when they differ");
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
    CheckOutput(output, {lhs, rhs});
    if (verb->count("--exit-code") != 0 && no_exit_code) {
      throw UsageError("--exit-code and --no-exit-code exclude each other");
    }
    if (quiet && no_exit_code) throw UsageError("--quiet with --no-exit-code would tell nothing");
    if (stat + compare.first_only + brief + quiet > 1) {
      throw UsageError("--stat, --first, --brief and --quiet exclude each other");
    }
    CheckReports();
  }

  // What one report tells and another does not.
  void CheckReports() const {
    const char* silent = brief ? "--brief" : quiet ? "--quiet" : nullptr;
    const char* in_short = stat ? "--stat" : silent;
    const char* unlisted = in_short != nullptr ? in_short : compare.first_only ? "--first" : nullptr;
    Refuse({"--format", "--paths-only", "--context"}, in_short);
    Refuse({"--output"}, silent);
    const std::string given_format = "--format " + format;
    if (format != "text") Refuse({"--paths-only", "--context"}, given_format.c_str());
    if (paths_only) Refuse({"--context", "--group"}, "--paths-only");
    Refuse({"--max-diffs", "--group"}, unlisted);
    if (!stat) Refuse({"--names", "--no-moves"}, unlisted);
    if (format == "patch") {
      Refuse({"--max-diffs", "--first", "--names", "--no-moves", "--group"}, "--format patch");
      if (const char* option = what.First(verb))
        throw UsageError(std::string(option) + " and --format patch exclude each other: a patch makes all of NEW");
    }
  }

  void Refuse(std::initializer_list<const char*> options, const char* with) const {
    for (const char* option : options) {
      if (with != nullptr && verb->count(option) != 0)
        throw UsageError(std::string(option) + " has no effect with " + with);
    }
  }

  int Status(bool equal) const { return equal || no_exit_code ? kSuccess : kDifferent; }

  int Run() {
    CheckOptions();
    what.Set(&compare);
    CheckCompareOptions(compare);
    if (swap) std::swap(lhs, rhs);
    input.CompareWhatTypesHave();
    if (quiet) input.note_dropped = false;
    input.Prepare();
    const LoadResult& left = Load(lhs, input);
    // The same bytes are the same graph, provided that they are one.
    const bool same = format != "patch" && SameBytes(lhs, rhs);
    const LoadResult& right = same ? left : Load(rhs, input);
    compare.as_files = true;
    if (!input.libraries.empty()) compare.rules = left.schema;
    try {
      if (!quiet) NoteUnmatched(left.value, right.value, compare);
      if (same) return Report(DiffResult());
      return format == "patch" ? WritePatch(left, right) : Compare(left.value, right.value);
    } catch (const Error& error) {
      throw TroubleIn(NameOf(lhs) + ", " + NameOf(rhs), error);
    }
  }

  int WritePatch(const LoadResult& left, const LoadResult& right) {
    SaveOptions save;
    save.metadata = right.metadata;
    WriteDocument(output, SavePatch(left.value, right.value, compare, save));
    return Status(StructuralEqual::Equal(left.value, right.value, compare));
  }

  int Compare(const Any& left, const Any& right) {
    if (quiet || brief) {
      if (EqualForDiff(left, right, compare)) return kSuccess;
      if (brief) Output::Get().Write("Files " + NameOf(lhs) + " and " + NameOf(rhs) + " differ\n");
      return Status(false);
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
    report.context = static_cast<uint64_t>(context);
    if (stat) {
      WriteDocument(output, DiffStat(result, report));
    } else if (format == "json") {
      WriteDocument(output, DiffJson(result, compare, group));
    } else if (!quiet && !brief) {
      WriteDocument(output, paths_only ? DiffPaths(result) : DiffText(result, report));
    }
    return Status(result.equal());
  }
};

}  // namespace

void AddDiff(CLI::App& app, int* status) {
  auto diff = std::make_shared<Diff>();
  diff->Declare(app)->callback([diff, status] { *status = diff->Run(); });
}

}  // namespace transom::tool
