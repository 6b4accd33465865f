// Uses the object model alone: an own type, a container of it, functions that are called by name and of a module.
#include <transom/containers/array.h>
#include <transom/reflection/export_function.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/c_env_api.h>
#include <transom/runtime/function.h>
#include <transom/runtime/module.h>

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

TVM_FFI_DLL_EXPORT_TYPED_FUNC(consumer_twice, [](int64_t x) { return 2 * x; });

int main() {
  transom::Array<Point> points = {Point(1), Point(41)};
  auto sum = transom::Function::GetGlobalRequired("consumer.sum");
  if (sum(points).cast<int64_t>() != 42) {
    std::fprintf(stderr, "consumer_runtime: 1 + 41 is not 42\n");
    return 1;
  }
  transom::CheckCall(TVMFFIEnvModRegisterSystemLibSymbol("__tvm_ffi_consumer_twice",
                                                         reinterpret_cast<void*>(&__tvm_ffi_consumer_twice)));
  auto twice = transom::Module::SystemLib("consumer_").GetFunction("twice");
  if (!twice || (*twice)(21).cast<int64_t>() != 42) {
    std::fprintf(stderr, "consumer_runtime: 2 * 21 is not 42\n");
    return 1;
  }
  return 0;
}
