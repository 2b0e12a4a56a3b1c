//! Forward selection (stepwise regression).

use super::{COLLINEARITY, RegressionError, least_squares::correlations};
use crate::moments::CrossMoments;

/// A step of forward selection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// The variable that enters, by its number in the moments.
    pub variable: usize,
    /// Share of the variance explained once it is in.
    pub r_squared: f64,
    /// Its F statistic when it enters: the square of its coefficient in standard errors.
    pub f_to_enter: f64,
}

/// Forward selection: variables enter one by one, at each step the one that explains most.
///
/// Stops when no variable is left whose F reaches `min_f_to_enter`; 0 lets all in. Variables never
/// leave again. Those that never vary, or that the ones already in explain, do not enter. Of equals
/// the first enters.
///
/// # Source
/// Efroymson 1960, "Multiple regression analysis", without removal. Sugar 1975, section 3.3.3, uses
/// the stepwise programs of two statistics packages and gives no thresholds.
///
/// # Errors
/// [`RegressionError::TooFewSamples`] with not more observations than candidates and a constant,
/// [`RegressionError::NothingToExplain`], [`RegressionError::NoSuchVariable`].
///
/// # Examples
/// ```
/// use kibitz_stats::{moments::CrossMoments, regression::forward_selection};
/// let mut moments = CrossMoments::new(3);
/// for row in [[1.0, 0.0, 1.1], [2.0, 1.0, 2.0], [3.0, 0.0, 2.8], [4.0, 1.0, 4.2], [5.0, 1.0, 5.0]] {
///     moments.push(&row)?;
/// }
/// let entries = forward_selection(&moments, &[0, 1], 2, 0.0)?;
/// assert_eq!(entries[0].variable, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn forward_selection(
    moments: &CrossMoments,
    candidates: &[usize],
    target: usize,
    min_f_to_enter: f64,
) -> Result<Vec<Entry>, RegressionError> {
    let n_variables = moments.n_variables();
    for &variable in candidates.iter().chain([&target]) {
        if variable >= n_variables {
            return Err(RegressionError::NoSuchVariable {
                variable,
                n_variables,
            });
        }
    }
    let n = moments.n_samples();
    if n <= candidates.len() as u64 + 1 {
        return Err(RegressionError::TooFewSamples {
            n_samples: usize::try_from(n).unwrap_or(usize::MAX),
            n_coefficients: candidates.len() + 1,
        });
    }
    let varies = |&variable: &usize| {
        moments
            .product(variable, variable)
            .is_some_and(|it| it > 0.0)
    };
    let variables: Vec<usize> = candidates.iter().copied().filter(varies).collect();
    // Partial covariances given the variables that have entered.
    let mut rest = correlations(moments, &variables, target)?;
    let last = variables.len();
    let mut left: Vec<usize> = (0..last).collect();
    let mut entries: Vec<Entry> = Vec::new();
    loop {
        let mut best: Option<(usize, f64)> = None;
        for (place, &variable) in left.iter().enumerate() {
            let own = rest[(variable, variable)];
            let gain = rest[(variable, last)].powi(2) / own;
            if own >= COLLINEARITY && best.is_none_or(|(_, most)| gain > most) {
                best = Some((place, gain));
            }
        }
        let Some((place, gain)) = best else {
            return Ok(entries);
        };
        let freedom = n as f64 - entries.len() as f64 - 2.0;
        let unexplained = (rest[(last, last)] - gain).max(0.0);
        let f_to_enter = (gain / unexplained * freedom).max(0.0);
        // Also stops when no variance is left and F is not a number.
        if f_to_enter.is_nan() || f_to_enter < min_f_to_enter {
            return Ok(entries);
        }
        let variable = left.remove(place);
        let column = rest.column(variable).into_owned();
        rest.ger(-1.0 / column[variable], &column, &column, 1.0);
        entries.push(Entry {
            variable: variables[variable],
            r_squared: (1.0 - rest[(last, last)]).clamp(0.0, 1.0),
            f_to_enter,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regression::LeastSquares;
    use proptest::prelude::*;

    fn moments(rows: &[[f64; 4]]) -> CrossMoments {
        let mut moments = CrossMoments::new(4);
        for row in rows {
            moments.push(row).unwrap();
        }
        moments
    }

    #[test]
    fn superfluous_variables_stay_out() {
        // The second variable is twice the first, the third never varies.
        let rows = [1.0, 2.0, 4.0, 5.0, 9.0, 3.0].map(|x: f64| [x, 2.0 * x, 7.0, x + x.sin()]);
        let entries = forward_selection(&moments(&rows), &[0, 1, 2], 3, 0.0).unwrap();
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].variable, 0);
        let none = forward_selection(&moments(&rows), &[0, 1, 2], 3, 1e9).unwrap();
        assert_eq!(none, []);
    }

    #[test]
    fn refuses_unknown_variables() {
        let rows = moments(&[[1.0, 2.0, 3.0, 4.0]]);
        assert!(forward_selection(&rows, &[0, 7], 3, 0.0).is_err());
        assert!(forward_selection(&rows, &[0, 1], 3, 0.0).is_err());
    }

    proptest! {
        #[test]
        fn each_step_takes_the_best_and_f_is_t_squared(
            rows in prop::collection::vec(prop::array::uniform4(-10.0f64..10.0), 8..40),
        ) {
            let moments = moments(&rows);
            let entries = forward_selection(&moments, &[0, 1, 2], 3, 0.0).unwrap();
            prop_assert_eq!(entries.len(), 3);
            let mut chosen = Vec::new();
            for entry in &entries {
                let others = (0..3).filter(|variable| !chosen.contains(variable));
                for other in others {
                    let mut rival = chosen.clone();
                    rival.push(other);
                    let fit = LeastSquares::of_moments(&moments, &rival, 3).unwrap();
                    prop_assert!(fit.r_squared <= entry.r_squared + 1e-12);
                }
                chosen.push(entry.variable);
                let fit = LeastSquares::of_moments(&moments, &chosen, 3).unwrap();
                prop_assert!((fit.r_squared - entry.r_squared).abs() < 1e-10);
                let last = chosen.len() - 1;
                let t = fit.coefficients[last] / fit.std_errors[last];
                prop_assert!((t * t - entry.f_to_enter).abs() < 1e-6 * (1.0 + t * t));
            }
        }
    }
}
