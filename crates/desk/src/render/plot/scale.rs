//! Scales of axes: their range, their ticks, and how numbers are written along them.

use std::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

use super::Axis;
use super::draw::{CHARACTER, pixels};
use kibitz_lab::published::six_digits;

/// Numbers along an axis, as they are drawn, and how they are written.
pub(super) struct Scale {
    pub(super) range: Range<f64>,
    pub(super) ticks: Vec<f64>,
    pub(super) is_log: bool,
}

impl Scale {
    /// The least scale that holds all numbers, somewhat wider; `from_zero` also holds zero.
    pub(super) fn new(numbers: impl Iterator<Item = f64>, axis: &Axis, from_zero: bool) -> Self {
        let is_log = axis.is_log;
        let drawn = numbers.filter_map(|number| place(number, is_log));
        let start = if from_zero && !is_log {
            (0.0, 0.0)
        } else {
            (f64::INFINITY, f64::NEG_INFINITY)
        };
        let (low, high) = drawn.fold(start, |(low, high), at| (low.min(at), high.max(at)));
        if low > high {
            return Self {
                range: 0.0..1.0,
                ticks: vec![0.0, 1.0],
                is_log: false,
            };
        }
        let margin = if high > low { 0.04 * (high - low) } else { 0.5 };
        let is_edge = from_zero && low == 0.0 && !is_log;
        let range = if is_edge { 0.0 } else { low - margin }..high + margin;
        let ticks = if is_log {
            log_ticks(&range)
        } else {
            ticks(&range, 5)
        };
        Self {
            range,
            ticks,
            is_log,
        }
    }

    pub(super) fn ticked(&self) -> TickedAxis {
        TickedAxis {
            range: self.range.clone(),
            ticks: self.ticks.clone(),
        }
    }

    pub(super) fn shown(&self, at: f64) -> String {
        six_digits(if self.is_log { 10f64.powf(at) } else { at })
    }

    /// Pixels of the longest label.
    pub(super) fn widest(&self) -> i32 {
        let labels = self
            .ticks
            .iter()
            .map(|tick| self.shown(*tick).chars().count());
        pixels(labels.max().unwrap_or(1) as f64 * CHARACTER)
    }
}

/// An axis with the ticks that it has: of plotters' own axes none has both and a free choice of labels.
pub(super) struct TickedAxis {
    pub(super) range: Range<f64>,
    pub(super) ticks: Vec<f64>,
}

impl Ranged for TickedAxis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        from + pixels((share * f64::from(to - from)).round())
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // Lines between the ticks are wanted as well: there are none.
        if hint.weight().allow_light_points() {
            Vec::new()
        } else {
            self.ticks.clone()
        }
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

/// Where a number is drawn; on a logarithmic axis only a positive one is.
pub(super) fn place(number: f64, is_log: bool) -> Option<f64> {
    if is_log {
        (number > 0.0).then(|| number.log10())
    } else {
        Some(number)
    }
}

/// Round numbers within a range, about as many as wanted.
fn ticks(range: &Range<f64>, about: u32) -> Vec<f64> {
    let span = range.end - range.start;
    let unit = 10f64.powf((span / f64::from(about)).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * unit);
    let fits = |step: &f64| span / step <= f64::from(about) + 0.5;
    let step = steps.into_iter().find(fits).unwrap_or(10.0 * unit);
    let first = (range.start / step - 1e-9).ceil();
    let all = (0..2 * about).map(|idx| {
        // Without the noise of the last digits.
        let tick = (first + f64::from(idx)) * step;
        (tick / unit * 1e6).round() / 1e6 * unit
    });
    all.take_while(|tick| *tick <= range.end + 1e-9 * span)
        .collect()
}

/// Powers of ten within a range of logarithms; with their doubles and fives if they are few.
fn log_ticks(range: &Range<f64>) -> Vec<f64> {
    let powers = pixels(range.start.floor())..=pixels(range.end.ceil());
    let steps: &[f64] = if range.end - range.start > 3.0 {
        &[1.0]
    } else {
        &[1.0, 2.0, 5.0]
    };
    let all = powers.flat_map(|power| {
        steps
            .iter()
            .map(move |step| f64::from(power) + step.log10())
    });
    all.filter(|at| range.contains(at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_begin_at_zero_and_lines_use_the_whole_height() {
        let scale = |numbers: &[f64], from_zero| {
            Scale::new(numbers.iter().copied(), &Axis::default(), from_zero)
        };
        assert_eq!(scale(&[5.0, 10.0], true).range, 0.0..10.4);
        assert_eq!(scale(&[5.0, 10.0], false).range, 4.8..10.2);
        assert_eq!(scale(&[3.0], false).range, 2.5..3.5);
        assert_eq!(scale(&[], false).range, 0.0..1.0);
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(&(0.0..10.4), 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        let small: Vec<String> = ticks(&(0.021..0.031), 5)
            .into_iter()
            .map(six_digits)
            .collect();
        assert_eq!(small, ["0.022", "0.024", "0.026", "0.028", "0.03"]);
        let shown: Vec<String> = log_ticks(&(-0.1..2.1))
            .into_iter()
            .map(|at| six_digits(10f64.powf(at)))
            .collect();
        assert_eq!(shown, ["1", "2", "5", "10", "20", "50", "100"]);
    }

    #[test]
    fn a_logarithmic_axis_has_no_place_for_zero() {
        assert_eq!(place(0.0, true), None);
        assert_eq!(place(100.0, true), Some(2.0));
        assert_eq!(place(-1.0, false), Some(-1.0));
    }
}
