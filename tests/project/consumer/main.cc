// consumer FILE: saves a graph with a tensor into a file, loads it and compares, through an installed Transom.
#include <transom/transom.h>

#include <cstdio>
#include <numeric>

namespace {

transom::Map<transom::String, transom::Any> MakeGraph() {
  transom::Tensor weights = transom::Tensor::Empty({2, 3}, transom::DataType::Float(32));
  auto* elements = static_cast<float*>(weights.data_ptr());
  std::iota(elements, elements + weights.numel(), 0.5f);
  transom::Array<int64_t> axes = {0, 1};
  return {{"weights", weights}, {"axes", axes}, {"same axes", axes}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: consumer FILE\n");
    return 2;
  }
  try {
    auto graph = MakeGraph();
    transom::SaveToFile(graph, argv[1]);
    transom::Any back = transom::LoadFromFile(argv[1]).value;
    if (auto mismatch = transom::StructuralEqual::GetFirstMismatch(graph, back)) {
      std::fprintf(stderr, "%s: another value came back\n", argv[1]);
      return 1;
    }
    auto loaded = back.cast<transom::Map<transom::String, transom::Any>>();
    return loaded["axes"].same_as(loaded["same axes"]) ? 0 : 1;
  } catch (const transom::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
