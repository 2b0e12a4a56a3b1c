//! Heuristic 2: leave an attack.

use super::{Interpretation, MoveContext};
use crate::Heuristic;

/// The move takes the piece moved out of an attack: development value of the piece times p2.
///
/// In full for going from a damaging attack to none that is damaging; an eighth for going from an
/// attack that was not damaging to no attack.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 2. The appendix leaves open on which square the development
/// value is taken; we take the square left, where the piece was attacked.
#[derive(Clone, Copy, Debug)]
pub struct LeaveAttack;

impl Heuristic for LeaveAttack {
    fn name(&self) -> &'static str {
        "leave-attack"
    }

    fn description(&self) -> &'static str {
        "leave an attack"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let piece = context.piece;
        let scale = before.quarter(Interpretation::QuarterLeaving);
        let value = scale * before.development(piece.from) * before.p(2);
        if context.was_damaged(piece.from) {
            if context.is_damaged(piece.to) {
                0.0
            } else {
                value
            }
        } else if before
            .attacks
            .attackers(before.board(), piece.from, before.them)
            .any()
            && context.enemies_attacking(piece.to).is_empty()
        {
            value / 8.0
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    #[test]
    fn leaving_a_damaging_attack_counts_in_full() {
        // The pawn e5 attacks the knight d4, whose eight squares are all empty and off the center:
        // 8 * 15.
        check(
            &LeaveAttack,
            "4k3/8/8/4p3/3N4/8/8/4K3 w - - 0 1",
            "d4f3",
            120.0,
        );
        // On f5 the pawn g6 attacks it again.
        check(
            &LeaveAttack,
            "4k3/8/6p1/4p3/3N4/8/8/4K3 w - - 0 1",
            "d4f5",
            0.0,
        );
        // Another piece moves.
        check(
            &LeaveAttack,
            "4k3/8/8/4p3/3N4/8/8/4K3 w - - 0 1",
            "e1e2",
            0.0,
        );
    }

    #[test]
    fn leaving_a_harmless_attack_counts_an_eighth() {
        // Rook d8 attacks the knight d4, which the pawn e3 defends: 8 * 15 / 8.
        check(
            &LeaveAttack,
            "3rk3/8/8/8/3N4/4P3/8/4K3 w - - 0 1",
            "d4f3",
            15.0,
        );
        // On c6 the pawn b7 attacks it.
        check(
            &LeaveAttack,
            "3rk3/1p6/8/8/3N4/4P3/8/4K3 w - - 0 1",
            "d4c6",
            0.0,
        );
    }

    #[test]
    fn development_values_may_be_a_quarter() {
        let fen = "4k3/8/8/4p3/3N4/8/8/4K3 w - - 0 1";
        let interpretations = [Interpretation::QuarterDevelopment];
        check_read(&LeaveAttack, &interpretations, fen, "d4f3", 30.0);
    }
}
