//! The reply graph of an endgame: positions of the stronger side, its moves, and all replies.

mod build;

use std::sync::OnceLock;

use kibitz_board::{Chess, Color, Endgame, Move, Position, Role, Square};

use crate::adjacency::Adjacency;
use crate::backward_induction::Predecessors;
use crate::compressed_lists::CompressedLists;
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

impl Scope {
    /// The index of a position; `None` if it is of another endgame.
    pub(crate) fn index_of(self, endgame: &Endgame, position: &Chess) -> Option<usize> {
        match self {
            Scope::All => endgame.placement_index_of(position),
            Scope::UpToSymmetry => endgame.index_of(position),
        }
    }
}

/// Called with the number of positions done and the number of all positions.
pub type Progress<'p> = &'p mut dyn FnMut(usize, usize);

/// The result of a terminal position with Black to move.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exits<'g> {
    /// The end, where there is no reply.
    pub terminal: Option<Terminal>,
    /// Whether some reply leads to an endgame that White does not win.
    pub escapes: bool,
    /// Plies of White's wins in the endgames that other replies lead to.
    pub conversions: &'g [u16],
}

/// The game graph of an endgame under a policy of White, the stronger side, against all replies.
///
/// Nodes are the positions with White to move, in the order of their indices, and after them those
/// with Black to move that the policy's moves lead to, in the order in which they were met. Moves of
/// White that leave the endgame lead to one node for each way to end.
///
/// Predecessors are stored compressed. Successors are stored in small graphs only, and otherwise
/// generated on demand.
#[derive(Debug)]
pub struct ReplyGraph {
    endgame: Endgame,
    scope: Scope,
    /// Number of positions with White to move.
    n_white: usize,
    /// Indices of the positions; [`NO_NODE`] of a node outside the endgame.
    indices: Vec<u32>,
    /// Nodes by index.
    nodes: Vec<u32>,
    /// Nodes outside the endgame.
    ends: Vec<(Terminal, u32)>,
    /// The moves allowed in each position with White to move, as bits in the order in which legal moves
    /// are generated.
    allowed: Vec<u64>,
    successors: OnceLock<Adjacency>,
    /// Predecessors of the nodes with White and with Black to move.
    predecessors: [CompressedLists; 2],
    /// Whether and how each node with Black to move ends or escapes.
    fates: Vec<Fate>,
    /// Number of successors of each node with Black to move.
    out_degrees: Vec<u8>,
    /// Wins after replies that leave the endgame: nodes in ascending order, and plies.
    conversions: (Vec<u32>, Vec<u16>),
    tablebase: Tablebase,
}

/// How a node with Black to move ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    GoesOn,
    Escapes,
    Mated,
    Stalemate,
    /// White's move has left the endgame.
    Outside,
}

const NO_NODE: u32 = u32::MAX;

/// Largest number of indices of an endgame whose successors are stored: that of three pieces.
const SMALL: usize = 2 << 18;

/// Bytes that verification takes for each placement of an endgame whose successors are not stored,
/// in addition to White's moves: measured, and rounded up.
const BYTES_PER_PLACEMENT: usize = 30;

/// Moves that a man has on average, at most.
fn mobility(role: Role) -> usize {
    match role {
        Role::Pawn => 2,
        Role::Knight => 6,
        Role::Bishop => 9,
        Role::Rook => 14,
        Role::Queen => 23,
        Role::King => 7,
    }
}

/// All bytes for each placement of an endgame whose successors are stored.
const BYTES_PER_PLACEMENT_OF_SMALL: usize = 120;

/// Bytes that retrograde analysis takes for each position of four pieces, up to symmetry.
const BYTES_OF_TABLE: usize = 320;

/// The legal moves of a position in the order of their squares.
pub fn moves_of(position: &Chess) -> Vec<Move> {
    let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
    moves.sort_unstable_by_key(|m| order(*m));
    moves
}

/// The key by which moves are ordered: the squares from and to, and the promotion.
fn order(m: Move) -> u16 {
    let square = |square: Square| u16::from(square.to_u32().to_le_bytes()[0]);
    let promotion = m.promotion().map_or(0, |role| role as u16);
    m.from().map_or(0, square) << 9 | square(m.to()) << 3 | promotion
}

