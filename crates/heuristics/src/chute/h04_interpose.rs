//! Heuristic 4: interpose an attack.

use kibitz_board::attacks;

use super::{Interpretation, MoveContext};
use crate::Heuristic;

/// The move puts a piece between an attacker and an own piece: development value of the attacked
/// piece times p4, half if the attack was not damaging.
///
/// Only if the piece put there is not under damaging attack itself. A check counts as a damaging
/// attack on the king.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 4. The pieces saved are also heuristic 14's.
#[derive(Clone, Copy, Debug)]
pub struct Interpose;

impl Heuristic for Interpose {
    fn name(&self) -> &'static str {
        "interpose"
    }

    fn description(&self) -> &'static str {
        "interpose an attack"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let to = context.piece.to;
        if context.castled_rook.is_some() || context.is_damaged(to) {
            return 0.0;
        }
        let mut value = 0.0;
        for attacker in context.theirs() & context.board.sliders() {
            let attacked = before.attacks.attacks_from(attacker);
            if !attacked.contains(to) {
                continue;
            }
            for target in attacked & context.unmoved() & !context.attacks.attacks_from(attacker) {
                if attacks::between(attacker, target).contains(to) {
                    let share = if context.was_damaged(target) {
                        1.0
                    } else {
                        0.5
                    };
                    value += share * before.development(target);
                }
            }
        }
        before.quarter(Interpretation::QuarterInterposing) * value * before.p(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::check;

    #[test]
    fn a_safe_interposition_counts() {
        // The rook a8 attacks the bishop a1 (its only square b2, with a pawn: 2), which nobody defends;
        // on a3 the pawn b2 defends the knight: 2 * 10.
        check(
            &Interpose,
            "r3k3/8/8/8/2N5/8/1P6/B3K3 w - - 0 1",
            "c4a3",
            20.0,
        );
        // Half if the king defends the bishop.
        check(
            &Interpose,
            "r7/4k3/8/8/2N5/8/1P6/BK6 w - - 0 1",
            "c4a3",
            10.0,
        );
    }

    #[test]
    fn an_unsafe_interposition_does_not() {
        check(
            &Interpose,
            "r3k3/8/8/8/2N5/8/1P6/B3K3 w - - 0 1",
            "c4a5",
            0.0,
        );
        check(
            &Interpose,
            "r3k3/8/8/8/2N5/8/1P6/B3K3 w - - 0 1",
            "c4e5",
            0.0,
        );
    }
}
