// The contract's page: objects, reflection and global functions.
#include <gtest/gtest.h>

#include <string>

#include "contract/contract_types.h"

TVM_FFI_REGISTER_GLOBAL_FUNC("math.add").set_body([](int64_t a, int64_t b) { return a + b; });

namespace {

// The class as the page has it, without a type key of its own.
namespace as_written {
class IntImmNode : public PrimExprNode {
 public:
  int64_t value;
  ffi::DataType dtype;
  static void RegisterReflection() {
    refl::ObjectDef<IntImmNode>().def_ro("value", &IntImmNode::value).def_ro("dtype", &IntImmNode::dtype);
  }
};
}  // namespace as_written

TEST(Contract, ObjectsAndReflection) {
  IntImm imm(42, ffi::DataType::Int(32));
  EXPECT_EQ(imm->GetTypeKey(), "contract.IntImm");
  EXPECT_TRUE(imm->IsInstance<PrimExprNode>());
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(imm->type_index());
  ASSERT_EQ(info->num_fields, 2);
  const TVMFFIFieldInfo* value = refl::FindField(info, "value");
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(value->flags & kTVMFFIFieldFlagBitMaskWritable, 0);
  EXPECT_EQ(refl::GetField(imm.get(), value).cast<int64_t>(), 42);
  EXPECT_EQ(refl::GetField(imm.get(), refl::FindField(info, "dtype")).cast<ffi::DataType>(), ffi::DataType::Int(32));
}

TEST(Contract, AClassWithoutATypeKeyIsToldSo) {
  try {
    as_written::IntImmNode::RegisterReflection();
    FAIL();
  } catch (const ffi::Error& error) {
    EXPECT_STREQ(error.what(),
                 "TypeError: A class derived from that of `contract.PrimExpr` is registered without a type key of its "
                 "own; declare it with TRANSOM_DECLARE_OBJECT_INFO");
  }
}

TEST(Contract, GlobalFunctions) {
  ffi::Function add = ffi::Function::GetGlobalRequired("math.add");
  EXPECT_TRUE(add(1, 2).cast<int64_t>() == 3);
}

TEST(Contract, ANameIsRegisteredTwiceOnRequestOnly) {
  ffi::Function other = ffi::Function::FromTyped([](int64_t a, int64_t b) { return a - b; });
  ffi::Function::SetGlobal("contract.taken", ffi::Function::GetGlobalRequired("math.add"));
  try {
    ffi::Function::SetGlobal("contract.taken", other);
    FAIL();
  } catch (const ffi::Error& error) {
    EXPECT_EQ(error.kind(), "RuntimeError");
    EXPECT_NE(error.message().find("`contract.taken`"), std::string::npos) << error.what();
  }
  EXPECT_EQ(ffi::Function::GetGlobalRequired("contract.taken")(1, 2).cast<int64_t>(), 3);
  ffi::Function::SetGlobal("contract.taken", other, true);
  EXPECT_EQ(ffi::Function::GetGlobalRequired("contract.taken")(1, 2).cast<int64_t>(), -1);
}

}  // namespace
