// Loads, compares and saves a graph through an installed Transom.
#include <transom/transom.h>

#include <cstdio>

int main() {
  transom::Array<int64_t> numbers = {1, 2, 3};
  transom::String text = transom::SerializeToJSON(numbers);
  transom::Any back = transom::DeserializeFromJSON(text);
  if (!transom::StructuralEqual::Equal(numbers, back)) {
    std::fprintf(stderr, "the array came back as another value\n");
    return 1;
  }
  return 0;
}
