//! Heuristic 16: attack squares around king.

use kibitz_board::{Role, attacks};

use super::{Interpretation, MoveContext};
use crate::Heuristic;

/// The move attacks a square next to the enemy king, and the piece attacked none before: half the
/// king's value times p16, twice that if another own piece attacks such a square, too.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 16. The appendix leaves open how much more a second attacker is
/// worth; we double the score. For leaving the squares see [`Interpretation::LeavingKing`], for attacks of other
/// pieces [`Interpretation::ZoneBySide`], for the king's value [`Interpretation::TwentyForKing`].
#[derive(Clone, Copy, Debug)]
pub struct AttackKingSquares;

impl Heuristic for AttackKingSquares {
    fn name(&self) -> &'static str {
        "attack-king-squares"
    }

    fn description(&self) -> &'static str {
        "attack squares around king"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let Some(king) = context.board.king_of(before.them) else {
            return 0.0;
        };
        let zone = attacks::king_attacks(king);
        let attacks = context.attacked().intersects(zone);
        let is_attacked_before = if before.reads(Interpretation::ZoneBySide) {
            let ours = before.board().by_color(before.us);
            zone.into_iter()
                .any(|square| (before.attacks.attackers_to(square) & ours).any())
        } else {
            context.attacked_before().intersects(zone)
        };
        if attacks == is_attacked_before || !(attacks || before.reads(Interpretation::LeavingKing))
        {
            return 0.0;
        }
        let king = if before.reads(Interpretation::TwentyForKing) {
            20.0
        } else {
            before.value(Role::King)
        };
        let score = king / 2.0 * before.p(16);
        let others = context.unmoved();
        let has_second = zone
            .into_iter()
            .any(|square| (context.attacks.attackers_to(square) & others).any());
        let score = if has_second { 2.0 * score } else { score };
        if attacks { score } else { -score }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    #[test]
    fn the_squares_around_the_king_are_attacked() {
        // 10 / 2 * 7.
        let fen = "6k1/8/8/8/8/8/8/R3K3 w - - 0 1";
        check(&AttackKingSquares, fen, "a1a7", 35.0);
        check(&AttackKingSquares, fen, "a1a6", 0.0);
        // The piece attacked them before.
        check(
            &AttackKingSquares,
            "6k1/R7/8/8/8/8/8/4K3 w - - 0 1",
            "a7b7",
            0.0,
        );
    }

    #[test]
    fn a_second_attacker_doubles_the_score() {
        check(
            &AttackKingSquares,
            "6k1/8/8/8/8/8/8/R3KR2 w - - 0 1",
            "a1a7",
            70.0,
        );
    }

    #[test]
    fn a_side_may_attack_the_squares_already() {
        let fen = "6k1/8/8/8/8/8/8/R3KR2 w - - 0 1";
        check_read(
            &AttackKingSquares,
            &[Interpretation::ZoneBySide],
            fen,
            "a1a7",
            0.0,
        );
        check_read(
            &AttackKingSquares,
            &[Interpretation::TwentyForKing],
            fen,
            "a1a7",
            140.0,
        );
    }

    #[test]
    fn leaving_costs_nothing_as_it_is_written() {
        let fen = "6k1/R7/8/8/8/8/8/4K3 w - - 0 1";
        check(&AttackKingSquares, fen, "a7a6", 0.0);
        check_read(
            &AttackKingSquares,
            &[Interpretation::LeavingKing],
            fen,
            "a7a6",
            -35.0,
        );
    }
}
