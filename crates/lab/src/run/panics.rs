//! Isolation of panics: a cell that panics fails alone.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

/// The state of this thread.
enum Thread {
    /// Not running a cell: panics are printed.
    Other,
    /// Running a cell.
    Cell,
    /// Running a cell, which panicked with this message.
    Panicked(String),
}

thread_local! {
    static THREAD: RefCell<Thread> = const { RefCell::new(Thread::Other) };
}

/// Keeps panics of cells from printing; all others print as before.
pub(super) fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let is_cell = THREAD.with(|thread| match thread.try_borrow_mut() {
                Ok(mut thread) if !matches!(*thread, Thread::Other) => {
                    *thread = Thread::Panicked(describe(info));
                    true
                }
                _ => false,
            });
            if !is_cell {
                previous(info);
            }
        }));
    });
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let message = info.payload_as_str().unwrap_or("no message");
    match info.location() {
        Some(at) => {
            // Without the machine's folders in front.
            let file = at.file();
            let file = file.find("crates/").map_or(file, |start| &file[start..]);
            format!("panicked at {file}:{}: {message}", at.line())
        }
        None => format!("panicked: {message}"),
    }
}

/// Runs a cell; a panic is an error with its message.
pub(super) fn catch<T>(cell: impl FnOnce() -> T) -> Result<T, String> {
    THREAD.set(Thread::Cell);
    let result = catch_unwind(AssertUnwindSafe(cell));
    let message = match THREAD.replace(Thread::Other) {
        Thread::Panicked(message) => message,
        Thread::Cell | Thread::Other => "panicked".to_owned(),
    };
    result.map_err(|_| message)
}
