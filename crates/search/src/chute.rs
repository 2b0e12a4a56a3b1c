//! Chess as CHUTE sees it: the game that the tree searches search.
//!
//! One polynomial ranks the moves of a position, which is the order in which they are searched and
//! by which forward pruning keeps them, and scores the positions that the search stops at.

use kibitz_board::{
    Bitboard, Chess, Color, EnPassantMode, Move, Position, Role, zobrist::Zobrist128,
};
use kibitz_heuristics::chute::{Context, History, Parameters, Polynomial, rank_moves};
use std::{collections::BTreeSet, fmt};

mod estimate;

pub use estimate::Uncertainty;

use crate::game::{End, Game, SCORE_LIMIT};

/// How a leaf of the search tree is evaluated from the scores of moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Scoring {
    /// The score of its best move, as CHUTE did.
    ///
    /// It ignores the moves on the way: a queen that was won a ply before is not in it.
    ///
    /// # Source
    /// Sugar 1975, section 2.2.1.4, p. 34.
    BestMove,
    /// The mover's account: the scores of its moves since the root less those of the opponent, and
    /// the score of its best move.
    ///
    /// The same position reached by two lines has two scores.
    ///
    /// # Source
    /// Sugar 1975, section 3.2.2, pp. 52-53: the conversion from move scores to position scores,
    /// with the root as the start of the game.
    #[default]
    Account,
    /// The score of its best move, and the mover's advantage in material times a number of points
    /// for a pawn.
    ///
    /// Heuristic 12 gives 225 points for winning a pawn. This variant is not in the thesis: its score
    /// includes captured material and depends on the position alone.
    Material(f64),
}

/// Values of the pieces in pawns: pawn, knight, bishop, rook, queen.
///
/// # Source
/// Sugar 1975, section 3.3.3, p. 63: the measure MATRL, with the weights of the Greenblatt program.
const MATRL: [(Role, f64); 5] = [
    (Role::Pawn, 1.0),
    (Role::Knight, 3.25),
    (Role::Bishop, 3.5),
    (Role::Rook, 5.0),
    (Role::Queen, 9.75),
];

/// Half-moves without capture or pawn move from which on their number distinguishes positions: from
/// here the search can reach the fifty-move rule.
const CLOCK_IN_SIGHT: u32 = 50;

/// How CHUTE ranks moves and scores positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The weights of the heuristics.
    pub polynomial: Polynomial,
    /// The numbers behind the heuristics.
    pub parameters: Parameters,
    /// How the leaves of the tree are evaluated.
    pub scoring: Scoring,
    /// Whether positions in the tree store the opponent's last move, which heuristic 9 needs.
    /// Then positions do not transpose by different last moves. Heuristic 20 works at the root only,
    /// "outside the lookahead".
    pub remembers_last_move: bool,
    /// How sure scores are, for [`ctw`](crate::ctw).
    pub uncertainty: Uncertainty,
}

impl Default for Evaluation {
    fn default() -> Self {
        Self {
            polynomial: Polynomial::default(),
            parameters: Parameters::PUBLISHED,
            scoring: Scoring::default(),
            remembers_last_move: true,
            uncertainty: Uncertainty::default(),
        }
    }
}

/// The game of chess with CHUTE's evaluation.
///
/// Draws are: a repetition of a position of the game so far ([`ChuteGame::with_past`]), insufficient
/// material, and fifty moves without capture or pawn move. The root is never a draw if it has a legal
/// move, since nobody has claimed one.
#[derive(Clone, Debug, Default)]
pub struct ChuteGame {
    evaluation: Evaluation,
    past: BTreeSet<u128>,
}

/// A position of [`ChuteGame`].
#[derive(Clone, Debug)]
pub struct ChutePosition {
    chess: Chess,
    history: History,
    account: Account,
    /// The only moves to be looked at here; all if empty.
    only: Vec<Move>,
    is_root: bool,
}

impl ChutePosition {
    /// The same position with its moves restricted to these; with all of them if `moves` is empty.
    #[must_use]
    pub fn with_only(self, moves: Vec<Move>) -> Self {
        Self {
            only: moves,
            ..self
        }
    }

    /// The position on the board.
    pub fn chess(&self) -> &Chess {
        &self.chess
    }
}

/// Running accounts of the sums of all heuristics:
/// [`Accounts`](kibitz_heuristics::chute::Accounts) for the polynomial as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Account {
    mover: f64,
    opponent: f64,
    last: f64,
}

impl Account {
    fn preview(self, score: f64) -> f64 {
        self.mover - self.last + score
    }

    fn after(self, score: f64) -> Account {
        Account {
            mover: self.opponent,
            opponent: self.preview(score),
            last: score,
        }
    }
}

/// A move with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChuteMove {
    /// The move.
    pub m: Move,
    /// Its score by the polynomial.
    pub score: f64,
}

