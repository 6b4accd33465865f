/*
 * The conformance suite of languages: values of every kind, functions, closures and errors go between all pairs of the
 * given languages and through all of them. ../README.md defines the functions that a language provides.
 *
 * A module itself, so that it runs in a C++ program as well as inside another language's process:
 *   add_language(name, path)   loads a library and registers its functions as conformance.<name>.<function>
 *   check(names)               runs the suite; gives a line for each check that failed
 */
#include <transom/containers/array.h>
#include <transom/containers/list.h>
#include <transom/containers/string.h>
#include <transom/reflection/export_function.h>
#include <transom/runtime/function.h>
#include <transom/runtime/module.h>

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace transom;  // NOLINT: a module of its own

constexpr const char* kFunctions[] = {"language",   "echo", "describe", "make", "add",
                                      "make_adder", "call", "relay",    "fail", "catch"};

struct Sample {
  const char* name;
  const char* text;
};
constexpr Sample kSamples[] = {
    {"none", "none"},
    {"bool", "bool(true)"},
    {"int", "int(-5)"},
    {"int.min", "int(-9223372036854775808)"},
    {"int.max", "int(9223372036854775807)"},
    {"float", "float(3ff8000000000000)"},
    {"float.negative_zero", "float(8000000000000000)"},
    {"float.nan", "float(7ff8000000000000)"},
    {"float.infinity", "float(7ff0000000000000)"},
    {"pointer", "pointer(2a)"},
    {"pointer.null", "pointer(0)"},
    {"dtype", "dtype(2,32,4)"},
    {"device", "device(2,7)"},
    {"str.empty", "str()"},
    {"str.short", "str(610062)"},
    {"str.long", "str(6c6f6e676572207468616e00736576656e)"},
    {"bytes.short", "bytes(00ff)"},
    {"bytes.long", "bytes(000102030405060708090a0b0c0d0e0f)"},
    {"array", "array[int(1), str(74776f), float(400c000000000000), none]"},
    {"list", "list[int(1), array[int(2)]]"},
    {"map", "map{str(61): int(1), str(62): int(2)}"},
    {"map.large",
     "map{int(0): int(0), int(1): int(1), int(2): int(4), int(3): int(9), int(4): int(16), int(5): int(25), "
     "int(6): int(36), int(7): int(49), int(8): int(64), int(9): int(81)}"},
    {"dict", "dict{str(6b): list[]}"},
    {"shape", "shape(2,3)"},
    {"tensor",
     "tensor(dtype(2,32,1), device(1,0), shape(2,3), strides(3,1), 000000000000803f00000040000040400000804000"
     "00a040)"},
    {"bigint", "bigint(00000000000000000100000000000000)"},
    {"bigint.negative", "bigint(0000000000000000ffffffffffffffff)"},
    {"function", "function"},
    {"error", "error(ValueError: made)"},
    {"error.cause", "error(ValueError: outer, error(TypeError: inner))"},
};

/* An object of a type that no language knows. */
class StrangerObj : public Object {
 public:
  TRANSOM_DECLARE_OBJECT_INFO_FINAL("conformance.Stranger", StrangerObj, Object);
};
class Stranger : public ObjectRef {
 public:
  TRANSOM_DEFINE_OBJECT_REF_METHODS_NULLABLE(Stranger, ObjectRef, StrangerObj);
};

/* A language by the functions that it registered. */
class Language {
 public:
  explicit Language(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  std::string FullName(const char* function) const { return "conformance." + name_ + "." + function; }
  Function Get(const char* function) const { return Function::GetGlobalRequired(FullName(function)); }
  template <class... Args>
  Any Call(const char* function, const Args&... args) const {
    return Get(function)(args...);
  }
  template <class T>
  std::string Describe(const T& value) const {
    return Call("describe", value).template cast<std::string>();
  }
  /* What calling a function gives as an error; nothing where it succeeds. */
  template <class... Args>
  std::optional<Error> Failure(const char* function, const Args&... args) const {
    try {
      Call(function, args...);
      return std::nullopt;
    } catch (const Error& error) {
      return error;
    }
  }

 private:
  std::string name_;
};

class Suite {
 public:
  explicit Suite(const Array<String>& names) {
    for (const String& name : names) languages_.emplace_back(std::string(name));
  }

