//! The constants of chess in logic programs.

use kibitz_board::{Color, File, Piece, Rank, Role, Square};
use kibitz_prolog::{Constant, Symbol, SymbolTable};

/// The interned constants of sides and pieces: `white`, `pawn`. Files and ranks are numbers.
#[derive(Clone, Debug)]
pub struct ChessConstants {
    sides: [Symbol; 2],
    roles: [Symbol; 6],
}

/// The names of the two sides.
pub(crate) const SIDES: [(&str, Color); 2] = [("white", Color::White), ("black", Color::Black)];

/// The names of the pieces in the order of the thesis's domain.
pub(crate) const ROLES: [(&str, Role); 6] = [
    ("pawn", Role::Pawn),
    ("knight", Role::Knight),
    ("bishop", Role::Bishop),
    ("rook", Role::Rook),
    ("queen", Role::Queen),
    ("king", Role::King),
];

impl ChessConstants {
    /// Interns all names.
    pub fn new(symbols: &mut SymbolTable) -> Self {
        Self {
            sides: SIDES.map(|(name, _)| symbols.intern(name)),
            roles: ROLES.map(|(name, _)| symbols.intern(name)),
        }
    }

    /// The constant of a side.
    pub fn side(&self, color: Color) -> Constant {
        Constant::Symbol(self.sides[usize::from(color == Color::Black)])
    }

    /// The constant of a piece.
    pub fn role(&self, role: Role) -> Constant {
        Constant::Symbol(self.roles[usize::from(role) - 1])
    }

    /// All sides, in order.
    pub(crate) fn all_sides(&self) -> Vec<Constant> {
        self.sides.iter().copied().map(Constant::Symbol).collect()
    }

    /// All pieces, in order.
    pub(crate) fn all_roles(&self) -> Vec<Constant> {
        self.roles.iter().copied().map(Constant::Symbol).collect()
    }

    /// The component of a piece: side, piece, file and rank.
    pub fn component(&self, square: Square, piece: Piece) -> Vec<Constant> {
        self.values(square, piece).to_vec()
    }

    /// Side, piece, file and rank as an array.
    pub(crate) fn values(&self, square: Square, piece: Piece) -> [Constant; 4] {
        let [file, rank] = coordinates(square);
        [self.side(piece.color), self.role(piece.role), file, rank]
    }

    /// The piece that a component describes; `None` for other constants.
    pub fn piece(&self, component: &[Constant]) -> Option<(Square, Piece)> {
        let [Constant::Symbol(side), Constant::Symbol(role), file, rank] = *component else {
            return None;
        };
        let color = SIDES[self.sides.iter().position(|own| *own == side)?].1;
        let role = ROLES[self.roles.iter().position(|own| *own == role)?].1;
        Some((square(file, rank)?, Piece { color, role }))
    }
}

/// File and rank of a square, counted from 1.
pub(crate) fn coordinates(square: Square) -> [Constant; 2] {
    [
        Constant::Int(i64::from(square.file().to_u32()) + 1),
        Constant::Int(i64::from(square.rank().to_u32()) + 1),
    ]
}

/// The square with this file and rank, counted from 1.
pub(crate) fn square(file: Constant, rank: Constant) -> Option<Square> {
    let index = |constant: Constant| match constant {
        Constant::Int(value @ 1..=8) => u32::try_from(value - 1).ok(),
        _ => None,
    };
    Some(Square::from_coords(
        File::new(index(file)?),
        Rank::new(index(rank)?),
    ))
}
