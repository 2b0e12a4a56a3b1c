//! Numbers of arrangements: [`f64`] where none of them can leave its range, otherwise [`Wide`].

use std::fmt::Debug;
use std::ops::{AddAssign, Div, Mul, Sub};

/// The most constrained tiles whose arrangements are counted in [`f64`]: there are at most `2^300`.
pub(super) const MAX_PLAIN_TILES: usize = 300;

/// A number of arrangements, or a weight; at least zero.
pub(super) trait Count:
    Copy
    + Debug
    + Default
    + PartialOrd
    + From<f64>
    + AddAssign
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// The natural logarithm.
    fn ln(self) -> f64;

    /// The number with this natural logarithm.
    fn from_ln(ln: f64) -> Self;

    /// A power of a number above zero.
    fn power(base: f64, exponent: i32) -> Self;

    /// The nearest [`f64`]; only zero becomes zero.
    fn to_f64(self) -> f64;

    /// The sum of some numbers, in their order.
    fn total(numbers: impl Iterator<Item = Self>) -> Self {
        numbers.fold(Self::default(), |mut sum, number| {
            sum += number;
            sum
        })
    }
}

impl Count for f64 {
    fn ln(self) -> f64 {
        self.ln()
    }

    fn from_ln(ln: f64) -> Self {
        ln.exp()
    }

    fn power(base: f64, exponent: i32) -> Self {
        base.powi(exponent)
    }

    fn to_f64(self) -> f64 {
        self
    }
}

/// The share of mines; 0 and 1 only if there is nothing else.
pub(super) fn share<T: Count>(mine: T, safe: T) -> f64 {
    if safe > T::default() {
        let mut all = mine;
        all += safe;
        (mine / all).to_f64().min(1.0 - f64::EPSILON / 2.0)
    } else {
        1.0
    }
}

/// A number with an exponent of its own, which neither overflows nor underflows.
///
/// Sums, products and quotients are rounded as those of [`f64`], so that where these stay in range, both
/// count the same to the last bit.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct Wide {
    // First, since it decides which number is greater.
    exponent: i64,
    /// From 1 to below 2, or 0.
    mantissa: f64,
}

impl Wide {
    const ZERO: Self = Self {
        exponent: i64::MIN / 4,
        mantissa: 0.0,
    };

    /// From a mantissa that is below 4 and at least 1/2, or 0.
    fn new(mantissa: f64, exponent: i64) -> Self {
        if mantissa >= 2.0 {
            Self {
                exponent: exponent + 1,
                mantissa: mantissa / 2.0,
            }
        } else if mantissa >= 1.0 {
            Self { exponent, mantissa }
        } else if mantissa > 0.0 {
            Self {
                exponent: exponent - 1,
                mantissa: mantissa * 2.0,
            }
        } else {
            Self::ZERO
        }
    }
}

/// Bits of the fraction of an [`f64`], and the exponent of 1.
const FRACTION_BITS: u32 = 52;
const BIAS: i64 = 1023;

/// A power of two from `2^-1022` to `2^1023`.
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits((exponent + BIAS).cast_unsigned() << FRACTION_BITS)
}

impl Default for Wide {
    fn default() -> Self {
        Self::ZERO
    }
}

impl From<f64> for Wide {
    fn from(number: f64) -> Self {
        if number <= 0.0 {
            return Self::ZERO;
        }
        if number < f64::MIN_POSITIVE {
            let lifted = Self::from(number * power_of_two(64));
            return Self::new(lifted.mantissa, lifted.exponent - 64);
        }
        let exponent = (number.to_bits() >> FRACTION_BITS).cast_signed() - BIAS;
        let fraction = number.to_bits() & ((1 << FRACTION_BITS) - 1);
        Self {
            exponent,
            mantissa: f64::from_bits(fraction | 1.0_f64.to_bits()),
        }
    }
}

impl AddAssign for Wide {
    fn add_assign(&mut self, other: Self) {
        let (large, small) = if self.exponent >= other.exponent {
            (*self, other)
        } else {
            (other, *self)
        };
        let shift = large.exponent - small.exponent;
        // A number so much smaller changes no digit.
        *self = if shift > 64 {
            large
        } else {
            let sum = large.mantissa + small.mantissa * power_of_two(-shift);
            Self::new(sum, large.exponent)
        };
    }
}

impl Sub for Wide {
    type Output = Self;

