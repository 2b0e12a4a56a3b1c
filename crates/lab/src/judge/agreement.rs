//! How a reproduced value agrees with its published one: within the tolerance or not, and whether the test
//! could have failed.

use super::PendingCell;
use super::baseline::{self, UnbeatenBaseline};
use super::closeness::Gauge;
use crate::config::entry::TableColumn;
use crate::figure::Values;
use crate::measurement::Measurement;
use crate::published::{PublishedValue, six_digits};
use crate::tolerance::{SLACK, Tolerance};

/// The baseline of columns whose order is compared.
pub(super) const RANDOM_ORDER: &str = "a random order";

/// How a reproduced value agrees with its published one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Agreement {
    /// Within the tolerance, and the declared baseline is not.
    Close,
    /// It matches, in a test that `baseline` would have passed as well.
    Weak { baseline: String, why: String },
    /// Within a tolerance made of our own spread, so wide that any plausible value would match.
    Noisy {
        baseline: Option<String>,
        why: String,
    },
    /// Outside of the tolerance, or off by more than a factor of two.
    Far,
}

impl Agreement {
    /// That of a cell with both values; `None` where there is nothing to judge by.
    pub(super) fn new(
        pending: &PendingCell,
        cells: &[PendingCell],
        values: &Values<'_>,
    ) -> Option<Self> {
        let cell = &pending.cell;
        let (printed, ours) = (cell.printed.as_ref()?, cell.ours.as_ref()?);
        let tolerance = pending.tolerance;
        let gauge = Gauge::new(&cell.column, tolerance, printed);
        let is_within = gauge.meets(printed, ours)?;
        let unbeaten = || baseline::unbeaten(pending, cells, values);
        Some(Self::decide(
            &Facts::new(tolerance, is_within, printed, ours),
            unbeaten,
        ))
    }

    /// The rule from its second line on.
    pub(super) fn decide(
        facts: &Facts<'_>,
        unbeaten: impl FnOnce() -> Option<UnbeatenBaseline>,
    ) -> Self {
        let is_own_spread = facts.tolerance.is_own_spread();
        if facts.is_off && !facts.is_equal {
            return if facts.is_within && is_own_spread {
                Self::Noisy {
                    baseline: None,
                    why: facts.too_noisy("it accepts a value off by more than a factor of two"),
                }
            } else {
                Self::Far
            };
        }
        let unbeaten = match unbeaten() {
            None if facts.is_within => return Self::Close,
            unbeaten => unbeaten,
        };
        if facts.is_within {
            let Some(UnbeatenBaseline {
                name,
                why,
                is_declared,
            }) = unbeaten
            else {
                return Self::Close;
            };
            return if facts.is_equal || !is_own_spread || !is_declared {
                Self::Weak {
                    baseline: name,
                    why,
                }
            } else {
                Self::Noisy {
                    why: facts.too_noisy(&why),
                    baseline: Some(name),
                }
            };
        }
        if facts.is_equal {
            let (name, why) = unbeaten.map_or_else(
                || (String::new(), String::new()),
                |unbeaten| (unbeaten.name, format!("; {}", unbeaten.why)),
            );
            return Self::Weak {
                baseline: name,
                why: format!("equal at the published digits, outside of the tolerance{why}"),
            };
        }
        Self::Far
    }

    /// The baseline that was not beaten, or those of the column.
    pub(super) fn baseline(&self, column: &TableColumn) -> String {
        match self {
            Self::Weak { baseline, .. } if !baseline.is_empty() => baseline.clone(),
            Self::Noisy {
                baseline: Some(baseline),
                ..
            } => baseline.clone(),
            _ if matches!(column.tolerance, Tolerance::Order | Tolerance::Tau(_)) => {
                RANDOM_ORDER.to_owned()
            }
            _ => {
                let declared = column.baseline.iter().map(ToString::to_string);
                declared.collect::<Vec<_>>().join("; ")
            }
        }
    }
}

/// What decides the agreement of a cell, but for its baseline.
pub(super) struct Facts<'a> {
    pub(super) tolerance: Tolerance,
    pub(super) is_within: bool,
    /// Equal at the published digits, or the same text.
    pub(super) is_equal: bool,
    /// Off by more than a factor of two.
    pub(super) is_off: bool,
    pub(super) ours: &'a Measurement,
}

impl<'a> Facts<'a> {
    pub(super) fn new(
        tolerance: Tolerance,
        is_within: bool,
        printed: &PublishedValue,
        ours: &'a Measurement,
    ) -> Self {
        Self {
            tolerance,
            is_within,
            is_equal: is_equal(tolerance, printed, ours),
            is_off: is_off(printed, ours),
            ours,
        }
    }

    /// That our own spread is so wide that `what`, and what would help.
    fn too_noisy(&self, what: &str) -> String {
        let size = |size: Option<f64>| {
            size.map_or_else(String::new, |size| format!(" of {}", six_digits(size)))
        };
        match self.tolerance {
            Tolerance::StdError(_) => format!(
                "the tolerance rests on our standard error{}: {what}; a larger sample would help",
                size(self.ours.std_error)
            ),
            Tolerance::OwnInterval | Tolerance::Around(_) => {
                format!("the tolerance is our own interval: {what}; a larger sample would help")
            }
            Tolerance::Quantiles(_) => format!(
                "the tolerance is the range of our replicates: {what}; another start or more published \
                 draws would help"
            ),
            _ => format!(
                "the tolerance rests on the spread of our replicates{}: {what}; another start or more \
                 published draws would help",
                size(self.ours.std_dev)
            ),
        }
    }
}

