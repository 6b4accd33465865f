/*
 * Values of the contract as text, read from memory by the frozen layouts.
 */
#ifndef TRANSOM_EXAMPLES_LANGUAGES_C_TEXT_H_
#define TRANSOM_EXAMPLES_LANGUAGES_C_TEXT_H_

#include <stddef.h>
#include <transom/runtime/c_api.h>

/* Text that grows; `failed` once memory was short. Starts as zeros. */
typedef struct {
  char* data;
  size_t size;
  size_t capacity;
  int failed;
} Text;
void FreeText(Text* text);

/* Bytes of a value that is text (of any form), borrowed from it. 0 when it is something else. */
int TextOf(const TVMFFIAny* value, TVMFFIByteArray* out);

/* Appends the value in the form that ../README.md defines; `depth`: containers around it. */
void Describe(const TVMFFIAny* value, int depth, Text* text);

#endif /* TRANSOM_EXAMPLES_LANGUAGES_C_TEXT_H_ */
