//! How close to print is close enough, and whether a value is.

use std::fmt;

use toml::de::DeValue;

use crate::config::section::{Node, Section, in_file_order, kind_of};
use crate::diagnostic::{Diagnostic, Diagnostics, SourceFile};
use crate::printed::{Printed, twelve_digits};
use crate::table::Measured;
use kibitz_experiment::suggestion;

/// Relative slack for the last of the twelve digits that are kept of a value.
const SLACK: f64 = 1e-11;

/// What the authors did with the digits they did not print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    Nearest,
    Truncate,
}

/// How a column is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tolerance {
    /// The same number or text.
    Exact,
    /// Equal once written like the paper; `digits` as printed when not given.
    Digits {
        digits: Option<i32>,
        round: Rounding,
    },
    /// At most this far away, in the column's unit.
    Abs(f64),
    /// At most this fraction of the printed value away.
    Rel(f64),
    /// Within an interval, whatever was printed.
    Within(f64, f64),
    /// Two proportions, theirs of `trials`, at most `z` standard errors apart.
    Trials { trials: u64, z: f64 },
    /// The printed value within this many standard deviations of our replicates.
    ReplicateSd(f64),
    /// The printed value within this many of our own standard errors.
    StdError(f64),
    /// The same ranking down the column.
    Order,
    /// Shown, never judged.
    Info,
}

impl Tolerance {
    /// Equal once written with the digits printed.
    pub(crate) const AS_PRINTED: Self = Self::Digits {
        digits: None,
        round: Rounding::Nearest,
    };

    /// Whether it says anything about texts.
    pub(crate) fn judges_text(self) -> bool {
        matches!(self, Self::Exact | Self::Info) || self == Self::AS_PRINTED
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Exact => f.write_str("exact"),
            Self::Digits { digits, round } => {
                match digits {
                    Some(digits) => write!(f, "{digits} digits")?,
                    None => f.write_str("digits as printed")?,
                }
                if round == Rounding::Truncate {
                    f.write_str(", cut off")?;
                }
                Ok(())
            }
            Self::Abs(x) => write!(f, "± {}", twelve_digits(x)),
            Self::Rel(x) => write!(f, "± {} %", twelve_digits(100.0 * x)),
            Self::Within(low, high) => {
                write!(f, "{} to {}", twelve_digits(low), twelve_digits(high))
            }
            Self::Trials { trials, z } => {
                write!(f, "{} se of {trials} trials", twelve_digits(z))
            }
            Self::ReplicateSd(k) => write!(f, "{} sd of replicates", twelve_digits(k)),
            Self::StdError(k) => write!(f, "{} standard errors", twelve_digits(k)),
            Self::Order => f.write_str("same order"),
            Self::Info => f.write_str("info"),
        }
    }
}

/// The words a tolerance can be written as.
const WORDS: [&str; 3] = ["exact", "order", "info"];
/// The tables a tolerance can be written as.
const FORMS: [&str; 7] = [
    "digits",
    "abs",
    "rel",
    "within",
    "trials",
    "replicate-sd",
    "std-error",
];

/// Reads a tolerance; problems go to `problems`.
pub(crate) fn read(
    source: &SourceFile,
    node: &Node<'_>,
    problems: &mut Diagnostics,
) -> Option<Tolerance> {
    let wrong = |message: String| -> Diagnostic {
        source.error_at(node.span(), message).with_label(
            "write \"exact\", \"order\", \"info\", or one of { digits = 2 }, { abs = 0.1 }, \
             { rel = 0.1 }, { within = [0, 1] }, { trials = 1000, z = 3.0 }, \
             { replicate-sd = 3.0 }, { std-error = 3.0 }",
        )
    };
    let table = match node.get_ref() {
        DeValue::String(word) => {
            return match word.as_ref() {
                "exact" => Some(Tolerance::Exact),
                "order" => Some(Tolerance::Order),
                "info" => Some(Tolerance::Info),
                other => {
                    problems.push(
                        source
                            .error_at(node.span(), format!("unknown tolerance `{other}`"))
                            .with_label(suggestion(other, WORDS)),
                    );
                    None
                }
            };
        }
        DeValue::Table(table) => table,
        other => {
            problems.push(wrong(format!("a tolerance cannot be {}", kind_of(other))));
            return None;
        }
    };
    let forms: Vec<&str> = FORMS
        .into_iter()
        .filter(|form| table.contains_key(*form))
        .collect();
    let [form] = forms[..] else {
        let unknown = in_file_order(table).into_iter().map(|(key, _)| key).next();
        problems.push(match (forms.is_empty(), unknown) {
            (true, Some(key)) => source
                .error_at(key.span(), format!("unknown tolerance `{}`", key.get_ref()))
                .with_label(suggestion(key.get_ref(), FORMS)),
            (true, None) => wrong("an empty tolerance".to_owned()),
            _ => wrong(format!(
                "a tolerance is one thing, found `{}`",
                forms.join("` and `")
            )),
        });
        return None;
    };
    let mut section = Section::new(source, "this tolerance", table, node.span());
    let tolerance = match form {
        "digits" => {
            let digits = section.whole("digits");
            let round = section.string("round");
            let round = match round.as_ref().map(|round| round.get_ref().as_str()) {
                None | Some("nearest") => Rounding::Nearest,
                Some("truncate") => Rounding::Truncate,
                Some(other) => {
                    let span = round.as_ref().map_or(node.span(), toml::Spanned::span);
                    section.problem(
                        span,
                        format!("`round` is \"nearest\" or \"truncate\", found \"{other}\""),
                    );
                    Rounding::Nearest
                }
            };
            digits.map(|digits| Tolerance::Digits {
                digits: Some(i32::try_from(digits.into_inner().min(15)).unwrap_or(15)),
                round,
            })
        }
        "abs" => positive(&mut section, "abs").map(Tolerance::Abs),
        "rel" => positive(&mut section, "rel").map(Tolerance::Rel),
        "replicate-sd" => positive(&mut section, "replicate-sd").map(Tolerance::ReplicateSd),
        "std-error" => positive(&mut section, "std-error").map(Tolerance::StdError),
        "trials" => {
            let trials = section.whole("trials");
            section.require("z", "3.0");
            let z = positive(&mut section, "z");
            trials.zip(z).map(|(trials, z)| Tolerance::Trials {
                trials: trials.into_inner(),
                z,
            })
        }
        _ => within(&mut section),
    };
    section.finish(problems);
    tolerance
}

