//! Choice sets: the data of discrete choice models.
//!
//! A choice set is one decision: its alternatives, each with the same attributes, and the one
//! chosen. Every set belongs to a group (a game, a person), the unit by which data are split and
//! resampled. Alternatives are stored in one flat column per attribute, with two bytes per value
//! if the values are integers in some unit: a million positions with thirty moves each and two
//! attributes take about 140 MB.

mod aggregated;
mod blocks;
mod builder;
mod column;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

pub use blocks::{BlockError, ChoiceBlocks};
pub(crate) use blocks::{SETS_PER_BLOCK, Sample};
pub use builder::ChoiceSetsBuilder;
pub(crate) use column::Column;

/// Why a choice set was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// A set without alternatives leaves nothing to choose.
    #[error("choice set {set} has no alternatives")]
    NoAlternatives {
        /// Position of the refused set, counting from 0.
        set: usize,
    },
    /// The chosen index points past the last alternative.
    #[error(
        "choice set {set}: alternative {chosen} was chosen, but there are only {n_alternatives}"
    )]
    ChosenOutOfRange {
        /// Position of the refused set, counting from 0.
        set: usize,
        /// The index given.
        chosen: usize,
        /// Number of alternatives of the set.
        n_alternatives: usize,
    },
    /// An attribute, counted in units of its scale, is infinite or not a number.
    #[error(
        "choice set {set}: attribute {attribute} of alternative {alternative} is {value}, not a finite number of units"
    )]
    NotFinite {
        /// Position of the refused set, counting from 0.
        set: usize,
        /// The alternative, counting from 0.
        alternative: usize,
        /// The attribute, counting from 0.
        attribute: usize,
        /// The value given.
        value: f64,
    },
    /// An alternative has more or fewer attributes than the data set.
    #[error(
        "choice set {set}: alternative {alternative} has {found} attributes, expected {expected}"
    )]
    RaggedRow {
        /// Position of the refused set, counting from 0.
        set: usize,
        /// The alternative, counting from 0.
        alternative: usize,
        /// Attributes of the data set.
        expected: usize,
        /// Attributes of the alternative.
        found: usize,
    },
    /// A flat set does not divide into alternatives.
    #[error("choice set {set}: {len} values do not divide into rows of {n_attributes} attributes")]
    RaggedSet {
        /// Position of the refused set, counting from 0.
        set: usize,
        /// Values given.
        len: usize,
        /// Attributes of the data set.
        n_attributes: usize,
    },
    /// A scale is zero, negative, infinite or not a number.
    #[error("scale of attribute {attribute} is {scale}, expected a positive finite number")]
    BadScale {
        /// The attribute, counting from 0.
        attribute: usize,
        /// The scale given.
        scale: f64,
    },
}

/// A data set of decisions, ready for a choice model.
///
/// Cloning and [`by_groups`](Self::by_groups) share the attribute values, so subsets are cheap.
/// Sets keep the order in which they were pushed.
///
/// # Examples
/// ```
/// use kibitz_stats::ChoiceSets;
/// let mut builder = ChoiceSets::builder(2);
/// // One decision of game 7: the second of three moves, each with material and mobility.
/// builder.push(7, 1, [[0.0, 4.0], [3.0, 1.0], [0.0, 2.0]])?;
/// let sets = builder.build();
/// assert_eq!((sets.len(), sets.n_alternatives(), sets.n_attributes()), (1, 3, 2));
/// assert_eq!(sets.get(0).unwrap().alternative(1), [3.0, 1.0]);
/// # Ok::<(), kibitz_stats::ChoiceError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ChoiceSets {
    data: Arc<Data>,
    /// Without a selection every set counts once.
    selection: Option<Arc<[CountedSet]>>,
}

#[derive(Debug)]
struct Data {
    columns: Vec<Column>,
    /// `ends[s]` is where the alternatives of set `s` end; they start where the last set's end.
    ends: Vec<usize>,
    chosen: Vec<u32>,
    groups: Vec<u32>,
    /// Per alternative the logarithm of its frequency weight; empty if all weights are 1.
    offsets: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
struct CountedSet {
    set: usize,
    count: u32,
}

impl ChoiceSets {
    /// Starts a data set of alternatives with `n_attributes` attributes each.
    pub fn builder(n_attributes: usize) -> ChoiceSetsBuilder {
        ChoiceSetsBuilder::new(n_attributes)
    }

    /// Starts a data set that counts attribute `k` in units of `scales[k]`.
    ///
    /// If all values are integers in that unit, from -32768 to 32767, they take two bytes each,
    /// otherwise eight. An attribute counted in tenths has the scale 0.1.
    ///
    /// # Errors
    /// [`ChoiceError::BadScale`] for a scale that is not positive and finite.
    pub fn scaled_builder(scales: &[f64]) -> Result<ChoiceSetsBuilder, ChoiceError> {
        ChoiceSetsBuilder::scaled(scales)
    }

    /// Number of distinct sets (decisions).
    pub fn len(&self) -> usize {
        match &self.selection {
            Some(selection) => selection.len(),
            None => self.data.chosen.len(),
        }
    }

    /// Whether the data set is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of attributes of every alternative.
    pub fn n_attributes(&self) -> usize {
        self.data.columns.len()
    }

    /// Number of alternatives over all distinct sets.
    pub fn n_alternatives(&self) -> usize {
        self.iter().map(|set| set.n_alternatives()).sum()
    }

