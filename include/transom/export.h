/*
 * TRANSOM_API marks what libtransom exports: the library is built with hidden visibility, so a function or class
 * without it cannot be linked from outside. Header-only code does not need it.
 */
#ifndef TRANSOM_EXPORT_H_
#define TRANSOM_EXPORT_H_

#if defined(__GNUC__)
#define TRANSOM_API __attribute__((visibility("default")))
#else
#define TRANSOM_API
#endif

#endif  // TRANSOM_EXPORT_H_
