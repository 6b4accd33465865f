#include <gtest/gtest.h>
#include <transom/runtime/any.h>
#include <transom/runtime/error.h>
#include <transom/runtime/function.h>

#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace transom {
namespace {

TEST(Error, LayoutIsThatOfTheContract) {
  Error error("ValueError", "bad", "  File \"a\", line 1, in f\n");
  const auto* bytes = reinterpret_cast<const char*>(error.get());
  const auto* cell = reinterpret_cast<const TVMFFIErrorCell*>(bytes + 24);
  EXPECT_STREQ(cell->kind.data, "ValueError");
  EXPECT_STREQ(cell->message.data, "bad");
  EXPECT_EQ(cell->backtrace.size, error.backtrace().size());
  EXPECT_EQ(cell->cause_chain, nullptr);
  EXPECT_EQ(cell->extra_context, nullptr);
  EXPECT_EQ(error->type_index(), kTVMFFIError);
}

TEST(Error, WhatIsKindAndMessage) {
  Error error("ValueError", "bad", "");
  EXPECT_STREQ(error.what(), "ValueError: bad");
  Error copy = error;
  EXPECT_STREQ(copy.what(), "ValueError: bad");
  copy = Error("other");
  EXPECT_STREQ(copy.what(), "RuntimeError: other");
  const char* text = error.what();
  EXPECT_EQ(error.what(), text);
}

TEST(Error, KeepsItsCause) {
  Error inner("KeyError", "inner", "");
  Error outer("ValueError", "outer", "", inner);
  ASSERT_TRUE(outer.cause().has_value());
  EXPECT_TRUE(outer.cause()->same_as(inner));
  EXPECT_FALSE(inner.cause().has_value());
}

TEST(Error, LongChainOfCausesIsFreed) {
  Error error("first");
  for (int i = 0; i < 300000; ++i) error = Error("RuntimeError", "next", "", error);
  EXPECT_TRUE(error.cause().has_value());
}

TEST(Error, UpdateBacktraceReplacesAndAppends) {
  Error error("ValueError", "bad", "one\n");
  TVMFFIByteArray more{"two\n", 4};
  error->update_backtrace(const_cast<ErrorObj*>(error.get()), &more, kTVMFFIBacktraceUpdateModeAppend);
  EXPECT_EQ(error.backtrace(), "one\ntwo\n");
  error->update_backtrace(const_cast<ErrorObj*>(error.get()), &more, kTVMFFIBacktraceUpdateModeReplace);
  EXPECT_EQ(error.backtrace(), "two\n");
}

int ThrowAtLine() { TRANSOM_THROW(ValueError) << "Expected " << 3 << " but got " << 4; }

TEST(Error, ThrowStatesItsPlace) {
  try {
    ThrowAtLine();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), "ValueError");
    EXPECT_EQ(error.message(), "Expected 3 but got 4");
    EXPECT_NE(error.backtrace().find("error_test.cc\", line "), std::string_view::npos);
    EXPECT_NE(error.backtrace().find(", in ThrowAtLine\n"), std::string_view::npos);
  }
}

TEST(Error, CheckEvaluatesTheMessageOnlyOnFailure) {
  int evaluated = 0;
  auto text = [&] {
    ++evaluated;
    return "text";
  };
  TRANSOM_CHECK(true, ValueError) << text();
  EXPECT_EQ(evaluated, 0);
  EXPECT_THROW(TRANSOM_CHECK(false, ValueError) << text(), Error);
  EXPECT_EQ(evaluated, 1);
}

int Guarded(int what) {
  TRANSOM_SAFE_CALL_BEGIN();
  if (what == 1) TRANSOM_THROW(KeyError) << "key";
  if (what == 2) throw std::runtime_error("standard");
  if (what == 3) throw 42;  // NOLINT
  TRANSOM_SAFE_CALL_END();
}

std::string TextOfFailure(int what) {
  try {
    CheckCall(Guarded(what));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Error, SafeCallTurnsExceptionsIntoRaisedErrors) {
  EXPECT_EQ(TextOfFailure(0), "");
  EXPECT_EQ(TextOfFailure(1), "KeyError: key");
  EXPECT_EQ(TextOfFailure(2), "InternalError: standard");
  EXPECT_EQ(TextOfFailure(3), "InternalError: A C++ exception that is no std::exception");
}

TEST(Error, RethrownErrorIsTheSameObject) {
  Error thrown("once");
  TVMFFIErrorSetRaised(detail::ObjectAccess::Header(thrown.get()));
  try {
    CheckCall(-1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(error.same_as(thrown));
  }
  TVMFFIObjectHandle left = &thrown;
  TVMFFIErrorMoveFromRaised(&left);
  EXPECT_EQ(left, nullptr);
}

TEST(Error, FailureWithoutAnErrorIsReported) {
  try {
    CheckCall(-1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), "InternalError");
  }
}

TEST(Error, RaisedFromPartsLeavesOutNull) {
  const char* parts[] = {"a", nullptr, "b"};
  TVMFFIErrorSetRaisedFromCStrParts("TypeError", parts, 3);
  EXPECT_EQ(
      [] {
        try {
          CheckCall(-1);
        } catch (const Error& error) {
          return std::string(error.what());
        }
        return std::string();
      }(),
      "TypeError: ab");
}

TEST(Error, ManyThreadsThrowAndCatch) {
  std::atomic<int> caught{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 64; ++i) {
    threads.emplace_back([i, &caught] {
      for (int j = 0; j < 200; ++j) {
        auto fail = [i, j] {
          TRANSOM_SAFE_CALL_BEGIN();
          TRANSOM_THROW(ValueError) << i << ":" << j;
          TRANSOM_SAFE_CALL_END();
        };
        try {
          CheckCall(fail());
        } catch (const Error& error) {
          if (error.message() == std::to_string(i) + ":" + std::to_string(j)) ++caught;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(caught, 64 * 200);
}

TEST(Error, OneErrorIsReadByManyThreads) {
  Error error("ValueError", "shared", "");
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] { right += std::string(error.what()) == "ValueError: shared"; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8);
}

TEST(Error, TravelsAsAValue) {
  Any value = Error("ValueError", "inside", "");
  EXPECT_EQ(value.type_index(), kTVMFFIError);
  EXPECT_STREQ(value.cast<Error>().what(), "ValueError: inside");
}

TEST(Error, CarriesContextAndBacktrace) {
  ObjectRef context = Error("KeyError", "stands for any object", "");
  Error error("ValueError", "text", "  inner\n", Error("cause"), context);
  EXPECT_TRUE(error.extra_context().same_as(context));
  EXPECT_EQ(error.cause()->message(), "cause");
  EXPECT_FALSE(Error("text").extra_context().defined());
  Error same = error;
  error.UpdateBacktrace("  outer\n", kTVMFFIBacktraceUpdateModeAppend);
  EXPECT_EQ(same.backtrace(), "  inner\n  outer\n");
  error.UpdateBacktrace("  other\n", kTVMFFIBacktraceUpdateModeReplace);
  EXPECT_EQ(same.backtrace(), "  other\n");
}

TEST(Error, CauseAndContextCrossFunctions) {
  Error cause("KeyError", "inner", "");
  Function fails = Function::FromTyped([&]() -> int { throw Error("ValueError", "outer", "", cause, cause); });
  try {
    fails();
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "ValueError: outer");
    EXPECT_TRUE(error.cause()->same_as(cause));
    EXPECT_TRUE(error.extra_context().same_as(cause));
  }
}

}  // namespace
}  // namespace transom
