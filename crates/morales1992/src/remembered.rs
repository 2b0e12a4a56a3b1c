//! Values by a text that tells what they were computed from.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// What was computed before, for all threads. Two that compute the same at once both keep it.
pub(crate) struct Remembered<T>(Mutex<BTreeMap<String, T>>);

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Remembered<T> {
    pub(crate) fn get(&self, text: &str) -> Option<T> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(text).cloned()
    }

    pub(crate) fn insert(&self, text: String, value: T) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(text, value);
    }
}
