//! Players that choose by the softmax of their values: equation (2) of the player-strategy paper.

use kibitz_board::{Chess, MoveList};
use rand::{Rng, RngExt};

/// A player model: it values the moves of a position from the mover's side.
pub trait Model {
    /// Appends one value for each of `moves`, which are the legal moves of `position`, in order.
    fn extend_values(&mut self, position: &Chess, moves: &MoveList, values: &mut Vec<f64>);
}

/// The softmax: turns values into probabilities in place, `exp(v_i) / sum_j exp(v_j)`.
///
/// The largest value is subtracted first to avoid overflow. The sum runs
/// in the order of the slice. An empty slice stays empty.
///
/// # Source
/// Jansen, Dowe and Farr 2000, section 2.1, equation (2).
///
/// # Examples
/// ```
/// let mut values = [1000.0, 1000.0];
/// kibitz_search::player::softmax(&mut values);
/// assert_eq!(values, [0.5, 0.5]);
/// ```
pub fn softmax(values: &mut [f64]) {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut total = 0.0;
    for value in values.iter_mut() {
        *value = (*value - largest).exp();
        total += *value;
    }
    for value in values {
        *value /= total;
    }
}

/// Samples an index from a categorical distribution: `probabilities` sum to 1 up to rounding.
///
/// Draws exactly one uniform number, so the random stream advances equally for every choice.
///
/// # Panics
/// If `probabilities` is empty.
pub fn draw(probabilities: &[f64], rng: &mut impl Rng) -> usize {
    assert!(!probabilities.is_empty(), "nothing to choose from");
    let mut left: f64 = rng.random();
    for (index, probability) in probabilities.iter().enumerate() {
        left -= probability;
        if left < 0.0 {
            return index;
        }
    }
    // Rounding can leave a last sliver: it belongs to the last choice that is possible at all.
    probabilities
        .iter()
        .rposition(|probability| *probability > 0.0)
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

    proptest! {
        #[test]
        fn probabilities_sum_to_one(values in prop::collection::vec(-1e3..1e3, 1..60)) {
            let mut probabilities = values.clone();
            softmax(&mut probabilities);
            prop_assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!(probabilities.iter().all(|p| (0.0..=1.0).contains(p)));
        }
    }

    #[test]
    fn draws_follow_the_probabilities() {
        let probabilities = [0.2, 0.0, 0.5, 0.3];
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut counts = [0_u32; 4];
        for _ in 0..100_000 {
            counts[draw(&probabilities, &mut rng)] += 1;
        }
        assert_eq!(counts[1], 0);
        for (count, probability) in counts.iter().zip(probabilities) {
            // Four standard deviations of a binomial count.
            let spread = 4.0 * (100_000.0 * probability * (1.0 - probability)).sqrt();
            assert!((f64::from(*count) - 100_000.0 * probability).abs() <= spread);
        }
    }
}
