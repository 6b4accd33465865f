// The contract's page: structural equality and hash.
#include <gtest/gtest.h>

#include <sstream>

#include "contract/contract_types.h"

namespace {

Func Identity(int64_t value, int bits) {
  IntImm imm(value, ffi::DataType::Int(bits));
  return Func({imm}, imm);
}

TEST(Contract, StructuralEqualityAndHash) {
  Func expr = Identity(1, 32), expr_a = Identity(1, 32), expr_b = Identity(1, 64);
  bool equal = ffi::StructuralEqual::Equal(expr_a, expr_b);
  EXPECT_FALSE(equal);
  EXPECT_FALSE(expr.same_as(expr_a));
  EXPECT_TRUE(ffi::StructuralEqual::Equal(expr, expr_a));  // content, not pointers

  auto mismatch = ffi::StructuralEqual::GetFirstMismatch(expr_a, expr_b);
  bool found = false;
  if (mismatch) {
    std::ostringstream text;
    text << mismatch->lhs << ' ' << mismatch->rhs;
    EXPECT_EQ(text.str(), "<root>.params[0].dtype <root>.params[0].dtype");
    found = true;
  }
  EXPECT_TRUE(found);
  EXPECT_FALSE(ffi::StructuralEqual::GetFirstMismatch(expr, expr_a));

  int64_t hash = ffi::StructuralHash()(expr);  // equal structure, equal hash
  EXPECT_EQ(hash, ffi::StructuralHash()(expr_a));
  EXPECT_NE(hash, ffi::StructuralHash()(expr_b));
}

}  // namespace
