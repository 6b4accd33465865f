/*
 * Text of the error that a piece of code ends in.
 */
#ifndef TRANSOM_SUPPORT_ERROR_OF_H_
#define TRANSOM_SUPPORT_ERROR_OF_H_

#include <transom/runtime/error.h>

#include <string>

namespace transom::testing {

/*! \brief "Kind: message" of the error that `fn` throws; "no error" when it throws none. */
template <class Fn>
std::string ErrorOf(Fn&& fn) {
  try {
    fn();
  } catch (const Error& error) {
    return std::string(error.kind()) + ": " + std::string(error.message());
  }
  return "no error";
}

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_ERROR_OF_H_
