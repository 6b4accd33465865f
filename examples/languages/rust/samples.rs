//! A value of each kind.

use crate::ffi::*;
use crate::value::{call_global, new_error, Failure, Value};
use std::ffi::c_void;
use std::ptr::addr_of_mut;

/// Containers are made by the library's functions.
fn container(function: &str, values: Vec<Value>) -> Result<Value, Failure> {
    let views: Vec<AnyValue> = values.iter().map(Value::view).collect();
    call_global(function.as_bytes(), &views)
}

fn big_int(words: [i64; 2]) -> Result<Value, Failure> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    Value::from_bytes(&bytes, TVMFFIBigIntFromByteArray)
}

/// A tensor is memory of ours with a description and a function that frees both.
#[repr(C)]
struct OwnedTensor {
    managed: DLManagedTensorVersioned,
    shape: [i64; 2],
    strides: [i64; 2],
    data: [f32; 6],
}

unsafe extern "C" fn free_tensor(managed: *mut DLManagedTensorVersioned) {
    drop(Box::from_raw((*managed).manager_ctx as *mut OwnedTensor));
}

fn tensor() -> Result<Value, Failure> {
    let dl_tensor = DLTensor {
        data: std::ptr::null_mut(),
        device: DLDevice { device_type: DL_CPU, device_id: 0 },
        ndim: 2,
        dtype: DLDataType { code: DL_FLOAT, bits: 32, lanes: 1 },
        shape: std::ptr::null_mut(),
        strides: std::ptr::null_mut(),
        byte_offset: 0,
    };
    let manager_ctx = std::ptr::null_mut();
    let managed =
        DLManagedTensorVersioned { major: 1, minor: 0, manager_ctx, deleter: Some(free_tensor), flags: 0, dl_tensor };
    let data = std::array::from_fn(|i| i as f32);
    let tensor = Box::into_raw(Box::new(OwnedTensor { managed, shape: [2, 3], strides: [3, 1], data }));
    let mut handle: Handle = std::ptr::null_mut();
    unsafe {
        (*tensor).managed.manager_ctx = tensor as *mut c_void;
        (*tensor).managed.dl_tensor.data = addr_of_mut!((*tensor).data) as *mut c_void;
        (*tensor).managed.dl_tensor.shape = addr_of_mut!((*tensor).shape) as *mut i64;
        (*tensor).managed.dl_tensor.strides = addr_of_mut!((*tensor).strides) as *mut i64;
        if TVMFFITensorFromDLPackVersioned(addr_of_mut!((*tensor).managed), 0, 1, &mut handle) != 0 {
            drop(Box::from_raw(tensor)); // it is still ours
            return Err(Failure::Raised);
        }
    }
    Ok(Value::adopt(handle))
}

fn error_with_cause() -> Result<Value, Failure> {
    let cause = new_error(b"TypeError", b"inner", b"", std::ptr::null_mut())?;
    new_error(b"ValueError", b"outer", b"", unsafe { cause.view().payload.object })
}

fn dtype() -> Value {
    let mut payload = Payload { bits: 0 }; // it is narrower than the payload, and the rest must be zero
    payload.dtype = DLDataType { code: DL_FLOAT, bits: 32, lanes: 4 };
    Value::plain(DATA_TYPE, unsafe { payload.bits })
}

fn device() -> Value {
    let device = DLDevice { device_type: DL_CUDA, device_id: 7 };
    Value::plain(DEVICE, unsafe { Payload { device }.bits })
}

fn function() -> Result<Value, Failure> {
    let mut function: Handle = std::ptr::null_mut();
    crate::value::check(unsafe {
        TVMFFIFunctionCreate(std::ptr::null_mut(), crate::__tvm_ffi_echo, None, &mut function)
    })?;
    Ok(Value::adopt(function))
}

pub fn make(name: &[u8]) -> Result<Value, Failure> {
    let text = |text: &str| Value::text(text.as_bytes());
    let int = Value::int;
    Ok(match name {
        b"none" => Value::none(),
        b"bool" => Value::plain(BOOL, 1),
        b"int" => int(-5),
        b"int.min" => int(i64::MIN),
        b"int.max" => int(i64::MAX),
        b"float" => Value::float(1.5),
        b"float.negative_zero" => Value::float(-0.0),
        b"float.nan" => Value::float(f64::from_bits(0x7ff8 << 48)),
        b"float.infinity" => Value::float(f64::INFINITY),
        b"pointer" => Value::plain(OPAQUE_PTR, 0x2a),
        b"pointer.null" => Value::plain(OPAQUE_PTR, 0),
        b"dtype" => dtype(),
        b"device" => device(),
        b"str.empty" => text("")?,
        b"str.short" => text("a\0b")?,
        b"str.long" => text("longer than\0seven")?,
        b"bytes.short" => Value::from_bytes(b"\0\xff", TVMFFIBytesFromByteArray)?,
        b"bytes.long" => Value::from_bytes(&std::array::from_fn::<u8, 16, _>(|i| i as u8), TVMFFIBytesFromByteArray)?,
        b"array" => container("ffi.Array", vec![int(1), text("two")?, Value::float(3.5), Value::none()])?,
        b"list" => container("ffi.List", vec![int(1), container("ffi.Array", vec![int(2)])?])?,
        b"map" => container("ffi.Map", vec![text("a")?, int(1), text("b")?, int(2)])?,
        b"map.large" => container("ffi.Map", (0..10).flat_map(|i| [int(i), int(i * i)]).collect())?,
        b"dict" => container("ffi.Dict", vec![text("k")?, container("ffi.List", vec![])?])?,
        b"shape" => container("ffi.Shape", vec![int(2), int(3)])?,
        b"tensor" => tensor()?,
        b"bigint" => big_int([0, 1])?,
        b"bigint.negative" => big_int([0, -1])?,
        b"function" => function()?,
        b"error" => new_error(b"ValueError", b"made", b"", std::ptr::null_mut())?,
        b"error.cause" => error_with_cause()?,
        other => {
            let name = String::from_utf8_lossy(other);
            return Err(Failure::new("ValueError", format!("There is no sample named {name}")));
        }
    })
}
