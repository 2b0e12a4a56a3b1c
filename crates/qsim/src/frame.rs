//! Frames of reference: the landmarks and corresponding values known on a branch of the tree.

use std::sync::Arc;

use crate::index::compact;
use crate::quantity::{Magnitude, QValue, QuantitySpace};
use crate::relation::Relation;

/// The quantity spaces and constraints that the states of a branch refer to.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) spaces: Vec<Arc<QuantitySpace>>,
    pub(crate) relations: Vec<Relation>,
    /// The landmarks discovered, in order: the variable, and the interval that was split.
    inserted: Vec<(usize, Magnitude)>,
}

impl Frame {
    pub(crate) fn new(spaces: Vec<Arc<QuantitySpace>>, relations: Vec<Relation>) -> Self {
        Self {
            spaces,
            relations,
            inserted: Vec::new(),
        }
    }

    /// Values of a relation's arguments in a state.
    pub(crate) fn arguments(relation: &Relation, state: &[QValue]) -> [QValue; 3] {
        relation
            .variables
            .map(|variable| state[usize::from(variable)])
    }

    /// Number of landmarks discovered for the variable.
    pub(crate) fn n_discovered(&self, variable: usize) -> usize {
        (self.inserted.iter().filter(|(which, _)| *which == variable)).count()
    }

    /// Splits an interval of a variable by a new landmark.
    pub(crate) fn insert(&mut self, variable: usize, interval: Magnitude, name: &str) {
        self.spaces[variable] = Arc::new(self.spaces[variable].with_landmark(interval, name));
        for relation in &mut self.relations {
            if relation.variables.contains(&compact(variable)) {
                relation.shift(variable, interval);
            }
        }
        self.inserted.push((variable, interval));
    }

    /// The range of ranks in which a magnitude of an earlier frame of the branch now lies: more than
    /// one rank if its interval was split.
    pub(crate) fn carried(&self, earlier: &Self, variable: usize, rank: u16) -> (u16, u16) {
        let (mut low, mut high) = (rank, rank);
        for &(_, interval) in
            (self.inserted[earlier.inserted.len()..].iter()).filter(|(which, _)| *which == variable)
        {
            low += if low > interval.0 { 2 } else { 0 };
            high += if high >= interval.0 { 2 } else { 0 };
        }
        (low, high)
    }

    /// Whether `state` certainly equals `before`, a state in an earlier frame of the branch.
    pub(crate) fn same_state(&self, earlier: &Self, before: &[QValue], state: &[QValue]) -> bool {
        let same = |(variable, (was, is)): (usize, (&QValue, &QValue))| {
            was.direction() == is.direction()
                && self.carried(earlier, variable, was.rank()) == (is.rank(), is.rank())
        };
        before.iter().zip(state).enumerate().all(same)
    }
}
