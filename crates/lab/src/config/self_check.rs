//! Whether a paper agrees with itself: sums, ratios and repetitions among its printed values.
//!
//! A printed value stands for everything that rounds to it, so a check holds when the intervals
//! of half a unit around both sides meet.

use std::ops::Range;

use toml::de::DeTable;

use super::experiment::Experiment;
use super::glob::CellGlob;
use super::section::Section;
use crate::diagnostic::{Diagnostics, SourceFile};
use crate::printed::{Printed, twelve_digits};
use kibitz_experiment::suggestion;

/// What is computed from the values on the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Sum,
    Ratio,
    Percent,
    Equal,
}

const OPS: [(&str, Op); 4] = [
    ("sum", Op::Sum),
    ("ratio", Op::Ratio),
    ("percent", Op::Percent),
    ("equal", Op::Equal),
];

/// One `[[check]]`.
#[derive(Clone, Debug)]
pub(crate) struct SelfCheck {
    op: Op,
    of: Vec<CellGlob>,
    is: CellGlob,
    tolerance: Option<f64>,
    span: Range<usize>,
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SelfCheckResult {
    pub(crate) holds: bool,
    /// One sentence with the numbers.
    pub(crate) text: String,
}

impl SelfCheck {
    pub(crate) fn read(
        source: &SourceFile,
        table: &DeTable<'_>,
        span: Range<usize>,
        problems: &mut Diagnostics,
    ) -> Option<Self> {
        let mut section = Section::new(source, "[[check]]", table, span.clone());
        section.require("op", "\"sum\"");
        section.require("of", "[\"row.column\"]");
        section.require("is", "\"row.column\"");
        let op = section.string("op");
        let of = section.strings("of");
        let is = section.string("is");
        let tolerance = section.number("abs").map(toml::Spanned::into_inner);
        section.finish(problems);
        let op = op?;
        let found = OPS.iter().find(|(name, _)| name == op.get_ref());
        if found.is_none() {
            problems.push(
                source
                    .error_at(op.span(), format!("unknown check `{}`", op.get_ref()))
                    .with_label(suggestion(op.get_ref(), OPS.map(|(name, _)| name))),
            );
        }
        Some(Self {
            op: found?.1,
            of: of?.into_iter().map(CellGlob::new).collect(),
            is: CellGlob::new(is?),
            tolerance,
            span,
        })
    }

    /// That every pattern names printed numbers, and as many as the operation takes.
    pub(crate) fn validate(&self, experiment: &Experiment, problems: &mut Diagnostics) {
        let source = &experiment.source;
        for glob in self.of.iter().chain([&self.is]) {
            if named(experiment, glob).is_empty() {
                let names: Vec<String> = experiment
                    .published
                    .iter()
                    .flat_map(|row| {
                        row.values
                            .iter()
                            .map(|value| format!("{}.{}", row.row, value.column))
                    })
                    .collect();
                problems.push(
                    source
                        .error_at(
                            glob.span.clone(),
                            format!("`{}` names no published number", glob.text),
                        )
                        .with_label(suggestion(&glob.text, names.iter().map(String::as_str))),
                );
                return;
            }
        }
        let left: usize = self
            .of
            .iter()
            .map(|glob| named(experiment, glob).len())
            .sum();
        let wanted = match self.op {
            Op::Ratio | Op::Percent if left != 2 => "two values: numerator, denominator",
            _ if named(experiment, &self.is).len() != 1 => "one value on the right, in `is`",
            _ => return,
        };
        problems.push(source.error_at(self.span.clone(), format!("this check needs {wanted}")));
    }

    /// Carries out the check on the published values.
    pub(crate) fn run(&self, experiment: &Experiment) -> SelfCheckResult {
        let left: Vec<&Printed> = self
            .of
            .iter()
            .flat_map(|glob| named(experiment, glob))
            .collect();
        let Some(right) = named(experiment, &self.is).first().copied() else {
            return SelfCheckResult {
                holds: false,
                text: format!("`{}` names no published number", self.is.text),
            };
        };
        let is = right.number().unwrap_or(f64::NAN);
        let of = self
            .of
            .iter()
            .map(|glob| glob.text.as_str())
            .collect::<Vec<_>>()
            .join(" + ");
        if self.op == Op::Equal {
            let holds = left.iter().all(|value| {
                let apart = (value.number().unwrap_or(f64::NAN) - is).abs();
                apart <= self.slack(value.half_unit() + right.half_unit(), is)
            });
            let text = format!("{of} equals {} ({right})", self.is.text);
            return SelfCheckResult { holds, text };
        }
        let (value, half) = self.compute(&left);
        let holds = (value - is).abs() <= self.slack(half + right.half_unit(), is);
        let what = match (self.op, self.of.as_slice()) {
            (Op::Ratio, [a, b]) => format!("{} / {}", a.text, b.text),
            (Op::Percent, [a, b]) => format!("{} as a percentage of {}", a.text, b.text),
            (Op::Ratio | Op::Percent, _) => format!("the ratio of {of}"),
            _ => format!("the sum of {of}"),
        };
        let text = format!(
            "{what} is {}; {} is printed as {right}",
            twelve_digits(value),
            self.is.text
        );
        SelfCheckResult { holds, text }
    }

    /// The value of the left side, and how far rounding may have moved it.
    fn compute(&self, left: &[&Printed]) -> (f64, f64) {
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

/// The printed numbers a pattern names, in file order.
fn named<'e>(experiment: &'e Experiment, glob: &CellGlob) -> Vec<&'e Printed> {
    experiment
        .published
        .iter()
        .flat_map(|row| row.values.iter().map(move |value| (&row.row, value)))
        .filter(|(row, value)| glob.matches(row, &value.column) && value.printed.number().is_some())
        .map(|(_, value)| &value.printed)
        .collect()
}
