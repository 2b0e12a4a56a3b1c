//! The experiments of Sugar 1975, "CHUTE": 22 chess heuristics against master games, error bounds,
//! and Closeness To Win.
//!
//! # Map
//! | module | kind | what it computes |
//! | --- | --- | --- |
//! | `move_losses` | `move-losses` | `losses`: the dataset of the material that each move lost, by a search (section 3.2.3) |
//! | `pruning_errors` | `pruning-errors` | `error-bounds`: error bounds of forward pruning (section 2.2.3) |
//! | `reading_trials` | `reading-trials` | `reading-trials`: interpretations evaluated on held-out figures |
//! | `score_readings` | `score-readings` | `readings`, `incomplete`, `identified-games`: sensitivity of the results to interpretations and games |
//! | `score_survey` | `score-survey` | `beyond/chute-at-scale`: the main tables on an archive |
//! | `score_uncertainty` | `score-uncertainty` | `uncertainty`, `overlap`: prediction of the regression error, and score bounds (sections 4.2.4 and 5.4) |
//! | `search_comparison` | `search-comparison` | `beyond/ctw-viability`: Closeness To Win against alpha-beta (section 5.5) |
//! | `scored_moves` | `scored-moves` | `scores`: the dataset of every legal move with its scores (chapter 3) |
//! | `tournament_moves` | `tournament-moves` | `tournament-games`: interpretations evaluated on the moves that CHUTE itself played |
//! | `tree_search` | `tree-search` | `example-tree`: minimax and alpha-beta on the tree of Figs. 2.1 to 2.3 (section 2.1) |
//! | `value_inference` | `value-inference` | `beyond/chute-values`: values of pieces and squares inferred from published moments |
//!
//! `scored_games` reads and scores games; `sufficient_statistics` accumulates moments and ranks for the
//! tables; `published` reads published values, for methods that use them as input.

mod move_losses;
mod pruning_errors;
mod published;
mod reading_trials;
mod score_readings;
mod score_survey;
mod score_uncertainty;
mod scored_games;
mod scored_moves;
mod search_comparison;
mod sufficient_statistics;
mod tournament_moves;
mod tree_search;
mod value_inference;

use kibitz_experiment::{Code, Kind};

/// The code that decides the results.
const CODE: Code = kibitz_experiment::code!();

/// Every kind of this paper.
pub fn kinds() -> Vec<Kind> {
    vec![
        Kind::of::<move_losses::MoveLosses>(CODE),
        Kind::of::<pruning_errors::PruningErrors>(CODE),
        Kind::of::<reading_trials::ReadingTrials>(CODE),
        Kind::of::<score_readings::ScoreReadings>(CODE),
        Kind::of::<score_survey::ScoreSurvey>(CODE),
        Kind::of::<score_uncertainty::ScoreUncertainty>(CODE),
        Kind::of::<scored_moves::ScoredMoves>(CODE),
        Kind::of::<search_comparison::SearchComparison>(CODE),
        Kind::of::<tournament_moves::TournamentMoves>(CODE),
        Kind::of::<tree_search::TreeSearch>(CODE),
        Kind::of::<value_inference::ValueInference>(CODE),
    ]
}