/// Whether both are equal once the reproduced value is written with the published digits; of texts, and
/// under `"exact"`, whether they are the same.
fn is_equal(tolerance: Tolerance, printed: &PublishedValue, ours: &Measurement) -> bool {
    match (printed, ours.number()) {
        (PublishedValue::Number { value, .. }, Some(number)) => {
            let width = match tolerance {
                Tolerance::Exact => 0.0,
                _ => printed.half_unit(),
            };
            let slack = SLACK * value.abs().max(number.abs());
            (value - number).abs() <= width + slack
        }
        (PublishedValue::Text(text), _) => ours.written() == *text,
        (PublishedValue::Number { .. }, None) => false,
    }
}

/// Whether two numbers are more than a factor of two apart, have different signs, or only one is zero.
fn is_off(printed: &PublishedValue, ours: &Measurement) -> bool {
    let (Some(published), Some(reproduced)) = (printed.number(), ours.number()) else {
        return false;
    };
    if published == 0.0 && reproduced == 0.0 {
        return false;
    }
    let (low, high) = if published.abs() < reproduced.abs() {
        (published.abs(), reproduced.abs())
    } else {
        (reproduced.abs(), published.abs())
    };
    published * reproduced <= 0.0 || high > 2.0 * low * (1.0 + SLACK)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::Figure;

    fn printed(text: &str) -> PublishedValue {
        PublishedValue::new(&Figure::Number(text.parse().unwrap()), text)
    }

    #[test]
    fn a_factor_of_two() {
        for (published, reproduced, off) in [
            ("157", 29.0, true),
            ("8", 4.0, false),
            ("8", 3.9, true),
            ("8", 16.0, false),
            ("8", 16.1, true),
            ("0", 0.0, false),
            ("0", 0.1, true),
            ("3", 0.0, true),
            ("-0.01", 0.01, true),
            ("-8", -5.0, false),
        ] {
            let found = is_off(&printed(published), &Measurement::exact(reproduced));
            assert_eq!(found, off, "{published} {reproduced}");
        }
    }

    fn unbeaten() -> UnbeatenBaseline {
        UnbeatenBaseline {
            name: "0".to_owned(),
            why: "0 would match as well".to_owned(),
            is_declared: true,
        }
    }

    fn tolerance(text: &str) -> Tolerance {
        let value = toml::de::ValueDeserializer::parse(text).unwrap();
        serde::Deserialize::deserialize(value).unwrap()
    }

    #[test]
    fn the_first_line_that_fits_decides() {
        let ours = Measurement::exact(1.0);
        let word = |text: &str, [is_within, is_equal, is_off]: [bool; 3], beats: bool| {
            let facts = Facts {
                tolerance: tolerance(text),
                is_within,
                is_equal,
                is_off,
                ours: &ours,
            };
            match Agreement::decide(&facts, || (!beats).then(unbeaten)) {
                Agreement::Close => "matches",
                Agreement::Weak { .. } => "weak",
                Agreement::Noisy { .. } => "inconclusive",
                Agreement::Far => "differs",
            }
        };
        let (fixed, own) = ("{ abs = 1 }", "{ replicate-sd = 3 }");
        for (tolerance, facts, beats, expected) in [
            (fixed, [true, false, true], true, "differs"),
            (own, [true, false, true], true, "inconclusive"),
            (own, [false, false, true], true, "differs"),
            (fixed, [true, true, false], true, "matches"),
            (own, [true, false, false], true, "matches"),
            (fixed, [true, false, false], false, "weak"),
            (own, [true, true, false], false, "weak"),
            (own, [true, false, false], false, "inconclusive"),
            // A zero that rounds to the published one is equal to it.
            (fixed, [true, true, true], false, "weak"),
            (own, [false, true, false], true, "weak"),
            (own, [false, false, false], false, "differs"),
        ] {
            let found = word(tolerance, facts, beats);
            assert_eq!(found, expected, "{tolerance} {facts:?} {beats}");
        }
    }

    proptest! {
        /// A value off by more than a factor of two never matches, unless it rounds to the published one.
        #[test]
        fn nothing_off_by_a_factor_of_two_matches(
            is_within: bool, is_equal: bool, beats: bool, is_own: bool,
        ) {
            let ours = Measurement::exact(1.0);
            let text = if is_own { "{ std-error = 2 }" } else { "{ rel = 0.4 }" };
            let facts = Facts {
                tolerance: tolerance(text), is_within, is_equal, is_off: true, ours: &ours,
            };
            let found = Agreement::decide(&facts, || (!beats).then(unbeaten));
            if matches!(found, Agreement::Close | Agreement::Weak { .. }) {
                prop_assert!(is_equal);
            }
        }
    }
}
