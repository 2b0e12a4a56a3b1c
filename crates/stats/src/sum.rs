//! Sums that do not lose the small terms.

/// A running sum whose error does not grow with the number of terms.
///
/// Keeps the rounding error of every addition and adds it back at the end, so that the result is
/// as good as one computed in twice the precision. Terms are added in the order they come, which
/// makes the result reproducible to the last bit.
///
/// # Source
/// Neumaier 1974, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen".
///
/// # Examples
/// ```
/// use kibitz_stats::CompensatedSum;
/// let sum: CompensatedSum = [1.0, 1e100, 1.0, -1e100].into_iter().collect();
/// assert_eq!(sum.value(), 2.0);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CompensatedSum {
    sum: f64,
    lost: f64,
}

impl CompensatedSum {
    /// Adds one term.
    #[inline]
    pub fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        self.lost += if self.sum.abs() >= term.abs() {
            (self.sum - sum) + term
        } else {
            (term - sum) + self.sum
        };
        self.sum = sum;
    }

    /// Adds another sum, as if it were two terms: what it holds, and what it had lost.
    #[inline]
    pub fn merge(&mut self, other: Self) {
        self.add(other.sum);
        self.lost += other.lost;
    }

    /// The sum of all terms so far; zero without terms. Infinite or NaN terms carry through.
    pub fn value(self) -> f64 {
        if self.sum.is_finite() {
            self.sum + self.lost
        } else {
            self.sum
        }
    }
}

impl FromIterator<f64> for CompensatedSum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::default();
        for term in terms {
            sum.add(term);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_plain_addition_loses() {
        let terms = [1.0, 1e-16, 1e-16, 1e-16, 1e-16];
        assert_eq!(terms.iter().sum::<f64>(), 1.0);
        let sum: CompensatedSum = terms.into_iter().collect();
        assert_eq!(sum.value(), 1.0 + 4e-16);
    }

    #[test]
    fn merging_is_adding() {
        let mut left: CompensatedSum = [1e100, 1.0].into_iter().collect();
        let right: CompensatedSum = [-1e100, 1.0].into_iter().collect();
        left.merge(right);
        assert_eq!(left.value(), 2.0);
    }

    #[test]
    fn infinity_is_not_hidden() {
        let sum: CompensatedSum = [1.0, f64::NEG_INFINITY, 2.0].into_iter().collect();
        assert_eq!(sum.value(), f64::NEG_INFINITY);
    }
}
