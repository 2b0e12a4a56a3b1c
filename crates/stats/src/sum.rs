//! Compensated summation.

/// A compensated sum (Kahan-Babuska-Neumaier): its error does not grow with the number of terms.
///
/// Accumulates the rounding error of every addition and adds it at the end, which gives the accuracy
/// of twice the precision. Terms are added in order, so the result is reproducible to the last bit.
///
/// # Source
/// Neumaier 1974, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen".
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct CompensatedSum {
    sum: f64,
    lost: f64,
}

impl CompensatedSum {
    /// Adds one term.
    #[inline]
    pub(crate) fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        self.lost += if self.sum.abs() >= term.abs() {
            (self.sum - sum) + term
        } else {
            (term - sum) + self.sum
        };
        self.sum = sum;
    }

    /// Adds another sum as two terms: its rounded sum and its compensation.
    #[inline]
    pub(crate) fn merge(&mut self, other: Self) {
        self.add(other.sum);
        self.lost += other.lost;
    }

    /// The sum of all terms so far; zero without terms. Infinite or NaN terms carry through.
    pub(crate) fn value(self) -> f64 {
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
    fn keeps_small_terms() {
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
