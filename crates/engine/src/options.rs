//! UCI options.

use std::{fmt, str::FromStr, sync::Arc, time::Duration};

use kibitz_heuristics::chute::{N_HEURISTICS, Polynomial};
use kibitz_search::{
    chute::{Evaluation, Scoring, Uncertainty},
    ctw::Style,
    fixed_depth::Fanout,
};
use thiserror::Error;
use uci_parser::{UciOption, UciOptionType};

use crate::endgame_rules::Rules;

/// Largest weight of a heuristic, which keeps scores within the range of the searches.
const LARGEST_WEIGHT: f64 = 1000.0;

/// The search strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    AlphaBeta,
    Forward,
    Ctw,
}

/// A choice by name.
type NamedChoice<T> = (&'static str, T);

const STRATEGIES: [NamedChoice<Strategy>; 3] = [
    ("alpha-beta", Strategy::AlphaBeta),
    ("forward", Strategy::Forward),
    ("ctw", Strategy::Ctw),
];

/// Names of the strategies and of the endgame rules; with rules, `forward` plays other positions.
fn strategy_names() -> impl Iterator<Item = &'static str> {
    STRATEGIES
        .iter()
        .map(|(name, _)| *name)
        .chain(Rules::names())
}

/// Names of the scorings; the points for a pawn are an option of their own.
const SCORINGS: [NamedChoice<Scoring>; 3] = [
    ("best-move", Scoring::BestMove),
    ("account", Scoring::Account),
    ("material", Scoring::Material(0.0)),
];

/// The values of all options.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) strategy: Strategy,
    /// Endgame rules, which replace the strategy in their endgame.
    pub(crate) rules: Option<Arc<Rules>>,
    /// Number of lines to report.
    pub(crate) n_lines: usize,
    pub(crate) fanout: Fanout,
    scoring: Scoring,
    pawn_points: f64,
    polynomial: Polynomial,
    pub(crate) style: Style,
    uncertainty: Uncertainty,
    pub(crate) max_positions: u64,
    pub(crate) overhead: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            strategy: Strategy::Forward,
            rules: None,
            n_lines: 1,
            fanout: default_fanout(),
            scoring: Scoring::Material(0.0),
            pawn_points: 225.0,
            polynomial: Polynomial::default(),
            style: Style::default(),
            uncertainty: Uncertainty::default(),
            max_positions: 500_000,
            overhead: Duration::from_millis(30),
        }
    }
}

/// CHUTE's fanout at the root in the tournament of 1974, at every level.
fn default_fanout() -> Fanout {
    Fanout::new(std::num::NonZeroUsize::new(7).into_iter().collect())
}

/// Why an option was not set.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub(crate) enum OptionError {
    #[error("unknown option `{name}`; valid: {}", names().join(", "))]
    Unknown { name: String },
    #[error("option `{name}` needs a value: {expected}")]
    NoValue {
        name: &'static str,
        expected: String,
    },
    #[error("option `{name}` cannot be `{value}`: {expected}")]
    BadValue {
        name: &'static str,
        value: String,
        expected: String,
    },
}

