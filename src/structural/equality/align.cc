#include "structural/equality/align.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "structural/equality/likeness.h"
#include "structural/rules/part_size.h"

namespace transom::structural {
namespace {

constexpr int64_t kMaxEdits = 64;    // of the edit script in one gap
constexpr int kMaxRounds = 32;       // of splitting at unique keys

struct Range {
  int64_t lhs_begin, lhs_end, rhs_begin, rhs_end;
  int round = 0;
};

// Finds elements of equal keys that keep their order: right_of[i] is the partner of left element i, or -1.
class KeyMatcher {
 public:
  KeyMatcher(const std::vector<Digest>& lhs, const std::vector<Digest>& rhs, const Nearness* nearness)
      : lhs_(lhs),
        rhs_(rhs),
        lhs_anchors_(nearness != nullptr ? nearness->lhs_exact : lhs),
        rhs_anchors_(nearness != nullptr ? nearness->rhs_exact : rhs),
        nearness_(nearness),
        right_of_(lhs.size(), -1) {}

  std::vector<int64_t> Run() {
    work_.push_back({0, static_cast<int64_t>(lhs_.size()), 0, static_cast<int64_t>(rhs_.size())});
    while (!work_.empty()) {
      Range range = work_.back();
      work_.pop_back();
      Match(range);
    }
    return std::move(right_of_);
  }

 private:
  bool Same(int64_t i, int64_t j) const {
    const auto l = static_cast<size_t>(i), r = static_cast<size_t>(j);
    return lhs_[l] == rhs_[r] && (nearness_ == nullptr || nearness_->lhs[l].MayBeNear(nearness_->rhs[r]));
  }
  void Join(int64_t i, int64_t j) { right_of_[static_cast<size_t>(i)] = j; }

  void Match(Range r) {
    while (r.lhs_begin < r.lhs_end && r.rhs_begin < r.rhs_end && Same(r.lhs_begin, r.rhs_begin))
      Join(r.lhs_begin++, r.rhs_begin++);
    while (r.lhs_begin < r.lhs_end && r.rhs_begin < r.rhs_end && Same(r.lhs_end - 1, r.rhs_end - 1))
      Join(--r.lhs_end, --r.rhs_end);
    if (r.lhs_begin == r.lhs_end || r.rhs_begin == r.rhs_end) return;
    if (r.round >= kMaxRounds || !SplitAtUnique(r)) EditScript(r);
  }

  // Anchors: keys that stand once on each side, the longest run of them in order on both.
  bool SplitAtUnique(const Range& r) {
    struct Seen {
      int64_t lhs = 0, rhs = 0, lhs_count = 0, rhs_count = 0;
    };
    std::unordered_map<Digest, Seen, DigestHash> seen;
    for (int64_t i = r.lhs_begin; i < r.lhs_end; ++i) {
      Seen& s = seen[lhs_anchors_[static_cast<size_t>(i)]];
      s.lhs = i;
      ++s.lhs_count;
    }
    for (int64_t j = r.rhs_begin; j < r.rhs_end; ++j) {
      Seen& s = seen[rhs_anchors_[static_cast<size_t>(j)]];
      s.rhs = j;
      ++s.rhs_count;
    }
    std::vector<Pair> unique;
    for (int64_t i = r.lhs_begin; i < r.lhs_end; ++i) {
      const Seen& s = seen[lhs_anchors_[static_cast<size_t>(i)]];
      if (s.lhs_count == 1 && s.rhs_count == 1) unique.push_back({i, s.rhs});
    }
    const std::vector<Pair> anchors = LongestIncreasing(unique);
    if (anchors.empty()) return false;
    Range gap = r;
    ++gap.round;
    for (const Pair& anchor : anchors) {
      Join(anchor.lhs, anchor.rhs);
      work_.push_back({gap.lhs_begin, anchor.lhs, gap.rhs_begin, anchor.rhs, gap.round});
      gap.lhs_begin = anchor.lhs + 1;
      gap.rhs_begin = anchor.rhs + 1;
    }
    work_.push_back(gap);
    return true;
  }

  // Patience sorting: pairs come in the order of the left side.
  static std::vector<Pair> LongestIncreasing(const std::vector<Pair>& pairs) {
    std::vector<size_t> tops;  // index of the pair on top of each pile
    std::vector<int64_t> before(pairs.size(), -1);
    for (size_t k = 0; k < pairs.size(); ++k) {
      const auto pile = std::lower_bound(tops.begin(), tops.end(), pairs[k].rhs,
                                         [&](size_t top, int64_t rhs) { return pairs[top].rhs < rhs; });
      if (pile != tops.begin()) before[k] = static_cast<int64_t>(*(pile - 1));
      if (pile == tops.end()) {
        tops.push_back(k);
      } else {
        *pile = k;
      }
    }
    std::vector<Pair> result;
    for (int64_t k = tops.empty() ? -1 : static_cast<int64_t>(tops.back()); k >= 0;
         k = before[static_cast<size_t>(k)]) {
      result.push_back(pairs[static_cast<size_t>(k)]);
    }
    std::reverse(result.begin(), result.end());
    return result;
  }

