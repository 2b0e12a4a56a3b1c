//! A game of chess: tags, start position, and legal moves.

use shakmaty::{CastlingMode, Chess, Color, Move, Outcome, Position, uci::UciMove};
use thiserror::Error;

use crate::{GameKey, Tags};

/// A game of chess, with the moves of its main line.
///
/// Every move is legal: the constructors check it, and the fields are private.
#[derive(Clone, Debug)]
pub struct Game {
    tags: Tags,
    start: Chess,
    moves: Vec<Move>,
    outcome: Outcome,
}

/// An illegal move of a game.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("move {ply} ({uci}) is illegal where it stands")]
pub struct IllegalMove {
    /// Zero-based index of the move in the game.
    pub ply: usize,
    /// The move, in UCI notation.
    pub uci: String,
}

impl Game {
    /// Game of `moves` played from `start`.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] for the first illegal move.
    pub fn new(
        tags: Tags,
        start: Chess,
        moves: Vec<Move>,
        outcome: Outcome,
    ) -> Result<Game, IllegalMove> {
        let mut position = start.clone();
        for (ply, &m) in moves.iter().enumerate() {
            if !position.is_legal(m) {
                let uci = UciMove::from_standard(m).to_string();
                return Err(IllegalMove { ply, uci });
            }
            position.play_unchecked(m);
        }
        Ok(Game::from_legal(tags, start, moves, outcome))
    }

    /// Game of `moves` that the caller has already played from `start`.
    pub(crate) fn from_legal(tags: Tags, start: Chess, moves: Vec<Move>, outcome: Outcome) -> Game {
        Game {
            tags,
            start,
            moves,
            outcome,
        }
    }

    /// The tags: players, place and date.
    pub fn tags(&self) -> &Tags {
        &self.tags
    }

    /// The tags, mutable.
    pub fn tags_mut(&mut self) -> &mut Tags {
        &mut self.tags
    }

    /// The position before the first move.
    pub fn start(&self) -> &Chess {
        &self.start
    }

    /// The moves of the main line, in order.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Number of plies (half-moves).
    pub fn n_plies(&self) -> usize {
        self.moves.len()
    }

    /// The outcome; [`Outcome::Unknown`] for an unfinished game.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// The castling mode: Chess960 or standard chess.
    pub fn castling_mode(&self) -> CastlingMode {
        self.start.castles().mode()
    }

    /// Whether the game starts from the standard initial position.
    pub fn starts_normally(&self) -> bool {
        self.castling_mode().is_standard() && self.start == Chess::default()
    }

    /// Every move with the position before it, in order.
    ///
    /// # Examples
    ///
    /// ```
    /// use kibitz_board::{Position, pgn};
    ///
    /// let text = "1. e4 e5 2. Nf3 *";
    /// let game = pgn::read_games("example", text.as_bytes(), pgn::Policy::default())
    ///     .next()
    ///     .expect("there is a game")?;
    /// let choices: Vec<usize> =
    ///     game.plies().map(|(position, _)| position.legal_moves().len()).collect();
    /// assert_eq!(choices, [20, 20, 29]);
    /// # Ok::<(), pgn::ReadError>(())
    /// ```
    pub fn plies(&self) -> Plies<'_> {
        Plies {
            position: self.start.clone(),
            moves: self.moves.iter(),
        }
    }

    /// The moves of one side, each with the position before it.
    pub fn plies_of(&self, color: Color) -> impl Iterator<Item = (Chess, Move)> + '_ {
        self.plies()
            .filter(move |(position, _)| position.turn() == color)
    }

    /// The position after the last move.
    pub fn final_position(&self) -> Chess {
        let mut position = self.start.clone();
        for &m in &self.moves {
            position.play_unchecked(m);
        }
        position
    }

    /// The key of the move sequence, independent of tags, outcome and start position.
    pub fn key(&self) -> GameKey {
        GameKey::of_moves(&self.moves, self.castling_mode())
    }
}

/// Equality of tags, start, moves and outcome; starts are equal with the same pieces, rights and move
/// counters.
impl PartialEq for Game {
    fn eq(&self, other: &Game) -> bool {
        self.tags == other.tags
            && self.start == other.start
            && self.start.halfmoves() == other.start.halfmoves()
            && self.start.fullmoves() == other.start.fullmoves()
            && self.castling_mode() == other.castling_mode()
            && self.moves == other.moves
            && self.outcome == other.outcome
    }
}

impl Eq for Game {}

/// Iterator over the moves of a game with the position before each, see [`Game::plies`].
#[derive(Clone, Debug)]
pub struct Plies<'a> {
    position: Chess,
    moves: std::slice::Iter<'a, Move>,
}

impl Iterator for Plies<'_> {
    type Item = (Chess, Move);

    fn next(&mut self) -> Option<(Chess, Move)> {
        let &m = self.moves.next()?;
        let before = self.position.clone();
        self.position.play_unchecked(m);
        Some((before, m))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.moves.size_hint()
    }
}

impl ExactSizeIterator for Plies<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(ucis: &[&str]) -> Vec<Move> {
        let mut position = Chess::default();
        let mut moves = Vec::new();
        for uci in ucis {
            let m = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
            position.play_unchecked(m);
            moves.push(m);
        }
        moves
    }

    #[test]
    fn an_illegal_move_is_named_with_its_place() {
        let mut line = moves(&["e2e4", "e7e5", "g1f3"]);
        line.swap(1, 2);
        let error =
            Game::new(Tags::default(), Chess::default(), line, Outcome::Unknown).unwrap_err();
        assert_eq!(
            error,
            IllegalMove {
                ply: 1,
                uci: "g1f3".to_owned()
            }
        );
    }

    #[test]
    fn plies_pair_each_move_with_the_position_before_it() {
        let line = moves(&["e2e4", "e7e5", "g1f3", "b8c6"]);
        let game = Game::new(
            Tags::default(),
            Chess::default(),
            line.clone(),
            Outcome::Unknown,
        )
        .unwrap();
        assert_eq!(game.plies().len(), 4);
        let mut replayed = Chess::default();
        for ((before, m), &expected) in game.plies().zip(&line) {
            assert_eq!(before, replayed);
            assert_eq!(m, expected);
            replayed.play_unchecked(m);
        }
        assert_eq!(game.final_position(), replayed);
        assert_eq!(game.plies_of(Color::Black).count(), 2);
    }
}
