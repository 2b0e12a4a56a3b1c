//! Values that several cells use, made once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use kibitz_experiment::{CellError, SharedValue};

use super::sync::lock;

/// The values made so far, as long as cells are left that may ask for them.
pub(super) struct Store(Mutex<BTreeMap<&'static str, Group>>);

/// The values of one [kind](kibitz_experiment::Cell::shares).
#[derive(Default)]
struct Group {
    values: BTreeMap<String, Slot>,
    /// Cells left that share them.
    n_left: usize,
}

/// A value, locked while it is made.
type Slot = Arc<Mutex<Option<SharedValue>>>;

impl Store {
    /// No value yet, for cells that share these.
    pub(super) fn new(cells: impl IntoIterator<Item = &'static str>) -> Self {
        let mut groups: BTreeMap<_, Group> = BTreeMap::new();
        for what in cells {
            groups.entry(what).or_default().n_left += 1;
        }
        Self(Mutex::new(groups))
    }

    /// The value of this name, made now unless it was before.
    pub(super) fn get(
        &self,
        what: &'static str,
        name: &str,
        make: &mut dyn FnMut() -> Result<SharedValue, CellError>,
    ) -> Result<SharedValue, CellError> {
        let slot = {
            let mut groups = lock(&self.0);
            let values = &mut groups.entry(what).or_default().values;
            Arc::clone(values.entry(name.to_owned()).or_default())
        };
        let mut value = lock(&slot);
        if let Some(value) = &*value {
            return Ok(Arc::clone(value));
        }
        let made = make()?;
        *value = Some(Arc::clone(&made));
        Ok(made)
    }

    /// A cell that shares these is done; after the last of them none is kept.
    pub(super) fn leave(&self, what: &'static str) {
        if let Some(group) = lock(&self.0).get_mut(what) {
            group.n_left = group.n_left.saturating_sub(1);
            if group.n_left == 0 {
                group.values.clear();
            }
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
        let store = Store::new(["numbers", "numbers", "others"]);
        let mut n_made = 0_u32;
        let mut get = |name| {
            let value = store.get("numbers", name, &mut || {
                n_made += 1;
                Ok(Arc::new(n_made))
            });
            number(&value.unwrap())
        };
        assert_eq!([get("a"), get("b"), get("a")], [Some(1), Some(2), Some(1)]);
        store.leave("numbers");
        assert_eq!(get("a"), Some(1));
        store.leave("numbers");
        assert_eq!(get("a"), Some(3));
    }

    #[test]
    fn what_could_not_be_made_is_tried_again() {
        let store = Store::new(["numbers"]);
        let failed = store.get("numbers", "a", &mut || Err(CellError::new("no")));
        assert!(failed.is_err());
        let made = store.get("numbers", "a", &mut || Ok(Arc::new(7_u32)));
        assert_eq!(number(&made.unwrap()), Some(7));
    }
}
