/*
 * Conversion of natural numbers between the bases 2^32 and 10^9, for BigInt text.
 *
 * Both directions are one algorithm: read the digits of the source base as a polynomial and evaluate it, halving, with
 * arithmetic in the target base. No division of long numbers is needed, and with Karatsuba products a number of n
 * digits takes O(n^1.59) steps, so a long text cannot stall a reader as the schoolbook O(n^2) would.
 */
#ifndef TRANSOM_CONTAINERS_DETAIL_RADIX_H_
#define TRANSOM_CONTAINERS_DETAIL_RADIX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace transom {
namespace detail {

constexpr uint64_t kBinaryBase = uint64_t{1} << 32;
constexpr uint64_t kDecimalBase = 1000000000;

/* Digits of a natural number, least significant first; leading zero digits are allowed. */
using Digits = std::vector<uint32_t>;

inline void TrimDigits(Digits* digits) {
  while (!digits->empty() && digits->back() == 0) digits->pop_back();
}

/* Arithmetic on digits of one base. All digits are below kBase. */
template <uint64_t kBase>
class RadixArithmetic {
 public:
  /* acc += x * kBase^shift. */
  static void AddShifted(Digits* acc, const Digits& x, size_t shift) {
    if (acc->size() < x.size() + shift) acc->resize(x.size() + shift);
    uint64_t carry = 0;
    size_t i = shift;
    for (uint32_t digit : x) {
      uint64_t sum = uint64_t{(*acc)[i]} + digit + carry;
      (*acc)[i++] = static_cast<uint32_t>(sum % kBase);
      carry = sum / kBase;
    }
    for (; carry != 0; ++i) {
      if (i == acc->size()) acc->push_back(0);
      uint64_t sum = uint64_t{(*acc)[i]} + carry;
      (*acc)[i] = static_cast<uint32_t>(sum % kBase);
      carry = sum / kBase;
    }
  }

  static Digits Multiply(const Digits& a, const Digits& b) {
    Digits out;
    if (a.size() < kKaratsubaDigits || b.size() < kKaratsubaDigits) {
      out = MultiplySchoolbook(a, b);
    } else {
      // Halving the longer side alone keeps the recursion balanced when the lengths differ much.
      out = a.size() >= 2 * b.size()   ? MultiplyInPieces(a, b)
            : b.size() >= 2 * a.size() ? MultiplyInPieces(b, a)
                                       : MultiplyKaratsuba(a, b);
    }
    TrimDigits(&out);
    return out;
  }

  /* The number whose digits in base `source_base` are `source`, in this base. */
  static Digits Convert(const Digits& source, uint64_t source_base) {
    if (source.empty()) return {};
    // Level 0: runs of kRunDigits digits each, by Horner's rule. Then neighbours merge: low + high * power.
    std::vector<Digits> parts;
    for (size_t begin = 0; begin < source.size(); begin += kRunDigits) {
      parts.push_back(EvaluateRun(source, begin, std::min(begin + kRunDigits, source.size()), source_base));
    }
    Digits power{1};
    for (size_t i = 0; i < kRunDigits; ++i) MultiplyAdd(&power, source_base, 0);
    while (parts.size() > 1) {
      size_t merged = 0;
      for (size_t i = 0; i < parts.size(); i += 2, ++merged) {
        Digits low = std::move(parts[i]);
        if (i + 1 < parts.size()) AddShifted(&low, Multiply(parts[i + 1], power), 0);
        parts[merged] = std::move(low);
      }
      parts.resize(merged);
      if (merged > 1) power = Multiply(power, power);
    }
    TrimDigits(&parts[0]);
    return std::move(parts[0]);
  }

 private:
  static constexpr size_t kKaratsubaDigits = 40;
  static constexpr size_t kRunDigits = 16;

  /* acc = acc * factor + addend, for a factor of at most 2^32 and an addend below it. */
  static void MultiplyAdd(Digits* acc, uint64_t factor, uint64_t addend) {
    uint64_t carry = addend;
    for (uint32_t& digit : *acc) {
      uint64_t value = digit * factor + carry;
      digit = static_cast<uint32_t>(value % kBase);
      carry = value / kBase;
    }
    for (; carry != 0; carry /= kBase) acc->push_back(static_cast<uint32_t>(carry % kBase));
  }

  static Digits EvaluateRun(const Digits& source, size_t begin, size_t end, uint64_t source_base) {
    Digits value;
    for (size_t i = end; i > begin; --i) MultiplyAdd(&value, source_base, source[i - 1]);
    return value;
  }

  static Digits MultiplySchoolbook(const Digits& a, const Digits& b) {
    Digits out(a.size() + b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      uint64_t carry = 0;
      for (size_t j = 0; j < b.size(); ++j) {
        uint64_t value = uint64_t{a[i]} * b[j] + out[i + j] + carry;
        out[i + j] = static_cast<uint32_t>(value % kBase);
        carry = value / kBase;
      }
      out[i + b.size()] = static_cast<uint32_t>(carry);
    }
    return out;
  }

  static Digits Slice(const Digits& x, size_t begin, size_t end) {
    begin = std::min(begin, x.size());
    end = std::min(end, x.size());
    Digits out(x.begin() + begin, x.begin() + end);
    TrimDigits(&out);
    return out;
  }

  static Digits MultiplyInPieces(const Digits& longer, const Digits& shorter) {
    Digits out;
    for (size_t begin = 0; begin < longer.size(); begin += shorter.size()) {
      AddShifted(&out, Multiply(Slice(longer, begin, begin + shorter.size()), shorter), begin);
    }
    return out;
  }

  /* acc -= x, where x <= acc. */
  static void Subtract(Digits* acc, const Digits& x) {
    uint64_t borrow = 0;
    for (size_t i = 0; i < x.size() || borrow != 0; ++i) {
      uint64_t take = (i < x.size() ? x[i] : 0) + borrow;
      uint64_t have = (*acc)[i];
      borrow = have < take ? 1 : 0;
      (*acc)[i] = static_cast<uint32_t>(have + (borrow != 0 ? kBase : 0) - take);
    }
  }

  static Digits MultiplyKaratsuba(const Digits& a, const Digits& b) {
    size_t half = (std::max(a.size(), b.size()) + 1) / 2;
    Digits a_low = Slice(a, 0, half), a_high = Slice(a, half, a.size());
    Digits b_low = Slice(b, 0, half), b_high = Slice(b, half, b.size());
    Digits low = Multiply(a_low, b_low);
    Digits high = Multiply(a_high, b_high);
    AddShifted(&a_low, a_high, 0);
    AddShifted(&b_low, b_high, 0);
    Digits middle = Multiply(a_low, b_low);
    Subtract(&middle, low);
    Subtract(&middle, high);
    TrimDigits(&middle);
    AddShifted(&low, middle, half);
    AddShifted(&low, high, 2 * half);
    return low;
  }
};

using BinaryArithmetic = RadixArithmetic<kBinaryBase>;
using DecimalArithmetic = RadixArithmetic<kDecimalBase>;

}  // namespace detail
}  // namespace transom
#endif  // TRANSOM_CONTAINERS_DETAIL_RADIX_H_
