//! Running means, variances and covariances of a stream, in constant memory (Welford's method).

use std::ops::AddAssign;

use crate::error::{SampleError, check_finite, finite};

/// Running count, mean and variance of a stream of values.
///
/// # Source
/// Welford 1962, and Chan, Golub and Le Veque 1983 for merging.
///
/// # Examples
/// ```
/// use kibitz_stats::moments::Moments;
/// let moments: Moments = [1.0, 2.0, 6.0].into_iter().collect();
/// assert_eq!((moments.n_samples(), moments.mean()), (3, Some(3.0)));
/// assert_eq!(moments.variance(), Some(7.0));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Moments {
    n: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// Adds a value.
    pub fn push(&mut self, value: f64) {
        self.n += 1;
        let deviation = value - self.mean;
        self.mean += deviation / self.n as f64;
        self.squares += deviation * (value - self.mean);
    }

    /// Number of values.
    pub fn n_samples(self) -> u64 {
        self.n
    }

    /// Arithmetic mean; `None` without values.
    pub fn mean(self) -> Option<f64> {
        (self.n > 0).then_some(self.mean)
    }

    /// Sample variance (divisor `n - 1`); `None` for fewer than two values.
    pub fn variance(self) -> Option<f64> {
        (self.n > 1).then(|| self.squares / (self.n - 1) as f64)
    }

    /// Sample standard deviation; `None` for fewer than two values.
    pub fn std_dev(self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut moments = Self::default();
        values.into_iter().for_each(|value| moments.push(value));
        moments
    }
}

impl AddAssign for Moments {
    fn add_assign(&mut self, other: Self) {
        if other.n == 0 {
            return;
        }
        let n = (self.n + other.n) as f64;
        let apart = other.mean - self.mean;
        let share = other.n as f64 / n;
        self.squares += other.squares + apart * apart * share * self.n as f64;
        self.mean += apart * share;
        self.n += other.n;
    }
}

/// Running moments of paired values and of their differences, first minus second.
///
/// # Source
/// Sugar 1975, section 3.3.2: scores of the program's first choice and of the master move.
///
/// # Examples
/// ```
/// use kibitz_stats::moments::PairedMoments;
/// let mut pairs = PairedMoments::default();
/// for (first, second) in [(3.0, 1.0), (5.0, 1.0), (1.0, 1.0)] {
///     pairs.push(first, second);
/// }
/// assert_eq!(pairs.difference.mean(), Some(2.0));
/// assert_eq!(pairs.normalized_difference(), Some(1.0));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PairedMoments {
    /// Of the first values.
    pub first: Moments,
    /// Of the second values.
    pub second: Moments,
    /// Of the differences.
    pub difference: Moments,
}

impl PairedMoments {
    /// Adds a pair.
    pub fn push(&mut self, first: f64, second: f64) {
        self.first.push(first);
        self.second.push(second);
        self.difference.push(first - second);
    }

    /// Mean difference in units of the standard deviation of the difference; `None` for fewer than
    /// two pairs or when the difference never varies.
    pub fn normalized_difference(self) -> Option<f64> {
        let std_dev = self.difference.std_dev().filter(|&std_dev| std_dev > 0.0)?;
        Some(self.difference.mean()? / std_dev)
    }
}

impl AddAssign for PairedMoments {
    fn add_assign(&mut self, other: Self) {
        self.first += other.first;
        self.second += other.second;
        self.difference += other.difference;
    }
}

/// Running means and covariance matrix of several variables.
///
/// Enough for correlations and regressions, in memory independent of the number of observations.
///
/// # Examples
/// ```
/// use kibitz_stats::moments::CrossMoments;
/// let mut moments = CrossMoments::new(2);
/// for x in [1.0, 2.0, 4.0] {
///     moments.push(&[x, -10.0 * x])?;
/// }
/// assert!((moments.correlation(0, 1)? + 1.0).abs() < 1e-15);
/// # Ok::<(), kibitz_stats::SampleError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CrossMoments {
    n: u64,
    means: Vec<f64>,
    /// Sums of products of deviations, the lower triangle row by row.
    products: Vec<f64>,
    deviations: Vec<f64>,
}

