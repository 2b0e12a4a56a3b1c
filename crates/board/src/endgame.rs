//! Small endgames: an index of their positions, up to symmetry.

use std::{fmt, str::FromStr};

use shakmaty::{
    Board, CastlingMode, Chess, Color, FromSetup, Piece, Position, Role, Setup, Square,
};
use thiserror::Error;

/// Maximum number of men, kings included: with one more the positions no longer fit into memory.
const MAX_MEN: usize = 4;

/// The material of an endgame with up to four men, kings included.
///
/// Written with the stronger side first: `KRvK`, `KPvK`, `KQvKR`. Positions with the colors
/// exchanged belong to the same endgame.
///
/// # Examples
/// ```
/// use kibitz_board::{Color, Endgame, Position};
///
/// let krk: Endgame = "KRvK".parse()?;
/// let black_to_move = krk.positions().filter(|(_, position)| position.turn() == Color::Black);
/// assert!(black_to_move.count() > 20_000);
/// # Ok::<(), kibitz_board::EndgameError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Endgame {
    /// Men besides the king, the most valuable first: White's, then Black's.
    white: Vec<Role>,
    black: Vec<Role>,
}

/// Why an endgame cannot be enumerated.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndgameError {
    /// The text is not a list of men.
    #[error("`{0}` is not an endgame: expected two kings and the other pieces, as in `KRvK`")]
    Syntax(String),
    /// Too many men.
    #[error("`{0}` has more than {MAX_MEN} pieces")]
    TooManyMen(String),
    /// With pawns on both sides captures en passant would have to be told apart.
    #[error("`{0}` has pawns on both sides")]
    PawnsOnBothSides(String),
}

impl Endgame {
    /// The endgame with these men besides the kings.
    ///
    /// # Errors
    /// [`EndgameError::Syntax`] if a king is among them, else the endgame's limits.
    pub fn new(mut white: Vec<Role>, mut black: Vec<Role>) -> Result<Endgame, EndgameError> {
        for men in [&mut white, &mut black] {
            men.sort_unstable_by(|a, b| b.cmp(a));
        }
        // The stronger side is White: more men, then more valuable ones.
        if (black.len(), &black) > (white.len(), &white) {
            (white, black) = (black, white);
        }
        let endgame = Endgame { white, black };
        let text = || endgame.to_string();
        if endgame.men().any(|man| man.role == Role::King) {
            return Err(EndgameError::Syntax(text()));
        }
        if endgame.men().count() + 2 > MAX_MEN {
            return Err(EndgameError::TooManyMen(text()));
        }
        if [&endgame.white, &endgame.black]
            .iter()
            .all(|men| men.contains(&Role::Pawn))
        {
            return Err(EndgameError::PawnsOnBothSides(text()));
        }
        Ok(endgame)
    }

    /// The men of a side besides its king, the most valuable first.
    pub fn men_of(&self, color: Color) -> &[Role] {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }

    /// Men besides the kings.
    fn men(&self) -> impl Iterator<Item = Piece> {
        let white = self.white.iter().map(|&role| Piece {
            role,
            color: Color::White,
        });
        let black = self.black.iter().map(|&role| Piece {
            role,
            color: Color::Black,
        });
        white.chain(black)
    }

    fn has_pawns(&self) -> bool {
        self.men().any(|man| man.role == Role::Pawn)
    }

    /// Upper bound, exclusive, of the indices of positions.
    pub fn n_indices(&self) -> usize {
        2 << (6 * (2 + self.men().count()))
    }

    /// The index of a position of this endgame, the same for all positions that are equivalent up to
    /// symmetry: reflections of the board, with pawns only left and right, and with the colors
    /// exchanged if White has the material of Black.
    ///
    /// `None` if the material is another, or if castling is possible.
    pub fn index_of(&self, position: &Chess) -> Option<usize> {
        if position.castles().any() {
            return None;
        }
        let squares = self.squares(position.board(), Color::White);
        if let Some(squares) = squares {
            return Some(self.index(position.turn(), squares));
        }
        let mut squares = self.squares(position.board(), Color::Black)?;
        for square in squares.iter_mut().flatten() {
            *square = square.flip_vertical();
        }
        Some(self.index(!position.turn(), squares))
    }

