//! Heuristic 0: attack a passed pawn.

use kibitz_board::{AttackMap, Board, Square};

use super::{Interpretation, MoveContext, pawns::in_front, pawns::relative_rank};
use crate::Heuristic;

/// The move attacks a passed pawn, or the square in front of it: relative rank of the pawn times p0.
///
/// A direct attack counts only from the pawn's own file or when some piece stands right in front of
/// the pawn. The rank is counted from the pawn's own side.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 0. The appendix leaves open whose passed pawns are meant, and
/// whether an attack that was there before the move counts; we take the opponent's, since attack is
/// used of enemies throughout, and count every attack, since losing one is not scored either, and
/// the sentence lacks the "if it wasn't already" of heuristics 10, 11 and 16; but see
/// [`Interpretation::NewAttacks`] and [`Interpretation::LeavingPassedPawn`].
#[derive(Clone, Copy, Debug)]
pub struct AttackPassedPawn;

impl Heuristic for AttackPassedPawn {
    fn name(&self) -> &'static str {
        "attack-passed-pawn"
    }

    fn description(&self) -> &'static str {
        "attack a passed pawn"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let pawns = *before.passed_pawns.get(before.them) & context.theirs();
        let credit = |pawn: Square| {
            let Some(front) = in_front(pawn, before.them) else {
                return 0.0;
            };
            let attacks = |board: &Board, attacks: &AttackMap, square: Square| {
                let is_blocked = board.occupied().contains(front);
                let attacked = attacks.attacks_from(square);
                attacked.contains(front)
                    || (attacked.contains(pawn) && (is_blocked || square.file() == pawn.file()))
            };
            let was = context
                .moved()
                .any(|moved| attacks(before.board(), &before.attacks, moved.from));
            let is = context
                .moved()
                .any(|moved| attacks(&context.board, &context.attacks, moved.to));
            let rank = f64::from(relative_rank(pawn, before.them));
            if is && !(was && before.reads(Interpretation::NewAttacks)) {
                rank
            } else if was && !is && before.reads(Interpretation::LeavingPassedPawn) {
                -rank
            } else {
                0.0
            }
        };
        pawns.into_iter().map(credit).sum::<f64>() * before.p(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    #[test]
    fn attacks_on_the_square_ahead_count() {
        // The pawn d4 stands on Black's fifth rank: 5 * 10. From a3 the rook attacks d3.
        let fen = "4k3/8/8/8/3p4/8/8/R3K3 w - - 0 1";
        check(&AttackPassedPawn, fen, "a1a3", 50.0);
        check(&AttackPassedPawn, fen, "a1d1", 50.0);
        check(&AttackPassedPawn, fen, "a1a2", 0.0);
    }

    #[test]
    fn direct_attacks_count_from_the_file_or_on_a_blocked_pawn() {
        // From a4 the rook attacks the pawn from the side, and nothing blocks it ...
        check(
            &AttackPassedPawn,
            "4k3/8/8/8/3p4/8/8/R3K3 w - - 0 1",
            "a1a4",
            0.0,
        );
        // ... but here the king does.
        check(
            &AttackPassedPawn,
            "4k3/8/8/8/3p4/3K4/8/R7 w - - 0 1",
            "a1a4",
            50.0,
        );
    }

    #[test]
    fn only_passed_pawns_count() {
        // The pawn c2 can still take the pawn d4 on its way.
        check(
            &AttackPassedPawn,
            "4k3/8/8/8/3p4/8/2P5/R3K3 w - - 0 1",
            "a1a3",
            0.0,
        );
    }

    #[test]
    fn an_attack_that_was_there_may_count_or_not() {
        // The rook attacks d3 from a3, and from b3.
        let fen = "4k3/8/8/8/3p4/R7/8/4K3 w - - 0 1";
        check(&AttackPassedPawn, fen, "a3b3", 50.0);
        check_read(
            &AttackPassedPawn,
            &[Interpretation::NewAttacks],
            fen,
            "a3b3",
            0.0,
        );
    }

    #[test]
    fn leaving_costs_nothing_as_it_is_written() {
        let fen = "4k3/8/8/8/3p4/R7/8/4K3 w - - 0 1";
        let interpretations = [Interpretation::LeavingPassedPawn];
        check(&AttackPassedPawn, fen, "a3a2", 0.0);
        check_read(&AttackPassedPawn, &interpretations, fen, "a3a2", -50.0);
        check_read(&AttackPassedPawn, &interpretations, fen, "a3b3", 50.0);
    }
}
