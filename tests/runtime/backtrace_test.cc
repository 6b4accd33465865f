#include <gtest/gtest.h>
#include <transom/runtime/any.h>
#include <transom/runtime/c_api.h>
#include <transom/runtime/error.h>
#include <transom/runtime/function.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

// Visible functions, so that frames have names; the first one has that of a boundary of languages.
extern "C" {
__attribute__((visibility("default"), noinline)) int _PyTestBoundary(int (*body)(void*), void* data) {
  const int result = body(data);
  asm volatile("");  // The call is no jump.
  return result;
}
__attribute__((visibility("default"), noinline)) int TransomTestVisibleFrame(int (*body)(void*), void* data) {
  const int result = body(data);
  asm volatile("");
  return result;
}
}

namespace transom {
namespace {

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
int TakeBelowABoundary(void* data) { return _PyTestBoundary(&TakeBelowAVisibleFrame, data); }

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

int Recurse(int depth, Request* request) {
  if (depth == 0) return Take(request);
  const int result = Recurse(depth - 1, request);
  asm volatile("");
  return result;
}

TEST(Backtrace, HasAtMost512LinesUnlessToldOtherwise) {
  Request request{"file.cc", "Run", 1, ""};
  Recurse(2000, &request);
  EXPECT_EQ(LinesOf(request.text), 512);
}

TEST(BacktraceDeathTest, LimitComesFromTheEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // A process of its own, as the variable is read once.
  EXPECT_EXIT(
      {
        setenv("TVM_TRACEBACK_LIMIT", "3", 1);
        Request request{"file.cc", "Run", 1, ""};
        Recurse(100, &request);
        std::exit(LinesOf(request.text) == 3 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
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
