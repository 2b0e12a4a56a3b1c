//! Weights of attacks on enemy pieces, for [`Attribute::Attacks`](super::Attribute::Attacks).

use kibitz_board::{Board, ByColor, Color, Role};

use super::{PieceValues, balance};

/// What counts as an attack on an enemy piece.
///
/// The paper leaves open whether an attack must be a legal capture, and whether the king can be a
/// target; the experiment `jansen2000/readings` compares these with its Table 4.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum AttackConvention {
    /// Captures, en passant included, that would be legal on the attacker's turn: pins and guards
    /// count, and checks do not.
    #[default]
    LegalCaptures,
    /// Attacked pieces but the king, without regard to pins and guards.
    AttackedPieces,
    /// The same with the king, who is more valuable than all others.
    AttackedPiecesAndKing,
}

impl AttackConvention {
    /// Every convention.
    pub const ALL: [AttackConvention; 3] = [
        AttackConvention::LegalCaptures,
        AttackConvention::AttackedPieces,
        AttackConvention::AttackedPiecesAndKing,
    ];
}

/// Attack balance of `player`, in tenths, without regard to pins and guards.
pub(super) fn balance_of_attacked(board: &Board, player: Color, with_king: bool) -> i16 {
    let is_greater = |target: Role, attacker: Role| {
        attacker != Role::King
            && (target == Role::King || PieceValues::of(target) > PieceValues::of(attacker))
    };
    let tenths = ByColor::new_with(|color: Color| {
        let mut targets = board.by_color(!color);
        if !with_king {
            targets &= !board.kings();
        }
        let attackers = board.by_color(color).into_iter();
        let pairs = attackers.flat_map(|from| {
            let attacked = (board.attacks_from(from) & targets).into_iter();
            attacked.map(move |target| (board.role_at(target), board.role_at(from)))
        });
        let weights = pairs.map(|(target, attacker)| match (target, attacker) {
            (Some(target), Some(attacker)) if is_greater(target, attacker) => TENTHS_GREATER,
            _ => TENTHS_LESSER,
        });
        weights.sum()
    });
    balance(tenths, player)
}

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
    fn conventions_differ_where_they_should() {
        // The rook checks and pins; the knight, pinned, attacks the queen.
        let fen: Fen = "4r2k/8/8/2q5/4N3/8/8/4K2R b - - 0 1".parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let balance = |king| super::balance_of_attacked(position.board(), Color::White, king);
        assert_eq!(balance(false), 10 - 1);
        // The rook h1 gives check.
        assert_eq!(balance(true), 10 + 10 - 1);
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
