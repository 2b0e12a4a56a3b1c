//! Forced mates, found by exhaustive search with a transposition table.

use kibitz_board::{Chess, EnPassantMode, Move, Position, zobrist::Zobrist128};
use rustc_hash::FxHashMap;

use crate::{
    fixed_depth::SearchError,
    game::{Counts, Stop, never},
    quiescent::ForcingMoves,
};

/// A forced mate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mate {
    /// Moves of the winning side, the mating move included.
    pub n_moves: u32,
    /// Every first move of such a mate.
    pub first_moves: Vec<Move>,
}

/// Finds the shortest forced mate by exhaustive search.
///
/// Draws by repetition and by the fifty-move rule are left aside, as in problems. The transposition
/// table is kept for the next search.
///
/// # Examples
/// ```
/// use kibitz_board::{CastlingMode, Chess, fen::Fen};
/// use kibitz_search::{game::never, mates::MateSolver};
///
/// let fen: Fen = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1".parse()?;
/// let position: Chess = fen.into_position(CastlingMode::Standard)?;
/// let mate = MateSolver::default().solve(&position, 3, &mut never)?.expect("two rooks mate");
/// assert_eq!(mate.n_moves, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct MateSolver {
    table: FxHashMap<u128, MateBounds>,
}

/// Bounds on the length of the mate of a position with the attacker to move, in moves.
#[derive(Clone, Copy, Debug)]
struct MateBounds {
    /// No mate is this short, or shorter.
    not_within: u32,
    /// Some mate is no longer; `u32::MAX` if none is known.
    within: u32,
}

impl MateSolver {
    /// The shortest mate in at most `max_moves` moves by the side to move, `None` if there is none.
    ///
    /// `stop` is called before every position with the attacker to move.
    ///
    /// # Errors
    /// [`SearchError::Stopped`] if `stop` said so.
    pub fn solve(
        &mut self,
        position: &Chess,
        max_moves: u32,
        stop: Stop<'_>,
    ) -> Result<Option<Mate>, SearchError> {
        let mut work = Work {
            table: &mut self.table,
            counts: Counts::default(),
            stop,
        };
        for n_moves in 1..=max_moves {
            let mut first_moves = Vec::new();
            for (m, next) in attacks(position, n_moves) {
                if work.is_lost(&next, n_moves)? {
                    first_moves.push(m);
                }
            }
            if !first_moves.is_empty() {
                first_moves.sort_unstable_by_key(|m| (m.from(), m.to(), m.promotion()));
                return Ok(Some(Mate {
                    n_moves,
                    first_moves,
                }));
            }
        }
        Ok(None)
    }

    /// The principal variation of a mate found by [`solve`](Self::solve), from one of its first moves
    /// to the mating move: 2n - 1 plies, if the opponent puts the mate off as long as it can.
    ///
    /// All that it needs is in the transposition table after that search.
    ///
    /// # Errors
    /// [`SearchError::NoMate`] if the move does not begin a mate in `n_moves` that is the shortest.
    pub fn line(
        &mut self,
        position: &Chess,
        first: Move,
        n_moves: u32,
    ) -> Result<Vec<Move>, SearchError> {
        let mut work = Work {
            table: &mut self.table,
            counts: Counts::default(),
            stop: &mut never,
        };
        let mut line = vec![first];
        let mut position = position.clone();
        position.play_unchecked(first);
        for n_left in (1..n_moves).rev() {
            let reply = work.longest_reply(&position, n_left)?;
            position.play_unchecked(reply);
            let mut next = None;
            for (m, after) in attacks(&position, n_left) {
                if work.is_lost(&after, n_left)? {
                    next = Some((m, after));
                    break;
                }
            }
            let (m, after) = next.ok_or(SearchError::NoMate)?;
            line.extend([reply, m]);
            position = after;
        }
        if position.is_checkmate() {
            Ok(line)
        } else {
            Err(SearchError::NoMate)
        }
    }
}

/// Moves that may begin a mate in `n_moves`, checks first, with the positions after them. Only a
/// check mates at once.
fn attacks(position: &Chess, n_moves: u32) -> impl Iterator<Item = (Move, Chess)> {
    let forcing = ForcingMoves::of(position);
    // Borrowed, as the list with its room for every move is large.
    let moves = &position.legal_moves();
    let (checks, mut quiet): (Vec<Move>, Vec<Move>) =
        moves.iter().partition(|m| forcing.gives_check(**m));
    if n_moves == 1 {
        quiet.clear();
    }
    checks.into_iter().chain(quiet).map(|m| {
        let mut next = position.clone();
        next.play_unchecked(m);
        (m, next)
    })
}

struct Work<'w, 's> {
    table: &'w mut FxHashMap<u128, MateBounds>,
    counts: Counts,
    stop: Stop<'s>,
}

