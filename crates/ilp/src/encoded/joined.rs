//! Indexes of a relation by several arguments at once, made where those by one argument find too much.

use std::cell::{Cell, OnceCell};

use super::dictionary::number;

/// Relations with more arguments have none: each set of arguments would have its own.
const MAX_ARITY: usize = 6;

/// Rows that do not agree are looked at this many times the length of a relation before it is worth an
/// index to pass over them.
const PATIENCE: usize = 4;

/// The indexes of a relation by sets of at least two arguments.
#[derive(Debug, Default)]
pub(super) struct JointIndexes {
    /// By the set of known arguments, a bit each; empty until a search looks at a row in vain.
    sets: OnceCell<Vec<Set>>,
    arity: usize,
}

#[derive(Debug, Default)]
struct Set {
    /// Rows that were looked at in vain.
    n_strange: Cell<usize>,
    index: OnceCell<Buckets>,
}

/// Rows by a hash of the values of several arguments, in their order.
#[derive(Debug)]
struct Buckets {
    starts: Vec<u32>,
    rows: Vec<u32>,
    /// How far a hash is shifted.
    shift: u32,
}

/// Mixes the values of several arguments.
fn hash(values: impl Iterator<Item = u32>) -> u32 {
    values.fold(0u32, |hash, value| {
        (hash.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b1)
    })
}

/// The known arguments, a bit each; `None` if they are fewer than two.
fn set_of(known: &[Option<u32>]) -> Option<usize> {
    let bits = known.iter().enumerate();
    let set = bits.fold(0usize, |set, (i, value)| {
        set | usize::from(value.is_some()) << i
    });
    (set.count_ones() > 1).then_some(set)
}

impl JointIndexes {
    pub(super) fn new(arity: usize) -> Self {
        Self {
            sets: OnceCell::new(),
            arity,
        }
    }

    /// Rows among which are all those that agree with the known arguments, and few others, in their
    /// order; `None` where there is no index.
    #[inline]
    pub(super) fn rows(&self, known: &[Option<u32>], all: &[u32]) -> Option<&[u32]> {
        let sets = self.sets.get()?;
        let places = set_of(known)?;
        let buckets = self.buckets(sets, places, all)?;
        Some(buckets.rows(known.iter().flatten().copied()))
    }

    /// The same for a tuple of which every value is known.
    #[inline]
    pub(super) fn rows_of(&self, tuple: impl Iterator<Item = u32>, all: &[u32]) -> Option<&[u32]> {
        let buckets = self.buckets(self.sets.get()?, self.every_place(), all)?;
        Some(buckets.rows(tuple))
    }

    fn every_place(&self) -> usize {
        (1 << self.arity) - 1
    }

    fn buckets<'s>(&self, sets: &'s [Set], places: usize, all: &[u32]) -> Option<&'s Buckets> {
        let set = sets.get(places)?;
        let n_rows = all.len() / self.arity;
        if set.n_strange.get() <= PATIENCE * n_rows {
            return None;
        }
        Some((set.index).get_or_init(|| Buckets::new(all, self.arity, places)))
    }

    /// Notes how many rows were looked at in vain.
    pub(super) fn note(&self, known: &[Option<u32>], n_strange: usize) {
        if n_strange > 0
            && self.arity <= MAX_ARITY
            && let Some(places) = set_of(known)
        {
            self.add(places, n_strange);
        }
    }

    /// The same for a tuple of which every value is known.
    pub(super) fn note_tuple(&self, n_strange: usize) {
        if n_strange > 0 && (2..=MAX_ARITY).contains(&self.arity) {
            self.add(self.every_place(), n_strange);
        }
    }

    fn add(&self, places: usize, n_strange: usize) {
        let sets = self.sets.get_or_init(|| {
            let sets = (0..1 << self.arity).map(|_| Set::default());
            sets.collect()
        });
        let own = &sets[places].n_strange;
        own.set(own.get() + n_strange);
    }
}

impl Buckets {
    fn new(all: &[u32], arity: usize, places: usize) -> Self {
        let n_rows = all.len() / arity;
        let bits = (2 * n_rows).next_power_of_two().ilog2().max(1);
        let shift = u32::BITS - bits;
        let bucket = |row: &[u32]| {
            let values = row.iter().enumerate();
            let values = values.filter(|(i, _)| places >> i & 1 == 1);
            (hash(values.map(|(_, value)| *value)) >> shift) as usize
        };
        let mut starts = vec![0u32; (1 << bits) + 1];
        for row in all.chunks_exact(arity) {
            starts[bucket(row) + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; n_rows];
        for (i, row) in all.chunks_exact(arity).enumerate() {
            let place = &mut next[bucket(row)];
            rows[*place as usize] = number(i);
            *place += 1;
        }
        Self {
            starts,
            rows,
            shift,
        }
    }

    #[inline]
    fn rows(&self, values: impl Iterator<Item = u32>) -> &[u32] {
        let bucket = (hash(values) >> self.shift) as usize;
        &self.rows[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use kibitz_prolog::{Predicate, Symbol};
    use proptest::prelude::*;

    use crate::encoded::Relation;

    proptest! {
        #[test]
        fn the_same_rows_in_the_same_order_with_and_without_an_index(
            rows in prop::collection::vec(prop::array::uniform3(0u32..6), 1..60),
            known in prop::array::uniform3(prop::option::of(0u32..7)),
        ) {
            let predicate = Predicate { name: Symbol::TRUE, arity: 3 };
            let relation = Relation::new(predicate, rows.concat(), rows.len());
            let expected: Vec<&[u32]> = rows
                .iter()
                .map(|row| &row[..])
                .filter(|row| row.iter().zip(&known).all(|(a, b)| b.is_none_or(|b| b == *a)))
                .collect();
            // After some calls there is an index.
            for _ in 0..300 {
                let mut found = Vec::new();
                relation.matches(&known, |row| {
                    found.push(row.to_vec());
                    true
                });
                prop_assert_eq!(&found, &expected);
                if let [Some(a), Some(b), Some(c)] = known {
                    prop_assert_eq!(relation.contains([a, b, c].into_iter()), !expected.is_empty());
                }
            }
        }
    }
}
