#include "schema/abi_version.h"

#include <gtest/gtest.h>

namespace transom::schema {
namespace {

TEST(AbiVersion, TheProviderOfThisProcessCanBeUsed) {
  TVMFFIVersion version;
  TVMFFIGetVersion(&version);
  EXPECT_EQ(AbiProblem(version), "");
}

TEST(AbiVersion, LaterPatchesAreTheSameContract) {
  EXPECT_EQ(AbiProblem({0, 1, 14}), "");
  EXPECT_EQ(AbiProblem({0, 1, 99}), "");
}

TEST(AbiVersion, OtherContractsAreNamed) {
  EXPECT_EQ(AbiProblem({0, 1, 13}),
            "the TVM-FFI library in this process implements release 0.1.13 of the contract, but Transom needs 0.1.x "
            "from 0.1.14 on; "
            "install a release of apache-tvm-ffi in that range");
  EXPECT_NE(AbiProblem({0, 2, 0}).find("release 0.2.0 "), std::string::npos);
  EXPECT_NE(AbiProblem({1, 1, 14}).find("release 1.1.14 "), std::string::npos);
}

}  // namespace
}  // namespace transom::schema
