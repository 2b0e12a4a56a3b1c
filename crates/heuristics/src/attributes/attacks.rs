//! Weights of attacks on enemy pieces, for [`Attribute::Attacks`](super::Attribute::Attacks).

/// Weight of an attack on a piece of equal or lesser value, in tenths of an attack.
pub(super) const TENTHS_LESSER: u32 = 1;
/// Weight of an attack on a more valuable piece, in tenths of an attack.
pub(super) const TENTHS_GREATER: u32 = 10;

#[cfg(test)]
mod tests {
    use crate::attributes::{PieceValues, PositionCounts};
    use kibitz_board::{CastlingMode, Chess, Color, Move, Position, Role, fen::Fen};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn balance_of(fen: &str) -> i16 {
        let fen: Fen = fen.parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let counts = PositionCounts::of(&position);
        counts.attacks().attack_balance(Color::White)
    }

    #[test]
    fn targets_are_weighed_by_value() {
        // The knight on d5 forks queen c7 and rook f6 (ten tenths each) and attacks pawn b6 (one).
        // Black: the rook attacks nothing, the queen nothing.
        let fen = "7k/2q5/1p3r2/3N4/8/8/8/K7 w - - 0 1";
        assert_eq!(balance_of(fen), 21);
        // A bishop is no more valuable than a knight; the bishop on f6 also attacks nothing but the a1
        // diagonal, on which it checks.
        let fen = "7k/8/5b2/3N4/8/8/8/K7 w - - 0 1";
        assert_eq!(balance_of(fen), 1);
    }

    #[test]
    fn pins_and_guards_matter() {
        // The knight e4 is pinned by the rook e8 and would take the queen c5; the rook takes the
        // knight; the queen attacks nothing else.
        let fen = "4r2k/8/8/2q5/4N3/8/8/4K3 w - - 0 1";
        assert_eq!(balance_of(fen), -1);
        // The king may take the pawn e2 unless the knight guards it; being in check by the pawn
        // changes nothing.
        let guarded = "7k/8/8/8/8/2n5/4p3/5K2 w - - 0 1";
        let free = "7k/8/8/8/8/1n6/4p3/5K2 w - - 0 1";
        assert_eq!(balance_of(guarded), 0);
        assert_eq!(balance_of(free), 1);
    }

    #[test]
    fn en_passant_is_an_attack_of_a_pawn_on_a_pawn() {
        let fen = "4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1";
        assert_eq!(balance_of(fen), 1);
    }

    /// The reference: the captures among the listed moves, each pair of men once.
    fn listed_tenths(position: &Chess) -> u32 {
        let pairs: BTreeSet<_> = position
            .legal_moves()
            .into_iter()
            .filter_map(|played: Move| {
                let captured = played.capture()?;
                let more_valuable = played.role() != Role::King
                    && PieceValues::of(captured) > PieceValues::of(played.role());
                Some((played.from(), played.to(), more_valuable))
            })
            .collect();
        pairs
            .into_iter()
            .map(|(_, _, more_valuable)| if more_valuable { 10 } else { 1 })
            .sum()
    }

    proptest! {
        #[test]
        fn legal_captures_agree_with_listing(
            choices in prop::collection::vec(any::<u16>(), 1..200),
        ) {
            let mut position = Chess::default();
            for choice in choices {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.play_unchecked(moves[choice as usize % moves.len()]);
                let turn = position.turn();
                let counts = PositionCounts::of(&position);
                let tenths = counts.attacks().tenths;
                prop_assert_eq!(tenths[turn], listed_tenths(&position));
                // Listing the side not to move takes a null move, which a check forbids.
                if let Ok(null) = position.clone().swap_turn() {
                    prop_assert_eq!(tenths[!turn], listed_tenths(&null));
                }
            }
        }
    }
}
