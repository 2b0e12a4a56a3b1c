//! Attack maps: attackers and defenders of every square.

use shakmaty::{Bitboard, Board, Color, Piece, Role, Square, attacks};

/// An attack map: for every square, the squares attacked by its piece and the pieces of either color
/// that attack it.
///
/// A piece attacks the squares on which it could capture, whether empty, held by the enemy, or held by
/// its own side (it *defends* those). Pins are ignored, and a pawn attacks its two diagonal squares,
/// not the squares ahead.
///
/// Cost: one pass over the pieces, without allocation; [`AttackMap::update`] recomputes only the
/// pieces that a move affects.
///
/// # Examples
/// ```
/// # use kibitz_board::{AttackMap, Bitboard, Board, Color, Square};
/// let board = Board::new();
/// let map = AttackMap::new(&board);
/// assert_eq!(
///     map.attacks_from(Square::B1),
///     Bitboard::from_iter([Square::A3, Square::C3, Square::D2])
/// );
/// assert_eq!(map.attackers(&board, Square::F3, Color::White).count(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttackMap {
    from: [Bitboard; 64],
    to: [Bitboard; 64],
}

impl AttackMap {
    /// The attack map of a board.
    pub fn new(board: &Board) -> AttackMap {
        let mut map = AttackMap {
            from: [Bitboard::EMPTY; 64],
            to: [Bitboard::EMPTY; 64],
        };
        for square in board.occupied() {
            map.set(square, board.attacks_from(square));
        }
        map
    }

    /// Incremental update to the attack map of `board`, which differs from the board of `self` only on the
    /// squares `changed`, as after a move. Returns what it changed.
    ///
    /// Equals [`AttackMap::new`] of that board, at a fraction of the cost.
    pub fn update(&mut self, board: &Board, changed: Bitboard) -> AttackUpdate {
        // Only pieces on changed squares and sliders that attack one of them can change.
        let mut sliders = Bitboard::EMPTY;
        for square in changed {
            sliders |= self.to[square.to_usize()];
        }
        sliders &= board.sliders() & !changed;
        let mut update = AttackUpdate {
            pieces: sliders | changed,
            targets: Bitboard::EMPTY,
        };
        for square in changed {
            update.targets |= self.set(square, board.attacks_from(square));
        }
        let (straight, diagonal) = (board.rooks_and_queens(), board.bishops_and_queens());
        for square in sliders {
            let mut attacked = Bitboard::EMPTY;
            if straight.contains(square) {
                attacked |= attacks::rook_attacks(square, board.occupied());
            }
            if diagonal.contains(square) {
                attacked |= attacks::bishop_attacks(square, board.occupied());
            }
            update.targets |= self.set(square, attacked);
        }
        update
    }

    /// Squares attacked or defended by the piece on `square`; none if the square is empty.
    #[inline]
    pub fn attacks_from(&self, square: Square) -> Bitboard {
        self.from[square.to_usize()]
    }

    /// Pieces of both colors that attack or defend `square`.
    #[inline]
    pub fn attackers_to(&self, square: Square) -> Bitboard {
        self.to[square.to_usize()]
    }

    /// Pieces of `color` that attack `square`, or defend the piece on it; `board` is the board of
    /// this map.
    #[inline]
    pub fn attackers(&self, board: &Board, square: Square, color: Color) -> Bitboard {
        self.attackers_to(square) & board.by_color(color)
    }

    /// Gives a square its attacks, and returns those that are new or gone.
    #[inline]
    fn set(&mut self, square: Square, attacked: Bitboard) -> Bitboard {
        let differing = self.from[square.to_usize()] ^ attacked;
        self.from[square.to_usize()] = attacked;
        for target in differing {
            self.to[target.to_usize()].toggle(square);
        }
        differing
    }
}

/// What [`AttackMap::update`] changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttackUpdate {
    /// Squares whose pieces may attack others than before.
    pub pieces: Bitboard,
    /// Squares attacked by others than before.
    pub targets: Bitboard,
}

/// Squares that the piece on `square` can move to, attack or defend.
///
/// These are the attacked squares and, for a pawn, the free squares it can advance to. Castling, pins
/// and checks are ignored. None if the square is empty.
///
/// # Examples
/// ```
/// # use kibitz_board::{Bitboard, Board, Square, reach};
/// let squares = [Square::D3, Square::F3, Square::E3, Square::E4];
/// assert_eq!(reach(&Board::new(), Square::E2), Bitboard::from_iter(squares));
/// ```
pub fn reach(board: &Board, square: Square) -> Bitboard {
    match board.piece_at(square) {
        Some(Piece {
            role: Role::Pawn,
            color,
        }) => attacks::pawn_attacks(color, square) | pawn_advances(board, square, color),
        _ => board.attacks_from(square),
    }
}

/// Free squares that a pawn of `color` on `square` can advance to: none, one, or two.
pub fn pawn_advances(board: &Board, square: Square, color: Color) -> Bitboard {
    let forward = color.fold_wb(8, -8);
    let free = |from: Square| {
        from.offset(forward)
            .filter(|&to| !board.occupied().contains(to))
    };
    let Some(single) = free(square) else {
        return Bitboard::EMPTY;
    };
    let double = if square.rank() == color.fold_wb(shakmaty::Rank::Second, shakmaty::Rank::Seventh)
    {
        free(single)
    } else {
        None
    };
    Bitboard::from_square(single).with(double.map_or(Bitboard::EMPTY, Bitboard::from_square))
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};
    use shakmaty::{Chess, Position};

    use super::*;

    proptest! {
        #[test]
        fn the_map_agrees_with_the_rules_and_with_its_update(choices in vec(any::<u16>(), 1..150)) {
            let mut position = Chess::default();
            for choice in choices {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let before = AttackMap::new(position.board());
                let old = position.board().clone();
                position.play_unchecked(moves[usize::from(choice) % moves.len()]);
                let board = position.board();
                let map = AttackMap::new(board);
                for square in Square::ALL {
                    prop_assert_eq!(map.attacks_from(square), board.attacks_from(square));
                    for color in Color::ALL {
                        prop_assert_eq!(
                            map.attackers(board, square, color),
                            board.attacks_to(square, color, board.occupied())
                        );
                    }
                }
                let changed = Square::ALL
                    .into_iter()
                    .filter(|&square| old.piece_at(square) != board.piece_at(square))
                    .collect::<Bitboard>();
                let mut updated = before.clone();
                let update = updated.update(board, changed);
                prop_assert_eq!(&updated, &map);
                for square in Square::ALL {
                    let differs = |is_among: bool, of: fn(&AttackMap, Square) -> Bitboard| {
                        is_among || of(&before, square) == of(&map, square)
                    };
                    prop_assert!(differs(update.pieces.contains(square), AttackMap::attacks_from));
                    prop_assert!(differs(update.targets.contains(square), AttackMap::attackers_to));
                }
            }
        }
    }

    #[test]
    fn pawns_reach_free_squares() {
        let board = Board::from_ascii_board_fen(b"8/8/8/8/4p3/3P4/4P3/8").unwrap();
        // e2: e3 is free, e4 is not.
        let expected = Bitboard::from_iter([Square::D3, Square::F3, Square::E3]);
        assert_eq!(reach(&board, Square::E2), expected);
        // A black pawn on e4 advances toward e3, and only one square.
        assert_eq!(reach(&board, Square::E4), expected);
        assert_eq!(reach(&board, Square::A1), Bitboard::EMPTY);
    }
}
