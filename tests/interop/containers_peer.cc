/* The other library: the C++ headers of the apache-tvm-ffi package. */
#include "containers_peer.h"

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>

#include <cstring>
#include <utility>

namespace {

using tvm::ffi::Any;
using AnyArray = tvm::ffi::Array<Any>;
using AnyDict = tvm::ffi::Dict<Any, Any>;
using AnyList = tvm::ffi::List<Any>;
using AnyMap = tvm::ffi::Map<Any, Any>;

Any Take(PeerValue value) {
  TVMFFIAny raw;
  std::memcpy(&raw, &value, sizeof(raw));
  return tvm::ffi::details::AnyUnsafe::MoveTVMFFIAnyToAny(&raw);
}

PeerValue Give(Any any) {
  TVMFFIAny raw = tvm::ffi::details::AnyUnsafe::MoveAnyToTVMFFIAny(std::move(any));
  PeerValue value;
  std::memcpy(&value, &raw, sizeof(value));
  return value;
}

/* The container alone owns the reference, so that an only owner is changed in place. */
template <class T>
T TakeAs(PeerValue value) {
  return Take(value).cast<T>();
}

}  // namespace

PeerValue PeerNewMap() { return Give(AnyMap()); }
PeerValue PeerNewDict() { return Give(AnyDict()); }
PeerValue PeerNewList() { return Give(AnyList()); }

PeerValue PeerMapSet(PeerValue map, PeerValue key, PeerValue value) {
  auto target = TakeAs<AnyMap>(map);
  target.Set(Take(key), Take(value));
  return Give(target);
}
PeerValue PeerMapErase(PeerValue map, PeerValue key) {
  auto target = TakeAs<AnyMap>(map);
  target.erase(Take(key));
  return Give(target);
}
int PeerMapHas(PeerValue map, PeerValue key) {
  auto target = TakeAs<AnyMap>(map);
  return target.count(Take(key)) != 0 ? 1 : 0;
}

void PeerDictSet(PeerValue dict, PeerValue key, PeerValue value) { TakeAs<AnyDict>(dict).Set(Take(key), Take(value)); }
void PeerDictErase(PeerValue dict, PeerValue key) { TakeAs<AnyDict>(dict).erase(Take(key)); }
void PeerDictClear(PeerValue dict) { TakeAs<AnyDict>(dict).clear(); }

void PeerListInsert(PeerValue list, int64_t index, PeerValue value) {
  auto target = TakeAs<AnyList>(list);
  target.insert(target.begin() + index, Take(value));
}
void PeerListErase(PeerValue list, int64_t index) {
  auto target = TakeAs<AnyList>(list);
  target.erase(target.begin() + index);
}
PeerValue PeerArrayPush(PeerValue array, PeerValue value) {
  auto target = TakeAs<AnyArray>(array);
  target.push_back(Take(value));
  return Give(target);
}
