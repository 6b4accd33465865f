/* What the C half of the test of calls gives. */
#ifndef TRANSOM_TESTS_CONTRACT_CALLS_H_
#define TRANSOM_TESTS_CONTRACT_CALLS_H_

#include <transom/runtime/c_api.h>

#ifdef __cplusplus
extern "C" {
#endif

int add_one(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result);
/* Counts arguments in the int that `self` points to. */
int call_with_state(void* self, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result);
/* Calls the global function of that name. */
int call_global(const char* name, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result);

#ifdef __cplusplus
}
#endif

#endif /* TRANSOM_TESTS_CONTRACT_CALLS_H_ */
