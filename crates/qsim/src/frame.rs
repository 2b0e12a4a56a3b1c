//! What a branch of behaviors knows: its landmarks, and which of them were had together.

use std::sync::Arc;

use crate::quantity::{Magnitude, QValue, QuantitySpace};
use crate::relation::Relation;

/// An index in less room: the limits on variables, regions and states leave enough.
pub(crate) fn compact<T: TryFrom<usize>>(index: usize) -> T {
    T::try_from(index).ok().expect("limits keep indices small")
}

/// Quantity spaces and constraints as they are on one branch.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) spaces: Vec<Arc<QuantitySpace>>,
    pub(crate) relations: Vec<Relation>,
    /// The landmarks discovered, in order: variable, and the interval that each of them split.
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

    /// How many landmarks were discovered for the variable.
    pub(crate) fn n_discovered(&self, variable: usize) -> usize {
        (self.inserted.iter().filter(|(which, _)| *which == variable)).count()
    }

    /// Puts a landmark into an interval of a variable.
    pub(crate) fn insert(&mut self, variable: usize, interval: Magnitude, name: &str) {
        self.spaces[variable] = Arc::new(self.spaces[variable].with_landmark(interval, name));
        for relation in &mut self.relations {
            if relation.variables.contains(&compact(variable)) {
                relation.shift(variable, interval);
            }
        }
        self.inserted.push((variable, interval));
    }

    /// Where a magnitude of an earlier frame of the branch is now: somewhere in a range of ranks,
    /// because an interval may have been split.
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

    /// Whether `state` is what `before`, a state of an earlier frame, was, as far as can be told.
    pub(crate) fn same_state(&self, earlier: &Self, before: &[QValue], state: &[QValue]) -> bool {
        let same = |(variable, (was, is)): (usize, (&QValue, &QValue))| {
            was.direction() == is.direction()
                && self.carried(earlier, variable, was.rank()) == (is.rank(), is.rank())
        };
        before.iter().zip(state).enumerate().all(same)
    }
}

/// In which order variables are given values, and when a constraint can be checked.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Indices of the constraints that hold.
    pub(crate) relations: Vec<usize>,
    pub(crate) order: Vec<usize>,
    /// For each step of the order the places in `relations` that are complete then.
    pub(crate) closing: Vec<Vec<usize>>,
    /// For each variable the places in `relations` of those it is in.
    pub(crate) touching: Vec<Vec<usize>>,
}

impl Plan {
    /// A plan for these constraints: next comes the variable that completes most of them, then the
    /// one that is in most.
    pub(crate) fn new(frame: &Frame, relations: Vec<usize>) -> Self {
        let n = frame.spaces.len();
        let arguments = |at: usize| -> &[u16] {
            let relation: &Relation = &frame.relations[relations[at]];
            &relation.variables[..relation.arity()]
        };
        let mut placed = vec![false; n];
        let mut order = Vec::with_capacity(n);
        let mut closing = Vec::with_capacity(n);
        while order.len() < n {
            let score = |variable: usize| {
                let with =
                    (0..relations.len()).filter(|at| arguments(*at).contains(&compact(variable)));
                let (mut completed, mut begun) = (0, 0);
                for at in with {
                    let others = arguments(at)
                        .iter()
                        .filter(|v| usize::from(**v) != variable);
                    let missing = others.filter(|v| !placed[usize::from(**v)]).count();
                    completed += usize::from(missing == 0);
                    begun += 1;
                }
                (completed, begun)
            };
            let open = (0..n).filter(|variable| !placed[*variable]);
            // The first of the best.
            let next = open
                .rev()
                .max_by_key(|variable| score(*variable))
                .expect("one is open");
            placed[next] = true;
            order.push(next);
            closing.push(
                (0..relations.len())
                    .filter(|at| {
                        let used = arguments(*at);
                        used.contains(&compact(next))
                            && used.iter().all(|v| placed[usize::from(*v)])
                    })
                    .collect(),
            );
        }
        let touching = (0..n)
            .map(|variable| {
                let all = 0..relations.len();
                all.filter(|at| arguments(*at).contains(&compact(variable)))
                    .collect()
            })
            .collect();
        Self {
            relations,
            order,
            closing,
            touching,
        }
    }
}
