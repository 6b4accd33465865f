/* BigInt: an integer beyond int64, and integers of any size as decimal text. A value that fits is always a plain Int.
 */
#ifndef TRANSOM_CONTAINERS_BIGINT_H_
#define TRANSOM_CONTAINERS_BIGINT_H_

#include <transom/containers/detail/radix.h>
#include <transom/runtime/any.h>
#include <transom/runtime/error.h>
#include <transom/runtime/object.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace transom {

/* What a BigInt refers to: two's complement words, least significant first, none of which only repeats the sign. */
class BigIntObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_STATIC("ffi.BigInt", kTVMFFIBigInt, BigIntObj, Object);

  uint64_t num_words;
  const int64_t* words() const noexcept { return reinterpret_cast<const int64_t*>(this + 1); }
};

static_assert(sizeof(BigIntObj) == 32, "layout of the C contract");

/* Reference to a BigInt, and functions on values that are an Int or a BigInt. All are thread-safe. */
class BigInt : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(BigInt, ObjectRef, BigIntObj);

  /*
   * Longest decimal text that is read or written, without the sign. Conversion of n digits takes O(n^1.59) steps, about
   * a second at this length; the limit keeps a hostile file from taking more. Words have no limit.
   */
  static constexpr size_t kMaxDecimalDigits = size_t{1} << 20;

  /* True for an Int or BigInt. */
  static bool IsInteger(AnyView value) noexcept {
    return value.type_index() == kTVMFFIInt || value.type_index() == kTVMFFIBigInt;
  }

  /* Value of a decimal text: an optional minus, then digits without leading zeros; zero is "0". Nothing for another
   * text and for one of more than kMaxDecimalDigits digits. */
  static std::optional<Any> TryFromDecimal(std::string_view text) {
    std::string_view digits = text.substr(!text.empty() && text[0] == '-' ? 1 : 0);
    bool negative = digits.size() != text.size();
    if (!IsCanonical(digits, negative) || digits.size() > kMaxDecimalDigits) return std::nullopt;
    detail::Digits magnitude = detail::BinaryArithmetic::Convert(DecimalDigits(digits), detail::kDecimalBase);
    return FromMagnitude(magnitude, negative);
  }
  /* The same. ValueError: the text is not of that form, or too long. */
  static Any FromDecimal(std::string_view text) {
    if (std::optional<Any> value = TryFromDecimal(text)) return *std::move(value);
    constexpr size_t kShown = 40;
    TRANSOM_THROW(ValueError)
        << "Expected an integer as decimal text (an optional minus, digits without leading zeros, "
        << "at most " << kMaxDecimalDigits << " digits) but got `" << text.substr(0, kShown)
        << (text.size() > kShown ? "..." : "") << "`, " << text.size() << " characters";
  }

  /* Decimal text of an Int or BigInt. TypeError: another value. ValueError: more than kMaxDecimalDigits digits. */
  static std::string ToDecimal(AnyView value) {
    if (value.type_index() == kTVMFFIInt) return std::to_string(value.raw()->v_int64);
    TVMFFIByteArray words = Words(value);
    constexpr size_t kMaxWords = kMaxDecimalDigits * 333 / 100 / 64;  // a digit takes fewer than 3.33 bits
    bool negative = false;
    std::string text;
    if (words.size / sizeof(int64_t) <= kMaxWords) {
      detail::Digits magnitude = Magnitude(words, &negative);
      text = DecimalText(detail::DecimalArithmetic::Convert(magnitude, detail::kBinaryBase));
    }
    TRANSOM_CHECK(!text.empty() && text.size() <= kMaxDecimalDigits, ValueError)
        << "Expected an integer of at most " << kMaxDecimalDigits << " decimal digits but got one of " << words.size
        << " bytes; store it in a binary form";
    return negative ? "-" + text : text;
  }

  /* Value of a two's complement number of `num_words` words, least significant first; words that only repeat the sign
   * are allowed, and no words are 0. Throws std::bad_alloc. */
  static Any FromWords(const int64_t* words, size_t num_words) {
    TVMFFIByteArray bytes{reinterpret_cast<const char*>(words), num_words * sizeof(int64_t)};
    TVMFFIAny result;
    CheckCall(TVMFFIBigIntFromByteArray(&bytes, &result));
    return Any::FromOwned(result);
  }
  /* The same form of an Int or BigInt, as short as possible. TypeError: another value. */
  static std::vector<int64_t> ToWords(AnyView value) {
    TVMFFIByteArray bytes = Words(value);
    std::vector<int64_t> words(bytes.size / sizeof(int64_t));
    std::memcpy(words.data(), bytes.data, bytes.size);
    return words;
  }

  /* Negative, 0 or positive as `lhs` is less than, equal to or greater than `rhs`. TypeError: not both integers. */
  static int Compare(AnyView lhs, AnyView rhs) {
    TVMFFIByteArray left = Words(lhs);
    TVMFFIByteArray right = Words(rhs);
    size_t n = std::max(left.size, right.size) / sizeof(int64_t);
    for (size_t i = n; i > 0; --i) {
      int64_t l = WordAt(left, i - 1);
      int64_t r = WordAt(right, i - 1);
      if (l == r) continue;
      // Only the highest word carries the sign.
      bool less = i == n ? l < r : static_cast<uint64_t>(l) < static_cast<uint64_t>(r);
      return less ? -1 : 1;
    }
    return 0;
  }

 private:
  static constexpr size_t kDigitsPerGroup = 9;

  static bool IsCanonical(std::string_view digits, bool negative) {
    if (digits.empty() || (digits[0] == '0' && (digits.size() > 1 || negative))) return false;
    return digits.find_first_not_of("0123456789") == std::string_view::npos;
  }
  static detail::Digits DecimalDigits(std::string_view text) {
    detail::Digits digits;
    digits.reserve(text.size() / kDigitsPerGroup + 1);
    for (size_t end = text.size(); end > 0;) {
      size_t begin = end > kDigitsPerGroup ? end - kDigitsPerGroup : 0;
      uint32_t group = 0;
      for (char c : text.substr(begin, end - begin)) group = group * 10 + static_cast<uint32_t>(c - '0');
      digits.push_back(group);
      end = begin;
    }
    return digits;
  }
  static std::string DecimalText(const detail::Digits& digits) {
    std::string text = std::to_string(digits.empty() ? 0 : digits.back());
    text.reserve(digits.size() * kDigitsPerGroup);
    for (size_t i = digits.size(); i > 1; --i) {
      std::string group = std::to_string(digits[i - 2]);
      text.append(kDigitsPerGroup - group.size(), '0').append(group);
    }
    return text;
  }

  /* The words of a value; those of an Int lie in the view itself. */
  static TVMFFIByteArray Words(const AnyView& value) {
    TRANSOM_CHECK(IsInteger(value), TypeError)
        << "Expected an `int` or `ffi.BigInt` but got `" << value.GetTypeKey() << "`";
    return TVMFFIBigIntGetContentByteArray(value.raw());
  }
  /* Word `index`, continued with the sign beyond the last one. */
  static int64_t WordAt(const TVMFFIByteArray& words, size_t index) {
    size_t last = words.size / sizeof(int64_t) - 1;
    int64_t word;
    std::memcpy(&word, words.data + std::min(index, last) * sizeof(word), sizeof(word));
    return index <= last ? word : word < 0 ? -1 : 0;
  }
  static detail::Digits Magnitude(const TVMFFIByteArray& words, bool* negative) {
    detail::Digits digits(words.size / sizeof(uint32_t));
    if (!digits.empty()) std::memcpy(digits.data(), words.data, words.size);
    *negative = !digits.empty() && static_cast<int32_t>(digits.back()) < 0;
    if (*negative) Negate(&digits);
    detail::TrimDigits(&digits);
    return digits;
  }
  static Any FromMagnitude(detail::Digits digits, bool negative) {
    // Room for a sign, in whole words.
    digits.resize((digits.size() + 1 + 1) / 2 * 2);
    if (negative) Negate(&digits);
    std::vector<int64_t> words(digits.size() / 2);
    std::memcpy(words.data(), digits.data(), digits.size() * sizeof(uint32_t));
    return FromWords(words.data(), words.size());
  }
  /* Two's complement. */
  static void Negate(detail::Digits* digits) {
    uint64_t carry = 1;
    for (uint32_t& digit : *digits) {
      uint64_t sum = uint64_t{~digit} + carry;
      digit = static_cast<uint32_t>(sum);
      carry = sum >> 32;
    }
  }
};

}  // namespace transom

#endif  // TRANSOM_CONTAINERS_BIGINT_H_
