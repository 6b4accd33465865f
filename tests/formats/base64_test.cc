#include "formats/io/base64.h"

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "support/base64.h"
#include "support/rng.h"

namespace transom::formats {
namespace {

// What is wrong with a text; empty when it is well formed, and then its bytes are `wanted`.
std::string Wrong(std::string_view text, std::string_view wanted = "") {
  std::string out = "before";
  const char* wrong = DecodeBase64(text, &out);
  if (wrong == nullptr) {
    EXPECT_EQ(out, "before" + std::string(wanted)) << text;
  }
  return wrong != nullptr ? wrong : "";
}

TEST(Base64, VectorsOfRfc4648) {
  const std::vector<std::pair<std::string, std::string>> vectors = {{"", ""},
                                                                    {"f", "Zg=="},
                                                                    {"fo", "Zm8="},
                                                                    {"foo", "Zm9v"},
                                                                    {"foob", "Zm9vYg=="},
                                                                    {"fooba", "Zm9vYmE="},
                                                                    {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(EncodeBase64(bytes), text);
    EXPECT_EQ(Wrong(text, bytes), "");
  }
}

TEST(Base64, AnyBytesOfAnyLength) {
  testing::Rng rng(1);
  for (size_t size = 0; size < 300; ++size) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(rng.Next());
    const std::string text = EncodeBase64(bytes);
    EXPECT_EQ(text, testing::EncodeBase64(bytes));
    EXPECT_EQ(Wrong(text, bytes), "");
  }
}

TEST(Base64, WhiteSpaceIsSkippedEverywhere) {
  for (size_t at = 0; at <= 8; ++at) {
    for (const char* space : {" ", "\t", "\n", "\r\n", "\f\v"}) {
      std::string text = "Zm9vYg==";
      text.insert(at, space);
      EXPECT_EQ(Wrong(text, "foob"), "") << at;
    }
  }
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "Zm9vZm9v\n";
  std::string bytes;
  EXPECT_EQ(DecodeBase64(lines, &bytes), nullptr);
  EXPECT_EQ(bytes.size(), 600u);
}

TEST(Base64, OtherCharactersAreErrors) {
  for (int c = 0; c < 256; ++c) {
    const std::string one(1, static_cast<char>(c));
    const bool digit = c < 128 && (std::isalnum(c) != 0 || c == '+' || c == '/');
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    std::string out;
    EXPECT_EQ(DecodeBase64("Zm9" + one, &out) == nullptr, digit) << c;
    if (digit || space || c == '=') continue;
    EXPECT_EQ(Wrong("Zm9vZm9vZm9v" + one + "m9v"), "a character outside the base64 alphabet") << c;
  }
}

TEST(Base64, SaysWhereItGoesWrong) {
  const std::pair<const char*, size_t> cases[] = {{"!m9v", 0},     {"Zm9vZm!v", 6}, {"Zm9v\nZ?9v", 6}, {"Z===", 1},
                                                  {"Zg==Zm9v", 4}, {"Zm9vZ", 5},    {"Zh==\n", 1},      {"Zm9vZm9=", 6}};
  for (const auto& [text, wanted] : cases) {
    std::string out;
    size_t at = 99;
    EXPECT_NE(DecodeBase64(text, &out, &at), nullptr) << text;
    EXPECT_EQ(at, wanted) << text;
  }
}

TEST(Base64, LengthAndPadding) {
  for (const char* text : {"Z", "Zg", "Zm8", "Zg=", "Zm9vYg", "Zm9vZ"}) {
    EXPECT_EQ(Wrong(text), "base64 text whose length is no multiple of 4 characters") << text;
  }
  for (const char* text : {"=", "==", "Z=", "Z===", "Zg===", "====", "Zm9v="})
    EXPECT_EQ(Wrong(text), "misplaced base64 padding") << text;
  for (const char* text : {"Zg==Zg==", "Zg=g", "Zm8=Zm9v"})
    EXPECT_EQ(Wrong(text), "base64 text after its padding") << text;
  EXPECT_NE(Wrong("Zm8=="), "");
}

TEST(Base64, BitsAfterTheEndMustBeZero) {
  for (const char* text : {"Zh==", "Zm9=", "Zn==", "Zm8vZ/=="})
    EXPECT_EQ(Wrong(text), "base64 text with nonzero bits after its end") << text;
}

}  // namespace
}  // namespace transom::formats
