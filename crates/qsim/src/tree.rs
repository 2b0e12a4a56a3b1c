//! The tree of behaviors: its states, and the behaviors through them.

use std::fmt::Write;
use std::ops::Range;

use crate::frame::Frame;
use crate::model::Model;
use crate::options::{Options, limit_reached};
use crate::quantity::{Magnitude, QValue, QuantitySpace};
use crate::removal::Removal;
use crate::step::Ending;
use crate::transitions::Phase;

/// A node of the tree: a state, without its values.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Index of its frame of reference.
    pub(crate) frame: u32,
    pub(crate) parent: Option<u32>,
    pub(crate) children: Range<u32>,
    pub(crate) region: u16,
    pub(crate) phase: Phase,
    /// Points in time before it.
    pub(crate) time: u32,
    pub(crate) ending: Option<Ending>,
    /// Whether it is on a behavior that does not end in a contradiction.
    pub(crate) consistent: bool,
}

/// The tree of all behaviors from some initial states.
#[derive(Clone, Debug)]
pub struct BehaviorTree<'m> {
    pub(crate) model: &'m Model,
    pub(crate) options: Options,
    pub(crate) frames: Vec<Frame>,
    pub(crate) nodes: Vec<Node>,
    /// The values of all states, one state after the other.
    pub(crate) values: Vec<QValue>,
    pub(crate) removals: Vec<Removal>,
    pub(crate) limit_reached: bool,
}

/// One behavior: a path of the tree from an initial state to an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behavior {
    /// Its number among the behaviors of the tree, counted from 1.
    pub number: usize,
    /// Numbers of its states.
    pub states: Vec<usize>,
    /// Why it ends.
    pub ending: Ending,
}

impl<'m> BehaviorTree<'m> {
    pub(crate) fn slice(&self, number: usize) -> &[QValue] {
        let n = self.model.variables().len();
        &self.values[number * n..(number + 1) * n]
    }

    pub(crate) fn frame_of(&self, number: usize) -> &Frame {
        &self.frames[self.nodes[number].frame as usize]
    }

    /// The ancestors of a state, the nearest first.
    pub(crate) fn ancestors(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        let parent = |number: usize| self.nodes[number].parent.map(|parent| parent as usize);
        std::iter::successors(parent(number), move |number| parent(*number))
    }

    /// The model that was simulated.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A state by its number; initial states come first.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn state(&self, number: usize) -> TreeState<'_> {
        assert!(number < self.len(), "no state {number}");
        TreeState { tree: self, number }
    }

    /// All states.
    pub fn states(&self) -> impl ExactSizeIterator<Item = TreeState<'_>> {
        (0..self.len()).map(|number| self.state(number))
    }

    /// All behaviors: the paths from an initial state to an end that is no contradiction.
    pub fn behaviors(&self) -> Vec<Behavior> {
        let mut found = Vec::new();
        // Depth first, so that behaviors come in the order of a drawn tree.
        let mut open: Vec<usize> = (0..self.len())
            .filter(|number| self.nodes[*number].parent.is_none())
            .rev()
            .collect();
        while let Some(number) = open.pop() {
            let node = &self.nodes[number];
            if !node.consistent {
                continue;
            }
            open.extend(node.children.clone().rev().map(|child| child as usize));
            if let Some(ending) = node.ending {
                let mut states: Vec<usize> = std::iter::once(number)
                    .chain(self.ancestors(number))
                    .collect();
                states.reverse();
                let number = found.len() + 1;
                found.push(Behavior {
                    number,
                    states,
                    ending,
                });
            }
        }
        found
    }

    /// Whether the limit on states was not reached.
    pub fn is_complete(&self) -> bool {
        !self.limit_reached
    }

    /// If the limit on states was reached: the number of open states, and what helps.
    pub fn limit_message(&self) -> Option<String> {
        if !self.limit_reached {
            return None;
        }
        let open = (self.nodes.iter())
            .filter(|node| node.ending == Some(Ending::NotExpanded))
            .count();
        let mut message = limit_reached(self.options.max_states, open, self.len());
        let names: Vec<&str> = (self.model.chattering().iter())
            .map(|variable| &self.model.variables()[*variable])
            .filter(|variable| !variable.ignore_direction)
            .map(|variable| variable.name.as_str())
            .collect();
        if !names.is_empty() && !self.options.ignore_chatter {
            let _ = write!(
                message,
                ", or ignore the directions of what can chatter ({}) with ignore-chatter",
                names.join(", ")
            );
        }
        if self.options.new_landmarks && self.frames.len() > 1 {
            message += ", or do without new-landmarks";
        }
        Some(message)
    }

    /// The successors that were filtered out, if [`Options::explain`] is set.
    pub fn removals(&self) -> &[Removal] {
        &self.removals
    }
}

/// A state of the tree; borrowed, cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct TreeState<'t> {
    tree: &'t BehaviorTree<'t>,
    number: usize,
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

    /// The value of a variable in the notation of the field: `0..full/inc`.
    pub fn show(self, variable: usize) -> String {
        self.space(variable).show(self.values()[variable])
    }

    /// All landmarks, from the lowest, of the variables for which new ones were found up to this state, by
    /// the index of the variable.
    pub fn found_landmarks(self) -> Vec<(usize, Vec<String>)> {
        let frame = self.tree.frame_of(self.number);
        let all = (0..frame.spaces.len()).filter(|variable| frame.n_discovered(*variable) > 0);
        all.map(|variable| {
            let landmarks = self.space(variable).landmarks();
            (variable, landmarks.map(str::to_owned).collect())
        })
        .collect()
    }

    /// At a point in time, or over an interval.
    pub fn phase(self) -> Phase {
        self.node().phase
    }

    /// Number of points in time before it.
    pub fn time(self) -> usize {
        self.node().time as usize
    }

    /// `t1`, or `(t1,t2)`.
    pub fn time_label(self) -> String {
        self.phase().label(self.time())
    }

    /// Index of the operating region.
    pub fn region(self) -> usize {
        usize::from(self.node().region)
    }

    /// Number of the state before it.
    pub fn parent(self) -> Option<usize> {
        self.node().parent.map(|parent| parent as usize)
    }

    /// Numbers of the states that can follow.
    pub fn children(self) -> Range<usize> {
        self.node().children.start as usize..self.node().children.end as usize
    }

    /// Why there are no successors, or no others.
    pub fn ending(self) -> Option<Ending> {
        self.node().ending
    }

    /// Whether it is on a behavior that does not end in a contradiction.
    pub fn is_consistent(self) -> bool {
        self.node().consistent
    }

    /// The corresponding values of a constraint discovered on the way here, as landmark names.
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