  // Myers' greedy O(ND) algorithm ("An O(ND) Difference Algorithm and Its Variations", 1986), given up beyond
  // kMaxEdits.
  void EditScript(const Range& r) {
    const int64_t n = r.lhs_end - r.lhs_begin, m = r.rhs_end - r.rhs_begin;
    const int64_t limit = std::min(kMaxEdits, n + m);
    std::vector<int64_t> furthest(static_cast<size_t>(2 * limit + 3), 0);
    std::vector<std::vector<int64_t>> trace;
    const auto at = [&](std::vector<int64_t>& v, int64_t k) -> int64_t& {
      return v[static_cast<size_t>(k + limit + 1)];
    };
    for (int64_t d = 0; d <= limit; ++d) {
      trace.push_back(furthest);
      for (int64_t k = -d; k <= d; k += 2) {
        const bool down = k == -d || (k != d && at(furthest, k - 1) < at(furthest, k + 1));
        int64_t x = down ? at(furthest, k + 1) : at(furthest, k - 1) + 1;
        while (x < n && x - k < m && x - k >= 0 && Same(r.lhs_begin + x, r.rhs_begin + x - k)) ++x;
        at(furthest, k) = x;
        if (x >= n && x - k >= m) return TakeScript(r, trace, d, n, m, limit);
      }
    }
  }

  void TakeScript(const Range& r, std::vector<std::vector<int64_t>>& trace, int64_t d, int64_t x, int64_t y,
                  int64_t limit) {
    const auto at = [&](std::vector<int64_t>& v, int64_t k) -> int64_t& {
      return v[static_cast<size_t>(k + limit + 1)];
    };
    for (; d >= 0; --d) {
      std::vector<int64_t>& furthest = trace[static_cast<size_t>(d)];
      const int64_t k = x - y;
      const bool down = k == -d || (k != d && at(furthest, k - 1) < at(furthest, k + 1));
      const int64_t from_k = down ? k + 1 : k - 1;
      const int64_t from_x = d == 0 ? 0 : at(furthest, from_k);
      const int64_t from_y = d == 0 ? 0 : from_x - from_k;
      while (x > from_x && y > from_y && x > 0 && y > 0 && Same(r.lhs_begin + x - 1, r.rhs_begin + y - 1)) {
        --x;
        --y;
        Join(r.lhs_begin + x, r.rhs_begin + y);
      }
      x = from_x;
      y = from_y;
    }
  }

  const std::vector<Digest>& lhs_;
  const std::vector<Digest>& rhs_;
  const std::vector<Digest>& lhs_anchors_;
  const std::vector<Digest>& rhs_anchors_;
  const Nearness* nearness_;
  std::vector<int64_t> right_of_;
  std::vector<Range> work_;
};

class GapPairing {
 public:
  GapPairing(const TVMFFISeqCell& lhs, const TVMFFISeqCell& rhs, graph::PlanTable& plans, DigestVisitor& lhs_keys,
             DigestVisitor& rhs_keys)
      : lhs_(lhs), rhs_(rhs), plans_(plans), sketches_(plans), lhs_keys_(lhs_keys), rhs_keys_(rhs_keys) {}

  void Run(const Range& gap, std::vector<Pair>* out) {
    const int64_t n = gap.lhs_end - gap.lhs_begin, m = gap.rhs_end - gap.rhs_begin;
    if (n > 0 && m > 0 && n <= kMaxLikenessCells / m) {
      ByLikeness(gap, out);
    } else {
      InOrder(gap, out);
    }
  }

  // Whether two elements may be a pair although their keys differ.
  bool OfOneType(int64_t i, int64_t j) {
    return sketches_.Of(Lhs(i), lhs_keys_, false).type == sketches_.Of(Rhs(j), rhs_keys_, false).type;
  }
  bool MayMove(int64_t j) { return IsWorthMoving(Rhs(j), plans_, keeper_); }

 private:
  const TVMFFIAny& Lhs(int64_t i) const { return graph::ItemsOf(lhs_)[i]; }
  const TVMFFIAny& Rhs(int64_t j) const { return graph::ItemsOf(rhs_)[j]; }

