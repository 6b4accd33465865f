#include <gtest/gtest.h>
#include <transom/containers/array.h>
#include <transom/reflection/export_function.h>
#include <transom/runtime/c_env_api.h>
#include <transom/runtime/module.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/error_of.h"

namespace transom {
namespace {

using testing::ErrorOf;

const std::string kFolder = TRANSOM_TEST_LIB_DIR "/";

Module LoadLibrary(const std::string& name) { return Module::LoadFromFile(kFolder + name + ".so"); }

// A module of C++ functions.
class TableModuleObj final : public ModuleObj {
 public:
  explicit TableModuleObj(Map<String, Function> functions) : functions_(std::move(functions)) {}
  const char* kind() const override { return "test_table"; }
  Optional<Function> GetFunction(const String& name) override { return functions_.get(name); }
  Optional<String> GetFunctionDoc(const String& name) override {
    if (name == "broken") TRANSOM_THROW(ValueError) << "no doc for broken";
    return std::nullopt;
  }

 private:
  Map<String, Function> functions_;
};

Module TableModule(Map<String, Function> functions = {}) {
  return Module(make_object<TableModuleObj>(std::move(functions)));
}

Module TableModule(const String& name, int64_t result) {
  return TableModule({{name, Function::FromTyped([result] { return result; })}});
}

TEST(Module, LayoutIsThatOfTheContract) {
  static_assert(sizeof(ModuleObj) == 48 && sizeof(Module) == 8);
  const Module module = TableModule();
  auto* header = reinterpret_cast<char*>(detail::ObjectAccess::Header(module));
  EXPECT_EQ(header, reinterpret_cast<const char*>(module.get()) + 8);
  EXPECT_EQ(module.type_index(), kTVMFFIModule);
  // Slot 0 of the virtual table, which lies before the header.
  using Kind = const char* (*)(const ModuleObj*);
  auto** table = *reinterpret_cast<void***>(header - 8);
  EXPECT_STREQ(reinterpret_cast<Kind>(table[0])(module.get()), "test_table");
}

TEST(Module, TypeIsReflected) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(kTVMFFIModule);
  ASSERT_NE(info->metadata, nullptr);
  EXPECT_EQ(info->metadata->total_size, 48);
  EXPECT_EQ(info->metadata->creator, nullptr);
  ASSERT_EQ(info->num_fields, 1);
  EXPECT_STREQ(info->fields[0].name.data, "imports_");
  EXPECT_EQ(info->fields[0].offset, 24);
  EXPECT_EQ(info->fields[0].size, 8);
  EXPECT_EQ(info->fields[0].field_static_type_index, kTVMFFIArray);
}

TEST(Module, FunctionsOfALibrary) {
  const Module module = LoadLibrary("module_lib");
  EXPECT_STREQ(module.kind(), "library");
  EXPECT_EQ(module.GetPropertyMask(), kModuleBinarySerializable | kModuleRunnable);
  EXPECT_TRUE(module.GetWriteFormats().empty());
  EXPECT_EQ(module.InspectSource(""), "");
  ASSERT_TRUE(module.ImplementsFunction("add_one"));
  EXPECT_EQ((*module.GetFunction("add_one"))(41).cast<int64_t>(), 42);
  EXPECT_EQ((*module.GetFunction("main"))().cast<String>(), "main");
  EXPECT_EQ(module.GetFunctionDoc("add_one"), String("The number after x."));
  EXPECT_EQ(module.GetFunctionDoc("main"), std::nullopt);
  EXPECT_EQ(
      module.GetFunctionMetadata("add_one"),
      String(R"({"type_schema":"{\"type\":\"ffi.Function\",\"args\":[{\"type\":\"int\"},{\"type\":\"int\"}]}"})"));
}

TEST(Module, WhatIsNoFunctionOfALibrary) {
  const Module module = LoadLibrary("module_lib");
  // Data of the library, which must not be called; parts of names; names that the loader would cut short.
  for (const String& name : {String("nothing"), String("number"), String("_library_ctx"), String(""), String("add_"),
                             String("add_one\0", 8), String("_doc_nothing")}) {
    EXPECT_FALSE(module.ImplementsFunction(name)) << name;
    EXPECT_EQ(module.GetFunction(name), std::nullopt) << name;
    EXPECT_EQ(module.GetFunctionDoc(name), std::nullopt) << name;
    EXPECT_EQ(module.GetFunctionMetadata(name), std::nullopt) << name;
  }
}

TEST(Module, ErrorsOfExportedFunctions) {
  const Module module = LoadLibrary("module_lib");
  const Function add_one = *module.GetFunction("add_one");
  EXPECT_EQ(ErrorOf([&] { add_one(); }),
            "TypeError: Mismatched number of arguments when calling: `add_one(0: int) -> int`. Expected 1 but got 0 "
            "arguments");
  EXPECT_EQ(ErrorOf([&] { add_one("x"); }),
            "TypeError: Mismatched type on argument #0 when calling: `add_one(0: int) -> int`. Expected `int` but got "
            "`const char*`");
  EXPECT_EQ(ErrorOf([&] { (*module.GetFunction("fail"))("on purpose"); }), "ValueError: on purpose");
}

TEST(Module, FunctionsKeepTheirModuleAndValuesOutliveIt) {
  Module module = LoadLibrary("module_lib");
  Any texts = (*module.GetFunction("texts"))();
  Function own_module = *module.GetFunction("own_module");
  const void* address = module.get();
  module = Module();
  EXPECT_EQ(own_module().cast<void*>(), address);
  own_module = Function();
  // No module of the library is left; its code is.
  const Array<String> held = texts.cast<Array<String>>();
  EXPECT_EQ(held[0], "a text that is an object");
}

TEST(Module, ALibraryHasOneModuleAtATime) {
  Module first = LoadLibrary("module_lib");
  const Module again = LoadLibrary("module_lib");
  EXPECT_TRUE(again.same_as(first));
  EXPECT_EQ((*first.GetFunction("own_module"))().cast<void*>(), first.get());
}

TEST(Module, ThreadsLoadAndDropALibrary) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        const Module module = LoadLibrary("module_lib");
        if ((*module.GetFunction("add_one"))(i).cast<int64_t>() != i + 1) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Module, ContextSymbolsAreSetWhenAModuleIsMade) {
  int here = 0;
  ASSERT_EQ(TVMFFIEnvModRegisterContextSymbol("transom_test_context", &here), 0);
  ASSERT_EQ(TVMFFIEnvModRegisterContextSymbol("transom_test_no_such_variable", &here), 0);
  const Module module = LoadLibrary("module_lib");
  EXPECT_EQ((*module.GetFunction("context"))().cast<void*>(), &here);
  EXPECT_EQ(ErrorOf([] { CheckCall(TVMFFIEnvModRegisterContextSymbol(nullptr, nullptr)); }),
            "ValueError: Expected the name of a variable");
}

TEST(Module, FilesThatAreNoModules) {
  EXPECT_EQ(
      ErrorOf([] { Module::LoadFromFile("/no/such.so"); }),
      "InternalError: Cannot load the library `/no/such.so`: /no/such.so: cannot open shared object file: No such file "
      "or directory");
  EXPECT_EQ(ErrorOf([] { Module::LoadFromFile(String("/no/such\0.so", 12)); }),
            "ValueError: Expected the path of a library but got a text with an embedded NUL");
  EXPECT_EQ(ErrorOf([] { Module::LoadFromFile("model.xyz"); }),
            "RuntimeError: Cannot load the module `model.xyz`: no function is registered under the name "
            "`ffi.Module.load_from_file.xyz`; load the library that registers it first");
  for (const char* path : {"", "model", "model.", "folder.so/model", "."}) {
    EXPECT_EQ(
        ErrorOf([&] { Module::LoadFromFile(path); }),
        std::string("RuntimeError: Expected the path of a module, with a suffix such as .so that tells its format, but "
                    "got `") +
            path + "`");
  }
  // A file of that suffix that is no library.
  EXPECT_EQ(ErrorOf([] { Module::LoadFromFile(TRANSOM_TEST_DATA_DIR); }).substr(0, 13), "RuntimeError:");
}

TEST(Module, SuffixesOfOtherSystemsAreLibraries) {
  for (const char* path : {"/no/such.dll", "/no/such.dylib", "/no/such.dso"}) {
    EXPECT_EQ(ErrorOf([&] { Module::LoadFromFile(path); }).rfind("InternalError: Cannot load the library", 0), 0u)
        << path;
  }
}

TEST(Module, LoadersOfOtherFilesAreFoundBySuffix) {
  Function::SetGlobal("ffi.Module.load_from_file.test_format", Function::FromTyped([](String path, String format) {
                        return TableModule(path + "|" + format, 1);
                      }));
  EXPECT_TRUE(Module::LoadFromFile("a.b/c.test_format").ImplementsFunction("a.b/c.test_format|test_format"));
  Function::SetGlobal("ffi.Module.load_from_file.test_number", Function::FromTyped([](String, String) { return 1; }));
  EXPECT_EQ(ErrorOf([] { Module::LoadFromFile("c.test_number"); }),
            "TypeError: Cannot convert from type `int` to `ffi.Module`");
}

TEST(Module, WritingWhatCannotBeWritten) {
  const Module module = TableModule();
  EXPECT_EQ(ErrorOf([&] { module.WriteToFile("/no/where", "so"); }),
            "RuntimeError: A module of kind `test_table` cannot be written to a file of format `so`");
  EXPECT_EQ(ErrorOf([&] { module.SaveToBytes(); }),
            "RuntimeError: A module of kind `test_table` cannot be saved to bytes");
  EXPECT_EQ(module.GetPropertyMask(), 0);
}

TEST(Module, NullIsRefused) {
  EXPECT_EQ(ErrorOf([] { Module().kind(); }), ErrorOf([] { Module().SaveToBytes(); }));
  EXPECT_EQ(ErrorOf([] { Module().GetFunction("f"); }),
            "TypeError: Mismatched type on argument #0 when calling: `ffi.ModuleGetFunction(0: ffi.Module, 1: str, 2: "
            "bool) -> "
            "Optional<ffi.Function>`. Expected `ffi.Module` but got `None`");
  EXPECT_EQ(ErrorOf([] { TableModule().ImportModule(Module()); }).rfind("TypeError: ", 0), 0u);
}

TEST(ModuleImports, AreSearchedDepthFirst) {
  const Module root = TableModule("root", 0);
  const Module left = TableModule("left", 1);
  const Module deep = TableModule("both", 2);
  const Module right = TableModule("both", 3);
  root.ImportModule(left);
  root.ImportModule(right);
  left.ImportModule(deep);
  ASSERT_EQ(root.imports().size(), 2);
  EXPECT_TRUE(root.imports()[0].same_as(left));
  EXPECT_EQ((*root.GetFunction("root"))().cast<int64_t>(), 0);
  EXPECT_EQ((*root.GetFunction("both"))().cast<int64_t>(), 2);
  EXPECT_EQ(root.GetFunction("both", false), std::nullopt);
  EXPECT_TRUE(root.ImplementsFunction("left"));
  EXPECT_FALSE(root.ImplementsFunction("left", false));
  EXPECT_FALSE(right.ImplementsFunction("left"));
  root.ClearImports();
  EXPECT_EQ(root.imports().size(), 0);
  EXPECT_EQ(root.GetFunction("left"), std::nullopt);
}

TEST(ModuleImports, CyclesAreRefused) {
  const Module a = TableModule();
  const Module b = TableModule();
  const Module c = TableModule();
  const std::string refused =
      "RuntimeError: The import of a module of kind `test_table` into one of kind `test_table` would close a cycle of "
      "imports";
  EXPECT_EQ(ErrorOf([&] { a.ImportModule(a); }), refused);
  a.ImportModule(b);
  a.ImportModule(b);  // Twice is no cycle.
  b.ImportModule(c);
  EXPECT_EQ(ErrorOf([&] { c.ImportModule(a); }), refused);
  EXPECT_EQ(c.imports().size(), 0);
}

TEST(ModuleImports, DiamondsAreSearchedInLinearTime) {
  std::vector<Module> levels{TableModule()};
  for (int i = 0; i < 60; ++i) {
    const Module next = TableModule();
    next.ImportModule(levels.back());
    next.ImportModule(levels.back());
    levels.push_back(next);
  }
  EXPECT_FALSE(levels.back().ImplementsFunction("nothing"));
}

TEST(ModuleImports, ErrorsOfAModuleReachTheCaller) {
  const Module root = TableModule();
  root.ImportModule(TableModule());
  EXPECT_EQ(ErrorOf([&] { root.GetFunctionDoc("broken"); }), "ValueError: no doc for broken");
}

TEST(ModuleImports, LibrariesCallFunctionsByName) {
  const Module module = LoadLibrary("module_lib");
  const Function call = *module.GetFunction("call");
  EXPECT_EQ(ErrorOf([&] { call("test.module.other", 1); }),
            "RuntimeError: Neither an import of the module nor the table of global functions has a function "
            "`test.module.other`");
  Function::SetGlobal("test.module.global", Function::FromTyped([](int64_t x) { return x * 10; }));
  EXPECT_EQ(call("test.module.global", 4).cast<int64_t>(), 40);
  const auto times = [](int64_t factor) { return Function::FromTyped([factor](int64_t x) { return x * factor; }); };
  module.ImportModule(TableModule({{"test.module.other", times(2)}, {"test.module.global", times(3)}}));
  EXPECT_EQ(call("test.module.other", 4).cast<int64_t>(), 8);
  // What was found once stays, until the imports are cleared.
  EXPECT_EQ(call("test.module.global", 4).cast<int64_t>(), 40);
  module.ClearImports();
  EXPECT_EQ(ErrorOf([&] { call("test.module.other", 1); }).rfind("RuntimeError: Neither", 0), 0u);
}

TEST(ModuleImports, LookupsWithoutAModule) {
  TVMFFIObjectHandle function = nullptr;
  EXPECT_EQ(ErrorOf([&] { CheckCall(TVMFFIEnvModLookupFromImports(nullptr, "f", &function)); }),
            "RuntimeError: Expected the module of the calling library but got NULL; its variable "
            "__tvm_ffi__library_ctx is set "
            "while a module of the library lives");
  const Module module = TableModule();
  auto* context = const_cast<ModuleObj*>(module.get());
  EXPECT_EQ(ErrorOf([&] { CheckCall(TVMFFIEnvModLookupFromImports(context, nullptr, &function)); }),
            "RuntimeError: Expected the name of a function but got NULL");
}

TEST(ModuleImports, ThreadsLookUpWhileOthersImport) {
  const Module root = LoadLibrary("module_lib");
  const Function call = *root.GetFunction("call");
  Function::SetGlobal("test.module.threads", Function::FromTyped([](int64_t x) { return x; }), true);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        if (t == 0) root.ImportModule(TableModule("test.module.late" + std::to_string(i), i));
        if (call("test.module.threads", i).cast<int64_t>() != i) ++wrong;
        if (root.GetFunction("test.module.nothing").has_value() || root.imports().size() > 200) ++wrong;
        if (!LoadLibrary("module_lib").same_as(root)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(root.imports().size(), 200);
}

TEST(ModuleGlobals, KeepModulesAlive) {
  Module module = TableModule();
  const Function add = Function::GetGlobalRequired("ffi.ModuleGlobalsAdd");
  const Function remove = Function::GetGlobalRequired("ffi.ModuleGlobalsRemove");
  add(module);
  add(module);
  EXPECT_EQ(module.use_count(), 2u);
  remove(module);
  EXPECT_EQ(module.use_count(), 1u);
  remove(module);  // One that is not there.
}

TEST(EmbeddedModules, AreLoadedAndImported) {
  EXPECT_EQ(ErrorOf([] { LoadLibrary("module_embedded_lib"); }),
            "RuntimeError: " + kFolder +
                "module_embedded_lib.so embeds a module of kind `test_embedded`, but no function is registered under "
                "the name "
                "`ffi.Module.load_from_bytes.test_embedded`; load the library that registers it first");
  Function::SetGlobal("ffi.Module.load_from_bytes.test_embedded", Function::FromTyped([](Bytes bytes) {
                        return TableModule(String(bytes.data(), bytes.size()), 5);
                      }));
  const Module module = LoadLibrary("module_embedded_lib");
  EXPECT_TRUE(module.ImplementsFunction("own", false));
  EXPECT_FALSE(module.ImplementsFunction("_library_bin"));
  ASSERT_EQ(module.imports().size(), 1);
  EXPECT_EQ((*module.GetFunction("abc"))().cast<int64_t>(), 5);
  Function::GetGlobalRequired("ffi.FunctionRemoveGlobal")("ffi.Module.load_from_bytes.test_embedded");
}

TEST(EmbeddedModules, SizeIsCheckedAgainstTheLibrary) {
  EXPECT_EQ(
      ErrorOf([] { LoadLibrary("module_damaged_lib"); }),
      "RuntimeError: The modules embedded in " + kFolder +
          "module_damaged_lib.so are damaged: their size is stated as 200 bytes, but 16 bytes are there, those of the "
          "size included");
}

// What libraries embed, as text of bytes.
std::string Number(uint64_t value) { return std::string(reinterpret_cast<const char*>(&value), sizeof(value)); }
std::string Numbers(const std::vector<uint64_t>& values) {
  std::string bytes = Number(values.size());
  for (uint64_t value : values) bytes += Number(value);
  return bytes;
}
std::string Text(const std::string& text) { return Number(text.size()) + text; }

// Error of the load of embedded data, by a system library of its own prefix.
std::string EmbeddedError(const std::string& data) {
  static int count = 0;
  const std::string prefix = "test_embedded_" + std::to_string(++count);
  const std::string with_size = Number(data.size()) + data;
  const std::string name = "__tvm_ffi_" + prefix + "_library_bin";
  TVMFFIEnvModRegisterSystemLibSymbol(name.c_str(), const_cast<char*>(with_size.data()));
  const std::string error = ErrorOf([&] { Module::SystemLib(prefix); });
  const std::string start =
      "RuntimeError: The modules embedded in system library with prefix `" + prefix + "` are damaged: ";
  return error.rfind(start, 0) == 0 ? error.substr(start.size()) : error;
}

TEST(EmbeddedModules, EveryKindOfDamageIsNamed) {
  const std::string own = Text("_lib");
  EXPECT_EQ(EmbeddedError(Numbers({0, 0}) + Numbers({}) + own), "no error");
  const std::pair<std::string, std::string> kCases[] = {
      {Numbers({}) + Numbers({}), "expected at least one module"},
      {Numbers({0}) + Numbers({}), "expected at least one module"},
      {Numbers({1, 1}) + Numbers({0}) + own, "the starts of imports do not ascend from 0 to their number, 1"},
      {Numbers({0, 2}) + Numbers({0}) + own, "the starts of imports do not ascend from 0 to their number, 1"},
      {Numbers({0, 1, 0, 1}) + Numbers({0}) + own, "the starts of imports do not ascend from 0 to their number, 1"},
      {Numbers({0, 1}) + Numbers({1}) + own, "expected imports below 1 but got 1"},
      {Numbers({0, 1}) + Numbers({0}) + own,
       "The import of a module of kind `library` into one of kind `library` would close a cycle of imports"},
      {Numbers({0, 1, 2}) + Numbers({1, 0}) + own + own,
       "The import of a module of kind `library` into one of kind `library` would close a cycle of imports"},
      {Numbers({0, 0}) + Numbers({}) + own + "x", "expected the end of the data at byte 44 but more follows"},
      {Numbers({0, 0}) + Numbers({}) + Number(UINT64_MAX) + "_lib",
       "the length of the kind of a module at byte 32 is 18446744073709551615, but 4 bytes follow"},
      {Number(uint64_t{1} << 61) + Number(0),
       "the length of the starts of imports at byte 0 is 2305843009213693952, but 8 bytes "
       "follow"},
      {Numbers({0, 0}) + Numbers({}) + Text("other"),
       "expected the bytes of a module at byte 45 but the data ends there"},
  };
  for (const auto& [data, message] : kCases) EXPECT_EQ(EmbeddedError(data), message);
}

TEST(EmbeddedModules, DataCutAnywhereIsAnError) {
  const std::string whole = Numbers({0, 0}) + Numbers({}) + Text("_lib");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(EmbeddedError(whole.substr(0, size)), "no error") << size;
  }
}

int Seven(void*, const TVMFFIAny*, int32_t, TVMFFIAny* result) {
  result->type_index = kTVMFFIInt;
  result->v_int64 = 7;
  return 0;
}
int Eight(void* self, const TVMFFIAny*, int32_t, TVMFFIAny* result) {
  result->type_index = kTVMFFIInt;
  result->v_int64 = self == nullptr ? 8 : 0;
  return 0;
}

void AddSystemSymbol(const char* name, int (*function)(void*, const TVMFFIAny*, int32_t, TVMFFIAny*)) {
  ASSERT_EQ(TVMFFIEnvModRegisterSystemLibSymbol(name, reinterpret_cast<void*>(function)), 0);
}

TEST(SystemLib, FindsRegisteredSymbolsWithAndWithoutThePrefix) {
  AddSystemSymbol("__tvm_ffi_test_system_number", &Seven);
  const Module plain = Module::SystemLib();
  const Module prefixed = Module::SystemLib("test_system_");
  EXPECT_TRUE(plain.same_as(Function::GetGlobalRequired("ffi.SystemLib")().cast<Module>()));
  EXPECT_TRUE(prefixed.same_as(Module::SystemLib("test_system_")));
  EXPECT_FALSE(prefixed.same_as(plain));
  EXPECT_STREQ(plain.kind(), "library");
  EXPECT_EQ((*prefixed.GetFunction("number"))().cast<int64_t>(), 7);
  EXPECT_EQ((*prefixed.GetFunction("test_system_number"))().cast<int64_t>(), 7);
  EXPECT_FALSE(plain.ImplementsFunction("number"));
  AddSystemSymbol("__tvm_ffi_test_late", &Eight);
  EXPECT_EQ((*plain.GetFunction("test_late"))().cast<int64_t>(), 8);
}

TEST(SystemLib, AnotherAddressIsANewSymbolAndAWarning) {
  AddSystemSymbol("__tvm_ffi_test_replaced", &Seven);
  ::testing::internal::CaptureStderr();
  AddSystemSymbol("__tvm_ffi_test_replaced", &Seven);
  AddSystemSymbol("__tvm_ffi_test_replaced", &Eight);
  const std::string printed = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(printed.rfind("Warning: system library symbol __tvm_ffi_test_replaced moves from 0x", 0), 0u) << printed;
  EXPECT_EQ((*Module::SystemLib().GetFunction("test_replaced"))().cast<int64_t>(), 8);
}

TEST(SystemLib, WrongUse) {
  const Function system_lib = Function::GetGlobalRequired("ffi.SystemLib");
  EXPECT_EQ(ErrorOf([&] { system_lib("a", "b"); }), "TypeError: Expected at most one argument, a prefix, but got 2");
  EXPECT_EQ(ErrorOf([&] { system_lib(1); }), "TypeError: Cannot convert from type `int` to `str`");
  EXPECT_EQ(ErrorOf([] { CheckCall(TVMFFIEnvModRegisterSystemLibSymbol(nullptr, nullptr)); }),
            "ValueError: Expected the name of a symbol but got NULL");
}

}  // namespace
}  // namespace transom
