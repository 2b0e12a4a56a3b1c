//! Material after a search: the balance that the best replies and captures lead to.

use std::cmp::Reverse;

use kibitz_board::{Chess, Color, Move, MoveList, Position as _};

use super::{PieceValues, material_balance};

/// The value of a mate, in pawns: a queen, so that one mate overlooked does not decide on a weight.
const MATE: i16 = 9;

/// The most plies after the position; nearly all captures end before.
const PLIES: u32 = 9;

/// What `player` will have won, in pawns, when both sides play for material: the side to move has any
/// move, and both go on with captures, promotions and moves out of check, or stop.
pub(super) fn ahead(position: &Chess, player: Color) -> i16 {
    let now = material_balance(position.board(), position.turn());
    let won = best(position, now, [-i16::MAX, i16::MAX], PLIES, true) - now;
    if position.turn() == player { won } else { -won }
}

/// Material of the side to move, which is `now`, after best play, by alpha-beta search.
fn best(position: &Chess, now: i16, [mut low, high]: [i16; 2], plies: u32, first: bool) -> i16 {
    if plies == 0 {
        return now;
    }
    let check = position.is_check();
    let mut moves = if check || first {
        position.legal_moves()
    } else {
        let mut moves = position.capture_moves();
        moves.extend(
            position
                .promotion_moves()
                .into_iter()
                .filter(|one| !one.is_capture()),
        );
        moves
    };
    let mut found = match (moves.is_empty(), check) {
        (true, true) => return now - MATE,
        (true, false) => return now,
        (false, true) => -i16::MAX,
        (false, false) => now,
    };
    low = low.max(found);
    by_gain(&mut moves);
    for &played in &moves {
        if low >= high {
            break;
        }
        let mut after = position.clone();
        after.play_unchecked(played);
        let then = -(now + PieceValues::gain(played));
        let value = -best(&after, then, [-high, -low], plies - 1, false);
        found = found.max(value);
        low = low.max(value);
    }
    found
}

/// The greatest gains first.
fn by_gain(moves: &mut MoveList) {
    moves.sort_by_key(|&one: &Move| Reverse(PieceValues::gain(one)));
}

#[cfg(test)]
mod tests {
    use kibitz_board::{CastlingMode, fen::Fen};

    use super::*;

    fn of(fen: &str) -> i16 {
        let position: Fen = fen.parse().unwrap();
        ahead(
            &position.into_position(CastlingMode::Standard).unwrap(),
            Color::White,
        )
    }

    #[test]
    fn what_is_won_is_seen_from_the_player() {
        // A knight forks king and queen; a rook takes the queen, or she goes; a pawn is defended.
        assert_eq!(of("3k4/q7/8/8/3N4/8/8/7K w - - 0 1"), 9);
        assert_eq!(of("4k3/8/8/3q4/8/8/3R4/4K3 w - - 0 1"), 9);
        assert_eq!(of("4k3/8/8/3q4/8/8/3R4/4K3 b - - 0 1"), 0);
        assert_eq!(of("4k3/8/2p5/3p4/8/8/8/3RK3 w - - 0 1"), 0);
    }

    #[test]
    fn mate_is_worth_a_queen() {
        assert_eq!(of("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"), 9);
        assert_eq!(of("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1"), 9);
        assert_eq!(of("7k/5Q2/8/8/8/8/8/4K3 b - - 0 1"), 0);
    }
}
