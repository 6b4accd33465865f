#include <gtest/gtest.h>
#include <transom/containers/string.h>
#include <transom/runtime/any.h>
#include <transom/runtime/function.h>

#include <random>
#include <sstream>
#include <string>
#include <unordered_set>
#include <utility>

#include "support/error_of.h"

namespace ffi = transom;

namespace transom {
namespace {

using testing::ErrorOf;

TEST(String, ShortTextLiesInTheValue) {
  String small = "1234567";
  EXPECT_EQ(small.raw()->type_index, kTVMFFISmallStr);
  EXPECT_EQ(small.raw()->small_str_len, 7u);
  EXPECT_EQ(small.data(), reinterpret_cast<const char*>(&small) + 8);
  String large = "12345678";
  EXPECT_EQ(large.raw()->type_index, kTVMFFIStr);
  EXPECT_EQ(large.data(), reinterpret_cast<const char*>(large.raw()->v_obj) + 40);
  EXPECT_EQ(large.data()[8], '\0');
  String padded = "ab";
  EXPECT_EQ(padded.raw()->v_uint64, uint64_t{0x6261});
}

TEST(String, CopiesShareAndMovesEmpty) {
  String text = "a text that is on the heap";
  String copy = text;
  EXPECT_EQ(copy.data(), text.data());
  String moved = std::move(text);
  EXPECT_TRUE(text.empty());  // NOLINT: moved-from strings are empty
  EXPECT_EQ(moved, copy);
  moved = copy;
  String& alias = moved;
  moved = alias;
  EXPECT_EQ(moved, "a text that is on the heap");
}

TEST(String, EmbeddedNulIsKept) {
  String text("a\0b", 3);
  EXPECT_EQ(text.size(), 3u);
  EXPECT_EQ(std::string(text), std::string("a\0b", 3));
  EXPECT_NE(text, "a");
  EXPECT_TRUE(String(nullptr, 0).empty());
}

TEST(String, ComparesWithOtherText) {
  String text = "bcd";
  EXPECT_TRUE(text == "bcd");
  EXPECT_TRUE("bcd" == text);
  EXPECT_TRUE(text == std::string("bcd"));
  EXPECT_TRUE(text != String("bce"));
  EXPECT_TRUE(text < "c");
  EXPECT_TRUE("a" < text);
  EXPECT_TRUE(text >= String("bcd"));
  EXPECT_LT(text.compare("bd"), 0);
  EXPECT_GT(String("\xff").compare("a"), 0);
}

TEST(String, Concatenates) {
  String text = "abc";
  EXPECT_EQ(text + "de", "abcde");
  EXPECT_EQ("de" + text, "deabc");
  EXPECT_EQ(text + String("0123456789"), "abc0123456789");
  EXPECT_EQ(text + std::string(), "abc");
  EXPECT_EQ((text + std::string("\0x", 2)).size(), 5u);
  std::ostringstream stream;
  stream << text;
  EXPECT_EQ(stream.str(), "abc");
}

TEST(String, BehavesAsStdStringForRandomText) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    auto make = [&] {
      std::string text(random() % 12, '\0');
      for (char& c : text) c = static_cast<char>(random() % 3);
      return text;
    };
    std::string a = make();
    std::string b = make();
    ASSERT_EQ(String(a) == String(b), a == b);
    ASSERT_EQ(String(a) < String(b), a < b);
    ASSERT_EQ(std::string(String(a) + String(b)), a + b);
    ASSERT_EQ(std::string(String(a)), a);
    if (a == b) {
      ASSERT_EQ(std::hash<String>()(a), std::hash<String>()(b));
    }
  }
}

TEST(String, HashIsTheKeyHashOfTheContract) {
  EXPECT_EQ(std::hash<String>()("a"), 0x9e378a2bu);
  EXPECT_EQ(std::hash<String>()("hello world"), 0xdef11395u);
  std::unordered_set<String> set = {"a", "b", "a"};
  EXPECT_EQ(set.size(), 2u);
}

TEST(Bytes, AreNotStrings) {
  Bytes bytes("abc", 3);
  EXPECT_EQ(bytes.raw()->type_index, kTVMFFISmallBytes);
  EXPECT_EQ(Bytes(std::string(100, 'x')).raw()->type_index, kTVMFFIBytes);
  EXPECT_EQ(bytes, Bytes(std::string("abc")));
  EXPECT_FALSE(bytes != Bytes(TVMFFIByteArray{"abc", 3}));
  EXPECT_TRUE(Bytes().empty());
}

TEST(String, ReleaseGivesTheReferenceAway) {
  String text = "a text that is on the heap";
  String keep = text;
  TVMFFIAny raw = text.Release();
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(Any::FromOwned(raw).cast<String>(), keep);
}

TEST(String, SearchAndParts) {
  const String text = "a longer text, a text";
  EXPECT_EQ(text.find("text"), 9u);
  EXPECT_EQ(text.find("text", 10), 17u);
  EXPECT_EQ(text.rfind("text"), 17u);
  EXPECT_EQ(text.rfind("text", 16), 9u);
  EXPECT_EQ(text.find("absent"), String::npos);
  EXPECT_TRUE(text.starts_with("a l") && text.starts_with("") && !text.starts_with("b"));
  EXPECT_TRUE(text.ends_with(", a text") && text.ends_with("") && !text.ends_with("test"));
  EXPECT_FALSE(String("ab").starts_with("abc") || String("ab").ends_with("abc"));
  EXPECT_EQ(text.substr(9, 4), "text");
  EXPECT_EQ(text.substr(9), "text, a text");
  EXPECT_EQ(text.substr(21), "");
  EXPECT_EQ(text.at(2), 'l');
  EXPECT_EQ(ErrorOf([&] { text.substr(22); }), "IndexError: Expected a position of at most 21 but got 22");
  EXPECT_EQ(ErrorOf([&] { text.at(21); }), "IndexError: Expected a position below 21 but got 21");
  EXPECT_EQ(String("a\0b", 3).find(std::string_view("\0b", 2)), 1u);
}

TEST(Bytes, SearchPartsAndConcatenation) {
  const Bytes bytes("\0\1\2\0\1", 5);
  EXPECT_EQ(bytes.find(std::string_view("\0\1", 2), 1), 3u);
  EXPECT_EQ(bytes.substr(3), Bytes("\0\1", 2));
  EXPECT_EQ(bytes.substr(0, 3) + bytes.substr(3), bytes);
  EXPECT_EQ((bytes + bytes).size(), 10u);
  EXPECT_EQ((bytes + bytes).raw()->type_index, kTVMFFIBytes);
  EXPECT_TRUE(bytes.starts_with(std::string_view("\0", 1)));
}

TEST(String, StringViewsAreArguments) {
  Function size = Function::FromTyped([](std::string_view text) { return text.size(); });
  std::string_view part = std::string_view("not the whole text").substr(4, 9);
  EXPECT_EQ(size(part).cast<int>(), 9);
  EXPECT_EQ(size(std::string_view("a\0b", 3)).cast<int>(), 3);
  EXPECT_EQ(size("literal").cast<int>(), 7);
  Any value = part;
  EXPECT_EQ(value.cast<String>(), "the whole");
  EXPECT_EQ(value.cast<std::string_view>(), "the whole");
}

}  // namespace
}  // namespace transom
