//! Shared values: computed once for several cells.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use kibitz_experiment::{CellError, SharedValue};

use super::lock::lock;

/// The values computed so far, by group; a group is dropped after the last cell that shares it.
pub(super) struct SharedValues(Mutex<BTreeMap<&'static str, Group>>);

/// The values of one [group](kibitz_experiment::Cell::shares).
#[derive(Default)]
struct Group {
    values: BTreeMap<String, Slot>,
    /// Number of cells left that share them.
    n_left: usize,
}

/// A value, locked while it is computed.
type Slot = Arc<Mutex<Option<SharedValue>>>;

impl SharedValues {
    /// No values yet; the iterator has the group of each cell that shares values.
    pub(super) fn new(cells: impl IntoIterator<Item = &'static str>) -> Self {
        let mut groups: BTreeMap<_, Group> = BTreeMap::new();
        for group in cells {
            groups.entry(group).or_default().n_left += 1;
        }
        Self(Mutex::new(groups))
    }

    /// The value of this name, computed unless it is there.
    pub(super) fn get(
        &self,
        group: &'static str,
        name: &str,
        make: &mut dyn FnMut() -> Result<SharedValue, CellError>,
    ) -> Result<SharedValue, CellError> {
        let slot = {
            let mut groups = lock(&self.0);
            let values = &mut groups.entry(group).or_default().values;
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

    /// Counts a cell of a group as done; after the last one the values are dropped.
    pub(super) fn leave(&self, group: &'static str) {
        if let Some(group) = lock(&self.0).get_mut(group) {
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
    fn a_value_is_computed_once_and_kept_for_the_cells_left() {
        let shared = SharedValues::new(["numbers", "numbers", "others"]);
        let mut n_made = 0_u32;
        let mut get = |name| {
            let value = shared.get("numbers", name, &mut || {
                n_made += 1;
                Ok(Arc::new(n_made))
            });
            number(&value.unwrap())
        };
        assert_eq!([get("a"), get("b"), get("a")], [Some(1), Some(2), Some(1)]);
        shared.leave("numbers");
        assert_eq!(get("a"), Some(1));
        shared.leave("numbers");
        assert_eq!(get("a"), Some(3));
    }

    #[test]
    fn failed_computations_are_repeated() {
        let shared = SharedValues::new(["numbers"]);
        let failed = shared.get("numbers", "a", &mut || Err(CellError::new("no")));
        assert!(failed.is_err());
        let made = shared.get("numbers", "a", &mut || Ok(Arc::new(7_u32)));
        assert_eq!(number(&made.unwrap()), Some(7));
    }
}
