#include <gtest/gtest.h>
#include <transom/reflection/field_options.h>

namespace transom {
namespace reflection {
namespace {

TEST(FieldOptions, AreCollected) {
  detail::Options options = detail::CollectOptions("doc", SEqHashIgnore(), DefaultValue(3), ReprOff());
  EXPECT_EQ(options.doc, "doc");
  EXPECT_EQ(options.flags,
            kTVMFFIFieldFlagBitMaskSEqHashIgnore | kTVMFFIFieldFlagBitMaskHasDefault | kTVMFFIFieldFlagBitMaskReprOff);
  EXPECT_EQ(options.default_value.cast<int>(), 3);
  EXPECT_EQ(detail::CollectOptions().flags, 0);
}

TEST(FieldOptions, FactoryMakesAValueEachTime) {
  int made = 0;
  detail::Options options = detail::CollectOptions(DefaultFactory([&made] { return ++made; }));
  EXPECT_EQ(options.flags, kTVMFFIFieldFlagBitMaskHasDefault | kTVMFFIFieldFlagBitMaskDefaultFromFactory);
  Function factory = options.default_value.cast<Function>();
  EXPECT_EQ(factory().cast<int>(), 1);
  EXPECT_EQ(factory().cast<int>(), 2);
}

TEST(FieldOptions, FlagsAreThoseOfTheContract) {
  EXPECT_EQ(SEqHashIgnore().bits, 0x8);
  EXPECT_EQ(SEqHashDefRecursive().bits, 0x10);
  EXPECT_EQ(ReprOff().bits, 0x40);
  EXPECT_EQ(CompareOff().bits, 0x80);
  EXPECT_EQ(HashOff().bits, 0x100);
  EXPECT_EQ(InitOff().bits, 0x200);
  EXPECT_EQ(KwOnly().bits, 0x400);
  EXPECT_EQ(SEqHashDefNonRecursive().bits, 0x1000);
}

}  // namespace
}  // namespace reflection
}  // namespace transom
