//! Heuristic 7: development.

use kibitz_board::{CastlingSide, Color, File, Position, Role, Square};

use super::{
    Interpretation, MoveContext, MovedPiece,
    context::{CENTER, development_value},
    pawns::{relative_rank, relative_square},
};
use crate::Heuristic;

/// The gain in development value of the piece moved, times p7.
///
/// The new value counts as 0 for a queen while a knight or bishop of her side stands unmoved, and for
/// a king or rook that has not moved while its side can still castle. Pawns gain 16 more on the four
/// central squares, and 16 less on queen 4 or queen 5 if only the queen defends them there. In the
/// endgame the king has a spatial value instead, which grows as he comes nearer to an enemy piece.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 7. The appendix leaves open which knights and bishops hold back
/// the queen; we take all four, by whether they stand on the squares where they began. It leaves open
/// how castling counts; we add the gains of king and rook. It leaves open the spatial value; we take 8
/// less the distance, in king moves, to the nearest enemy piece or pawn. For other interpretations of the last
/// two see [`Interpretation::QueenWaitsForAll`] and [`Interpretation::KingNearAll`].
#[derive(Clone, Copy, Debug)]
pub struct Development;

impl Heuristic for Development {
    fn name(&self) -> &'static str {
        "development"
    }

    fn description(&self) -> &'static str {
        "development"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let gain: f64 = context.moved().map(|moved| gain(context, moved)).sum();
        (gain + center_bonus(context)) * context.before.p(7)
    }
}

fn gain(context: &MoveContext<'_>, moved: MovedPiece) -> f64 {
    let before = context.before;
    if before.is_endgame && moved.role == Role::King {
        let gain = spatial_value(context, moved.to) - spatial_value(context, moved.from);
        return gain * before.parameters.development_scale;
    }
    let new = if is_premature(context, moved) {
        0.0
    } else {
        development_value(&context.board, moved.to, before.parameters)
    };
    new - before.development(moved.from)
}

/// Whether the new value counts as 0: the piece should have waited.
fn is_premature(context: &MoveContext<'_>, moved: MovedPiece) -> bool {
    let before = context.before;
    let castles = before.position.castles();
    match moved.role {
        _ if context.castled_rook.is_some() => false,
        Role::Queen => {
            let is_unmoved = |(file, role)| {
                let square = relative_square(file, 1, before.us);
                before.board().piece_at(square)
                    == Some(kibitz_board::Piece {
                        color: before.us,
                        role,
                    })
            };
            let mut pieces = [
                (File::B, Role::Knight),
                (File::C, Role::Bishop),
                (File::F, Role::Bishop),
                (File::G, Role::Knight),
            ]
            .into_iter();
            if before.reads(Interpretation::QueenWaitsForAll) {
                pieces.all(is_unmoved)
            } else {
                pieces.any(is_unmoved)
            }
        }
        Role::King => castles.has_color(before.us),
        Role::Rook => [CastlingSide::KingSide, CastlingSide::QueenSide]
            .into_iter()
            .any(|side| castles.rook(before.us, side) == Some(moved.from)),
        _ => false,
    }
}

fn spatial_value(context: &MoveContext<'_>, king: Square) -> f64 {
    let enemies = context.theirs() & !context.board.kings();
    let nearness = |enemy| 8.0 - f64::from(king.distance(enemy));
    let nearness = enemies.into_iter().map(nearness);
    if context.before.reads(Interpretation::KingNearAll) {
        nearness.sum()
    } else {
        nearness.fold(0.0, f64::max)
    }
}

/// The bonus of a pawn for going to the center, in units of p7.
fn center_bonus(context: &MoveContext<'_>) -> f64 {
    let MovedPiece { to, role, .. } = context.piece;
    if role != Role::Pawn {
        return 0.0;
    }
    let us: Color = context.before.us;
    let mut bonus = if CENTER.contains(to) { 16.0 } else { 0.0 };
    if to.file() == File::D && matches!(relative_rank(to, us), 4 | 5) {
        let defenders = context.attacks.attackers(&context.board, to, us);
        if defenders.any() && (defenders & !context.board.queens()).is_empty() {
            bonus -= 16.0;
        }
    }
    bonus
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn a_piece_gains_squares() {
        // Knight b1: a3, c3, d2; knight c3: eight squares, d5 and e4 twice. (10 - 3) * 7.
        check(
            &Development,
            "4k3/8/8/8/8/8/8/1N2K3 w - - 0 1",
            "b1c3",
            49.0,
        );
    }

    #[test]
    fn pawns_belong_to_the_center_but_not_before_the_queen() {
        // Pawn e2: d3, f3, e3 and twice e4; pawn e4: f5 and twice d5 and e5: no gain but 16 * 7.
        check(&Development, START, "e2e4", 112.0);
        // The same for the queen's pawn, but on d4 only the queen defends it.
        check(&Development, START, "d2d4", 0.0);
        // With a pawn on e3: 6 (the pawn on e3 counts) before, 5 after.
        let fen = "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR w KQkq - 0 1";
        check(&Development, fen, "d2d4", -7.0 + 112.0);
    }

    #[test]
    fn queen_rook_and_king_wait() {
        // Queen d1: bishop 4, pawns 2 and 2, king 11, and e2, f3, g4, h5; nothing counts on h5.
        let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1";
        check(&Development, fen, "d1h5", -23.0 * 7.0);
        // Rook h1: seven squares of the file, g1, f1, and the king 11.
        let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        check(&Development, fen, "h1h2", -20.0 * 7.0);
        // Castling: rook f1 has seven squares of the file, five of the rank, and the king 11. The king
        // of this endgame has no enemy to come near.
        check(&Development, fen, "e1g1", (23.0 - 20.0) * 7.0);
    }

    #[test]
    fn the_king_comes_nearer_in_the_endgame() {
        // From four king moves to three.
        check(&Development, "4k3/8/8/3p4/8/8/8/4K3 w - - 0 1", "e1e2", 7.0);
        check(&Development, "4k3/8/8/3p4/8/8/8/4K3 w - - 0 1", "e1f1", 0.0);
    }

    #[test]
    fn the_king_may_come_nearer_to_all() {
        // One step nearer to each of two pawns.
        let fen = "4k3/8/8/3p3p/8/8/8/4K3 w - - 0 1";
        check(&Development, fen, "e1e2", 7.0);
        check_read(
            &Development,
            &[Interpretation::KingNearAll],
            fen,
            "e1e2",
            14.0,
        );
    }

    #[test]
    fn the_queen_may_wait_for_one_piece_only() {
        // Queen d1: king 11, bishop c1 4, pawns 2 and 2, and e2, f3, g4, h5; queen f3: three pawns in
        // front, behind and beside, 6, the pawn e4 3, the knight c3 4, and e2, d1, d3, e3, f4, f5, f6,
        // g3, h3, g4, h5.
        let fen = "4k3/5ppp/8/8/4P3/2N5/PPPP1PPP/R1BQKBNR w KQ - 0 1";
        check(&Development, fen, "d1f3", -23.0 * 7.0);
        let interpretations = [Interpretation::QueenWaitsForAll];
        check_read(
            &Development,
            &interpretations,
            fen,
            "d1f3",
            (24.0 - 23.0) * 7.0,
        );
    }
}