/// An option: its name, its UCI declaration, and its setter.
struct Entry {
    name: &'static str,
    describe: fn(&'static str) -> UciOption,
    /// Description of valid values; empty for a list of names.
    expected: &'static str,
    /// `None` for an invalid value.
    set: fn(&mut Options, &str) -> Option<()>,
}

impl Entry {
    fn expected(&self) -> String {
        match (self.describe)(self.name).opt_type {
            UciOptionType::Combo { vars, .. } => format!("one of {}", vars.join(", ")),
            _ => self.expected.to_owned(),
        }
    }
}

/// Every option, in the order in which they are listed.
const ENTRIES: [Entry; 14] = [
    Entry {
        name: "Strategy",
        describe: |name| UciOption::combo(name, "forward", strategy_names()),
        expected: "",
        set: |options, value| {
            (options.strategy, options.rules) = match named(&STRATEGIES, value) {
                Some(strategy) => (strategy, None),
                None => (Strategy::Forward, Some(Arc::new(Rules::bundled(value)?))),
            };
            Some(())
        },
    },
    Entry {
        name: "MultiPV",
        describe: |name| UciOption::spin(name, 1, 1, 500),
        expected: "an integer from 1 to 500",
        set: |options, value| {
            options.n_lines = usize::try_from(spin(value, 1, 500)?).ok()?;
            Some(())
        },
    },
    Entry {
        name: "Fanout",
        describe: |name| UciOption::string(name, default_fanout()),
        expected: "`full`, or moves looked at level by level, as in `12,7,5`; the last number goes on",
        set: |options, value| {
            options.fanout = value.parse().ok()?;
            Some(())
        },
    },
    Entry {
        name: "Scoring",
        describe: |name| UciOption::combo(name, "material", SCORINGS.map(|(name, _)| name)),
        expected: "",
        set: |options, value| {
            options.scoring = named(&SCORINGS, value)?;
            Some(())
        },
    },
    Entry {
        name: "Pawn Points",
        describe: |name| UciOption::spin(name, 225, 0, 10_000),
        expected: "an integer from 0 to 10000",
        set: |options, value| {
            options.pawn_points = f64::from(spin(value, 0, 10_000)?);
            Some(())
        },
    },
    Entry {
        name: "Weights",
        describe: |name| UciOption::string(name, "default"),
        expected: "`default`, or heuristics and their weights from -1000 to 1000, as in `9=0 12=1.5`; the others weigh 1",
        set: |options, value| {
            options.polynomial = weights(value)?;
            Some(())
        },
    },
    Entry {
        name: "Boldness",
        describe: |name| UciOption::spin(name, 50, 0, 100),
        expected: "an integer from 0 to 100",
        set: |options, value| {
            options.style.boldness = percent(value)?;
            Some(())
        },
    },
    Entry {
        name: "Uncertainty",
        describe: |name| UciOption::spin(name, 50, 0, 100),
        expected: "an integer from 0 to 100",
        set: |options, value| {
            options.uncertainty.base = percent(value)?;
            Some(())
        },
    },
    Entry {
        name: "Forcing Uncertainty",
        describe: |name| UciOption::spin(name, 50, 0, 100),
        expected: "an integer from 0 to 100",
        set: |options, value| {
            options.uncertainty.forcing = percent(value)?;
            Some(())
        },
    },
    Entry {
        name: "Plausibility",
        describe: |name| UciOption::spin(name, 75, 0, 100),
        expected: "an integer from 0 to 100",
        set: |options, value| {
            options.uncertainty.plausibility = percent(value)?;
            Some(())
        },
    },
    Entry {
        name: "Uncertain Points",
        describe: |name| UciOption::spin(name, 450, 1, 100_000),
        expected: "an integer from 1 to 100000",
        set: |options, value| {
            options.uncertainty.points = f64::from(spin(value, 1, 100_000)?);
            Some(())
        },
    },
    Entry {
        name: "Max Positions",
        describe: |name| UciOption::spin(name, 500_000, 1000, 100_000_000),
        expected: "an integer from 1000 to 100000000",
        set: |options, value| {
            options.max_positions = u64::from(spin(value, 1000, 100_000_000)?);
            Some(())
        },
    },
    Entry {
        name: "Move Overhead",
        describe: |name| UciOption::spin(name, 30, 0, 10_000),
        expected: "milliseconds, from 0 to 10000",
        set: |options, value| {
            options.overhead = Duration::from_millis(u64::from(spin(value, 0, 10_000)?));
            Some(())
        },
    },
    Entry {
        name: "Ponder",
        describe: |name| UciOption::check(name, false),
        expected: "true or false",
        // Set by the chess program; pondering needs no preparation.
        set: |_, value| value.parse::<bool>().ok().map(|_| ()),
    },
];

fn names() -> Vec<&'static str> {
    ENTRIES.iter().map(|entry| entry.name).collect()
}

fn named<T: Copy>(choices: &[NamedChoice<T>], value: &str) -> Option<T> {
    let found = choices
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(value));
    found.map(|&(_, choice)| choice)
}

fn spin(value: &str, min: u32, max: u32) -> Option<u32> {
    let number: u32 = value.parse().ok()?;
    (min..=max).contains(&number).then_some(number)
}

fn percent(value: &str) -> Option<f64> {
    spin(value, 0, 100).map(|percent| f64::from(percent) / 100.0)
}

