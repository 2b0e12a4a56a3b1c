//! The transposition table: values of positions that more than one line reaches.

use rustc_hash::FxHashMap;

use crate::game::{Verdict, lost_in, won_in};

/// Whether a stored value is exact or a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// The key of an entry: a position, the plies left to search, and the level in the tree where the
/// fanout depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Entry<K> {
    pub(super) key: K,
    pub(super) remaining: u32,
    pub(super) level: u32,
}

/// A transposition table: values of positions searched before, and the best moves found in them.
///
/// Values are stored as seen from their position, so that a win at the same distance has the same
/// value wherever the position stands in the tree.
#[derive(Debug)]
pub(super) struct TranspositionTable<K, M> {
    values: FxHashMap<Entry<K>, (Bound, f64)>,
    best: FxHashMap<K, M>,
    capacity: usize,
}

impl<K: Copy + Eq + std::hash::Hash, M: Copy> TranspositionTable<K, M> {
    /// A table that stores up to `capacity` values.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            values: FxHashMap::default(),
            best: FxHashMap::default(),
            capacity,
        }
    }

    /// The value of a position `ply` plies from the root, if it is known well enough to be used in
    /// the window from `alpha` to `beta`.
    pub(super) fn value(&self, entry: Entry<K>, ply: u32, alpha: f64, beta: f64) -> Option<f64> {
        let &(bound, value) = self.values.get(&entry)?;
        let value = seen_from_root(value, ply);
        let is_usable = match bound {
            Bound::Exact => true,
            Bound::AtLeast => value >= beta,
            Bound::AtMost => value <= alpha,
        };
        is_usable.then_some(value)
    }

    /// The best move found in a position at any depth, to be searched first.
    pub(super) fn best(&self, key: K) -> Option<M> {
        self.best.get(&key).copied()
    }

    pub(super) fn store(&mut self, entry: Entry<K>, ply: u32, bound: Bound, value: f64, best: M) {
        if self.values.len() >= self.capacity && !self.values.contains_key(&entry) {
            return;
        }
        self.values
            .insert(entry, (bound, seen_from_position(value, ply)));
        self.best.insert(entry.key, best);
    }
}

fn seen_from_position(value: f64, ply: u32) -> f64 {
    match Verdict::of(value) {
        Verdict::Wins(plies) => won_in(plies - ply),
        Verdict::Loses(plies) => lost_in(plies - ply),
        Verdict::Score(score) => score,
    }
}

fn seen_from_root(value: f64, ply: u32) -> f64 {
    match Verdict::of(value) {
        Verdict::Wins(plies) => won_in(plies + ply),
        Verdict::Loses(plies) => lost_in(plies + ply),
        Verdict::Score(score) => score,
    }
}
