//! The reply graph of an endgame with every legal move, over which policies are evaluated.

use std::convert::Infallible;

use kibitz_board::{Chess, Endgame};
use kibitz_search::adjacency::Adjacency;
use kibitz_search::backward_induction::{Decide, Induction, Predecessors as _};
use kibitz_search::reply_graph::{ReplyGraph, Scope, Terminal};

use super::Moves;
use crate::strategy::features::moves_of;

/// Maximum number of moves of a position. A move is coded as `position * MAX_MOVES + bit`.
pub(super) const MAX_MOVES: u32 = 64;

/// All positions with White to move, up to symmetry, with their moves and Black's replies.
///
/// Positions with White to move are numbered from 0, and so are those with Black to move, in the
/// order in which perfect play finds them lost, for locality of memory.
#[derive(Debug)]
pub(super) struct MoveGraph {
    pub(super) positions: Vec<Chess>,
    /// Number of positions that each represents.
    pub(super) weights: Vec<u32>,
    /// The positions with Black to move after each move of a position with White to move.
    pub(super) successors: Adjacency,
    /// The moves, coded, that lead to each position with Black to move.
    pub(super) moves: Adjacency,
    /// The positions with Black to move that lead to each position with White to move.
    pub(super) repliers: Adjacency,
    /// Out-degree of each position with Black to move, one more if a reply escapes: such a counter
    /// is never counted down to 0.
    pub(super) out_degrees: Vec<u8>,
    /// Positions with Black to move in which he is mated.
    pub(super) mates: Vec<u32>,
    /// The moves of each position after which Black is stalemated or can take the man.
    spoiling: Moves,
    /// Distance to mate of each position with White to move, in moves of White; 0 if it is not won.
    pub(super) depths: Vec<u16>,
    /// The greatest of these.
    pub(super) longest: u16,
    /// Their sum over all positions, counting those alike up to symmetry.
    pub(super) sum_of_depths: u64,
    /// Number of positions with White to move, counting those alike up to symmetry.
    pub(super) n_positions: u32,
}

/// Perfect play: the first move that wins is made, and Black puts off the mate.
struct PerfectPlay {
    /// Distances to mate in moves of White, with White to move; 0 where none is known.
    white: Vec<u16>,
    /// The same with Black to move, the mating move included, and replies that are not known to lose.
    black: Vec<(u16, u8)>,
}

impl Decide for PerfectPlay {
    /// Moves of White to the mate.
    type Value = u16;

    fn value(&mut self, node: u32) -> u16 {
        let node = node as usize;
        match node.checked_sub(self.white.len()) {
            Some(black) => self.black[black].0,
            None => self.white[node] + 1,
        }
    }

    fn arrive(&mut self, node: u32, value: u16) -> Option<u32> {
        let at = node as usize;
        let (depth, is_settled) = if let Some(black) = at.checked_sub(self.white.len()) {
            let (depth, out_degree) = &mut self.black[black];
            *out_degree -= 1;
            (depth, *out_degree == 0)
        } else {
            let depth = &mut self.white[at];
            let is_first = *depth == 0;
            (depth, is_first)
        };
        is_settled.then(|| {
            *depth = value;
            node
        })
    }
}

