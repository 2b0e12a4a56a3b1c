//! Whether a paper agrees with itself: sums, ratios and repetitions among its printed values.
//!
//! A printed value stands for everything that rounds to it, so a check holds when the intervals
//! of half a unit around both sides meet.

use std::ops::Range;

use kibitz_experiment::suggestion;
use toml::Spanned;
use wildmatch::WildMatch;

use super::checks::check_row_patterns;
use super::envelope::{Op, SelfCheck};
use super::experiment::Experiment;
use crate::published::{PublishedValue, twelve_digits};
use crate::tolerance::Distance;
use kibitz_text::Diagnostics;

/// What came of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfCheckResult {
    /// Whether print agrees with itself.
    pub holds: bool,
    /// One sentence with the numbers.
    pub text: String,
}

/// A check of one row, with the names it says and the printed numbers they mean.
struct Instance<'e> {
    op: Op,
    tolerance: Option<f64>,
    of: Vec<(String, Range<usize>, Vec<&'e PublishedValue>)>,
    is: (String, Range<usize>, Vec<&'e PublishedValue>),
}

/// That every pattern names printed numbers, and as many as the operation takes.
pub(crate) fn validate(experiment: &Experiment, problems: &mut Diagnostics) {
    let numbers = numbers(experiment);
    for check in &experiment.file.check {
        let instances = check.get_ref().instances(experiment, &numbers);
        if let Some(rows) = &check.get_ref().rows {
            check_row_patterns(experiment, &rows.0, problems);
        }
        for instance in instances {
            if !instance.validate(experiment, check.span(), problems) {
                break;
            }
        }
    }
}

/// Carries out all checks on the published values.
pub fn run(experiment: &Experiment) -> Vec<SelfCheckResult> {
    let numbers = numbers(experiment);
    let checks = experiment.file.check.iter().map(Spanned::get_ref);
    let instances = checks.flat_map(|check| check.instances(experiment, &numbers));
    instances.map(|instance| instance.run()).collect()
}

impl SelfCheck {
    /// The check itself, or one for each of its rows.
    fn instances<'e>(
        &self,
        experiment: &Experiment,
        numbers: &[(String, &'e PublishedValue)],
    ) -> Vec<Instance<'e>> {
        let Some(rows) = &self.rows else {
            return vec![self.instance("{row}", numbers)];
        };
        let published = experiment.published.iter().map(|row| row.row.as_str());
        let meant = published.filter(|row| rows.name_row(row));
        meant.map(|row| self.instance(row, numbers)).collect()
    }

    fn instance<'e>(&self, row: &str, numbers: &[(String, &'e PublishedValue)]) -> Instance<'e> {
        let side = |text: &Spanned<String>| {
            let name = text.get_ref().replace("{row}", row);
            let glob = WildMatch::new(&name);
            let named = numbers.iter().filter(|(name, _)| glob.matches(name));
            let named = named.map(|(_, printed)| *printed).collect();
            (name, text.span(), named)
        };
        Instance {
            op: self.op,
            tolerance: self.abs.map(Distance::get),
            of: self.of.0.iter().map(side).collect(),
            is: side(&self.is),
        }
    }
}

impl Instance<'_> {
    fn validate(
        &self,
        experiment: &Experiment,
        at: Range<usize>,
        problems: &mut Diagnostics,
    ) -> bool {
        let mut sides = self.of.iter().chain([&self.is]);
        if let Some((name, span, _)) = sides.find(|(.., numbers)| numbers.is_empty()) {
            let published = experiment.published.iter();
            let names = published.flat_map(|row| {
                let values = row.values.iter();
                values.map(|value| format!("{}.{}", row.row, value.column))
            });
            let names: Vec<String> = names.collect();
            let message = format!("`{name}` names no published number");
            let label = suggestion(name, names.iter().map(String::as_str));
            problems.push(experiment.error_at(span.clone(), message).with_label(label));
            return false;
        }
        let wanted = match self.op {
            Op::Ratio | Op::Percent if self.left().len() != 2 => {
                "two values: numerator, denominator"
            }
            _ if self.is.2.len() != 1 => "one value on the right, in `is`",
            _ => return true,
        };
        problems.push(experiment.error_at(at, format!("this check needs {wanted}")));
        false
    }

    fn left(&self) -> Vec<&PublishedValue> {
        let numbers = self.of.iter().flat_map(|(.., numbers)| numbers);
        numbers.copied().collect()
    }

    fn run(&self) -> SelfCheckResult {
        let (is_name, _, numbers) = &self.is;
        let left = self.left();
        let Some(right) = numbers.first() else {
            return SelfCheckResult {
                holds: false,
                text: format!("`{is_name}` names no published number"),
            };
        };
        let is = right.number().unwrap_or(f64::NAN);
        let names: Vec<&str> = self.of.iter().map(|(name, ..)| name.as_str()).collect();
        let of = names.join(" + ");
        if self.op == Op::Equal {
            let holds = left.iter().all(|value| {
                let apart = (value.number().unwrap_or(f64::NAN) - is).abs();
                apart <= self.slack(value.half_unit() + right.half_unit(), is)
            });
            let text = format!("{of} equals {is_name} ({right})");
            return SelfCheckResult { holds, text };
        }
        let (value, half) = self.compute(&left);
        let holds = (value - is).abs() <= self.slack(half + right.half_unit(), is);
        let what = match (self.op, names.as_slice()) {
            (Op::Ratio, [a, b]) => format!("{a} / {b}"),
            (Op::Percent, [a, b]) => format!("{a} as a percentage of {b}"),
            (Op::Ratio | Op::Percent, _) => format!("the ratio of {of}"),
            _ => format!("the sum of {of}"),
        };
        let text = format!(
            "{what} is {}; {is_name} is printed as {right}",
            twelve_digits(value)
        );
        SelfCheckResult { holds, text }
    }

    /// The value of the left side, and how far rounding may have moved it.
    fn compute(&self, left: &[&PublishedValue]) -> (f64, f64) {
        let numbers: Vec<f64> = left.iter().filter_map(|value| value.number()).collect();
        if self.op == Op::Sum {
            let half = left.iter().map(|value| value.half_unit()).sum();
            return (numbers.iter().sum(), half);
        }
        let (&[top, bottom], &[above, below]) = (numbers.as_slice(), left) else {
            return (f64::NAN, 0.0);
        };
        let scale = if self.op == Op::Percent { 100.0 } else { 1.0 };
        let value = top / bottom;
        let half = (above.half_unit() + value.abs() * below.half_unit()) / bottom.abs();
        (scale * value, scale * half)
    }

    fn slack(&self, rounding: f64, is: f64) -> f64 {
        self.tolerance.unwrap_or(rounding) + 1e-11 * is.abs()
    }
}

/// The printed numbers by `row.column`, in file order.
fn numbers(experiment: &Experiment) -> Vec<(String, &PublishedValue)> {
    let rows = experiment.published.iter();
    let values = rows.flat_map(|row| row.values.iter().map(move |value| (&row.row, value)));
    let numbers = values.filter(|(_, value)| value.printed.number().is_some());
    let named = numbers.map(|(row, value)| (format!("{row}.{}", value.column), &value.printed));
    named.collect()
}
