//! The experiment kinds: where papers meet crates. One file per kind.

mod chess_data;
mod move_coding;
mod quiescent_coding;
mod quiescent_data;
mod quiescent_inference;
mod quiescent_recovery;
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
    &weight_inference::WeightInference,
    &weight_recovery::WeightRecovery,
    &who_played::WhoPlayed,
];

#[cfg(test)]
mod tests {
    use super::KINDS;

    #[test]
    fn kinds_are_unique_and_sorted() {
        let names: Vec<_> = KINDS.iter().map(|kind| kind.name()).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
    }
}
