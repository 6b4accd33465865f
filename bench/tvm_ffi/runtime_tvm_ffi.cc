/*
 * transom_runtime_bench_tvm_ffi OPERATIONS SEED: the package apache-tvm-ffi's side of the comparison of runtimes;
 * serves steps (step_server.h).
 */
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/string.h>

#include "runtime_jobs.h"

namespace {

namespace ffi = tvm::ffi;

class NumberObj : public ffi::Object {
 public:
  explicit NumberObj(int64_t number) : value(number) {}
  int64_t value;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("bench.Number", NumberObj, ffi::Object);
};
class Number : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Number, ffi::ObjectRef, NumberObj);
};

// What LibraryJobs works with.
struct TvmFfi {
  using Any = ffi::Any;
  using View = ffi::AnyView;
  using Text = ffi::String;
  using Function = ffi::Function;
  using Error = ffi::Error;
  using Ints = ffi::Array<int64_t>;
  using IntMap = ffi::Map<int64_t, int64_t>;
  using TextMap = ffi::Map<ffi::String, int64_t>;

  static int64_t CallC(const Function& function, int64_t a, int64_t b) {
    TVMFFIAny args[2] = {View(a).CopyToTVMFFIAny(), View(b).CopyToTVMFFIAny()};
    TVMFFIAny result = View().CopyToTVMFFIAny();
    void* handle = const_cast<ffi::FunctionObj*>(function.get());
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionCall(handle, args, 2, &result));
    return result.v_int64;
  }

  static Number MakeRef(int64_t value) { return Number(ffi::make_object<NumberObj>(value)); }
  static Text MakeText(std::string_view text) { return Text(text.data(), text.size()); }
  static void Push(Ints* array, int64_t value) { array->push_back(value); }
  template <class Map, class Key>
  static void Insert(Map* map, const Key& key, int64_t value) {
    map->Set(key, value);
  }
  static int64_t Fail() { TVM_FFI_THROW(ValueError) << "expected"; }
};

using Side = runtime_bench::LibraryJobs<TvmFfi>;

}  // namespace

int main(int argc, char** argv) {
  return ir_bench::ServeSide("transom_runtime_bench_tvm_ffi", argc, argv, &runtime_bench::StepsOf<Side>);
}
