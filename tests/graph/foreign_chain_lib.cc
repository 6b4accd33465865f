// Objects of a library that knows only the C ABI, and whose deleter destroys children recursively, as that of a C++
// destructor does.
#include <transom/runtime/c_api.h>

#include <cstdlib>
#include <cstring>

namespace {

struct ForeignNode {
  TVMFFIObject header;
  TVMFFIObject* next;    // a reflected field: an object or NULL
  TVMFFIAny value;       // a reflected field: any value
  TVMFFIObject* hidden;  // not reflected
};

int32_t type_index = 0;
int64_t live = 0;
int64_t depth = 0;
int64_t max_depth = 0;

void Delete(void* self, int flags) {
  auto* node = static_cast<ForeignNode*>(self);
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskStrong) != 0) {
    if (++depth > max_depth) max_depth = depth;
    --live;
    TVMFFIObjectDecRef(node->next);
    if (node->value.type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectDecRef(node->value.v_obj);
    TVMFFIObjectDecRef(node->hidden);
    --depth;
  }
  if ((flags & kTVMFFIObjectDeleterFlagBitMaskWeak) != 0) std::free(self);
}

int GetNext(void* field, TVMFFIAny* result) {
  auto* obj = *static_cast<TVMFFIObject**>(field);
  std::memset(result, 0, sizeof(*result));
  if (obj == nullptr) return 0;
  result->type_index = obj->type_index;
  result->v_obj = obj;
  return TVMFFIObjectIncRef(obj);
}

int GetValue(void* field, TVMFFIAny* result) {
  return TVMFFIAnyViewToOwnedAny(static_cast<const TVMFFIAny*>(field), result);
}

int RefuseToSet(void*, const TVMFFIAny*) {
  TVMFFIErrorSetRaisedFromCStr("TypeError", "read only");
  return -1;
}

TVMFFIByteArray Text(const char* text) { return TVMFFIByteArray{text, std::strlen(text)}; }

void RegisterField(const char* name, int64_t offset, int64_t size, int32_t static_index, TVMFFIFieldGetter getter) {
  TVMFFIFieldInfo info;
  std::memset(&info, 0, sizeof(info));
  info.name = Text(name);
  info.size = size;
  info.alignment = 8;
  info.offset = offset;
  info.getter = getter;
  info.setter = reinterpret_cast<void*>(&RefuseToSet);
  info.field_static_type_index = static_index;
  TVMFFITypeRegisterField(type_index, &info);
}

TVMFFIObject* ObjectOf(const TVMFFIAny& value) {
  if (value.type_index < kTVMFFIStaticObjectBegin) return nullptr;
  TVMFFIObjectIncRef(value.v_obj);
  return value.v_obj;
}

/* make(next, value, hidden) */
int Make(void*, const TVMFFIAny* args, int32_t, TVMFFIAny* result) {
  auto* node = static_cast<ForeignNode*>(std::calloc(1, sizeof(ForeignNode)));
  node->header.combined_ref_count = (uint64_t{1} << 32) | 1;
  node->header.type_index = type_index;
  node->header.deleter = &Delete;
  node->next = ObjectOf(args[0]);
  TVMFFIAnyViewToOwnedAny(&args[1], &node->value);
  node->hidden = ObjectOf(args[2]);
  ++live;
  result->type_index = type_index;
  result->v_obj = &node->header;
  return 0;
}

/* The number of nodes that are alive; the deepest nesting of deleters since the last call. */
int Live(void*, const TVMFFIAny*, int32_t, TVMFFIAny* result) {
  result->type_index = kTVMFFIInt;
  result->v_int64 = live;
  return 0;
}
int MaxDepth(void*, const TVMFFIAny*, int32_t, TVMFFIAny* result) {
  result->type_index = kTVMFFIInt;
  result->v_int64 = max_depth;
  max_depth = 0;
  return 0;
}

void RegisterFunction(const char* name, TVMFFISafeCallType function) {
  TVMFFIByteArray key = Text(name);
  TVMFFIObjectHandle handle = nullptr;
  TVMFFIFunctionCreate(nullptr, function, nullptr, &handle);
  TVMFFIFunctionSetGlobal(&key, handle, 0);
  TVMFFIObjectDecRef(handle);
}

__attribute__((constructor)) void RegisterAll() {
  TVMFFIByteArray key = Text("test.foreign.Node");
  type_index = TVMFFITypeGetOrAllocIndex(&key, -1, 1, 0, 1, kTVMFFIObject);
  RegisterField("next", offsetof(ForeignNode, next), 8, kTVMFFIObject, &GetNext);
  RegisterField("value", offsetof(ForeignNode, value), 16, kTVMFFIAny, &GetValue);
  RegisterFunction("test.foreign.make", &Make);
  RegisterFunction("test.foreign.live", &Live);
  RegisterFunction("test.foreign.max_depth", &MaxDepth);
}

}  // namespace
