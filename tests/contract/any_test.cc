// The contract's page: Any and AnyView.
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "contract/contract_types.h"

namespace {

static_assert(sizeof(ffi::Any) == 16 && sizeof(ffi::AnyView) == 16 && sizeof(TVMFFIAny) == 16);
static_assert(std::is_trivially_destructible_v<ffi::AnyView>);

TEST(Contract, AnyAndAnyView) {
  ffi::AnyView v = 42;  // borrows, trivially destructible, never touches a reference count
  ffi::Any a = v;       // owns: takes a reference for objects, copies borrowed strings and bytes
  EXPECT_TRUE(a.cast<int64_t>() == 42);
  EXPECT_EQ(a.try_cast<double>(), 42.0);                        // int to float converts,
  EXPECT_FALSE(ffi::Any(4.5).try_cast<int64_t>().has_value());  // float to int does not
  bool found = false;
  if (auto* i = a.as<int64_t>()) {  // exact type or nullptr, no conversion, points into the value
    found = *i == 42 && reinterpret_cast<const char*>(i) == reinterpret_cast<const char*>(&a) + 8;
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(a.as<double>(), nullptr);
  EXPECT_EQ(a.as<bool>(), nullptr);
  v.reset();  // None
  EXPECT_EQ(v.type_index(), kTVMFFINone);
  EXPECT_TRUE(v == nullptr);
}

TEST(Contract, AnyIsCheckedAndNamesBothTypes) {
  try {
    ffi::Any(4.5).cast<int64_t>();
    FAIL();
  } catch (const ffi::Error& error) {
    EXPECT_STREQ(error.what(), "TypeError: Cannot convert from type `float` to `int`");
  }
}

TEST(Contract, AnyOwnsAndAnyViewBorrows) {
  IntImm object(1, ffi::DataType::Int(32));
  ffi::AnyView view = object;
  EXPECT_EQ(object.use_count(), 1u);
  ffi::Any owned = view;
  EXPECT_EQ(object.use_count(), 2u);
  std::string text = "a text that is too long to lie in the value";
  ffi::Any copied = ffi::AnyView(text);
  text.assign(text.size(), '#');
  EXPECT_EQ(copied.cast<ffi::String>(), "a text that is too long to lie in the value");
  char memory[] = "bytes that are too many to lie in the value";
  TVMFFIByteArray bytes{memory, sizeof(memory) - 1};
  ffi::Any copied_bytes = ffi::AnyView(&bytes);
  memory[0] = '#';
  EXPECT_EQ(copied_bytes.cast<ffi::Bytes>()[0], 'b');
}

}  // namespace
