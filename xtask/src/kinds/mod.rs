//! The experiment kinds: where papers meet crates. One file per kind.

mod chess_data;
mod move_coding;
#[cfg(test)]
mod tests;
mod weight_inference;
mod weight_recovery;

use kibitz_lab::Kind;

/// Every kind, sorted by name.
pub(crate) static KINDS: &[&dyn Kind] = &[
    &move_coding::MoveCoding,
    &weight_inference::WeightInference,
    &weight_recovery::WeightRecovery,
];
