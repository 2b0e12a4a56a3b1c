//! Example lines of a strategy: a longest win, and counterexamples.

use std::collections::VecDeque;

use kibitz_board::{Chess, Move, Position};
use rustc_hash::FxHashMap;

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

    /// The nodes that a node leads to under the tie-break.
    fn next(&self, node: usize) -> &[u32] {
        match self.tie_break {
            TieBreak::Preferred(number) if node < self.verification.graph.n_white() => {
                let one = std::slice::from_ref(&self.verification.preferred[number][node]);
                if one[0] == super::NONE { &[] } else { one }
            }
            _ => self.verification.graph.successors().get(node),
        }
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
            let next = self.next(node).iter().map(|next| *next as usize);
            let Some(next) = { next }.find(|next| plies(*next) == Some(left - 1)) else {
                // A reply that leaves the endgame ends the line.
                let leaves = |m: &Move| self.node_after(&position, *m).is_none();
                line.moves
                    .extend(position.legal_moves().into_iter().find(leaves));
                break;
            };
            let Some(m) = self.move_to(&position, next) else {
                break;
            };
            position.play_unchecked(m);
            line.moves.push(m);
            node = next;
        }
        line
    }

    fn node_after(&self, position: &Chess, m: Move) -> Option<usize> {
        let mut next = position.clone();
        next.play_unchecked(m);
        self.verification.graph.node_of(&next)
    }

    /// A move to a node; one that leaves the endgame if the node does.
    fn move_to(&self, position: &Chess, node: usize) -> Option<Move> {
        let moves = position.legal_moves();
        let leads = |wanted: Option<usize>| {
            let mut moves = moves.iter().copied();
            moves.find(|m| self.node_after(position, *m) == wanted)
        };
        leads(Some(node)).or_else(|| leads(None))
    }

    /// The nodes that may lie on a cycle of positions neither won nor forced into another failure:
    /// what is left after nodes of in-degree 0 are removed, again and again.
    fn recurring(&self) -> Vec<bool> {
        let n_nodes = self.verification.graph.successors().n_nodes();
        let mut recurs: Vec<bool> = (0..n_nodes)
            .map(|node| self.wins.get(node).is_none() && self.failures.get(node).is_none())
            .collect();
        let mut arrivals = vec![0_u32; n_nodes];
        for node in (0..n_nodes).filter(|node| recurs[*node]) {
            for next in self.next(node) {
                arrivals[*next as usize] += 1;
            }
        }
        let mut unreached: Vec<usize> = (0..n_nodes)
            .filter(|node| recurs[*node] && arrivals[*node] == 0)
            .collect();
        while let Some(node) = unreached.pop() {
            recurs[node] = false;
            for next in self.next(node).iter().map(|next| *next as usize) {
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
        let mut recurs = self.recurring();
        let mut best: Option<Vec<usize>> = None;
        for start in 0..self.verification.graph.n_white() {
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
                for next in self.next(node).iter().map(|next| *next as usize) {
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
        let cycle = best?;
        let mut line = Line {
            start: self.verification.graph.position(cycle[0]),
            moves: Vec::new(),
        };
        let mut position = line.start.clone();
        for next in cycle[1..].iter().chain([&cycle[0]]) {
            let m = self.move_to(&position, *next)?;
            position.play_unchecked(m);
            line.moves.push(m);
        }
        Some(line)
    }
}
