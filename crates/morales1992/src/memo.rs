//! A memo of computed values by text.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A memo shared by threads; two threads may compute the same value at once.
pub(crate) struct Memo<T>(Mutex<BTreeMap<String, T>>);

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Memo<T> {
    pub(crate) fn get(&self, text: &str) -> Option<T> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(text).cloned()
    }

    pub(crate) fn insert(&self, text: String, value: T) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(text, value);
    }
}
