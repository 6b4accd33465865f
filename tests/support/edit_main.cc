// transom_test_edit SCHEMA IN OUT SEED [NORMAL]: one seeded edit of a JSON graph. Prints the kind, a tab, the node, a
// tab, and where the result breaks a declared type. NORMAL gets the result as a writer would write it, unless it breaks
// a type.
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

#include "support/graph_edit.h"

namespace {

std::string ReadText(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace transom::testing;
  if (argc != 5 && argc != 6) {
    std::cerr << "usage: transom_test_edit SCHEMA IN OUT SEED [NORMAL]\n";
    return 2;
  }
  try {
    TypeRules rules(ReadText(argv[1]));
    NodeTable table = NodeTable::Parse(ReadText(argv[2]));
    EditNote note = EditGraph(rules, &table, std::strtoull(argv[4], nullptr, 10));
    std::ofstream(argv[3], std::ios::binary) << table.ToText();
    const std::string breach = table.FirstBreach(rules);
    std::cout << note.kind << '\t' << note.what << '\t' << breach << '\n';
    if (argc == 6 && breach.empty()) {
      table.Normalize(rules);
      std::ofstream(argv[5], std::ios::binary) << table.ToText();
    }
  } catch (const std::exception& error) {
    std::cerr << "transom_test_edit: " << error.what() << '\n';
    return 2;
  }
  return 0;
}
