//! The experiment kinds: where papers meet crates. One file per kind.

mod chess_data;
mod chute_data;
mod chute_tally;
mod concept_learning;
mod concept_trace;
mod example_learning;
mod example_order;
mod move_coding;
mod move_ranking;
mod pruning_errors;
mod quiescent_coding;
mod quiescent_data;
mod quiescent_inference;
mod quiescent_recovery;
mod score_regression;
mod score_statistics;
mod score_survey;
mod score_uncertainty;
mod search_comparison;
#[cfg(test)]
mod tests;
mod weight_inference;
mod weight_recovery;
mod who_played;

use kibitz_lab::Kind;

/// Every kind, sorted by name.
pub(crate) static KINDS: &[&dyn Kind] = &[
    &concept_learning::ConceptLearning,
    &concept_trace::ConceptTrace,
    &example_learning::ExampleLearning,
    &example_order::ExampleOrder,
    &move_coding::MoveCoding,
    &move_ranking::MoveRanking,
    &pruning_errors::PruningErrors,
    &quiescent_coding::QuiescentCoding,
    &quiescent_inference::QuiescentInference,
    &quiescent_recovery::QuiescentRecovery,
    &score_regression::ScoreRegression,
    &score_statistics::ScoreStatistics,
    &score_survey::ScoreSurvey,
    &score_uncertainty::ScoreUncertainty,
    &search_comparison::SearchComparison,
    &weight_inference::WeightInference,
    &weight_recovery::WeightRecovery,
    &who_played::WhoPlayed,
];
