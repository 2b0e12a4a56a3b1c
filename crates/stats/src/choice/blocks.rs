//! Choice sets in blocks: the first are kept in memory, the others in a file.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::aggregated::Aggregation;
use super::{ChoiceError, ChoiceSet, ChoiceSets, ChoiceSetsBuilder, Column, CountedSet, Data};

/// Sets of a block, which are also the sets whose terms one thread sums.
pub(crate) const SETS_PER_BLOCK: usize = 4096;

/// Choice sets larger than memory: only a limited number of alternatives is held in memory.
///
/// The others are written in blocks to the file that `open` returns, such as a temporary file, and
/// read again for each pass. Results are bit-identical to those of [`ChoiceSets`].
#[derive(Debug)]
pub struct ChoiceBlocks<F> {
    open: fn() -> io::Result<F>,
    /// Alternatives that may still be kept.
    room: usize,
    builder: ChoiceSetsBuilder,
    kept: Vec<ChoiceSets>,
    file: Option<Mutex<F>>,
    /// Where the blocks begin that are in the file, and where the last of them ends.
    starts: Vec<u64>,
    n_sets: usize,
    spreads: Vec<f64>,
    is_whole: bool,
}

/// Why a set could not be added.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BlockError {
    /// The set is not a choice among alternatives, or has a value that is not finite.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// A block cannot be written.
    #[error("decisions that do not fit into memory cannot be written: {0}")]
    Io(#[from] io::Error),
}

impl<F: Read + Write + Seek> ChoiceBlocks<F> {
    /// None yet, of alternatives with `n_attributes` attributes each; of about `n_kept` alternatives
    /// memory holds the values.
    pub fn new(n_attributes: usize, n_kept: usize, open: fn() -> io::Result<F>) -> Self {
        Self {
            open,
            room: n_kept,
            builder: ChoiceSets::builder(n_attributes),
            kept: Vec::new(),
            file: None,
            starts: vec![0],
            n_sets: 0,
            spreads: vec![0.0; n_attributes],
            is_whole: true,
        }
    }

    /// Adds a decision, see [`ChoiceSetsBuilder::push`].
    ///
    /// # Errors
    /// [`BlockError`]; a decision that is refused leaves the blocks as they were.
    pub fn push<R: AsRef<[f64]>>(
        &mut self,
        group: u32,
        chosen: usize,
        alternatives: impl IntoIterator<Item = R>,
    ) -> Result<(), BlockError> {
        self.builder.push(group, chosen, alternatives)?;
        self.n_sets += 1;
        if self.builder.len() == SETS_PER_BLOCK {
            self.end_block()?;
        }
        Ok(())
    }

    /// Ends the last block: nothing is added any more.
    ///
    /// # Errors
    /// Of writing.
    pub fn finish(&mut self) -> io::Result<()> {
        if self.builder.is_empty() {
            return Ok(());
        }
        self.end_block()
    }

    fn end_block(&mut self) -> io::Result<()> {
        let next = ChoiceSets::builder(self.spreads.len());
        let block = std::mem::replace(&mut self.builder, next).build();
        for (spread, column) in self.spreads.iter_mut().zip(block.columns()) {
            *spread = spread.max(column.spread());
            self.is_whole &= column.is_whole();
        }
        let n_alternatives = block.n_alternatives();
        if self.file.is_none() && n_alternatives <= self.room {
            self.room -= n_alternatives;
            self.kept.push(block);
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(Mutex::new((self.open)()?)),
        };
        let file = file.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = Vec::new();
        block.data.write(&mut bytes);
        file.write_all(&bytes)?;
        let start = self.starts.last().copied().unwrap_or(0);
        self.starts.push(start + bytes.len() as u64);
        Ok(())
    }
}

impl<F> ChoiceBlocks<F> {
    /// Number of decisions.
    pub fn len(&self) -> usize {
        self.n_sets
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.n_sets == 0
    }

    /// Number of attributes of every alternative.
    pub fn n_attributes(&self) -> usize {
        self.spreads.len()
    }

    /// Largest difference of each attribute between two alternatives of a decision.
    pub(crate) fn spreads(&self) -> &[f64] {
        &self.spreads
    }
}

