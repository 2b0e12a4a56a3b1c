//! The context of a position: features shared by all heuristics, computed once.

use kibitz_board::{
    AttackMap, Bitboard, Board, ByColor, Chess, Color, File, Move, Position, Role, Square, reach,
};

use super::{
    Interpretation, Parameters, pawns::passed_pawns, pins::Pin, pins::pins_by,
    static_exchange::CheaperRoles,
};

/// d4, e4, d5 and e5.
pub(super) const CENTER: Bitboard = Bitboard(0x0000_0018_1800_0000);

/// The moves played just before a position.
///
/// Heuristics 9 and 20 look at them; without them both score 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The opponent's last move, which led to the position.
    pub opponent: Option<Move>,
    /// The last move of the side to move.
    pub own: Option<Move>,
    /// The opponent's move before that.
    pub opponent_before: Option<Move>,
    /// The side's own move before that.
    pub own_before: Option<Move>,
}

impl History {
    /// The history of the position after `m` has been played in a position with this history.
    #[must_use]
    pub fn after(self, m: Move) -> History {
        History {
            opponent: Some(m),
            own: self.opponent,
            opponent_before: self.own,
            own_before: self.opponent_before,
        }
    }
}

/// A position with the features that heuristics share.
///
/// Features that do not depend on the move are computed here once;
/// [`score_moves`](super::score_moves) scores each move in this context.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Context<'a> {
    /// The position.
    pub position: &'a Chess,
    /// The moves before it.
    pub history: History,
    /// Parameters of the heuristics.
    pub parameters: &'a Parameters,
    /// [`Parameters::largest`].
    pub largest: f64,
    /// [`Parameters::maximum_factor`].
    pub maximum_factor: f64,
    /// The side to move.
    pub us: Color,
    /// The other side.
    pub them: Color,
    /// Attacks and defenses.
    pub attacks: AttackMap,
    /// Value of the piece on each square, 0 for empty squares.
    values: [f64; 64],
    /// Development value of the piece on each square, 0 for empty squares.
    pub development: [f64; 64],
    /// Pieces of each side under damaging attack.
    pub damaged: ByColor<Bitboard>,
    /// Passed pawns of each side.
    pub passed_pawns: ByColor<Bitboard>,
    /// Pins made by the sliders of each side.
    pub pins: ByColor<Vec<Pin>>,
    /// Which pieces are worth less than others.
    pub(super) cheaper: CheaperRoles,
    /// Whether this is an endgame, see [`Parameters::endgame_material`].
    pub is_endgame: bool,
}

impl<'a> Context<'a> {
    /// The context of a position without history, with the published parameters.
    pub fn new(position: &'a Chess) -> Context<'a> {
        Context::with(position, History::default(), &Parameters::PUBLISHED)
    }

    /// The context of a position.
    pub fn with(position: &'a Chess, history: History, parameters: &'a Parameters) -> Context<'a> {
        let board = position.board();
        let attacks = AttackMap::new(board);
        let (mut values, mut development) = ([0.0; 64], [0.0; 64]);
        for role in Role::ALL {
            for square in board.by_role(role) {
                values[square.to_usize()] = parameters.value(role);
            }
        }
        for square in board.occupied() {
            development[square.to_usize()] = development_value(board, square, parameters);
        }
        let mut context = Context {
            position,
            history,
            parameters,
            largest: parameters.largest(),
            maximum_factor: parameters.maximum_factor(),
            us: position.turn(),
            them: !position.turn(),
            values,
            development,
            damaged: ByColor::default(),
            cheaper: CheaperRoles::new(parameters),
            passed_pawns: ByColor::new_with(|color| passed_pawns(board, color)),
            pins: ByColor::new_with(|color| pins_by(board, &attacks, color, parameters)),
            is_endgame: Color::ALL
                .into_iter()
                .all(|color| material(board, color, parameters) <= parameters.endgame_material),
            attacks,
        };
        context.damaged = ByColor::new_with(|color| {
            let is_damaged =
                |&square: &Square| context.is_damaging(board, &context.attacks, square);
            board
                .by_color(color)
                .into_iter()
                .filter(is_damaged)
                .collect()
        });
        context
    }

    /// The board.
    pub fn board(&self) -> &Board {
        self.position.board()
    }