fn weights(value: &str) -> Option<Polynomial> {
    let mut polynomial = Polynomial::default();
    if value == "default" {
        return Some(polynomial);
    }
    for pair in value.split_whitespace() {
        let (heuristic, weight) = pair.split_once('=')?;
        let heuristic: usize = heuristic.parse().ok()?;
        let weight = f64::from_str(weight).ok()?;
        let is_sound = heuristic < N_HEURISTICS && weight.abs() <= LARGEST_WEIGHT;
        *polynomial.weights.get_mut(heuristic).filter(|_| is_sound)? = weight;
    }
    Some(polynomial)
}

impl Options {
    /// The options, as `uci` lists them.
    pub(crate) fn list() -> impl Iterator<Item = UciOption> {
        ENTRIES.iter().map(|entry| (entry.describe)(entry.name))
    }

    /// Sets an option; names and named values are the same in upper and lower case.
    pub(crate) fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let entry = ENTRIES
            .iter()
            .find(|entry| entry.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| OptionError::Unknown {
                name: name.to_owned(),
            })?;
        let Some(value) = value else {
            return Err(OptionError::NoValue {
                name: entry.name,
                expected: entry.expected(),
            });
        };
        (entry.set)(self, value).ok_or_else(|| OptionError::BadValue {
            name: entry.name,
            value: value.to_owned(),
            expected: entry.expected(),
        })
    }

    /// How moves are ranked and positions scored.
    pub(crate) fn evaluation(&self) -> Evaluation {
        Evaluation {
            polynomial: self.polynomial.clone(),
            scoring: match self.scoring {
                Scoring::Material(_) => Scoring::Material(self.pawn_points),
                other => other,
            },
            remembers_last_move: self.strategy != Strategy::Ctw,
            uncertainty: self.uncertainty,
            ..Evaluation::default()
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = STRATEGIES.iter().find(|(_, strategy)| strategy == self);
        f.write_str(name.map_or("", |(name, _)| name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_set_by_name_in_any_case() {
        let mut options = Options::default();
        options.set("strategy", Some("CTW")).unwrap();
        assert_eq!(options.strategy, Strategy::Ctw);
        options.set("strategy", Some("KRK-2-repaired")).unwrap();
        assert_eq!(options.strategy, Strategy::Forward);
        assert!(options.rules.is_some());
        options.set("strategy", Some("ctw")).unwrap();
        assert!(options.rules.is_none());
        options.set("multipv", Some("3")).unwrap();
        assert_eq!(options.n_lines, 3);
        options.set("Fanout", Some("9,3")).unwrap();
        assert_eq!(options.fanout.to_string(), "9,3");
        options.set("Scoring", Some("material")).unwrap();
        options.set("Pawn Points", Some("100")).unwrap();
        assert_eq!(options.evaluation().scoring, Scoring::Material(100.0));
        options.set("Weights", Some("9=0 12=1.5")).unwrap();
        let weights = options.evaluation().polynomial.weights;
        assert_eq!((weights[9], weights[12], weights[0]), (0.0, 1.5, 1.0));
        options.set("Weights", Some("default")).unwrap();
        assert_eq!(options.evaluation().polynomial, Polynomial::default());
    }

    #[test]
    fn the_defaults_listed_are_the_defaults() {
        use uci_parser::UciOptionType::{Button, Check, Combo, Spin, String};
        let mut options = Options::default();
        let before = format!("{options:?}");
        for option in Options::list() {
            let default = match option.opt_type {
                Check { default } => default.to_string(),
                Spin { default, .. } => default.to_string(),
                Combo { default, .. } | String { default } => default,
                Button => continue,
            };
            options.set(&option.name, Some(&default)).unwrap();
        }
        assert_eq!(format!("{options:?}"), before);
    }

    #[test]
    fn what_cannot_be_set_says_why() {
        let mut options = Options::default();
        let mut message = |name, value| options.set(name, value).unwrap_err().to_string();
        insta::assert_snapshot!(
            [
                message("Hash", Some("16")),
                message("Fanout", Some("0")),
                message("Strategy", Some("luck")),
                message("Boldness", Some("101")),
                message("Weights", Some("22=1")),
                message("Weights", Some("1=inf")),
                message("Weights", Some("1=NaN")),
                message("Ponder", None),
            ]
            .join("\n")
        );
    }
}
