//! Heuristic 8: freedom for bishop, knight.

use std::cmp::Ordering;

use super::{Interpretation, MoveContext};
use crate::Heuristic;

/// The move frees or blocks own knights and bishops: plus or minus the value of each times p8.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 8. The appendix leaves open the meaning of freedom; we count the
/// squares a knight or bishop can go to, and score each unmoved one with a changed count. For the first
/// and the last square alone see [`Interpretation::FirstFreedom`].
#[derive(Clone, Copy, Debug)]
pub struct Freedom;

impl Heuristic for Freedom {
    fn name(&self) -> &'static str {
        "freedom"
    }

    fn description(&self) -> &'static str {
        "freedom for bishop, knight"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let ours_before = before.board().by_color(before.us);
        let minor_pieces = context.board.knights() | context.board.bishops();
        let mut value = 0.0;
        // The squares of all others are as they were.
        for square in minor_pieces & context.unmoved() & context.touched() {
            let n_before = (before.attacks.attacks_from(square) & !ours_before).count();
            let n_after = (context.attacks.attacks_from(square) & !context.ours()).count();
            if before.reads(Interpretation::FirstFreedom) && n_before.min(n_after) > 0 {
                continue;
            }
            value += match n_after.cmp(&n_before) {
                Ordering::Greater => before.value_on(square),
                Ordering::Less => -before.value_on(square),
                Ordering::Equal => 0.0,
            };
        }
        value * before.p(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    #[test]
    fn a_bishop_is_freed_or_blocked() {
        // The pawn opens the diagonal of the bishop f1: 3 * 7.
        check(&Freedom, "4k3/8/8/8/8/8/4P3/4KB2 w - - 0 1", "e2e4", 21.0);
        // The knight closes it.
        let fen = "4k3/8/8/8/8/8/8/2N1KB2 w - - 0 1";
        check(&Freedom, fen, "c1e2", -21.0);
        // It has squares left on the other diagonal.
        let first = [Interpretation::FirstFreedom];
        check_read(&Freedom, &first, fen, "c1e2", 0.0);
        check_read(
            &Freedom,
            &first,
            "4k3/8/8/8/8/8/4P1P1/4KB2 w - - 0 1",
            "e2e4",
            21.0,
        );
    }

    #[test]
    fn freeing_one_and_blocking_another_cancel() {
        // The pawn d2 leaves the diagonal of c1 and enters that of f1, through e2 to d3.
        check(&Freedom, "4k3/8/8/8/8/8/3P4/2B1KB2 w - - 0 1", "d2d3", 0.0);
        // On d4 it is in nobody's way.
        check(&Freedom, "4k3/8/8/8/8/8/3P4/2B1KB2 w - - 0 1", "d2d4", 21.0);
    }
}
