//! Heuristic 6: attack an opponent piece.

use kibitz_board::{AttackMap, Bitboard, Board, Role, Square, pawn_advances};

use super::{Interpretation, MoveContext};
use crate::Heuristic;

/// The move attacks enemy pieces.
///
/// Each piece attacked only after the move gives its credit, each one attacked only before it (and
/// not captured by it) takes its credit away. The credit of a piece is its development value times
/// p6; half for a queen, a quarter if the piece is defended, half if it has several squares to escape
/// to, all that times the number of attackers if there are more than one; and the maximum parameter
/// factor on top if the piece is pinned by another piece.
///
/// A fork attacks two or more pieces more valuable than the piece moved, at least one of them newly.
/// It adds (smaller of least valuable target and least valuable attacker of the square moved to, minus
/// the value of the piece moved) times p6 times the largest parameter.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 6. The appendix leaves open how much less an escaping piece
/// gives; we halve the credit when it has at least two squares to go to that we do not attack. It
/// leaves open the credit of a king; we count it in forks only, since heuristic 13 scores the check.
/// Section 4.1 says that the heuristic does not detect the removal of an attack although this
/// appendix has it subtract attacks left; we follow the appendix, but see
/// [`Interpretation::KeepingAttacks`], and for the number of attackers [`Interpretation::SingleCredit`].
#[derive(Clone, Copy, Debug)]
pub struct AttackPiece;

impl Heuristic for AttackPiece {
    fn name(&self) -> &'static str {
        "attack-piece"
    }

    fn description(&self) -> &'static str {
        "attack an opponent piece"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let targets_before = context.attacked_before() & context.theirs();
        let targets = context.attacked() & context.theirs();
        let new = targets & !targets_before;
        let mut score = 0.0;
        for target in new {
            score += credit(context, &context.board, &context.attacks, target);
        }
        if !before.reads(Interpretation::KeepingAttacks) {
            for target in targets_before & !targets {
                score -= credit(context, before.board(), &before.attacks, target);
            }
        }
        if new.any() && context.castled_rook.is_none() {
            score += fork(context, targets);
        }
        score
    }
}

/// Credit for an attack on the enemy piece on `target`, on a board with that attack.
fn credit(context: &MoveContext<'_>, board: &Board, attacks: &AttackMap, target: Square) -> f64 {
    let before = context.before;
    if board.role_at(target) == Some(Role::King) {
        return 0.0;
    }
    let mut credit = before.development(target) * before.p(6);
    if board.role_at(target) == Some(Role::Queen) {
        credit /= 2.0;
    }
    if attacks.attackers(board, target, before.them).any() {
        credit /= 4.0;
    }
    if n_escapes(context, board, attacks, target) > 1 {
        credit /= 2.0;
    }
    if !before.reads(Interpretation::SingleCredit) {
        credit *= attacks.attackers(board, target, before.us).count() as f64;
    }
    let pinned_by_another = before
        .pins
        .get(before.us)
        .iter()
        .any(|pin| pin.between == target && pin.pinner != context.piece.from);
    if pinned_by_another {
        credit + before.maximum_factor
    } else {
        credit
    }
}

/// Number of squares that the enemy piece on `square` can go to where no own piece attacks it.
fn n_escapes(
    context: &MoveContext<'_>,
    board: &Board,
    attacks: &AttackMap,
    square: Square,
) -> usize {
    let (us, them) = (context.before.us, context.before.them);
    let goals = if board.pawns().contains(square) {
        (attacks.attacks_from(square) & board.by_color(us)) | pawn_advances(board, square, them)
    } else {
        attacks.attacks_from(square) & !board.by_color(them)
    };
    goals
        .into_iter()
        .filter(|&goal| attacks.attackers(board, goal, us).is_empty())
        .count()
}

/// Bonus of a fork: 0 with fewer than two targets more valuable than the piece moved.
fn fork(context: &MoveContext<'_>, targets: Bitboard) -> f64 {
    let before = context.before;
    let own_value = before.value(context.piece.becomes);
    let values = |squares: Bitboard| squares.into_iter().map(|square| before.value_on(square));
    if values(targets).filter(|&value| value > own_value).count() < 2 {
        return 0.0;
    }
    let least_target = values(targets)
        .filter(|&value| value > own_value)
        .fold(f64::INFINITY, f64::min);
    let attackers = context.enemies_attacking(context.piece.to);
    let least = values(attackers).fold(least_target, f64::min);
    (least - own_value) * before.p(6) * before.largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    #[test]
    fn attacks_made_and_left_are_opposites() {
        // The pawn d5 has c4, and e4 and d4 twice: 5 * 13.
        check(
            &AttackPiece,
            "4k3/8/8/3p4/8/8/8/1N2K3 w - - 0 1",
            "b1c3",
            65.0,
        );
        // A quarter if it is defended; and the same with the other sign on leaving.
        check(
            &AttackPiece,
            "4k3/8/4p3/3p4/8/8/8/1N2K3 w - - 0 1",
            "b1c3",
            16.25,
        );
        check(
            &AttackPiece,
            "4k3/8/4p3/3p4/8/2N5/8/4K3 w - - 0 1",
            "c3b1",
            -16.25,
        );
        check_read(
            &AttackPiece,
            &[Interpretation::KeepingAttacks],
            "4k3/8/4p3/3p4/8/2N5/8/4K3 w - - 0 1",
            "c3b1",
            0.0,
        );
    }

    #[test]
    fn several_attackers_multiply() {
        check(
            &AttackPiece,
            "4k3/8/8/3p4/8/4N3/8/1N2K3 w - - 0 1",
            "b1c3",
            130.0,
        );
        check_read(
            &AttackPiece,
            &[Interpretation::SingleCredit],
            "4k3/8/8/3p4/8/4N3/8/1N2K3 w - - 0 1",
            "b1c3",
            65.0,
        );
    }

    #[test]
    fn queens_and_escapes_halve() {
        // A queen on d5 of an empty board has 27 squares, three of them central: 30 * 13 / 4.
        check(
            &AttackPiece,
            "4k3/8/8/3q4/8/8/8/1N2K3 w - - 0 1",
            "b1c3",
            97.5,
        );
    }

    #[test]
    fn forks_count_by_the_least_target() {
        // King e8 and rook a8: (5 - 3) * 13 * 15. The rook has 11 squares and the king on one of them,
        // and squares to escape to: 21 * 13 / 2.
        check(
            &AttackPiece,
            "r3k3/8/8/1N6/8/8/8/4K3 w - - 0 1",
            "b5c7",
            390.0 + 136.5,
        );
    }

    #[test]
    fn a_pinned_target_counts_more() {
        // Knight c6: eight squares, d4 and e5 twice, escapes, two attackers: 10 * 13 / 2 * 2, and 225.
        check(
            &AttackPiece,
            "4k3/8/2n5/1B6/8/8/8/3QK3 w - - 0 1",
            "d1f3",
            130.0 + 225.0,
        );
    }
}