fn positive(section: &mut Section<'_, '_>, key: &'static str) -> Option<f64> {
    let value = section.number(key)?;
    if *value.get_ref() < 0.0 {
        section.problem(value.span(), format!("`{key}` cannot be negative"));
        return None;
    }
    Some(value.into_inner())
}

fn within(section: &mut Section<'_, '_>) -> Option<Tolerance> {
    let node = section.get("within")?;
    let bounds: Option<Vec<f64>> = node.get_ref().as_array().and_then(|items| {
        items
            .iter()
            .map(|item| crate::config::section::number(item.get_ref()))
            .collect()
    });
    match bounds.as_deref() {
        Some(&[low, high]) if low <= high => Some(Tolerance::Within(low, high)),
        _ => {
            section.problem(
                node.span(),
                "`within` is an array of two numbers, the lower first",
            );
            None
        }
    }
}

/// Whether `ours` is close enough to `printed`; `None` when there is nothing to judge by.
///
/// [`Tolerance::Order`] needs the whole column and is judged by [`same_order`].
pub(crate) fn agrees(
    tolerance: Tolerance,
    unit: &str,
    printed: Option<&Printed>,
    ours: &Measured,
) -> Option<bool> {
    if let (Tolerance::Within(low, high), Some(ours)) = (tolerance, ours.number()) {
        let slack = SLACK * ours.abs();
        return Some((low - slack..=high + slack).contains(&ours));
    }
    let printed = printed?;
    let (paper, value) = match (printed, ours.number()) {
        (Printed::Number { value, .. }, Some(ours)) => (*value, ours),
        (Printed::Text(text), _) => {
            return (tolerance != Tolerance::Info).then(|| ours.written() == *text);
        }
        (Printed::Number { .. }, None) => {
            return (tolerance != Tolerance::Info).then_some(false);
        }
    };
    let apart = (value - paper).abs();
    let slack = SLACK * value.abs().max(paper.abs());
    Some(match tolerance {
        Tolerance::Exact => apart <= slack,
        Tolerance::Digits { digits, round } => {
            let digits = digits.or(printed.digits()).unwrap_or(0);
            let unit = 10f64.powi(-digits);
            match round {
                Rounding::Nearest => apart <= 0.5 * unit + slack,
                Rounding::Truncate => {
                    let cut = ((value.abs() + slack) / unit).floor() * unit;
                    (cut.copysign(value) - paper).abs() <= 0.5 * unit * SLACK.max(1e-6) + slack
                }
            }
        }
        Tolerance::Abs(x) => apart <= x + slack,
        Tolerance::Rel(x) => apart <= x * paper.abs() + slack,
        Tolerance::Trials { trials, z } => {
            proportions_agree(unit, paper, trials, value, ours.n_samples, z)
        }
        Tolerance::ReplicateSd(k) => apart <= k * ours.std_dev? + slack,
        Tolerance::StdError(k) => apart <= k * ours.std_error? + slack,
        Tolerance::Within(..) | Tolerance::Order | Tolerance::Info => return None,
    })
}

