// The bytes of what libraries embed, in initialisers of arrays.
#ifndef TRANSOM_TESTS_RUNTIME_EMBEDDED_BYTES_H_
#define TRANSOM_TESTS_RUNTIME_EMBEDDED_BYTES_H_

// A 64-bit little-endian number below 256.
#define EMBEDDED_NUMBER(x) x, 0, 0, 0, 0, 0, 0, 0

#endif  // TRANSOM_TESTS_RUNTIME_EMBEDDED_BYTES_H_
