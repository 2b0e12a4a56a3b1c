//! Attacks on enemy men, under each reading of what an attack is.

use kibitz_board::{Chess, Color};

use super::Survey;

/// Attack on a man of equal or lesser value, in tenths of an attack.
pub(super) const TENTHS_LESSER: u32 = 1;
/// Attack on a dearer man, in tenths of an attack.
pub(super) const TENTHS_DEARER: u32 = 10;

/// `player`'s attacks on enemy men minus the opponent's attacks, in tenths of an attack.
///
/// Every pair of attacking and attacked man counts: ten tenths if the target is dearer than the
/// attacker, one tenth if it is not, by [`PieceValues`](super::PieceValues).
///
/// The paper leaves open whether an attack must be a legal capture, and whether the king is a man
/// to be attacked; we take the reading that fits print best: a man attacks what it could legally
/// capture, en passant included, if it were its side's turn, so that pinned men and guarded targets
/// of a king count accordingly, and checks do not count. It also leaves open what the king's own
/// attacks are worth: as the king is dearer than every other man, its attacks count one tenth.
///
/// # Source
/// Jansen, Dowe and Farr 2000, section 3.1: "Attacks against pieces of equal or lesser value are
/// considered to be worth only one tenth of an attack against a more valuable piece."
pub fn attack_balance(position: &Chess, player: Color) -> i16 {
    Survey::of(position).attacks().attack_balance(player)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::PieceValues;
    use kibitz_board::{CastlingMode, Move, Position, Role, fen::Fen};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn balance_of(fen: &str) -> i16 {
        let fen: Fen = fen.parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        attack_balance(&position, Color::White)
    }

    #[test]
    fn targets_are_weighed_by_value() {
        // The knight on d5 forks queen c7 and rook f6 (ten tenths each) and attacks pawn b6 (one).
        // Black: the rook attacks nothing, the queen nothing.
        let fen = "7k/2q5/1p3r2/3N4/8/8/8/K7 w - - 0 1";
        assert_eq!(balance_of(fen), 21);
        // A bishop is no dearer than a knight; the bishop on f6 also attacks nothing but the a1
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
                let dearer = played.role() != Role::King
                    && PieceValues::of(captured) > PieceValues::of(played.role());
                Some((played.from(), played.to(), dearer))
            })
            .collect();
        pairs
            .into_iter()
            .map(|(_, _, dearer)| if dearer { 10 } else { 1 })
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
                let survey = Survey::of(&position);
                let tenths = survey.attacks().tenths;
                prop_assert_eq!(tenths[turn], listed_tenths(&position));
                // Listing the side not to move takes a null move, which a check forbids.
                if let Ok(null) = position.clone().swap_turn() {
                    prop_assert_eq!(tenths[!turn], listed_tenths(&null));
                }
            }
        }
    }
}
