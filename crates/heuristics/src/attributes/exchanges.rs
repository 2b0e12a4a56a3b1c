//! Exchanges: the gain of the best capture by static exchange on its square.

use kibitz_board::{AttackMap, Board, Color, Role};

use super::PieceValues;
use crate::chute::static_exchange;

/// The most that `attacker` wins by captures on one square, in pawns, on its turn.
///
/// Both sides take with the least valuable piece first and stop when that is best; pins are ignored.
pub(super) fn best(board: &Board, attacks: &AttackMap, attacker: Color) -> i16 {
    let prey = board.by_color(!attacker) & !board.kings();
    let attacked =
        (prey.into_iter()).filter(|&square| attacks.attackers(board, square, attacker).any());
    let gain = |square| static_exchange(board, attacks, square, attacker, value);
    #[expect(clippy::cast_possible_truncation, reason = "a sum of piece values")]
    let best = attacked.map(gain).fold(0.0, f64::max) as i16;
    best
}

/// A king is worth more than all that it takes.
fn value(role: Role) -> f64 {
    match role {
        Role::King => 100.0,
        other => f64::from(PieceValues::of(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_defended_pawn_is_no_prey_of_a_rook() {
        let fen = b"4k3/8/2p5/3p4/8/8/8/3RK3";
        let board = Board::from_ascii_board_fen(fen).unwrap();
        assert_eq!(best(&board, &AttackMap::new(&board), Color::White), 0);
        let board = Board::from_ascii_board_fen(b"4k3/8/8/3p4/8/8/8/3RK3").unwrap();
        assert_eq!(best(&board, &AttackMap::new(&board), Color::White), 1);
    }
}