    /// Parameter p of heuristic `n`.
    pub fn p(&self, n: usize) -> f64 {
        self.parameters.p[n]
    }

    /// Whether the parameters adopt an interpretation.
    pub fn reads(&self, interpretation: Interpretation) -> bool {
        self.parameters.interpretations.has(interpretation)
    }

    /// The factor of development values in a heuristic that an interpretation takes at a quarter.
    pub(super) fn quarter(&self, interpretation: Interpretation) -> f64 {
        if self.reads(interpretation) {
            0.25
        } else {
            1.0
        }
    }

    /// Value of a piece.
    pub fn value(&self, role: Role) -> f64 {
        self.parameters.value(role)
    }

    /// Value of the piece on a square, 0 if it is empty.
    pub fn value_on(&self, square: Square) -> f64 {
        self.values[square.to_usize()]
    }

    /// Development value of the piece on a square, 0 if it is empty.
    pub fn development(&self, square: Square) -> f64 {
        self.development[square.to_usize()]
    }
}

/// Development value of the piece on `square`: the values of all squares that it can move to, attack
/// or defend, and of the pieces of either color on them. 0 if the square is empty.
///
/// # Source
/// Sugar 1975, Appendix 2, p. 122.
pub(super) fn development_value(board: &Board, square: Square, parameters: &Parameters) -> f64 {
    let reach = reach(board, square);
    let n = |set: Bitboard| (reach & set).count() as f64;
    let squares = parameters.square_value * n(!CENTER) + parameters.center_square_value * n(CENTER);
    // Most squares are empty, and roles absent would add nothing.
    let is_there = |role: &&Role| (reach & board.by_role(**role)).any();
    let pieces = Role::ALL
        .iter()
        .filter(is_there)
        .map(|&role| parameters.value(role) * n(board.by_role(role)))
        .fold(0.0, |sum, value| sum + value);
    (squares + pieces) * parameters.development_scale
}

fn material(board: &Board, color: Color, parameters: &Parameters) -> f64 {
    let pieces = board.by_color(color) & !board.kings();
    Role::ALL
        .iter()
        .map(|&role| parameters.value(role) * (pieces & board.by_role(role)).count() as f64)
        .sum()
}

/// The three files of the pawn shelter of a king castled to the file `king`: f, g, h for a king on g or
/// h, and a, b, c for a king on a, b or c.
pub(super) fn shelter_files(king: File) -> Option<[File; 3]> {
    match king {
        File::A | File::B | File::C => Some([File::A, File::B, File::C]),
        File::G | File::H => Some([File::F, File::G, File::H]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::position;

    fn check(fen: &str, square: Square, expected: f64) {
        let position = position(fen);
        let value = Context::new(&position).development(square);
        assert!((value - expected).abs() < f64::EPSILON, "{fen}: {value}");
    }

    #[test]
    fn development_adds_squares_and_pieces() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        // Knight b1: squares a3, c3, d2 and the pawn on d2.
        check(start, Square::B1, 4.0);
        // Pawn e2: attacks d3 and f3, advances to e3 (1 each) and e4 (2).
        check(start, Square::E2, 5.0);
        // Rook a1: squares a2, b1 with a pawn and a knight.
        check(start, Square::A1, 6.0);
        // Knight c3: eight squares, of which d5 and e4 count twice, no pieces but the king on d1.
        check(
            "4k3/8/8/8/8/2N5/8/3K4 w - - 0 1",
            Square::C3,
            8.0 + 2.0 + 10.0,
        );
        check(start, Square::E4, 0.0);
    }

    #[test]
    fn the_endgame_is_a_matter_of_material() {
        let is_endgame = |fen| Context::new(&position(fen)).is_endgame;
        assert!(!is_endgame(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        ));
        // Rook, bishop and five pawns are 13 points; one pawn more is too much.
        assert!(is_endgame("4k3/8/8/8/8/8/PPPPP3/RB2K3 w - - 0 1"));
        assert!(!is_endgame("4k3/8/8/8/8/8/PPPPPP2/RB2K3 w - - 0 1"));
        assert!(!is_endgame("4kbqr/8/8/8/8/8/PPPPP3/RB2K3 w - - 0 1"));
    }
}