impl fmt::Display for ChuteMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.m.fmt(f)
    }
}

/// The transposition key of a position of [`ChuteGame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChuteKey {
    zobrist: u128,
    last_move: Option<Move>,
    clock: u32,
    account: [u64; 3],
}

fn zobrist(chess: &Chess) -> u128 {
    chess.zobrist_hash::<Zobrist128>(EnPassantMode::Legal).0
}

impl ChuteGame {
    /// The game with this evaluation.
    pub fn new(evaluation: Evaluation) -> Self {
        Self {
            evaluation,
            past: BTreeSet::new(),
        }
    }

    /// The game after these positions, whose repetition is a draw.
    #[must_use]
    pub fn with_past<'a>(self, past: impl IntoIterator<Item = &'a Chess>) -> Self {
        Self {
            past: past.into_iter().map(zobrist).collect(),
            ..self
        }
    }

    /// The position to search, without history.
    pub fn root(&self, chess: &Chess) -> ChutePosition {
        self.root_after(chess, History::default())
    }

    /// The position to search, after the moves of `history`.
    pub fn root_after(&self, chess: &Chess, history: History) -> ChutePosition {
        ChutePosition {
            chess: chess.clone(),
            history,
            account: Account::default(),
            only: Vec::new(),
            is_root: true,
        }
    }

    fn context<'a>(&'a self, position: &'a ChutePosition) -> Context<'a> {
        Context::with(
            &position.chess,
            position.history,
            &self.evaluation.parameters,
        )
    }
}

/// Advantage of the side to move in material, in pawns.
fn material(chess: &Chess) -> f64 {
    let board = chess.board();
    let count = |color: Color, pieces: Bitboard| (board.by_color(color) & pieces).count() as f64;
    MATRL
        .iter()
        .map(|&(role, value)| {
            let pieces = board.by_role(role);
            value * (count(chess.turn(), pieces) - count(!chess.turn(), pieces))
        })
        .sum()
}

impl Game for ChuteGame {
    type Position = ChutePosition;
    type Move = ChuteMove;
    type Key = ChuteKey;

    fn key(&self, position: &ChutePosition) -> ChuteKey {
        let halfmoves = position.chess.halfmoves();
        let Account {
            mover,
            opponent,
            last,
        } = match self.evaluation.scoring {
            Scoring::Account => position.account,
            Scoring::BestMove | Scoring::Material(_) => Account::default(),
        };
        ChuteKey {
            zobrist: zobrist(&position.chess),
            last_move: position.history.opponent,
            clock: if halfmoves < CLOCK_IN_SIGHT {
                0
            } else {
                halfmoves
            },
            account: [mover, opponent, last].map(f64::to_bits),
        }
    }

    fn end(&self, position: &ChutePosition) -> Option<End> {
        let chess = &position.chess;
        if chess.legal_moves().is_empty() {
            let is_mate = chess.is_check();
            return Some(if is_mate { End::Lost } else { End::Drawn });
        }
        let is_drawn = !position.is_root
            && (chess.is_insufficient_material()
                || chess.halfmoves() >= 100
                || (!self.past.is_empty() && self.past.contains(&zobrist(chess))));
        is_drawn.then_some(End::Drawn)
    }

    fn moves(&self, position: &ChutePosition) -> Vec<ChuteMove> {
        rank_moves(&self.context(position), &self.evaluation.polynomial)
            .into_iter()
            .filter(|ranked| position.only.is_empty() || position.only.contains(&ranked.m))
            .map(|ranked| ChuteMove {
                m: ranked.m,
                score: ranked.total,
            })
            .collect()
    }

    fn play(&self, position: &ChutePosition, m: ChuteMove) -> ChutePosition {
        let mut chess = position.chess.clone();
        chess.play_unchecked(m.m);
        ChutePosition {
            chess,
            history: History {
                opponent: self.evaluation.remembers_last_move.then_some(m.m),
                ..History::default()
            },
            account: position.account.after(m.score),
            only: Vec::new(),
            is_root: false,
        }
    }

