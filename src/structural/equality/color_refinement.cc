#include "structural/equality/color_refinement.h"

#include <algorithm>
#include <utility>

namespace transom::structural {
namespace {

// Of all rounds together: nodes and edges, and how often those of both sides.
constexpr uint64_t kMinWork = 8'000'000;
constexpr uint64_t kMaxRounds = 64;
constexpr uint64_t kMinRounds = 12;  // of a refresh

// Numbers modulo the prime 2^61 - 1: sums over the ways to a place, of which there may be any number.
constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;

uint64_t AddMod(uint64_t a, uint64_t b) {
  const uint64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}

uint64_t MultiplyMod(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return AddMod(static_cast<uint64_t>(product & kPrime), static_cast<uint64_t>(product >> 61));
}

}  // namespace

// ---- One side -------------------------------------------------------------------------------------------------------

ColorRefinement::Side::Side(const FlatSide::Input& input, bool left) : flat(input), is_lhs(left) {
  const size_t n = flat.size();
  colors.resize(n);
  digests.resize(n);
  places.resize(n);
  open.resize(n);
  first_in.resize(n + 1);
  in.resize(flat.num_edges());
  for (uint32_t i = 0; i < n; ++i) {
    const FlatSide::Node& node = flat.node(i);
    for (uint32_t e = 0; e < node.num_edges; ++e) ++first_in[flat.edges(node)[e].child + 1];
  }
  for (size_t i = 0; i < n; ++i) first_in[i + 1] += first_in[i];
  std::vector<uint32_t> next(first_in.begin(), first_in.end());
  for (uint32_t i = 0; i < n; ++i) {
    const FlatSide::Node& node = flat.node(i);
    for (uint32_t e = 0; e < node.num_edges; ++e) in[next[flat.edges(node)[e].child]++] = {i, e};
  }
}

void ColorRefinement::Side::Start(const Bindings& bindings) {
  constexpr uint64_t kBoundTo = 1, kOpen = 2;
  identities.clear();
  for (const uint32_t i : flat.order()) {
    const FlatSide::Node& node = flat.node(i);
    const int64_t pair = node.identity ? bindings.NumberOf(node.object, is_lhs) : -1;
    colors[i] = pair >= 0 ? MixTwo(kBoundTo, static_cast<uint64_t>(pair)) : MixTwo(kOpen, node.start);
    open[i] = node.identity && pair < 0;
    if (open[i] != 0) identities.push_back(i);
    for (uint32_t e = 0; e < node.num_edges; ++e) open[i] |= open[flat.edges(node)[e].child];
  }
}

void ColorRefinement::Side::Down() {
  for (const uint32_t i : flat.order()) {
    const FlatSide::Node& node = flat.node(i);
    uint64_t sum = node.leaves;
    for (uint32_t e = 0; e < node.num_edges; ++e) {
      const FlatSide::Edge& edge = flat.edges(node)[e];
      sum += MixTwo(SlotOf(edge), digests[edge.child]);
    }
    digests[i] = MixTwo(node.seed, sum);
    if (node.identity) digests[i] = MixTwo(digests[i], colors[i]);
  }
}

// A way is the product of its steps. Their order is no question: what holds a node comes before it.
void ColorRefinement::Side::RefineByWays() {
  std::fill(places.begin(), places.end(), 0);
  if (!flat.order().empty()) places[flat.order().back()] = 1;
  for (size_t k = flat.order().size(); k-- > 0;) {
    const uint32_t i = flat.order()[k];
    const FlatSide::Node& node = flat.node(i);
    for (uint32_t e = 0; e < node.num_edges; ++e) {
      const FlatSide::Edge& edge = flat.edges(node)[e];
      const uint64_t step = MixTwo(digests[i], SlotOf(edge)) % (kPrime - 1) + 1;
      places[edge.child] = AddMod(places[edge.child], MultiplyMod(places[i], step));
    }
  }
  for (const uint32_t i : identities) colors[i] = MixTwo(MixTwo(colors[i], digests[i]), places[i]);
}

// Containers stand for what holds them. Several equal places count once: equal parts may be one object or several.
void ColorRefinement::Side::RefineByHolders() {
  std::vector<uint64_t> found;
  for (size_t k = flat.order().size(); k-- > 0;) {
    const uint32_t i = flat.order()[k];
    if (!flat.node(i).container && open[i] == 0) continue;
    found.clear();
    for (uint32_t at = first_in[i]; at < first_in[i + 1]; ++at) {
      const auto [holder, e] = in[at];
      const FlatSide::Node& node = flat.node(holder);
      found.push_back(MixTwo(node.container ? places[holder] : digests[holder], SlotOf(flat.edges(node)[e])));
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    places[i] = flat.node(i).seed;
    for (const uint64_t place : found) places[i] += MixTwo(place, 0);
  }
  for (const uint32_t i : identities) colors[i] = MixTwo(colors[i], places[i]);
}

size_t ColorRefinement::Side::NumColors() const {
  std::vector<uint64_t> distinct;
  distinct.reserve(identities.size());
  for (const uint32_t i : identities) distinct.push_back(colors[i]);
  std::sort(distinct.begin(), distinct.end());
  return static_cast<size_t>(std::unique(distinct.begin(), distinct.end()) - distinct.begin());
}

// ---- Both sides -----------------------------------------------------------------------------------------------------

ColorRefinement::ColorRefinement(const FlatSide::Input& lhs, const FlatSide::Input& rhs, const Bindings& bindings)
    : bindings_(bindings), lhs_(lhs, true), rhs_(rhs, false), work_left_(kMinWork + kMaxRounds * RoundSize()) {}

bool ColorRefinement::Refresh() {
  if (work_left_ < kMinRounds * RoundSize()) return false;
  Restart();
  if (lhs_.identities.empty() && rhs_.identities.empty()) return true;  // nobody asks for colours then
  size_t known = 0;
  int depth = kNumDepths - 1;
  for (uint64_t round = 1; depth > 1 || (work_left_ >= kMinRounds / 2 * RoundSize() && SplitMore(&known)); ++round) {
    Both([](Side& side) { side.RefineByHolders(); });
    Both([](Side& side) { side.Down(); });
    if (depth > 1 && (round & (round - 1)) == 0) Keep(depth--);
  }
  Keep(1);
  if (agrees_) GoDeepest();
  Keep(0);
  return true;
}

void ColorRefinement::GoDeepest() {
  Restart();
  for (size_t known = 0; work_left_ >= 2 * RoundSize() && SplitMore(&known);) {
    Both([](Side& side) { side.RefineByWays(); });
    Both([](Side& side) { side.Down(); });
  }
  agrees_ = lhs_.digests[lhs_.flat.order().back()] == rhs_.digests[rhs_.flat.order().back()];
}

template <class Fn>
void ColorRefinement::Both(Fn&& fn) {
  fn(lhs_);
  fn(rhs_);
  work_left_ -= std::min(work_left_, RoundSize());
}

void ColorRefinement::Restart() {
  Both([&](Side& side) { side.Start(bindings_); });
  Both([](Side& side) { side.Down(); });
}

// Whether there are more colours than were known, and not all are different yet.
bool ColorRefinement::SplitMore(size_t* known) const {
  const size_t before = std::exchange(*known, lhs_.NumColors() + rhs_.NumColors());
  return *known != before && *known != lhs_.identities.size() + rhs_.identities.size();
}

void ColorRefinement::Keep(int depth) {
  for (Side* side : {&lhs_, &rhs_}) side->by_depth[static_cast<size_t>(depth)] = side->digests;
}

uint64_t ColorRefinement::Of(const TVMFFIAny& part, bool is_lhs, int depth) const {
  const Side& side = is_lhs ? lhs_ : rhs_;
  const uint32_t number = side.flat.NumberOf(part);
  return number != FlatSide::kNone ? side.by_depth[static_cast<size_t>(depth)][number] : 0;
}

bool ColorRefinement::HoldsOpen(const TVMFFIAny& part, bool is_lhs) const {
  const Side& side = is_lhs ? lhs_ : rhs_;
  const uint32_t number = side.flat.NumberOf(part);
  return number != FlatSide::kNone && side.open[number] != 0;
}

}  // namespace transom::structural
