/* What the container tests share: objects whose lives are counted, and a look at memory as another library sees it. */
#ifndef TRANSOM_TESTS_CONTAINERS_TEST_OBJECTS_H_
#define TRANSOM_TESTS_CONTAINERS_TEST_OBJECTS_H_

#include <transom/runtime/any.h>
#include <transom/runtime/object.h>

#include <cstring>
#include <functional>
#include <string>
#include <utility>

namespace transom::test {

/* Counts how many of it are alive. */
class CountedObj : public Object {
 public:
  explicit CountedObj(int64_t id) : id(id) { ++live; }
  ~CountedObj() { --live; }
  int64_t id;
  static inline int64_t live = 0;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.containers.Counted", CountedObj, Object);
};

class Counted : public ObjectRef {
 public:
  explicit Counted(int64_t id) : ObjectRef(make_object<CountedObj>(id)) {}
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Counted, ObjectRef, CountedObj);
};

/* Runs something when it dies. */
class OnDeathObj : public Object {
 public:
  explicit OnDeathObj(std::function<void()> run) : run_(std::move(run)) {}
  ~OnDeathObj() { run_(); }
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.containers.OnDeath", OnDeathObj, Object);

 private:
  std::function<void()> run_;
};

/* Reads a T at an offset from the handle. */
template <class T>
T ReadAt(const ObjectRef& ref, size_t offset) {
  T value;
  std::memcpy(&value, reinterpret_cast<const char*>(detail::ObjectAccess::Header(ref)) + offset, sizeof(value));
  return value;
}

}  // namespace transom::test

#endif  // TRANSOM_TESTS_CONTAINERS_TEST_OBJECTS_H_
