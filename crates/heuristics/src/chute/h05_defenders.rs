//! Heuristic 5: add/delete defenders.

use super::{Interpretation, MoveContext};
use crate::Heuristic;

/// The move adds or takes away a defender of an attacked own piece.
///
/// Taking it away: minus the development value of the attacked piece times p5. Adding it: the same
/// amount if that ends a damaging attack, a quarter if the attack was not damaging. A
/// piece on a line just opened is left to heuristic 3.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 5. The appendix leaves open when the piece must be attacked; we
/// ask whether it is after the move, so that taking the only attacker needs no defender. For defenders
/// lost at no cost see [`Interpretation::DamagingLoss`] and [`Interpretation::FreeLoss`].
#[derive(Clone, Copy, Debug)]
pub struct Defenders;

impl Heuristic for Defenders {
    fn name(&self) -> &'static str {
        "defenders"
    }

    fn description(&self) -> &'static str {
        "add/delete defenders"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let (defended_before, defended) = (context.attacked_before(), context.attacked());
        let uncovered = context.uncovered_by_us | context.uncovered_by_them;
        let targets =
            (defended_before ^ defended) & context.unmoved() & !context.board.kings() & !uncovered;
        let mut value = 0.0;
        for target in targets {
            if context.enemies_attacking(target).is_empty() {
                continue;
            }
            let development = before.development(target);
            if !defended.contains(target) {
                let is_free = before.reads(Interpretation::FreeLoss)
                    || before.reads(Interpretation::DamagingLoss) && !context.is_damaged(target);
                value -= if is_free { 0.0 } else { development };
            } else if !context.was_damaged(target) {
                value += development / 4.0;
            } else if !context.is_damaged(target) {
                value += development;
            }
        }
        value * before.p(5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    #[test]
    fn a_defender_added_counts() {
        // The rook d8 attacks the knight d5 (8 squares); the bishop comes to defend it: 8 * 10.
        check(
            &Defenders,
            "3rk3/8/8/3N4/8/8/8/3BK3 w - - 0 1",
            "d1b3",
            80.0,
        );
        // A quarter if the pawn e4 defends the knight already.
        check(
            &Defenders,
            "3rk3/8/8/3N4/4P3/8/8/3BK3 w - - 0 1",
            "d1b3",
            20.0,
        );
        // Nothing if the knight is still lost: the pawn e6 takes it all the same.
        check(
            &Defenders,
            "4k3/8/4p3/3N4/8/8/8/3BK3 w - - 0 1",
            "d1b3",
            0.0,
        );
    }

    #[test]
    fn a_defender_taken_away_costs() {
        let fen = "3rk3/8/8/3N4/8/1B6/8/4K3 w - - 0 1";
        check(&Defenders, fen, "b3c2", -80.0);
        check(&Defenders, fen, "b3c4", 0.0);
        let read = |interpretation, fen, score| {
            check_read(&Defenders, &[interpretation], fen, "b3c2", score);
        };
        read(Interpretation::DamagingLoss, fen, -80.0);
        read(Interpretation::FreeLoss, fen, 0.0);
        // The pawn e4 still defends the knight.
        let fen = "3rk3/8/8/3N4/4P3/1B6/8/4K3 w - - 0 1";
        check(&Defenders, fen, "b3c2", -80.0);
        read(Interpretation::DamagingLoss, fen, 0.0);
    }

    #[test]
    fn opened_lines_are_left_to_heuristic_3() {
        // From c4 the bishop defends the knight, but so does the rook d1 that it has uncovered.
        check(
            &Defenders,
            "3rk3/8/8/3N4/8/3B4/8/3RK3 w - - 0 1",
            "d3c4",
            0.0,
        );
    }
}
