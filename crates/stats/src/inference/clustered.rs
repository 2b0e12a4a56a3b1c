//! Cluster-robust standard errors of maximum likelihood estimates.

use nalgebra::{DMatrix, DVector};

use crate::error::{SampleError, check_finite};

/// Minimum number of groups for a cluster-robust covariance.
///
/// With fewer groups the standard errors are too small; with fewer groups than parameters the
/// covariance is singular.
pub const MIN_CLUSTERS: usize = 20;

/// Covariance of maximum likelihood estimates when choices are independent between groups (games),
/// not within them: the sandwich estimate.
///
/// `covariance` is the inverse of the observed information, the covariance if the model were true and
/// all choices independent; `scores` holds the gradient of the log-likelihood of each group at the
/// maximum. Scaled by G / (G - 1) for G groups.
///
/// # Source
/// White 1982, "Maximum likelihood estimation of misspecified models"; over clusters, Liang and Zeger
/// 1986, "Longitudinal data analysis using generalized linear models".
///
/// # Errors
/// [`SampleError::TooFew`] with fewer than [`MIN_CLUSTERS`] groups, [`SampleError::LengthsDiffer`]
/// for a score of another length than `covariance` has rows, [`SampleError::NotFinite`].
///
/// # Examples
/// ```
/// use kibitz_stats::{ChoiceSets, ConditionalLogit, inference::clustered_covariance};
/// use kibitz_stats::optimize::Differentiable;
/// let mut sets = ChoiceSets::builder(1);
/// for game in 0..30 {
///     for _ in 0..10 {
///         // All choices of a game are alike.
///         sets.push(game, usize::from(game % 3 == 0), [[1.0], [0.0]])?;
///     }
/// }
/// let sets = sets.build();
/// let fit = ConditionalLogit::new(&sets).fit()?;
/// let score = |&game| {
///     let game = sets.by_groups(&[game]);
///     ConditionalLogit::new(&game).first_order(&fit.weights).gradient
/// };
/// let scores: Vec<_> = sets.groups().iter().map(score).collect();
/// let naive = fit.covariance.expect("there is a maximum");
/// let clustered = clustered_covariance(&naive, &scores)?;
/// // Ten choices of a game say no more than one does.
/// assert!((clustered[(0, 0)] / naive[(0, 0)] / 10.0 - 30.0 / 29.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn clustered_covariance(
    covariance: &DMatrix<f64>,
    scores: &[DVector<f64>],
) -> Result<DMatrix<f64>, SampleError> {
    let found = scores.len();
    if found < MIN_CLUSTERS {
        return Err(SampleError::TooFew {
            needed: MIN_CLUSTERS,
            found,
        });
    }
    let n = covariance.nrows();
    check_finite(covariance.as_slice())?;
    let mut between = DMatrix::zeros(n, n);
    for score in scores {
        if score.len() != n {
            return Err(SampleError::LengthsDiffer {
                left: n,
                right: score.len(),
            });
        }
        check_finite(score.as_slice())?;
        between += score * score.transpose();
    }
    let n_groups = found as f64;
    Ok(covariance * between * covariance * (n_groups / (n_groups - 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::ChoiceSets;
    use crate::logit::ConditionalLogit;
    use crate::optimize::Differentiable;
    use proptest::prelude::*;

    /// Model-based and clustered variances of the first weight, every choice repeated in its group.
    fn variances(chosen: &[usize], rows: &[[f64; 4]], times: usize) -> Option<[f64; 2]> {
        let mut sets = ChoiceSets::builder(2);
        for (group, (chosen, row)) in (0..).zip(chosen.iter().zip(rows)) {
            for _ in 0..times {
                sets.push(group, *chosen, row.chunks_exact(2)).unwrap();
            }
        }
        let sets = sets.build();
        let fit = ConditionalLogit::new(&sets).fit().ok()?;
        let naive = fit.covariance.as_ref()?;
        let score = |group: &u32| {
            let group = sets.by_groups(&[*group]);
            ConditionalLogit::new(&group)
                .first_order(&fit.weights)
                .gradient
        };
        let scores: Vec<DVector<f64>> = sets.groups().iter().map(score).collect();
        let clustered = clustered_covariance(naive, &scores).unwrap();
        Some([naive[(0, 0)], clustered[(0, 0)]])
    }

    proptest! {
        #[test]
        fn repeated_choices_of_a_group_tell_nothing_new(
            drawn in prop::collection::vec((0usize..2, prop::array::uniform4(-2.0f64..2.0)), 30..60),
        ) {
            let (chosen, rows): (Vec<usize>, Vec<[f64; 4]>) = drawn.into_iter().unzip();
            let (once, thrice) = (variances(&chosen, &rows, 1), variances(&chosen, &rows, 3));
            if let (Some([naive, clustered]), Some([naive_3, clustered_3])) = (once, thrice) {
                prop_assert!((naive / naive_3 - 3.0).abs() < 1e-6);
                prop_assert!((clustered / clustered_3 - 1.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_few_groups_do_not_tell() {
        let scores = vec![DVector::from_element(1, 0.5); MIN_CLUSTERS - 1];
        let covariance = DMatrix::identity(1, 1);
        assert_eq!(
            clustered_covariance(&covariance, &scores),
            Err(SampleError::TooFew {
                needed: MIN_CLUSTERS,
                found: MIN_CLUSTERS - 1
            })
        );
        let scores = vec![DVector::from_element(2, 0.5); MIN_CLUSTERS];
        let wrong = clustered_covariance(&covariance, &scores);
        assert_eq!(wrong, Err(SampleError::LengthsDiffer { left: 1, right: 2 }));
    }
}
