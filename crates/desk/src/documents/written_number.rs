//! A number as a person wrote it: read whole or rejected, and written again in the same form.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use kibitz_lab::published::with_digits;

/// A number in a text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WrittenNumber {
    /// Where it is, its sign and its percent sign included.
    pub(super) at: Range<usize>,
    /// Its value; of `12%` it is 12.
    pub(super) value: f64,
    /// Whether a percent sign follows.
    pub(super) is_percent: bool,
    form: Form,
}

/// What stays when the value changes.
#[derive(Clone, Debug, PartialEq)]
struct Form {
    /// Empty, `-`, `−` or `+`.
    sign: String,
    /// Digits after the decimal point.
    n_decimals: usize,
    exponent: Option<Exponent>,
    /// What follows the digits: nothing, or a percent sign, perhaps with a blank in front.
    end: String,
}

/// `e` or `E`, its power, and how many digits are significant.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Exponent {
    mark: char,
    power: i32,
    n_significant: usize,
}

/// As many digits as a binary number of 64 bits keeps.
const MOST_DIGITS: usize = 15;

/// Thousands are groups of three digits, or there are no groups.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    let whole = r"(?<whole>[1-9]\d{0,2}(?:,\d{3})+|\d*)";
    let rest = r"(?:\.(?<decimals>\d+))?(?:(?<mark>[eE])(?<power>[-−+]?\d{1,3}))?";
    pattern(&format!(r"^(?<sign>[-−+]?){whole}{rest}$"))
});
/// What gives the number behind it another meaning: an error, a minus apart, or a group of thousands.
static BEFORE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:±|\+/?-|−|(\d))\s$"));

fn pattern(text: &str) -> Regex {
    #[allow(clippy::unwrap_used, reason = "constant patterns, covered by tests")]
    Regex::new(text).unwrap()
}

impl WrittenNumber {
    /// The number that ends at `end`.
    ///
    /// # Errors
    /// In words, that there is none, or that it cannot be read whole.
    pub(super) fn before(text: &str, end: usize) -> Result<Self, String> {
        let before = &text[..end];
        let digits = before.strip_suffix('%').map_or(before, |digits| {
            digits.strip_suffix([' ', '\u{a0}']).unwrap_or(digits)
        });
        let word_at = word_at(digits);
        let word = &digits[word_at..];
        if !word.contains(|c: char| c.is_ascii_digit()) {
            return Err("no number before this marker".to_owned());
        }
        let shown = &before[word_at..];
        let rejected = |why: &str| Err(format!("`{shown}` cannot be read as one number: {why}"));
        // A number right before this one means that the marker follows only a part of a number,
        // such as an error or the last thousands: replacing that part would change the meaning.
        if let Some(found) = BEFORE.captures(&before[..word_at]) {
            let group = word.len() == 3 || word[3.min(word.len())..].starts_with('.');
            match found.get(1) {
                None => return rejected("put the marker behind the value, not behind its error"),
                Some(_) if group => {
                    return rejected("separate thousands by commas, as in `86,258`");
                }
                Some(_) => {}
            }
        }
        let Some(parts) = NUMBER.captures(word) else {
            return rejected(
                "expected a form such as `0.64`, `86,258`, `-1.5e-3` or `12%`, with a blank in front",
            );
        };
        let part = |name: &str| parts.name(name).map_or("", |part| part.as_str());
        let (whole, decimals) = (part("whole").replace(',', ""), part("decimals"));
        let all = format!("{whole}{decimals}");
        let significant = all.trim_start_matches('0');
        if all.is_empty() {
            return rejected("it has no digits");
        }
        if all.len() > MOST_DIGITS {
            return rejected("it has more than fifteen digits");
        }
        let power = part("power").replace('−', "-");
        let exponent = part("mark").chars().next().map(|mark| Exponent {
            mark,
            power: power.parse().unwrap_or(0),
            n_significant: match significant.len() {
                0 => decimals.len() + 1,
                n => n,
            },
        });
        let sign = part("sign");
        let minus = if matches!(sign, "-" | "−") { "-" } else { "" };
        let power = if power.is_empty() { "0" } else { &power };
        // The zeros complete forms such as `.64` and `5.`, which do not parse alone.
        let value = format!("{minus}0{whole}.{decimals}0e{power}").parse();
        let Some(value) = value.ok().filter(|value: &f64| value.is_finite()) else {
            return rejected("it is too large");
        };
        Ok(Self {
            at: word_at..end,
            value,
            is_percent: digits.len() < before.len(),
            form: Form {
                sign: sign.to_owned(),
                n_decimals: decimals.len(),
                exponent,
                end: before[digits.len()..].to_owned(),
            },
        })
    }

