#include <transom/formats/load.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <transom/containers/array.h>
#include <transom/formats/json_graph.h>
#include <transom/structural/equal.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/io/output_file.h"
#include "support/library.h"
#include "support/native_types.h"
#include "support/scratch_folder.h"

namespace transom {
namespace {

namespace fs = std::filesystem;
using testing::ErrorOf;
using testing::ReadText;

// A folder of its own for each test.
class Files : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.PathTo(name); }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  static mode_t ModeOf(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777;
  }

  testing::ScratchFolder folder_;
};

// Puts a file in the place of a standard stream while it lives.
class Redirect {
 public:
  Redirect(int stream, const std::string& path, int flags) : stream_(stream), saved_(dup(stream)) {
    const int fd = open(path.c_str(), flags, 0600);
    EXPECT_GE(dup2(fd, stream), 0);
    close(fd);
  }
  ~Redirect() {
    dup2(saved_, stream_);
    close(saved_);
  }

 private:
  int stream_;
  int saved_;
};

using WriteFileTest = Files;
using ReadFileTest = Files;
using SaveToFileTest = Files;

TEST_F(WriteFileTest, MakesAFileAsTheUmaskSays) {
  const mode_t before = umask(027);
  WriteFile(Path("new.json"), "content");
  umask(before);
  EXPECT_EQ(ReadText(Path("new.json")), "content");
  EXPECT_EQ(ModeOf(Path("new.json")), 0640u);
  EXPECT_EQ(Names(), std::vector<std::string>{"new.json"});
}

TEST_F(WriteFileTest, ReplacesAFileAndKeepsItsPermissions) {
  WriteFile(Path("a.json"), "a long content that is replaced by a short one");
  ASSERT_EQ(chmod(Path("a.json").c_str(), 0604), 0);
  WriteFile(Path("a.json"), "short");
  EXPECT_EQ(ReadText(Path("a.json")), "short");
  EXPECT_EQ(ModeOf(Path("a.json")), 0604u);
  EXPECT_EQ(Names(), std::vector<std::string>{"a.json"});
}

TEST_F(WriteFileTest, ReadersOfTheOldFileKeepIt) {
  WriteFile(Path("a.json"), "old");
  const int fd = open(Path("a.json").c_str(), O_RDONLY);
  WriteFile(Path("a.json"), "new");
  char buffer[8] = {};
  EXPECT_EQ(read(fd, buffer, sizeof(buffer)), 3);
  EXPECT_STREQ(buffer, "old");
  close(fd);
}

TEST_F(WriteFileTest, ASymbolicLinkStaysOne) {
  fs::create_directory(folder_.path() / "target");
  WriteFile(Path("target/a.json"), "old");
  fs::create_symlink("target/a.json", Path("link.json"));
  fs::create_symlink("link.json", Path("second.json"));
  WriteFile(Path("second.json"), "new");
  EXPECT_TRUE(fs::is_symlink(Path("second.json")));
  EXPECT_TRUE(fs::is_symlink(Path("link.json")));
  EXPECT_FALSE(fs::is_symlink(Path("target/a.json")));
  EXPECT_EQ(ReadText(Path("target/a.json")), "new");
}

TEST_F(WriteFileTest, ALinkThatLeadsNowhereIsAnError) {
  fs::create_symlink("loop.json", Path("loop.json"));
  EXPECT_EQ(ErrorOf([&] { WriteFile(Path("loop.json"), "x"); }).substr(0, 9), "OSError: ");
  EXPECT_TRUE(fs::is_symlink(Path("loop.json")));
}

TEST_F(WriteFileTest, AFailureLeavesNothingBehind) {
  EXPECT_EQ(ErrorOf([&] { WriteFile(Path("none/a.json"), "x"); }),
            "OSError: " + Path("none/a.json") + ": cannot be written: No such file or directory");
  EXPECT_TRUE(Names().empty());
  fs::create_directory(folder_.path() / "folder.json");
  const std::string error = ErrorOf([&] { WriteFile(Path("folder.json"), "x"); });
  EXPECT_EQ(error, "OSError: " + Path("folder.json") + ": cannot be opened for writing: Is a directory");
  EXPECT_EQ(Names(), std::vector<std::string>{"folder.json"});
}

