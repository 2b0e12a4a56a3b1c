//! Tolerances so wide that a match would say nothing.

use kibitz_text::Diagnostics;

use super::entry::TableColumn;
use super::envelope::{ColumnSpec, PublishedError};
use super::experiment::Experiment;
use crate::published::{PublishedValue, six_digits};
use crate::tolerance::{SLACK, Tolerance};

/// The largest share of a published value that a fixed tolerance may be without a reason.
const WIDEST: f64 = 0.5;
/// Published integers below this may be missed by more than half.
const SMALL_COUNT: f64 = 4.0;
/// The most errors that a tolerance may be without a reason.
const MOST_ERRORS: f64 = 5.0;
/// A lower rank correlation would be off from 1 by more than a factor of two.
const LEAST_TAU: f64 = 0.5;

/// That no tolerance accepts values off by more than half of the published one, unless the column says
/// why.
pub(super) fn check_wide(
    experiment: &Experiment,
    columns: &[TableColumn],
    problems: &mut Diagnostics,
) {
    for (name, spec) in &experiment.file.columns.0 {
        if spec
            .why
            .as_deref()
            .is_some_and(|why| !why.trim().is_empty())
        {
            continue;
        }
        let name = name.get_ref();
        let column = columns.iter().find(|column| column.name == *name);
        let unit = column.map_or("", |column| column.unit.as_str());
        let problem = wide_error(spec, name).or_else(|| wide_width(experiment, spec, name, unit));
        let Some((at, message)) = problem else {
            continue;
        };
        let problem = experiment.error_at(at, message);
        problems.push(problem.with_label("narrow it, or say in `why` what makes it so wide"));
    }
}

type Problem = (std::ops::Range<usize>, String);

/// A tolerance in errors, or a rank correlation, that accepts nearly anything.
fn wide_error(spec: &ColumnSpec, name: &str) -> Option<Problem> {
    let tol = spec.tol.as_ref()?;
    let (errors, what) = match tol.get_ref() {
        Tolerance::StdError(k) => (k.get(), "standard errors"),
        Tolerance::ReplicateSd(k) => (k.get(), "standard deviations"),
        Tolerance::Trials(trials) => (trials.z.get(), "standard errors"),
        Tolerance::Tau(least) if least.get() < LEAST_TAU => {
            let message = format!(
                "column `{name}` accepts a rank correlation below {LEAST_TAU}, which is off from 1 by more \
                 than a factor of two"
            );
            return Some((tol.span(), message));
        }
        _ => return None,
    };
    (errors > MOST_ERRORS).then(|| {
        let message = format!(
            "the tolerance of column `{name}` is {} {what}: at most {MOST_ERRORS} say anything",
            six_digits(errors)
        );
        (tol.span(), message)
    })
}

/// A fixed tolerance of more than half of a published value.
fn wide_width(
    experiment: &Experiment,
    spec: &ColumnSpec,
    name: &str,
    unit: &str,
) -> Option<Problem> {
    let tolerance = spec.tol.as_ref().map(|tol| *tol.get_ref());
    for row in &experiment.published {
        let is_counted =
            !experiment.is_input(&row.row, name) && !experiment.is_doubtful(&row.row, name);
        let mut values = row
            .values
            .iter()
            .filter(|value| is_counted && value.column == name);
        let Some(PublishedValue::Number { value, text, .. }) =
            values.next().map(|value| &value.printed)
        else {
            continue;
        };
        let size = value.abs();
        let is_small_count =
            size < SMALL_COUNT && value.fract() == 0.0 && !text.contains(['.', 'e', 'E']);
        if size == 0.0 || is_small_count {
            continue;
        }
        let tolerance = tolerance.and_then(|tolerance| width(tolerance, *value, unit));
        let error = match spec.published_error.as_ref().map(toml::Spanned::get_ref) {
            Some(PublishedError::Is(error)) => Some(error.get()),
            _ => None,
        };
        let found = [
            (
                tolerance,
                "tolerance",
                spec.tol.as_ref().map(toml::Spanned::span),
            ),
            (
                error,
                "published error",
                spec.published_error.as_ref().map(toml::Spanned::span),
            ),
        ];
        for (width, what, at) in found {
            let (Some(width), Some(at)) = (width, at) else {
                continue;
            };
            if width > WIDEST * size * (1.0 + SLACK) {
                let message = format!(
                    "the {what} of column `{name}` is more than half of the published value of row `{}`: {} \
                     beside {text}",
                    row.row,
                    six_digits(width)
                );
                return Some((at, message));
            }
        }
    }
    None
}

/// How far from a published value a fixed tolerance reaches; `None` of one that is not fixed or that does
/// not accept the published value itself.
fn width(tolerance: Tolerance, published: f64, unit: &str) -> Option<f64> {
    Some(match tolerance {
        Tolerance::Digits(digits) => 0.5 * 10f64.powi(-i32::from(digits)),
        Tolerance::Abs(x) => x.get(),
        Tolerance::Rel(x) => x.get() * published.abs(),
        Tolerance::Within(interval) => {
            let [low, high] = interval.ends();
            if !interval.holds(published) {
                return None;
            }
            (high - published).max(published - low)
        }
        Tolerance::Trials(trials) => {
            let scale = if unit == "%" { 100.0 } else { 1.0 };
            let share = published / scale;
            if !(0.0..=1.0).contains(&share) {
                return None;
            }
            scale * trials.z.get() * (share * (1.0 - share) / trials.n.get() as f64).sqrt()
        }
        _ => return None,
    })
}
