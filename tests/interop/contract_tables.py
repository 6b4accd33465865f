"""What a library of the C contract has in its tables, as one JSON object on standard output.

    contract_tables.py LIBRARY

{"functions": {NAME: METADATA}, "types": {KEY: DESCRIPTION}, "columns": {NAME: [TYPE KEY...]}}
"""

import ctypes
import json
import sys

from contract_driver import HEADER_SIZE, AnyValue, ByteArray, Library, byte_array

COLUMNS = """__any_hash__ __any_equal__ __s_equal__ __s_hash__ __s_visit__ __s_mutate__ __data_to_json__ __data_from_json__
__ffi_shallow_copy__ __ffi_repr__ __ffi_hash__ __ffi_eq__ __ffi_compare__ __ffi_new__ __ffi_init__ __ffi_enum__
__ffi_convert__""".split()


class FieldInfo(ctypes.Structure):
    _fields_ = [
        ("name", ByteArray),
        ("doc", ByteArray),
        ("metadata", ByteArray),
        ("flags", ctypes.c_int64),
        ("size", ctypes.c_int64),
        ("alignment", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("getter", ctypes.c_void_p),
        ("setter", ctypes.c_void_p),
        ("default", AnyValue),
        ("static_type_index", ctypes.c_int32),
    ]


class MethodInfo(ctypes.Structure):
    _fields_ = [
        ("name", ByteArray),
        ("doc", ByteArray),
        ("metadata", ByteArray),
        ("flags", ctypes.c_int64),
        ("method", AnyValue),
    ]


class TypeMetadata(ctypes.Structure):
    _fields_ = [
        ("doc", ByteArray),
        ("creator", ctypes.c_void_p),
        ("total_size", ctypes.c_int32),
        ("structural_kind", ctypes.c_int32),
    ]


class TypeInfo(ctypes.Structure):
    pass


TypeInfo._fields_ = [
    ("type_index", ctypes.c_int32),
    ("depth", ctypes.c_int32),
    ("key", ByteArray),
    ("ancestors", ctypes.POINTER(ctypes.POINTER(TypeInfo))),
    ("key_hash", ctypes.c_uint64),
    ("num_fields", ctypes.c_int32),
    ("num_methods", ctypes.c_int32),
    ("fields", ctypes.POINTER(FieldInfo)),
    ("methods", ctypes.POINTER(MethodInfo)),
    ("metadata", ctypes.POINTER(TypeMetadata)),
]


class Column(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(AnyValue)), ("size", ctypes.c_int32), ("begin", ctypes.c_int32)]


class Tables(Library):
    def __init__(self, path):
        super().__init__(path, path)
        self.lib.TVMFFIGetTypeInfo.restype = ctypes.POINTER(TypeInfo)
        self.lib.TVMFFIGetTypeAttrColumn.restype = ctypes.POINTER(Column)

    def functions(self):
        names = self.call("ffi.FunctionListGlobalNamesFunctor", [])

        def at(index):
            result = AnyValue()
            arguments = (AnyValue * 1)(self.to_any(index))
            self.check(self.lib.TVMFFIFunctionCall(ctypes.c_void_p(names.v.ptr), arguments, 1, ctypes.byref(result)))
            return self.describe(result)

        return {
            name: self.describe(self.call("ffi.GetGlobalFuncMetadata", [self.to_any(name)]))
            for name in map(at, range(at(-1)))
        }

    def type_keys(self):
        array = self.call("ffi.GetRegisteredTypeKeys", [])
        items, count = (ctypes.c_int64.from_address(array.v.ptr + HEADER_SIZE + i).value for i in (0, 8))
        return [self.describe(item) for item in (AnyValue * count).from_address(items)]

    def index_of(self, key):
        index = ctypes.c_int32()
        self.check(self.lib.TVMFFITypeKeyToIndex(ctypes.byref(byte_array(key.encode())), ctypes.byref(index)))
        return index.value

    def type(self, key):
        info = self.lib.TVMFFIGetTypeInfo(self.index_of(key)).contents
        described = {
            "ancestors": [info.ancestors[i].contents.key.bytes().decode() for i in range(info.depth)],
            "fields": {},
            "methods": {},
        }
        if info.type_index < 128:
            described["index"] = info.type_index
        if info.metadata:
            metadata = info.metadata.contents
            described["created"] = bool(metadata.creator)
            described["size"] = metadata.total_size
            described["structural kind"] = metadata.structural_kind
        for field in info.fields[: info.num_fields]:
            described["fields"][field.name.bytes().decode()] = {
                "schema": field.metadata.bytes().decode(),
                "flags": field.flags,
                "place": [field.offset, field.size, field.alignment],
                "static type": field.static_type_index,
            }
        for method in info.methods[: info.num_methods]:
            described["methods"][method.name.bytes().decode()] = {
                "schema": method.metadata.bytes().decode(),
                "flags": method.flags,
            }
        return described

    def column(self, name, keys):
        """Keys of the types with that attribute; None when there is no column."""
        column = self.lib.TVMFFIGetTypeAttrColumn(ctypes.byref(byte_array(name.encode())))
        if not column:
            return None
        column = column.contents

        def has(index):
            row = index - column.begin
            return 0 <= row < column.size and column.data[row].type_index != 0

        return sorted(key for key in keys if has(self.index_of(key)))


def main():
    tables = Tables(sys.argv[1])
    keys = tables.type_keys()
    json.dump(
        {
            "functions": tables.functions(),
            "types": {key: tables.type(key) for key in keys},
            "columns": {name: tables.column(name, keys) for name in COLUMNS},
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
