/* For the functions of the C contract that have no way to report an error. */
#ifndef TRANSOM_SRC_RUNTIME_FATAL_H_
#define TRANSOM_SRC_RUNTIME_FATAL_H_

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace transom::runtime {

/* Result of `body()`; after an exception prints its text and ends the process. */
template <class Body>
auto OrExit(const char* function, Body body) {
  try {
    return body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "Exception caught during %s:\n%s\n", function, error.what());
    std::exit(-1);
  }
}

}  // namespace transom::runtime

#endif  // TRANSOM_SRC_RUNTIME_FATAL_H_
