//! Pins and skewers: a line from a slider through one piece to a more valuable enemy piece.

use kibitz_board::{AttackMap, Bitboard, Board, Color, Square, attacks};

use super::{Parameters, static_exchange::CheaperRoles};

/// A pin or skewer: a slider, the one piece on its line, and the enemy piece behind it.
///
/// The report ignores the color of the piece between. It leaves open which pieces behind make a
/// pin; we require one more valuable than the slider, as the king always is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The slider.
    pub pinner: Square,
    /// The piece between, of either color.
    pub between: Square,
    /// The more valuable enemy piece behind, to which the pin holds.
    pub target: Square,
    /// All squares strictly between pinner and target.
    pub line: Bitboard,
}

/// All pins by the sliders of `color`.
pub(super) fn pins_by(
    board: &Board,
    attack_map: &AttackMap,
    color: Color,
    parameters: &Parameters,
) -> Vec<Pin> {
    let mut pins = Vec::new();
    for pinner in board.by_color(color) & board.sliders() {
        for target in pin_targets(board, attack_map, pinner, parameters) {
            let line = attacks::between(pinner, target);
            if let Some(between) = (line & board.occupied()).single_square() {
                pins.push(Pin {
                    pinner,
                    between,
                    target,
                    line,
                });
            }
        }
    }
    pins
}

/// Targets of the pins by the piece on `pinner`; empty if it is not a slider.
pub(super) fn pin_targets(
    board: &Board,
    attack_map: &AttackMap,
    pinner: Square,
    parameters: &Parameters,
) -> Bitboard {
    let Some(piece) = board
        .piece_at(pinner)
        .filter(|_| board.sliders().contains(pinner))
    else {
        return Bitboard::EMPTY;
    };
    let direct = attack_map.attacks_from(pinner);
    let through = attacks::attacks(pinner, piece, board.occupied() & !direct);
    let value = parameters.value(piece.role);
    let mut targets = through & !direct & board.by_color(!piece.color);
    for square in targets {
        if board
            .role_at(square)
            .is_none_or(|role| parameters.value(role) <= value)
        {
            targets.discard(square);
        }
    }
    targets
}

/// Enemy sliders with a pin on the piece on `target`.
pub(super) fn pinners_of(board: &Board, target: Square, cheaper: &CheaperRoles) -> Bitboard {
    let Some(piece) = board.piece_at(target) else {
        return Bitboard::EMPTY;
    };
    let cheaper =
        cheaper.pieces(board, piece.role) & board.sliders() & board.by_color(!piece.color);
    // Most pieces are worth less than any slider.
    if cheaper.is_empty() {
        return Bitboard::EMPTY;
    }
    let occupied = board.occupied();
    let straight = attacks::rook_attacks(target, occupied);
    let diagonal = attacks::bishop_attacks(target, occupied);
    let behind = |direct: Bitboard, through: Bitboard, sliders: Bitboard| {
        through & !direct & sliders & cheaper
    };
    behind(
        straight,
        attacks::rook_attacks(target, occupied & !straight),
        board.rooks_and_queens(),
    ) | behind(
        diagonal,
        attacks::bishop_attacks(target, occupied & !diagonal),
        board.bishops_and_queens(),
    )
}

#[cfg(test)]
mod tests {
    use kibitz_board::Position;

    use super::*;
    use crate::chute::tests::position;

    #[test]
    fn pins_are_found_from_both_ends() {
        // Bb5 pins the knight c6 to the king; Re1 looks through its own knight at the queen e7; the
        // rook a1 sees only a rook behind the pawn, which is worth no more than itself.
        let position = position("r3k3/p3q3/2n5/1B6/4N3/8/8/R3RK2 w - - 0 1");
        let board = position.board();
        let map = AttackMap::new(board);
        let parameters = Parameters::PUBLISHED;
        let cheaper = CheaperRoles::new(&parameters);
        let pins = pins_by(board, &map, Color::White, &parameters);
        let ends: Vec<_> = pins
            .iter()
            .map(|pin| (pin.pinner, pin.between, pin.target))
            .collect();
        assert_eq!(
            ends,
            [
                (Square::E1, Square::E4, Square::E7),
                (Square::B5, Square::C6, Square::E8)
            ]
        );
        assert_eq!(pins[1].line, Bitboard::from_iter([Square::C6, Square::D7]));
        assert_eq!(pinners_of(board, Square::E8, &cheaper), Square::B5.into());
        assert_eq!(pinners_of(board, Square::E7, &cheaper), Square::E1.into());
        assert_eq!(pinners_of(board, Square::A8, &cheaper), Bitboard::EMPTY);
    }
}