  // The pairs, in order, of the greatest total likeness: a table over both sides.
  void ByLikeness(const Range& gap, std::vector<Pair>* out) {
    const int64_t n = gap.lhs_end - gap.lhs_begin, m = gap.rhs_end - gap.rhs_begin;
    std::vector<Sketch> lhs, rhs;
    for (int64_t i = 0; i < n; ++i) lhs.push_back(sketches_.Of(Lhs(gap.lhs_begin + i), lhs_keys_, true));
    for (int64_t j = 0; j < m; ++j) rhs.push_back(sketches_.Of(Rhs(gap.rhs_begin + j), rhs_keys_, true));
    std::vector<int64_t> best(static_cast<size_t>((n + 1) * (m + 1)), 0);
    const auto at = [&](int64_t i, int64_t j) -> int64_t& { return best[static_cast<size_t>(i * (m + 1) + j)]; };
    for (int64_t i = n - 1; i >= 0; --i) {
      for (int64_t j = m - 1; j >= 0; --j) {
        const int64_t like = Likeness(lhs[static_cast<size_t>(i)], rhs[static_cast<size_t>(j)]);
        at(i, j) = std::max({at(i + 1, j), at(i, j + 1), like == 0 ? 0 : like + at(i + 1, j + 1)});
      }
    }
    int64_t i = 0, j = 0;
    while (i < n && j < m) {
      const int64_t like = Likeness(lhs[static_cast<size_t>(i)], rhs[static_cast<size_t>(j)]);
      if (like != 0 && at(i, j) == like + at(i + 1, j + 1)) {
        out->push_back({gap.lhs_begin + i++, gap.rhs_begin + j++});
      } else if (at(i, j) == at(i + 1, j)) {
        out->push_back({gap.lhs_begin + i++, Absent(gap.rhs_begin + j)});
      } else {
        out->push_back({Absent(gap.lhs_begin + i), gap.rhs_begin + j++});
      }
    }
    Rest({gap.lhs_begin + i, gap.lhs_end, gap.rhs_begin + j, gap.rhs_end}, out);
  }

  // Elements of one type in order; for gaps too large for a table.
  void InOrder(Range gap, std::vector<Pair>* out) {
    while (gap.lhs_begin < gap.lhs_end && gap.rhs_begin < gap.rhs_end) {
      if (OfOneType(gap.lhs_begin, gap.rhs_begin)) {
        out->push_back({gap.lhs_begin++, gap.rhs_begin++});
      } else {
        out->push_back({gap.lhs_begin++, Absent(gap.rhs_begin)});
        out->push_back({Absent(gap.lhs_begin), gap.rhs_begin++});
      }
    }
    Rest(gap, out);
  }

  static void Rest(Range gap, std::vector<Pair>* out) {
    while (gap.lhs_begin < gap.lhs_end) out->push_back({gap.lhs_begin++, Absent(gap.rhs_begin)});
    while (gap.rhs_begin < gap.rhs_end) out->push_back({Absent(gap.lhs_begin), gap.rhs_begin++});
  }

  const TVMFFISeqCell& lhs_;
  const TVMFFISeqCell& rhs_;
  graph::PlanTable& plans_;
  graph::Keeper keeper_;
  Sketches sketches_;
  DigestVisitor& lhs_keys_;
  DigestVisitor& rhs_keys_;
};

// Between two pairs, what only the left side has comes first, then what only the right side has; both would stand at
// the end of the run. So the places are the same seen from either side.
void OrderRuns(std::vector<Pair>* pairs) {
  for (size_t begin = 0; begin < pairs->size();) {
    size_t end = begin;
    std::vector<int64_t> deleted, inserted;
    for (; end < pairs->size(); ++end) {
      const Pair& pair = (*pairs)[end];
      if (pair.lhs >= 0 && pair.rhs >= 0) break;
      pair.lhs >= 0 ? deleted.push_back(pair.lhs) : inserted.push_back(pair.rhs);
    }
    if (!deleted.empty() && !inserted.empty()) {
      size_t at = begin;
      for (const int64_t i : deleted) (*pairs)[at++] = {i, Absent(inserted.back() + 1)};
      for (const int64_t j : inserted) (*pairs)[at++] = {Absent(deleted.back() + 1), j};
    }
    begin = end + 1;
  }
}

// Tells apart elements that are alike but for variables and shared nodes which have their partners: by the numbers of
// these. The others keep their keys.
class Refinement {
 public:
  Refinement(graph::PlanTable& plans, const AlignContext& context, bool is_lhs)
      : plans_(plans), keys_(plans, context.options, [&context, is_lhs](const TVMFFIObject* object) {
          return context.bindings.NumberOf(object, is_lhs);
        }) {}

  void Run(const TVMFFISeqCell& cell, const std::unordered_set<Digest, DigestHash>& ambiguous,
           std::vector<Digest>* keys) {
    for (int64_t i = 0; i < cell.size; ++i) {
      const TVMFFIAny& item = graph::ItemsOf(cell)[i];
      Digest& key = (*keys)[static_cast<size_t>(i)];
      // Elements of elements are looked at again and again, so they must not be large.
      if (ambiguous.count(key) != 0 && IsSmall(item, plans_, keeper_)) key = keys_.KeyOf(item, i);
    }
  }

