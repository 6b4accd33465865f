#include <gtest/gtest.h>
#include <transom/runtime/error.h>
#include <transom/runtime/object.h>

#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>

namespace transom {
namespace {

class AnimalObj : public Object {
 public:
  explicit AnimalObj(int64_t age_in_years = 0) : age(age_in_years) {}
  int64_t age;
  static constexpr int32_t _type_child_slots = 4;
  TRANSOM_DECLARE_OBJECT_INFO("test.object.Animal", AnimalObj, Object);
};
class DogObj : public AnimalObj {
 public:
  using AnimalObj::AnimalObj;
  std::string name;
  static constexpr int32_t _type_child_slots = 0;
  TRANSOM_DECLARE_OBJECT_INFO("test.object.Dog", DogObj, AnimalObj);
};
class PoodleObj : public DogObj {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.object.Poodle", PoodleObj, DogObj);
};
class StoneObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.object.Stone", StoneObj, Object);
};

class Animal : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Animal, ObjectRef, AnimalObj);
};
class Dog : public Animal {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Dog, Animal, DogObj);
};

TEST(Object, LayoutIsThatOfTheContract) {
  EXPECT_EQ(sizeof(Object), 24u);
  EXPECT_EQ(sizeof(ObjectRef), 8u);
  EXPECT_EQ(sizeof(ObjectPtr<AnimalObj>), 8u);
  EXPECT_EQ(sizeof(Dog), 8u);
  auto animal = make_object<AnimalObj>(3);
  auto* header = reinterpret_cast<TVMFFIObject*>(animal.get());
  EXPECT_EQ(header->combined_ref_count, uint64_t{0x100000001});
  EXPECT_EQ(header->type_index, AnimalObj::RuntimeTypeIndex());
  EXPECT_EQ(header->__padding, 0u);
  EXPECT_NE(header->deleter, nullptr);
  EXPECT_EQ(reinterpret_cast<char*>(&animal->age) - reinterpret_cast<char*>(header), 24);
}

TEST(Object, KnowsItsType) {
  auto poodle = make_object<PoodleObj>();
  EXPECT_EQ(poodle->GetTypeKey(), "test.object.Poodle");
  EXPECT_TRUE(poodle->IsInstance<Object>());
  EXPECT_TRUE(poodle->IsInstance<AnimalObj>());
  EXPECT_TRUE(poodle->IsInstance<DogObj>());
  EXPECT_TRUE(poodle->IsInstance<PoodleObj>());
  EXPECT_FALSE(poodle->IsInstance<StoneObj>());
  auto animal = make_object<AnimalObj>();
  EXPECT_FALSE(animal->IsInstance<DogObj>());
  EXPECT_FALSE(animal->IsInstance<StoneObj>());
  EXPECT_FALSE(make_object<StoneObj>()->IsInstance<AnimalObj>());
  EXPECT_EQ(PoodleObj::_type_depth, 3);
}

TEST(Object, ChildTakesASlotOfItsParent) {
  int32_t animal = AnimalObj::RuntimeTypeIndex();
  int32_t dog = DogObj::RuntimeTypeIndex();
  EXPECT_GT(dog, animal);
  EXPECT_LE(dog, animal + 4);
  // Dog keeps no slots, so its child lies outside and is found by its ancestors.
  int32_t poodle = PoodleObj::RuntimeTypeIndex();
  EXPECT_TRUE(IsObjectInstance<AnimalObj>(poodle));
  EXPECT_TRUE(IsObjectInstance<DogObj>(poodle));
}

TEST(Object, ConstructorThatThrowsLeavesNothing) {
  class ThrowingObj : public Object {
   public:
    ThrowingObj() { throw std::runtime_error("no"); }
  };
  EXPECT_THROW(make_object<ThrowingObj>(), std::runtime_error);
}

TEST(Object, OverAlignedBody) {
  class alignas(64) WideObj : public Object {
   public:
    char bytes[64];
    ~WideObj() { bytes[0] = 0; }
  };
  auto wide = make_object<WideObj>();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(wide.get()) % 64, 0u);
}

