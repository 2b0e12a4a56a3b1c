//! The experiments of Sugar 1975, "CHUTE": 22 chess heuristics against master games, error bounds,
//! and Closeness To Win.
//!
//! # Map
//! | module | kind | what it computes |
//! | --- | --- | --- |
//! | `move_ranking` | `move-ranking` | `ranking`, `ranking-variants`: where a polynomial ranks the master moves (appendix 3, section 4.3.1) |
//! | `pruning_errors` | `pruning-errors` | `error-bounds`: error bounds of forward pruning (section 2.2.3) |
//! | `score_regression` | `score-regression` | `table4-3`, `entry-order`, `variance-explained`, `beyond/chute-last-plies`: scores and material against closeness to a win |
//! | `score_statistics` | `score-statistics` | `table4-2-1`, `table4-2-2`, `table4-2-identity`: scores of the first choice and of the master move |
//! | `score_survey` | `score-survey` | `beyond/chute-at-scale`: all of that on an archive |
//! | `score_uncertainty` | `score-uncertainty` | `uncertainty`, `overlap`: the error of the regression predicted, and the bounds that follow (sections 4.2.4 and 5.4) |
//! | `search_comparison` | `search-comparison` | `beyond/ctw-viability`: Closeness To Win against alpha-beta (section 5.5) |
//!
//! `chute_data` reads and scores games, `chute_tally` adds up what the tables rest on.

mod chute_data;
mod chute_tally;
mod move_ranking;
mod pruning_errors;
mod score_regression;
mod score_statistics;
mod score_survey;
mod score_uncertainty;
mod scored_moves;
mod search_comparison;

use kibitz_experiment::{Code, Kind};

/// The code that decides the results.
const CODE: Code = kibitz_experiment::code!();

/// Every kind of this paper.
pub fn kinds() -> Vec<Kind> {
    vec![
        Kind::of::<move_ranking::MoveRanking>(CODE),
        Kind::of::<pruning_errors::PruningErrors>(CODE),
        Kind::of::<score_regression::ScoreRegression>(CODE),
        Kind::of::<score_statistics::ScoreStatistics>(CODE),
        Kind::of::<score_survey::ScoreSurvey>(CODE),
        Kind::of::<score_uncertainty::ScoreUncertainty>(CODE),
        Kind::of::<scored_moves::ScoredMoves>(CODE),
        Kind::of::<search_comparison::SearchComparison>(CODE),
    ]
}
