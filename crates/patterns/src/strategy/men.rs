//! The pieces of an endgame and the geometry between them.

use kibitz_board::{Bitboard, Board, Color, File, Rank, Role, Square, attacks};

/// The kings and White's man on a board: the arguments of the concepts built in.
///
/// White is the side that wins. Its *man* is the piece besides the king that it wins with, the rook of
/// king and rook against king; of several the most valuable one.
#[derive(Clone, Debug)]
pub(crate) struct Men {
    board: Board,
    pub(super) king: Square,
    /// The black king.
    pub(super) oking: Square,
    pub(super) man: Square,
}

impl Men {
    /// `None` without both kings and a man of White.
    pub(crate) fn of(board: &Board) -> Option<Men> {
        let men = board.white() & !board.kings();
        let man = Role::ALL
            .into_iter()
            .rev()
            .find_map(|role| (men & board.by_role(role)).first())?;
        Some(Men {
            king: board.king_of(Color::White)?,
            oking: board.king_of(Color::Black)?,
            man,
            board: board.clone(),
        })
    }

    pub(crate) fn board(&self) -> &Board {
        &self.board
    }

    /// Whether White attacks a square, on which the black king may stand.
    fn attacks(&self, square: Square) -> bool {
        let occupied = self.board.occupied() & !Bitboard::from_square(self.oking);
        let attackers = self.board.attacks_to(square, Color::White, occupied);
        attackers.any()
    }

    pub(super) fn in_check(&self) -> bool {
        self.attacks(self.oking)
    }

    /// Squares that the black king can go to.
    pub(super) fn mobility(&self) -> u32 {
        let squares = attacks::king_attacks(self.oking) & !self.board.black();
        squares
            .into_iter()
            .map(|square| u32::from(!self.attacks(square)))
            .sum()
    }

    /// Whether the black king has no legal move.
    pub(super) fn stale(&self) -> bool {
        self.mobility() == 0
    }

    /// Whether the black king can take the man.
    pub(super) fn threatened(&self) -> bool {
        distance(self.oking, self.man) == 1 && !self.attacks(self.man)
    }

    pub(super) fn opposition(&self) -> bool {
        distance(self.king, self.oking) == 2 && in_line(self.king, self.oking)
    }

    pub(super) fn almost_opposition(&self) -> bool {
        distance(self.king, self.oking) == 2 && manhattan(self.king, self.oking) == 3
    }

    /// Whether on an axis the first comes before or behind the second, and that the third.
    pub(super) fn between(first: Square, second: Square, third: Square) -> bool {
        (0..2).any(|axis| {
            let [a, b, c] = [first, second, third].map(|square| coordinates(square)[axis]);
            (a < b && b < c) || (a > b && b > c)
        })
    }

    pub(super) fn kings_same_side(&self) -> bool {
        (0..2).any(|axis| {
            let [a, b, c] =
                [self.king, self.man, self.oking].map(|square| coordinates(square)[axis]);
            (a < b && c < b) || (a > b && c > b)
        })
    }

    /// Area that the man leaves the black king, in files times ranks; `None` if they are in line.
    pub(super) fn area(&self) -> Option<u32> {
        let [[x, y], [kx, ky]] = [self.man, self.oking].map(coordinates);
        let room = |man: u32, king: u32| match king.cmp(&man) {
            std::cmp::Ordering::Less => Some(man - 1),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(8 - man),
        };
        Some(room(x, kx)? * room(y, ky)?)
    }

    /// Whether the black king is on an edge and the man on the line beside it.
    pub(super) fn trapped(&self) -> bool {
        (0..2).any(|axis| {
            let [man, king] = [self.man, self.oking].map(|square| coordinates(square)[axis]);
            (man, king) == (2, 1) || (man, king) == (7, 8)
        })
    }

    /// Whether the kings stand on c3 and a square of these, or the same in another corner.
    pub(super) fn in_corner(&self, squares: &[Square]) -> bool {
        let symmetries: [fn(Square) -> Square; 4] = [
            |square| square,
            Square::flip_horizontal,
            Square::flip_vertical,
            Square::rotate_180,
        ];
        symmetries
            .iter()
            .any(|turn| turn(self.king) == Square::C3 && squares.contains(&turn(self.oking)))
    }
}

/// File and rank, from 1.
pub(super) fn coordinates(square: Square) -> [u32; 2] {
    [square.file().to_u32() + 1, square.rank().to_u32() + 1]
}

pub(super) fn distance(a: Square, b: Square) -> u32 {
    a.distance(b)
}

pub(super) fn manhattan(a: Square, b: Square) -> u32 {
    let [[x, y], [x2, y2]] = [a, b].map(coordinates);
    x.abs_diff(x2) + y.abs_diff(y2)
}

pub(super) fn in_line(a: Square, b: Square) -> bool {
    a.file() == b.file() || a.rank() == b.rank()
}

pub(super) fn on_edge(square: Square) -> bool {
    [File::A, File::H].contains(&square.file())
        || [Rank::First, Rank::Eighth].contains(&square.rank())
}
