//! Heuristic 10: rook on open file.

use kibitz_board::Role;

use super::{Interpretation, MoveContext, pawns::is_open};
use crate::Heuristic;

/// The move puts a rook on an open file, and it was not on one before: 4 times p10.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 10. Castling may do so too. For leaving one see
/// [`Interpretation::LeavingOpenFile`].
#[derive(Clone, Copy, Debug)]
pub struct OpenFile;

impl Heuristic for OpenFile {
    fn name(&self) -> &'static str {
        "open-file"
    }

    fn description(&self) -> &'static str {
        "rook on open file"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let Some(rook) = context.moved().find(|moved| moved.role == Role::Rook) else {
            return 0.0;
        };
        let was_open = is_open(before.board(), rook.from.file());
        let is_open = is_open(&context.board, rook.to.file());
        if is_open && !was_open {
            4.0 * before.p(10)
        } else if was_open && !is_open && before.reads(Interpretation::LeavingOpenFile) {
            -4.0 * before.p(10)
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
    fn a_rook_takes_an_open_file() {
        let fen = "4k3/2p5/8/8/8/8/P7/R3K3 w - - 0 1";
        check(&OpenFile, fen, "a1d1", 40.0);
        // A pawn of either color closes a file.
        check(&OpenFile, fen, "a1c1", 0.0);
        // From one open file to another.
        check(&OpenFile, "4k3/2p5/8/8/8/8/P7/3RK3 w - - 0 1", "d1b1", 0.0);
    }

    #[test]
    fn leaving_costs_nothing_as_it_is_written() {
        let fen = "4k3/2p5/8/8/8/8/P7/3RK3 w - - 0 1";
        check(&OpenFile, fen, "d1c1", 0.0);
        check_read(
            &OpenFile,
            &[Interpretation::LeavingOpenFile],
            fen,
            "d1c1",
            -40.0,
        );
    }

    #[test]
    fn castling_may_take_one() {
        check(&OpenFile, "4k3/8/8/8/8/8/P6P/4K2R w K - 0 1", "e1g1", 40.0);
    }

    #[test]
    fn the_listed_parameter_is_fifteen() {
        let fen = "4k3/2p5/8/8/8/8/P7/R3K3 w - - 0 1";
        check_read(&OpenFile, &[Interpretation::ListedRooks], fen, "a1d1", 60.0);
    }
}
