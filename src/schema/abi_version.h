/*
 * Which releases of the C contract the library works with: the provider of the C functions is chosen when a process
 * starts.
 */
#ifndef TRANSOM_SRC_SCHEMA_ABI_VERSION_H_
#define TRANSOM_SRC_SCHEMA_ABI_VERSION_H_

#include <transom/export.h>
#include <transom/runtime/c_api.h>

#include <string>

namespace transom::schema {

/*! \brief What is wrong with a provider of this release of the contract, and what to do; empty: it can be used. */
TRANSOM_API std::string AbiProblem(const TVMFFIVersion& version);

/*! \brief RuntimeError: the provider in this process cannot be used. */
void RequireUsableAbi();

}  // namespace transom::schema
#endif  // TRANSOM_SRC_SCHEMA_ABI_VERSION_H_