    /// Squares of the kings and the other men, if `strong` has the material of White.
    fn squares(&self, board: &Board, strong: Color) -> Option<Squares> {
        if board.occupied().count() != 2 + self.men().count() {
            return None;
        }
        let mut squares = [None; MAX_MEN];
        squares[0] = Some(board.king_of(strong)?);
        squares[1] = Some(board.king_of(!strong)?);
        let mut previous: Option<(Piece, Square)> = None;
        for (slot, man) in squares[2..].iter_mut().zip(self.men()) {
            let color = if man.color == Color::White {
                strong
            } else {
                !strong
            };
            let mut alike = board.by_piece(man.role.of(color));
            // Of two men alike the one on the smaller square comes first.
            if let Some((_, square)) = previous.filter(|(piece, _)| *piece == man) {
                alike.discard(square);
            }
            let square = alike.first()?;
            *slot = Some(square);
            previous = Some((man, square));
        }
        Some(squares)
    }

    fn index(&self, turn: Color, squares: Squares) -> usize {
        let symmetries = if self.has_pawns() {
            &SYMMETRIES[..2]
        } else {
            &SYMMETRIES[..]
        };
        symmetries
            .iter()
            .map(|symmetry| self.plain_index(turn, squares.map(|square| square.map(symmetry))))
            .min()
            .unwrap_or(0)
    }

    /// The index of this placement, without symmetry.
    fn plain_index(&self, turn: Color, mut squares: Squares) -> usize {
        let mut men = self.men();
        if let (Some(first), Some(second)) = (men.next(), men.next())
            && first == second
        {
            squares[2..4].sort_unstable();
        }
        squares
            .into_iter()
            .flatten()
            .fold(usize::from(turn == Color::Black), |index, square| {
                64 * index + square.to_usize()
            })
    }

    /// All legal positions with their indices, one of each class of equivalent ones, by index. White
    /// has the stronger side, and the move counters are those of the start of a game.
    pub fn positions(&self) -> impl Iterator<Item = (usize, Chess)> {
        (0..self.n_indices()).filter_map(|index| Some((index, self.position(index)?)))
    }

    /// The position of an index; `None` if it is illegal or equivalent to one of a smaller index.
    pub fn position(&self, index: usize) -> Option<Chess> {
        let (turn, squares) = self.unpack(index)?;
        (self.index(turn, squares) == index).then_some(())?;
        self.placed(turn, squares)
    }

    /// The index of a position without symmetry; White has the stronger side.
    ///
    /// `None` if the material is another, or if castling is possible.
    pub fn placement_index_of(&self, position: &Chess) -> Option<usize> {
        if position.castles().any() {
            return None;
        }
        let squares = self.squares(position.board(), Color::White)?;
        Some(self.plain_index(position.turn(), squares))
    }

    /// The position of an index without symmetry; `None` if it is illegal.
    pub fn placement(&self, index: usize) -> Option<Chess> {
        let (turn, squares) = self.unpack(index)?;
        (self.plain_index(turn, squares) == index).then_some(())?;
        self.placed(turn, squares)
    }

    /// The side to move and the squares of an index.
    fn unpack(&self, index: usize) -> Option<(Color, Squares)> {
        let n_men = 2 + self.men().count();
        let mut squares = [None; MAX_MEN];
        let mut rest = index;
        for slot in squares[..n_men].iter_mut().rev() {
            *slot = u32::try_from(rest % 64).ok().map(Square::new);
            rest /= 64;
        }
        match rest {
            0 => Some((Color::White, squares)),
            1 => Some((Color::Black, squares)),
            _ => None,
        }
    }

