#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tool/run_tool.h"

namespace transom::testing {
namespace {

// A file without a name, for what goes in and comes out: no pipe can fill up.
int ScratchFile() {
  std::string name = std::filesystem::temp_directory_path() / "transom_tool_test_XXXXXX";
  const int fd = mkstemp(name.data());
  unlink(name.c_str());
  return fd;
}

std::string ReadAll(int fd) {
  std::string text;
  char buffer[1 << 16];
  lseek(fd, 0, SEEK_SET);
  for (ssize_t n; (n = read(fd, buffer, sizeof(buffer))) > 0;) text.append(buffer, static_cast<size_t>(n));
  close(fd);
  return text;
}

int ClosedPipe() {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  close(ends[0]);
  return ends[1];
}

[[noreturn]] void BecomeTool(const std::vector<std::string>& arguments, const ToolSetting& setting, int in, int out,
                             int err) {
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const char* name : {"NO_COLOR", "CLICOLOR_FORCE"}) unsetenv(name);
  for (const auto& [name, value] : setting.environment) setenv(name.c_str(), value.c_str(), 1);
  const rlimit limit{setting.stack_kib * 1024, setting.stack_kib * 1024};
  setrlimit(RLIMIT_STACK, &limit);
  std::vector<char*> argv = {const_cast<char*>(TRANSOM_TOOL_PATH)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(TRANSOM_TOOL_PATH, argv.data());
  _exit(127);
}

class GraphText {
 public:
  // Appends a node and returns its index.
  int64_t Add(const std::string& type, const std::string& data) {
    text_ << (count_ == 0 ? "" : ",") << "{\"type\":\"" << type << "\",\"data\":" << data << "}";
    return count_++;
  }
  std::string Finish() const {
    return "{\"root_index\":" + std::to_string(count_ - 1) + ",\"nodes\":[" + text_.str() + "]}";
  }

 private:
  std::ostringstream text_;
  int64_t count_ = 0;
};

}  // namespace

ToolResult RunTool(const std::vector<std::string>& arguments, const ToolSetting& setting) {
  const int in = ScratchFile();
  const int captured = ScratchFile();
  const int err = ScratchFile();
  EXPECT_EQ(write(in, setting.input.data(), setting.input.size()), static_cast<ssize_t>(setting.input.size()));
  lseek(in, 0, SEEK_SET);
  int out = captured;
  if (setting.closed_pipe) out = ClosedPipe();
  if (!setting.output_to.empty()) out = open(setting.output_to.c_str(), O_WRONLY);
  const pid_t child = fork();
  if (child == 0) BecomeTool(arguments, setting, in, out, err);
  int state = 0;
  waitpid(child, &state, 0);
  if (out != captured) close(out);
  close(in);
  ToolResult result;
  result.status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  result.out = ReadAll(captured);
  result.err = ReadAll(err);
  return result;
}

std::string DataFile(const std::string& name) { return TRANSOM_TEST_DATA_DIR "/" + name; }

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = TRANSOM_SOURCE_DIR "/tests/tool/golden/" + name;
  if (std::getenv("TRANSOM_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(text, ReadWhole(path)) << "differs from " << path;
}

std::string ToolTest::Write(const std::string& name, std::string_view content) const {
  const std::string path = PathTo(name);
  std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
  return path;
}

void ExpectTrouble(const ToolResult& result, const std::vector<std::string>& parts) {
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.rfind("transom: ", 0), 0u) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const std::string& part : parts)
    EXPECT_NE(result.err.find(part), std::string::npos) << part << " in " << result.err;
}

std::string ArrayOfInts(const std::vector<int64_t>& items) {
  GraphText graph;
  std::string list;
  for (const int64_t item : items) {
    list += (list.empty() ? "" : ",") + std::to_string(graph.Add("int", std::to_string(item)));
  }
  graph.Add("ffi.Array", "[" + list + "]");
  return graph.Finish();
}

std::string DeepArrays(int64_t depth, int64_t innermost) {
  GraphText graph;
  int64_t below = graph.Add("int", std::to_string(innermost));
  for (int64_t i = 0; i < depth; ++i) below = graph.Add("ffi.Array", "[" + std::to_string(below) + "]");
  return graph.Finish();
}

std::string WideArray(int64_t size, int64_t changed_item) {
  GraphText graph;
  graph.Add("int", "7");
  if (changed_item >= 0) graph.Add("int", "8");
  std::string list;
  for (int64_t i = 0; i < size; ++i) list += std::string(i == 0 ? "" : ",") + (i == changed_item ? "1" : "0");
  graph.Add("ffi.Array", "[" + list + "]");
  return graph.Finish();
}

std::string Ladder(int64_t height, int64_t innermost) {
  GraphText graph;
  int64_t below = graph.Add("int", std::to_string(innermost));
  for (int64_t i = 0; i < height; ++i) {
    graph.Add("ffi.Array", "[" + std::to_string(below) + "," + std::to_string(below) + "]");
    ++below;
  }
  return graph.Finish();
}

}  // namespace transom::testing
