/* Errors as text, for tests of messages. */
#ifndef TRANSOM_SUPPORT_ERROR_TEXT_H_
#define TRANSOM_SUPPORT_ERROR_TEXT_H_

#include <transom/runtime/error.h>

#include <string>

namespace transom::testing {

/*! \brief "Kind: message" of the Error that `body` throws, or "no error". */
template <class F>
std::string ErrorText(F body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace transom::testing
#endif  // TRANSOM_SUPPORT_ERROR_TEXT_H_
