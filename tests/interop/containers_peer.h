/* Changes to containers, done by the other library. Values in arguments and results are owned by the receiver. */
#ifndef TRANSOM_TESTS_INTEROP_CONTAINERS_PEER_H_
#define TRANSOM_TESTS_INTEROP_CONTAINERS_PEER_H_

#include <stdint.h>

/* A value of the C contract as 16 bytes, so that neither library's header is needed here. */
typedef struct {
  uint64_t words[2];
} PeerValue;

#ifdef __cplusplus
extern "C" {
#endif

PeerValue PeerNewMap(void);
PeerValue PeerNewDict(void);
PeerValue PeerNewList(void);
PeerValue PeerMapSet(PeerValue map, PeerValue key, PeerValue value);
PeerValue PeerMapErase(PeerValue map, PeerValue key);
int PeerMapHas(PeerValue map, PeerValue key);
void PeerDictSet(PeerValue dict, PeerValue key, PeerValue value);
void PeerDictErase(PeerValue dict, PeerValue key);
void PeerDictClear(PeerValue dict);
void PeerListInsert(PeerValue list, int64_t index, PeerValue value);
void PeerListErase(PeerValue list, int64_t index);
PeerValue PeerArrayPush(PeerValue array, PeerValue value);

#ifdef __cplusplus
}
#endif

#endif  // TRANSOM_TESTS_INTEROP_CONTAINERS_PEER_H_
