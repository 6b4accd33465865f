#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/optional.h>

#include "containers/test_objects.h"
#include "support/error_of.h"

namespace transom {
namespace {

using test::Counted;
using test::CountedObj;
using testing::ErrorOf;

static_assert(sizeof(Optional<Counted>) == 8 && sizeof(Optional<Array<int64_t>>) == 8);
static_assert(sizeof(Optional<ObjectPtr<CountedObj>>) == 8);
static_assert(sizeof(Optional<String>) == 16 && sizeof(Optional<double>) == 16 && sizeof(Optional<Any>) == 16);
static_assert(!std::is_convertible_v<String, Optional<int64_t>>);

TEST(Optional, HoldsAValueOrNothing) {
  Optional<int64_t> empty;
  EXPECT_FALSE(empty.has_value());
  EXPECT_EQ(empty, std::nullopt);
  EXPECT_EQ(empty.value_or(7), 7);
  EXPECT_EQ(ErrorOf([&] { *empty; }), "RuntimeError: Expected an optional `int` to have a value but it has none");
  Optional<int64_t> five = 5;
  ASSERT_TRUE(five);
  EXPECT_EQ(*five, 5);
  EXPECT_EQ(five, 5);
  EXPECT_NE(five, empty);
  five.reset();
  EXPECT_EQ(five, empty);
  Optional<String> text = "long enough for the heap";
  EXPECT_EQ(text->size(), 24u);
  EXPECT_EQ(std::move(text).value(), "long enough for the heap");
  EXPECT_FALSE(text.has_value()) << "moved out";  // NOLINT
}

TEST(Optional, ReferencesAreOnePointer) {
  Counted object(3);
  Optional<Counted> some = object;
  EXPECT_EQ(object.use_count(), 2u);
  EXPECT_EQ((*some)->id, 3);
  const void* memory = nullptr;
  std::memcpy(&memory, &some, sizeof(memory));
  EXPECT_EQ(memory, object.get());
  Optional<Counted> none = nullptr;
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(Optional<ObjectRef>(ObjectRef()), nullptr) << "a NULL reference is nothing";
  Optional<ObjectRef> wider = some;
  EXPECT_TRUE((*wider).same_as(object));
  some = none;
  wider = std::nullopt;
  EXPECT_EQ(object.use_count(), 1u);
}

TEST(Optional, TravelsAsTheValueOrNone) {
  EXPECT_EQ(Any(Optional<int64_t>()).type_index(), kTVMFFINone);
  EXPECT_EQ(Any(Optional<int64_t>(4)).cast<int64_t>(), 4);
  EXPECT_EQ(Any(4).cast<Optional<double>>(), 4.0);
  EXPECT_EQ(Any().cast<Optional<double>>(), std::nullopt);
  EXPECT_EQ(Any().cast<Optional<Counted>>(), nullptr);
  EXPECT_EQ(ErrorOf([] { Any("x").cast<Optional<int64_t>>(); }),
            "TypeError: Cannot convert from type `ffi.SmallStr` to `Optional<int>`");
  Any held = Optional<Array<int64_t>>(Array<int64_t>{1});
  EXPECT_EQ(held.cast<Optional<Array<double>>>()->size(), 1);
  EXPECT_EQ(TypeTraits<Optional<int64_t>>::Schema(), R"({"type":"Optional","args":[{"type":"int"}]})");
  EXPECT_EQ(Optional<int64_t>(std::optional<int64_t>(2)).ToStd(), std::optional<int64_t>(2));
}

TEST(Optional, EveryReferenceIsGivenBack) {
  ASSERT_EQ(CountedObj::live, 0);
  {
    Optional<Counted> a = Counted(1);
    Optional<Counted> b = a;
    Any any = std::move(a);
    b = any.cast<Optional<Counted>>();
    Counted out = std::move(any).cast<Optional<Counted>>().value();
    EXPECT_EQ(out.use_count(), 2u);
  }
  EXPECT_EQ(CountedObj::live, 0);
}

}  // namespace
}  // namespace transom
