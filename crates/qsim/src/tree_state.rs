//! The states of a behavior tree, one by one.

use std::ops::Range;

use crate::behaviors::{Behaviors, Node};
use crate::quantity::{Magnitude, QValue, QuantitySpace};
use crate::step::Ending;
use crate::transitions::Phase;

/// A state of the tree; borrowed, cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct TreeState<'t> {
    pub(crate) tree: &'t Behaviors<'t>,
    pub(crate) number: usize,
}

impl<'t> TreeState<'t> {
    /// Its number in the tree.
    pub fn number(self) -> usize {
        self.number
    }

    fn node(self) -> &'t Node {
        &self.tree.nodes[self.number]
    }

    /// The values, in the quantity spaces of [`space`](Self::space).
    pub fn values(self) -> &'t [QValue] {
        self.tree.slice(self.number)
    }

    /// The quantity space of a variable here, with the landmarks discovered so far.
    pub fn space(self, variable: usize) -> &'t QuantitySpace {
        &self.tree.frame_of(self.number).spaces[variable]
    }

    /// The value of a variable as the field writes it.
    pub fn show(self, variable: usize) -> String {
        self.space(variable).show(self.values()[variable])
    }

    /// At a point in time, or over an interval.
    pub fn phase(self) -> Phase {
        self.node().phase
    }

    /// How many points in time came before.
    pub fn time(self) -> usize {
        self.node().time as usize
    }

    /// `t1`, or `(t1,t2)`.
    pub fn time_label(self) -> String {
        let time = self.time();
        match self.phase() {
            Phase::Point => format!("t{time}"),
            Phase::Interval => format!("(t{time},t{})", time + 1),
        }
    }

    /// Index of the operating region.
    pub fn region(self) -> usize {
        usize::from(self.node().region)
    }

    /// The state before.
    pub fn parent(self) -> Option<usize> {
        self.node().parent.map(|parent| parent as usize)
    }

    /// The states that can follow.
    pub fn children(self) -> Range<usize> {
        self.node().children.start as usize..self.node().children.end as usize
    }

    /// Why nothing, or nothing else, follows.
    pub fn ending(self) -> Option<Ending> {
        self.node().ending
    }

    /// Whether it is on a behavior that does not end in a contradiction.
    pub fn is_consistent(self) -> bool {
        self.node().consistent
    }

    /// The corresponding values of a constraint that were seen on the way here, as landmark names.
    pub fn discovered_values(self, constraint: usize) -> Vec<Vec<String>> {
        let frame = self.tree.frame_of(self.number);
        let relation = &frame.relations[constraint];
        let name = |slot: usize, rank: u16| {
            let space = &frame.spaces[usize::from(relation.variables[slot])];
            space.name(Magnitude(rank))
        };
        (relation.corresponding[relation.n_given..].iter())
            .map(|row| {
                (0..relation.arity())
                    .map(|slot| name(slot, row[slot]))
                    .collect()
            })
            .collect()
    }
}
