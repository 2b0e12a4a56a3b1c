//! Heuristic 1: attack an attacking piece.

use kibitz_board::Bitboard;

use super::{Interpretation, MoveContext};
use crate::Heuristic;

/// The move attacks a piece that attacks an own piece: value of the attacking piece times p1.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 1. The appendix leaves open at which moment the enemy piece
/// attacks; we ask whether it attacked an own piece before the move. Kings are left out: a check is
/// heuristic 13's. For attacks left see [`Interpretation::LeavingAttacker`], for conditions on the piece moved
/// [`Interpretation::SafeAttacker`] and [`Interpretation::WorthwhileAttacker`].
#[derive(Clone, Copy, Debug)]
pub struct AttackAttacker;

impl Heuristic for AttackAttacker {
    fn name(&self) -> &'static str {
        "attack-attacker"
    }

    fn description(&self) -> &'static str {
        "attack an attacking piece"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let ours = before.board().by_color(before.us);
        let enemies = context.theirs() & !context.board.kings();
        let value = |targets: Bitboard| -> f64 {
            targets
                .into_iter()
                .filter(|&target| (before.attacks.attacks_from(target) & ours).any())
                .map(|target| before.value_on(target))
                .sum()
        };
        let mut targets = context.attacked() & enemies;
        if before.reads(Interpretation::SafeAttacker)
            && context.enemies_attacking(context.piece.to).any()
        {
            targets = Bitboard::EMPTY;
        }
        if before.reads(Interpretation::WorthwhileAttacker) {
            let own = before.value(context.piece.becomes);
            for target in targets {
                if before.value_on(target) <= own && context.enemies_attacking(target).any() {
                    targets.discard(target);
                }
            }
        }
        let mut score = value(targets);
        if before.reads(Interpretation::LeavingAttacker) {
            score -= value(context.attacked_before() & enemies & !context.attacked());
        }
        score * before.p(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    #[test]
    fn attackers_are_attacked() {
        // The rook d8 attacks the knight d4; from g5 the bishop attacks the rook: 5 * 10.
        let fen = "3rk3/8/8/8/3N4/8/8/2B1K3 w - - 0 1";
        check(&AttackAttacker, fen, "c1g5", 50.0);
        check(&AttackAttacker, fen, "c1h6", 0.0);
        // Here the rook attacks nothing.
        check(
            &AttackAttacker,
            "3rk3/8/8/8/8/8/8/2B1K3 w - - 0 1",
            "c1g5",
            0.0,
        );
    }

    #[test]
    fn an_attacker_may_have_to_be_safe_or_dear() {
        // The pawn h6 attacks the bishop on g5; the rook is dearer than the bishop, the bishop e7 is not.
        let fen = "3rk3/8/7p/8/3N4/8/8/2B1K3 w - - 0 1";
        let read = |interpretation, score| {
            check_read(&AttackAttacker, &[interpretation], fen, "c1g5", score);
        };
        read(Interpretation::SafeAttacker, 0.0);
        read(Interpretation::WorthwhileAttacker, 50.0);
        let fen = "3rk3/4b3/8/2N5/8/8/8/2B1K3 w - - 0 1";
        check(&AttackAttacker, fen, "c1g5", 30.0);
        check_read(
            &AttackAttacker,
            &[Interpretation::WorthwhileAttacker],
            fen,
            "c1g5",
            0.0,
        );
    }

    #[test]
    fn leaving_costs_nothing_as_it_is_written() {
        let fen = "3rk3/8/8/6B1/3N4/8/8/4K3 w - - 0 1";
        check(&AttackAttacker, fen, "g5h6", 0.0);
        let interpretations = [Interpretation::LeavingAttacker];
        check_read(&AttackAttacker, &interpretations, fen, "g5h6", -50.0);
        check_read(&AttackAttacker, &interpretations, fen, "g5f6", 50.0);
    }

    #[test]
    fn only_attacked_pieces_count() {
        // Rook d8 and knight f6 both attack the knight d5; from g5 the bishop sees f6 only: 3 * 10.
        check(
            &AttackAttacker,
            "3rk3/8/5n2/3N4/8/8/8/2B1K3 w - - 0 1",
            "c1g5",
            30.0,
        );
        // The knight moves off to b7, where it attacks the rook that attacked it: 5 * 10.
        check(
            &AttackAttacker,
            "3rk3/8/8/2N5/3P4/8/8/4K3 w - - 0 1",
            "c5b7",
            50.0,
        );
    }
}