/// Two proportions with a pooled standard error; without a count of our own, ours is taken as
/// exact and only theirs varies.
fn proportions_agree(
    unit: &str,
    paper: f64,
    trials: u64,
    ours: f64,
    n_samples: Option<u64>,
    z: f64,
) -> bool {
    let scale = if unit == "%" { 100.0 } else { 1.0 };
    let (theirs, ours) = (paper / scale, ours / scale);
    let n_theirs = trials.max(1) as f64;
    let (pooled, spread) = match n_samples {
        Some(n_ours) if n_ours > 0 => {
            let n_ours = n_ours as f64;
            (
                (theirs * n_theirs + ours * n_ours) / (n_theirs + n_ours),
                1.0 / n_theirs + 1.0 / n_ours,
            )
        }
        _ => (ours, 1.0 / n_theirs),
    };
    let std_error = (pooled * (1.0 - pooled) * spread).max(0.0).sqrt();
    (theirs - ours).abs() <= z * std_error + SLACK
}

/// For each pair of printed value and ours, whether it ranks among the others as printed.
///
/// Values printed as equal may come in either order.
pub(crate) fn same_order(pairs: &[(f64, f64)]) -> Vec<bool> {
    pairs
        .iter()
        .map(|(paper, ours)| {
            pairs.iter().all(|(other_paper, other_ours)| {
                paper.partial_cmp(other_paper).is_none_or(|order| {
                    order.is_eq() || ours.partial_cmp(other_ours) == Some(order)
                })
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str) -> Printed {
        let value = DeValue::parse(text).unwrap();
        Printed::read(value.get_ref()).unwrap()
    }

    fn check(tolerance: Tolerance, paper: &str, ours: f64, expected: Option<bool>) {
        let found = agrees(
            tolerance,
            "%",
            Some(&printed(paper)),
            &Measured::exact(ours),
        );
        assert_eq!(found, expected, "{tolerance} of {paper}: {ours}");
    }

    #[test]
    fn digits_round_or_cut() {
        let cut = Tolerance::Digits {
            digits: Some(2),
            round: Rounding::Truncate,
        };
        check(Tolerance::AS_PRINTED, "0.510", 0.5104, Some(true));
        check(Tolerance::AS_PRINTED, "0.510", 0.5106, Some(false));
        check(Tolerance::AS_PRINTED, "138383", 138_383.4, Some(true));
        check(Tolerance::AS_PRINTED, "138383", 138_384.0, Some(false));
        // 16.70/48.3 = .3457 is printed .34
        check(cut, "0.34", 0.3457, Some(true));
        check(Tolerance::AS_PRINTED, "0.34", 0.3457, Some(false));
        check(cut, "0.29", 0.29, Some(true));
        check(cut, "-0.34", -0.3457, Some(true));
        check(cut, "0.35", 0.3457, Some(false));
    }

    #[test]
    fn distances() {
        check(Tolerance::Exact, "57", 57.0, Some(true));
        check(Tolerance::Exact, "57", 57.1, Some(false));
        check(Tolerance::Abs(0.5), "94.8", 95.3, Some(true));
        check(Tolerance::Abs(0.5), "94.8", 95.31, Some(false));
        check(Tolerance::Rel(0.1), "40000", 36_000.0, Some(true));
        check(Tolerance::Rel(0.1), "40000", 35_999.0, Some(false));
        check(Tolerance::Within(0.0, 1.0), "7", 0.5, Some(true));
        check(Tolerance::Info, "7", 0.5, None);
    }

    #[test]
    fn within_needs_nothing_printed() {
        let ours = Measured::exact(2.0);
        assert_eq!(
            agrees(Tolerance::Within(0.0, 1.0), "", None, &ours),
            Some(false)
        );
        assert_eq!(agrees(Tolerance::Exact, "", None, &ours), None);
    }

    #[test]
    fn proportions() {
        let trials = Tolerance::Trials {
            trials: 1000,
            z: 3.0,
        };
        // One standard error of 52 % of 1000 is 1.58 points.
        check(trials, "52.0", 56.6, Some(true));
        check(trials, "52.0", 57.0, Some(false));
        let ours = Measured {
            n_samples: Some(1000),
            ..Measured::exact(57.0)
        };
        assert_eq!(
            agrees(trials, "%", Some(&printed("52.0")), &ours),
            Some(true)
        );
    }

    #[test]
    fn spreads() {
        let ours = Measured {
            std_dev: Some(0.2),
            std_error: Some(0.1),
            ..Measured::exact(7.0)
        };
        let paper = printed("7.5");
        assert_eq!(
            agrees(Tolerance::ReplicateSd(3.0), "", Some(&paper), &ours),
            Some(true)
        );
        assert_eq!(
            agrees(Tolerance::StdError(3.0), "", Some(&paper), &ours),
            Some(false)
        );
    }

    #[test]
    fn order_marks_the_cells_out_of_place() {
        assert_eq!(
            same_order(&[(1.0, 10.0), (2.0, 30.0), (3.0, 20.0)]),
            [true, false, false]
        );
        assert_eq!(
            same_order(&[(1.0, 3.0), (1.0, 2.0), (5.0, 9.0)]),
            [true, true, true]
        );
        assert_eq!(same_order(&[(1.0, 3.0), (2.0, 3.0)]), [false, false]);
    }
}
