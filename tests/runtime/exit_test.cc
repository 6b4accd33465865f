// The order in which a program's static objects come to life and die does not matter.
#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/containers/dict.h>
#include <transom/reflection/access_path.h>
#include <transom/reflection/registry.h>
#include <transom/runtime/error.h>
#include <transom/runtime/function.h>

#include <cstdlib>
#include <string>
#include <thread>

namespace transom {
namespace {

// Made before any registration below, maybe before those of other sources.
const Any early_value = Dict<String, Any>{{"path", reflection::AccessPath::Root()->Attr("early")}};
const Function early_function = Function::GetGlobalRequired("ffi.GetRegisteredTypeKeys");

class GlobalObj : public Object {
 public:
  Any value;
  ~GlobalObj() {
    // Runs while the process ends: all of the runtime still works.
    Any found = early_function();
    if (found.cast<Array<String>>().empty() || value == nullptr) std::abort();
    try {
      value.cast<int64_t>();
      std::abort();
    } catch (const Error& error) {
      if (error.kind() != "TypeError") std::abort();
    }
  }
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("test.exit.Global", GlobalObj, Object);
};
TRANSOM_STATIC_INIT_BLOCK() { reflection::ObjectDef<GlobalObj>().def_ro("value", &GlobalObj::value); }

ObjectRef MakeGlobal() {
  auto global = make_object<GlobalObj>();
  global->value = Array<Any>{early_value, "text that lies on the heap"};
  return ObjectRef(std::move(global));
}

TEST(Exit, StaticObjectsMayUseTheRuntimeBeforeMain) {
  EXPECT_EQ((early_value.cast<Dict<String, reflection::AccessPath>>().at("path").ToString()), "<root>.early");
  EXPECT_FALSE(early_function().cast<Array<String>>().empty());
}

TEST(ExitDeathTest, StaticObjectsDieInAnyOrder) {
  auto run = [] {
    static ObjectRef kept = MakeGlobal();
    static Function closure = Function::FromTyped([held = MakeGlobal()] { return held; });
    Function::SetGlobal("test.exit.closure", closure);
    Function::SetGlobal("test.exit.other", Function::FromTyped([held = MakeGlobal()] { return held; }));
    std::exit(0);
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(0), "");
}

TEST(Exit, AThreadMayEndWithAnErrorInItsSlot) {
  WeakObjectPtr<Object> watcher;
  std::thread([&] {
    Error error("ValueError", "left behind", "", std::nullopt, MakeGlobal());
    TVMFFIErrorSetRaised(detail::ObjectAccess::Header(error));
    watcher = WeakObjectPtr<Object>(GetObjectPtr(const_cast<Object*>(error.ObjectRef::get())));
    EXPECT_NE(watcher.lock(), nullptr);
  }).join();
  EXPECT_EQ(watcher.lock(), nullptr);
}

}  // namespace
}  // namespace transom
