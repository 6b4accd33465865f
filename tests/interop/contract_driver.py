"""Calls global functions of a library of the C contract: requests on standard input as one JSON list, results on output.

    contract_driver.py LIBRARY TYPES_LIBRARY

A request is [NAME, ARGUMENT...]; arguments are JSON scalars, {"bytes": HEX} and {"result": N}, the result of request N.
A result is a scalar, {"bytes": HEX}, {"object": TYPE KEY} or {"error": [KIND, MESSAGE]}.
"""

import ctypes
import json
import sys


class ByteArray(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    def bytes(self):
        return ctypes.string_at(self.data, self.size) if self.size else b""


class Payload(ctypes.Union):
    _fields_ = [
        ("int64", ctypes.c_int64),
        ("float64", ctypes.c_double),
        ("ptr", ctypes.c_void_p),
        ("bytes", ctypes.c_char * 8),
    ]


class AnyValue(ctypes.Structure):
    _fields_ = [("type_index", ctypes.c_int32), ("small_size", ctypes.c_uint32), ("v", Payload)]


class TypeInfoHead(ctypes.Structure):
    _fields_ = [("type_index", ctypes.c_int32), ("type_depth", ctypes.c_int32), ("type_key", ByteArray)]


HEADER_SIZE = 24


def byte_array(data):
    buffer = ctypes.create_string_buffer(data, len(data) + 1)
    array = ByteArray(ctypes.cast(buffer, ctypes.c_void_p), len(data))
    array.keep = buffer
    return array


class Library:
    def __init__(self, path, types):
        self.lib = ctypes.CDLL(path)
        self.types = ctypes.CDLL(types)
        self.lib.TVMFFIGetTypeInfo.restype = ctypes.POINTER(TypeInfoHead)

    def check(self, status):
        if status != 0:
            raise CallError(self.take_error())

    def take_error(self):
        handle = ctypes.c_void_p()
        self.lib.TVMFFIErrorMoveFromRaised(ctypes.byref(handle))
        kind, message = (
            ByteArray.from_address(handle.value + HEADER_SIZE + offset).bytes().decode(errors="replace")
            for offset in (0, 16)
        )
        return [kind, message]

    def to_any(self, value):
        result = AnyValue()
        if value is None:
            return result
        if isinstance(value, (bool, int)):
            result.type_index = 2 if isinstance(value, bool) else 1
            result.v.int64 = int(value)
        elif isinstance(value, float):
            result.type_index = 3
            result.v.float64 = value
        elif isinstance(value, str):
            self.check(
                self.lib.TVMFFIStringFromByteArray(
                    ctypes.byref(byte_array(value.encode("utf-8", "surrogatepass"))), ctypes.byref(result)
                )
            )
        else:
            self.check(
                self.lib.TVMFFIBytesFromByteArray(
                    ctypes.byref(byte_array(bytes.fromhex(value["bytes"]))), ctypes.byref(result)
                )
            )
        return result

    def call(self, name, arguments):
        handle = ctypes.c_void_p()
        self.check(self.lib.TVMFFIFunctionGetGlobal(ctypes.byref(byte_array(name.encode())), ctypes.byref(handle)))
        if not handle:
            raise CallError(["NoFunction", name])
        values = (AnyValue * len(arguments))(*arguments)
        result = AnyValue()
        self.check(self.lib.TVMFFIFunctionCall(handle, values, len(arguments), ctypes.byref(result)))
        return result

    def describe(self, value):
        index = value.type_index
        if index == 0:
            return None
        if index in (1, 2):
            return bool(value.v.int64) if index == 2 else value.v.int64
        if index == 3:
            return repr(value.v.float64)
        if index in (11, 12):
            data = ctypes.string_at(ctypes.addressof(value) + 8, value.small_size)
        elif index in (65, 66):
            data = ByteArray.from_address(value.v.ptr + HEADER_SIZE).bytes()
        else:
            return {"object": self.lib.TVMFFIGetTypeInfo(index).contents.type_key.bytes().decode()}
        return data.decode("utf-8", "surrogateescape") if index in (11, 65) else {"bytes": data.hex()}


class CallError(Exception):
    pass


def main():
    library = Library(sys.argv[1], sys.argv[2])
    results, described = [], []
    for name, *arguments in json.load(sys.stdin):
        try:
            values = [
                results[a["result"]] if isinstance(a, dict) and "result" in a else library.to_any(a) for a in arguments
            ]
            if any(v is None for v in values):
                raise CallError(["NoValue", "an argument is the result of a call that failed"])
            result = library.call(name, values)
            results.append(result)
            described.append(library.describe(result))
        except CallError as error:
            results.append(None)
            described.append({"error": error.args[0]})
    json.dump(described, sys.stdout)


if __name__ == "__main__":
    main()