impl<F: Read + Seek> ChoiceBlocks<F> {
    /// Gives every block, in order, to `each`.
    fn visit(&self, mut each: impl FnMut(ChoiceSets)) -> io::Result<()> {
        for block in &self.kept {
            each(block.clone());
        }
        let Some(file) = &self.file else {
            return Ok(());
        };
        let mut bytes = Vec::new();
        for ends in self.starts.windows(2) {
            let length = usize::try_from(ends[1] - ends[0]).map_err(io::Error::other)?;
            bytes.resize(length, 0);
            {
                // Nothing is left half done by a thread that panics.
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(ends[0]))?;
                file.read_exact(&mut bytes)?;
            }
            let data = Data::read(&mut bytes.as_slice(), self.spreads.len());
            let data = data.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
            each(ChoiceSets {
                data: Arc::new(data),
                selection: None,
            });
        }
        Ok(())
    }

    /// Gives every [`SETS_PER_BLOCK`] decisions of `sample`, in order, to `each`, and what is left at the
    /// end: those blocks of [`ChoiceSets`] that are summed by one thread.
    pub(crate) fn visit_sample(
        &self,
        sample: &Sample,
        mut each: impl FnMut(ChoiceSets),
    ) -> io::Result<()> {
        let of = |block: &ChoiceSets| match &sample.attributes {
            Some(attributes) => block.restricted_to(attributes),
            None => block.clone(),
        };
        let Some(counts) = &sample.counts else {
            return self.visit(|block| each(of(&block)));
        };
        let n_attributes = self.spreads.len();
        let (mut builder, mut selection) = (ChoiceSets::builder(n_attributes), Vec::new());
        let mut end = |builder: ChoiceSetsBuilder, selection: Vec<CountedSet>| {
            let sets = builder.build();
            each(of(&ChoiceSets {
                selection: Some(selection.into()),
                ..sets
            }));
        };
        self.visit(|block| {
            for set in block.iter() {
                let Some(&count) = counts.get(&set.group()) else {
                    continue;
                };
                selection.push(CountedSet {
                    set: selection.len(),
                    count,
                });
                builder.push_set(&set);
                if selection.len() == SETS_PER_BLOCK {
                    let full = std::mem::replace(&mut builder, ChoiceSets::builder(n_attributes));
                    end(full, std::mem::take(&mut selection));
                }
            }
        })?;
        if !selection.is_empty() {
            end(builder, selection);
        }
        Ok(())
    }

    /// See [`ChoiceSets::aggregated`].
    pub(crate) fn aggregated(&self, sample: &Sample) -> io::Result<Option<ChoiceSets>> {
        if self.n_attributes() != 1 || !self.is_whole {
            return Ok(None);
        }
        let mut aggregation = Some(Aggregation::new(1.0));
        self.visit_sample(sample, |block| {
            aggregation = aggregation.take().and_then(|mut aggregation| {
                aggregation.add(&block)?;
                Some(aggregation)
            });
        })?;
        Ok(aggregation.and_then(Aggregation::finish))
    }
}

/// Which decisions of [`ChoiceBlocks`] count, and by which attributes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sample {
    /// Multiplicity of the sets of each group; without it each counts once.
    pub(crate) counts: Option<BTreeMap<u32, u32>>,
    pub(crate) attributes: Option<Vec<usize>>,
}

impl ChoiceSetsBuilder {
    /// Adds a set of a data set with the same attributes, counted in the same units.
    fn push_set(&mut self, set: &ChoiceSet<'_>) {
        let others = &set.data.columns;
        for (column, other) in self.columns.iter_mut().zip(others) {
            column.extend_from(other, set.rows());
        }
        let chosen = set.data.chosen[set.set];
        self.end_set(set.group(), chosen, set.n_alternatives());
    }
}

impl Data {
    /// Appends the sets as bytes, which [`Data::read`] reads.
    fn write(&self, bytes: &mut Vec<u8>) {
        let put = |bytes: &mut Vec<u8>, n: usize| bytes.extend((n as u64).to_le_bytes());
        put(bytes, self.chosen.len());
        let mut start = 0;
        for ((&end, &chosen), &group) in self.ends.iter().zip(&self.chosen).zip(&self.groups) {
            put(bytes, end - start);
            bytes.extend(chosen.to_le_bytes());
            bytes.extend(group.to_le_bytes());
            start = end;
        }
        for column in &self.columns {
            column.write(bytes);
        }
    }

