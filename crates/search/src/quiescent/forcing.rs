//! Which moves put something at stake.

use kibitz_board::{
    Bitboard, Chess, Move, Position, Role, Square,
    attacks::{bishop_attacks, knight_attacks, pawn_attacks, queen_attacks, ray, rook_attacks},
    screens,
};

/// Tells the forcing moves of a position: captures, promotions, and moves that give check.
///
/// Prepared once per position, it needs hardly a move to be played: one gives check if it lands
/// where a man of its kind attacks the king, or leaves the line between a slider and the king.
///
/// # Source
/// Jansen, Dowe and Farr 2000, section 3.1: "a capture is possible, a promotion is possible, a
/// check can be played".
///
/// # Examples
/// ```
/// use kibitz_board::{Chess, Position};
/// use kibitz_search::quiescent::Forcing;
/// let position = Chess::default();
/// let forcing = Forcing::of(&position);
/// assert!(!position.legal_moves().into_iter().any(|m| forcing.contains(m)));
/// ```
#[derive(Debug)]
pub struct Forcing<'a> {
    position: &'a Chess,
    king: Square,
    /// Men of the side to move that hide the enemy king from a slider of theirs.
    screens: Bitboard,
}

impl<'a> Forcing<'a> {
    /// Prepares for the legal moves of `position`.
    ///
    /// # Panics
    /// Never: a legal position has both kings.
    pub fn of(position: &'a Chess) -> Self {
        let board = position.board();
        let king = board
            .king_of(!position.turn())
            .expect("a legal position has both kings");
        let sliders = position.turn();
        let screens = screens(board, king, sliders) & board.by_color(sliders);
        Self {
            position,
            king,
            screens,
        }
    }

    /// Whether the legal move `played` is a capture, a promotion or a check.
    #[inline]
    pub fn contains(&self, played: Move) -> bool {
        played.is_capture() || played.is_promotion() || self.gives_check(played)
    }

    /// Whether the legal move `played` gives check.
    #[inline]
    pub fn gives_check(&self, played: Move) -> bool {
        let Move::Normal {
            role,
            from,
            to,
            promotion: None,
            ..
        } = played
        else {
            // The others are too rare, and too intricate, to be reasoned out.
            let mut after = self.position.clone();
            after.play_unchecked(played);
            return after.is_check();
        };
        if self.screens.contains(from) && !ray(self.king, from).contains(to) {
            return true;
        }
        let occupied = self.position.board().occupied();
        let attackers = match role {
            Role::Pawn => pawn_attacks(!self.position.turn(), self.king),
            Role::Knight => knight_attacks(self.king),
            Role::Bishop => bishop_attacks(self.king, occupied),
            Role::Rook => rook_attacks(self.king, occupied),
            Role::Queen => queen_attacks(self.king, occupied),
            Role::King => Bitboard::EMPTY,
        };
        attackers.contains(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kibitz_board::{CastlingMode, fen::Fen};
    use proptest::prelude::*;

    fn check(position: &Chess) {
        let forcing = Forcing::of(position);
        for played in position.legal_moves() {
            let after = position.clone().play(played).unwrap();
            let checks = after.is_check();
            assert_eq!(forcing.gives_check(played), checks, "{played:?}");
            let expected = played.is_capture() || played.is_promotion() || checks;
            assert_eq!(forcing.contains(played), expected, "{played:?}");
        }
    }

    #[test]
    fn special_moves() {
        for fen in [
            // Castling gives check with the rook, on either side.
            "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
            "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1",
            // The king uncovers its rook, or stays on the line.
            "8/8/8/8/k2K3R/8/8/8 w - - 0 1",
            // En passant and double steps.
            "8/8/8/1k6/3Pp3/8/8/4K2B b - d3 0 1",
            "8/8/8/2k5/8/8/1P6/4K3 w - - 0 1",
            // Pawns that uncover a bishop, and one that cannot leave its line.
            "k7/8/8/3P4/8/8/6B1/K7 w - - 0 1",
            // Captures along a line to the king, off it, and by a promoting pawn.
            "k7/3n4/8/p2N4/8/8/R5B1/K7 w - - 0 1",
            "r1n4k/1P6/8/8/8/8/8/K7 w - - 0 1",
        ] {
            let position = fen
                .parse::<Fen>()
                .unwrap()
                .into_position(CastlingMode::Standard)
                .unwrap();
            check(&position);
        }
    }

    proptest! {
        #[test]
        fn agrees_with_playing_the_moves(choices in prop::collection::vec(any::<u16>(), 1..200)) {
            let mut position = Chess::default();
            for choice in choices {
                check(&position);
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.play_unchecked(moves[choice as usize % moves.len()]);
            }
        }
    }
}
