/*
 * transom_conformance SUITE LANGUAGE=LIBRARY...: runs the conformance suite (the library SUITE) on languages whose
 * modules are libraries. Prints the checks that failed. Exit status: 0 all held, 1 some failed, 2 trouble.
 */
#include <transom/containers/array.h>
#include <transom/containers/string.h>
#include <transom/runtime/module.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

namespace {

transom::Function Required(const transom::Module& suite, const char* name) {
  std::optional<transom::Function> function = suite.GetFunction(name);
  TRANSOM_CHECK(function.has_value(), ValueError)
      << "Expected the suite as first argument, but it has no function " << name;
  return *function;
}

int Run(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: transom_conformance SUITE LANGUAGE=LIBRARY...\n");
    return 2;
  }
  transom::Module suite = transom::Module::LoadFromFile(argv[1]);
  transom::Function add_language = Required(suite, "add_language");
  transom::Array<transom::String> names;
  for (int i = 2; i < argc; ++i) {
    std::string argument = argv[i];
    size_t sign = argument.find('=');
    if (sign == std::string::npos) {
      std::fprintf(stderr, "transom_conformance: expected LANGUAGE=LIBRARY but got %s\n", argv[i]);
      return 2;
    }
    add_language(argument.substr(0, sign), argument.substr(sign + 1));
    names = std::move(names).push_back(argument.substr(0, sign));
  }
  auto failures = Required(suite, "check")(names).cast<transom::Array<transom::String>>();
  for (const transom::String& failure : failures) std::printf("%s\n", failure.c_str());
  std::printf("%d languages, %d checks failed\n", static_cast<int>(names.size()), static_cast<int>(failures.size()));
  return failures.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "transom_conformance: %s\n", error.what());
    return 2;
  }
}
