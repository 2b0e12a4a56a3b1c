//! Values that several cells use, made once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use kibitz_experiment::{CellError, SharedValue};

use super::lock;

/// The values made so far, as long as cells are left that may ask for them.
pub(super) struct Store(Mutex<State>);

struct State {
    values: BTreeMap<String, Slot>,
    /// Cells left that share.
    n_left: usize,
}

/// A value, locked while it is made.
type Slot = Arc<Mutex<Option<SharedValue>>>;

impl Store {
    /// No value yet, for so many cells.
    pub(super) fn new(n_cells: usize) -> Self {
        Self(Mutex::new(State {
            values: BTreeMap::new(),
            n_left: n_cells,
        }))
    }

    /// The value of this name, made now unless it was before.
    pub(super) fn get(
        &self,
        name: &str,
        make: &mut dyn FnMut() -> Result<SharedValue, CellError>,
    ) -> Result<SharedValue, CellError> {
        let slot = Arc::clone(lock(&self.0).values.entry(name.to_owned()).or_default());
        let mut value = lock(&slot);
        if let Some(value) = &*value {
            return Ok(Arc::clone(value));
        }
        let made = make()?;
        *value = Some(Arc::clone(&made));
        Ok(made)
    }

    /// A cell that shares is done; after the last of them nothing is kept.
    pub(super) fn leave(&self) {
        let mut state = lock(&self.0);
        state.n_left = state.n_left.saturating_sub(1);
        if state.n_left == 0 {
            state.values.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: &SharedValue) -> Option<u32> {
        value.downcast_ref().copied()
    }

    #[test]
    fn a_value_is_made_once_and_kept_for_the_cells_left() {
        let store = Store::new(2);
        let mut n_made = 0_u32;
        let mut get = |name| {
            let value = store.get(name, &mut || {
                n_made += 1;
                Ok(Arc::new(n_made))
            });
            number(&value.unwrap())
        };
        assert_eq!([get("a"), get("b"), get("a")], [Some(1), Some(2), Some(1)]);
        store.leave();
        assert_eq!(get("a"), Some(1));
        store.leave();
        assert_eq!(get("a"), Some(3));
    }

    #[test]
    fn what_could_not_be_made_is_tried_again() {
        let store = Store::new(1);
        let failed = store.get("a", &mut || Err(CellError::new("no")));
        assert!(failed.is_err());
        let made = store.get("a", &mut || Ok(Arc::new(7_u32)));
        assert_eq!(number(&made.unwrap()), Some(7));
    }
}
