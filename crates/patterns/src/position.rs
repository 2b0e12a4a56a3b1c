//! Positions without side to move or history.

use kibitz_board::{Bitboard, Board, Color, Piece, Role, Square, pawn_advances};

/// A placement of pieces without side to move, castling rights and history.
///
/// Kings may be missing: patterns are learned from positions with few pieces. Either side can move.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    board: Board,
}

/// A move of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PieceMove {
    /// The origin.
    pub from: Square,
    /// The target.
    pub to: Square,
}

impl From<Board> for Position {
    fn from(board: Board) -> Self {
        Self { board }
    }
}

impl Position {
    /// The position with these pieces; the last of several on a square stays.
    pub fn new(pieces: impl IntoIterator<Item = (Square, Piece)>) -> Self {
        let mut board = Board::empty();
        for (square, piece) in pieces {
            board.set_piece_at(square, piece);
        }
        Self { board }
    }

    /// The pieces on their squares.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Targets of the pseudo-legal moves of the piece on a square, captures included.
    ///
    /// Castling, en passant and promotion are left out.
    ///
    /// # Source
    /// Morales 1992, appendix G (`piece_move/5`, which is not printed).
    pub fn reachable(&self, from: Square) -> Bitboard {
        let Some(piece) = self.board.piece_at(from) else {
            return Bitboard::EMPTY;
        };
        let attacked = self.board.attacks_from(from);
        match piece.role {
            Role::Pawn => {
                attacked & self.board.by_color(!piece.color)
                    | pawn_advances(&self.board, from, piece.color)
            }
            _ => attacked & !self.board.by_color(piece.color),
        }
    }

    /// The pieces that give check to the king of a side; none if there is no king.
    pub fn checkers(&self, side: Color) -> Bitboard {
        match self.board.king_of(side) {
            Some(king) => self.board.attacks_to(king, !side, self.board.occupied()),
            None => Bitboard::EMPTY,
        }
    }

    /// The position after a move, which captures the piece on its target.
    ///
    /// # Source
    /// Morales 1992, appendix G (`do_move/6`): a pawn stays a pawn on the last rank.
    #[must_use]
    pub fn after(&self, made: PieceMove) -> Self {
        let mut board = self.board.clone();
        if let Some(piece) = board.remove_piece_at(made.from) {
            board.set_piece_at(made.to, piece);
        }
        Self { board }
    }

    /// Targets of the legal moves of the piece on a square: its own king is not in check afterwards.
    ///
    /// A king cannot be captured. The thesis leaves this open; without it the first example of
    /// section 5.1.4.1 would have more literals than it has.
    pub fn legal_moves(&self, from: Square) -> Bitboard {
        let Some(piece) = self.board.piece_at(from) else {
            return Bitboard::EMPTY;
        };
        let targets = self.reachable(from) & !self.board.kings();
        let Some(king) = self.board.king_of(piece.color) else {
            return targets;
        };
        let left = self.board.occupied() & !Bitboard::from_square(from);
        let attackers = |king, occupied| self.board.attacks_to(king, !piece.color, occupied);
        if king != from && attackers(king, left).is_empty() {
            // The king is safe even without the piece.
            return targets;
        }
        let legal = |&to: &Square| {
            let there = Bitboard::from_square(to);
            let king = if king == from { to } else { king };
            // A piece on the target is captured.
            (attackers(king, left | there) & !there).is_empty()
        };
        targets.into_iter().filter(legal).collect()
    }

    /// Targets of the moves that may be made: the legal ones, unless the other king is already in
    /// check.
    ///
    /// # Source
    /// Morales 1992, appendix G (`make_move/6`).
    pub fn moves(&self, from: Square) -> Bitboard {
        match self.board.piece_at(from) {
            Some(piece) if self.checkers(!piece.color).is_empty() => self.legal_moves(from),
            _ => Bitboard::EMPTY,
        }
    }

    /// Number of [moves](Self::moves) of all pieces.
    pub fn n_moves(&self) -> usize {
        let pieces = self.board.occupied().into_iter();
        pieces.map(|from| self.moves(from).count()).sum()
    }

    /// Whether the piece on a square has no legal move while its opponent's king is not in check.
    ///
    /// # Source
    /// Morales 1992, appendix G (`stale/4`).
    pub fn is_stale(&self, from: Square) -> bool {
        (self.board.piece_at(from)).is_some_and(|piece| {
            self.legal_moves(from).is_empty() && self.checkers(!piece.color).is_empty()
        })
    }

    /// Whether a king is in check and cannot move; moves of other pieces do not count.
    ///
    /// # Source
    /// Morales 1992, appendix G (`check_mate/3`).
    pub fn is_check_mate(&self, side: Color) -> bool {
        self.board.king_of(side).is_some_and(|king| {
            !self.checkers(side).is_empty() && self.legal_moves(king).is_empty()
        })
    }

    /// Whether two squares lie on a common file, rank or diagonal.
    pub(crate) fn in_line(a: Square, b: Square) -> bool {
        a != b
            && !kibitz_board::attacks::queen_attacks(a, Bitboard::EMPTY)
                .is_disjoint(Bitboard::from_square(b))
    }
}
