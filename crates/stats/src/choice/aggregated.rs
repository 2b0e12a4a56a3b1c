//! Aggregation of identical choice sets into frequency-weighted ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{ChoiceSets, Data, Selected};

impl ChoiceSets {
    /// Frequency-weighted choice sets of one attribute with the same likelihood, mostly far fewer.
    ///
    /// Alternatives of equal value become one with a frequency weight, and so do sets with equal
    /// differences to the chosen alternative. Groups are lost. `None` for several attributes or for
    /// values that are not whole units, where hardly any two sets are alike.
    pub(crate) fn aggregated(&self) -> Option<Self> {
        let [column] = self.columns() else {
            return None;
        };
        if !column.is_whole() {
            return None;
        }
        let mut builder = Self::scaled_builder(&[column.scale()]).ok()?;
        let mut offsets = Vec::new();
        let mut selection: Vec<Selected> = Vec::new();
        let mut places: BTreeMap<Vec<(u64, u32)>, usize> = BTreeMap::new();
        let mut differences = Vec::new();
        let mut values: Vec<(u64, u32)> = Vec::new();
        for set in self.iter() {
            differences.clear();
            column.differences(set.rows(), set.chosen_row(), &mut differences);
            values.clear();
            for difference in &differences {
                let bits = (difference + 0.0).to_bits();
                match values.iter_mut().find(|(value, _)| *value == bits) {
                    Some((_, times)) => *times += 1,
                    None => values.push((bits, 1)),
                }
            }
            values.sort_unstable();
            if let Some(&place) = places.get(&values) {
                let count = &mut selection[place].count;
                *count = count.checked_add(set.count())?;
                continue;
            }
            let place = selection.len();
            let rows = values
                .iter()
                .map(|(bits, _)| [f64::from_bits(*bits) * column.scale()]);
            let rows: Vec<[f64; 1]> = rows.collect();
            let chosen = values.iter().position(|(bits, _)| *bits == 0)?;
            builder.push(0, chosen, rows).ok()?;
            offsets.extend(values.iter().map(|(_, times)| f64::from(*times).ln()));
            selection.push(Selected {
                set: place,
                count: set.count(),
            });
            places.insert(values.clone(), place);
        }
        let data = Arc::into_inner(builder.build().data)?;
        Some(Self {
            data: Arc::new(Data { offsets, ..data }),
            selection: Some(selection.into()),
        })
    }
}