impl Work<'_, '_> {
    /// Whether the side to move mates in at most `n_moves` moves.
    fn mates(&mut self, position: &Chess, n_moves: u32) -> Result<bool, SearchError> {
        let key = position.zobrist_hash::<Zobrist128>(EnPassantMode::Legal).0;
        let known = self.table.get(&key).copied().unwrap_or(MateBounds {
            not_within: 0,
            within: u32::MAX,
        });
        if n_moves <= known.not_within {
            return Ok(false);
        }
        if n_moves >= known.within {
            return Ok(true);
        }
        if (self.stop)(self.counts) {
            return Err(SearchError::Stopped);
        }
        self.counts.expanded += 1;
        let mates = if n_moves == 1 {
            ForcingMoves::of(position).can_mate()
        } else {
            self.attacks(position, n_moves)?
        };
        let news = if mates {
            MateBounds {
                within: n_moves,
                ..known
            }
        } else {
            MateBounds {
                not_within: n_moves,
                ..known
            }
        };
        self.table.insert(key, news);
        Ok(mates)
    }

    /// Whether one of the moves of a position begins a mate in `n_moves`.
    fn attacks(&mut self, position: &Chess, n_moves: u32) -> Result<bool, SearchError> {
        for (_, next) in attacks(position, n_moves) {
            if self.is_lost(&next, n_moves)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The first reply after which the opponent needs `n_left` more moves to mate.
    fn longest_reply(&mut self, position: &Chess, n_left: u32) -> Result<Move, SearchError> {
        for m in &position.legal_moves() {
            let mut next = position.clone();
            next.play_unchecked(*m);
            if n_left == 1 || !self.mates(&next, n_left - 1)? {
                return Ok(*m);
            }
        }
        Err(SearchError::NoMate)
    }

    /// Whether the side to move is mated with any defense, after the opponent has made the first of
    /// `n_moves` moves.
    fn is_lost(&mut self, position: &Chess, n_moves: u32) -> Result<bool, SearchError> {
        let replies = position.legal_moves();
        if replies.is_empty() {
            return Ok(position.is_check());
        }
        if n_moves == 1 {
            return Ok(false);
        }
        for m in &replies {
            let mut next = position.clone();
            next.play_unchecked(*m);
            if !self.mates(&next, n_moves - 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use kibitz_board::{CastlingMode, fen::Fen};

    use super::*;

    fn solve(fen: &str, max_moves: u32) -> Option<(u32, String)> {
        let setup: Fen = fen.parse().unwrap();
        let position: Chess = setup.into_position(CastlingMode::Standard).unwrap();
        let mut solver = MateSolver::default();
        let mate = solver.solve(&position, max_moves, &mut never).unwrap()?;
        let moves: Vec<String> = mate.first_moves.iter().map(ToString::to_string).collect();
        for first in mate.first_moves {
            let line = solver.line(&position, first, mate.n_moves).unwrap();
            assert_eq!(line.len(), 2 * mate.n_moves as usize - 1, "{fen}");
            let mut position = position.clone();
            for m in line {
                position = position.play(m).unwrap();
            }
            assert!(position.is_checkmate(), "{fen}");
        }
        Some((mate.n_moves, moves.join(" ")))
    }

    fn check(fen: &str, n_moves: u32, first_moves: &str) {
        let expected = Some((n_moves, first_moves.to_owned()));
        assert_eq!(solve(fen, n_moves), expected, "{fen}");
        assert_eq!(solve(fen, n_moves - 1), None, "{fen}");
    }

    #[test]
    fn mates_are_found_at_their_length() {
        // Back rank; smothered: 1. Qg8+ Rxg8 2. Nf7 mate.
        check("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", 1, "Re1-e8");
        check("5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1", 2, "Qc4-g8");
        // Two rooks from afar.
        check("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 2, "Rb1-b7 Ra2-a7");
        // With king and rook from a known position: 1. Kf6 Kh7 2. Kf7 Kh6... takes three.
        check("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 2, "Kf6-f7");
        check("8/7k/8/5K2/8/8/8/6R1 w - - 0 1", 3, "Kf5-f6");
    }

    #[test]
    fn stalemate_is_no_mate() {
        // Qg6 would be stalemate.
        assert_eq!(solve("7k/5K2/8/6Q1/8/8/8/8 w - - 0 1", 1), {
            let mates = "Qg5-h4 Qg5-h5 Qg5-h6 Qg5-g7 Qg5-g8";
            Some((1, mates.to_owned()))
        });
        assert_eq!(solve("7k/8/8/8/8/8/8/6K1 w - - 0 1", 3), None);
    }

    #[test]
    fn a_move_that_does_not_mate_has_no_line() {
        let fen: Fen = "6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1".parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let moves = position.legal_moves();
        let quiet = moves.iter().find(|m| m.to_string() == "Kg1-f1").unwrap();
        let line = MateSolver::default().line(&position, *quiet, 1);
        assert_eq!(line, Err(SearchError::NoMate));
    }

    #[test]
    fn a_stopped_search_says_so() {
        let result = MateSolver::default().solve(&Chess::default(), 2, &mut |_| true);
        assert_eq!(result, Err(SearchError::Stopped));
    }
}
