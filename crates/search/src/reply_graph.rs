//! The reply graph of an endgame: positions of the stronger side, its moves, and all replies.

use kibitz_board::{Chess, Endgame, Move, Position};

use crate::adjacency::Adjacency;
use crate::retrograde::{Tablebase, Value};

/// Which positions of an endgame are nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every position.
    All,
    /// One of those that are alike: right for a policy that treats them alike, and for a tie-break
    /// other than by preference.
    UpToSymmetry,
}

/// Told the number of positions done and the number of all.
pub type Progress<'p> = &'p mut dyn FnMut(usize, usize);

/// How a position with Black to move ends at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// White has won, or wins in this many plies in the endgame that its move leads to.
    Won(u16),
    /// Black has no move and is not in check.
    Stalemate,
    /// White cannot win the endgame that its move leads to.
    Loss,
}

/// What a position with Black to move leads to besides positions of the endgame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exits {
    /// The end, where there is no reply.
    pub terminal: Option<Terminal>,
    /// Whether some reply leads to an endgame that White does not win.
    pub escapes: bool,
    /// Plies of White's wins in the endgames that other replies lead to.
    pub conversions: Vec<u16>,
}

/// The game graph of an endgame under a policy of White, the stronger side, against all replies.
///
/// Nodes are the positions with White to move, in the order of their indices, and after them those
/// with Black to move that the policy's moves lead to, in the order in which they were met.
#[derive(Debug)]
pub struct ReplyGraph {
    endgame: Endgame,
    scope: Scope,
    /// Indices of the positions with White to move.
    indices: Vec<u32>,
    /// Nodes by index.
    nodes: Vec<u32>,
    successors: Adjacency,
    predecessors: Adjacency,
    /// Those of each node with Black to move.
    exits: Vec<Exits>,
}

const NO_NODE: u32 = u32::MAX;

impl ReplyGraph {
    /// The graph of a policy, which is asked for its moves in every position with White to move.
    /// These are the successors of the node, in the policy's order. Several moves may lead to one
    /// node; a reply that leads to a node that another one leads to is left out.
    ///
    /// A move that leaves the endgame, by capture or promotion, is judged by perfect play from there.
    ///
    /// # Errors
    /// Those of the policy.
    ///
    /// # Panics
    /// If the policy makes an illegal move.
    pub fn new<E>(
        endgame: &Endgame,
        scope: Scope,
        mut policy: impl FnMut(&Chess) -> Result<Vec<Move>, E>,
        progress: Progress<'_>,
    ) -> Result<ReplyGraph, E> {
        let mut graph = ReplyGraph {
            endgame: endgame.clone(),
            scope,
            indices: Vec::new(),
            nodes: vec![NO_NODE; endgame.n_indices()],
            successors: Adjacency::default(),
            predecessors: Adjacency::default(),
            exits: Vec::new(),
        };
        // White's turn comes first.
        for index in 0..endgame.n_indices() / 2 {
            if graph.position_at(index).is_some() {
                graph.nodes[index] = number(graph.indices.len());
                graph.indices.push(number(index));
            }
        }
        let conversions = Tablebase::new(endgame.conversions());
        let mut replies = Adjacency::default();
        let n_white = graph.n_white();
        for node in 0..n_white {
            if node % 1024 == 0 {
                progress(node, n_white);
            }
            let position = graph.position(node);
            let moves = policy(&position)?;
            let after: Vec<u32> = (moves.into_iter())
                .map(|m| graph.after(&position, m, &conversions, &mut replies))
                .collect();
            graph.successors.push(after);
        }
        progress(n_white, n_white);
        graph.successors.append(&replies);
        graph.predecessors = graph.successors.reversed();
        Ok(graph)
    }

    fn position_at(&self, index: usize) -> Option<Chess> {
        match self.scope {
            Scope::All => self.endgame.placement(index),
            Scope::UpToSymmetry => self.endgame.position(index),
        }
    }

    fn index_of(&self, position: &Chess) -> Option<usize> {
        match self.scope {
            Scope::All => self.endgame.placement_index_of(position),
            Scope::UpToSymmetry => self.endgame.index_of(position),
        }
    }