 private:
  graph::PlanTable& plans_;
  graph::Keeper keeper_;
  DigestVisitor keys_;
};

std::unordered_set<Digest, DigestHash> Repeated(const std::vector<Digest>& lhs, const std::vector<Digest>& rhs) {
  std::unordered_set<Digest, DigestHash> repeated;
  for (const std::vector<Digest>* keys : {&lhs, &rhs}) {
    std::unordered_set<Digest, DigestHash> seen;
    for (const Digest& key : *keys) {
      if (!seen.insert(key).second) repeated.insert(key);
    }
  }
  return repeated;
}

}  // namespace

std::vector<Digest> KeysOf(const TVMFFISeqCell& cell, DigestVisitor& keys) {
  std::vector<Digest> result;
  result.reserve(static_cast<size_t>(cell.size));
  for (int64_t i = 0; i < cell.size; ++i) result.push_back(keys.KeyOf(graph::ItemsOf(cell)[i], i));
  return result;
}

namespace {

// How many elements are new, gone or other; a large one that is gone here and new there counts once.
size_t NumDifferent(const std::vector<Digest>& lhs, const std::vector<Digest>& rhs, const std::vector<Pair>& pairs,
                    GapPairing& gaps) {
  size_t different = 0;
  std::unordered_map<Digest, int64_t, DigestHash> gone;
  for (const Pair& pair : pairs) {
    const bool has_lhs = pair.lhs >= 0, has_rhs = pair.rhs >= 0;
    if (has_lhs && !has_rhs) ++gone[lhs[static_cast<size_t>(pair.lhs)]];
    different += !has_lhs || !has_rhs || lhs[static_cast<size_t>(pair.lhs)] != rhs[static_cast<size_t>(pair.rhs)];
  }
  for (const Pair& pair : pairs) {
    const auto moved = pair.lhs < 0 ? gone.find(rhs[static_cast<size_t>(pair.rhs)]) : gone.end();
    if (moved != gone.end() && gaps.MayMove(pair.rhs) && moved->second-- > 0) --different;
  }
  return different;
}

// Whether fewer elements differ when each is compared with the one at its place: keys that changed may happen to be
// those of other elements.
bool InPlaceIsLess(const std::vector<Digest>& lhs, const std::vector<Digest>& rhs, const std::vector<Pair>& pairs,
                   GapPairing& gaps) {
  if (lhs.size() != rhs.size()) return false;
  const size_t aligned = NumDifferent(lhs, rhs, pairs, gaps);
  size_t in_place = 0;
  for (size_t i = 0; i < lhs.size() && in_place < aligned; ++i) {
    const auto at = static_cast<int64_t>(i);
    if (lhs[i] == rhs[i]) continue;
    if (!gaps.OfOneType(at, at)) return false;
    ++in_place;
  }
  return in_place < aligned;
}

}  // namespace

std::vector<Pair> AlignSequences(const TVMFFISeqCell& lhs, const TVMFFISeqCell& rhs, graph::PlanTable& plans,
                                 DigestVisitor& lhs_keys, DigestVisitor& rhs_keys, const Nearness* nearness,
                                 const AlignContext* context) {
  std::vector<Digest> l = KeysOf(lhs, lhs_keys), r = KeysOf(rhs, rhs_keys);
  if (context != nullptr && l != r) {
    const std::unordered_set<Digest, DigestHash> repeated = Repeated(l, r);
    if (!repeated.empty()) {
      Refinement(plans, *context, true).Run(lhs, repeated, &l);
      Refinement(plans, *context, false).Run(rhs, repeated, &r);
    }
  }
  const std::vector<int64_t> right_of = KeyMatcher(l, r, nearness).Run();
  GapPairing gaps(lhs, rhs, plans, lhs_keys, rhs_keys);
  std::vector<Pair> pairs;
  pairs.reserve(std::max(l.size(), r.size()));
  Range gap{0, 0, 0, 0};
  for (int64_t i = 0; i <= lhs.size; ++i) {
    const int64_t j = i < lhs.size ? right_of[static_cast<size_t>(i)] : rhs.size;
    if (j < 0) continue;
    gap.lhs_end = i;
    gap.rhs_end = j;
    gaps.Run(gap, &pairs);
    if (i < lhs.size) pairs.push_back({i, j});
    gap.lhs_begin = i + 1;
    gap.rhs_begin = j + 1;
  }
  if (nearness == nullptr && InPlaceIsLess(l, r, pairs, gaps)) {
    pairs.clear();
    for (int64_t i = 0; i < lhs.size; ++i) pairs.push_back({i, i});
  }
  OrderRuns(&pairs);
  return pairs;
}

}  // namespace transom::structural
