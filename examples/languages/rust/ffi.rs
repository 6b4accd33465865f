//! The C contract as Rust sees it: layouts and functions, for those that this module uses.

use std::ffi::c_void;
use std::os::raw::c_char;

pub const NONE: i32 = 0;
pub const INT: i32 = 1;
pub const BOOL: i32 = 2;
pub const FLOAT: i32 = 3;
pub const OPAQUE_PTR: i32 = 4;
pub const DATA_TYPE: i32 = 5;
pub const DEVICE: i32 = 6;
pub const DL_TENSOR_PTR: i32 = 7;
pub const RAW_STR: i32 = 8;
pub const BYTE_ARRAY_PTR: i32 = 9;
pub const SMALL_STR: i32 = 11;
pub const SMALL_BYTES: i32 = 12;
pub const STATIC_OBJECT_BEGIN: i32 = 64;
pub const STR: i32 = 65;
pub const BYTES: i32 = 66;
pub const ERROR: i32 = 67;
pub const FUNCTION: i32 = 68;
pub const SHAPE: i32 = 69;
pub const TENSOR: i32 = 70;
pub const ARRAY: i32 = 71;
pub const MAP: i32 = 72;
pub const LIST: i32 = 75;
pub const DICT: i32 = 76;
pub const BIG_INT: i32 = 78;

pub const DL_CPU: i32 = 1;
pub const DL_CUDA: i32 = 2;
pub const DL_FLOAT: u8 = 2;

/// A handle: the address of an object's header.
pub type Handle = *mut Object;

#[repr(C)]
pub struct Object {
    pub combined_ref_count: u64,
    pub type_index: i32,
    pub padding: u32,
    pub deleter: Option<unsafe extern "C" fn(*mut c_void, i32)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct DLDataType {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct DLDevice {
    pub device_type: i32,
    pub device_id: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union Payload {
    pub int: i64,
    pub bits: u64,
    pub float: f64,
    pub pointer: *mut c_void,
    pub object: Handle,
    pub dtype: DLDataType,
    pub device: DLDevice,
    pub bytes: [u8; 8],
}

/// A value, owned or borrowed. Bytes that its type does not use are zero.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AnyValue {
    pub type_index: i32,
    pub small_len: u32,
    pub payload: Payload,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ByteArray {
    pub data: *const u8,
    pub size: usize,
}

#[repr(C)]
pub struct ShapeCell {
    pub data: *const i64,
    pub size: usize,
}

#[repr(C)]
pub struct SeqCell {
    pub data: *const AnyValue,
    pub size: i64,
    pub capacity: i64,
    pub data_deleter: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// The small layout ends before `fib_shift`.
#[repr(C)]
pub struct MapCell {
    pub data: *const u8,
    pub size: u64,
    pub slots: u64,
    pub data_deleter: Option<unsafe extern "C" fn(*mut c_void)>,
    pub fib_shift: u32,
    pub iter_head: u64,
    pub iter_tail: u64,
}

#[repr(C)]
pub struct MapPair {
    pub key: AnyValue,
    pub value: AnyValue,
}

#[repr(C)]
pub struct MapItem {
    pub pair: MapPair,
    pub prev: u64,
    pub next: u64,
}

#[repr(C)]
pub struct ErrorCell {
    pub kind: ByteArray,
    pub message: ByteArray,
    pub backtrace: ByteArray,
    pub update_backtrace: Option<unsafe extern "C" fn(Handle, *const ByteArray, i32)>,
    pub cause_chain: Handle,
    pub extra_context: Handle,
}

#[repr(C)]
pub struct DLTensor {
    pub data: *mut c_void,
    pub device: DLDevice,
    pub ndim: i32,
    pub dtype: DLDataType,
    pub shape: *mut i64,
    pub strides: *mut i64,
    pub byte_offset: u64,
}

#[repr(C)]
pub struct DLManagedTensorVersioned {
    pub major: u32,
    pub minor: u32,
    pub manager_ctx: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    pub flags: u64,
    pub dl_tensor: DLTensor,
}

/// The head of a row of the type table.
#[repr(C)]
pub struct TypeInfo {
    pub type_index: i32,
    pub type_depth: i32,
    pub type_key: ByteArray,
}

pub type SafeCall = unsafe extern "C" fn(*mut c_void, *const AnyValue, i32, *mut AnyValue) -> i32;

extern "C" {
    pub fn TVMFFIObjectDecRef(object: Handle) -> i32;
    pub fn TVMFFIAnyViewToOwnedAny(view: *const AnyValue, out: *mut AnyValue) -> i32;
    pub fn TVMFFIStringFromByteArray(bytes: *const ByteArray, out: *mut AnyValue) -> i32;
    pub fn TVMFFIBytesFromByteArray(bytes: *const ByteArray, out: *mut AnyValue) -> i32;
    pub fn TVMFFIBigIntFromByteArray(bytes: *const ByteArray, out: *mut AnyValue) -> i32;
    pub fn TVMFFIBigIntGetContentByteArray(value: *const AnyValue) -> ByteArray;
    pub fn TVMFFIGetTypeInfo(type_index: i32) -> *const TypeInfo;
    pub fn TVMFFIFunctionCreate(
        state: *mut c_void,
        call: SafeCall,
        deleter: Option<unsafe extern "C" fn(*mut c_void)>,
        out: *mut Handle,
    ) -> i32;
    pub fn TVMFFIFunctionCall(function: Handle, args: *const AnyValue, count: i32, result: *mut AnyValue) -> i32;
    pub fn TVMFFIFunctionGetGlobal(name: *const ByteArray, out: *mut Handle) -> i32;
    pub fn TVMFFIErrorMoveFromRaised(out: *mut Handle);
    pub fn TVMFFIErrorSetRaised(error: Handle);
    pub fn TVMFFIErrorCreateWithCauseAndExtraContext(
        kind: *const ByteArray,
        message: *const ByteArray,
        backtrace: *const ByteArray,
        cause: Handle,
        extra: Handle,
        out: *mut Handle,
    ) -> i32;
    pub fn TVMFFIErrorSetRaisedFromCStr(kind: *const c_char, message: *const c_char);
    pub fn TVMFFITensorFromDLPackVersioned(
        from: *mut DLManagedTensorVersioned,
        alignment: i32,
        contiguous: i32,
        out: *mut Handle,
    ) -> i32;
}
