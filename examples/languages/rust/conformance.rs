//! The functions of the conformance suite in Rust, over the C ABI alone: see ../README.md for what each does.

mod ffi;
mod samples;
mod text;
mod value;

use ffi::*;
use std::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use value::{call, call_global, Failure, Value};

type Outcome = Result<Value, Failure>;

/// Runs the body of a function of the calling convention: no panic and no error leaves it but by the thread's slot.
unsafe fn run(
    args: *const AnyValue,
    count: i32,
    result: *mut AnyValue,
    body: impl FnOnce(&[AnyValue]) -> Outcome,
) -> i32 {
    let args = if count == 0 { &[] } else { std::slice::from_raw_parts(args, count as usize) };
    let outcome = catch_unwind(AssertUnwindSafe(|| body(args)))
        .unwrap_or_else(|_| Err(Failure::new("InternalError", "Rust panicked".into())));
    match outcome {
        Ok(value) => {
            *result = value.release();
            0
        }
        Err(failure) => {
            failure.store();
            -1
        }
    }
}

/// Exports a function under the name by which modules find it.
macro_rules! export {
    ($symbol:ident, $body:expr) => {
        /// # Safety
        /// The arguments are as the calling convention says.
        #[no_mangle]
        pub unsafe extern "C" fn $symbol(
            _: *mut c_void,
            args: *const AnyValue,
            count: i32,
            result: *mut AnyValue,
        ) -> i32 {
            run(args, count, result, $body)
        }
    };
}

fn type_key(value: &AnyValue) -> String {
    unsafe {
        let key = (*TVMFFIGetTypeInfo(value.type_index)).type_key;
        String::from_utf8_lossy(std::slice::from_raw_parts(key.data, key.size)).into_owned()
    }
}

/// All arguments as integers, or the TypeError of the contract.
fn ints<const COUNT: usize>(args: &[AnyValue], signature: &str) -> Result<[i64; COUNT], Failure> {
    let fail = |message: String| Err(Failure::new("TypeError", message));
    if args.len() != COUNT {
        let text = "Mismatched number of arguments when calling:";
        return fail(format!("{text} `{signature}`. Expected {COUNT} but got {} arguments", args.len()));
    }
    let mut numbers = [0; COUNT];
    for (i, value) in args.iter().enumerate() {
        if value.type_index != INT && value.type_index != BOOL {
            let text = format!("Mismatched type on argument #{i} when calling: `{signature}`.");
            return fail(format!("{text} Expected `int` but got `{}`", type_key(value)));
        }
        numbers[i] = unsafe { value.payload.int };
    }
    Ok(numbers)
}

fn text_argument(args: &[AnyValue], index: usize) -> Result<&[u8], Failure> {
    args.get(index)
        .and_then(|value| unsafe { text::text_of(value) })
        .ok_or_else(|| Failure::new("TypeError", format!("Expected a text as argument #{index}")))
}

fn one(args: &[AnyValue]) -> Result<&AnyValue, Failure> {
    match args {
        [value] => Ok(value),
        _ => Err(Failure::new("TypeError", format!("Expected 1 argument but got {}", args.len()))),
    }
}

unsafe extern "C" fn add_to_state(state: *mut c_void, args: *const AnyValue, count: i32, result: *mut AnyValue) -> i32 {
    run(args, count, result, |args| {
        let [b] = ints::<1>(args, "(0: int) -> int")?;
        Ok(Value::int((*(state as *const i64)).wrapping_add(b)))
    })
}

unsafe extern "C" fn free_state(state: *mut c_void) {
    drop(Box::from_raw(state as *mut i64));
}

fn make_adder(args: &[AnyValue]) -> Outcome {
    let [a] = ints::<1>(args, "make_adder(0: int) -> ffi.Function")?;
    let state = Box::into_raw(Box::new(a)) as *mut c_void;
    let mut function: Handle = std::ptr::null_mut();
    if unsafe { TVMFFIFunctionCreate(state, add_to_state, Some(free_state), &mut function) } != 0 {
        unsafe { free_state(state) };
        return Err(Failure::Raised);
    }
    Ok(Value::adopt(function))
}

fn call_argument(args: &[AnyValue]) -> Outcome {
    match args {
        [function, rest @ ..] if function.type_index == FUNCTION => call(unsafe { function.payload.object }, rest),
        _ => Err(Failure::new("TypeError", "Expected a function to call as argument #0".into())),
    }
}

fn fail(args: &[AnyValue]) -> Outcome {
    let (kind, message) = (text_argument(args, 0)?.to_vec(), text_argument(args, 1)?.to_vec());
    let cause = match args.get(2) {
        Some(value) if value.type_index == ERROR => Some(Value::of_view(value)?),
        _ => None,
    };
    let backtrace = format!("  File \"{}\", line {}, in fail\n", file!(), line!());
    Err(Failure::Error { kind, message, cause, backtrace })
}

fn catch(args: &[AnyValue]) -> Outcome {
    match call_argument(args) {
        Ok(_) => return Ok(Value::none()),
        Err(failure) => failure.store(),
    }
    let mut error: Handle = std::ptr::null_mut();
    unsafe { TVMFFIErrorMoveFromRaised(&mut error) };
    Ok(if error.is_null() { Value::none() } else { Value::adopt(error) })
}

export!(__tvm_ffi_language, |_| Value::text(b"rust"));
export!(__tvm_ffi_echo, |args| Value::of_view(one(args)?));
export!(__tvm_ffi_describe, |args| Value::text(text::describe(one(args)?, 0).as_bytes()));
export!(__tvm_ffi_make, |args| samples::make(text_argument(args, 0)?));
export!(__tvm_ffi_add, |args| {
    let [a, b] = ints::<2>(args, "add(0: int, 1: int) -> int")?;
    Ok(Value::int(a.wrapping_add(b)))
});
export!(__tvm_ffi_make_adder, make_adder);
export!(__tvm_ffi_call, call_argument);
export!(__tvm_ffi_relay, |args| call_global(text_argument(args, 0)?, &args[1..]));
export!(__tvm_ffi_fail, fail);
export!(__tvm_ffi_catch, catch);