    /// The position with the men on these squares, if it is legal.
    fn placed(&self, turn: Color, squares: Squares) -> Option<Chess> {
        let kings = [Color::White, Color::Black].map(|color| Role::King.of(color));
        let mut setup = Setup::empty();
        setup.turn = turn;
        for (square, piece) in squares
            .into_iter()
            .flatten()
            .zip(kings.into_iter().chain(self.men()))
        {
            if setup.board.piece_at(square).is_some() {
                return None;
            }
            setup.board.set_piece_at(square, piece);
        }
        Chess::from_setup(setup, CastlingMode::Standard).ok()
    }

    /// Endgames that a capture or a promotion leads to, sorted.
    pub fn conversions(&self) -> Vec<Endgame> {
        let mut found = Vec::new();
        let sides = [(&self.white, &self.black), (&self.black, &self.white)];
        for (own, other) in sides {
            let mut own_after = vec![own.clone()];
            for (index, _) in own
                .iter()
                .enumerate()
                .filter(|(_, role)| **role == Role::Pawn)
            {
                for promoted in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
                    let mut men = own.clone();
                    men[index] = promoted;
                    own_after.push(men);
                }
            }
            let mut other_after = vec![other.clone()];
            for index in 0..other.len() {
                let mut men = other.clone();
                men.remove(index);
                other_after.push(men);
            }
            for own in &own_after {
                for other in &other_after {
                    found.extend(Endgame::new(own.clone(), other.clone()));
                }
            }
        }
        found.retain(|endgame| endgame != self);
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Squares of the kings and up to two men.
type Squares = [Option<Square>; MAX_MEN];

/// The symmetries of the board; the first two are those of a board with pawns.
const SYMMETRIES: [fn(Square) -> Square; 8] = [
    |square| square,
    Square::flip_horizontal,
    Square::flip_vertical,
    Square::rotate_180,
    Square::flip_diagonal,
    Square::flip_anti_diagonal,
    Square::rotate_90,
    Square::rotate_270,
];

impl fmt::Display for Endgame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (men, before) in [(&self.white, "K"), (&self.black, "vK")] {
            f.write_str(before)?;
            for man in men {
                write!(f, "{}", man.upper_char())?;
            }
        }
        Ok(())
    }
}

impl FromStr for Endgame {
    type Err = EndgameError;

