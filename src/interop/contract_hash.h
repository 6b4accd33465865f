/*
 * Structural hash as the C contract defines it, for the function `ffi.StructuralHash`: variables that nothing binds
 * count by their address, so values hold for one process. What is stored, or compared between processes, is the
 * library's StructuralHash.
 */
#ifndef TRANSOM_SRC_INTEROP_CONTRACT_HASH_H_
#define TRANSOM_SRC_INTEROP_CONTRACT_HASH_H_

#include <transom/export.h>
#include <transom/runtime/any.h>
#include <transom/structural/options.h>

#include <cstdint>

namespace transom::interop {

/*!
 * \brief Hash that is equal for values that the contract calls equal under the same options, unless they share a
 * constant tree with a binder in it: equality skips what is one object on both sides, while the numbers of variables go
 * on. Types with an `__s_hash__` hook are hashed by it. TypeError: a type without structural kind. ValueError: a cycle,
 * or a tensor that is not on the CPU. Linear, no recursion but that of nested hooks.
 */
TRANSOM_API uint64_t ContractHash(const AnyView& value, const StructuralOptions& options);

}  // namespace transom::interop
#endif  // TRANSOM_SRC_INTEROP_CONTRACT_HASH_H_
