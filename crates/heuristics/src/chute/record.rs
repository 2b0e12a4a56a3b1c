//! Records of finished games: the move played and the scores of all legal moves at every ply.

use kibitz_board::{Color, Game, Move, Outcome, Position};

use super::{
    Accounts, Context, History, MaterialBalance, MoveScores, Parameters, Polynomial, ctw,
    ctw::{Ending, Phase},
    move_context::MoveContexts,
    moved_pieces,
};

/// The record of one position of a game, for the experiments of the report.
///
/// The report keeps the scores of the move played and of the program's first choice, and the seven
/// best moves; this keeps the scores of all moves, so that any polynomial can rank them.
#[derive(Clone, Debug)]
pub struct PlyRecord {
    /// Number of the ply, from 1.
    pub ply: usize,
    /// Closeness to a win of the side to move, see [`ctw::score`].
    pub closeness: f64,
    /// Material on the board before the move, from the mover's side.
    pub material: MaterialBalance,
    /// Scores of every legal move, in the tie-breaking order of [`rank_moves`](super::rank_moves).
    pub moves: Vec<MoveScores>,
    /// Index of the move played.
    pub played: usize,
    /// The running accounts before the move.
    pub accounts: Accounts,
}

impl PlyRecord {
    /// Phase of the game by ply.
    pub fn phase(&self) -> Phase {
        Phase::of(self.ply)
    }

    /// Scores of the move played, which the report takes to be ideal.
    pub fn played_scores(&self) -> &MoveScores {
        &self.moves[self.played]
    }

    /// The total of every move under a polynomial.
    pub fn totals(&self, polynomial: &Polynomial) -> Vec<f64> {
        self.moves
            .iter()
            .map(|scores| polynomial.total(scores))
            .collect()
    }

    /// Index of the move with the highest of these totals.
    pub fn first_choice(&self, totals: &[f64]) -> usize {
        let mut best = 0;
        for (number, total) in totals.iter().enumerate() {
            if total.total_cmp(&totals[best]).is_gt() {
                best = number;
            }
        }
        best
    }

    /// Position scores after the move with this index.
    pub fn position_scores(&self, number: usize) -> MoveScores {
        self.accounts.preview(&self.moves[number])
    }
}

/// Why a game has no records.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The game has no winner.
    #[error("the game is not decisive")]
    NotDecisive,
}

/// The records of a decisive game, ply by ply.
///
/// Records up to the last of the `doubtful` plies (marked '?') are left out, but enter the running
/// accounts. A game that does not end in checkmate counts as resigned.
///
/// # Source
/// Sugar 1975, sections 3.2.1 to 3.2.3.
///
/// # Errors
/// [`RecordError::NotDecisive`].
///
/// # Examples
/// ```
/// use kibitz_board::pgn::{Policy, read_games};
/// use kibitz_heuristics::chute::{Parameters, Polynomial, record_game};
///
/// let pgn = &b"1. f3 e5 2. g4 Qh4# 0-1"[..];
/// let game = read_games("fool's mate", pgn, Policy::strict()).next().expect("a game")?;
/// let records = record_game(&game, &Parameters::PUBLISHED, &[])?;
/// // White is lost from the start; Black mates with the next ply.
/// assert_eq!((records[0].closeness, records[3].closeness), (-0.25, 1.0));
/// assert_eq!(records[0].moves.len(), 20);
/// // No heuristic knows a mate, so that CHUTE would rather develop.
/// let totals = records[3].totals(&Polynomial::default());
/// assert_ne!(records[3].first_choice(&totals), records[3].played);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn record_game(
    game: &Game,
    parameters: &Parameters,
    doubtful: &[usize],
) -> Result<Vec<PlyRecord>, RecordError> {
    let winner = winner(game).ok_or(RecordError::NotDecisive)?;
    let ending = if game.final_position().is_checkmate() {
        Ending::Checkmate
    } else {
        Ending::Resignation
    };
    let first_valid = ctw::first_valid_ply(doubtful.iter().copied());
    let mut records = Vec::with_capacity(game.n_plies());
    let mut accounts = Accounts::read(parameters.interpretations);
    let mut history = History::default();
    for (index, (position, played)) in game.plies().enumerate() {
        let ply = index + 1;
        let context = Context::with(&position, history, parameters);
        let mut contexts = MoveContexts::new(&context);
        let played_scores = contexts.of(played).scores();
        let is_winning = position.turn() == winner;
        if ply >= first_valid
            && let Some(closeness) = ctw::score(ply, game.n_plies(), ending, is_winning)
        {
            let mut moves: Vec<(u32, Move)> = position
                .legal_moves()
                .into_iter()
                .map(|m| (tie_order(m), m))
                .collect();
            moves.sort_unstable_by_key(|&(order, _)| order);
            // A game's moves are legal, so that the move played is among them.
            let number = moves.iter().position(|&(_, m)| m == played).unwrap_or(0);
            let score = |(_, m): (u32, Move)| {
                if m == played {
                    played_scores
                } else {
                    contexts.of(m).scores()
                }
            };
            records.push(PlyRecord {
                ply,
                closeness,
                material: MaterialBalance::of(position.board(), position.turn()),
                moves: moves.into_iter().map(score).collect(),
                played: number,
                accounts: accounts.clone(),
            });
        }
        accounts.play(&played_scores);
        history = history.after(played);
    }
    Ok(records)
}

