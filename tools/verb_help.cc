#include <memory>

#include "common.h"
#include "verbs.h"

namespace transom::tool {

void AddHelp(CLI::App& app, int*) {
  auto verb = std::make_shared<std::string>();
  CLI::App* help = app.add_subcommand("help", "Show the options of a verb");
  help->add_option("VERB", *verb, "The verb; without it, all verbs are listed")->type_name("");
  help->callback([verb, &app] {
    // app.help() would show the help of `help`, being the verb on the command line.
    if (verb->empty()) {
      return Output::Get().Write(app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
    }
    for (const CLI::App* named : app.get_subcommands([](const CLI::App*) { return true; })) {
      if (named->get_name() == *verb) return Output::Get().Write(named->help(app.get_name()));
    }
    throw UsageError("there is no verb `" + *verb + "`");
  });
}

}  // namespace transom::tool