    /// Another value in the same form: as many digits, thousands apart, a digit before the point.
    pub(super) fn with(&self, value: f64) -> String {
        let form = &self.form;
        let text = match form.exponent {
            None => {
                let digits = i32::try_from(form.n_decimals).unwrap_or(i32::MAX);
                grouped(&with_digits(value, digits))
            }
            Some(exponent) => {
                let text = format!("{value:.*e}", exponent.n_significant - 1);
                let text = text.replace('e', &exponent.mark.to_string());
                match text.strip_prefix('-') {
                    Some(rest) if value == 0.0 => rest.to_owned(),
                    _ => text,
                }
            }
        };
        let text = match (text.strip_prefix('-'), form.sign.as_str()) {
            (Some(rest), "−") => format!("−{rest}"),
            (None, "+") if value > 0.0 => format!("+{text}"),
            _ => text,
        };
        text + &form.end
    }

    /// One unit of its last digit.
    fn unit(&self) -> f64 {
        let power = match self.form.exponent {
            // That of the value as it is written again, with one digit before the point.
            Some(exponent) if self.value != 0.0 => {
                let magnitude = self.value.abs().log10().floor();
                return 10f64.powf(magnitude - (exponent.n_significant as f64 - 1.0));
            }
            Some(exponent) => exponent.power,
            None => 0,
        };
        10f64.powi(power) * 10f64.powf(-(self.form.n_decimals as f64))
    }

    /// Whether this is another number than `other`, more than a unit of the last digit away.
    pub(super) fn is_far_from(&self, other: &Self) -> bool {
        (self.value - other.value).abs() > self.unit() * (1.0 + 1e-6)
    }
}

/// Where the last word begins: behind a blank, a bracket or a quotation mark, or a sign of comparison.
fn word_at(text: &str) -> usize {
    let parts = |c: char| c.is_whitespace() || "([{\"'“‘*~≈=<>≤≥|$#—…".contains(c);
    let last = text.char_indices().rev().find(|(_, c)| parts(*c));
    last.map_or(0, |(at, c)| at + c.len_utf8())
}

