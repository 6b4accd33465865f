// Uses the object model alone: an own type, a container of it, and a function that is called by name.
#include <transom/containers/array.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/function.h>

#include <cstdio>

namespace refl = transom::reflection;

class PointObj : public transom::Object {
 public:
  int64_t x = 0;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("consumer.Point", PointObj, transom::Object);
};

class Point : public transom::ObjectRef {
 public:
  explicit Point(int64_t x) : ObjectRef(transom::make_object<PointObj>()) { get_mutable()->x = x; }
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Point, transom::ObjectRef, PointObj);

 private:
  PointObj* get_mutable() { return const_cast<PointObj*>(get()); }
};

TRANSOM_STATIC_INIT_BLOCK() {
  refl::ObjectDef<PointObj>().def_ro("x", &PointObj::x);
  refl::GlobalDef().def("consumer.sum", [](const transom::Array<Point>& points) {
    int64_t sum = 0;
    for (const Point& point : points) sum += point->x;
    return sum;
  });
}

int main() {
  transom::Array<Point> points = {Point(1), Point(41)};
  auto sum = transom::Function::GetGlobalRequired("consumer.sum");
  if (sum(points).cast<int64_t>() == 42) return 0;
  std::fprintf(stderr, "consumer_runtime: 1 + 41 is not 42\n");
  return 1;
}