impl CrossMoments {
    /// Empty moments of `n_variables` variables.
    pub fn new(n_variables: usize) -> Self {
        Self {
            n: 0,
            means: vec![0.0; n_variables],
            products: vec![0.0; n_variables * (n_variables + 1) / 2],
            deviations: vec![0.0; n_variables],
        }
    }

    /// Number of variables.
    pub fn n_variables(&self) -> usize {
        self.means.len()
    }

    /// Number of observations.
    pub fn n_samples(&self) -> u64 {
        self.n
    }

    /// Adds one observation of every variable.
    ///
    /// # Errors
    /// [`SampleError::LengthsDiffer`] unless there is one value per variable,
    /// [`SampleError::NotFinite`].
    pub fn push(&mut self, values: &[f64]) -> Result<(), SampleError> {
        if values.len() != self.means.len() {
            return Err(SampleError::LengthsDiffer {
                left: self.means.len(),
                right: values.len(),
            });
        }
        check_finite(values)?;
        self.n += 1;
        let n = self.n as f64;
        for ((deviation, mean), value) in self.deviations.iter_mut().zip(&self.means).zip(values) {
            *deviation = value - mean;
        }
        let shrink = (n - 1.0) / n;
        let mut products = self.products.iter_mut();
        for (row, &left) in self.deviations.iter().enumerate() {
            let left = left * shrink;
            for (right, product) in self.deviations[..=row].iter().zip(&mut products) {
                *product += left * right;
            }
        }
        for (mean, deviation) in self.means.iter_mut().zip(&self.deviations) {
            *mean += deviation / n;
        }
        Ok(())
    }

    /// Merges the moments of other observations of the same variables.
    ///
    /// # Errors
    /// [`SampleError::LengthsDiffer`] if the numbers of variables differ.
    pub fn merge(&mut self, other: &Self) -> Result<(), SampleError> {
        if other.means.len() != self.means.len() {
            return Err(SampleError::LengthsDiffer {
                left: self.means.len(),
                right: other.means.len(),
            });
        }
        if other.n == 0 {
            return Ok(());
        }
        let n = (self.n + other.n) as f64;
        let share = other.n as f64 / n;
        let weight = share * self.n as f64;
        for ((deviation, mean), theirs) in self
            .deviations
            .iter_mut()
            .zip(&self.means)
            .zip(&other.means)
        {
            *deviation = theirs - mean;
        }
        let mut products = self.products.iter_mut().zip(&other.products);
        for (row, &left) in self.deviations.iter().enumerate() {
            for (right, (product, theirs)) in self.deviations[..=row].iter().zip(&mut products) {
                *product += theirs + left * right * weight;
            }
        }
        for (mean, deviation) in self.means.iter_mut().zip(&self.deviations) {
            *mean += deviation * share;
        }
        self.n += other.n;
        Ok(())
    }

    /// Mean of a variable; `None` without observations or for an unknown variable.
    pub fn mean(&self, variable: usize) -> Option<f64> {
        let mean = self.means.get(variable).copied()?;
        (self.n > 0).then_some(mean)
    }

    /// Sample covariance of two variables, or variance of one (divisor `n - 1`); `None` for fewer than
    /// two observations or an unknown variable.
    pub fn covariance(&self, left: usize, right: usize) -> Option<f64> {
        let product = self.product(left, right)?;
        (self.n > 1).then(|| product / (self.n - 1) as f64)
    }

    /// Pearson's correlation of two variables, from -1 to 1.
    ///
    /// # Errors
    /// [`SampleError::TooFew`] with fewer than two observations or variables,
    /// [`SampleError::NoVariation`] if one of the two is constant, [`SampleError::Overflow`].
    pub fn correlation(&self, left: usize, right: usize) -> Result<f64, SampleError> {
        let needed = left.max(right) + 1;
        if needed > self.means.len() {
            return Err(SampleError::TooFew {
                needed,
                found: self.means.len(),
            });
        }
        if self.n < 2 {
            return Err(SampleError::TooFew {
                needed: 2,
                found: usize::from(self.n == 1),
            });
        }
        let product = |a, b| self.product(a, b).unwrap_or(0.0);
        let scale = product(left, left) * product(right, right);
        if scale <= 0.0 {
            return Err(SampleError::NoVariation);
        }
        let scale = finite(scale, "the product of the variances")?;
        let product = finite(product(left, right), "the covariance")?;
        Ok((product / scale.sqrt()).clamp(-1.0, 1.0))
    }

