/*
 * NaN as a key of maps: keys of other bits are other keys, but all NaNs are equal values.
 */
#include <gtest/gtest.h>
#include <transom/containers/dict.h>
#include <transom/containers/map.h>
#include <transom/formats/json_graph.h>
#include <transom/formats/patch.h>
#include <transom/formats/tsm.h>
#include <transom/structural/deduplicate.h>
#include <transom/structural/diff.h>
#include <transom/structural/equal.h>
#include <transom/structural/hash.h>
#include <transom/structural/interner.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "support/error_of.h"

namespace transom {
namespace {

using testing::ErrorOf;
using Entries = Map<Any, Any>;

double Nan(uint64_t bits) {
  const uint64_t all = 0x7ff8000000000000u | bits;
  double value;
  std::memcpy(&value, &all, sizeof(value));
  return value;
}

bool Equal(const Any& a, const Any& b) {
  const bool equal = StructuralEqual::Equal(a, b);
  EXPECT_EQ(StructuralDiff(a, b).equal(), equal);
  EXPECT_EQ(EqualForDiff(a, b), equal);
  EXPECT_EQ(!StructuralEqual::GetFirstMismatch(a, b).has_value(), equal);
  EXPECT_EQ(StructuralDigest(a) == StructuralDigest(b), equal);
  return equal;
}

TEST(NanKeys, OneOnEachSidePairs) {
  EXPECT_TRUE(Equal(Entries{{Nan(0), 1}}, Entries{{Nan(5), 1}}));
  EXPECT_TRUE(Equal(Entries{{"x", 0}, {Nan(0), 1}}, Entries{{Nan(5), 1}, {"x", 0}}));
  EXPECT_TRUE(Equal(Dict<Any, Any>{{Nan(0), 1}}, Dict<Any, Any>{{Nan(5), 1}}));
  EXPECT_FALSE(Equal(Entries{{Nan(0), 1}}, Entries{{Nan(5), 2}}));
  EXPECT_FALSE(Equal(Entries{{Nan(0), 1}}, Entries{{"x", 1}}));
  const DiffResult diff = StructuralDiff(Entries{{Nan(0), 1}}, Entries{{Nan(5), 2}});
  ASSERT_EQ(diff.edits.size(), 1u);
  EXPECT_EQ(diff.edits[0].kind, EditKind::kUpdate);
  EXPECT_EQ(diff.edits[0].LhsAccessPath().ToString(), "<root>[nan]");
}

TEST(NanKeys, EquallyManyPairInTheOrderOfTheirBits) {
  const Any map = Entries{{Nan(1), 1}, {Nan(2), 2}};
  EXPECT_TRUE(Equal(map, Entries{{Nan(2), 2}, {Nan(1), 1}})) << "another order of entries";
  EXPECT_TRUE(Equal(map, Entries{{Nan(7), 1}, {Nan(8), 2}}));
  EXPECT_FALSE(Equal(map, Entries{{Nan(1), 2}, {Nan(2), 1}}));
  EXPECT_FALSE(Equal(map, Entries{{Nan(1), 1}, {"x", 2}}));
  EXPECT_FALSE(Equal(map, Entries{{Nan(1), 1}, {"x", 2}, {Nan(3), 2}}));
}

TEST(NanKeys, EditsApply) {
  const std::vector<Any> maps = {Entries{},
                                 Entries{{Nan(0), 1}},
                                 Entries{{Nan(5), 1}},
                                 Entries{{Nan(5), 2}, {"x", 1}},
                                 Entries{{"x", 3}, {Nan(5), 1}, {Nan(6), 1}},
                                 Entries{{Nan(5), 2}, {Nan(0), 1}},
                                 Entries{{Nan(0), 2}, {Nan(5), 1}},
                                 Entries{{Nan(7), Array<Any>{1, 2}}, {Nan(0), 1}, {Nan(5), 4}}};
  for (const Any& a : maps) {
    for (const Any& b : maps) {
      const Any result = ApplyDiff(a, StructuralDiff(a, b));
      EXPECT_TRUE(Equal(result, b));
    }
  }
}

TEST(NanKeys, PatchesApplyToKeysOfOtherBits) {
  const Any old_map = Entries{{Nan(5), Array<Any>{1, 2}}, {"x", 1}}, new_map = Entries{{Nan(6), Array<Any>{1, 3}}};
  const std::string patch = SavePatch(old_map, new_map);
  EXPECT_TRUE(Equal(ApplyPatch(old_map, patch).value, new_map));
  EXPECT_TRUE(Equal(ApplyPatch(LoadJSON(SaveJSON(old_map)).value, patch).value, new_map));
}

TEST(NanKeys, SeveralAreRefusedByJsonAndKeptByTsm) {
  const Any map = Array<Any>{Entries{{Nan(0), 1}}, Entries{{Nan(0), 1}, {Nan(5), 2}}};
  EXPECT_EQ(ErrorOf([&] { SaveJSON(map); }),
            "ValueError: <root>[1]: 2 keys of the map are NaN, of different bits, which JSON cannot tell apart; save "
            "as .tsm, which holds them");
  EXPECT_TRUE(Equal(LoadTSM(SaveTSM(map)).value, map));
  const Any one = Entries{{Nan(5), 1}};
  EXPECT_TRUE(Equal(LoadJSON(SaveJSON(one)).value, one));
}

TEST(NanKeys, DeduplicatedAndInternedAsEqual) {
  const Any a = Entries{{Nan(0), 1}, {"x", 2}}, b = Entries{{Nan(5), 1}, {"x", 2}};
  EXPECT_EQ(Deduplicate(Array<Any>{a, b}).objects_saved(), 1u);
  Interner interner;
  EXPECT_TRUE(interner.Intern(a).same_as(interner.Intern(b)));
  const Any two = Entries{{Nan(0), 1}, {Nan(5), 1}}, other = Entries{{Nan(0), 1}, {"x", 1}};
  EXPECT_EQ(Deduplicate(Array<Any>{two, other}).objects_saved(), 0u);
}

}  // namespace
}  // namespace transom
