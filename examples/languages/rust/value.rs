//! Owned values, and errors as Rust's `Result`.

use crate::ffi::*;

/// An owned value: its object, if it has one, is released when it goes.
pub struct Value(AnyValue);

impl Value {
    pub fn none() -> Value {
        Value::plain(NONE, 0)
    }
    pub fn plain(type_index: i32, bits: u64) -> Value {
        Value(AnyValue { type_index, small_len: 0, payload: Payload { bits } })
    }
    pub fn int(number: i64) -> Value {
        Value::plain(INT, number as u64)
    }
    pub fn float(number: f64) -> Value {
        Value::plain(FLOAT, number.to_bits())
    }
    pub fn text(text: &[u8]) -> Result<Value, Failure> {
        Value::from_bytes(text, TVMFFIStringFromByteArray)
    }
    /// The value that a function of the library makes of bytes.
    pub fn from_bytes(
        bytes: &[u8],
        make: unsafe extern "C" fn(*const ByteArray, *mut AnyValue) -> i32,
    ) -> Result<Value, Failure> {
        let mut value = Value::none();
        check(unsafe { make(&byte_array(bytes), &mut value.0) })?;
        Ok(value)
    }
    /// Takes over a reference to an object.
    pub fn adopt(object: Handle) -> Value {
        let type_index = unsafe { (*object).type_index };
        Value(AnyValue { type_index, small_len: 0, payload: Payload { object } })
    }
    /// An owned value of a view: borrowed text is copied, objects are shared.
    pub fn of_view(view: &AnyValue) -> Result<Value, Failure> {
        let mut value = Value::none();
        check(unsafe { TVMFFIAnyViewToOwnedAny(view, &mut value.0) })?;
        Ok(value)
    }
    pub fn view(&self) -> AnyValue {
        self.0
    }
    /// Gives the value away.
    pub fn release(mut self) -> AnyValue {
        std::mem::replace(&mut self.0, Value::none_view())
    }
    pub fn none_view() -> AnyValue {
        AnyValue { type_index: NONE, small_len: 0, payload: Payload { bits: 0 } }
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        if self.0.type_index >= STATIC_OBJECT_BEGIN {
            unsafe { TVMFFIObjectDecRef(self.0.payload.object) };
        }
    }
}

/// Why a function failed.
pub enum Failure {
    /// A function of the library or a callee failed: its error is in the thread's slot.
    Raised,
    /// An error of this module's.
    Error { kind: Vec<u8>, message: Vec<u8>, cause: Option<Value>, backtrace: String },
}

impl Failure {
    pub fn new(kind: &str, message: String) -> Failure {
        Failure::Error { kind: kind.into(), message: message.into(), cause: None, backtrace: String::new() }
    }

    /// Leaves the error in the thread's slot.
    pub fn store(self) {
        if let Failure::Error { kind, message, cause, backtrace } = self {
            let cause = cause.as_ref().map_or(std::ptr::null_mut(), |value| unsafe { value.0.payload.object });
            match new_error(&kind, &message, backtrace.as_bytes(), cause) {
                Ok(error) => unsafe { TVMFFIErrorSetRaised(error.0.payload.object) },
                Err(_) => unsafe {
                    TVMFFIErrorSetRaisedFromCStr(b"MemoryError\0".as_ptr().cast(), b"no memory\0".as_ptr().cast())
                },
            }
        }
    }
}

pub fn new_error(kind: &[u8], message: &[u8], backtrace: &[u8], cause: Handle) -> Result<Value, Failure> {
    let mut error: Handle = std::ptr::null_mut();
    let (kind, message, backtrace) = (byte_array(kind), byte_array(message), byte_array(backtrace));
    let none = std::ptr::null_mut();
    let code =
        unsafe { TVMFFIErrorCreateWithCauseAndExtraContext(&kind, &message, &backtrace, cause, none, &mut error) };
    if code != 0 {
        return Err(Failure::new("MemoryError", "no memory for an error".into()));
    }
    Ok(Value::adopt(error))
}

/// The code of a C function as a `Result`.
pub fn check(code: i32) -> Result<(), Failure> {
    if code == 0 {
        Ok(())
    } else {
        Err(Failure::Raised)
    }
}

/// Bytes for the length of a call.
pub fn byte_array(bytes: &[u8]) -> ByteArray {
    ByteArray { data: bytes.as_ptr(), size: bytes.len() }
}

/// Calls a function with borrowed arguments.
pub fn call(function: Handle, args: &[AnyValue]) -> Result<Value, Failure> {
    let mut result = Value::none_view();
    check(unsafe { TVMFFIFunctionCall(function, args.as_ptr(), args.len() as i32, &mut result) })?;
    Ok(Value(result))
}

/// Calls a global function.
pub fn call_global(name: &[u8], args: &[AnyValue]) -> Result<Value, Failure> {
    let mut function: Handle = std::ptr::null_mut();
    check(unsafe { TVMFFIFunctionGetGlobal(&byte_array(name), &mut function) })?;
    if function.is_null() {
        let name = String::from_utf8_lossy(name);
        return Err(Failure::new("ValueError", format!("There is no global function {name}")));
    }
    let function = Value::adopt(function);
    call(unsafe { function.0.payload.object }, args)
}
