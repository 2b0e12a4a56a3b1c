//! Heuristic 3: expose to attack or defense.

use kibitz_board::{Role, Square};

use super::{Interpretation, MoveContext};
use crate::Heuristic;

/// The move opens a line, so that some piece comes to be attacked or defended by another.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 3. The appendix leaves open all amounts but says that uncovered
/// checks rate highly and that exposing an own piece to a damaging attack rates very negative, and
/// that p3 should equal p5, so that the scale is that of heuristic 5. For each piece that an unmoved
/// slider comes to see we score, times p3:
///
/// - enemy piece attacked: its development value, a quarter if the attack is not damaging; the
///   largest parameter for the king;
/// - own piece defended while under attack: its development value if that ends a damaging attack, a
///   quarter if the attack was not damaging;
/// - own piece attacked: minus the largest parameter if the attack is damaging, else minus a quarter
///   of its development value;
/// - enemy piece defended while under attack: minus the score of an own piece in its place.
///
/// For other amounts see [`Interpretation::DamagingLines`] and [`Interpretation::UncoveredFactor`].
#[derive(Clone, Copy, Debug)]
pub struct UncoverLine;

impl Heuristic for UncoverLine {
    fn name(&self) -> &'static str {
        "uncover-line"
    }

    fn description(&self) -> &'static str {
        "expose to attack or defense"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let (ours, theirs) = (context.ours(), context.theirs());
        let sum = |squares: kibitz_board::Bitboard, value: &dyn Fn(Square) -> f64| -> f64 {
            squares.into_iter().map(value).sum()
        };
        let total = sum(context.uncovered_by_us & theirs, &|square| {
            attack(context, square)
        }) + sum(context.uncovered_by_us & ours, &|square| {
            own_defense(context, square)
        }) - sum(context.uncovered_by_them & ours, &|square| {
            exposure(context, square)
        }) - sum(context.uncovered_by_them & theirs, &|square| {
            enemy_defense(context, square)
        });
        total * before.p(3)
    }
}

/// An enemy piece comes to be attacked.
fn attack(context: &MoveContext<'_>, square: Square) -> f64 {
    if context.board.role_at(square) == Some(Role::King) {
        most(context)
    } else if context.damages(square) {
        context.before.development(square)
    } else {
        harmless(context, square)
    }
}

/// What rates highest: the largest parameter, or with [`Interpretation::UncoveredFactor`] the maximum factor.
fn most(context: &MoveContext<'_>) -> f64 {
    let before = context.before;
    if before.reads(Interpretation::UncoveredFactor) {
        before.maximum_factor / before.p(3)
    } else {
        before.largest
    }
}

/// Gain or cost of an attack that is not damaging.
fn harmless(context: &MoveContext<'_>, square: Square) -> f64 {
    if context.before.reads(Interpretation::DamagingLines) {
        0.0
    } else {
        context.before.development(square) / 4.0
    }
}

/// An own piece comes to be defended.
fn own_defense(context: &MoveContext<'_>, square: Square) -> f64 {
    let is_attacked = context.enemies_attacking(square).any();
    defense(
        context,
        square,
        is_attacked,
        context.was_damaged(square),
        context.is_damaged(square),
    )
}

/// An own piece comes to be attacked.
fn exposure(context: &MoveContext<'_>, square: Square) -> f64 {
    if context.is_damaged(square) {
        most(context)
    } else {
        harmless(context, square)
    }
}

/// An enemy piece comes to be defended.
fn enemy_defense(context: &MoveContext<'_>, square: Square) -> f64 {
    let before = context.before;
    if context.board.role_at(square) == Some(Role::King) {
        return 0.0;
    }
    let is_attacked = (context.attacks.attackers_to(square) & context.ours()).any();
    let was_damaged = before.damaged.get(before.them).contains(square);
    defense(
        context,
        square,
        is_attacked,
        was_damaged,
        context.damages(square),
    )
}

fn defense(
    context: &MoveContext<'_>,
    square: Square,
    is_attacked: bool,
    was_damaged: bool,
    is_damaged: bool,
) -> f64 {
    match (is_attacked, was_damaged, is_damaged) {
        (true, true, false) => context.before.development(square),
        (true, false, _) => harmless(context, square),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    #[test]
    fn uncovered_checks_rate_highly() {
        // The knight uncovers a check by the rook: 15 * 10.
        check(
            &UncoverLine,
            "4k3/8/8/8/4N3/8/8/K3R3 w - - 0 1",
            "e4c3",
            150.0,
        );
    }

    #[test]
    fn exposing_an_own_piece_costs_most() {
        // The rook e1 comes to attack the pawn e7, which the king defends: its development value is d6,
        // f6, e6 and twice e5, 5 / 4 * 10. The bishop b7 comes to attack the rook h1: - 15 * 10.
        check(
            &UncoverLine,
            "4k3/1b2p3/8/8/4N3/8/8/K3R2R w - - 0 1",
            "e4c3",
            12.5 - 150.0,
        );
        for (interpretation, score) in [
            (Interpretation::DamagingLines, -150.0),
            (Interpretation::UncoveredFactor, 12.5 - 225.0),
        ] {
            let fen = "4k3/1b2p3/8/8/4N3/8/8/K3R2R w - - 0 1";
            check_read(&UncoverLine, &[interpretation], fen, "e4c3", score);
        }
    }

    #[test]
    fn uncovered_defense_counts_for_either_side() {
        // The rook d1 comes to defend the knight d5 (8 squares) against the rook d8: 8 * 10.
        check(
            &UncoverLine,
            "3rk3/8/8/3N4/8/3B4/8/3RK3 w - - 0 1",
            "d3c2",
            80.0,
        );
        // The rook a8 comes to defend the pawn a3 (a2 and b2) against the rook a1: - 2 * 10.
        check(
            &UncoverLine,
            "r3k3/8/8/N7/8/p7/8/R3K3 w - - 0 1",
            "a5c6",
            -20.0,
        );
    }
}
