//! Aggregation of identical choice sets into frequency-weighted ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{ChoiceSets, ChoiceSetsBuilder, Column, CountedSet, Data};

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
        let mut aggregation = Aggregation::new(column.scale());
        aggregation.add(self)?;
        aggregation.finish()
    }
}

/// Sets of one attribute, counted in whole units, as far as they are aggregated.
pub(super) struct Aggregation {
    scale: f64,
    builder: ChoiceSetsBuilder,
    offsets: Vec<f64>,
    selection: Vec<CountedSet>,
    /// The index of a set by its differences from the chosen alternative, with their multiplicities.
    places: BTreeMap<Vec<(u64, u32)>, usize>,
}

impl Aggregation {
    pub(super) fn new(scale: f64) -> Self {
        let mut builder = ChoiceSets::builder(1);
        builder.columns = vec![Column::new(scale)];
        Self {
            scale,
            builder,
            offsets: Vec::new(),
            selection: Vec::new(),
            places: BTreeMap::new(),
        }
    }

    /// Adds sets; `None` if there are too many to be counted.
    pub(super) fn add(&mut self, sets: &ChoiceSets) -> Option<()> {
        let [column] = sets.columns() else {
            return None;
        };
        let mut differences = Vec::new();
        let mut values: Vec<(u64, u32)> = Vec::new();
        for set in sets.iter() {
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
            if let Some(&place) = self.places.get(&values) {
                let count = &mut self.selection[place].count;
                *count = count.checked_add(set.count())?;
                continue;
            }
            let place = self.selection.len();
            let rows = values
                .iter()
                .map(|(bits, _)| [f64::from_bits(*bits) * self.scale]);
            let rows: Vec<[f64; 1]> = rows.collect();
            let chosen = values.iter().position(|(bits, _)| *bits == 0)?;
            self.builder.push(0, chosen, rows).ok()?;
            let times = values.iter().map(|(_, times)| f64::from(*times).ln());
            self.offsets.extend(times);
            self.selection.push(CountedSet {
                set: place,
                count: set.count(),
            });
            self.places.insert(values.clone(), place);
        }
        Some(())
    }

    pub(super) fn finish(self) -> Option<ChoiceSets> {
        let data = Arc::into_inner(self.builder.build().data)?;
        Some(ChoiceSets {
            data: Arc::new(Data {
                offsets: self.offsets,
                ..data
            }),
            selection: Some(self.selection.into()),
        })
    }
}
