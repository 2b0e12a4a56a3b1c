//! Building a reply graph.

use std::sync::OnceLock;

use kibitz_board::{Chess, Endgame, Move, Position};

use super::{Fate, NO_NODE, Progress, ReplyGraph, SMALL, Scope, number, order};
use crate::adjacency::Adjacency;
use crate::compressed_lists::Compressor;
use crate::retrograde::{Tablebase, Value};

/// The edges of a graph as they are found.
struct GraphBuilder {
    /// Predecessors of the nodes with White, and with Black to move.
    of_white: Compressor,
    of_black: Compressor,
    /// Successors of the nodes with Black to move.
    replies: Adjacency,
}

impl GraphBuilder {
    fn new(n_white: usize) -> GraphBuilder {
        let mut of_white = Compressor::new();
        of_white.resize(n_white);
        GraphBuilder {
            of_white,
            of_black: Compressor::new(),
            replies: Adjacency::default(),
        }
    }
}

impl ReplyGraph {
    /// The graph of a policy, which is called for its moves in every position with White to move.
    /// These are the successors of the node, in the order of [`moves_of`](super::moves_of). Several moves
    /// may lead to one node; duplicate replies to the same node are dropped.
    ///
    /// A move that leaves the endgame, by capture or promotion, is evaluated by perfect play from there.
    ///
    /// # Errors
    /// Those of the policy.
    ///
    /// # Panics
    /// If the policy makes an illegal move.
    pub fn new<E>(
        endgame: &Endgame,
        scope: Scope,
        policy: impl FnMut(&Chess) -> Result<Vec<Move>, E>,
        progress: Progress<'_>,
    ) -> Result<ReplyGraph, E> {
        let mut graph = ReplyGraph::of_white(endgame, scope);
        let mut building = GraphBuilder::new(graph.n_white);
        let is_small = endgame.n_indices() <= SMALL;
        let mut moves = is_small.then(Adjacency::default);
        graph.add_black(policy, progress, &mut building, moves.as_mut())?;
        let GraphBuilder {
            mut of_white,
            mut of_black,
            replies,
        } = building;
        graph.indices.shrink_to_fit();
        of_white.begin_writing();
        for (node, successors) in (graph.n_white..).zip(replies.iter()) {
            for then in successors {
                of_white.write(*then as usize, number(node));
            }
        }
        graph.predecessors[0] = of_white.finish();
        if let Some(moves) = &mut moves {
            moves.append(&replies);
        }
        drop(replies);
        of_black.begin_writing();
        for node in 0..graph.n_white {
            let mut write =
                |after: u32| of_black.write(after as usize - graph.n_white, number(node));
            match &moves {
                Some(moves) => moves.get(node).iter().copied().for_each(&mut write),
                None => graph
                    .allowed_after(node)
                    .for_each(|(_, after)| write(after)),
            }
        }
        graph.predecessors[1] = of_black.finish();
        if let Some(moves) = moves {
            graph.successors = moves.into();
        }
        Ok(graph)
    }

    /// The graph with the positions with White to move alone.
    fn of_white(endgame: &Endgame, scope: Scope) -> ReplyGraph {
        let mut graph = ReplyGraph {
            endgame: endgame.clone(),
            scope,
            n_white: 0,
            indices: Vec::new(),
            nodes: vec![NO_NODE; endgame.n_indices()],
            ends: Vec::new(),
            allowed: Vec::new(),
            successors: OnceLock::new(),
            predecessors: Default::default(),
            fates: Vec::new(),
            out_degrees: Vec::new(),
            conversions: Default::default(),
            tablebase: Tablebase::new(endgame.conversions()),
        };
        // White's turn comes first.
        for index in 0..endgame.n_indices() / 2 {
            if graph.position_at(index).is_some() {
                graph.nodes[index] = number(graph.indices.len());
                graph.indices.push(number(index));
            }
        }
        graph.n_white = graph.indices.len();
        graph.allowed.reserve_exact(graph.n_white);
        graph
    }

    /// Asks the policy, adds the positions with Black to move, and counts all edges; those of White's
    /// moves are added to `moves` if it is given.
    fn add_black<E>(
        &mut self,
        mut policy: impl FnMut(&Chess) -> Result<Vec<Move>, E>,
        progress: Progress<'_>,
        building: &mut GraphBuilder,
        mut moves: Option<&mut Adjacency>,
    ) -> Result<(), E> {
        let n_white = self.n_white;
        for node in 0..n_white {
            if node % 1024 == 0 {
                progress(node, n_white);
            }
            let position = self.position(node);
            let mut made = policy(&position)?;
            made.sort_unstable_by_key(|m| order(*m));
            let legal: Vec<u16> = position.legal_moves().into_iter().map(order).collect();
            let mut allowed = 0_u64;
            let mut after = Vec::with_capacity(made.len());
            for m in made {
                let key = order(m);
                let place = legal.iter().position(|own| *own == key);
                let place = number(place.expect("a policy makes legal moves"));
                let bit = 1_u64.checked_shl(place).expect("at most 64 moves");
                assert!(allowed & bit == 0, "a policy makes each move once");
                allowed |= bit;
                let next = self.after(&position, m, building);
                building
                    .of_black
                    .count(next as usize - n_white, number(node));
                after.push(next);
            }
            self.allowed.push(allowed);
            if let Some(moves) = &mut moves {
                moves.push(after);
            }
        }
        progress(n_white, n_white);
        Ok(())
    }

    /// The node after a move of White, which is added with all replies if it is new.
    fn after(&mut self, position: &Chess, m: Move, building: &mut GraphBuilder) -> u32 {
        let mut next = position.clone();
        next.play_unchecked(m);
        let node = number(self.indices.len());
        let Some(index) = self.index_of(&next) else {
            let end = self.end_of(&next);
            if let Some((_, node)) = self.ends.iter().find(|(own, _)| *own == end) {
                return *node;
            }
            self.ends.push((end, node));
            self.add(NO_NODE, Fate::Outside, &[], building);
            return node;
        };
        if self.nodes[index] != NO_NODE {
            return self.nodes[index];
        }
        self.nodes[index] = node;
        let moves = next.legal_moves();
        let mut fate = match (moves.is_empty(), next.is_check()) {
            (false, _) => Fate::GoesOn,
            (true, true) => Fate::Mated,
            (true, false) => Fate::Stalemate,
        };
        let mut successors = Vec::new();
        for m in moves {
            let mut then = next.clone();
            then.play_unchecked(m);
            match self.node_of(&then).map(number) {
                Some(node) if successors.contains(&node) => {}
                Some(node) => successors.push(node),
                None => match self.tablebase.value(&then) {
                    Some(Value::Won(plies)) => {
                        self.conversions.0.push(node);
                        self.conversions.1.push(plies);
                    }
                    _ => fate = Fate::Escapes,
                },
            }
        }
        self.add(number(index), fate, &successors, building);
        node
    }

    /// Adds a node with Black to move.
    fn add(&mut self, index: u32, fate: Fate, successors: &[u32], building: &mut GraphBuilder) {
        let node = number(self.indices.len());
        self.indices.push(index);
        self.fates.push(fate);
        let out_degree = u8::try_from(successors.len()).expect("at most 64 replies");
        self.out_degrees.push(out_degree);
        for then in successors {
            building.of_white.count(*then as usize, node);
        }
        building.replies.push(successors.iter().copied());
        building.of_black.resize(self.fates.len());
    }
}