impl ReplyGraph {
    /// Upper bound on the memory, in bytes, of the graph of an endgame and of the computations over it in
    /// [verification](crate::verification): a bound for every policy, from measurements.
    pub fn memory_bound(endgame: &Endgame) -> usize {
        let bytes = |endgame: &Endgame, large: usize, small: usize| {
            let n_indices = endgame.n_indices();
            n_indices * if n_indices <= SMALL { small } else { large }
        };
        // Perfect play in the endgames that moves lead to: one after the other is worked out.
        let conversions = endgame.conversions();
        let tables = conversions.iter().map(|own| {
            let men = [Color::White, Color::Black].map(|color| own.men_of(color));
            let has_pawns = men.concat().contains(&Role::Pawn);
            let symmetries = if has_pawns { 2 } else { 8 };
            bytes(own, BYTES_OF_TABLE / symmetries, 0)
        });
        let men = std::iter::once(&Role::King).chain(endgame.men_of(Color::White));
        let n_moves: usize = men.map(|role| mobility(*role)).sum();
        // A third of the placements are legal with White to move, and a move takes two bytes.
        let large = BYTES_PER_PLACEMENT + 2 * n_moves / 3;
        let graph = bytes(endgame, large, BYTES_PER_PLACEMENT_OF_SMALL);
        graph + tables.max().unwrap_or(0)
    }

    fn position_at(&self, index: usize) -> Option<Chess> {
        match self.scope {
            Scope::All => self.endgame.placement(index),
            Scope::UpToSymmetry => self.endgame.position(index),
        }
    }

    fn index_of(&self, position: &Chess) -> Option<usize> {
        self.scope.index_of(&self.endgame, position)
    }

    /// The node of an index.
    pub(crate) fn node_at(&self, index: u32) -> u32 {
        self.nodes[index as usize]
    }

    /// The node after a move of White that the policy allows.
    pub(crate) fn node_after(&self, position: &Chess, m: Move) -> u32 {
        let mut next = position.clone();
        next.play_unchecked(m);
        if let Some(index) = self.index_of(&next) {
            return self.nodes[index];
        }
        let end = self.end_of(&next);
        let known = self.ends.iter().find(|(own, _)| *own == end);
        known.map_or(NO_NODE, |(_, node)| *node)
    }

    /// How the game ends, by perfect play, after a move of White that leaves the endgame.
    fn end_of(&self, next: &Chess) -> Terminal {
        match self.tablebase.value(next) {
            Some(Value::Lost(plies)) => Terminal::Won(plies),
            _ => Terminal::Loss,
        }
    }

    /// The moves of a node with White to move that the policy allows, with the nodes after them, in the
    /// order in which moves are generated.
    fn allowed_after(&self, node: usize) -> impl Iterator<Item = (Move, u32)> {
        let position = self.position(node);
        let allowed = self.allowed[node];
        let moves = position.legal_moves().into_iter().enumerate();
        let moves = moves.filter(move |(place, _)| allowed >> place & 1 == 1);
        moves.map(move |(_, m)| (m, self.node_after(&position, m)))
    }

    /// The same in the order of [`moves_of`].
    fn after_all(&self, node: usize) -> Vec<(Move, u32)> {
        let mut after: Vec<(Move, u32)> = self.allowed_after(node).collect();
        after.sort_unstable_by_key(|(m, _)| order(*m));
        after
    }

    /// The moves of a node that lead to its successors, with these.
    pub fn moves(&self, node: usize) -> Vec<(Move, u32)> {
        if node < self.n_white {
            return self.after_all(node);
        }
        let mut after: Vec<(Move, u32)> = Vec::new();
        let Some(position) = self.position_of(node) else {
            return after;
        };
        for m in position.legal_moves() {
            let mut next = position.clone();
            next.play_unchecked(m);
            if let Some(next) = self.node_of(&next).map(number)
                && !after.iter().any(|(_, node)| *node == next)
            {
                after.push((m, next));
            }
        }
        after
    }

