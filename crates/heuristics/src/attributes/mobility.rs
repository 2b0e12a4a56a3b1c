//! Mobility balance, under several conventions for counting moves.

use kibitz_board::{
    Board, ByColor, Chess, Color, Position, legal_move_counts, pseudo_legal_move_counts,
};

use super::whole;

/// The moves counted in the mobility balance.
///
/// The paper does not say how moves are counted for the side that is not to move. The default,
/// [`MobilityConvention::Legal`], gives the weights and the compression closest to the published
/// values; the other interpretations are named variants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum MobilityConvention {
    /// Legal moves: the player's minus the opponent's, with a null move for the side not to move.
    #[default]
    Legal,
    /// Pseudo-legal moves of both sides, without castling and en passant.
    PseudoLegal,
    /// Attacked squares, occupied or not, counted once for each attacker.
    AttackedSquares,
    /// The player's legal moves alone.
    OwnLegal,
    /// The opponent's legal moves alone, negated.
    OpponentLegal,
}

impl MobilityConvention {
    /// Every convention.
    pub const ALL: [MobilityConvention; 5] = [
        MobilityConvention::Legal,
        MobilityConvention::PseudoLegal,
        MobilityConvention::AttackedSquares,
        MobilityConvention::OwnLegal,
        MobilityConvention::OpponentLegal,
    ];

    /// Whether both sides count, so that reversal of roles negates the value.
    #[cfg(test)]
    pub(super) fn is_balance(self) -> bool {
        !matches!(
            self,
            MobilityConvention::OwnLegal | MobilityConvention::OpponentLegal
        )
    }
}

/// Mobility balance: `player`'s moves minus the opponent's.
///
/// # Source
/// Jansen, Dowe and Farr 2000, section 2.1, `a_2`.
fn mobility_balance(position: &Chess, player: Color, convention: MobilityConvention) -> i16 {
    let board = position.board();
    let counts = match convention {
        MobilityConvention::PseudoLegal => pseudo_legal_move_counts(board),
        MobilityConvention::AttackedSquares => attack_counts(board),
        MobilityConvention::Legal
        | MobilityConvention::OwnLegal
        | MobilityConvention::OpponentLegal => legal_move_counts(position),
    };
    balance(counts, player, convention)
}

/// [`mobility_balance`] given the legal moves of both sides.
#[inline]
pub(super) fn mobility_balance_from(
    legal_moves: ByColor<u32>,
    position: &Chess,
    player: Color,
    convention: MobilityConvention,
) -> i16 {
    match convention {
        MobilityConvention::Legal
        | MobilityConvention::OwnLegal
        | MobilityConvention::OpponentLegal => balance(legal_moves, player, convention),
        MobilityConvention::PseudoLegal | MobilityConvention::AttackedSquares => {
            mobility_balance(position, player, convention)
        }
    }
}

#[inline]
fn balance(counts: ByColor<u32>, player: Color, convention: MobilityConvention) -> i16 {
    match convention {
        MobilityConvention::OwnLegal => whole(counts[player]),
        MobilityConvention::OpponentLegal => -whole(counts[!player]),
        _ => super::balance(counts, player),
    }
}

fn attack_counts(board: &Board) -> ByColor<u32> {
    ByColor::new_with(|color| {
        board
            .by_color(color)
            .into_iter()
            .map(|from| board.attacks_from(from).0.count_ones())
            .sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kibitz_board::{CastlingMode, fen::Fen};

    #[test]
    fn conventions_differ_where_they_should() {
        let fen: Fen = "4r1k1/8/8/8/4N3/8/8/4K3 w - - 0 1".parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let balance = |convention| mobility_balance(&position, Color::White, convention);
        // White's knight is pinned and the king has d1, d2, f1, f2; e2 lies behind the knight and
        // is free too. Black has 9 rook and 5 king moves.
        assert_eq!(balance(MobilityConvention::OwnLegal), 5);
        assert_eq!(balance(MobilityConvention::OpponentLegal), -14);
        assert_eq!(balance(MobilityConvention::Legal), 5 - 14);
        assert_eq!(balance(MobilityConvention::PseudoLegal), 13 - 14);
        // The rook also attacks (guards) its king's square.
        assert_eq!(balance(MobilityConvention::AttackedSquares), 13 - 15);
    }
}