  Array<String> Run() {
    for (const Language& one : languages_) {
      Check(one.name() + ": language", [&] { return Expect(one.name(), one.Call("language").cast<std::string>()); });
      CheckWrongUse(one);
      CheckViews(one);
      CheckReferences(one);
      CheckDeepValues(one);
      CheckObjects(one);
      for (const Language& other : languages_) {
        CheckValues(one, other);
        CheckFunctions(one, other);
        CheckErrors(one, other);
      }
    }
    CheckChain();
    return failures_;
  }

 private:
  using Verdict = std::optional<std::string>;  // why a check failed

  /* An error in a check is a failure of it. */
  void Check(const std::string& what, const std::function<Verdict()>& check) {
    Verdict verdict;
    try {
      verdict = check();
    } catch (const Error& error) {
      verdict = std::string("failed with ") + error.what();
    }
    if (verdict) failures_ = std::move(failures_).push_back(String(what + ": " + *verdict));
  }
  static Verdict Expect(const std::string& expected, const std::string& actual) {
    if (expected == actual) return std::nullopt;
    return "expected " + expected + " but got " + actual;
  }
  static Verdict ExpectError(const std::optional<Error>& error, const std::string& kind, const std::string& part) {
    if (!error) return "expected a " + kind + " but it succeeded";
    if (error->kind() != kind) return "expected a " + kind + " but got " + error->what();
    if (error->message().find(part) == std::string_view::npos) {
      return "expected a message with \"" + part + "\" but got " + error->what();
    }
    return std::nullopt;
  }

  /* One makes a value of each kind, the other reads it, gives it back, and passes it to the first. */
  void CheckValues(const Language& maker, const Language& reader) {
    for (const Sample& sample : kSamples) {
      std::string what = sample.name + std::string(" of ") + maker.name() + " in " + reader.name();
      Check(what, [&] { return Expect(sample.text, reader.Describe(maker.Call("make", sample.name))); });
      Check(what + ", echoed",
            [&] { return Expect(sample.text, maker.Describe(reader.Call("echo", maker.Call("make", sample.name)))); });
      Check(what + ", relayed", [&] {
        Any value = maker.Call("make", sample.name);
        return Expect(sample.text, reader.Call("relay", maker.FullName("describe"), value).cast<std::string>());
      });
    }
  }

  /* A closure of one is called by the other; a function of one calls one of the other. */
  void CheckFunctions(const Language& maker, const Language& caller) {
    std::string what = "closure of " + maker.name() + " in " + caller.name();
    Check(what, [&] {
      Any adder = maker.Call("make_adder", 40);
      return Expect("42", std::to_string(caller.Call("call", adder, 2).cast<int64_t>()));
    });
    Check(what + ", with a wrong argument", [&] {
      Any adder = maker.Call("make_adder", 40);
      return ExpectError(caller.Failure("call", adder, "two"), "TypeError", "");
    });
  }

  /* An error of one is caught by the other, passes through it, and is caught beyond it. */
  void CheckErrors(const Language& raiser, const Language& other) {
    std::string what = "error of " + raiser.name() + " in " + other.name();
    Function fail = raiser.Get("fail");
    Any cause = other.Call("make", "error.cause");
    Check(what + ", caught", [&] {
      Any caught = other.Call("catch", fail, "KeyError", "lost \xc3\xa9", cause);
      return Expect("error(KeyError: lost \xc3\xa9, error(ValueError: outer, error(TypeError: inner)))",
                    other.Describe(caught));
    });
    Check(what + ", caught, with its place", [&] {
      Any caught = other.Call("catch", fail, "IndexError", "beyond", nullptr);
      std::string backtrace(caught.cast<Error>().backtrace());
      if (backtrace.find("fail") != std::string::npos) return Verdict();
      return Verdict("expected a backtrace with the function fail but got \"" + backtrace + "\"");
    });
    Check(what + ", passing through", [&] {
      std::optional<Error> error = other.Failure("call", fail, "IndexError", "beyond", nullptr);
      return ExpectError(error, "IndexError", "beyond");
    });
    Check(what + ", passing through, caught by the first", [&] {
      Any caught = raiser.Call("catch", other.Get("call"), fail, "IndexError", "beyond", nullptr);
      return Expect("error(IndexError: beyond)", raiser.Describe(caught));
    });
    Check(what + ", and the next call succeeds", [&] {
      other.Call("catch", fail, "IndexError", "beyond", nullptr);
      return Expect("3", std::to_string(other.Call("add", 1, 2).cast<int64_t>()));
    });
  }

