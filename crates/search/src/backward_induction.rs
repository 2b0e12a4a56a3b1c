//! Backward induction: values spread from the terminal nodes of a graph to their predecessors.
//!
//! The traversal is generic over the decision at a node, a [`Decide`]: the value of best play
//! ([`retrograde`](crate::retrograde)), whether a policy wins
//! ([`verification`](crate::verification)), or how many moves of a policy are wrong. A node that
//! needs the values of all its successors counts down from its out-degree.
//!
//! # Examples
//! Nim with one heap, of which one to three are taken; the player who cannot move has lost.
//! ```
//! use kibitz_search::adjacency::Adjacency;
//! use kibitz_search::backward_induction::{Decide, Induction};
//!
//! struct Nim {
//!     is_won: Vec<Option<bool>>,
//!     /// Moves that are not known to lose.
//!     open_moves: Vec<usize>,
//! }
//!
//! impl Decide for Nim {
//!     type Value = bool;
//!
//!     fn value(&mut self, heap: u32) -> bool {
//!         self.is_won[heap as usize] == Some(true)
//!     }
//!
//!     fn arrive(&mut self, heap: u32, opponent_wins: bool) -> Option<u32> {
//!         let at = heap as usize;
//!         self.open_moves[at] -= usize::from(opponent_wins);
//!         let is_decided = !opponent_wins || self.open_moves[at] == 0;
//!         (is_decided && self.is_won[at].is_none()).then(|| {
//!             self.is_won[at] = Some(!opponent_wins);
//!             heap
//!         })
//!     }
//! }
//!
//! let successors: Adjacency = (0..=12_u32).map(|heap| heap.saturating_sub(3)..heap).collect();
//! let mut nim = Nim {
//!     is_won: vec![None; 13],
//!     open_moves: successors.iter().map(<[u32]>::len).collect(),
//! };
//! nim.is_won[0] = Some(false);
//! let mut induction = Induction::default();
//! induction.settle(0);
//! let predecessors = successors.reversed();
//! while induction.advance(&predecessors, &mut nim) {}
//! let lost: Vec<usize> = (0..=12).filter(|heap| nim.is_won[*heap] == Some(false)).collect();
//! assert_eq!(lost, [0, 4, 8, 12]);
//! ```

use crate::adjacency::Adjacency;

/// The predecessors of every node of a graph.
pub trait Predecessors {
    /// The edges that lead to a node. An edge is named by the node that it starts from, or by any
    /// other number that [`Decide::arrive`] understands.
    fn predecessors(&self, node: u32) -> impl Iterator<Item = u32>;
}

impl Predecessors for Adjacency {
    fn predecessors(&self, node: u32) -> impl Iterator<Item = u32> {
        self.get(node as usize).iter().copied()
    }
}

/// What backward induction decides at the nodes of a graph.
pub trait Decide {
    /// The value of a node for its predecessors.
    type Value: Copy;

    /// The value of a node that has just left the queue.
    fn value(&mut self, node: u32) -> Self::Value;

    /// Whether the edge to a settled node counts. All do unless a policy leaves some out.
    fn follows(&self, _edge: u32, _node: u32) -> bool {
        true
    }

    /// Propagates the value of a successor to the node at the start of an edge; returns the node if that
    /// settles it. A node must be settled once only.
    fn arrive(&mut self, edge: u32, value: Self::Value) -> Option<u32>;
}

/// A backward induction under way: a queue of the nodes settled so far.
#[derive(Clone, Debug, Default)]
pub struct Induction {
    settled: Vec<u32>,
    /// Number of them whose values were propagated.
    n_spread: usize,
}

impl Induction {
    /// Puts a node that was settled from outside at the end of the queue.
    pub fn settle(&mut self, node: u32) {
        self.settled.push(node);
    }

    /// The nodes in the order in which they were settled.
    pub fn settled(&self) -> &[u32] {
        &self.settled
    }

    /// Number of nodes whose values were propagated to their predecessors.
    pub fn n_spread(&self) -> usize {
        self.n_spread
    }

    /// Propagates the value of the next settled node to its predecessors; `false` if there is none.
    #[inline]
    pub fn advance(&mut self, graph: &impl Predecessors, decide: &mut impl Decide) -> bool {
        let Some(&node) = self.settled.get(self.n_spread) else {
            return false;
        };
        self.n_spread += 1;
        let value = decide.value(node);
        for edge in graph.predecessors(node) {
            if decide.follows(edge, node)
                && let Some(settled) = decide.arrive(edge, value)
            {
                self.settled.push(settled);
            }
        }
        true
    }

    /// Settles nodes in the order of their distance from the terminal values, in plies: the first
    /// value that arrives at a node is of a shortest way, the last one of a longest.
    ///
    /// `ends` are terminal values: a distance, an edge, and the value. It arrives at the node of the
    /// edge at that distance, before the values of successors that are as far.
    ///
    /// # Examples
    /// Distances to node 0 of a path, with a second end three plies behind node 3:
    /// ```
    /// use kibitz_search::adjacency::Adjacency;
    /// use kibitz_search::backward_induction::{Decide, Induction};
    ///
    /// struct Distances(Vec<Option<u16>>);
    ///
    /// impl Decide for Distances {
    ///     type Value = u16;
    ///
    ///     fn value(&mut self, node: u32) -> u16 {
    ///         self.0[node as usize].map_or(0, |plies| plies + 1)
    ///     }
    ///
    ///     fn arrive(&mut self, node: u32, plies: u16) -> Option<u32> {
    ///         let own = &mut self.0[node as usize];
    ///         own.is_none().then(|| {
    ///             *own = Some(plies);
    ///             node
    ///         })
    ///     }
    /// }
    ///
    /// let path: Adjacency = (0..6_u32).map(|node| node.checked_sub(1)).collect();
    /// let mut distances = Distances(vec![None; 6]);
    /// let ends = [(0, 0, 0), (1, 3, 1)];
    /// Induction::by_distance(&path.reversed(), &mut distances, ends);
    /// assert_eq!(distances.0, [0, 1, 2, 1, 2, 3].map(Some));
    /// ```
    pub fn by_distance<D: Decide>(
        graph: &impl Predecessors,
        decide: &mut D,
        ends: impl IntoIterator<Item = (u16, u32, D::Value)>,
    ) -> Induction {
        let mut by_plies: Vec<Vec<(u32, D::Value)>> = Vec::new();
        for (plies, edge, value) in ends {
            let plies = usize::from(plies);
            if by_plies.len() <= plies {
                by_plies.resize_with(plies + 1, Vec::new);
            }
            by_plies[plies].push((edge, value));
        }
        let mut induction = Induction::default();
        let mut by_plies = by_plies.into_iter();
        loop {
            let n_nearer = induction.settled.len();
            let ends = by_plies.next();
            if ends.is_none() && induction.n_spread == n_nearer {
                return induction;
            }
            for (edge, value) in ends.into_iter().flatten() {
                induction.settled.extend(decide.arrive(edge, value));
            }
            while induction.n_spread < n_nearer {
                induction.advance(graph, decide);
            }
        }
    }
}
