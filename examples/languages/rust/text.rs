//! Values as text, read from memory by the frozen layouts.

use crate::ffi::*;
use std::ffi::CStr;

/// A value may contain itself, so containers deeper than this are cut off.
const MAX_DEPTH: usize = 64;

const SMALL_MAP: u64 = 1 << 63;
const MAP_END: u64 = !0;
/// A dense map is blocks of 16 slots: 16 bytes of metadata, then 16 items.
const BLOCK_SLOTS: usize = 16;
const BLOCK_BYTES: usize = BLOCK_SLOTS * (1 + std::mem::size_of::<MapItem>());

/// What follows the header of the value's object.
unsafe fn cell<T>(value: &AnyValue) -> &T {
    &*(value.payload.object.add(1) as *const T)
}

unsafe fn slice<'a, T>(data: *const T, size: usize) -> &'a [T] {
    if size == 0 {
        &[]
    } else {
        std::slice::from_raw_parts(data, size)
    }
}

unsafe fn bytes_of<'a>(bytes: ByteArray) -> &'a [u8] {
    slice(bytes.data, bytes.size)
}

/// Bytes of a text in any of its forms, borrowed from the value.
pub unsafe fn text_of(value: &AnyValue) -> Option<&[u8]> {
    match value.type_index {
        RAW_STR => Some(CStr::from_ptr(value.payload.pointer as *const _).to_bytes()),
        SMALL_STR => Some(&value.payload.bytes[..value.small_len as usize]),
        STR => Some(bytes_of(*cell::<ByteArray>(value))),
        _ => None,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn join<T: ToString>(items: &[T], separator: &str) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(separator)
}

unsafe fn sequence(value: &AnyValue, depth: usize) -> String {
    let cell = cell::<SeqCell>(value);
    let elements: Vec<String> =
        slice(cell.data, cell.size as usize).iter().map(|element| describe(element, depth + 1)).collect();
    join(&elements, ", ")
}

unsafe fn map(value: &AnyValue, depth: usize) -> String {
    let map = cell::<MapCell>(value);
    let pair = |pair: &MapPair| format!("{}: {}", describe(&pair.key, depth + 1), describe(&pair.value, depth + 1));
    let mut entries = Vec::new();
    if map.slots & SMALL_MAP != 0 {
        entries.extend(slice(map.data as *const MapPair, map.size as usize).iter().map(pair));
    } else if map.size != 0 {
        let mut slot = map.iter_head;
        while slot != MAP_END {
            let (block, index) = (slot as usize / BLOCK_SLOTS, slot as usize % BLOCK_SLOTS);
            let items = map.data.add(block * BLOCK_BYTES + BLOCK_SLOTS) as *const MapItem;
            let item = &*items.add(index);
            entries.push(pair(&item.pair));
            slot = item.next;
        }
    }
    join(&entries, ", ")
}

unsafe fn tensor(tensor: &DLTensor) -> String {
    let ndim = tensor.ndim as usize;
    let shape = slice(tensor.shape, ndim);
    let strides = slice(tensor.strides, if tensor.strides.is_null() { 0 } else { ndim });
    let count: i64 = shape.iter().product();
    let size = (count as usize * tensor.dtype.bits as usize * tensor.dtype.lanes as usize + 7) / 8;
    let data = slice((tensor.data as *const u8).add(tensor.byte_offset as usize), size);
    let (shape, strides) = (join(shape, ","), join(strides, ","));
    format!(
        "tensor({}, {}, shape({shape}), strides({strides}), {})",
        dtype(tensor.dtype),
        device(tensor.device),
        hex(data)
    )
}

unsafe fn error(error: &ErrorCell, depth: usize) -> String {
    let mut text = format!("error({}: {}", lossy(bytes_of(error.kind)), lossy(bytes_of(error.message)));
    if !error.cause_chain.is_null() {
        let object = error.cause_chain;
        let cause = AnyValue { type_index: (*object).type_index, small_len: 0, payload: Payload { object } };
        text += &format!(", {}", describe(&cause, depth + 1));
    }
    text + ")"
}

fn dtype(dtype: DLDataType) -> String {
    format!("dtype({},{},{})", dtype.code, dtype.bits, dtype.lanes)
}

fn device(device: DLDevice) -> String {
    format!("device({},{})", device.device_type, device.device_id)
}

unsafe fn object(value: &AnyValue, depth: usize) -> String {
    match value.type_index {
        BYTES => format!("bytes({})", hex(bytes_of(*cell::<ByteArray>(value)))),
        ERROR => error(cell::<ErrorCell>(value), depth),
        FUNCTION => "function".into(),
        SHAPE => {
            let shape = cell::<ShapeCell>(value);
            format!("shape({})", join(slice(shape.data, shape.size), ","))
        }
        TENSOR => tensor(cell::<DLTensor>(value)),
        ARRAY => format!("array[{}]", sequence(value, depth)),
        LIST => format!("list[{}]", sequence(value, depth)),
        MAP => format!("map{{{}}}", map(value, depth)),
        DICT => format!("dict{{{}}}", map(value, depth)),
        BIG_INT => format!("bigint({})", hex(bytes_of(TVMFFIBigIntGetContentByteArray(value)))),
        other => format!("object({})", lossy(bytes_of((*TVMFFIGetTypeInfo(other)).type_key))),
    }
}

/// The value in the form that ../README.md defines; `depth`: containers around it.
///
/// # Safety
/// What the value borrows or refers to is alive.
pub unsafe fn describe(value: &AnyValue, depth: usize) -> String {
    if depth >= MAX_DEPTH {
        return "...".into();
    }
    if let Some(text) = text_of(value) {
        return format!("str({})", hex(text));
    }
    let payload = value.payload;
    match value.type_index {
        NONE => "none".into(),
        INT => format!("int({})", payload.int),
        BOOL => format!("bool({})", payload.int != 0),
        FLOAT => format!("float({:016x})", payload.bits),
        OPAQUE_PTR => format!("pointer({:x})", payload.bits),
        DATA_TYPE => dtype(payload.dtype),
        DEVICE => device(payload.device),
        DL_TENSOR_PTR => tensor(&*(payload.pointer as *const DLTensor)),
        BYTE_ARRAY_PTR => format!("bytes({})", hex(bytes_of(*(payload.pointer as *const ByteArray)))),
        SMALL_BYTES => format!("bytes({})", hex(&payload.bytes[..value.small_len as usize])),
        index if index >= STATIC_OBJECT_BEGIN => object(value, depth),
        index => format!("unknown({index})"),
    }
}