fn winner(game: &Game) -> Option<Color> {
    match game.outcome() {
        Outcome::Known(known) => known.winner(),
        Outcome::Unknown => None,
    }
}

/// The tie-breaking order of moves: by origin, target square, promotion piece.
pub(super) fn tie_order(m: Move) -> u32 {
    let (piece, _) = moved_pieces(m);
    (piece.from.to_u32() << 6 | piece.to.to_u32()) << 3 | u32::from(piece.becomes)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "whole numbers are exact")]
mod tests {
    use kibitz_board::pgn::{Policy, read_games};

    use super::*;
    use crate::chute::rank_moves;

    fn game(pgn: &str) -> Game {
        let mut games = read_games("test", pgn.as_bytes(), Policy::strict());
        games.next().unwrap().unwrap()
    }

    const GAME: &str = "1. e4 e5 2. Nf3 Nc6 3. Bc4 d6 4. Nc3 Bg4 5. Nxe5 Bxd1 6. Bxf7+ Ke7 1-0";

    #[test]
    fn accounts_run_on_over_discarded_records() {
        let game = game(GAME);
        let parameters = Parameters::PUBLISHED;
        let all = record_game(&game, &parameters, &[]).unwrap();
        let late = record_game(&game, &parameters, &[8, 3]).unwrap();
        assert_eq!((all.len(), late.len()), (12, 4));
        assert_eq!(late[0].ply, 9);
        for (all, late) in all[8..].iter().zip(&late) {
            assert_eq!(all.accounts, late.accounts);
            assert_eq!(all.closeness, late.closeness);
            assert_eq!(all.moves, late.moves);
        }
        // Resigned with fewer than 30 moves: six plies are credited.
        assert_eq!(late[3].closeness, -1.0 / 7.0);
        // Black has won the queen for two pawns.
        assert_eq!(late[3].material.total(), 9.75 - 2.0);
    }

    #[test]
    fn moves_are_ranked_as_the_program_ranks_them() {
        let game = game(GAME);
        let parameters = Parameters::PUBLISHED;
        let records = record_game(&game, &parameters, &[]).unwrap();
        let mut history = History::default();
        for (record, (position, played)) in records.iter().zip(game.plies()) {
            let context = Context::with(&position, history, &parameters);
            let ranked = rank_moves(&context, &Polynomial::default());
            let totals = record.totals(&Polynomial::default());
            let choice = record.first_choice(&totals);
            assert_eq!(record.moves[choice], ranked[0].scores);
            assert_eq!(totals[choice], ranked[0].total);
            let played_scores = ranked.iter().find(|ranked| ranked.m == played).unwrap();
            assert_eq!(record.played_scores(), &played_scores.scores);
            history = history.after(played);
        }
    }

    #[test]
    fn drawn_games_have_no_records() {
        let drawn = game("1. e4 e5 1/2-1/2");
        let error = record_game(&drawn, &Parameters::PUBLISHED, &[]).unwrap_err();
        assert_eq!(error, RecordError::NotDecisive);
    }
}
