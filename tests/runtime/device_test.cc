#include <gtest/gtest.h>
#include <transom/runtime/device.h>

#include <sstream>

namespace transom {
namespace {

TEST(Device, TextOfDevices) {
  EXPECT_EQ(Device().ToString(), "cpu:0");
  EXPECT_EQ(Device(2, 3).ToString(), "cuda:3");
  EXPECT_EQ(Device(8, 0).ToString(), "metal:0");
  EXPECT_EQ(Device(15, 1).ToString(), "webgpu:1");
  EXPECT_EQ(Device(99, 1).ToString(), "device_type<99>:1");
  std::ostringstream stream;
  stream << Device(1, 7);
  EXPECT_EQ(stream.str(), "cpu:7");
}

TEST(Device, DevicesOfText) {
  EXPECT_EQ(Device::FromString("cpu"), Device(1, 0));
  EXPECT_EQ(Device::FromString("cuda:12"), Device(2, 12));
  EXPECT_EQ(Device::FromString("mps"), Device(8, 0));
  EXPECT_EQ(Device::FromString("wgpu:1"), Device(15, 1));
  EXPECT_EQ(Device::FromString("cuda:1 -arch=sm_90"), Device(2, 1));
  EXPECT_EQ(Device::FromString("trn:2147483647"), Device(18, 2147483647));
}

TEST(Device, BadTextIsAValueError) {
  for (const char* text :
       {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:2147483648", "CPU", ":1", " cpu"}) {
    try {
      Device::FromString(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), "ValueError");
      EXPECT_NE(error.message().find("`" + std::string(text) + "`"), std::string_view::npos);
    }
  }
}

}  // namespace
}  // namespace transom
