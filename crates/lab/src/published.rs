//! Published values as printed, with their precision; decimal formats of ours.

use std::fmt;

pub use kibitz_text::with_decimals as with_digits;

use crate::wire::Figure;

/// A published value.
#[derive(Clone, Debug, PartialEq)]
pub enum PublishedValue {
    /// A number with its text and its digits after the point (negative: zeros before it).
    Number {
        /// The number.
        value: f64,
        /// As it is printed.
        text: String,
        /// Digits after the point; below 0, zeros before it.
        digits: i32,
    },
    /// A text.
    Text(String),
}

impl PublishedValue {
    /// A published value; `literal` is its text in the file.
    pub fn new(figure: &Figure, literal: &str) -> Self {
        match figure {
            Figure::Text(text) => Self::Text(text.clone()),
            Figure::Number(value) => {
                let text = literal.trim_start_matches('+').replace('_', "");
                Self::Number {
                    value: *value,
                    digits: digits_after_point(&text),
                    text,
                }
            }
        }
    }

    /// Half a unit of the last printed digit; zero for text.
    pub(crate) fn half_unit(&self) -> f64 {
        match self {
            Self::Number { digits, .. } => 0.5 * 10f64.powi(-digits),
            Self::Text(_) => 0.0,
        }
    }

    /// The value, if it is a number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number { value, .. } => Some(*value),
            Self::Text(_) => None,
        }
    }

    /// Digits after the point as printed; none for text.
    pub fn digits(&self) -> Option<i32> {
        match self {
            Self::Number { digits, .. } => Some(*digits),
            Self::Text(_) => None,
        }
    }
}

impl fmt::Display for PublishedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { text, .. } | Self::Text(text) => f.write_str(text),
        }
    }
}

/// `0.510` has 3, `12` has 0, `1.5e3` has -2.
fn digits_after_point(text: &str) -> i32 {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) if !text.starts_with("0x") => {
            (mantissa, exponent.parse::<i32>().unwrap_or(0))
        }
        _ => (text, 0),
    };
    let digits = mantissa
        .split_once('.')
        .map_or(0, |(_, fraction)| fraction.len());
    i32::try_from(digits)
        .unwrap_or(i32::MAX)
        .saturating_sub(exponent)
}

/// A number with 12 significant digits, in the shortest form; reads back within a relative 1e-11.
pub fn twelve_digits(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let rounded = to_twelve_digits(value);
    let magnitude = rounded.abs();
    if (1e-5..1e15).contains(&magnitude) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

/// A number rounded to 12 significant digits.
pub(crate) fn to_twelve_digits(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

/// A number with six significant digits, for values without a printed one.
pub fn six_digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    let magnitude = rounded.abs();
    if rounded == 0.0 {
        "0".to_owned()
    } else if (1e-4..1e9).contains(&magnitude) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn digits_are_those_printed() {
        for (text, digits) in [
            ("0.510", 3),
            ("12", 0),
            ("-3.0", 1),
            ("1.5e3", -2),
            ("2e-4", 4),
        ] {
            assert_eq!(digits_after_point(text), digits, "{text}");
        }
    }

    #[test]
    fn numbers_keep_twelve_digits() {
        for (value, text) in [
            (0.1 + 0.2, "0.3"),
            (1.0 / 3.0, "0.333333333333"),
            (146_047.0, "146047"),
            (-0.0, "0"),
            (1e-9, "1e-9"),
            (2.0 / 3e20, "6.66666666667e-21"),
            (123_456_789_012_345.0, "123456789012000"),
        ] {
            assert_eq!(twelve_digits(value), text);
        }
    }

    #[test]
    fn rounding_follows_the_paper() {
        assert_eq!(with_digits(0.50951, 3), "0.510");
        assert_eq!(with_digits(-0.0001, 2), "0.00");
        assert_eq!(with_digits(1549.0, -2), "1500");
        assert_eq!(six_digits(183_021.456), "183021");
        assert_eq!(six_digits(0.020_912_34), "0.0209123");
    }

    proptest! {
        #[test]
        fn twelve_digits_are_enough_to_tell_values_apart(value in proptest::num::f64::NORMAL) {
            let text = twelve_digits(value);
            let back: f64 = text.parse().unwrap();
            prop_assert!((back - value).abs() <= 1e-11 * value.abs(), "{value} -> {text}");
            prop_assert_eq!(twelve_digits(back), text);
        }

        #[test]
        fn a_value_agrees_with_itself_as_printed(value in -1e6..1e6f64, digits in 0..8i32) {
            let text = with_digits(value, digits);
            let printed = PublishedValue::new(&Figure::Number(text.parse().unwrap()), &text);
            prop_assert_eq!(printed.digits(), Some(digits));
            prop_assert!((printed.number().unwrap() - value).abs() <= printed.half_unit() + 1e-11 * value.abs());
        }
    }
}
