/*
 * How much two elements are alike that are not equal.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_LIKENESS_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_LIKENESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "structural/hash/digest_visitor.h"

namespace transom::structural {

/*! \brief Of a table of all elements against all. */
constexpr int64_t kMaxLikenessCells = 4096;

/*! \brief What an element is like, without its place. */
struct Sketch {
  uint64_t type = 0;
  std::string label;
  std::vector<uint64_t> children;  // keys, sorted; of the first ones
};

class Sketches {
 public:
  explicit Sketches(graph::PlanTable& plans) : plans_(plans) {}
  /*! \brief Without content, only the type. */
  Sketch Of(const TVMFFIAny& value, DigestVisitor& keys, bool with_content);

 private:
  graph::PlanTable& plans_;
  graph::Keeper keeper_;
};

/*! \brief 0: never a pair. Any pair is better than none; labels and common children decide between pairs. */
int64_t Likeness(const Sketch& a, const Sketch& b);

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_LIKENESS_H_
