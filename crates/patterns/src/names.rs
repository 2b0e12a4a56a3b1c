use kibitz_board::{Color, File, Piece, Rank, Role, Square};
use kibitz_ilp::{Constant, Symbol, SymbolTable};

/// The constants that chess is written with: `white`, `pawn`, `1`.
#[derive(Clone, Debug)]
pub struct Names {
    sides: [Symbol; 2],
    roles: [Symbol; 6],
}

/// Names of the two sides.
pub(crate) const SIDES: [(&str, Color); 2] = [("white", Color::White), ("black", Color::Black)];

/// Names of the pieces in the order of the thesis's domain.
pub(crate) const ROLES: [(&str, Role); 6] = [
    ("pawn", Role::Pawn),
    ("knight", Role::Knight),
    ("bishop", Role::Bishop),
    ("rook", Role::Rook),
    ("queen", Role::Queen),
    ("king", Role::King),
];

impl Names {
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
    pub fn all_sides(&self) -> Vec<Constant> {
        self.sides.iter().copied().map(Constant::Symbol).collect()
    }

    /// All pieces, in order.
    pub fn all_roles(&self) -> Vec<Constant> {
        self.roles.iter().copied().map(Constant::Symbol).collect()
    }

    /// The constants of side, piece, file and rank.
    pub fn component(&self, square: Square, piece: Piece) -> Vec<Constant> {
        self.values(square, piece).to_vec()
    }

    /// The same.
    pub(crate) fn values(&self, square: Square, piece: Piece) -> [Constant; 4] {
        let [file, rank] = coordinates(square);
        [self.side(piece.color), self.role(piece.role), file, rank]
    }

    /// The piece that four constants describe.
    pub fn piece(&self, component: &[Constant]) -> Option<(Square, Piece)> {
        let [Constant::Symbol(side), Constant::Symbol(role), file, rank] = *component else {
            return None;
        };
        let color = SIDES[self.sides.iter().position(|own| *own == side)?].1;
        let role = ROLES[self.roles.iter().position(|own| *own == role)?].1;
        Some((square(file, rank)?, Piece { color, role }))
    }
}

/// File and rank of a square, from 1.
pub(crate) fn coordinates(square: Square) -> [Constant; 2] {
    [
        Constant::Int(i64::from(square.file().to_u32()) + 1),
        Constant::Int(i64::from(square.rank().to_u32()) + 1),
    ]
}

/// The square with this file and rank, from 1.
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
