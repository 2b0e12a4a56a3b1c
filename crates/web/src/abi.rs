//! The functions that a page calls: it writes a request into memory, and reads the response there.
//!
//! ```js
//! const at = wasm.question(bytes.length);
//! new Uint8Array(wasm.memory.buffer, at, bytes.length).set(bytes);
//! wasm.answer();
//! const json = new Uint8Array(wasm.memory.buffer, wasm.address(), wasm.length());
//! ```
//! If `answer` panics, the reason takes the place of the response, and the module cannot be used again.
#![expect(
    unsafe_code,
    reason = "names that the linker keeps count as unsafe; no other code here does"
)]

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The question, then the answer.
static BYTES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn bytes() -> MutexGuard<'static, Vec<u8>> {
    BYTES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for a question of so many bytes; where it is.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn question(length: usize) -> *mut u8 {
    std::panic::set_hook(Box::new(|why| *bytes() = why.to_string().into_bytes()));
    let mut bytes = bytes();
    *bytes = vec![0; length];
    bytes.as_mut_ptr()
}

/// Answers the question.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn answer() {
    let question = std::mem::take(&mut *bytes());
    *bytes() = crate::answer(&question);
}

/// Where the answer is.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn address() -> *const u8 {
    bytes().as_ptr()
}

/// How many bytes it has.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn length() -> usize {
    bytes().len()
}