impl MoveGraph {
    /// The graph of an endgame that no move of White leaves.
    pub(super) fn new(endgame: &Endgame) -> MoveGraph {
        let every_move = |position: &Chess| Ok::<_, Infallible>(moves_of(position));
        let scope = Scope::UpToSymmetry;
        let Ok(graph) = ReplyGraph::new(endgame, scope, every_move, &mut |_, _| {});
        let n_white = graph.n_white();
        let n_nodes = graph.successors().n_nodes();

        let escapes: Vec<bool> = (n_white..n_nodes)
            .map(|node| {
                let exits = graph.exits(node);
                exits.escapes || exits.terminal == Some(Terminal::Stalemate)
            })
            .collect();
        let degrees = (n_white..n_nodes).map(|node| graph.successors().get(node).len());
        // A reply out of the endgame, or into stalemate, counts as one more reply that is never
        // solved, so that its position is never lost.
        let out_degrees: Vec<u8> = { degrees.zip(&escapes) }
            .map(|(degree, escapes)| {
                u8::try_from(degree + usize::from(*escapes)).expect("a king has eight moves")
            })
            .collect();
        let is_mate = |node: &usize| graph.exits(*node).terminal == Some(Terminal::Won(0));
        let mates: Vec<usize> = (n_white..n_nodes).filter(is_mate).collect();

        let mut perfect = PerfectPlay {
            white: vec![0; n_white],
            black: out_degrees.iter().map(|degree| (1, *degree)).collect(),
        };
        let mut induction = Induction::default();
        for mate in &mates {
            induction.settle(number(*mate));
        }
        while induction.advance(&graph, &mut perfect) {}
        let settled = induction.settled().iter().map(|node| *node as usize);
        // Perfect play numbers the positions of Black: first those that it solves, in its order,
        // then the others.
        let mut order: Vec<usize> = settled.filter(|node| *node >= n_white).collect();
        order.extend((n_white..n_nodes).filter(|node| perfect.black[node - n_white].1 != 0));
        let mut places = vec![0; order.len()];
        for (place, node) in (0..).zip(&order) {
            places[node - n_white] = place;
        }
        let place = |node: u32| places[node as usize - n_white];

        let successors = graph.successors().iter().take(n_white);
        let successors: Adjacency = successors
            .map(|list| list.iter().map(|node| place(*node)))
            .collect();
        let repliers = (0..n_white).map(|node| graph.predecessors(number(node)).map(place));
        let repliers = repliers.collect();
        // Moves by the position that they lead to: when that position is solved, exactly these
        // moves become winning.
        let moves = Adjacency::from_edges(order.len(), || {
            (0..).zip(successors.iter()).flat_map(|(position, after)| {
                let after = (0..).zip(after);
                after.map(move |(bit, node)| (*node, position * MAX_MOVES + bit))
            })
        });
        let spoiling = (graph.successors().iter().take(n_white)).map(|after| {
            let after = (0..).zip(after);
            after.fold(0, |moves, (bit, node)| {
                moves | u64::from(escapes[*node as usize - n_white]) << bit
            })
        });
        let weights = weights(&graph);
        let depths = weights.iter().zip(&perfect.white);
        let depths = depths.map(|(weight, depth)| u64::from(*weight) * u64::from(*depth));
        MoveGraph {
            sum_of_depths: depths.sum(),
            longest: perfect.white.iter().copied().max().unwrap_or(0),
            n_positions: weights.iter().sum(),
            positions: (0..n_white).map(|node| graph.position(node)).collect(),
            weights,
            repliers,
            moves,
            out_degrees: order
                .iter()
                .map(|node| out_degrees[node - n_white])
                .collect(),
            mates: mates.iter().map(|node| place(number(*node))).collect(),
            spoiling: spoiling.collect(),
            depths: perfect.white,
            successors,
        }
    }

    /// Whether a won position needs a correction under any policy elsewhere: it has no move, or one that
    /// gives up the win.
    pub(super) fn is_spoiled(&self, position: usize, policy: &[u64]) -> bool {
        let moves = policy[position];
        (moves == 0 || moves & self.spoiling[position] != 0) && self.depths[position] != 0
    }
}

/// Number of positions that each node with White to move represents.
fn weights(graph: &ReplyGraph) -> Vec<u32> {
    let endgame = graph.endgame();
    let mut weights = vec![0; graph.n_white()];
    // White's turn comes first.
    for position in (0..endgame.n_indices() / 2).filter_map(|index| endgame.placement(index)) {
        if let Some(node) = graph.node_of(&position) {
            weights[node] += 1;
        }
    }
    weights
}

pub(super) fn number(count: usize) -> u32 {
    u32::try_from(count).expect("an endgame of three men has fewer positions")
}
