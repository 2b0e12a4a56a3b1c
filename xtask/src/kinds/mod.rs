//! The experiment kinds: where papers meet crates. One file per kind.

mod chess_data;
mod move_coding;
mod quiescent_coding;
mod quiescent_data;
mod quiescent_inference;
mod quiescent_recovery;
mod search_comparison;
#[cfg(test)]
mod tests;
mod weight_inference;
mod weight_recovery;
mod who_played;

use kibitz_lab::Kind;

/// Every kind, sorted by name.
pub(crate) static KINDS: &[&dyn Kind] = &[
    &move_coding::MoveCoding,
    &quiescent_coding::QuiescentCoding,
    &quiescent_inference::QuiescentInference,
    &quiescent_recovery::QuiescentRecovery,
    &search_comparison::SearchComparison,
    &weight_inference::WeightInference,
    &weight_recovery::WeightRecovery,
    &who_played::WhoPlayed,
];