    fn from_str(text: &str) -> Result<Endgame, EndgameError> {
        let syntax = || EndgameError::Syntax(text.to_owned());
        let (white, black) = text.split_once('v').ok_or_else(syntax)?;
        let men = |side: &str| {
            let men = side.strip_prefix('K').ok_or_else(syntax)?;
            men.chars()
                .map(|letter| {
                    let role = Role::from_char(letter).filter(|_| letter.is_ascii_uppercase());
                    role.ok_or_else(syntax)
                })
                .collect::<Result<Vec<Role>, _>>()
        };
        Endgame::new(men(white)?, men(black)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use shakmaty::fen::Fen;

    fn endgame(text: &str) -> Endgame {
        text.parse().unwrap()
    }

    #[test]
    fn endgames_are_written_with_the_stronger_side_first() {
        for (text, written) in [
            ("KRvK", "KRvK"),
            ("KvKP", "KPvK"),
            ("KRvKQ", "KQvKR"),
            ("KvKNB", "KBNvK"),
            ("KvK", "KvK"),
        ] {
            assert_eq!(endgame(text).to_string(), written);
        }
    }

    #[test]
    fn what_is_no_small_endgame_says_why() {
        let error = |text: &str| text.parse::<Endgame>().unwrap_err().to_string();
        assert_eq!(
            error("KRK"),
            "`KRK` is not an endgame: expected two kings and the other pieces, as in `KRvK`"
        );
        assert!(error("KXvK").contains("expected two kings"));
        assert!(error("KKvK").contains("expected two kings"));
        assert!(error("KrvK").contains("expected two kings"));
        assert_eq!(error("KQQvKR"), "`KQQvKR` has more than 4 pieces");
        assert_eq!(error("KPvKP"), "`KPvKP` has pawns on both sides");
    }

    #[test]
    fn captures_and_promotions_lead_on() {
        let conversions = |text| {
            let found = endgame(text).conversions();
            found.iter().map(Endgame::to_string).collect::<Vec<_>>()
        };
        assert_eq!(conversions("KRvK"), ["KvK"]);
        assert_eq!(conversions("KPvK"), ["KvK", "KNvK", "KBvK", "KRvK", "KQvK"]);
        assert_eq!(conversions("KQvKR"), ["KRvK", "KQvK"]);
    }

    #[test]
    fn every_legal_position_is_met_once() {
        // Counted plainly: all placements that are legal, each the same number as its images.
        for text in ["KRvK", "KPvK"] {
            let endgame = endgame(text);
            let met: Vec<usize> = endgame.positions().map(|(index, _)| index).collect();
            assert!(met.is_sorted());
            let mut n_images = 0;
            for (index, position) in endgame.positions() {
                assert_eq!(endgame.index_of(&position), Some(index));
                let board = position.board();
                let mut images: Vec<Board> = SYMMETRIES[..if text == "KPvK" { 2 } else { 8 }]
                    .iter()
                    .map(|symmetry| {
                        let mut image = Board::empty();
                        for (square, piece) in board.clone() {
                            image.set_piece_at(symmetry(square), piece);
                        }
                        image
                    })
                    .collect();
                images.sort_by_key(ToString::to_string);
                images.dedup();
                n_images += images.len();
            }
            assert_eq!(n_images, expected_legal(&endgame), "{text}");
        }
    }

    #[test]
    fn two_kings_have_as_many_places_as_printed() {
        // Morales 1992, section 5.3: 3,612, with either side to move.
        let kings = endgame("KvK");
        let placements = (0..kings.n_indices()).filter_map(|index| kings.placement(index));
        assert_eq!(placements.count(), 2 * 3_612);
    }

    /// Legal placements of a white man and two kings, counted without symmetry.
    fn expected_legal(endgame: &Endgame) -> usize {
        let man = endgame.men().next().unwrap();
        let mut n = 0;
        for turn in Color::ALL {
            for white in Square::ALL {
                for black in Square::ALL {
                    for square in Square::ALL {
                        let mut setup = Setup::empty();
                        setup.turn = turn;
                        setup.board.set_piece_at(white, Role::King.of(Color::White));
                        setup.board.set_piece_at(black, Role::King.of(Color::Black));
                        setup.board.set_piece_at(square, man);
                        let is_distinct = setup.board.occupied().count() == 3;
                        n += usize::from(
                            is_distinct && Chess::from_setup(setup, CastlingMode::Standard).is_ok(),
                        );
                    }
                }
            }
        }
        n
    }

    #[test]
    fn other_material_has_no_number() {
        let position = |fen: &str| {
            let fen: Fen = fen.parse().unwrap();
            fen.into_position::<Chess>(CastlingMode::Standard).unwrap()
        };
        let krk = endgame("KRvK");
        assert_eq!(krk.index_of(&Chess::default()), None);
        assert_eq!(
            krk.index_of(&position("4k3/8/8/8/8/8/8/4K2R w K - 0 1")),
            None
        );
        assert!(
            krk.index_of(&position("4k3/8/8/8/8/8/8/4K2R w - - 0 1"))
                .is_some()
        );
        assert_eq!(
            krk.index_of(&position("4k3/8/8/8/8/8/8/4K2B w - - 0 1")),
            None
        );
        assert_eq!(
            krk.index_of(&position("4k3/8/8/8/8/8/8/4K2R w - - 0 1")),
            krk.index_of(&position("4k2r/8/8/8/8/8/8/4K3 b - - 0 1")),
        );
    }

    proptest! {
        #[test]
        fn numbers_and_positions_belong_together(
            index in 0..endgame("KRvKN").n_indices(),
            which in 0..4_usize,
        ) {
            let endgame = endgame(["KRvKN", "KBNvK", "KNNvK", "KRPvK"][which]);
            if let Some(position) = endgame.position(index) {
                prop_assert_eq!(endgame.index_of(&position), Some(index));
            }
            if let Some(position) = endgame.placement(index) {
                prop_assert_eq!(endgame.placement_index_of(&position), Some(index));
            }
        }
    }
}
