#include <transom/render/statistics_text.h>

#include <gtest/gtest.h>

#include <limits>

namespace transom {
namespace {

TEST(StatisticsTextTest, TotalsThenTypes) {
  GraphStatistics statistics;
  statistics.objects = 1234567;
  statistics.shared = 3;
  statistics.edges = 999;
  statistics.max_depth = 12;
  statistics.tree_size = 1000;
  statistics.tensors = 2;
  statistics.tensor_bytes = 3 * 512 * 1024;
  statistics.types = {{"ffi.Array", 1200, 65536}, {"int", 5, 0}};
  EXPECT_EQ(StatisticsText(statistics),
            "  objects         1,234,567 (3 shared)\n"
            "  references      999\n"
            "  depth           12\n"
            "  unfolded        1,000\n"
            "  tensors         2 (1.5 MiB)\n"
            "  count   bytes  type\n"
            "  1,200  65,536  ffi.Array\n"
            "      5       0  int\n");
}

TEST(StatisticsTextTest, AnUnfoldingBeyondCountingSaysSo) {
  GraphStatistics statistics;
  statistics.tree_size = std::numeric_limits<uint64_t>::max();
  EXPECT_NE(StatisticsText(statistics).find("2^64 or more"), std::string::npos);
}

}  // namespace
}  // namespace transom
