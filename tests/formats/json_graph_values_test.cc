// Plain values, texts and tensors in JSON graphs, at their limits.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/bigint.h>
#include <transom/containers/map.h>
#include <transom/containers/shape.h>
#include <transom/containers/tensor.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "formats/graph_text.h"
#include "support/native_types.h"

namespace transom {
namespace {

using testing::Call;
using testing::Const;
using testing::ErrorOf;
using testing::ExpectText;
using testing::Graph;
using testing::Load;
using testing::Save;

TEST(Values, Floats) {
  for (const auto& [value, text] :
       std::vector<std::pair<double, std::string>>{{0.0, "0.0"},
                                                   {-0.0, "-0.0"},
                                                   {3, "3.0"},
                                                   {0.1, "0.10000000000000001"},
                                                   {5e-324, "4.9406564584124654e-324"},
                                                   {std::numeric_limits<double>::min(), "2.2250738585072014e-308"},
                                                   {std::numeric_limits<double>::max(), "1.7976931348623157e+308"},
                                                   {9007199254740991.0, "9007199254740991.0"},
                                                   {9007199254740992.0, "9007199254740992"},
                                                   {1e22, "1e+22"},
                                                   {std::nan(""), "NaN"},
                                                   {HUGE_VAL, "Infinity"},
                                                   {-HUGE_VAL, "-Infinity"}}) {
    const std::string wanted = Graph("{\"type\":\"float\",\"data\":" + text + "}", 0);
    EXPECT_EQ(Save(value), wanted);
    const double again = Load(wanted).cast<double>();
    EXPECT_EQ(std::memcmp(&again, &value, sizeof(value)), 0) << text;
  }
}

TEST(Values, FloatsInOtherSpellings) {
  for (const auto& [text, value] : std::vector<std::pair<std::string, double>>{{"3", 3},
                                                                               {"-0", 0.0},
                                                                               {"1e5", 1e5},
                                                                               {"1E+5", 1e5},
                                                                               {"0.0000", 0},
                                                                               {"1e-400", 0},
                                                                               {"\"NaN\"", std::nan("")},
                                                                               {"\"Infinity\"", HUGE_VAL},
                                                                               {"\"-Infinity\"", -HUGE_VAL}}) {
    const Any loaded = Load(Graph("{\"type\":\"float\",\"data\":" + text + "}", 0));
    EXPECT_TRUE(StructuralEqual::Equal(loaded, value)) << text;
  }
  for (const char* text :
       {"\"nan\"", "\"inf\"", "\"3.0\"", "true", "null", "1e400", "-NaN", "Inf", "+1", "01", "1.", ".5"}) {
    const std::string error =
        ErrorOf([&] { Load(Graph("{\"type\":\"float\",\"data\":" + std::string(text) + "}", 0)); });
    EXPECT_EQ(error.substr(0, 16), "ValueError: byte") << text;
  }
}

TEST(Values, Integers) {
  for (int64_t v : {int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX, (int64_t{1} << 53) + 1}) {
    ExpectText(v, Graph("{\"type\":\"int\",\"data\":" + std::to_string(v) + "}", 0));
  }
  for (const char* text :
       {"9223372036854775808", "-9223372036854775809", "1.0", "1e2", "true", "\"1\"", "99999999999999999999999"}) {
    const std::string error = ErrorOf([&] { Load(Graph("{\"type\":\"int\",\"data\":" + std::string(text) + "}", 0)); });
    EXPECT_EQ(error.substr(0, 16), "ValueError: byte") << text;
  }
}

// A text that would read back as another type is not written.
TEST(Values, DataTypes) {
  int kept = 0, refused = 0;
  for (int code = 0; code < 24; ++code) {
    for (const int bits : {0, 1, 4, 6, 7, 8, 16, 32, 64, 255}) {
      for (const int lanes : {0, 1, 2, 255, 32768, 65535}) {
        const DLDataType dtype{static_cast<uint8_t>(code), static_cast<uint8_t>(bits), static_cast<uint16_t>(lanes)};
        const Any value = Array<Any>{1, DataType(dtype)};
        std::string text;
        const std::string error = ErrorOf([&] { text = Save(value); });
        if (text.empty()) {
          EXPECT_EQ(error.substr(0, 43), "ValueError: <root>[1]: the data type of cod") << error;
          ++refused;
          continue;
        }
        const DataType back = Load(text).cast<Array<Any>>()[1].cast<DataType>();
        EXPECT_EQ(std::memcmp(&back, &dtype, sizeof(dtype)), 0) << text;
        ++kept;
      }
    }
  }
  EXPECT_GT(kept, 100);
  EXPECT_GT(refused, 300);
}

TEST(Values, BigIntegers) {
  for (const char* text : {"9223372036854775808", "-9223372036854775809",
                           "123456789012345678901234567890123456789012345678901234567890"}) {
    ExpectText(BigInt::FromDecimal(text), Graph("{\"type\":\"ffi.BigInt\",\"data\":\"" + std::string(text) + "\"}", 0));
  }
}

TEST(Values, Strings) {
  ExpectText("", Graph(R"({"type":"ffi.String","data":""})", 0));
  ExpectText(String(std::string("a\0b", 3)), Graph(R"({"type":"ffi.String","data":"a\u0000b"})", 0));
  ExpectText("\"\\/\b\f\n\r\t\x1f\x7f", Graph(R"({"type":"ffi.String","data":"\"\\\/\b\f\n\r\t\u001f\u007f"})", 0));
  ExpectText("\xC3\xA9\xF0\x9F\x98\x80", Graph("{\"type\":\"ffi.String\",\"data\":\"\xC3\xA9\xF0\x9F\x98\x80\"}", 0));
  EXPECT_EQ(Load(Graph(R"({"type":"ffi.String","data":"\ud83d\ude00\u00e9"})", 0)).cast<std::string>(),
            "\xF0\x9F\x98\x80\xC3\xA9");
}

TEST(Values, StringsThatAreNoUtf8HaveAnEscape) {
  for (const auto& [bytes, base64] :
       std::vector<std::pair<std::string, std::string>>{{"\xFF", "\\/w=="},
                                                        {"ok\x80", "b2uA"},
                                                        {"\xC0\xAF", "wK8="},
                                                        {"\xED\xA0\x80", "7aCA"},
                                                        {"\xF4\x90\x80\x80", "9JCAgA=="}}) {
    const std::string text = Graph("{\"type\":\"ffi.String\",\"data\":{\"base64\":\"" + base64 + "\"}}", 0);
    ExpectText(String(bytes), text);
    EXPECT_EQ(Load(text).cast<std::string>(), bytes);
  }
  // As a key and in a field too.
  const Any value = Map<String, Any>{{"\xFF", Call("\xFE")}};
  EXPECT_TRUE(StructuralEqual::Equal(DeserializeFromJSON(SerializeToJSON(value)), value));
}

TEST(Values, Bytes) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_TRUE(StructuralEqual::Equal(Load(Save(Bytes(all))), Bytes(all)));
  EXPECT_EQ(Load(Graph(R"({"type":"ffi.Bytes","data":" A Q\nI\t=\r"})", 0)).cast<Bytes>(), Bytes(std::string("\1\2")));
}

TEST(Values, Shapes) {
  ExpectText(Shape{}, Graph(R"({"type":"ffi.Shape","data":[]})", 0));
  ExpectText(Shape{1, -1, INT64_MAX}, Graph(R"({"type":"ffi.Shape","data":[1,-1,9223372036854775807]})", 0));
}

TEST(Values, TensorsArePacked) {
  float data[] = {1, 4, 2, 5, 3, 6};
  int64_t shape[] = {2, 3}, strides[] = {1, 2};
  DLManagedTensor record{};
  record.dl_tensor = {data, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 0};
  const Tensor strided = Tensor::FromDLPack(&record);
  Tensor packed = Tensor::Empty({2, 3}, DataType::Float(32));
  for (int i = 0; i < 6; ++i) static_cast<float*>(packed.data_ptr())[i] = static_cast<float>(i + 1);
  EXPECT_EQ(Save(strided), Save(packed));
  const Tensor again = Load(Save(strided)).cast<Tensor>();
  EXPECT_TRUE(again.IsContiguous());
  EXPECT_EQ(static_cast<float*>(again.data_ptr())[3], 4.0f);
  ExpectText(
      packed,
      Graph(
          R"({"type":"ffi.Tensor","data":"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAgAAAAIgAQACAAAAAAAAAAMAAAAAAAAAGAAAAAAAAAAAAIA\/)"
          R"(AAAAQAAAQEAAAIBAAACgQAAAwEA="})",
          0));
}

TEST(Values, TheSameTensorInEveryPlace) {
  const Tensor tensor = Tensor::Empty({0, 2}, DataType::Int(8));
  const Any value = Array<Any>{tensor, Const(tensor), Map<String, Any>{{"t", tensor}}, Array<Any>{tensor}};
  const Array<Any> again = Load(SaveJSON(value)).cast<Array<Any>>();
  const TVMFFIObject* obj = again[0].raw()->v_obj;
  EXPECT_EQ(again[1].as<testing::ConstObj>()->value.raw()->v_obj, obj);
  EXPECT_EQ((again[2].cast<Map<String, Any>>().at("t").raw()->v_obj), obj);
  EXPECT_TRUE(StructuralEqual::Equal(again, value));
}

}  // namespace
}  // namespace transom
