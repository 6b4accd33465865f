/*
 * transom_runtime_bench OPERATIONS SEED: Transom's side of the comparison of runtimes, and the floor of each job;
 * serves steps (step_server.h).
 */
#include <transom/containers/array.h>
#include <transom/containers/map.h>
#include <transom/containers/string.h>
#include <transom/runtime/function.h>

#include "runtime_floor.h"
#include "runtime_jobs.h"

namespace {

class NumberObj : public transom::Object {
 public:
  explicit NumberObj(int64_t number) : value(number) {}
  int64_t value;
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("bench.Number", NumberObj, transom::Object);
};
class Number : public transom::ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Number, transom::ObjectRef, NumberObj);
};

// What LibraryJobs works with.
struct TransomFfi {
  using Any = transom::Any;
  using View = transom::AnyView;
  using Text = transom::String;
  using Function = transom::Function;
  using Error = transom::Error;
  using Ints = transom::Array<int64_t>;
  using IntMap = transom::Map<int64_t, int64_t>;
  using TextMap = transom::Map<transom::String, int64_t>;

  static int64_t CallC(const Function& function, int64_t a, int64_t b) {
    TVMFFIAny args[2] = {*View(a).raw(), *View(b).raw()};
    TVMFFIAny result = *View().raw();
    transom::CheckCall(TVMFFIFunctionCall(const_cast<transom::FunctionObj*>(function.get()), args, 2, &result));
    return result.v_int64;
  }

  static Number MakeRef(int64_t value) { return Number(transom::make_object<NumberObj>(value)); }
  static Text MakeText(std::string_view text) { return Text(text); }
  static void Push(Ints* array, int64_t value) { *array = std::move(*array).push_back(value); }
  template <class Map, class Key>
  static void Insert(Map* map, const Key& key, int64_t value) {
    *map = std::move(*map).insert(key, value);
  }
  static int64_t Fail() { TRANSOM_THROW(ValueError) << "expected"; }
};

class Side : public runtime_bench::LibraryJobs<TransomFfi> {
 public:
  Side(uint64_t operations, uint64_t seed) : LibraryJobs(operations, seed) {
    jobs_.merge(runtime_bench::FloorJobs(operations, seed));
  }
};

}  // namespace

int main(int argc, char** argv) {
  return ir_bench::ServeSide("transom_runtime_bench", argc, argv, &runtime_bench::StepsOf<Side>);
}