    /// The difference; zero where it is below that.
    fn sub(self, other: Self) -> Self {
        let shift = self.exponent.saturating_sub(other.exponent);
        if shift > 64 {
            return self;
        }
        if self <= other {
            return Self::ZERO;
        }
        let difference = Self::from(self.mantissa - other.mantissa * power_of_two(-shift));
        Self {
            exponent: difference.exponent + self.exponent,
            ..difference
        }
    }
}

impl Mul for Wide {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let exponent = self.exponent + other.exponent;
        Self::new(self.mantissa * other.mantissa, exponent)
    }
}

impl Div for Wide {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let exponent = self.exponent - other.exponent;
        Self::new(self.mantissa / other.mantissa, exponent)
    }
}

impl Count for Wide {
    fn ln(self) -> f64 {
        if self.exponent.abs() < BIAS {
            return self.to_f64().ln();
        }
        self.mantissa.ln() + self.exponent as f64 * std::f64::consts::LN_2
    }

    fn from_ln(ln: f64) -> Self {
        // Where the exponential has all its digits.
        if ln.abs() < 600.0 {
            return Self::from(ln.exp());
        }
        if ln == f64::NEG_INFINITY {
            return Self::ZERO;
        }
        let exponent = (ln / std::f64::consts::LN_2).round();
        let fraction = (ln - exponent * std::f64::consts::LN_2).exp();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "logarithms of counts are far below the greatest integer"
        )]
        Self::new(fraction, exponent as i64)
    }

    fn power(base: f64, exponent: i32) -> Self {
        let mut square = Self::from(if exponent < 0 { 1.0 / base } else { base });
        let mut power = Self::from(1.0);
        let mut left = exponent.unsigned_abs();
        while left > 0 {
            if left % 2 == 1 {
                power = power * square;
            }
            square = square * square;
            left /= 2;
        }
        power
    }

    fn to_f64(self) -> f64 {
        if self.mantissa <= 0.0 {
            return 0.0;
        }
        if self.exponent > BIAS {
            return f64::MAX;
        }
        self.mantissa * power_of_two(self.exponent.max(1 - BIAS))
    }
}

/// Natural logarithms of factorials, kept from one use to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct LnFactorials(Vec<f64>);

impl LnFactorials {
    /// The natural logarithm of a binomial coefficient; that of zero where more are chosen than there are.
    pub(super) fn choose(&mut self, n: usize, chosen: usize) -> f64 {
        let Some(others) = n.checked_sub(chosen) else {
            return f64::NEG_INFINITY;
        };
        while self.0.len() <= n {
            let next = self.0.len().max(1);
            let below = self.0.last().copied().unwrap_or(0.0);
            self.0.push(below + (next as f64).ln());
        }
        self.0[n] - self.0[chosen] - self.0[others]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn wide_numbers_are_rounded_as_others(a in 0.0..1e6_f64, b in 1e-200..1e9_f64) {
            let (wide_a, wide_b) = (Wide::from(a), Wide::from(b));
            let mut sum = wide_a;
            sum += wide_b;
            prop_assert_eq!(sum, Wide::from(a + b));
            prop_assert_eq!(wide_a - wide_b, Wide::from(a - b));
            prop_assert_eq!(wide_a * wide_b, Wide::from(a * b));
            prop_assert_eq!((wide_a / wide_b).to_f64().to_bits(), (a / b).to_bits());
            prop_assert_eq!(wide_a < wide_b, a < b);
            prop_assert_eq!(share(wide_a, wide_b).to_bits(), share(a, b).to_bits());
        }
    }

    #[test]
    fn wide_numbers_leave_no_range() {
        let tiny = Wide::power(0.1, 100_000);
        assert!(tiny > Wide::ZERO);
        let ln = -100_000.0 * std::f64::consts::LN_10;
        assert!((tiny.ln() - ln).abs() < 1e-9);
        assert!(((Wide::from_ln(ln) / tiny).to_f64() - 1.0).abs() < 1e-9);
        let one = (tiny * Wide::power(0.1, -100_000)).to_f64();
        assert!((one - 1.0).abs() < 1e-9);
        let share = share(tiny, Wide::from(1.0));
        assert!(share > 0.0, "it may be a mine");
    }

    #[test]
    fn binomial_coefficients_are_counted() {
        let mut ln = LnFactorials::default();
        assert!((ln.choose(30, 10).exp() - 30_045_015.0).abs() < 1e-5);
        assert!((ln.choose(4, 0)).abs() < 1e-12);
        assert!(ln.choose(4, 5).is_infinite());
    }
}
