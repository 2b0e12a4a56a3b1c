//! Forcing moves: captures, promotions, and moves that give check.

use kibitz_board::{
    Bitboard, ByRole, Chess, Move, Position, Rank, Role, Square,
    attacks::{
        attacks, bishop_attacks, king_attacks, knight_attacks, pawn_attacks, ray, rook_attacks,
    },
    reach, slider_blockers,
};

/// The forcing moves of a position: captures, promotions, and moves that give check.
///
/// Prepared once per position; hardly any move has to be played. A move gives check if its target is a
/// square from which a piece of its kind attacks the king, or if it opens a line between a slider and
/// the king.
///
/// # Source
/// Jansen, Dowe and Farr 2000, section 3.1: "a capture is possible, a promotion is possible, a
/// check can be played".
///
/// # Examples
/// ```
/// use kibitz_board::{Chess, Position};
/// use kibitz_search::quiescent::ForcingMoves;
/// let position = Chess::default();
/// let forcing = ForcingMoves::of(&position);
/// assert!(!position.legal_moves().into_iter().any(|m| forcing.contains(m)));
/// ```
#[derive(Debug)]
pub struct ForcingMoves<'a> {
    position: &'a Chess,
    king: Square,
    /// Pieces of the side to move that block a line from their own slider to the enemy king.
    blockers: Bitboard,
    /// Squares on which a man of each kind attacks the enemy king.
    checked_from: ByRole<Bitboard>,
}

impl<'a> ForcingMoves<'a> {
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
        let blockers = slider_blockers(board, king, sliders) & board.by_color(sliders);
        let bishop = bishop_attacks(king, board.occupied());
        let rook = rook_attacks(king, board.occupied());
        let checked_from = ByRole {
            pawn: pawn_attacks(!position.turn(), king),
            knight: knight_attacks(king),
            bishop,
            rook,
            queen: bishop | rook,
            king: Bitboard::EMPTY,
        };
        Self {
            position,
            king,
            blockers,
            checked_from,
        }
    }

    /// Whether the legal move `played` is a capture, a promotion or a check.
    #[inline]
    pub fn contains(&self, played: Move) -> bool {
        played.is_capture() || played.is_promotion() || self.gives_check(played)
    }

    /// Whether the legal move `played` gives check.
    #[inline]
    pub(crate) fn gives_check(&self, played: Move) -> bool {
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
        if self.blockers.contains(from) && !ray(self.king, from).contains(to) {
            return true;
        }
        self.checked_from.get(role).contains(to)
    }

    /// Whether some move is checkmate.
    pub(crate) fn can_mate(&self) -> bool {
        let position = self.position;
        let mates = |m: Move| {
            let mut after = position.clone();
            after.play_unchecked(m);
            after.is_checkmate()
        };
        let by_normal = self
            .checks()
            .any(|m| !self.leaves_flight(m) && position.is_legal(m) && mates(m));
        let is_normal = |m: &Move| matches!(m, Move::Normal { .. }) && !m.is_promotion();
        let by_other = || {
            let moves = &position.legal_moves();
            moves.iter().any(|m| !is_normal(m) && mates(*m))
        };
        by_normal || (self.may_have_others() && by_other())
    }

    /// Normal moves but for promotions that give check, legal or not: the king may be left attacked,
    /// a pawn take nothing.
    fn checks(&self) -> impl Iterator<Item = Move> {
        let board = self.position.board();
        let own = board.by_color(self.position.turn());
        Role::ALL.into_iter().flat_map(move |role| {
            let checked_from = *self.checked_from.get(role);
            (board.by_role(role) & own)
                .into_iter()
                .flat_map(move |from| {
                    let uncovers = if self.blockers.contains(from) {
                        !ray(self.king, from)
                    } else {
                        Bitboard::EMPTY
                    };
                    let to = reach(board, from) & !own & (checked_from | uncovers);
                    to.into_iter().map(move |to| Move::Normal {
                        role,
                        from,
                        capture: board.role_at(to),
                        to,
                        promotion: None,
                    })
                })
        })
    }

    /// Whether the enemy king can leave its square, or take, after a normal move.
    fn leaves_flight(&self, played: Move) -> bool {
        let (Some(from), to) = (played.from(), played.to()) else {
            return true;
        };
        let (board, turn) = (self.position.board(), self.position.turn());
        let moved = Bitboard::from_square(from);
        let occupied = (board.occupied() & !moved & !Bitboard::from_square(self.king)).with(to);
        let attacked = attacks(to, played.role().of(turn), occupied);
        let blocked = board.by_color(!turn).without(to);
        let mut free = (king_attacks(self.king) & !blocked & !attacked).into_iter();
        free.any(|square| (board.attacks_to(square, turn, occupied) & !moved).is_empty())
    }

    /// Whether there may be promotions, castling or captures en passant.
    fn may_have_others(&self) -> bool {
        let (board, turn) = (self.position.board(), self.position.turn());
        let seventh = turn.fold_wb(Rank::Seventh, Rank::Second);
        let promoting = board.pawns() & board.by_color(turn) & Bitboard::from_rank(seventh);
        promoting.any()
            || self.position.castles().has_color(turn)
            || self.position.maybe_ep_square().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kibitz_board::{CastlingMode, fen::Fen};
    use proptest::prelude::*;

    fn position(fen: &str) -> Chess {
        let fen: Fen = fen.parse().unwrap();
        fen.into_position(CastlingMode::Standard).unwrap()
    }

    fn check(position: &Chess) {
        let forcing = ForcingMoves::of(position);
        for played in position.legal_moves() {
            let after = position.clone().play(played).unwrap();
            let checks = after.is_check();
            assert_eq!(forcing.gives_check(played), checks, "{played:?}");
            let expected = played.is_capture() || played.is_promotion() || checks;
            assert_eq!(forcing.contains(played), expected, "{played:?}");
        }
        let mates = |m: &Move| position.clone().play(*m).unwrap().is_checkmate();
        let can_mate = position.legal_moves().iter().any(mates);
        assert_eq!(forcing.can_mate(), can_mate, "{position:?}");
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
            check(&position(fen));
        }
    }

    #[test]
    fn mates_at_once_are_seen() {
        for (fen, can_mate) in [
            // By a knight, a double check, a pawn, and a queen that the king covers.
            ("6rk/6pp/7N/8/8/8/8/K7 w - - 0 1", true),
            ("3qkb2/3p1p2/8/8/4N3/8/8/K3R3 w - - 0 1", true),
            ("6bk/7p/5KP1/8/8/8/8/8 w - - 0 1", true),
            ("7k/8/6K1/6Q1/8/8/8/8 w - - 0 1", true),
            // Only by castling, by promotion, and en passant.
            ("2B1R3/8/8/8/8/5k2/7B/4K2R w K - 0 1", true),
            ("2B1R3/8/8/8/8/5k2/7B/4K2R w - - 0 1", false),
            ("6k1/3P1ppp/8/8/8/8/8/K7 w - - 0 1", true),
            ("8/6K1/8/R2Pp2k/1R6/8/8/8 w - e6 0 1", true),
            ("8/6K1/8/R2Pp2k/1R6/8/8/8 w - - 0 1", false),
            // The rook is pinned; the king takes the queen.
            ("6k1/5ppp/8/8/8/8/8/r3R1K1 w - - 0 1", false),
            ("7k/8/8/6Q1/8/8/8/K7 w - - 0 1", false),
        ] {
            let position = position(fen);
            check(&position);
            assert_eq!(ForcingMoves::of(&position).can_mate(), can_mate, "{fen}");
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