  /* Each function refuses what it cannot take, by an error of the right kind that says what. */
  void CheckWrongUse(const Language& language) {
    const std::string who = language.name() + ": ";
    Check(who + "add(1)", [&] { return ExpectError(language.Failure("add", 1), "TypeError", "argument"); });
    Check(who + "add(1, 2, 3)", [&] { return ExpectError(language.Failure("add", 1, 2, 3), "TypeError", "argument"); });
    Check(who + "add()", [&] { return ExpectError(language.Failure("add"), "TypeError", "argument"); });
    Check(who + "add(1, \"x\")", [&] { return ExpectError(language.Failure("add", 1, "x"), "TypeError", "int"); });
    Check(who + "add(None, 1)", [&] { return ExpectError(language.Failure("add", nullptr, 1), "TypeError", "int"); });
    Check(who + "add(true, 1)", [&] { return Expect("int(2)", language.Describe(language.Call("add", true, 1))); });
    Check(who + "make(\"nothing\")",
          [&] { return ExpectError(language.Failure("make", "nothing"), "ValueError", "nothing"); });
    Check(who + "call(1)", [&] { return ExpectError(language.Failure("call", 1), "TypeError", "function"); });
    Check(who + "relay(\"conformance.nowhere\")", [&] {
      return ExpectError(language.Failure("relay", "conformance.nowhere"), "ValueError", "conformance.nowhere");
    });
    Check(who + "catch(echo, 1)",
          [&] { return Expect("none", language.Describe(language.Call("catch", language.Get("echo"), 1))); });
    Check(who + "an error stays in its thread", [&] { return CheckOtherThread(language); });
  }
  Verdict CheckOtherThread(const Language& language) {
    std::optional<Error> error;
    std::thread([&] { error = language.Failure("fail", "IndexError", "elsewhere", nullptr); }).join();
    TVMFFIObjectHandle here = nullptr;
    TVMFFIErrorMoveFromRaised(&here);
    if (here != nullptr) return "the error of another thread is in the slot of this one";
    return ExpectError(error, "IndexError", "elsewhere");
  }

  /* Borrowed text and bytes are read, and copied when they are kept. */
  void CheckViews(const Language& language) {
    Check(language.name() + ": borrowed text", [&] {
      char text[] = "borrowed for the call";
      Any kept = language.Call("echo", static_cast<const char*>(text));
      text[0] = '?';
      return Expect("str(626f72726f77656420666f72207468652063616c6c)", language.Describe(kept));
    });
    Check(language.name() + ": borrowed bytes", [&] {
      TVMFFIByteArray bytes{"\0\1", 2};
      return Expect("bytes(0001)", language.Describe(language.Call("echo", &bytes)));
    });
  }

  /* Arguments are borrowed: afterwards nobody has kept or dropped a reference. */
  void CheckReferences(const Language& language) {
    Check(language.name() + ": references", [&] {
      Array<Any> array{"one text on the heap", Array<Any>{1}};
      Function echo = language.Get("echo");
      uint64_t functions = echo.use_count();
      for (int i = 0; i < 3; ++i) {
        language.Call("echo", array);
        language.Call("describe", array);
        language.Call("relay", language.FullName("describe"), array);
        language.Call("call", echo, array);
        language.Call("catch", echo, array);
        language.Call("catch", language.Get("fail"), "ValueError", "thrown", array);
        language.Failure("add", array, array);
      }
      std::string owners = std::to_string(array.use_count());
      if (owners != "1") return Verdict("an array has " + owners + " owners, not 1");
      return Expect(std::to_string(functions), std::to_string(echo.use_count()));
    });
  }