// A limit on the size of files stands for a full disk.
void WriteUnderALimit(const std::string& path) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = 4096;
  setrlimit(RLIMIT_FSIZE, &limit);
  std::fputs(ErrorOf([&] { WriteFile(path, std::string(100000, 'x')); }).c_str(), stderr);
  std::exit(0);
}

TEST_F(WriteFileTest, AFileThatCannotBeFinishedStaysAsItWas) {
  WriteFile(Path("a.json"), "old");
  EXPECT_EXIT(WriteUnderALimit(Path("a.json")), ::testing::ExitedWithCode(0),
              "OSError: .*a.json: cannot be written: File too large");
  EXPECT_EQ(ReadText(Path("a.json")), "old");
  EXPECT_EQ(Names(), std::vector<std::string>{"a.json"});
}

#ifdef O_TMPFILE
TEST_F(WriteFileTest, AKilledProgramLeavesNothingBehind) {
  const int unnamed = open(Path(".").c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (unnamed < 0) GTEST_SKIP() << "this file system has no files without names";
  close(unnamed);
  const pid_t child = fork();
  if (child == 0) {
    formats::OutputFile file(Path("a.json"));
    file.Write("half of ");
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(Names().empty());
}
#endif

TEST_F(WriteFileTest, NamesThatAreTakenStay) {
  // As a program with the same number left them, in another container for example.
  const std::string taken = ".transom-" + std::to_string(getpid()) + "-0";
  WriteFile(Path(taken), "theirs");
  WriteFile(Path("a.json"), "ours");
  EXPECT_EQ(ReadText(Path(taken)), "theirs");
  EXPECT_EQ(ReadText(Path("a.json")), "ours");
  EXPECT_EQ(Names().size(), 2u);
}

TEST_F(WriteFileTest, DevicesAreWrittenDirectly) {
  WriteFile("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(ErrorOf([] { WriteFile("/dev/full", "x"); }),
            "OSError: /dev/full: cannot be written: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(WriteFileTest, StandardOutput) {
  {
    Redirect out(STDOUT_FILENO, Path("out"), O_WRONLY | O_CREAT);
    WriteFile("-", "to standard output");
  }
  EXPECT_EQ(ReadText(Path("out")), "to standard output");
  Redirect out(STDOUT_FILENO, "/dev/full", O_WRONLY);
  EXPECT_EQ(ErrorOf([] { WriteFile("-", "x"); }),
            "OSError: standard output: cannot be written: No space left on device");
}

TEST_F(ReadFileTest, WholeContent) {
  std::string content;
  for (int i = 0; i < 300000; ++i) content += static_cast<char>(i * 7);
  WriteFile(Path("a"), content);
  EXPECT_EQ(ReadFile(Path("a")), content);
  WriteFile(Path("empty"), "");
  EXPECT_EQ(ReadFile(Path("empty")), "");
  Redirect in(STDIN_FILENO, Path("a"), O_RDONLY);
  EXPECT_EQ(ReadFile("-"), content);
}

TEST_F(ReadFileTest, APipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "from a pipe", 11), 11);
  close(ends[1]);
  EXPECT_EQ(ReadFile("/dev/fd/" + std::to_string(ends[0])), "from a pipe");
  close(ends[0]);
}

TEST_F(ReadFileTest, ErrorsNameThePath) {
  EXPECT_EQ(ErrorOf([&] { ReadFile(Path("none")); }),
            "OSError: " + Path("none") + ": cannot be opened: No such file or directory");
  EXPECT_EQ(ErrorOf([&] { ReadFile(folder_.path().string()); }),
            "OSError: " + folder_.path().string() + ": cannot be read: Is a directory");
  Redirect in(STDIN_FILENO, folder_.path().string(), O_RDONLY);
  EXPECT_EQ(ErrorOf([] { ReadFile("-"); }), "OSError: standard input: cannot be read: Is a directory");
}

TEST_F(SaveToFileTest, AndBack) {
  const Any value = testing::Call("f", {1, "x"});
  SaveOptions options;
  options.metadata = "{\"a\": 1}";
  SaveToFile(value, Path("a.json"), options);
  EXPECT_EQ(ReadText(Path("a.json")), SaveJSON(value, options));
  const LoadResult result = LoadFromFile(Path("a.json"));
  EXPECT_TRUE(StructuralEqual::Equal(result.value, value));
  EXPECT_EQ(result.metadata, "{\"a\": 1}");
}

TEST_F(SaveToFileTest, TheSuffixTellsTheFormat) {
  EXPECT_EQ(ErrorOf([&] { SaveToFile(1, Path("a.txt")); }).substr(0, 12), "ValueError: ");
  EXPECT_EQ(ErrorOf([&] { SaveToFile(1, Path("json")); }).substr(0, 12), "ValueError: ");
  EXPECT_TRUE(Names().empty());
}

TEST_F(SaveToFileTest, AValueThatCannotBeSavedTouchesNoFile) {
  WriteFile(Path("a.json"), "old");
  EXPECT_EQ(ErrorOf([&] { SaveToFile(Function::FromTyped([] {}), Path("a.json")); }).substr(0, 12), "ValueError: ");
  EXPECT_EQ(ReadText(Path("a.json")), "old");
}

using LoadFromFileTest = Files;

TEST_F(LoadFromFileTest, MessagesNameTheFile) {
  WriteFile(Path("bad.json"), "{\"root_index\":0}");
  EXPECT_EQ(ErrorOf([&] { LoadFromFile(Path("bad.json")); }).substr(0, 12 + Path("bad.json").size()),
            "ValueError: " + Path("bad.json"));
  LoadOptions options;
  options.source = "the model";
  EXPECT_EQ(ErrorOf([&] { LoadFromFile(Path("bad.json"), options); }).substr(0, 22), "ValueError: the model:");
  Redirect in(STDIN_FILENO, Path("bad.json"), O_RDONLY);
  EXPECT_EQ(ErrorOf([] { LoadFromFile("-"); }).substr(0, 27), "ValueError: standard input:");
}

TEST(LoadFromBytes, RecognisesJson) {
  EXPECT_EQ(DetectFormat("{"), FileFormat::kJson);
  EXPECT_EQ(DetectFormat(" \n\t\r{\"a\""), FileFormat::kJson);
  for (const char* text : {"", "  ", "[1]", "x", "\xEF\xBB\xBF{"})
    EXPECT_EQ(DetectFormat(text), FileFormat::kUnknown) << text;
  EXPECT_EQ(LoadFromBytes(" {\"root_index\":0,\"nodes\":[{\"type\":\"int\",\"data\":3}]}\n").value.cast<int>(), 3);
}

TEST(LoadFromBytes, SaysWhatOtherContentLooksLike) {
  const auto error = [](std::string_view content) { return ErrorOf([&] { LoadFromBytes(content); }); };
  EXPECT_NE(error("").find("the file is empty"), std::string::npos);
  EXPECT_NE(error(" \n").find("white space only"), std::string::npos);
  EXPECT_NE(error("\xEF\xBB\xBF{}").find("byte order mark"), std::string::npos);
  EXPECT_NE(error("\xFF\xFE{").find("UTF-16"), std::string::npos);
  EXPECT_NE(error("\x1F\x8B\x08").find("gzip"), std::string::npos);
  EXPECT_NE(error("\x7F"
                  "ELF\2")
                .find("ELF"),
            std::string::npos);
  EXPECT_NE(error("PK\x03\x04").find("zip"), std::string::npos);
  EXPECT_NE(error("[1, 2, 3]").find("it starts with \"[1, 2, 3]\""), std::string::npos);
}

TEST(LoadFromBytes, DoesNotReadBeyondTheView) {
  const std::string text = "{\"root_index\":0,\"nodes\":[{\"type\":\"int\",\"data\":3}]}";
  const std::string longer = text + " trailing";
  EXPECT_EQ(LoadFromBytes(std::string_view(longer).substr(0, text.size())).value.cast<int>(), 3);
  EXPECT_EQ(ErrorOf([&] { LoadFromBytes(longer); }).substr(0, 16), "ValueError: byte");
  EXPECT_EQ(ErrorOf([&] { LoadFromBytes(text + std::string("\0x", 2)); }).substr(0, 16), "ValueError: byte");
}

}  // namespace
}  // namespace transom
