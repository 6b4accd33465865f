/*
 * The verbs of the program, one file each (verb_NAME.cc). Each declares itself to the command line.
 */
#ifndef TRANSOM_TOOLS_VERBS_H_
#define TRANSOM_TOOLS_VERBS_H_

#include <CLI/CLI.hpp>

namespace transom::tool {

/*! \brief Adds the verb to `app`; when the command line names it, it runs and sets `*status`. */
void AddDump(CLI::App& app, int* status);
void AddDiff(CLI::App& app, int* status);
void AddPatch(CLI::App& app, int* status);
void AddHash(CLI::App& app, int* status);
void AddConvert(CLI::App& app, int* status);
void AddDedup(CLI::App& app, int* status);
void AddStat(CLI::App& app, int* status);
void AddVerify(CLI::App& app, int* status);
void AddSchema(CLI::App& app, int* status);
void AddHelp(CLI::App& app, int* status);

}  // namespace transom::tool
#endif  // TRANSOM_TOOLS_VERBS_H_
