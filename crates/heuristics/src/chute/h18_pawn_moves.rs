//! Heuristic 18: pawn considerations.

use kibitz_board::{
    AttackMap, Bitboard, Board, CastlingSide, File, Position, Role, Square, attacks,
};

use super::{
    Context, Interpretation, MoveContext, MovedPiece,
    context::shelter_files,
    pawns::{in_front, pawns_on, relative_rank},
};
use crate::Heuristic;

/// Pawn moves, in units of p18:
///
/// - minus 16, or minus 8 for a bishop's pawn, for moving a pawn that shelters the king, except in the
///   endgame;
/// - plus 8 for blocking an enemy pawn that has moved;
/// - minus 8 for doubling pawns by a capture, plus 8 for undoubling them;
/// - plus 4 for each of three formations that the pawn makes and was not in before.
///
/// A pawn shelters the king if he has castled and it stands before him or is the knight's or rook's
/// pawn of that side below the fourth rank, or if he can still castle and it is one of the three pawns
/// of that side, unmoved.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 18; the scan says parameter 8 for the larger penalty, which must
/// be 18. The appendix leaves open when a king has castled; we say when he stands on his first rank on
/// one of the files a, b, c, g, h and can no longer castle. The row below which knight's and rook's
/// pawns should stay is lost in the scan; we take the fourth. The appendix leaves open the amounts for
/// doubling, which formations count and how much; we take 8 as for blocking, and count a pawn that
/// defends or is defended by another pawn, a pawn beside another, and a pawn that defends a bishop, at
/// half that. For other interpretations see [`Interpretation::LowShelter`], [`Interpretation::CastlingPosition`],
/// [`Interpretation::BreakingFormations`], [`Interpretation::RookPawns`] and [`Interpretation::CastledShelter`].
#[derive(Clone, Copy, Debug)]
pub struct PawnMoves;

impl Heuristic for PawnMoves {
    fn name(&self) -> &'static str {
        "pawn-moves"
    }

    fn description(&self) -> &'static str {
        "pawn considerations"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let MovedPiece { from, to, role, .. } = context.piece;
        if role != Role::Pawn {
            return 0.0;
        }
        let mut units = 0.0;
        if !before.is_endgame && shelters_king(before, from) {
            let lesser = if before.reads(Interpretation::RookPawns) {
                [File::A, File::H]
            } else {
                [File::C, File::F]
            };
            units -= if lesser.contains(&from.file()) {
                8.0
            } else {
                16.0
            };
        }
        if blocks_advanced_pawn(context) {
            units += 8.0;
        }
        if context.captured.is_some() {
            if pawns_on(before.board(), to.file(), before.us).any() {
                units -= 8.0;
            }
            if pawns_on(&context.board, from.file(), before.us).any() {
                units += 8.0;
            }
        }
        let old = formations(before, before.board(), &before.attacks, from);
        let new = formations(before, &context.board, &context.attacks, to);
        let pairs = || old.into_iter().zip(new);
        units += 4.0 * pairs().filter(|&(old, new)| new && !old).count() as f64;
        if before.reads(Interpretation::BreakingFormations) {
            units -= 4.0 * pairs().filter(|&(old, new)| old && !new).count() as f64;
        }
        units * before.p(18)
    }
}

fn shelters_king(before: &Context<'_>, pawn: Square) -> bool {
    let Some(king) = before.board().king_of(before.us) else {
        return false;
    };
    let castles = before.position.castles();
    let rank = relative_rank(pawn, before.us);
    if castles.has_color(before.us) {
        if before.reads(Interpretation::CastledShelter) {
            return false;
        }
        let queen_side = if before.reads(Interpretation::CastlingPosition) {
            [File::B, File::C, File::D]
        } else {
            [File::A, File::B, File::C]
        };
        let sides = [
            (CastlingSide::KingSide, [File::F, File::G, File::H]),
            (CastlingSide::QueenSide, queen_side),
        ];
        return rank == 2
            && sides
                .into_iter()
                .any(|(side, files)| castles.has(before.us, side) && files.contains(&pawn.file()));
    }
    let Some(files) = shelter_files(king.file()).filter(|_| relative_rank(king, before.us) == 1)
    else {
        return false;
    };
    let is_before_king = rank == 2 && pawn.file().distance(king.file()) <= 1;
    let is_outer = !matches!(pawn.file(), File::C | File::F);
    let n_free = if before.reads(Interpretation::LowShelter) {
        3
    } else {
        4
    };
    is_before_king || (rank < n_free && is_outer && files.contains(&pawn.file()))
}

/// Whether the pawn stands right in front of an enemy pawn that has left its second rank.
fn blocks_advanced_pawn(context: &MoveContext<'_>) -> bool {
    let them = context.before.them;
    let Some(front) = in_front(context.piece.to, context.before.us) else {
        return false;
    };
    (context.board.pawns() & context.theirs()).contains(front) && relative_rank(front, them) > 2
}

