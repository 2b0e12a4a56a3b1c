//! Numbers as people print them: with their digits, and what only looks like one.

/// A number as TOML has it, with the digits that it is printed with: `.50` is `0.50`. `None` for other
/// texts.
pub(crate) fn figure(text: &str) -> Option<String> {
    let text = text.replace('\u{2212}', "-");
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(&text)),
    };
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (rest, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_digit = !whole.is_empty() || fraction.is_some_and(|fraction| !fraction.is_empty());
    if !has_digit || !is_digits(whole) || !is_digits(fraction.unwrap_or_default()) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = fraction.filter(|fraction| !fraction.is_empty());
    let fraction = fraction.map_or_else(String::new, |fraction| format!(".{fraction}"));
    let exponent = match exponent {
        None => String::new(),
        Some(exponent) => format!("e{}", exponent.parse::<i32>().ok()?),
    };
    Some(format!("{sign}{whole}{fraction}{exponent}"))
}

/// That a text which looks like a number is not one, and what to write; `None` for numbers and for other
/// texts.
pub(crate) fn not_a_number(text: &str) -> Option<String> {
    if !looks_like_a_number(text) || figure(text).is_some() {
        return None;
    }
    Some(match meant(text) {
        Some(number) => format!("`{text}` is not a number; write {number}"),
        None => format!("`{text}` is not a number; expected one such as 1234.5"),
    })
}

/// Whether a text has digits and nothing but what stands beside digits in a number, its unit or its error.
pub(crate) fn looks_like_a_number(text: &str) -> bool {
    const BESIDE: &str = ".,'’ \u{a0}\u{202f}\u{2009}%‰±+()*†‡<>≤≥≈~=$£€";
    let text = text.replace('\u{2212}', "-");
    let unsigned = text.strip_prefix('-').unwrap_or(&text);
    let is_part = |c: char| c.is_ascii_digit() || BESIDE.contains(c);
    unsigned.contains(|c: char| c.is_ascii_digit()) && unsigned.chars().all(is_part)
}

/// The number that is meant by a text with marks for thousands, a decimal comma, a unit or an error.
fn meant(text: &str) -> Option<String> {
    let text = text.split(['±', '(']).next()?;
    let text = text.trim_start_matches(['≈', '~', '$', '£', '€', ' ']);
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || "%‰*†‡$£€".contains(c));
    if let Some(number) = figure(text) {
        return Some(number);
    }
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, format!(".{fraction}")),
        None => (text, String::new()),
    };
    let marks = [',', '\'', '’', ' ', '\u{a0}', '\u{202f}', '\u{2009}'];
    let mark = whole
        .find(marks)
        .and_then(|at| whole[at..].chars().next())?;
    let mut groups = whole.split(mark);
    let first = groups.next()?.trim_start_matches(['-', '\u{2212}', '+']);
    let is_first = (1..=3).contains(&first.len()) && !first.starts_with('0');
    let has_thousands = is_first && groups.all(|group| group.len() == 3);
    if has_thousands {
        figure(&format!("{}{fraction}", whole.replace(mark, "")))
    } else if mark == ',' && fraction.is_empty() {
        figure(&whole.replacen(',', ".", 1))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_keep_their_digits() {
        let read = |text| figure(text);
        assert_eq!(read("2.60").as_deref(), Some("2.60"));
        assert_eq!(read(".50").as_deref(), Some("0.50"));
        assert_eq!(read("\u{2212}.5").as_deref(), Some("-0.5"));
        assert_eq!(read("+007").as_deref(), Some("7"));
        assert_eq!(read("5.").as_deref(), Some("5"));
        assert_eq!(read("1.50E-03").as_deref(), Some("1.50e-3"));
        for text in ["", ".", "-", "1,234", "12%", "1e", "0x1F", "1 2", "inf"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_meant_as_a_number_is_told() {
        let cases = [
            ("1,234", Some("1234")),
            ("-1,234,567.50", Some("-1234567.50")),
            ("12 345", Some("12345")),
            ("12%", Some("12")),
            ("0,25", Some("0.25")),
            ("0,250", Some("0.250")),
            ("5 ± 1", Some("5")),
            ("5.0 (1.2)", Some("5.0")),
            ("3.1*", Some("3.1")),
            ("1.2.3", None),
            ("<0.001", None),
            ("(5)", None),
        ];
        for (text, number) in cases {
            assert_eq!(meant(text).as_deref(), number, "{text}");
            let says = not_a_number(text).unwrap_or_default();
            assert!(
                says.starts_with(&format!("`{text}` is not a number; ")),
                "{text}: {says}"
            );
        }
        for text in [
            "12",
            "-.5",
            "large",
            "2017-04-01",
            "4x4",
            "Table 2",
            "a1",
            "…",
            "%",
        ] {
            assert_eq!(not_a_number(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_looked_at(text in "[-−+0-9.,'±%( )]{0,8}") {
            let is_told = not_a_number(&text).is_some();
            prop_assert_eq!(is_told, looks_like_a_number(&text) && figure(&text).is_none());
            if let Some(number) = meant(&text) {
                prop_assert!(number.parse::<f64>().is_ok(), "{}: {}", text, number);
            }
        }

        #[test]
        fn what_is_read_is_a_number_of_toml_with_the_same_value(text in "[-+]?[0-9]{0,4}[.]?[0-9]{0,4}(e-?[0-9])?") {
            if let Some(figure) = figure(&text) {
                let toml: toml::Table = format!("x = {figure}").parse().expect("TOML");
                let value = match &toml["x"] {
                    toml::Value::Integer(value) => *value as f64,
                    value => value.as_float().expect("a number"),
                };
                let read: f64 = text.parse().expect("a number");
                prop_assert!((value - read).abs() <= f64::EPSILON * read.abs());
            }
        }
    }
}
