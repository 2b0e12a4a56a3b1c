//! What becomes of every position of the graph.

use kibitz_board::{Chess, Color, Position};

use super::{
    Replies, TieBreak, Verification,
    spread::{Distances, Needs},
};

/// What becomes of a position, against the opponent's best play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Mate in so many moves at the latest.
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
    /// Nothing of this can be forced: moves are repeated.
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

/// Counts of positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// All positions with White to move.
    pub positions: usize,
    /// Those that are won.
    pub won: usize,
    /// Those that fail, in the order of [`Failure::ALL`].
    pub failed: [usize; 4],
    /// Moves of the longest win.
    pub longest: u16,
}

impl Summary {
    /// Whether every position is won.
    pub fn is_won(&self) -> bool {
        self.won == self.positions
    }
}

/// What becomes of every position under a tie-break.
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
        (0..self.verification.n_white()).map(|node| self.of_node(node))
    }

    /// The outcome of a position with White to move; `None` if it is not of this endgame.
    pub fn of(&self, position: &Chess) -> Option<Outcome> {
        if position.turn() == Color::Black {
            return None;
        }
        let node = self.verification.node_of(position)?;
        Some(self.of_node(node as usize))
    }

    /// Counts.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for outcome in self.iter() {
            summary.positions += 1;
            match outcome {
                Outcome::Mates(moves) => {
                    summary.won += 1;
                    summary.longest = summary.longest.max(moves);
                }
                Outcome::Fails(failure) => summary.failed[failure as usize] += 1,
            }
        }
        summary
    }
}

impl Verification {
    /// What becomes of every position.
    pub fn outcomes(&self, tie_break: TieBreak) -> Outcomes<'_> {
        let preferred = match tie_break {
            TieBreak::Preferred(number) => Some(self.preferred[number].as_slice()),
            TieBreak::Angelic | TieBreak::Adversarial => None,
        };
        let leads = |node: usize, then: usize| {
            let only = preferred.and_then(|preferred| preferred.get(node));
            only.is_none_or(|only| *only as usize == then)
        };
        let black = |node: usize| self.black(node);
        let is_white = |node: usize| node < self.n_white();
        let wins = self.wins(tie_break == TieBreak::Adversarial, leads);
        let failures = Distances::new(
            &self.next,
            &self.before,
            |node, n_next| {
                if is_white(node) && tie_break == TieBreak::Angelic && n_next > 0 {
                    Needs::All(n_next)
                } else {
                    Needs::One
                }
            },
            (0..self.next.len()).filter_map(|node| {
                if is_white(node) {
                    let fails = self.rules[node].is_none();
                    return fails.then_some((node, 0, Failure::NoRule));
                }
                let lost = black(node).gives_up.then_some((node, 1, Failure::Loss));
                black(node).end.map(|end| (node, 0, end)).or(lost)
            }),
            leads,
        );
        Outcomes {
            verification: self,
            tie_break,
            wins,
            failures,
        }
    }

    fn black(&self, node: usize) -> &Replies {
        &self.replies[node - self.n_white()]
    }

    /// Plies to the mate, by the best of the moves that lead on, or by all of them.
    fn wins(&self, by_all: bool, leads: impl Fn(usize, usize) -> bool) -> Distances {
        Distances::new(
            &self.next,
            &self.before,
            |node, n_next| match node < self.n_white() {
                true if by_all => Needs::All(n_next),
                true => Needs::One,
                false => {
                    let replies = self.black(node);
                    match n_next + replies.conversions.len() {
                        _ if replies.gives_up || replies.end.is_some() => Needs::Never,
                        0 => Needs::One,
                        all => Needs::All(all),
                    }
                }
            },
            (self.n_white()..self.next.len()).flat_map(|node| {
                let replies = self.black(node);
                let converted = replies.conversions.iter().map(|plies| plies + 1);
                let arrivals = replies.won_in.into_iter().chain(converted);
                arrivals.map(move |plies| (node, plies, Failure::Loop))
            }),
            leads,
        )
    }

    /// The moves of the longest win if only some of the allowed moves are left, by the best of these;
    /// `None` if some position is not won then.
    ///
    /// `kept` has for each position, by its place in [`positions`](Self::positions), the moves as bits
    /// by their places in [`Choice::moves`](super::Choice::moves), of which there are 64 at most. So one
    /// verification of a strategy that allows every move judges many that allow fewer.
    pub fn longest_win_among(&self, kept: &[u64]) -> Option<u16> {
        kept.iter().all(|moves| *moves != 0).then_some(())?;
        let leads = |node: usize, then: usize| {
            let Some(mut left) = kept.get(node).copied() else {
                return true;
            };
            let next = self.next.get(node);
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
        (0..self.n_white()).try_fold(0, |longest, node| Some(longest.max(moves(node)?)))
    }
}