/// Which of the three formations the pawn on `square` is part of: a chain, a row, and the defense
/// of a bishop.
fn formations(
    before: &Context<'_>,
    board: &Board,
    attack_map: &AttackMap,
    square: Square,
) -> [bool; 3] {
    let ours = board.by_color(before.us);
    if !board.pawns().contains(square) {
        return [false; 3];
    }
    let pawns = board.pawns() & ours;
    let linked = attack_map.attacks_from(square) | attack_map.attackers_to(square);
    let beside = attacks::king_attacks(square) & Bitboard::from_rank(square.rank());
    [
        (linked & pawns).any(),
        (beside & pawns).any(),
        (attack_map.attacks_from(square) & board.bishops() & ours).any(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    const CASTLED: &str = "rnbq1rk1/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1RK1 w - - 0 1";
    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn the_shelter_of_a_castled_king_stays() {
        // A pawn going one step is defended by its neighbors, a formation worth 4 * 7.
        check(&PawnMoves, CASTLED, "g2g3", -112.0 + 28.0);
        check(&PawnMoves, CASTLED, "f2f3", -56.0 + 28.0);
        check(&PawnMoves, CASTLED, "a2a3", 28.0);
        check(&PawnMoves, CASTLED, "e2e4", 0.0);
        // The rook's pawn is held back on its third rank, too.
        let fen = "rnbq1rk1/pppppppp/8/8/8/7P/PPPPPPP1/RNBQ1RK1 w - - 0 1";
        check(&PawnMoves, fen, "h3h4", -112.0);
    }

    #[test]
    fn so_does_the_shelter_of_a_king_who_can_castle() {
        check(&PawnMoves, START, "a2a4", -112.0);
        check(&PawnMoves, START, "c2c4", -56.0);
        check(&PawnMoves, START, "e2e4", 0.0);
        // The king can only castle on the king's side.
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w Kkq - 0 1";
        check(&PawnMoves, fen, "a2a4", 0.0);
        // In the endgame every pawn may go.
        check(&PawnMoves, "4k3/8/8/8/8/8/P7/R3K3 w Q - 0 1", "a2a4", 0.0);
        let castled = [Interpretation::CastledShelter];
        check_read(&PawnMoves, &castled, START, "a2a4", 0.0);
        check_read(&PawnMoves, &castled, CASTLED, "f2f3", -56.0 + 28.0);
    }

    #[test]
    fn the_lesser_penalty_may_be_that_of_rook_pawns() {
        let interpretations = [Interpretation::RookPawns];
        check_read(&PawnMoves, &interpretations, START, "a2a4", -56.0);
        check_read(&PawnMoves, &interpretations, START, "c2c4", -112.0);
        check_read(&PawnMoves, &interpretations, CASTLED, "f2f3", -112.0 + 28.0);
    }

    #[test]
    fn the_shelter_may_be_read_otherwise() {
        let fen = "rnbq1rk1/pppppppp/8/8/8/7P/PPPPPPP1/RNBQ1RK1 w - - 0 1";
        check_read(&PawnMoves, &[Interpretation::LowShelter], fen, "h3h4", 0.0);
        check_read(
            &PawnMoves,
            &[Interpretation::LowShelter],
            CASTLED,
            "h2h4",
            -112.0,
        );
        let interpretations = [Interpretation::CastlingPosition];
        check_read(&PawnMoves, &interpretations, START, "a2a4", 0.0);
        check_read(&PawnMoves, &interpretations, START, "d2d4", -112.0);
        check_read(&PawnMoves, &interpretations, START, "h2h4", -112.0);
    }

    #[test]
    fn moved_pawns_are_blocked() {
        check(
            &PawnMoves,
            "4k3/8/8/3p4/8/3P4/8/4K3 w - - 0 1",
            "d3d4",
            56.0,
        );
        check(&PawnMoves, "4k3/3p4/8/3P4/8/8/8/4K3 w - - 0 1", "d5d6", 0.0);
    }

    #[test]
    fn captures_double_and_undouble() {
        check(
            &PawnMoves,
            "4k3/8/8/3p4/2P5/3P4/8/4K3 w - - 0 1",
            "c4d5",
            -56.0,
        );
        check(
            &PawnMoves,
            "4k3/8/8/3p4/2P5/2P5/8/4K3 w - - 0 1",
            "c4d5",
            56.0,
        );
    }

    #[test]
    fn formations_count_when_made() {
        // Beside the pawn e4, and in defense of the bishop c5 as well.
        check(
            &PawnMoves,
            "4k3/8/8/8/4P3/8/3P4/4K3 w - - 0 1",
            "d2d4",
            28.0,
        );
        check(
            &PawnMoves,
            "4k3/8/8/2B5/4P3/8/3P4/4K3 w - - 0 1",
            "d2d4",
            56.0,
        );
        // Breaking them costs nothing.
        check(
            &PawnMoves,
            "4k3/8/8/2B5/3PP3/8/8/4K3 w - - 0 1",
            "d4d5",
            28.0,
        );
        check(
            &PawnMoves,
            "4k3/8/8/2B5/3P4/4P3/8/4K3 w - - 0 1",
            "d4d5",
            0.0,
        );
        check_read(
            &PawnMoves,
            &[Interpretation::BreakingFormations],
            "4k3/8/8/2B5/3P4/4P3/8/4K3 w - - 0 1",
            "d4d5",
            -56.0,
        );
    }
}