    fn evaluate(&self, position: &ChutePosition) -> f64 {
        let best = self
            .evaluation
            .polynomial
            .position_score(&self.context(position))
            .unwrap_or(0.0);
        let score = match self.evaluation.scoring {
            Scoring::BestMove => best,
            Scoring::Account => position.account.preview(best),
            Scoring::Material(pawn) => best + pawn * material(&position.chess),
        };
        score.clamp(-SCORE_LIMIT, SCORE_LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use kibitz_board::{CastlingMode, fen::Fen, san::San};
    use proptest::prelude::*;

    use super::*;
    use crate::{
        fixed_depth::{AlphaBeta, minimax},
        game::{Verdict, never},
    };

    fn position(fen: &str) -> Chess {
        let fen: Fen = fen.parse().unwrap();
        fen.into_position(CastlingMode::Standard).unwrap()
    }

    fn check(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} and {b}");
    }

    #[test]
    fn the_three_scorings_differ_in_what_they_remember() {
        // White takes a rook, Black moves the king.
        let start = position("7k/8/8/3r4/8/2N5/8/K7 w - - 0 1");
        let score = |scoring| {
            let game = ChuteGame::new(Evaluation {
                scoring,
                ..Evaluation::default()
            });
            let root = game.root(&start);
            let capture = game.moves(&root)[0];
            assert_eq!(capture.to_string(), "Nc3xd5");
            let after = game.play(&root, capture);
            let reply = game.moves(&after)[0];
            let last = game.play(&after, reply);
            let best = game.moves(&last)[0].score;
            (capture.score, reply.score, best, game.evaluate(&last))
        };
        let (_, _, best, value) = score(Scoring::BestMove);
        check(value, best);
        let (capture, reply, best, value) = score(Scoring::Account);
        check(value, capture - reply + best);
        let (_, _, best, value) = score(Scoring::Material(225.0));
        check(value, best + 225.0 * 3.25);
    }

    #[test]
    fn draws_are_seen() {
        let game = ChuteGame::default();
        let met = |game: &ChuteGame, fen: &str| {
            let root = game.root(&position(fen));
            game.end(&ChutePosition {
                is_root: false,
                ..root
            })
        };
        let end = |fen: &str| met(&game, fen);
        assert_eq!(end("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"), Some(End::Drawn));
        assert_eq!(
            end("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 100 80"),
            Some(End::Drawn)
        );
        assert_eq!(end("6k1/8/8/8/8/8/8/6K1 w - - 0 1"), Some(End::Drawn));
        assert_eq!(end("4R1k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"), Some(End::Lost));
        assert_eq!(end("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 99 80"), None);
        let seen = "6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1";
        let game = ChuteGame::default().with_past([&position(seen)]);
        assert_eq!(met(&game, seen), Some(End::Drawn));
        assert_eq!(game.end(&game.root(&position(seen))), None);
    }

    #[test]
    fn a_mate_in_two_is_found_at_three_plies() {
        // 1. Rb7, and the other rook mates on the last rank.
        let start = position("7k/8/8/8/8/8/R7/1R5K w - - 0 1");
        let game = ChuteGame::default();
        let found = AlphaBeta::new(&game)
            .search(&game.root(&start), 3, &mut never)
            .unwrap();
        assert_eq!(Verdict::of(found.value), Verdict::Wins(3));
        let mut chess = start;
        for m in &found.line {
            chess.play_unchecked(m.m);
        }
        assert!(chess.is_checkmate(), "{:?}", found.line);
    }

    #[test]
    fn moves_can_be_restricted() {
        let start = Chess::default();
        let game = ChuteGame::default();
        let only: Vec<Move> = start.legal_moves().into_iter().skip(3).take(2).collect();
        let root = game.root(&start).with_only(only.clone());
        let moves = game.moves(&root);
        assert_eq!(moves.len(), 2);
        assert!(moves.iter().all(|m| only.contains(&m.m)));
        assert_eq!(game.moves(&game.play(&root, moves[0])).len(), 20);
    }

    #[test]
    fn the_same_piece_twice_is_discouraged_at_the_root_only() {
        let mut chess = Chess::default();
        let mut history = History::default();
        for san in ["Nf3", "Nf6"] {
            let m = san.parse::<San>().unwrap().to_move(&chess).unwrap();
            chess.play_unchecked(m);
            history = history.after(m);
        }
        let game = ChuteGame::default();
        let score = |root: &ChutePosition| {
            let moves = game.moves(root);
            let knight = moves.iter().find(|m| m.to_string() == "Nf3-d4");
            knight.expect("legal").score
        };
        let plain = score(&game.root(&chess));
        check(score(&game.root_after(&chess, history)) + 56.0, plain);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn alpha_beta_is_minimax_in_chess(choices in prop::collection::vec(any::<u16>(), 0..100)) {
            let mut chess = Chess::default();
            for choice in choices {
                let moves = chess.legal_moves();
                let mut next = chess.clone();
                next.play_unchecked(moves[choice as usize % moves.len()]);
                if next.is_game_over() {
                    break;
                }
                chess = next;
            }
            for scoring in [Scoring::BestMove, Scoring::Account, Scoring::Material(225.0)] {
                let game = ChuteGame::new(Evaluation { scoring, ..Evaluation::default() });
                let root = game.root(&chess);
                let expected = minimax(&game, &root, 2, &mut never).unwrap();
                let found = AlphaBeta::new(&game).search(&root, 2, &mut never).unwrap();
                prop_assert_eq!(found.value.to_bits(), expected.value.to_bits());
                prop_assert_eq!(found.line[0], expected.line[0]);
            }
        }
    }
}
