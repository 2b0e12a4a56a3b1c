//! The outcome of a strategy in every position.

use kibitz_board::{Chess, Color, Position};

use super::{NO_RULE, TieBreak, Verification};
use crate::backward_induction::{Decide, Induction};
use crate::reply_graph::{Exits, Terminal};

/// The outcome of a position, against the opponent's best play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Mate in this many moves at the latest.
    Mates(u16),
    /// No mate can be counted on.
    Fails(Failure),
}

/// How a strategy fails. Of several ways the opponent takes the shortest that ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    /// A position is reached in which no rule allows a move.
    NoRule,
    /// A position is reached in which the opponent has no move, and is not in check.
    Stalemate,
    /// The material to win with is captured or given away.
    Loss,
    /// None of these can be forced: moves are repeated.
    Loop,
}

impl Failure {
    /// All of them.
    pub const ALL: [Failure; 4] = [
        Failure::NoRule,
        Failure::Stalemate,
        Failure::Loss,
        Failure::Loop,
    ];
}

/// Numbers of positions by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// All positions with White to move.
    pub n_positions: usize,
    /// Those that are won.
    pub n_won: usize,
    /// Those that fail, in the order of [`Failure::ALL`].
    pub n_failed: [usize; 4],
    /// Moves of the longest win.
    pub longest: u16,
}

impl Summary {
    /// Counts a position.
    pub fn add(&mut self, outcome: Outcome) {
        self.n_positions += 1;
        match outcome {
            Outcome::Mates(moves) => {
                self.n_won += 1;
                self.longest = self.longest.max(moves);
            }
            Outcome::Fails(failure) => self.n_failed[failure as usize] += 1,
        }
    }

    /// Whether every position is won.
    pub fn is_won(&self) -> bool {
        self.n_won == self.n_positions
    }
}

/// The outcomes of a strategy under a tie-break.
#[derive(Debug)]
pub struct Outcomes<'v> {
    pub(super) verification: &'v Verification,
    pub(super) tie_break: TieBreak,
    /// Plies to the mate.
    pub(super) wins: Distances,
    /// Plies to a failure that can be forced.
    pub(super) failures: Distances,
}

impl Outcomes<'_> {
    pub(super) fn of_node(&self, node: usize) -> Outcome {
        match (self.wins.get(node), self.failures.get(node)) {
            (Some((plies, _)), _) => Outcome::Mates(plies.div_ceil(2)),
            (None, Some((_, failure))) => Outcome::Fails(failure),
            (None, None) => Outcome::Fails(Failure::Loop),
        }
    }

    /// The outcome of each position, in the order of [`Verification::positions`].
    pub fn iter(&self) -> impl Iterator<Item = Outcome> {
        (0..self.verification.graph.n_white()).map(|node| self.of_node(node))
    }

    /// The outcome of a position with White to move; `None` if it is not of this endgame.
    pub fn of(&self, position: &Chess) -> Option<Outcome> {
        if position.turn() == Color::Black {
            return None;
        }
        let node = self.verification.graph.node_of(position)?;
        Some(self.of_node(node))
    }

    /// The numbers of positions by outcome.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        self.iter().for_each(|outcome| summary.add(outcome));
        summary
    }
}

/// How many successors have to have a property for the node to have it.
#[derive(Clone, Copy, Debug)]
enum Requirement {
    One,
    All(usize),
    Never,
}

/// Plies to an end, for the nodes from which it is reached, with the kind of end in the two highest
/// bits; [`UNKNOWN`] elsewhere.
#[derive(Debug)]
pub(super) struct Distances {
    found: Vec<u16>,
}

const UNKNOWN: u16 = u16::MAX;

/// Bits for the plies.
const PLY_BITS: u32 = 14;

fn packed(plies: u16, end: Failure) -> u16 {
    assert!(plies >> PLY_BITS == 0, "fewer than 16,384 plies");
    plies | (end as u16) << PLY_BITS
}

fn unpacked(distance: u16) -> Option<(u16, Failure)> {
    let end = Failure::ALL[usize::from(distance >> PLY_BITS)];
    (distance != UNKNOWN).then_some((distance & ((1 << PLY_BITS) - 1), end))
}

impl Distances {
    pub(super) fn get(&self, node: usize) -> Option<(u16, Failure)> {
        unpacked(self.found[node])
    }
}

/// The distances as far as they are found.
struct Search<L> {
    found: Vec<u16>,
    /// Successors that each node still needs.
    missing: Vec<u8>,
    /// Whether the policy leads from a node to a successor.
    leads: L,
}

impl<L: Fn(usize, usize) -> bool> Decide for Search<L> {
    /// Plies to the end by this successor, and the end.
    type Value = (u16, Failure);

    fn value(&mut self, node: u32) -> (u16, Failure) {
        let found = unpacked(self.found[node as usize]);
        let (plies, end) = found.expect("the node is settled");
        (plies + 1, end)
    }

    fn follows(&self, edge: u32, node: u32) -> bool {
        self.found[edge as usize] == UNKNOWN && (self.leads)(edge as usize, node as usize)
    }

    fn arrive(&mut self, node: u32, (plies, end): (u16, Failure)) -> Option<u32> {
        let (missing, own) = (
            &mut self.missing[node as usize],
            &mut self.found[node as usize],
        );
        *missing = missing.saturating_sub(1);
        (*missing == 0 && *own == UNKNOWN).then(|| {
            *own = packed(plies, end);
            node
        })
    }
}

