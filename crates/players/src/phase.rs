//! Phases of a game, by the position before a move.

use kibitz_board::{Chess, Color, Position as _};
use serde::{Deserialize, Serialize};

/// A phase of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The first twelve moves, unless pieces are gone as in the endgame.
    Opening,
    /// Between the two.
    MiddleGame,
    /// Pieces of at most 12 of the 24 points left, a minor piece counting 1, a rook 2, a queen 4.
    Endgame,
}

impl Phase {
    /// All phases, in order.
    pub const ALL: [Self; 3] = [Self::Opening, Self::MiddleGame, Self::Endgame];

    /// The phase of a position.
    ///
    /// # Examples
    /// ```
    /// use kibitz_players::Phase;
    /// assert_eq!(Phase::of(&kibitz_board::Chess::default()), Phase::Opening);
    /// ```
    pub fn of(position: &Chess) -> Self {
        let board = position.board();
        let points = |color: Color| {
            let side = board.material_side(color);
            u32::from(side.knight + side.bishop + 2 * side.rook + 4 * side.queen)
        };
        if points(Color::White) + points(Color::Black) <= 12 {
            Self::Endgame
        } else if position.fullmoves().get() <= 12 {
            Self::Opening
        } else {
            Self::MiddleGame
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::MiddleGame => "middle-game",
            Self::Endgame => "endgame",
        }
    }
}