  /* An object of an unknown type, or of another language, comes back as the same object. */
  void CheckObjects(const Language& language) {
    Check(language.name() + ": an object of an unknown type", [&] {
      Stranger stranger(make_object<StrangerObj>());
      Any back = language.Call("echo", stranger);
      if (!back.same_as(Any(stranger))) return Verdict("another object came back");
      return Expect("object(conformance.Stranger)", language.Describe(stranger));
    });
    // Where Python is in the process, these are objects of Python's (python/run.py).
    for (const Language& one : languages_) {
      if (one.name() == "python") return;
    }
    Check(language.name() + ": an opaque object", [&] { return CheckOpaqueObject(language); });
  }
  Verdict CheckOpaqueObject(const Language& language) {
    int deaths = 0;
    TVMFFIObjectHandle handle = nullptr;
    CheckCall(TVMFFIObjectCreateOpaque(
        &deaths, kTVMFFIOpaquePyObject, [](void* count) { ++*static_cast<int*>(count); }, &handle));
    ObjectRef opaque(detail::ObjectAccess::Adopt<Object>(handle));
    if (!language.Call("echo", opaque).same_as(Any(opaque))) return "another object came back";
    std::string text = language.Describe(opaque);
    if (deaths != 0) return "it was destroyed while in use";
    opaque = ObjectRef();
    if (deaths != 1) return "it was destroyed " + std::to_string(deaths) + " times, not once";
    return Expect("object(ffi.OpaquePyObject)", text);
  }

  /* A value may contain itself. */
  void CheckDeepValues(const Language& language) {
    Check(language.name() + ": a list in itself", [&] {
      List<Any> list;
      list.push_back(list);
      std::string text = language.Describe(list);
      list.clear();
      std::string expected;
      for (int i = 0; i < 64; ++i) expected += "list[";
      return Expect(expected + "..." + std::string(64, ']'), text);
    });
  }

  /* One call that goes through all languages, and an error that comes back the same way. */
  void CheckChain() {
    Check("a value through all languages", [&] {
      Any value = languages_.front().Call("make", "map.large");
      return Expect(languages_.front().Describe(value), RelayThroughAll("describe", {value}).cast<std::string>());
    });
    Check("an error through all languages", [&] {
      try {
        RelayThroughAll("fail", {Any("KeyError"), Any("far away"), Any()});
        return Verdict("it succeeded");
      } catch (const Error& error) {
        return ExpectError(error, "KeyError", "far away");
      }
    });
  }
  /* relay of the first, with the name of relay of the second, ..., with the name of `function` of the last. */
  Any RelayThroughAll(const char* function, const std::vector<Any>& args) {
    std::vector<Any> all;
    for (size_t i = 1; i < languages_.size(); ++i) all.emplace_back(String(languages_[i].FullName("relay")));
    all.emplace_back(String(languages_.back().FullName(function)));
    all.insert(all.end(), args.begin(), args.end());
    std::vector<AnyView> views(all.begin(), all.end());
    return languages_.front().Get("relay").CallPacked(views.data(), static_cast<int32_t>(views.size()));
  }

  std::vector<Language> languages_;
  Array<String> failures_;
};

void AddLanguage(const String& name, const String& path) {
  Module module = Module::LoadFromFile(path);
  for (const char* function : kFunctions) {
    std::optional<Function> found = module.GetFunction(function);
    TRANSOM_CHECK(found.has_value(), ValueError)
        << "Expected " << path << " to export __tvm_ffi_" << function << ", which it does not";
    Function::SetGlobal("conformance." + std::string(name) + "." + function, *found);
  }
}

Array<String> CheckLanguages(const Array<String>& names) { return Suite(names).Run(); }

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_language, AddLanguage);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(check, CheckLanguages);

}  // namespace