    /// `None` if the bytes are not those of sets with so many attributes.
    fn read(bytes: &mut &[u8], n_attributes: usize) -> Option<Self> {
        let size = |bytes: &mut &[u8]| {
            let (number, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            usize::try_from(u64::from_le_bytes(*number)).ok()
        };
        let small = |bytes: &mut &[u8]| {
            let (number, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            Some(u32::from_le_bytes(*number))
        };
        let n_sets = size(bytes)?;
        let mut data = Data {
            columns: Vec::with_capacity(n_attributes),
            ends: Vec::new(),
            chosen: Vec::new(),
            groups: Vec::new(),
            offsets: Vec::new(),
        };
        let mut end = 0;
        for _ in 0..n_sets {
            end += size(bytes)?;
            data.ends.push(end);
            data.chosen.push(small(bytes)?);
            data.groups.push(small(bytes)?);
        }
        for _ in 0..n_attributes {
            data.columns.push(Column::read(bytes, end)?);
        }
        bytes.is_empty().then_some(data)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use crate::logit::BlockedLogit;
    use crate::{ConditionalLogit, NewtonOptions};

    use super::*;

    #[allow(clippy::unnecessary_wraps, reason = "as a file is opened")]
    fn open() -> io::Result<Cursor<Vec<u8>>> {
        Ok(Cursor::new(Vec::new()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        /// A file, or any part of one, and samples leave every bit as it is.
        #[test]
        fn blocks_compute_what_sets_compute(
            seed in any::<u32>(),
            n_attributes in 1_usize..4,
            n_sets in prop::sample::select(vec![1_usize, 500, SETS_PER_BLOCK, 9000]),
            n_kept in prop::sample::select(vec![0_usize, 20_000, usize::MAX]),
            is_whole: bool,
            sample in prop::option::of(prop::collection::vec(0_u32..30, 1..30)),
        ) {
            let mut state = u64::from(seed);
            let mut draw = |below: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                usize::try_from(state >> 33).unwrap() % below
            };
            let mut builder = ChoiceSets::builder(n_attributes);
            let mut blocks = ChoiceBlocks::new(n_attributes, n_kept, open);
            for set in 0..n_sets {
                let rows: Vec<Vec<f64>> = (0..2 + draw(6))
                    .map(|_| {
                        let value = |units: usize| units as f64 - if is_whole { 5.0 } else { 4.9 };
                        (0..n_attributes).map(|_| value(draw(11))).collect()
                    })
                    .collect();
                let (group, chosen) = (u32::try_from(set / 300).unwrap(), draw(rows.len()));
                builder.push(group, chosen, &rows).unwrap();
                blocks.push(group, chosen, &rows).unwrap();
            }
            blocks.finish().unwrap();
            let mut sets = builder.build();
            let mut blocked = BlockedLogit::new(&blocks);
            if let Some(groups) = &sample {
                sets = sets.by_groups(groups);
                blocked = blocked.by_groups(groups);
            }
            let model = ConditionalLogit::new(&sets);
            prop_assert_eq!(blocked.n_choices().unwrap(), sets.n_choices());
            prop_assert_eq!(blocked.uniform_bits().unwrap().to_bits(), model.uniform_bits().to_bits());
            let start = vec![0.0; n_attributes];
            let options = NewtonOptions::default();
            let fit = model.fit_newton(&start, &options);
            let found = blocked.fit_newton(&start, &options).unwrap();
            prop_assert_eq!(format!("{found:?}"), format!("{fit:?}"));
            if let (Ok(fit), Ok(found)) = (fit, found) {
                let why = model.no_maximum(&fit.weights, fit.stop);
                prop_assert_eq!(blocked.no_maximum(&found.weights, found.stop).unwrap(), why);
            }
        }
    }

    #[test]
    fn a_block_that_cannot_be_read_is_an_error() {
        let mut blocks = ChoiceBlocks::new(1, 0, open);
        for _ in 0..10 {
            blocks.push(0, 0, [[1.0], [0.0]]).unwrap();
            blocks.push(0, 1, [[1.0], [0.0]]).unwrap();
        }
        blocks.finish().unwrap();
        let file = blocks.file.as_mut().unwrap().get_mut().unwrap();
        file.get_mut().truncate(30);
        let fit = BlockedLogit::new(&blocks).fit_newton(&[0.0], &NewtonOptions::default());
        assert_eq!(fit.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
