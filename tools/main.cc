#include <transom/runtime/c_api.h>
#include <transom/version.h>
#include <unistd.h>

#include <csignal>

#include "common.h"
#include "heap.h"
#include "verbs.h"

namespace transom::tool {
namespace {

std::string VersionText() {
  TVMFFIVersion abi;
  TVMFFIGetVersion(&abi);
  return "transom " TRANSOM_VERSION " (TVM-FFI C ABI " + std::to_string(abi.major) + "." + std::to_string(abi.minor) +
         "." + std::to_string(abi.patch) + ")\n";
}

void Declare(CLI::App& app, int* status) {
  app.name("transom");
  app.set_version_flag("--version", VersionText);
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 success or equal, 1 different (verify: damaged; patch: does not fit), 2 trouble.\n"
      "FILE may be - for standard input. transom help VERB lists a verb's options.");
  AddDump(app, status);
  AddDiff(app, status);
  AddPatch(app, status);
  AddHash(app, status);
  AddConvert(app, status);
  AddDedup(app, status);
  AddStat(app, status);
  AddVerify(app, status);
  AddSchema(app, status);
  AddHelp(app, status);
}

// The verb on the command line, for the hint: empty when it has none.
std::string VerbOf(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  return verbs.empty() || verbs.front()->get_name() == "help" ? "" : " " + verbs.front()->get_name();
}

// The parser's own messages for a word that is no verb, and for an option in its place, do not name it.
void CheckVerb(const CLI::App& app, int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (word.size() > 1 && word[0] == '-') {
    const std::string option = word.substr(0, word.find('='));
    if (app.get_option_no_throw(option) != nullptr) return;
    throw UsageError("there is no option `" + option + "` before the verb");
  }
  std::string names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->get_name() == word) return;
    names += (names.empty() ? "" : ", ") + verb->get_name();
  }
  throw UsageError(word.empty() ? "a verb is expected: " + names : "there is no verb `" + word + "`; verbs: " + names);
}

int Parse(CLI::App& app, int argc, char** argv, const int& status) {
  try {
    CheckVerb(app, argc, argv);
    app.parse(argc, argv);
    return status;
  } catch (const CLI::CallForHelp&) {
    const auto verbs = app.get_subcommands();
    Output::Get().Write(verbs.empty() ? app.help() : verbs.front()->help(app.get_name()));
    return kSuccess;
  } catch (const CLI::CallForVersion& version) {
    Output::Get().Write(version.what());
    return kSuccess;
  } catch (const CLI::ParseError& error) {
    Complain(OneLine(error) + "; see: transom help" + VerbOf(app));
  } catch (const UsageError& error) {
    Complain(OneLine(error) + "; see: transom help" + VerbOf(app));
  } catch (const std::bad_alloc&) {
    Complain("out of memory");
  } catch (const std::exception& error) {
    Complain(OneLine(error));
  }
  return kTrouble;
}

int Run(int argc, char** argv) {
  // A reader that closes the pipe early is no trouble: writes then fail with EPIPE.
  std::signal(SIGPIPE, SIG_IGN);
  // Writes beyond a limit on the size of files fail with EFBIG.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app("See inside, compare and convert graphs of compiler IR.");
  int status = kSuccess;
  Declare(app, &status);
  const int result = Parse(app, argc, argv, status);
  try {
    Output::Get().Close();
    return result;
  } catch (const Trouble& trouble) {
    Complain(OneLine(trouble));
    return kTrouble;
  }
}

}  // namespace
}  // namespace transom::tool

// A mapped file has become shorter, so what lay there cannot be read.
extern "C" void EndOverLostFile(int) {
  constexpr char kText[] = "transom: a file was shortened while it was read; replace files by renaming a new one\n";
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, kText, sizeof(kText) - 1);
  _exit(transom::tool::kTrouble);
}

int main(int argc, char** argv) {
  transom::tool::PrepareHeap();
  std::signal(SIGBUS, EndOverLostFile);
  return transom::tool::Run(argc, argv);
}