    /// Sum of products of deviations.
    pub(crate) fn product(&self, left: usize, right: usize) -> Option<f64> {
        let (row, column) = (left.max(right), left.min(right));
        if row >= self.means.len() {
            return None;
        }
        self.products.get(row * (row + 1) / 2 + column).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::{mean, std_dev};
    use proptest::prelude::*;

    #[test]
    fn refuses_invalid_samples() {
        let mut moments = CrossMoments::new(2);
        assert!(moments.push(&[1.0]).is_err());
        assert!(moments.push(&[1.0, f64::NAN]).is_err());
        assert!(moments.merge(&CrossMoments::new(3)).is_err());
        assert_eq!((moments.mean(0), moments.covariance(0, 1)), (None, None));
        moments.push(&[1.0, 2.0]).unwrap();
        assert!(matches!(
            moments.correlation(0, 1),
            Err(SampleError::TooFew {
                needed: 2,
                found: 1
            })
        ));
        moments.push(&[1.0, 3.0]).unwrap();
        assert_eq!(moments.correlation(0, 1), Err(SampleError::NoVariation));
        assert!(moments.correlation(0, 2).is_err());
        for large in [1e100, 1e200, 1e300] {
            let mut moments = CrossMoments::new(2);
            for value in [large, -large, large / 2.0] {
                moments.push(&[value, value]).unwrap();
            }
            assert!(matches!(
                moments.correlation(0, 1),
                Err(SampleError::Overflow { .. })
            ));
        }
        assert_eq!(PairedMoments::default().normalized_difference(), None);
    }

    proptest! {
        #[test]
        fn a_stream_in_pieces_is_the_whole(
            rows in prop::collection::vec(prop::array::uniform3(-100.0f64..100.0), 4..40),
            cut in any::<prop::sample::Index>(),
        ) {
            let (head, tail) = rows.split_at(cut.index(rows.len()));
            let gather = |rows: &[[f64; 3]]| {
                let mut moments = CrossMoments::new(3);
                for row in rows {
                    moments.push(row).unwrap();
                }
                moments
            };
            let mut merged = gather(head);
            merged.merge(&gather(tail)).unwrap();
            let column = |idx: usize| rows.iter().map(|row| row[idx]).collect::<Vec<_>>();
            for left in 0..3 {
                let values = column(left);
                prop_assert!((merged.mean(left).unwrap() - mean(&values).unwrap()).abs() < 1e-9);
                let sd = merged.covariance(left, left).unwrap().sqrt();
                prop_assert!((sd - std_dev(&values).unwrap()).abs() < 1e-9);
                for right in 0..left {
                    let others = column(right);
                    let (here, there) = (mean(&values).unwrap(), mean(&others).unwrap());
                    let products = values.iter().zip(&others).map(|(a, b)| (a - here) * (b - there));
                    let degrees = rows.len() as f64 - 1.0;
                    let direct = products.sum::<f64>()
                        / (degrees * std_dev(&values).unwrap() * std_dev(&others).unwrap());
                    prop_assert!((merged.correlation(left, right).unwrap() - direct).abs() < 1e-9);
                }
            }

            let pairs = |rows: &[[f64; 3]]| {
                let mut pairs = PairedMoments::default();
                for row in rows {
                    pairs.push(row[0], row[1]);
                }
                pairs
            };
            let mut paired = pairs(head);
            paired += pairs(tail);
            let differences: Vec<f64> = rows.iter().map(|row| row[0] - row[1]).collect();
            prop_assert_eq!(paired.first.n_samples(), rows.len() as u64);
            let mean_difference = mean(&differences).unwrap();
            let sd = std_dev(&differences).unwrap();
            prop_assert!((paired.difference.mean().unwrap() - mean_difference).abs() < 1e-9);
            let normalized = paired.normalized_difference().unwrap();
            prop_assert!((normalized - mean_difference / sd).abs() < 1e-6);
            // The means themselves differ by the mean difference.
            let apart = paired.first.mean().unwrap() - paired.second.mean().unwrap();
            prop_assert!((apart - mean_difference).abs() < 1e-9);
        }
    }
}
