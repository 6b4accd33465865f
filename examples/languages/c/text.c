#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value may contain itself, so containers deeper than this are cut off. */
enum { kMaxDepth = 64 };

/* What follows the header of a Map or Dict: 24 bytes from the handle on. */
typedef struct {
  char* data;
  uint64_t size;
  uint64_t slots; /* bit 63: the small layout */
  void (*data_deleter)(void* data);
  uint32_t fib_shift; /* from here on the dense layout only */
  uint64_t iter_head;
  uint64_t iter_tail;
} MapCell;

/* An entry; in the dense layout the slots of its neighbours in insertion order follow. */
typedef struct {
  TVMFFIAny key;
  TVMFFIAny value;
} MapPair;
typedef struct {
  MapPair pair;
  uint64_t prev;
  uint64_t next;
} MapItem;

static const uint64_t kSmallMap = (uint64_t)1 << 63;
static const uint64_t kMapEnd = ~(uint64_t)0;
/* A dense map is blocks of 16 slots: 16 bytes of metadata, then 16 items. */
enum { kBlockSlots = 16, kBlockBytes = 16 * (1 + sizeof(MapItem)) };

static const void* Cell(const TVMFFIAny* value) { return value->v_obj + 1; }

void FreeText(Text* text) { free(text->data); }

static void Append(Text* text, const char* data, size_t size) {
  if (text->failed || size == 0) return;
  if (size > text->capacity - text->size) {
    size_t capacity = 2 * (text->size + size);
    char* grown = (char*)realloc(text->data, capacity);
    if (grown == NULL) {
      text->failed = 1;
      return;
    }
    text->data = grown;
    text->capacity = capacity;
  }
  memcpy(text->data + text->size, data, size);
  text->size += size;
}

static void AppendFormatted(Text* text, const char* format, ...) {
  char piece[128];
  va_list values;
  va_start(values, format);
  int size = vsnprintf(piece, sizeof(piece), format, values);
  va_end(values);
  Append(text, piece, (size_t)size);
}

static void AppendHex(Text* text, const char* data, size_t size) {
  for (size_t i = 0; i < size; ++i) AppendFormatted(text, "%02x", (unsigned char)data[i]);
}

int TextOf(const TVMFFIAny* value, TVMFFIByteArray* out) {
  switch (value->type_index) {
    case kTVMFFIRawStr:
      out->data = value->v_c_str;
      out->size = strlen(value->v_c_str);
      return 1;
    case kTVMFFISmallStr:
      out->data = value->v_bytes;
      out->size = value->small_str_len;
      return 1;
    case kTVMFFIStr:
      *out = *(const TVMFFIByteArray*)Cell(value);
      return 1;
    default:
      return 0;
  }
}

static TVMFFIByteArray BytesOf(const TVMFFIAny* value) {
  TVMFFIByteArray small = {value->v_bytes, value->small_str_len};
  if (value->type_index == kTVMFFISmallBytes) return small;
  if (value->type_index == kTVMFFIByteArrayPtr) return *(const TVMFFIByteArray*)value->v_ptr;
  return *(const TVMFFIByteArray*)Cell(value);
}

static void DescribeSequence(const char* open, const TVMFFIAny* value, int depth, Text* text) {
  const TVMFFISeqCell* cell = (const TVMFFISeqCell*)Cell(value);
  const TVMFFIAny* elements = (const TVMFFIAny*)cell->data;
  Append(text, open, strlen(open));
  for (int64_t i = 0; i < cell->size; ++i) {
    if (i != 0) Append(text, ", ", 2);
    Describe(&elements[i], depth + 1, text);
  }
  Append(text, "]", 1);
}

static void DescribePair(const MapPair* pair, int first, int depth, Text* text) {
  if (!first) Append(text, ", ", 2);
  Describe(&pair->key, depth + 1, text);
  Append(text, ": ", 2);
  Describe(&pair->value, depth + 1, text);
}

static void DescribeMap(const char* open, const TVMFFIAny* value, int depth, Text* text) {
  const MapCell* map = (const MapCell*)Cell(value);
  Append(text, open, strlen(open));
  if (map->slots & kSmallMap) {
    for (uint64_t i = 0; i < map->size; ++i) DescribePair((const MapPair*)map->data + i, i == 0, depth, text);
  } else if (map->size != 0) {
    for (uint64_t slot = map->iter_head; slot != kMapEnd;) {
      const char* block = map->data + slot / kBlockSlots * kBlockBytes;
      const MapItem* item = (const MapItem*)(block + kBlockSlots) + slot % kBlockSlots;
      DescribePair(&item->pair, slot == map->iter_head, depth, text);
      slot = item->next;
    }
  }
  Append(text, "}", 1);
}

static void DescribeExtents(const int64_t* extents, int64_t count, Text* text) {
  for (int64_t i = 0; i < count; ++i) AppendFormatted(text, i == 0 ? "%" PRId64 : ",%" PRId64, extents[i]);
}

