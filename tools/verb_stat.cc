#include <transom/formats/inspect.h>
#include <transom/render/statistics_text.h>

#include <memory>

#include "common.h"
#include "verbs.h"

namespace transom::tool {
namespace {

struct Stat {
  InputOptions input;
  std::vector<std::string> files;

  CLI::App* Declare(CLI::App& app) {
    CLI::App* verb = app.add_subcommand("stat", "Count what graphs are made of: types, sharing, depth, tensors");
    verb->add_option("FILE", files, "Graphs")->required()->type_name("");
    input.Declare(verb);
    return verb;
  }

  int Run() {
    input.Prepare();
    bool first = true;
    return ForEachFile(files, [&](const std::string& file) {
      const std::string text = StatisticsText(InspectStatistics(file, input.ForFile(file)));
      Output::Get().Write((std::exchange(first, false) ? "" : "\n") + NameOf(file) + "\n" + text);
      return kSuccess;
    });
  }
};

}  // namespace

void AddStat(CLI::App& app, int* status) {
  auto stat = std::make_shared<Stat>();
  stat->Declare(app)->callback([stat, status] { *status = stat->Run(); });
}

}  // namespace transom::tool
