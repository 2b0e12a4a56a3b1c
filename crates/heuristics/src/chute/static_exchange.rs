//! Static exchange evaluation (SEE): the material won by capturing on a square.

use kibitz_board::{AttackMap, Bitboard, Board, Color, Role, Square, attacks};

use super::{Context, Parameters};

/// Pieces from the least to the most valuable, the order in which they capture.
const CAPTURE_ORDER: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

/// For each role, masks of the roles of lower value, without the king.
#[derive(Clone, Debug)]
pub(super) struct CheaperRoles([[Bitboard; 5]; 6]);

impl CheaperRoles {
    pub(super) fn new(parameters: &Parameters) -> CheaperRoles {
        CheaperRoles(CAPTURE_ORDER.map(|role| {
            std::array::from_fn(|n| {
                let is_cheaper = parameters.value(CAPTURE_ORDER[n]) < parameters.value(role);
                if is_cheaper {
                    Bitboard::FULL
                } else {
                    Bitboard::EMPTY
                }
            })
        }))
    }

    /// Pieces of either color, without kings, that are worth less than a `role`.
    #[inline]
    pub(super) fn pieces(&self, board: &Board, role: Role) -> Bitboard {
        let [pawn, knight, bishop, rook, queen] = self.0[usize::from(role) - 1];
        (board.pawns() & pawn)
            | (board.knights() & knight)
            | (board.bishops() & bishop)
            | (board.rooks() & rook)
            | (board.queens() & queen)
    }
}

impl Context<'_> {
    /// Whether the attack on the piece on `square` is *damaging*: its static exchange wins material.
    ///
    /// The appendix uses the word throughout and leaves open its exact meaning; we take static exchange
    /// evaluation on the attacker's turn: both sides capture with the least valuable piece first, and stop
    /// when that is best. Pins are ignored, and a king captures only undefended pieces. An attacked king
    /// is always under damaging attack.
    pub(super) fn is_damaging(&self, board: &Board, attacks: &AttackMap, square: Square) -> bool {
        let Some(piece) = board.piece_at(square) else {
            return false;
        };
        let attackers = attacks.attackers(board, square, !piece.color);
        if attackers.is_empty() {
            return false;
        }
        let defended = attacks.attackers(board, square, piece.color).any();
        if piece.role == Role::King || !defended {
            return true;
        }
        // Capturing with a less valuable piece always wins.
        (attackers & self.cheaper.pieces(board, piece.role)).any()
            || static_exchange(board, attacks, square, !piece.color, |role| {
                self.parameters.value(role)
            }) > 0.0
    }
}

/// Static exchange evaluation: the gain of `attacker` by captures on `square` against best play, at
/// least 0.
///
/// `value` is that of the pieces. The same assumptions as for [`Context::is_damaging`].
pub(crate) fn static_exchange(
    board: &Board,
    attacks: &AttackMap,
    square: Square,
    attacker: Color,
    value: impl Fn(Role) -> f64,
) -> f64 {
    let Some(target) = board.role_at(square) else {
        return 0.0;
    };
    // balance[n]: gain of the side that makes capture n if the exchange stops there.
    let mut balance = [0.0; 32];
    let mut n_captures = 0;
    let mut at_stake = value(target);
    let mut side = attacker;
    let mut occupied = board.occupied();
    let mut capturers = attacks.attackers_to(square);
    while let Some((from, role)) = least_valuable(board, capturers & board.by_color(side), side) {
        if role == Role::King && (capturers & board.by_color(!side)).any() {
            break;
        }
        balance[n_captures] = at_stake
            - if n_captures == 0 {
                0.0
            } else {
                balance[n_captures - 1]
            };
        n_captures += 1;
        at_stake = value(role);
        occupied.discard(from);
        capturers |= revealed(board, square, role, occupied);
        capturers &= occupied;
        side = !side;
    }
    // Backward induction: each side stops if continuing would lose.
    for n in (1..n_captures).rev() {
        balance[n - 1] = -(-balance[n - 1]).max(balance[n]);
    }
    balance[0].max(0.0)
}

/// The least valuable of the `pieces` of `side`; of equals the one nearer to its own first rank, so
/// that colors are symmetric.
fn least_valuable(board: &Board, pieces: Bitboard, side: Color) -> Option<(Square, Role)> {
    CAPTURE_ORDER.into_iter().find_map(|role| {
        let alike = pieces & board.by_role(role);
        let nearest = match side {
            Color::White => alike.first(),
            Color::Black => alike.flip_vertical().first().map(Square::flip_vertical),
        };
        nearest.map(|square| (square, role))
    })
}

/// Sliders that attack `square` after a capturing piece has left their line (X-rays).
fn revealed(board: &Board, square: Square, left: Role, occupied: Bitboard) -> Bitboard {
    let diagonal = match left {
        Role::Pawn | Role::Bishop | Role::Queen => {
            attacks::bishop_attacks(square, occupied) & board.bishops_and_queens()
        }
        _ => Bitboard::EMPTY,
    };
    let straight = match left {
        Role::Rook | Role::Queen => {
            attacks::rook_attacks(square, occupied) & board.rooks_and_queens()
        }
        _ => Bitboard::EMPTY,
    };
    diagonal | straight
}

#[cfg(test)]
mod tests {
    use kibitz_board::Position;

    use super::*;
    use crate::chute::tests::position;

    fn check(fen: &str, square: Square, expected: f64) {
        let position = position(fen);
        let board = position.board();
        let map = AttackMap::new(board);
        let attacker = !board.color_at(square).unwrap();
        let gain = static_exchange(board, &map, square, attacker, |role| {
            Parameters::PUBLISHED.value(role)
        });
        assert!((gain - expected).abs() < f64::EPSILON, "{fen}: {gain}");
        let damaging = Context::new(&position).is_damaging(board, &map, square);
        assert_eq!(damaging, expected > 0.0, "{fen}");
    }

    #[test]
    fn exchanges_count_material_won() {
        // Rook takes an undefended pawn.
        check("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", Square::D5, 1.0);
        // The pawn is defended by a pawn: rook for pawn is a loss, so it is not begun.
        check("4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1", Square::D5, 0.0);
        // Knight attacked by a pawn and defended by a pawn: 3 - 1.
        check("4k3/8/4p3/3n4/4P3/8/8/4K3 w - - 0 1", Square::D5, 2.0);
        // Two rooks on one file against a pawn defended by a rook: 1 - 5 + 5, so a pawn is won.
        check("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", Square::D5, 1.0);
        // The queen stands before the rook: 1 - 9 + 5 is a loss.
        check("3rk3/8/8/3p4/8/8/3Q4/3RK3 w - - 0 1", Square::D5, 0.0);
        // A king does not capture a defended piece.
        check("8/8/4k3/3p4/3K4/8/8/8 w - - 0 1", Square::D5, 0.0);
        check("8/8/8/3pK3/8/8/8/k7 w - - 0 1", Square::D5, 1.0);
    }

    #[test]
    fn a_battery_of_bishop_and_pawn_is_seen() {
        // exd5 exd5, then Bxd5 from g2 through e4: 1 - 1 + 1.
        check("4k3/8/4p3/3p4/4P3/8/6B1/4K3 w - - 0 1", Square::D5, 1.0);
    }
}