/* Row-major tensors in memory that this processor reads. */
static void DescribeTensor(const DLTensor* tensor, Text* text) {
  AppendFormatted(text, "tensor(dtype(%d,%d,%d), device(%d,%d), shape(", tensor->dtype.code, tensor->dtype.bits,
                  tensor->dtype.lanes, (int)tensor->device.device_type, tensor->device.device_id);
  DescribeExtents(tensor->shape, tensor->ndim, text);
  Append(text, "), strides(", 11);
  DescribeExtents(tensor->strides, tensor->strides != NULL ? tensor->ndim : 0, text);
  Append(text, "), ", 3);
  size_t count = 1;
  for (int32_t i = 0; i < tensor->ndim; ++i) count *= (size_t)tensor->shape[i];
  size_t size = (count * tensor->dtype.bits * tensor->dtype.lanes + 7) / 8;
  AppendHex(text, (const char*)tensor->data + tensor->byte_offset, size);
  Append(text, ")", 1);
}

static void DescribeError(const TVMFFIErrorCell* error, int depth, Text* text) {
  Append(text, "error(", 6);
  Append(text, error->kind.data, error->kind.size);
  Append(text, ": ", 2);
  Append(text, error->message.data, error->message.size);
  TVMFFIObject* cause = (TVMFFIObject*)error->cause_chain;
  if (cause != NULL) {
    TVMFFIAny value = {0};
    value.type_index = cause->type_index;
    value.v_obj = cause;
    Append(text, ", ", 2);
    Describe(&value, depth + 1, text);
  }
  Append(text, ")", 1);
}

static void DescribeBytes(const char* kind, TVMFFIByteArray bytes, Text* text) {
  AppendFormatted(text, "%s(", kind);
  AppendHex(text, bytes.data, bytes.size);
  Append(text, ")", 1);
}

static void DescribeObject(const TVMFFIAny* value, int depth, Text* text) {
  switch (value->type_index) {
    case kTVMFFIBytes:
      DescribeBytes("bytes", BytesOf(value), text);
      break;
    case kTVMFFIError:
      DescribeError((const TVMFFIErrorCell*)Cell(value), depth, text);
      break;
    case kTVMFFIFunction:
      Append(text, "function", 8);
      break;
    case kTVMFFIShape: {
      const TVMFFIShapeCell* shape = (const TVMFFIShapeCell*)Cell(value);
      Append(text, "shape(", 6);
      DescribeExtents(shape->data, (int64_t)shape->size, text);
      Append(text, ")", 1);
      break;
    }
    case kTVMFFITensor:
      DescribeTensor((const DLTensor*)Cell(value), text);
      break;
    case kTVMFFIArray:
      DescribeSequence("array[", value, depth, text);
      break;
    case kTVMFFIList:
      DescribeSequence("list[", value, depth, text);
      break;
    case kTVMFFIMap:
      DescribeMap("map{", value, depth, text);
      break;
    case kTVMFFIDict:
      DescribeMap("dict{", value, depth, text);
      break;
    case kTVMFFIBigInt:
      DescribeBytes("bigint", TVMFFIBigIntGetContentByteArray(value), text);
      break;
    default: {
      TVMFFIByteArray key = TVMFFIGetTypeInfo(value->type_index)->type_key;
      Append(text, "object(", 7);
      Append(text, key.data, key.size);
      Append(text, ")", 1);
    }
  }
}

void Describe(const TVMFFIAny* value, int depth, Text* text) {
  TVMFFIByteArray bytes;
  if (depth >= kMaxDepth) {
    Append(text, "...", 3);
  } else if (TextOf(value, &bytes)) {
    DescribeBytes("str", bytes, text);
  } else if (value->type_index >= kTVMFFIStaticObjectBegin) {
    DescribeObject(value, depth, text);
  } else {
    switch (value->type_index) {
      case kTVMFFINone:
        Append(text, "none", 4);
        break;
      case kTVMFFIInt:
        AppendFormatted(text, "int(%" PRId64 ")", value->v_int64);
        break;
      case kTVMFFIBool:
        AppendFormatted(text, "bool(%s)", value->v_int64 != 0 ? "true" : "false");
        break;
      case kTVMFFIFloat:
        AppendFormatted(text, "float(%016" PRIx64 ")", value->v_uint64);
        break;
      case kTVMFFIOpaquePtr:
        AppendFormatted(text, "pointer(%" PRIx64 ")", value->v_uint64);
        break;
      case kTVMFFIDataType:
        AppendFormatted(text, "dtype(%d,%d,%d)", value->v_dtype.code, value->v_dtype.bits, value->v_dtype.lanes);
        break;
      case kTVMFFIDevice:
        AppendFormatted(text, "device(%d,%d)", (int)value->v_device.device_type, value->v_device.device_id);
        break;
      case kTVMFFIDLTensorPtr:
        DescribeTensor((const DLTensor*)value->v_ptr, text);
        break;
      case kTVMFFISmallBytes:
      case kTVMFFIByteArrayPtr:
        DescribeBytes("bytes", BytesOf(value), text);
        break;
      default:
        AppendFormatted(text, "unknown(%d)", value->type_index);
    }
  }
}
