//! How two samples go together.

use super::{check_sample, mean, ranks};
use crate::error::SampleError;
use crate::sum::CompensatedSum;

/// Pearson's correlation coefficient of paired values, from -1 to 1.
///
/// # Errors
/// [`SampleError::LengthsDiffer`], [`SampleError::TooFew`] with fewer than two pairs,
/// [`SampleError::NotFinite`], [`SampleError::NoVariation`] if one sample is constant.
///
/// # Examples
/// ```
/// use kibitz_stats::summary::pearson;
/// assert_eq!(pearson(&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0])?, 1.0);
/// # Ok::<(), kibitz_stats::SampleError>(())
/// ```
pub fn pearson(left: &[f64], right: &[f64]) -> Result<f64, SampleError> {
    if left.len() != right.len() {
        return Err(SampleError::LengthsDiffer {
            left: left.len(),
            right: right.len(),
        });
    }
    check_sample(left, 2)?;
    check_sample(right, 2)?;
    let left = deviations(left)?;
    let right = deviations(right)?;
    let product = |a: &[f64], b: &[f64]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(a, b)| a * b)
            .collect::<CompensatedSum>()
            .value()
    };
    let correlation =
        product(&left, &right) / (product(&left, &left) * product(&right, &right)).sqrt();
    Ok(correlation.clamp(-1.0, 1.0))
}

/// Spearman's rank correlation of paired values, from -1 to 1; equal values share their rank.
///
/// # Errors
/// As [`pearson`].
pub fn spearman(left: &[f64], right: &[f64]) -> Result<f64, SampleError> {
    pearson(&ranks(left)?, &ranks(right)?)
}

/// Deviations from the mean, in units of the largest, so that squares neither over- nor underflow.
fn deviations(values: &[f64]) -> Result<Vec<f64>, SampleError> {
    let mean = mean(values)?;
    let unit = values
        .iter()
        .map(|value| (value - mean).abs())
        .fold(0.0, f64::max);
    // Equal values may miss their computed mean by a rounding error.
    let constant = values
        .iter()
        .all(|value| value.total_cmp(&values[0]).is_eq());
    if constant || unit == 0.0 {
        return Err(SampleError::NoVariation);
    }
    Ok(values.iter().map(|value| (value - mean) / unit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn by_hand() {
        // Deviations (-1, 0, 1) and (-1, 1, 0): product 1, squares 2 and 2.
        assert!((pearson(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]).unwrap() - 0.5).abs() < 1e-15);
        assert!((spearman(&[1.0, 2.0, 3.0], &[5.0, 500.0, 50.0]).unwrap() - 0.5).abs() < 1e-15);
        assert_eq!(
            spearman(&[1.0, 2.0, 4.0], &[-1.0, -8.0, -9.0]).unwrap(),
            -1.0
        );
    }

    #[test]
    fn refuses_what_does_not_vary_or_pair() {
        assert_eq!(
            pearson(&[0.1; 3], &[1.0, 2.0, 3.0]),
            Err(SampleError::NoVariation)
        );
        assert_eq!(
            pearson(&[1.0], &[1.0, 2.0]),
            Err(SampleError::LengthsDiffer { left: 1, right: 2 })
        );
        assert!(spearman(&[1.0, f64::NAN], &[1.0, 2.0]).is_err());
    }

    proptest! {
        #[test]
        fn shifts_and_scales_do_not_matter(
            pairs in prop::collection::vec((-10.0f64..10.0, -10.0f64..10.0), 3..30),
            scale in 0.1f64..10.0,
            shift in -100.0f64..100.0,
        ) {
            let (left, right): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let moved: Vec<f64> = left.iter().map(|x| shift - scale * x).collect();
            let plain = pearson(&left, &right).unwrap();
            prop_assert!((-1.0..=1.0).contains(&plain));
            prop_assert!((plain + pearson(&moved, &right).unwrap()).abs() < 1e-9);
            prop_assert!((plain - pearson(&right, &left).unwrap()).abs() < 1e-12);
        }
    }
}