    /// The node after a move of White, which is added with all replies if it is new.
    fn after(
        &mut self,
        position: &Chess,
        m: Move,
        conversions: &Tablebase,
        replies: &mut Adjacency,
    ) -> u32 {
        assert!(position.is_legal(m), "a policy makes legal moves");
        let mut next = position.clone();
        next.play_unchecked(m);
        let node = number(self.n_white() + self.exits.len());
        let Some(index) = self.index_of(&next) else {
            let terminal = match conversions.value(&next) {
                Some(Value::Lost(plies)) => Terminal::Won(plies),
                _ => Terminal::Loss,
            };
            self.exits.push(Exits {
                terminal: Some(terminal),
                ..Exits::default()
            });
            replies.push([]);
            return node;
        };
        if self.nodes[index] != NO_NODE {
            return self.nodes[index];
        }
        self.nodes[index] = node;
        let mut exits = Exits::default();
        let mut successors = Vec::new();
        let moves = next.legal_moves();
        if moves.is_empty() {
            let is_mate = next.is_check();
            exits.terminal = Some(if is_mate {
                Terminal::Won(0)
            } else {
                Terminal::Stalemate
            });
        }
        for m in moves {
            let mut then = next.clone();
            then.play_unchecked(m);
            match self.node_of(&then).map(number) {
                Some(node) if successors.contains(&node) => {}
                Some(node) => successors.push(node),
                None => match conversions.value(&then) {
                    Some(Value::Won(plies)) => exits.conversions.push(plies),
                    _ => exits.escapes = true,
                },
            }
        }
        self.exits.push(exits);
        replies.push(successors);
        node
    }

    /// The endgame.
    pub fn endgame(&self) -> &Endgame {
        &self.endgame
    }

    /// Number of nodes with White to move; those with Black to move come after them.
    pub fn n_white(&self) -> usize {
        self.indices.len()
    }

    /// The position of a node with White to move.
    ///
    /// # Panics
    /// If the node is another.
    pub fn position(&self, node: usize) -> Chess {
        self.position_at(self.indices[node] as usize)
            .expect("the index was made from a position")
    }

    /// The node of a position; `None` if it is of another endgame, or the policy does not lead to it.
    pub fn node_of(&self, position: &Chess) -> Option<usize> {
        let node = self.nodes[self.index_of(position)?];
        (node != NO_NODE).then_some(node as usize)
    }

    /// The nodes that each node leads to.
    pub fn successors(&self) -> &Adjacency {
        &self.successors
    }

    /// The nodes that lead to each node.
    pub fn predecessors(&self) -> &Adjacency {
        &self.predecessors
    }

    /// What a node with Black to move leads to besides its successors.
    ///
    /// # Panics
    /// If the node is another.
    pub fn exits(&self, node: usize) -> &Exits {
        &self.exits[node - self.n_white()]
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("an endgame that fits into memory has fewer positions")
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn every_move_and_every_reply_is_an_edge() {
        let endgame: Endgame = "KQvK".parse().unwrap();
        let every_move = |position: &Chess| {
            Ok::<_, Infallible>(position.legal_moves().into_iter().collect::<Vec<_>>())
        };
        let scope = Scope::UpToSymmetry;
        let Ok(graph) = ReplyGraph::new(&endgame, scope, every_move, &mut |_, _| {});
        let mut n_mates = 0;
        for node in (0..graph.n_white()).step_by(7) {
            let position = graph.position(node);
            assert_eq!(graph.node_of(&position), Some(node));
            let moves = position.legal_moves();
            let after = graph.successors().get(node);
            assert_eq!(moves.len(), after.len());
            for (m, after) in moves
                .into_iter()
                .zip(after.iter().map(|node| *node as usize))
            {
                let mut next = position.clone();
                next.play_unchecked(m);
                assert_eq!(graph.node_of(&next), Some(after));
                assert!(graph.predecessors().get(after).contains(&number(node)));
                let exits = graph.exits(after);
                assert_eq!(exits.terminal.is_some(), next.legal_moves().is_empty());
                assert_eq!(
                    next.is_checkmate(),
                    exits.terminal == Some(Terminal::Won(0))
                );
                n_mates += usize::from(next.is_checkmate());
                for m in next.legal_moves() {
                    let mut then = next.clone();
                    then.play_unchecked(m);
                    match graph.node_of(&then) {
                        Some(then) => {
                            assert!(graph.successors().get(after).contains(&number(then)));
                        }
                        None => assert!(exits.escapes, "the queen is taken"),
                    }
                }
            }
        }
        assert!(n_mates > 0);
    }

    #[test]
    fn an_error_of_the_policy_ends_the_work() {
        let endgame: Endgame = "KRvK".parse().unwrap();
        let mut n_asked = 0;
        let policy = |_: &Chess| {
            n_asked += 1;
            if n_asked == 3 {
                Err("stuck")
            } else {
                Ok(Vec::new())
            }
        };
        let made = ReplyGraph::new(&endgame, Scope::All, policy, &mut |_, _| {});
        assert_eq!(made.err(), Some("stuck"));
        assert_eq!(n_asked, 3);
    }
}
