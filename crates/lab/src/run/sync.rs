//! Locks that a panicking thread leaves usable.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks although a thread panicked: cells run outside of locks but for the making of a shared value,
/// which is not there then.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