TEST(Object, PolymorphicBodyHasItsHeaderBehindTheVirtualTable) {
  class VirtualObj final : public Object {
   public:
    explicit VirtualObj(int* count) : deaths(count) {}
    virtual int Value() const { return 5; }
    ~VirtualObj() { ++*deaths; }  // NOLINT: destroyed as its own class only
    int* deaths;
  };
  int deaths = 0;
  auto obj = make_object<VirtualObj>(&deaths);
  EXPECT_EQ(obj->Value(), 5);
  EXPECT_EQ(obj->use_count(), 1u);
  ObjectPtr<Object> base = obj;
  EXPECT_NE(static_cast<void*>(base.get()), static_cast<void*>(obj.get()));
  obj.reset();
  base.reset();
  EXPECT_EQ(deaths, 1);
}

TEST(Object, InplaceArrayFollowsTheBody) {
  auto obj = make_inplace_array_object<StoneObj, int64_t>(100);
  auto* tail = reinterpret_cast<int64_t*>(obj.get() + 1);
  for (int i = 0; i < 100; ++i) tail[i] = i;
  EXPECT_EQ(tail[99], 99);
  EXPECT_THROW((make_inplace_array_object<StoneObj, int64_t>(SIZE_MAX / 8)), std::bad_alloc);
}

TEST(ObjectPtr, CountsReferences) {
  ObjectPtr<DogObj> dog = make_object<DogObj>(4);
  EXPECT_TRUE(dog.unique());
  ObjectPtr<AnimalObj> animal = dog;
  EXPECT_EQ(dog.use_count(), 2u);
  EXPECT_EQ(animal->age, 4);
  ObjectPtr<AnimalObj> moved = std::move(animal);
  EXPECT_EQ(animal, nullptr);  // NOLINT: moved-from pointers are NULL
  EXPECT_EQ(dog.use_count(), 2u);
  moved = nullptr;
  EXPECT_TRUE(dog.unique());
  ObjectPtr<DogObj>& alias = dog;
  dog = alias;
  EXPECT_TRUE(dog.unique());
  EXPECT_EQ(ObjectPtr<DogObj>().use_count(), 0u);
}

TEST(WeakObjectPtr, DoesNotKeepAlive) {
  ObjectPtr<DogObj> dog = make_object<DogObj>();
  WeakObjectPtr<DogObj> watcher(dog);
  EXPECT_TRUE(dog.unique());
  EXPECT_EQ(watcher.lock(), dog);
  WeakObjectPtr<DogObj> copy = watcher;
  dog.reset();
  EXPECT_TRUE(copy.expired());
  EXPECT_EQ(watcher.lock(), nullptr);
}

TEST(ObjectRef, ComparesByIdentity) {
  Animal a(make_object<AnimalObj>(1));
  Animal b = a;
  Animal c(make_object<AnimalObj>(1));
  EXPECT_TRUE(a.same_as(b));
  EXPECT_TRUE(a == b);
  EXPECT_TRUE(a != c);
  EXPECT_EQ(a.use_count(), 2u);
  EXPECT_FALSE(a == nullptr);
  EXPECT_TRUE(Animal() == nullptr);
  EXPECT_FALSE(Animal().defined());
  EXPECT_EQ(std::hash<ObjectRef>()(a), std::hash<ObjectRef>()(b));
}

TEST(ObjectRef, AsChecksTheType) {
  Animal animal(make_object<DogObj>(9));
  ASSERT_NE(animal.as<DogObj>(), nullptr);
  EXPECT_EQ(animal.as<DogObj>()->age, 9);
  EXPECT_EQ(animal.as<PoodleObj>(), nullptr);
  std::optional<Dog> dog = animal.as<Dog>();
  ASSERT_TRUE(dog.has_value());
  EXPECT_TRUE(dog->same_as(animal));
  EXPECT_EQ(animal.use_count(), 2u);
  EXPECT_FALSE(Animal(make_object<AnimalObj>()).as<Dog>().has_value());
  EXPECT_FALSE(Animal().as<Dog>().has_value());
}

TEST(ObjectRef, NeverNullRefusesNull) {
  try {
    Dog dog{ObjectPtr<DogObj>()};
    FAIL() << "expected a TypeError";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "TypeError: Expected an object of type `test.object.Dog` but got NULL");
  }
}

TEST(ObjectRef, GetRefSharesTheObject) {
  Dog dog(make_object<DogObj>(2));
  Dog again = GetRef<Dog>(dog.get());
  EXPECT_TRUE(again.same_as(dog));
  EXPECT_EQ(dog.use_count(), 2u);
}

}  // namespace
}  // namespace transom
