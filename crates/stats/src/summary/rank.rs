//! Ranks.

use crate::error::{SampleError, check_finite};

/// Rank of every value, 1 for the smallest; equal values share the mean of their ranks.
///
/// # Errors
/// [`SampleError::NotFinite`].
///
/// # Examples
/// ```
/// use kibitz_stats::summary::ranks;
/// assert_eq!(ranks(&[30.0, 10.0, 20.0, 10.0])?, [4.0, 1.5, 3.0, 1.5]);
/// # Ok::<(), kibitz_stats::SampleError>(())
/// ```
pub fn ranks(values: &[f64]) -> Result<Vec<f64>, SampleError> {
    check_finite(values)?;
    let mut order: Vec<usize> = (0..values.len()).collect();
    // Adding zero makes the two zeros equal.
    order.sort_by(|&a, &b| (values[a] + 0.0).total_cmp(&(values[b] + 0.0)));
    let mut ranks = vec![0.0; values.len()];
    let mut n_before = 0;
    for equals in order.chunk_by(|&a, &b| values[a] >= values[b]) {
        let rank = n_before as f64 + f64::midpoint(1.0, equals.len() as f64);
        for &index in equals {
            ranks[index] = rank;
        }
        n_before += equals.len();
    }
    Ok(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equals_share() {
        assert_eq!(ranks(&[0.0, -0.0, 5.0]).unwrap(), [1.5, 1.5, 3.0]);
        assert_eq!(ranks(&[]).unwrap(), [0.0; 0]);
    }

    proptest! {
        #[test]
        fn ranks_add_up_and_keep_the_order(values in prop::collection::vec(-5i8..5, 0..40)) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let ranks = ranks(&values).unwrap();
            let n = values.len() as f64;
            prop_assert_eq!(ranks.iter().sum::<f64>(), n * (n + 1.0) / 2.0);
            for (a, rank_a) in values.iter().zip(&ranks) {
                for (b, rank_b) in values.iter().zip(&ranks) {
                    prop_assert_eq!(a.partial_cmp(b), rank_a.partial_cmp(rank_b));
                }
            }
        }
    }
}
