/*
 * Runs the program as a user does: a process with arguments, standard input, environment and limits.
 */
#ifndef TRANSOM_TESTS_TOOL_RUN_TOOL_H_
#define TRANSOM_TESTS_TOOL_RUN_TOOL_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/scratch_folder.h"

namespace transom::testing {

struct ToolResult {
  int status = -1;  // exit status; 128 + signal when it was killed
  std::string out;
  std::string err;
};

struct ToolSetting {
  std::string input;                                             // standard input
  std::vector<std::pair<std::string, std::string>> environment;  // set in addition; colour variables are removed
  size_t stack_kib = 8192;                                       // stack limit
  std::string output_to;                                         // file that standard output goes to instead
  bool closed_pipe = false;                                      // standard output is a pipe that nobody reads
};

ToolResult RunTool(const std::vector<std::string>& arguments, const ToolSetting& setting = {});

/*! \brief tests/data/NAME. */
std::string DataFile(const std::string& name);

std::string ReadWhole(const std::string& path);

/*!
 * \brief Compares with tests/tool/golden/NAME. With TRANSOM_UPDATE_GOLDEN=1 in the environment the file is written
 * instead: look at the difference before you commit it.
 */
void ExpectGolden(const std::string& name, const std::string& text);

/*! \brief Fixture with a folder of its own that goes away. */
class ToolTest : public ::testing::Test {
 protected:
  /*! \brief Writes a file into the folder and returns its path. */
  std::string Write(const std::string& name, std::string_view content) const;
  std::string PathTo(const std::string& name) const { return folder_.PathTo(name); }

 private:
  ScratchFolder folder_;
};

/*! \brief Status 2, nothing on standard output, and one line "transom: ..." on standard error with each of `parts` in
 * it. */
void ExpectTrouble(const ToolResult& result, const std::vector<std::string>& parts);

// Graphs as JSON text, by their shape.
std::string ArrayOfInts(const std::vector<int64_t>& items);
std::string DeepArrays(int64_t depth, int64_t innermost);
std::string WideArray(int64_t size, int64_t changed_item);  // -1: none
std::string Ladder(int64_t height, int64_t innermost);

}  // namespace transom::testing
#endif  // TRANSOM_TESTS_TOOL_RUN_TOOL_H_
