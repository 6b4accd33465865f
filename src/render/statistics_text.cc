#include <transom/render/statistics_text.h>

#include <algorithm>
#include <cstdio>
#include <limits>

namespace transom {
namespace {

// Digits in groups of three: counts of large graphs are read, not parsed.
std::string Grouped(uint64_t n) {
  std::string text = std::to_string(n);
  for (size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

std::string BytesText(uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  auto value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024; ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f %s", value, kUnits[unit]);
  return text;
}

std::string TreeText(uint64_t size) {
  return size == std::numeric_limits<uint64_t>::max() ? "2^64 or more" : Grouped(size);
}

void Row(const std::string& name, const std::string& value, std::string* out) {
  *out += "  " + name + std::string(name.size() < 16 ? 16 - name.size() : 1, ' ') + value + "\n";
}

}  // namespace

std::string StatisticsText(const GraphStatistics& statistics) {
  std::string out;
  Row("objects", Grouped(statistics.objects) + " (" + Grouped(statistics.shared) + " shared)", &out);
  Row("references", Grouped(statistics.edges), &out);
  Row("depth", Grouped(statistics.max_depth), &out);
  Row("unfolded", TreeText(statistics.tree_size), &out);
  Row("tensors", Grouped(statistics.tensors) + " (" + BytesText(statistics.tensor_bytes) + ")", &out);
  size_t count_width = 5;
  size_t bytes_width = 5;
  for (const TypeCount& type : statistics.types) {
    count_width = std::max(count_width, Grouped(type.count).size());
    bytes_width = std::max(bytes_width, Grouped(type.bytes).size());
  }
  const auto line = [&](const std::string& count, const std::string& bytes, const std::string& key) {
    out += "  " + std::string(count_width - count.size(), ' ') + count + "  " +
           std::string(bytes_width - bytes.size(), ' ') + bytes + "  " + key + "\n";
  };
  line("count", "bytes", "type");
  for (const TypeCount& type : statistics.types) line(Grouped(type.count), Grouped(type.bytes), type.type_key);
  return out;
}

}  // namespace transom
