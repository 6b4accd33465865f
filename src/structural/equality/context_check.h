/*
 * Whether parts that look alike without their context are alike in it.
 */
#ifndef TRANSOM_SRC_STRUCTURAL_EQUALITY_CONTEXT_CHECK_H_
#define TRANSOM_SRC_STRUCTURAL_EQUALITY_CONTEXT_CHECK_H_

#include <functional>

#include "graph/type_plan.h"

namespace transom::structural {

/*!
 * \brief Compares the variables and shared nodes of two parts whose keys are equal, without binding any: those that
 * keys do not tell apart. The work of all checks together is bounded; beyond that, the keys are believed. So this says
 * what is worth a comparison, or the name of a difference, never that parts are equal.
 */
class ContextCheck {
 public:
  enum class Met : uint8_t {
    kSame,   // they belong together
    kOther,  // they belong to others
    kOpen,   // neither belongs to anything yet
  };
  /*! \brief What is known of two variables or shared nodes. */
  using Meet = std::function<Met(const TVMFFIObject* lhs, const TVMFFIObject* rhs)>;

  explicit ContextCheck(graph::PlanTable& plans) : plans_(plans) {}
  bool Agrees(const TVMFFIAny& lhs, const TVMFFIAny& rhs, const Meet& meet);

 private:
  graph::PlanTable& plans_;
  graph::Keeper keeper_;
  uint64_t values_left_ = 4'000'000;  // that checks may look at
};

}  // namespace transom::structural
#endif  // TRANSOM_SRC_STRUCTURAL_EQUALITY_CONTEXT_CHECK_H_
