#include "schema/abi_version.h"

#include <transom/runtime/error.h>

namespace transom::schema {
namespace {

// Layouts are frozen within 0.1; 0.1.14 brought the last built-in types.
constexpr TVMFFIVersion kFirst{0, 1, 14};

std::string TextOf(const TVMFFIVersion& v) {
  return std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch);
}

}  // namespace

std::string AbiProblem(const TVMFFIVersion& version) {
  if (version.major == kFirst.major && version.minor == kFirst.minor && version.patch >= kFirst.patch) return "";
  return "the TVM-FFI library in this process implements release " + TextOf(version) +
         " of the contract, but Transom needs " + std::to_string(kFirst.major) + "." + std::to_string(kFirst.minor) +
         ".x from " + TextOf(kFirst) + " on; install a release of apache-tvm-ffi in that range";
}

void RequireUsableAbi() {
  TVMFFIVersion version;
  TVMFFIGetVersion(&version);
  const std::string problem = AbiProblem(version);
  TRANSOM_CHECK(problem.empty(), RuntimeError) << problem;
}

}  // namespace transom::schema
