//! Example lines of a strategy: a longest win, and counterexamples.

use std::collections::VecDeque;

use kibitz_board::{Chess, Move, Position};
use rustc_hash::FxHashMap;

use crate::adjacency::Adjacency;

use super::{Failure, Outcome, Outcomes, TieBreak};

/// Moves from a position, White's by the strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where it begins, White to move.
    pub start: Chess,
    /// The moves of both sides. A line that loops ends where it began.
    pub moves: Vec<Move>,
}

impl Line {
    /// Every position of the line, the first and the last included.
    pub fn positions(&self) -> Vec<Chess> {
        let mut positions = vec![self.start.clone()];
        for m in &self.moves {
            let mut next = positions[positions.len() - 1].clone();
            next.play_unchecked(*m);
            positions.push(next);
        }
        positions
    }
}

impl Outcomes<'_> {
    /// A longest win, against a defense that puts it off as long as it can.
    pub fn longest_win(&self) -> Option<Line> {
        let nodes = 0..self.verification.graph.n_white();
        let plies = |node: &usize| self.wins.get(*node).map(|(plies, _)| plies);
        let longest = nodes.clone().filter_map(|node| plies(&node)).max()?;
        let node = nodes
            .into_iter()
            .find(|node| plies(node) == Some(longest))?;
        Some(self.follow(node, &|node| Some(self.wins.get(node)?.0)))
    }

    /// A shortest line that shows a failure, `None` if there is no position that fails so.
    pub fn counterexample(&self, failure: Failure) -> Option<Line> {
        if failure == Failure::Loop {
            return self.shortest_loop();
        }
        let (node, _) = (0..self.verification.graph.n_white())
            .filter_map(|node| match (self.of_node(node), self.failures.get(node)) {
                (Outcome::Fails(own), Some((plies, _))) if own == failure => Some((node, plies)),
                _ => None,
            })
            .min_by_key(|(_, plies)| *plies)?;
        Some(self.follow(node, &|node| Some(self.failures.get(node)?.0)))
    }

    /// The moves of a node under the tie-break, with the nodes that they lead to.
    fn next(&self, node: usize) -> Vec<(Move, u32)> {
        let mut moves = self.verification.graph.moves(node);
        if let TieBreak::Preferred(number) = self.tie_break
            && let Some(one) = self.verification.preferred_nodes(number).get(node)
        {
            moves.retain(|(_, next)| next == one);
        }
        moves
    }

    /// The nodes that a node leads to under the tie-break.
    fn next_nodes(&self, node: usize) -> Vec<u32> {
        if let TieBreak::Preferred(number) = self.tie_break
            && let Some(one) = self.verification.preferred_nodes(number).get(node)
        {
            return (*one != super::NONE).then_some(*one).into_iter().collect();
        }
        self.verification.graph.nodes_after(node)
    }

    /// Follows distances down to the end that they count from.
    fn follow(&self, start: usize, plies: &dyn Fn(usize) -> Option<u16>) -> Line {
        let mut line = Line {
            start: self.verification.graph.position(start),
            moves: Vec::new(),
        };
        let mut position = line.start.clone();
        let mut node = start;
        while let Some(left @ 1..) = plies(node) {
            let mut next = self.next(node).into_iter();
            let next = next.find(|(_, next)| plies(*next as usize) == Some(left - 1));
            let m = match next {
                // Of positions that are alike another one may stand for the node.
                Some((m, next)) => {
                    node = next as usize;
                    self.move_to(&position, m, node)
                }
                None => None,
            };
            let Some(m) = m else {
                // A reply that leaves the endgame ends the line.
                let leaves = |m: &Move| self.node_after(&position, *m).is_none();
                line.moves
                    .extend(position.legal_moves().into_iter().find(leaves));
                break;
            };
            position.play_unchecked(m);
            line.moves.push(m);
        }
        line
    }

    fn node_after(&self, position: &Chess, m: Move) -> Option<usize> {
        let mut next = position.clone();
        next.play_unchecked(m);
        self.verification.graph.node_of(&next)
    }

    /// The move to a node: `m`, or in a position that is like that of `m` one that does the same.
    fn move_to(&self, position: &Chess, m: Move, node: usize) -> Option<Move> {
        let is_outside = self.verification.graph.is_outside(node);
        let leads = |m: &Move| match self.node_after(position, *m) {
            Some(next) => next == node,
            None => is_outside,
        };
        let moves = position.legal_moves();
        let same = moves.iter().find(|own| **own == m).filter(|m| leads(m));
        same.or_else(|| moves.iter().find(|m| leads(m))).copied()
    }

    /// The nodes neither won nor forced into another failure, and the edges among them by their places.
    fn undecided(&self) -> (Vec<usize>, Adjacency) {
        let is_open =
            |node: &usize| self.wins.get(*node).is_none() && self.failures.get(*node).is_none();
        let nodes = 0..self.verification.graph.n_nodes();
        let open: Vec<usize> = nodes.filter(is_open).collect();
        let places = open.iter().map(|node| {
            let next = self.next_nodes(*node).into_iter();
            let places = next.filter_map(|next| open.binary_search(&(next as usize)).ok());
            places.map(|place| u32::try_from(place).expect("nodes are numbered by 32 bits"))
        });
        let edges = places.collect();
        (open, edges)
    }

    /// The nodes that may be on a cycle: those that are left after nodes of in-degree 0 are removed, again
    /// and again.
    fn recurring(undecided: &Adjacency) -> Vec<bool> {
        let n_nodes = undecided.n_nodes();
        let mut recurs: Vec<bool> = undecided.iter().map(|next| !next.is_empty()).collect();
        let mut arrivals = vec![0_u32; n_nodes];
        for next in undecided.iter().flatten() {
            arrivals[*next as usize] += 1;
        }
        let mut unreached: Vec<usize> = (0..n_nodes)
            .filter(|node| recurs[*node] && arrivals[*node] == 0)
            .collect();
        while let Some(node) = unreached.pop() {
            recurs[node] = false;
            for next in undecided.get(node).iter().map(|next| *next as usize) {
                arrivals[next] -= 1;
                if arrivals[next] == 0 && recurs[next] {
                    unreached.push(next);
                }
            }
        }
        recurs
    }

    /// A shortest cycle of positions that are neither won nor forced into another failure.
    fn shortest_loop(&self) -> Option<Line> {
        let (open_nodes, undecided) = self.undecided();
        let n_white = self.verification.graph.n_white();
        let mut recurs = Self::recurring(&undecided);
        let mut best: Option<Vec<usize>> = None;
        for start in 0..open_nodes.partition_point(|node| *node < n_white) {
            if !recurs[start] {
                continue;
            }
            // Two moves are the fewest that come back.
            let longest = match &best {
                Some(cycle) if cycle.len() <= 4 => break,
                Some(cycle) => cycle.len() - 1,
                None => usize::MAX,
            };
            let mut came_from: FxHashMap<usize, usize> = FxHashMap::default();
            let mut open = VecDeque::from([(start, 1)]);
            'search: while let Some((node, length)) = open.pop_front() {
                if length > longest {
                    break;
                }
                for next in undecided.get(node).iter().map(|next| *next as usize) {
                    if next == start {
                        let mut cycle = vec![node];
                        while cycle[cycle.len() - 1] != start {
                            cycle.push(came_from[&cycle[cycle.len() - 1]]);
                        }
                        cycle.reverse();
                        best = Some(cycle);
                        break 'search;
                    }
                    if recurs[next] && !came_from.contains_key(&next) {
                        came_from.insert(next, node);
                        open.push_back((next, length + 1));
                    }
                }
            }
            // Cycles through it are done with.
            recurs[start] = false;
        }
        let cycle: Vec<usize> = best?.into_iter().map(|place| open_nodes[place]).collect();
        let mut line = Line {
            start: self.verification.graph.position(cycle[0]),
            moves: Vec::new(),
        };
        let mut position = line.start.clone();
        for (node, next) in cycle.iter().zip(cycle[1..].iter().chain([&cycle[0]])) {
            let mut moves = self.next(*node).into_iter();
            let (m, _) = moves.find(|(_, own)| *own as usize == *next)?;
            let m = self.move_to(&position, m, *next)?;
            position.play_unchecked(m);
            line.moves.push(m);
        }
        Some(line)
    }
}
