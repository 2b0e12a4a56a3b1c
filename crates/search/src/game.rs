//! The trait of a game that a tree search searches, and the values of its positions.

use std::{fmt::Debug, hash::Hash};

/// A game of two players with perfect information, together with an evaluation of its positions.
///
/// The searches of this crate ([`fixed_depth`](crate::fixed_depth), [`ctw`](crate::ctw)) depend on
/// this trait only: [`chute`](crate::chute) implements it for chess with CHUTE's evaluation, tests for
/// small graphs.
pub trait Game {
    /// A position.
    type Position: Clone;
    /// A move.
    type Move: Copy + PartialEq + Debug;
    /// The key of a position in a transposition table: positions with the same key have the same
    /// future and the same values.
    type Key: Copy + Eq + Hash;

    /// The key of a position.
    fn key(&self, position: &Self::Position) -> Self::Key;

    /// How the game has ended in this position, `None` if it goes on.
    fn end(&self, position: &Self::Position) -> Option<End>;

    /// The moves of a position that has not ended, from the most to the least plausible. There is at
    /// least one, and the order depends only on the position.
    fn moves(&self, position: &Self::Position) -> Vec<Self::Move>;

    /// The position that a move leads to.
    fn play(&self, position: &Self::Position, m: Self::Move) -> Self::Position;

    /// Static evaluation of a position that has not ended, for the side to move.
    ///
    /// Its absolute value is at most [`SCORE_LIMIT`].
    fn evaluate(&self, position: &Self::Position) -> f64;
}

/// How a game ends, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The side to move has lost: it is mated.
    Lost,
    /// The game is drawn.
    Drawn,
}

/// Largest score that an evaluation may give, of either sign.
pub const SCORE_LIMIT: f64 = 1e9;

/// Value of a won game, less one for each ply that it takes. A power of two: sums with plies are
/// exact.
const WON: f64 = (1_u64 << 40) as f64;

/// Value, for the side to move, of a position in which it wins in `plies` plies.
pub fn won_in(plies: u32) -> f64 {
    WON - f64::from(plies)
}

/// Value, for the side to move, of a position in which it loses in `plies` plies; 0 plies when it
/// has lost.
pub fn lost_in(plies: u32) -> f64 {
    f64::from(plies) - WON
}

/// The meaning of a position's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The side to move wins in this many plies.
    Wins(u32),
    /// The side to move loses in this many plies.
    Loses(u32),
    /// The evaluation of a leaf of the search tree.
    Score(f64),
}

impl Verdict {
    /// The meaning of a value.
    ///
    /// # Examples
    /// ```
    /// use kibitz_search::game::{Verdict, lost_in};
    ///
    /// assert_eq!(Verdict::of(12.5), Verdict::Score(12.5));
    /// assert_eq!(Verdict::of(-lost_in(3)), Verdict::Wins(3));
    /// ```
    pub fn of(value: f64) -> Verdict {
        if value.abs() <= SCORE_LIMIT {
            return Verdict::Score(value);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "values beyond the limit are made by `won_in` and `lost_in`"
        )]
        let plies = (WON - value.abs()) as u32;
        if value > 0.0 {
            Verdict::Wins(plies)
        } else {
            Verdict::Loses(plies)
        }
    }
}

/// Work done by a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Inner nodes: positions whose moves were listed, in order of plausibility.
    pub expanded: u64,
    /// Leaves: positions that were evaluated.
    pub evaluated: u64,
}

impl Counts {
    /// Positions expanded or evaluated.
    ///
    /// For CHUTE each costs the same, the scoring of all moves of a position.
    pub fn nodes(self) -> u64 {
        self.expanded + self.evaluated
    }
}

/// Called before every node: whether the search must stop, for example by a clock, a node limit or a
/// signal.
pub type Stop<'a> = &'a mut dyn FnMut(Counts) -> bool;

/// A check that never stops a search.
pub fn never(_: Counts) -> bool {
    false
}

#[cfg(test)]
pub(crate) mod testing {
    //! Random games, the same for the same numbers.

    use super::{End, Game};

    /// Positions are numbered; a position's moves, value and fate are drawn from its number. Moves
    /// lead to a small set of numbers one level on, so that lines transpose.
    #[derive(Debug)]
    pub(crate) struct RandomGame {
        pub(crate) seed: u64,
        /// Maximum number of moves in a position.
        pub(crate) width: u64,
        /// Numbers at each level.
        pub(crate) positions: u64,
        /// Values lie in 0 to this, so that small numbers make ties.
        pub(crate) values: u64,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub(crate) struct Place {
        pub(crate) level: u64,
        pub(crate) number: u64,
    }

    impl RandomGame {
        pub(crate) const ROOT: Place = Place {
            level: 0,
            number: 0,
        };

        fn draw(&self, place: Place, purpose: u64) -> u64 {
            let mut x = self.seed ^ (place.level << 40) ^ (place.number << 16) ^ purpose;
            for _ in 0..3 {
                x = (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            }
            x ^ (x >> 29)
        }
    }

    impl Game for RandomGame {
        type Position = Place;
        type Move = u64;
        type Key = Place;

        fn key(&self, position: &Place) -> Place {
            *position
        }

        fn end(&self, position: &Place) -> Option<End> {
            match self.draw(*position, 1) % 24 {
                _ if position.level == 0 => None,
                0 => Some(End::Lost),
                1 => Some(End::Drawn),
                _ => None,
            }
        }

        fn moves(&self, position: &Place) -> Vec<u64> {
            (0..=self.draw(*position, 2) % self.width).collect()
        }

        fn play(&self, position: &Place, m: u64) -> Place {
            Place {
                level: position.level + 1,
                number: self.draw(*position, 100 + m) % self.positions,
            }
        }

        fn evaluate(&self, position: &Place) -> f64 {
            (self.draw(*position, 3) % (2 * self.values + 1)) as f64 - self.values as f64
        }
    }
}
