/* What the dynamic loader knows of addresses. Thread-safe. */
#ifndef TRANSOM_SRC_RUNTIME_LOADED_LIBRARIES_H_
#define TRANSOM_SRC_RUNTIME_LOADED_LIBRARIES_H_

#include <cstddef>

namespace transom::runtime {

/*
 * Keeps the library that an address belongs to in the process until its end, also when it is closed. For addresses that the
 * tables of the process keep. NULL, and memory that belongs to no library, are ignored.
 *
 * Takes the lock of the loader, under which other threads run initialisers that use the tables: call it without a lock.
 */
void PinLibraryOf(const void* address) noexcept;

/* Whether a symbol is data of a loaded library; what no symbol table lists counts as code. */
bool IsData(const void* symbol);

/* Bytes that can be read from the symbol on without leaving what its library's file states: its own size, or the segment
 * that it lies in. SIZE_MAX for memory that belongs to no library. */
size_t BytesAt(const void* symbol);

}  // namespace transom::runtime

#endif  // TRANSOM_SRC_RUNTIME_LOADED_LIBRARIES_H_
