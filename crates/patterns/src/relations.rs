//! The rules of chess as native relations of logic programs.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexSet;
use kibitz_board::{Bitboard, Color, Piece, Role, Square};
use kibitz_prolog::{Constant, Direction, NativeError, NativeRelation, Signature, SymbolTable};
use rustc_hash::FxBuildHasher;

use crate::Position;
use crate::chess_constants::{ChessConstants, coordinates};

/// The interned positions of a task: relations name each by a number.
///
/// The number of a position with up to six pieces encodes it: ten bits for each piece, from the lowest
/// square on. Positions with more pieces are numbered -1, -2, … in the order of their first use.
#[derive(Debug)]
pub struct Positions {
    names: ChessConstants,
    crowded: Mutex<IndexSet<Position, FxBuildHasher>>,
}

/// Maximum number of pieces of a position that its number encodes.
const MAX_PACKED: usize = 6;
const BITS: u32 = 10;

/// The number of a position with few pieces.
fn pack(position: &Position) -> Option<i64> {
    let board = position.board();
    let occupied = board.occupied();
    (occupied.count() <= MAX_PACKED).then(|| {
        occupied.into_iter().rev().fold(0, |number, square| {
            let code = board.piece_at(square).map_or(0, |piece| {
                i64::from(u8::from(piece.role)) << 1 | i64::from(piece.color == Color::Black)
            });
            number << BITS | code << 6 | i64::from(square.to_u32())
        })
    })
}

/// The pieces of a position, from the lowest square on.
#[derive(Clone)]
enum Pieces {
    /// The rest of a number.
    Packed(i64),
    /// A position and the rest of its squares.
    Crowded(Position, Bitboard),
}

impl Pieces {
    /// The pieces of the position with this number; `None` if no position has it.
    fn unpacked(number: i64) -> Option<Self> {
        let mut left = Self::Packed(number);
        left.by_ref().for_each(drop);
        matches!(left, Self::Packed(0)).then_some(Self::Packed(number))
    }

    fn position(&self) -> Position {
        match self {
            Self::Packed(_) => Position::new(self.clone()),
            Self::Crowded(position, _) => position.clone(),
        }
    }
}

impl Iterator for Pieces {
    type Item = (Square, Piece);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Packed(number) => {
                let square = Square::new(u32::try_from(*number & 63).ok()?);
                let code = u8::try_from(*number >> 6 & 15).ok()?;
                let role = Role::try_from(code >> 1).ok()?;
                let color = Color::from_white(code & 1 == 0);
                *number >>= BITS;
                Some((square, Piece { color, role }))
            }
            Self::Crowded(position, left) => {
                let square = left.pop_front()?;
                Some((square, position.board().piece_at(square)?))
            }
        }
    }
}

impl Positions {
    /// No positions yet.
    pub fn new(names: ChessConstants) -> Self {
        Self {
            names,
            crowded: Mutex::default(),
        }
    }

    /// The constants used in the relations.
    pub fn names(&self) -> &ChessConstants {
        &self.names
    }

    /// The number of a position.
    pub fn number(&self, position: Position) -> Constant {
        Constant::Int(pack(&position).unwrap_or_else(|| {
            let mut crowded = self.crowded.lock().unwrap_or_else(PoisonError::into_inner);
            let (index, _) = crowded.insert_full(position);
            i64::try_from(index).map_or(i64::MIN, |index| -1 - index)
        }))
    }

    /// The position with a number; `None` for another constant.
    pub fn get(&self, number: Constant) -> Option<Position> {
        self.pieces(number).map(|pieces| pieces.position())
    }

    /// The pieces of the position with a number; `None` for another constant.
    fn pieces(&self, number: Constant) -> Option<Pieces> {
        let Constant::Int(number) = number else {
            return None;
        };
        if number >= 0 {
            return Pieces::unpacked(number);
        }
        let crowded = self.crowded.lock().unwrap_or_else(PoisonError::into_inner);
        let position = crowded.get_index(usize::try_from(-1 - number).ok()?)?;
        let occupied = position.board().occupied();
        Some(Pieces::Crowded(position.clone(), occupied))
    }

    /// All relations over these positions.
    pub fn relations(self: &Arc<Self>, symbols: &mut SymbolTable) -> Vec<Arc<dyn NativeRelation>> {
        let mut relations: Vec<Arc<dyn NativeRelation>> = Vec::new();
        for (rule, name, arity) in RULES {
            let state = arity - if rule == Rule::MakeMove { 2 } else { 1 };
            let mut mode = vec![Direction::Out; arity];
            mode[state] = Direction::In;
            relations.push(Arc::new(Relation {
                rule,
                name,
                state,
                positions: Arc::clone(self),
                signature: Signature::new(symbols.intern(name), mode),
            }));
        }
        relations
    }
}

/// A relation. Files and ranks are separate arguments; the position is the last argument, or the one
/// before the next position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Contents,
    PieceMove,
    LegalMove,
    MakeMove,
    InCheck,
    CheckMate,
    Stale,
    Line,
    Distance,
    ManhattanDistance,
}

/// The rules with name and arity of their relations.
const RULES: [(Rule, &str, usize); 10] = [
    (Rule::Contents, "contents", 5),
    (Rule::PieceMove, "piece_move", 7),
    (Rule::LegalMove, "legal_move", 7),
    (Rule::MakeMove, "make_move", 8),
    (Rule::InCheck, "in_check", 7),
    (Rule::CheckMate, "check_mate", 4),
    (Rule::Stale, "stale", 5),
    (Rule::Line, "line", 5),
    (Rule::Distance, "distance", 6),
    (Rule::ManhattanDistance, "manh_distance", 6),
];