    /// Number of observed choices: the sets, each as often as it counts.
    pub fn n_choices(&self) -> u64 {
        self.iter().map(|set| u64::from(set.count())).sum()
    }

    /// Set number `index` of this data set, or `None` past the end.
    pub fn get(&self, index: usize) -> Option<ChoiceSet<'_>> {
        (index < self.len()).then(|| self.set(index))
    }

    /// All sets in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ChoiceSet<'_>> {
        (0..self.len()).map(|index| self.set(index))
    }

    /// Set number `index`, which must be below the length.
    #[inline]
    pub(crate) fn set(&self, index: usize) -> ChoiceSet<'_> {
        let CountedSet { set, count } = match &self.selection {
            Some(selection) => selection[index],
            None => CountedSet {
                set: index,
                count: 1,
            },
        };
        let start = if set == 0 { 0 } else { self.data.ends[set - 1] };
        ChoiceSet {
            data: &self.data,
            rows: start..self.data.ends[set],
            set,
            count,
        }
    }

    /// The distinct groups, ascending.
    pub fn groups(&self) -> Vec<u32> {
        let mut groups: Vec<u32> = Vec::new();
        for set in self.iter() {
            // Neighbors mostly share their group, so this keeps the list short before it is sorted.
            if groups.last() != Some(&set.group()) {
                groups.push(set.group());
            }
        }
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    /// The same sets with these attributes alone, by index; copies their values.
    ///
    /// # Panics
    /// If an index is out of range.
    #[must_use]
    pub fn restricted_to(&self, attributes: &[usize]) -> Self {
        let data = &self.data;
        let columns = attributes.iter();
        let columns = columns.map(|&attribute| data.columns[attribute].clone());
        let restricted = Data {
            columns: columns.collect(),
            ends: data.ends.clone(),
            chosen: data.chosen.clone(),
            groups: data.groups.clone(),
            offsets: data.offsets.clone(),
        };
        Self {
            data: Arc::new(restricted),
            selection: self.selection.clone(),
        }
    }

    /// Every `step`th set.
    ///
    /// # Panics
    /// If `step` is zero.
    #[must_use]
    pub fn every(&self, step: usize) -> Self {
        let selected = self.iter().step_by(step).map(|set| CountedSet {
            set: set.set,
            count: set.count,
        });
        Self {
            data: Arc::clone(&self.data),
            selection: Some(selected.collect()),
        }
    }

    /// The sets of the given groups, in the order of this data set.
    ///
    /// A group named twice counts twice, as in a bootstrap sample; a group without sets adds
    /// nothing. The attribute values are shared, not copied; the cost is one pass over the sets.
    #[must_use]
    pub fn by_groups(&self, groups: &[u32]) -> Self {
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        for &group in groups {
            *counts.entry(group).or_default() += 1;
        }
        let mut selection = Vec::new();
        let mut last: Option<(u32, u32)> = None;
        for set in self.iter() {
            let group = set.group();
            let times = match last {
                Some((same, times)) if same == group => times,
                _ => counts.get(&group).copied().unwrap_or(0),
            };
            last = Some((group, times));
            if times > 0 {
                selection.push(CountedSet {
                    set: set.set,
                    count: set.count * times,
                });
            }
        }
        Self {
            data: Arc::clone(&self.data),
            selection: Some(selection.into()),
        }
    }

    /// Bytes held by the attribute values and the index of sets; shared by all subsets.
    #[cfg(test)]
    fn heap_bytes(&self) -> usize {
        let data = &self.data;
        data.columns.iter().map(Column::heap_bytes).sum::<usize>()
            + data.ends.capacity() * size_of::<usize>()
            + (data.chosen.capacity() + data.groups.capacity()) * size_of::<u32>()
    }

    pub(crate) fn columns(&self) -> &[Column] {
        &self.data.columns
    }
}

/// One decision: a view into [`ChoiceSets`].
#[derive(Debug, Clone)]
pub struct ChoiceSet<'a> {
    data: &'a Data,
    rows: Range<usize>,
    set: usize,
    count: u32,
}

impl ChoiceSet<'_> {
    /// The group (game) of the decision.
    pub fn group(&self) -> u32 {
        self.data.groups[self.set]
    }

    /// Index of the chosen alternative, below [`n_alternatives`](Self::n_alternatives).
    pub fn chosen(&self) -> usize {
        self.data.chosen[self.set] as usize
    }

    /// Multiplicity of the decision: 1, or more in a bootstrap sample.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Number of alternatives, at least 1.
    pub fn n_alternatives(&self) -> usize {
        self.rows.len()
    }

    /// The attributes of one alternative.
    ///
    /// # Panics
    /// If `index` is out of range.
    pub fn alternative(&self, index: usize) -> Vec<f64> {
        assert!(
            index < self.n_alternatives(),
            "alternative {index} of {}",
            self.n_alternatives()
        );
        let row = self.rows.start + index;
        self.data
            .columns
            .iter()
            .map(|column| column.value(row))
            .collect()
    }

    pub(crate) fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// The offsets of the alternatives, if they have any.
    pub(crate) fn offsets(&self) -> Option<&[f64]> {
        self.data.offsets.get(self.rows())
    }

    pub(crate) fn chosen_row(&self) -> usize {
        self.rows.start + self.chosen()
    }
}

#[cfg(test)]
mod tests;
