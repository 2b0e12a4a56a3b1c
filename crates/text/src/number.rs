//! Numbers as they are shown.

use std::fmt::Display;

/// Maximum number of decimals; a number that needs more is written with an exponent.
const MOST_DECIMALS: i32 = 7;

/// A number with its noun, in the singular for one.
///
/// # Examples
/// ```
/// use kibitz_text::counted;
/// assert_eq!(counted(1, "clause", "clauses"), "1 clause");
/// assert_eq!(counted(0, "query", "queries"), "0 queries");
/// ```
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(n: N, one: &str, many: &str) -> String {
    let noun = if n == N::from(1) { one } else { many };
    format!("{n} {noun}")
}

/// An estimate with as many digits as its standard error supports: down to the second significant
/// digit of the error.
///
/// To format the standard error, pass it as the value; likewise the ends of an interval. Without a usable
/// standard error (zero, not finite) the value has six significant digits. Zero has no
/// sign.
///
/// # Examples
/// ```
/// use kibitz_text::rounded_by;
/// assert_eq!(rounded_by(0.516_728, 0.045_939), "0.517");
/// assert_eq!(rounded_by(0.045_939, 0.045_939), "0.046");
/// assert_eq!(rounded_by(-1.673e-7, 2.2e-8), "-1.67e-7");
/// assert_eq!(rounded_by(12_345.6, 780.0), "12350");
/// ```
pub fn rounded_by(value: f64, std_error: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let usable = std_error.is_finite() && std_error > 0.0;
    let decimals = if usable {
        1 - exponent(std_error, 1)
    } else if value == 0.0 {
        0
    } else {
        5 - exponent(value, 5)
    };
    if decimals <= MOST_DECIMALS {
        return with_decimals(value, decimals);
    }
    // The digits of the mantissa end where those of the error do.
    let digits = exponent(value, 0).saturating_add(decimals);
    match usize::try_from(digits) {
        Ok(digits) if value != 0.0 => format!("{value:.*e}", digits.min(15)),
        _ => "0".to_owned(),
    }
}

/// The decimal exponent of a number that is rounded to `digits` digits after the first.
fn exponent(value: f64, digits: usize) -> i32 {
    let text = format!("{value:.digits$e}");
    let exponent = text.rsplit_once('e').map(|(_, exponent)| exponent.parse());
    exponent.and_then(Result::ok).unwrap_or(0)
}

/// A number with `decimals` digits after the point; negative: rounded before it. Zero has no sign.
///
/// # Examples
/// ```
/// use kibitz_text::with_decimals;
/// assert_eq!(with_decimals(-0.004, 2), "0.00");
/// assert_eq!(with_decimals(1_251.0, -1), "1250");
/// ```
pub fn with_decimals(value: f64, decimals: i32) -> String {
    let text = if let Ok(decimals) = usize::try_from(decimals) {
        format!("{value:.*}", decimals.min(15))
    } else {
        let unit = 10f64.powi(decimals.saturating_neg());
        format!("{:.0}", (value / unit).round() * unit)
    };
    // A value that rounds to zero has no sign.
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| matches!(c, '0' | '.')) => rest.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn digits_follow_the_error() {
        for (value, error, expected) in [
            (0.0, 0.01, "0.000"),
            (-0.000_01, 0.03, "0.000"),
            (1.234_56, 0.099_7, "1.23"),
            (1.234_56, 0.099_4, "1.235"),
            (-1.673e-7, 2.2e-8, "-1.67e-7"),
            (3.2e-5, 4.1e-6, "0.0000320"),
            (1.0e-12, 3.0e-8, "0"),
            (f64::NEG_INFINITY, 0.1, "-inf"),
            (1.0 / 3.0, 0.0, "0.333333"),
            (2.0e-9, f64::NAN, "2.00000e-9"),
            (0.0, 0.0, "0"),
        ] {
            assert_eq!(rounded_by(value, error), expected, "{value} {error}");
        }
    }

    proptest! {
        /// The output is within a twentieth of the standard error of the value, and parses as a number.
        #[test]
        fn nothing_is_lost_beyond_the_error(value in -1e6..1e6f64, exponent in -20..6i32, error in 1.0..10.0f64) {
            let error = error * 10f64.powi(exponent);
            let value = value * error;
            let shown: f64 = rounded_by(value, error).parse().unwrap();
            prop_assert!((shown - value).abs() <= 0.0501 * error, "{} {}", value, error);
        }

        #[test]
        fn an_error_has_two_digits(exponent in -20..6i32, error in 1.0..9.9f64) {
            let error = error * 10f64.powi(exponent);
            let shown: f64 = rounded_by(error, error).parse().unwrap();
            prop_assert!((shown / error - 1.0).abs() <= 0.0501);
        }
    }
}