struct Relation {
    rule: Rule,
    name: &'static str,
    /// Index of the position among the arguments.
    state: usize,
    positions: Arc<Positions>,
    signature: Signature,
}

type Emit<'e> = dyn FnMut(&[Constant]) -> ControlFlow<()> + 'e;

impl NativeRelation for Relation {
    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn solve(
        &self,
        args: &[Option<Constant>],
        emit: &mut dyn FnMut(&[Constant]) -> ControlFlow<()>,
    ) -> Result<(), NativeError> {
        let state = args[self.state];
        let Some(pieces) = state.and_then(|state| self.positions.pieces(state)) else {
            return Err(NativeError(format!(
                "{} was called with something that is not a position",
                self.name
            )));
        };
        let state = state.unwrap_or(Constant::Int(0));
        // The caller breaks when it needs no more answers.
        let _ = self.tuples(args, state, &pieces, emit);
        Ok(())
    }
}

impl Relation {
    fn tuples(
        &self,
        args: &[Option<Constant>],
        state: Constant,
        pieces: &Pieces,
        emit: &mut Emit<'_>,
    ) -> ControlFlow<()> {
        let names = &self.positions.names;
        // Pieces that disagree with a bound argument are skipped before their moves are generated.
        // The prover checks the remaining arguments itself.
        let agrees = |place: usize, value: Constant| args[place].is_none_or(|arg| arg == value);
        match self.rule {
            Rule::Contents => {
                for (square, piece) in pieces.clone() {
                    let [side, role, f, r] = names.values(square, piece);
                    if agrees(0, side) && agrees(1, role) && agrees(2, f) && agrees(3, r) {
                        emit(&[side, role, f, r, state])?;
                    }
                }
            }
            Rule::Line | Rule::Distance | Rule::ManhattanDistance => {
                for (a, _) in pieces.clone() {
                    let [fa, ra] = coordinates(a);
                    if !agrees(0, fa) || !agrees(1, ra) {
                        continue;
                    }
                    for (b, _) in pieces.clone() {
                        let [fb, rb] = coordinates(b);
                        if a != b && agrees(2, fb) && agrees(3, rb) {
                            self.pair(a, b, state, emit)?;
                        }
                    }
                }
            }
            Rule::InCheck => {
                let position = pieces.position();
                let board = position.board();
                for side in [Color::White, Color::Black] {
                    let own = names.side(side);
                    let Some(king) = board.king_of(side).filter(|_| agrees(0, own)) else {
                        continue;
                    };
                    let [kf, kr] = coordinates(king);
                    for checker in position.checkers(side) {
                        let Some(piece) = board.piece_at(checker) else {
                            continue;
                        };
                        let [_, role, f, r] = names.values(checker, piece);
                        emit(&[own, kf, kr, role, f, r, state])?;
                    }
                }
            }
            Rule::CheckMate => {
                let position = pieces.position();
                for side in [Color::White, Color::Black] {
                    if let Some(king) = position.board().king_of(side)
                        && position.is_check_mate(side)
                    {
                        let [f, r] = coordinates(king);
                        emit(&[names.side(side), f, r, state])?;
                    }
                }
            }
            Rule::Stale | Rule::PieceMove | Rule::LegalMove | Rule::MakeMove => {
                let position = pieces.position();
                for (from, piece) in pieces.clone() {
                    let [side, role, f, r] = names.values(from, piece);
                    if !(agrees(0, side) && agrees(1, role) && agrees(2, f) && agrees(3, r)) {
                        continue;
                    }
                    let targets = match self.rule {
                        Rule::Stale => {
                            if position.is_stale(from) {
                                emit(&[side, role, f, r, state])?;
                            }
                            continue;
                        }
                        Rule::PieceMove => position.reachable(from),
                        Rule::LegalMove => position.legal_moves(from),
                        _ => position.moves(from),
                    };
                    for to in targets {
                        let [nf, nr] = coordinates(to);
                        if !agrees(4, nf) || !agrees(5, nr) {
                            continue;
                        }
                        if self.rule == Rule::MakeMove {
                            let next = position.after(crate::PieceMove { from, to });
                            // Only here does a query create positions, so only here are they
                            // numbered.
                            let next = self.positions.number(next);
                            emit(&[side, role, f, r, nf, nr, state, next])?;
                        } else {
                            emit(&[side, role, f, r, nf, nr, state])?;
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Relations between the squares of two pieces.
    fn pair(&self, a: Square, b: Square, state: Constant, emit: &mut Emit<'_>) -> ControlFlow<()> {
        let ([fa, ra], [fb, rb]) = (coordinates(a), coordinates(b));
        let difference = |x: u32, y: u32| i64::from(x.abs_diff(y));
        let files = difference(a.file().to_u32(), b.file().to_u32());
        let ranks = difference(a.rank().to_u32(), b.rank().to_u32());
        match self.rule {
            Rule::Line if Position::in_line(a, b) => emit(&[fa, ra, fb, rb, state]),
            Rule::Distance => {
                let distance = Constant::Int(files.max(ranks));
                emit(&[fa, ra, fb, rb, distance, state])
            }
            Rule::ManhattanDistance => {
                let distance = Constant::Int(files + ranks);
                emit(&[fa, ra, fb, rb, distance, state])
            }
            _ => ControlFlow::Continue(()),
        }
    }
}
