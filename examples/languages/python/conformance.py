"""The functions of the conformance suite in Python, by the package tvm_ffi: see ../README.md for what each does.

Importing it registers them as conformance.python.<function>.
"""

import ctypes
import math
import struct

import numpy
import tvm_ffi
from tvm_ffi.core import Error

# A value may contain itself, so containers deeper than this are cut off.
MAX_DEPTH = 64


def register(function):
    tvm_ffi.register_global_func(f"conformance.python.{function.__name__.strip('_')}", function)
    return function


# ---- Errors, whose causes the package does not show: by the frozen layout --------------------------------------------

LIBRARY = ctypes.CDLL(None)  # the symbols of the process


class ByteArray(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    def text(self):
        return ctypes.string_at(self.data, self.size).decode()


class ErrorCell(ctypes.Structure):
    _fields_ = [
        ("kind", ByteArray),
        ("message", ByteArray),
        ("backtrace", ByteArray),
        ("update_backtrace", ctypes.c_void_p),
        ("cause_chain", ctypes.c_void_p),
        ("extra_context", ctypes.c_void_p),
    ]

    @classmethod
    def of(cls, address):
        """What follows the header of the error at an address."""
        return cls.from_address(address + 24)


# ---- Text of a value -------------------------------------------------------------------------------------------------


def describe_integer(value):
    if -(2**63) <= value < 2**63:
        return f"int({value})"
    words = (value.bit_length() + 64) // 64  # one bit for the sign
    return f"bigint({value.to_bytes(8 * words, 'little', signed=True).hex()})"


def describe_map(kind, value, depth):
    entries = [f"{describe_at(k, depth + 1)}: {describe_at(v, depth + 1)}" for k, v in value.items()]
    return f"{kind}{{{', '.join(entries)}}}"


def describe_sequence(kind, value, depth):
    return f"{kind}[{', '.join(describe_at(element, depth + 1) for element in value)}]"


def describe_tensor(value):
    data = numpy.from_dlpack(value).tobytes().hex()
    parts = [describe_at(value.dtype, 0), describe_at(value.device, 0), f"shape({','.join(map(str, value.shape))})"]
    return f"tensor({', '.join(parts)}, strides({','.join(map(str, value.strides))}), {data})"


def describe_error(address, depth):
    if depth >= MAX_DEPTH:
        return "..."
    cell = ErrorCell.of(address)
    cause = f", {describe_error(cell.cause_chain, depth + 1)}" if cell.cause_chain else ""
    return f"error({cell.kind.text()}: {cell.message.text()}{cause})"


def describe_at(value, depth):
    if depth >= MAX_DEPTH:
        return "..."
    if value is None:
        return "none"
    if isinstance(value, bool):
        return f"bool({str(value).lower()})"
    if isinstance(value, tvm_ffi.dtype):
        return f"dtype({value.type_code},{value.bits},{value.lanes})"
    if isinstance(value, int):
        return describe_integer(value)
    if isinstance(value, float):
        return f"float({struct.pack('>d', value).hex()})"
    if isinstance(value, str):
        return f"str({value.encode('utf-8', 'surrogateescape').hex()})"
    if isinstance(value, (bytes, bytearray)):
        return f"bytes({bytes(value).hex()})"
    if isinstance(value, ctypes.c_void_p):
        return f"pointer({value.value or 0:x})"
    if isinstance(value, tvm_ffi.Device):
        return f"device({value.dlpack_device_type()},{value.index})"
    if isinstance(value, tvm_ffi.Shape):
        return f"shape({','.join(map(str, value))})"
    if isinstance(value, tvm_ffi.Tensor):
        return describe_tensor(value)
    if isinstance(value, tvm_ffi.Function):
        return "function"
    if isinstance(value, Error):
        return describe_error(value.__chandle__(), depth)
    for kind, of_type in (("array", tvm_ffi.Array), ("list", tvm_ffi.List)):
        if isinstance(value, of_type):
            return describe_sequence(kind, value, depth)
    for kind, of_type in (("map", tvm_ffi.Map), ("dict", tvm_ffi.Dict)):
        if isinstance(value, of_type):
            return describe_map(kind, value, depth)
    return f"object({type(value).__tvm_ffi_type_info__.type_key})"


# ---- A value of each kind --------------------------------------------------------------------------------------------


def make_error(kind, message, cause=None):
    error = Error(kind, message, "")
    if cause is not None:  # nobody else has seen the error yet
        LIBRARY.TVMFFIObjectIncRef(ctypes.c_void_p(cause.__chandle__()))
        ErrorCell.of(error.__chandle__()).cause_chain = cause.__chandle__()
    return error


SAMPLES = {
    "none": lambda: None,
    "bool": lambda: True,
    "int": lambda: -5,
    "int.min": lambda: -(2**63),
    "int.max": lambda: 2**63 - 1,
    "float": lambda: 1.5,
    "float.negative_zero": lambda: -0.0,
    "float.nan": lambda: math.nan,
    "float.infinity": lambda: math.inf,
    "pointer": lambda: ctypes.c_void_p(0x2A),
    "pointer.null": lambda: ctypes.c_void_p(None),
    "dtype": lambda: tvm_ffi.dtype("float32x4"),
    "device": lambda: tvm_ffi.Device("cuda", 7),
    "str.empty": lambda: "",
    "str.short": lambda: "a\0b",
    "str.long": lambda: "longer than\0seven",
    "bytes.short": lambda: b"\0\xff",
    "bytes.long": lambda: bytes(range(16)),
    "array": lambda: tvm_ffi.Array([1, "two", 3.5, None]),
    "list": lambda: tvm_ffi.List([1, tvm_ffi.Array([2])]),
    "map": lambda: tvm_ffi.Map({"a": 1, "b": 2}),
    "map.large": lambda: tvm_ffi.Map({i: i * i for i in range(10)}),
    "dict": lambda: tvm_ffi.Dict({"k": tvm_ffi.List([])}),
    "shape": lambda: tvm_ffi.Shape((2, 3)),
    "tensor": lambda: tvm_ffi.from_dlpack(numpy.arange(6, dtype="float32").reshape(2, 3)),
    "bigint": lambda: 2**64,
    "bigint.negative": lambda: -(2**64),
    "function": lambda: tvm_ffi.convert(lambda value: value),
    "error": lambda: make_error("ValueError", "made"),
    "error.cause": lambda: make_error("ValueError", "outer", make_error("TypeError", "inner")),
}


# ---- The functions ---------------------------------------------------------------------------------------------------


@register
def language():
    return "python"


@register
def echo(value):
    return value


@register
def describe(value):
    return describe_at(value, 0)


@register
def make(name):
    if name not in SAMPLES:
        raise ValueError(f"There is no sample named {name}")
    return SAMPLES[name]()


@register
def add(a, b):
    if not isinstance(a, int) or not isinstance(b, int):
        raise TypeError(f"Expected two integers of type int but got {type(a).__name__} and {type(b).__name__}")
    return a + b


@register
def make_adder(a):
    return lambda b: add(a, b)


@register
def call(function=None, *args):
    if not isinstance(function, tvm_ffi.Function):
        raise TypeError("Expected a function to call as argument #0")
    return function(*args)


@register
def relay(name, *args):
    return tvm_ffi.get_global_func(name)(*args)


@register
def fail(kind, message, cause):
    raise make_error(kind, message, cause if isinstance(cause, Error) else None).py_error()


@register
def catch(function=None, *args):
    try:
        call(function, *args)
    except Exception as error:  # the package makes it an error of the contract again: the same one, where it was one
        return error
    return None
