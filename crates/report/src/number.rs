//! Numbers as they are shown.

use kibitz_text::rounded_by;

/// A number with a minus sign of its full width; other text as it is.
pub(crate) fn shown(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(_) => text.replace('-', "−"),
        Err(_) => text.to_owned(),
    }
}

/// How many digits a number has behind its point; none of one with an exponent, and of a text.
pub(crate) fn decimals(text: &str) -> Option<i32> {
    let is_plain = text.parse::<f64>().is_ok_and(f64::is_finite) && !text.contains(['e', 'E']);
    let digits = text.split_once('.').map_or(0, |(_, digits)| digits.len());
    i32::try_from(digits).ok().filter(|_| is_plain)
}

/// A difference in errors: `+1.4`.
pub(crate) fn in_errors(value: f64) -> String {
    if value.abs() < 0.05 {
        return "0.0".to_owned();
    }
    if value.abs() >= 1e4 {
        return format!("{value:+.0e}").replace('-', "−");
    }
    format!("{value:+.1}").replace('-', "−")
}

/// A probability: `p = 0.43`, `p < 0.001`.
pub(crate) fn probability(p: f64) -> String {
    if p < 1e-3 {
        "p < 0.001".to_owned()
    } else if p < 0.1 {
        format!("p = {p:.3}")
    } else {
        format!("p = {p:.2}")
    }
}

/// An expected count: one digit behind the point, where that says anything.
pub(crate) fn expected(count: f64) -> String {
    if count > 0.0 && count < 0.05 {
        "fewer than 0.1".to_owned()
    } else {
        format!("{count:.1}")
    }
}

/// Six significant digits.
pub(crate) fn six(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    let size = rounded.abs();
    let text = if size == 0.0 || (1e-4..1e9).contains(&size) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    };
    text.replace('-', "−")
}

/// A count with a comma between thousands.
pub(crate) fn grouped(count: usize) -> String {
    kibitz_desk::grouped(&count.to_string())
}

/// A value with the digits that its spread supports, six without one.
pub(crate) fn by_spread(value: f64, spread: Option<f64>) -> String {
    match spread {
        Some(spread) if spread > 0.0 => rounded_by(value, spread).replace('-', "−"),
        _ => six(value),
    }
}

/// Seconds: `0.4 s`, `3 min`.
pub(crate) fn duration(seconds: f64) -> String {
    if seconds < 9.95 {
        format!("{seconds:.1} s")
    } else if seconds < 100.0 {
        format!("{seconds:.0} s")
    } else {
        format!("{:.0} min", seconds / 60.0)
    }
}

/// At most five round values between two.
pub(crate) fn ticks(low: f64, high: f64) -> Vec<f64> {
    let span = if high > low { high - low } else { 1.0 };
    let unit = 10f64.powf((span / 4.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * unit);
    let step = step.into_iter().find(|step| span / step <= 4.5);
    let step = step.unwrap_or(10.0 * unit);
    let first = (low / step - 1e-9).ceil();
    let count = (0..6).map(f64::from);
    let ticks = count.map(|idx| (first + idx) * step);
    ticks
        .take_while(|tick| *tick <= high + 1e-9 * span)
        .collect()
}

/// A value at an axis.
pub(crate) fn tick(value: f64) -> String {
    if value.abs() >= 1e4 {
        format!("{}k", six(value / 1e3))
    } else {
        six(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(0.0, 10.0), [0.0, 5.0, 10.0]);
        assert_eq!(ticks(-1.3, 2.2), [-1.0, 0.0, 1.0, 2.0]);
        assert_eq!(ticks(3.0, 3.0).len(), 1);
    }

    #[test]
    fn numbers_keep_their_digits() {
        assert_eq!(shown("-0.510"), "−0.510");
        assert_eq!(shown("krk-1"), "krk-1");
        assert_eq!(in_errors(-3.24), "−3.2");
        assert_eq!(in_errors(-0.01), "0.0");
        assert_eq!(probability(0.00001), "p < 0.001");
        assert_eq!(six(1_234.567_89), "1234.57");
        assert_eq!(
            [0, 999, 1_407, 1_234_567].map(grouped),
            ["0", "999", "1,407", "1,234,567"]
        );
        assert_eq!(by_spread(-50.219_7, Some(0.31)), "−50.22");
        assert_eq!(by_spread(50.219_7, None), "50.2197");
        assert_eq!(
            ["12", "-0.510", "1.5e-3", "yes"].map(decimals),
            [Some(0), Some(3), None, None]
        );
    }
}