    /// The endgame.
    pub fn endgame(&self) -> &Endgame {
        &self.endgame
    }

    /// Number of nodes with White to move; those with Black to move come after them.
    pub fn n_white(&self) -> usize {
        self.n_white
    }

    /// Number of all nodes.
    pub fn n_nodes(&self) -> usize {
        self.indices.len()
    }

    /// The position of a node with White to move.
    ///
    /// # Panics
    /// If the node is another.
    pub fn position(&self, node: usize) -> Chess {
        assert!(node < self.n_white, "White is to move");
        self.position_of(node)
            .expect("the index was made from a position")
    }

    /// The position of a node; `None` if a move has left the endgame.
    fn position_of(&self, node: usize) -> Option<Chess> {
        match self.indices[node] {
            NO_NODE => None,
            index => self.position_at(index as usize),
        }
    }

    /// The node of a position; `None` if it is of another endgame, or the policy does not lead to it.
    pub fn node_of(&self, position: &Chess) -> Option<usize> {
        let node = self.nodes[self.index_of(position)?];
        (node != NO_NODE).then_some(node as usize)
    }

    /// The nodes that a node leads to.
    pub(crate) fn nodes_after(&self, node: usize) -> Vec<u32> {
        match self.successors.get() {
            Some(successors) => successors.get(node).to_vec(),
            None => self.moves(node).into_iter().map(|(_, node)| node).collect(),
        }
    }

    /// Whether a node represents positions outside the endgame.
    pub(crate) fn is_outside(&self, node: usize) -> bool {
        self.indices[node] == NO_NODE
    }

    /// The nodes that each node leads to; generated at the first call if the graph is large.
    pub fn successors(&self) -> &Adjacency {
        self.successors.get_or_init(|| {
            let lists = (0..self.n_nodes()).map(|node| self.moves(node));
            lists
                .map(|moves| moves.into_iter().map(|(_, node)| node))
                .collect()
        })
    }

    /// Number of successors of a node.
    pub fn out_degree(&self, node: usize) -> usize {
        match node.checked_sub(self.n_white) {
            Some(black) => usize::from(self.out_degrees[black]),
            None => self.allowed[node].count_ones() as usize,
        }
    }

    /// What a node with Black to move leads to besides its successors.
    ///
    /// # Panics
    /// If the node is another.
    pub fn exits(&self, node: usize) -> Exits<'_> {
        let fate = self.fates[node - self.n_white];
        let at = number(node);
        let (nodes, plies) = &self.conversions;
        let start = nodes.partition_point(|own| *own < at);
        let n_own = nodes[start..].iter().take_while(|own| **own == at).count();
        let outside = || self.ends.iter().find(|(_, own)| *own == at);
        Exits {
            terminal: match fate {
                Fate::GoesOn | Fate::Escapes => None,
                Fate::Mated => Some(Terminal::Won(0)),
                Fate::Stalemate => Some(Terminal::Stalemate),
                Fate::Outside => outside().map(|(end, _)| *end),
            },
            escapes: fate == Fate::Escapes,
            conversions: &plies[start..start + n_own],
        }
    }
}

impl Predecessors for ReplyGraph {
    fn predecessors(&self, node: u32) -> impl Iterator<Item = u32> {
        let node = node as usize;
        match node.checked_sub(self.n_white) {
            Some(black) => self.predecessors[1].get(black),
            None => self.predecessors[0].get(node),
        }
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
            let moves = moves_of(&position);
            let after = graph.successors().get(node);
            let again = graph.moves(node).into_iter().map(|(_, node)| node);
            assert!(after.iter().copied().eq(again));
            assert_eq!(moves.len(), after.len());
            for (m, after) in moves
                .into_iter()
                .zip(after.iter().map(|node| *node as usize))
            {
                let mut next = position.clone();
                next.play_unchecked(m);
                assert_eq!(graph.node_of(&next), Some(after));
                let mut predecessors = graph.predecessors(number(after));
                assert!(predecessors.any(|own| own == number(node)));
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