/// A number with commas between its thousands: `86,258`.
pub fn grouped(number: &str) -> String {
    let (whole, fraction) = number
        .find('.')
        .map_or((number, ""), |at| number.split_at(at));
    let (sign, digits) = whole
        .strip_prefix('-')
        .map_or(("", whole), |rest| ("-", rest));
    let mut text = sign.to_owned();
    for (idx, digit) in digits.char_indices() {
        if idx > 0 && (digits.len() - idx) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text + fraction
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<WrittenNumber, String> {
        WrittenNumber::before(text, text.len())
    }

    #[test]
    fn thousands_are_told_apart() {
        for (number, text) in [
            ("7", "7"),
            ("86258", "86,258"),
            ("-1234567.25", "-1,234,567.25"),
            ("123", "123"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn every_form_is_read_whole_and_written_again() {
        for (text, value, again) in [
            ("A pawn weighs .64", 0.64, "0.64"),
            ("0.64", 0.64, "0.64"),
            ("(86,258", 86_258.0, "86,258"),
            ("86258", 86_258.0, "86,258"),
            ("is -0.433", -0.433, "-0.433"),
            ("is −.5", -0.5, "−0.5"),
            ("by +3", 3.0, "+3"),
            ("about ~1,234,567.25", 1_234_567.25, "1,234,567.25"),
            ("1.50e-3", 0.0015, "1.50e-3"),
            ("−2E+05", -200_000.0, "−2E5"),
            ("12e3", 12_000.0, "1.2e4"),
            ("0.00e0", 0.0, "0.00e0"),
            ("53.3%", 53.3, "53.3%"),
            ("53.3 %", 53.3, "53.3 %"),
            ("-0.0", -0.0, "0.0"),
        ] {
            let written = read(text).unwrap_or_else(|why| panic!("{text}: {why}"));
            assert_eq!(written.value.to_bits(), f64::to_bits(value), "{text}");
            assert_eq!(written.with(value), again, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_whole_is_rejected() {
        for text in [
            "krk-1",
            "1,23",
            "0,640",
            "1,2345",
            "1234,567",
            "5-8",
            "37–40",
            "3/12",
            "12:30",
            "64.",
            "1.2.3",
            "0.5±0.1",
            "0.5 ± 0.1",
            "0.5 +/- 0.1",
            "− 5",
            "86 258",
            "86\u{a0}258.5",
            "1_000",
            "2e",
            "x12",
            "3×10",
            "10^3",
            "--5",
            "1e999",
            "1234567890123456",
            "0x10",
            ".",
            "%",
        ] {
            assert!(read(text).is_err(), "{text}: {:?}", read(text));
        }
        assert_eq!(read("none").unwrap_err(), "no number before this marker");
        assert_eq!(
            read("0.5 ± 0.1").unwrap_err(),
            "`0.1` cannot be read as one number: put the marker behind the value, not behind its error"
        );
    }

    #[test]
    fn a_change_beyond_its_rounding_is_more_than_one_unit_of_the_last_digit() {
        for (old, new, is_far) in [
            ("0.64", "0.65", false),
            ("0.64", "0.66", true),
            (".1", "0.6", true),
            ("118", "119", false),
            ("118", "120", true),
            ("1.2e-3", "1.3e-3", false),
            ("1.2e-3", "1.4e-3", true),
            ("12e3", "1.2e4", false),
        ] {
            let [old, new] = [old, new].map(|text| read(text).unwrap());
            assert_eq!(old.is_far_from(&new), is_far, "{old:?} {new:?}");
        }
    }

    /// A number in one of the forms in which people write, and what it is.
    fn written() -> impl Strategy<Value = (String, f64)> {
        let sign = prop_oneof![Just(""), Just("-"), Just("−"), Just("+")];
        let parts = (
            sign,
            0..10_000_000_u64,
            0..6_usize,
            any::<[bool; 4]>(),
            -9..9_i32,
        );
        parts.prop_map(
            |(sign, digits, n_decimals, [grouping, leading, exponent, percent], power)| {
                let padded = format!("{digits:0width$}", width = n_decimals + 1);
                let (whole, decimals) = padded.split_at(padded.len() - n_decimals);
                let whole = match whole {
                    "0" if !leading && n_decimals > 0 => String::new(),
                    whole if grouping => grouped(whole),
                    whole => whole.to_owned(),
                };
                let point = if n_decimals > 0 { "." } else { "" };
                let power = if exponent { power } else { 0 };
                let mut text = format!("{sign}{whole}{point}{decimals}");
                text.extend(exponent.then(|| format!("e{power}")));
                text.extend(percent.then_some("%".to_owned()));
                let plain = format!("{padded}e{}", power - i32::try_from(n_decimals).unwrap());
                let size: f64 = plain.parse().unwrap();
                (
                    text,
                    if matches!(sign, "-" | "−") {
                        -size
                    } else {
                        size
                    },
                )
            },
        )
    }

    proptest! {
        /// Bringing a correct number up to date never makes it another number.
        #[test]
        fn a_correct_number_stays_what_it_is((text, value) in written()) {
            let text = format!("the share is {text}");
            let number = read(&text).unwrap();
            prop_assert!((number.value - value).abs() <= 1e-12 * value.abs(), "{number:?}");
            let again = read(&number.with(value)).unwrap();
            prop_assert!((again.value - value).abs() <= 1e-12 * value.abs(), "{again:?}");
            prop_assert_eq!(again.is_percent, number.is_percent);
            prop_assert!(!number.is_far_from(&again));
            prop_assert_eq!(again.with(value), number.with(value));
        }

        /// Whatever was written before, the new number is the value rounded to the digits written.
        #[test]
        fn a_new_number_is_the_value_rounded((text, _) in written(), value in -1e7..1e7_f64) {
            let number = read(&text).unwrap();
            let again = read(&number.with(value)).unwrap();
            let half = again.unit() / 2.0;
            prop_assert!((again.value - value).abs() <= half * (1.0 + 1e-6), "{again:?}");
            if number.form.exponent.is_none() {
                prop_assert_eq!(again.form.n_decimals, number.form.n_decimals);
            }
        }
    }
}