impl Verification {
    /// The outcome of every position.
    pub fn outcomes(&self, tie_break: TieBreak) -> Outcomes<'_> {
        let preferred = match tie_break {
            TieBreak::Preferred(number) => Some(self.preferred_nodes(number)),
            TieBreak::Angelic | TieBreak::Adversarial => None,
        };
        let leads = |node: usize, then: usize| {
            let only = preferred.and_then(|preferred| preferred.get(node));
            only.is_none_or(|only| *only as usize == then)
        };
        Outcomes {
            verification: self,
            tie_break,
            wins: self.wins(tie_break == TieBreak::Adversarial, leads),
            failures: self.failures(tie_break == TieBreak::Angelic, leads),
        }
    }

    /// Plies to the ends, given as nodes with plies and the end, over the edges that `leads` allows.
    fn distances(
        &self,
        needs: impl Fn(usize, usize) -> Requirement,
        ends: impl Iterator<Item = (usize, u16, Failure)>,
        leads: impl Fn(usize, usize) -> bool,
    ) -> Distances {
        let nodes = 0..self.graph.n_nodes();
        let missing = nodes.map(|node| match needs(node, self.graph.out_degree(node)) {
            Requirement::One => 1,
            Requirement::All(n) => u8::try_from(n).expect("at most 64 moves"),
            Requirement::Never => u8::MAX,
        });
        let mut search = Search {
            missing: missing.collect(),
            found: vec![UNKNOWN; self.graph.n_nodes()],
            leads,
        };
        let ends = ends.map(|(node, plies, end)| (plies, number(node), (plies, end)));
        Induction::by_distance(&self.graph, &mut search, ends);
        Distances {
            found: search.found,
        }
    }

    /// Plies to the mate, by the best of the moves that lead on, or by all of them.
    fn wins(&self, by_all: bool, leads: impl Fn(usize, usize) -> bool) -> Distances {
        let n_white = self.graph.n_white();
        let needs = |node: usize, n_successors: usize| {
            if node < n_white {
                return if by_all {
                    Requirement::All(n_successors)
                } else {
                    Requirement::One
                };
            }
            let Exits {
                terminal,
                escapes,
                conversions,
            } = self.graph.exits(node);
            match terminal {
                Some(Terminal::Won(_)) => Requirement::One,
                Some(Terminal::Stalemate | Terminal::Loss) => Requirement::Never,
                None if escapes => Requirement::Never,
                None => Requirement::All(n_successors + conversions.len()),
            }
        };
        let ends = (n_white..self.graph.n_nodes()).flat_map(|node| {
            let exits = self.graph.exits(node);
            let won_in = match exits.terminal {
                Some(Terminal::Won(plies)) => Some(plies),
                _ => None,
            };
            let converted = exits.conversions.iter().map(|plies| plies + 1);
            let ends = won_in.into_iter().chain(converted);
            // The kind of end is not asked for.
            ends.map(move |plies| (node, plies, Failure::NoRule))
        });
        self.distances(needs, ends, leads)
    }

    /// Plies to a failure that the opponent can force; after every move of White if `by_all`.
    fn failures(&self, by_all: bool, leads: impl Fn(usize, usize) -> bool) -> Distances {
        let n_white = self.graph.n_white();
        let needs = |node: usize, n_successors: usize| {
            if node < n_white && by_all && n_successors > 0 {
                Requirement::All(n_successors)
            } else {
                Requirement::One
            }
        };
        let ends = (0..self.graph.n_nodes()).filter_map(|node| {
            if node < n_white {
                let fails = self.rules[node] == NO_RULE;
                return fails.then_some((node, 0, Failure::NoRule));
            }
            let exits = self.graph.exits(node);
            match exits.terminal {
                Some(Terminal::Stalemate) => Some((node, 0, Failure::Stalemate)),
                Some(Terminal::Loss) => Some((node, 0, Failure::Loss)),
                Some(Terminal::Won(_)) | None => exits.escapes.then_some((node, 1, Failure::Loss)),
            }
        });
        self.distances(needs, ends, leads)
    }

    /// The moves of the longest win if only some of the allowed moves are left, by the best of these;
    /// `None` if some position is not won then.
    ///
    /// `kept` has for each position, in the order of [`positions`](Self::positions), a bit for each of
    /// the allowed moves, in the order of
    /// [`moves_of`](crate::reply_graph::moves_of): whether the move is left. So one
    /// verification of a strategy that allows every move judges many that allow fewer.
    pub fn longest_win_among(&self, kept: &[u64]) -> Option<u16> {
        kept.iter().all(|moves| *moves != 0).then_some(())?;
        let leads = |node: usize, then: usize| {
            let Some(mut left) = kept.get(node).copied() else {
                return true;
            };
            let next = self.graph.successors().get(node);
            while left != 0 {
                if next[left.trailing_zeros() as usize] as usize == then {
                    return true;
                }
                left &= left - 1;
            }
            false
        };
        let wins = self.wins(false, leads);
        let moves = |node| wins.get(node).map(|(plies, _)| plies.div_ceil(2));
        (0..self.graph.n_white()).try_fold(0, |longest, node| Some(longest.max(moves(node)?)))
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("nodes are numbered by 32 bits")
}
