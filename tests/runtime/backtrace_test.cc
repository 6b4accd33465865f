#include <dlfcn.h>
#include <gtest/gtest.h>
#include <transom/runtime/any.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>
#include <transom/runtime/function.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace transom {
namespace {

using Body = int (*)(void*);

// Calls `body(data)` from the function of that name of a library that shows its functions.
int CallFrom(const char* function, Body body, void* data) {
  static void* const library = dlopen(TRANSOM_TEST_LIB_DIR "/backtrace_lib.so", RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  return reinterpret_cast<int (*)(Body, void*)>(dlsym(library, function))(body, data);
}
int TransomTestVisibleFrame(Body body, void* data) { return CallFrom("TransomTestVisibleFrame", body, data); }

std::string Str(const TVMFFIByteArray& bytes) { return std::string(bytes.data, bytes.size); }

int64_t LinesOf(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

struct Request {
  const char* file = nullptr;
  const char* function = nullptr;
  int cross_boundary = 0;
  std::string text;
};

int Take(void* data) {
  auto* request = static_cast<Request*>(data);
  request->text = Str(*TVMFFIBacktrace(request->file, 12, request->function, request->cross_boundary));
  return 0;
}
int TakeBelowAVisibleFrame(void* data) { return TransomTestVisibleFrame(&Take, data); }
int TakeBelowABoundary(void* data) { return CallFrom("_PyTestBoundary", &TakeBelowAVisibleFrame, data); }

TEST(Backtrace, StartsWithTheGivenFrame) {
  Request request{"file.cc", "Run", 0, ""};
  TransomTestVisibleFrame(&Take, &request);
  EXPECT_EQ(request.text.rfind("  File \"file.cc\", line 12, in Run\n", 0), 0u) << request.text;
  EXPECT_NE(request.text.find("\", line 0, in TransomTestVisibleFrame\n"), std::string::npos) << request.text;
}

TEST(Backtrace, NeedsNoGivenFrame) {
  for (Request request : {Request{"file.cc", nullptr, 0, ""}, Request{nullptr, "Run", 0, ""}, Request{}}) {
    TransomTestVisibleFrame(&Take, &request);
    EXPECT_EQ(request.text.find("file.cc"), std::string::npos);
    EXPECT_EQ(request.text.find("Run"), std::string::npos);
    EXPECT_NE(request.text.find(", in TransomTestVisibleFrame\n"), std::string::npos) << request.text;
  }
}

TEST(Backtrace, EachLineIsAFrame) {
  Request request{"file.cc", "Run", 1, ""};
  TakeBelowABoundary(&request);
  for (size_t start = 0; start < request.text.size();) {
    const size_t end = request.text.find('\n', start);
    ASSERT_NE(end, std::string::npos);
    const std::string line = request.text.substr(start, end - start);
    EXPECT_EQ(line.rfind("  File \"", 0), 0u) << line;
    EXPECT_NE(line.find("\", line "), std::string::npos) << line;
    EXPECT_NE(line.find(", in "), std::string::npos) << line;
    start = end + 1;
  }
}

TEST(Backtrace, StopsWhereAnotherLanguageCalled) {
  Request within{"file.cc", "Run", 0, ""};
  TakeBelowABoundary(&within);
  EXPECT_NE(within.text.find("TransomTestVisibleFrame"), std::string::npos) << within.text;
  EXPECT_EQ(within.text.find("_PyTestBoundary"), std::string::npos) << within.text;
  Request across{"file.cc", "Run", 1, ""};
  TakeBelowABoundary(&across);
  EXPECT_NE(across.text.find("_PyTestBoundary"), std::string::npos) << across.text;
  EXPECT_GT(LinesOf(across.text), LinesOf(within.text));
}

__attribute__((noinline)) int Recurse(int depth, Request* request) {
  if (depth == 0) return Take(request);
  const int result = Recurse(depth - 1, request);
  asm volatile("");
  return result;
}

TEST(Backtrace, HasAtMost512LinesUnlessToldOtherwise) {
  Request request{"file.cc", "Run", 1, ""};
  Recurse(20000, &request);
  EXPECT_EQ(LinesOf(request.text), 512);
}

[[noreturn]] void ExitWithLinesOfALongBacktrace(const char* limit) {
  setenv("TVM_TRACEBACK_LIMIT", limit, 1);
  Request request{"file.cc", "Run", 1, ""};
  Recurse(20000, &request);
  std::exit(static_cast<int>(std::min<int64_t>(LinesOf(request.text), 255)));
}

TEST(BacktraceDeathTest, LimitComesFromTheEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // Processes of their own, as the variable is read once.
  EXPECT_EXIT(ExitWithLinesOfALongBacktrace("3"), ::testing::ExitedWithCode(3), "");
  EXPECT_EXIT(ExitWithLinesOfALongBacktrace("0"), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(ExitWithLinesOfALongBacktrace("many"), ::testing::ExitedWithCode(255), "");
  EXPECT_EXIT(ExitWithLinesOfALongBacktrace("-1"), ::testing::ExitedWithCode(255), "");
}

TEST(Backtrace, TextIsThatOfTheThreadUntilItsNextCall) {
  const TVMFFIByteArray* here = TVMFFIBacktrace("here.cc", 1, "Here", 0);
  std::thread([] {
    EXPECT_EQ(Str(*TVMFFIBacktrace("there.cc", 2, "There", 0)).rfind("  File \"there.cc\", line 2, in There\n", 0), 0u);
  }).join();
  EXPECT_EQ(Str(*here).rfind("  File \"here.cc\", line 1, in Here\n", 0), 0u);
}

TEST(Backtrace, ErrorsOfCCodeHaveOne) {
  TransomTestVisibleFrame(
      [](void*) {
        TVMFFIErrorSetRaisedFromCStr("ValueError", "from C");
        return 0;
      },
      nullptr);
  TVMFFIObjectHandle handle = nullptr;
  TVMFFIErrorMoveFromRaised(&handle);
  const Error error(detail::ObjectAccess::Adopt<ErrorObj>(handle));
  EXPECT_NE(error.backtrace().find(", in TransomTestVisibleFrame\n"), std::string_view::npos) << error.backtrace();
}

TEST(Backtrace, CodeThatRunsWhileAThreadEndsMayRaiseErrors) {
  static std::string message;
  struct AtEnd {
    bool used = false;
    ~AtEnd() {
      TVMFFIErrorSetRaisedFromCStr("ValueError", "at the end of the thread");
      try {
        CheckCall(-1);
      } catch (const Error& error) {
        message = error.what();
      }
    }
  };
  std::thread([] {
    thread_local AtEnd at_end;
    at_end.used = true;
    TVMFFIErrorSetRaisedFromCStr("ValueError", "in the thread");
  }).join();
  EXPECT_EQ(message, "ValueError: at the end of the thread");
}

TEST(Backtrace, ThreadsTakeThemAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 50; ++i) {
        Request request{"file.cc", "Run", 0, ""};
        TransomTestVisibleFrame(&Take, &request);
        EXPECT_NE(request.text.find(", in TransomTestVisibleFrame\n"), std::string::npos);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace transom
