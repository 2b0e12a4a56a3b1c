//! Options of `learn`: which learner, what it makes shortest, and what clauses may look like.

use std::fmt::Write as _;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use kibitz_ilp::learn::mml::{Criterion, Noise};
use kibitz_ilp::{Costs, SearchSetting, Task};
use kibitz_ilp_cli::{Algorithm, UnknownAlgorithm};
use kibitz_text::{Failure, note};

/// The name that stands for all learners of files.
const ALL: &str = "all";

/// One learner, or all to be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    One(Algorithm),
    All,
}

impl Choice {
    /// The learners that are named.
    pub(super) fn learners(self) -> Vec<Algorithm> {
        match self {
            Self::One(learner) => vec![learner],
            // PAL needs a domain, which files do not hold.
            Self::All => {
                let all = Algorithm::ALL.into_iter();
                all.filter(|own| *own != Algorithm::Pal).collect()
            }
        }
    }

    /// Reads the name of a learner.
    pub(super) fn parser() -> impl TypedValueParser<Value = Self> {
        let names = Algorithm::ALL.iter().map(|own| own.name()).chain([ALL]);
        PossibleValuesParser::new(names).try_map(|name| -> Result<Self, UnknownAlgorithm> {
            if name == ALL {
                return Ok(Self::All);
            }
            name.parse().map(Self::One)
        })
    }

    /// The learners in two groups.
    pub(super) fn help() -> String {
        let mut text =
            String::from("The learner, or `all` with --folds to compare them.\n\nFor your data:\n");
        let line = |text: &mut String, own: Algorithm, what: &str| {
            let _ = writeln!(text, "  {:<13} {what}", own.name());
        };
        for own in Algorithm::ALL {
            if let Some(when) = own.when_to_choose() {
                line(&mut text, own, when);
            }
        }
        text.push_str("\nFrom the literature, to reproduce and compare:\n");
        for own in Algorithm::ALL {
            if own.when_to_choose().is_none() {
                line(&mut text, own, own.summary());
            }
        }
        text
    }
}

/// What the learner by message length makes shortest.
#[derive(Debug, clap::Args)]
pub(super) struct MessageArguments {
    /// What mml makes shortest: the message in bits, or the number of literals and mistakes [default: mml].
    #[arg(long, value_enum)]
    criterion: Option<CriterionName>,
    /// Whether mml takes labels to be wrong where that is shorter, or never [default: learned].
    #[arg(long, value_enum)]
    noise: Option<NoiseName>,
    /// What mistakes cost (mml, auto), in integers: fn=5,fp=1 if an uncovered positive example is five
    /// times as bad as a covered negative one.
    #[arg(long, value_name = "fn=N,fp=N", value_parser = costs)]
    cost: Option<Costs>,
    /// How many times a bit of the theory weighs a bit of the labels (mml, auto): with 2 only half as
    /// long a theory pays for the same labels.
    #[arg(long, value_name = "W", value_parser = size_weight)]
    size_weight: Option<f64>,
}

/// Most that a mistake may cost.
const MAX_COST: u32 = 1_000;

/// Reads a weight of theories.
fn size_weight(text: &str) -> Result<f64, String> {
    let weight = text.trim().parse().ok();
    let weight = weight.filter(|own| (0.01..=100.0).contains(own));
    weight.ok_or_else(|| format!("expected a number from 0.01 to 100, found `{text}`"))
}

/// Reads `fn=5,fp=1`.
fn costs(text: &str) -> Result<Costs, String> {
    let mut costs = Costs::default();
    let mut named = Vec::new();
    for part in text.split(',') {
        let expected = || format!("expected fn=N,fp=N with N from 1 to {MAX_COST}, found `{part}`");
        let (name, number) = part.split_once('=').ok_or_else(expected)?;
        let number = number.trim().parse().ok();
        let number = number
            .filter(|own| (1..=MAX_COST).contains(own))
            .ok_or_else(expected)?;
        if named.contains(&name.trim()) {
            return Err(format!("`{}` stands there twice", name.trim()));
        }
        named.push(name.trim());
        match name.trim() {
            "fn" => costs.false_negative = number,
            "fp" => costs.false_positive = number,
            _ => return Err(expected()),
        }
    }
    Ok(costs)
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum CriterionName {
    Mml,
    Mdl,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum NoiseName {
    Learned,
    None,
}

impl MessageArguments {
    /// Whether a learner supports the options.
    pub(super) fn check(&self, learner: Algorithm) -> Result<(), Failure> {
        let option = match (self.criterion, self.noise, self.cost, self.size_weight) {
            _ if matches!(learner, Algorithm::Mml | Algorithm::Auto) => return Ok(()),
            (Some(_), ..) => "--criterion",
            (_, Some(_), ..) => "--noise",
            (.., Some(_), _) => "--cost",
            (.., Some(_)) => "--size-weight",
            (None, None, None, None) => return Ok(()),
        };
        let name = learner.name();
        Err(Failure::usage(format!(
            "{option} is not supported by {name}"
        )))
    }

    /// What theories weigh, if it is given.
    pub(super) fn size_weight(&self) -> Option<f64> {
        self.size_weight
    }

    /// What mistakes cost, if it is given.
    pub(super) fn cost(&self) -> Option<Costs> {
        self.cost
    }

    pub(super) fn criterion(&self) -> Criterion {
        match self.criterion {
            Some(CriterionName::Mdl) => Criterion::Mdl,
            Some(CriterionName::Mml) | None => Criterion::Mml,
        }
    }

    pub(super) fn noise(&self) -> Noise {
        match self.noise {
            Some(NoiseName::None) => Noise::None,
            Some(NoiseName::Learned) | None => Noise::Learned,
        }
    }
}

/// What clauses may look like, instead of what the files say.
#[derive(Debug, clap::Args)]
pub(super) struct LanguageArguments {
    /// Most clauses of the theory.
    #[arg(long, value_name = "N")]
    max_clauses: Option<usize>,
    /// Most body literals of a clause.
    #[arg(long, value_name = "N")]
    max_body: Option<usize>,
    /// Most variables of a clause.
    #[arg(long, value_name = "N")]
    max_vars: Option<usize>,
    /// Most literals between a variable and the head.
    #[arg(long, value_name = "N")]
    max_depth: Option<usize>,
    /// Fewest positive examples that a clause must cover.
    #[arg(long, value_name = "N")]
    min_positives: Option<usize>,
    /// Let clauses call the predicate that is learned.
    #[arg(long)]
    recursion: bool,
    /// Count every other tuple of the constants as a negative example; 10000 of them at most, drawn by
    /// --seed. Right only where the positive examples are all there are.
    #[arg(long)]
    closed_world: bool,
}

/// Most negative examples of a closed world.
const MAX_CLOSED_WORLD: usize = 10_000;

impl LanguageArguments {
    /// Whether a learner supports the options.
    pub(super) fn check(&self, learner: Algorithm) -> Result<(), Failure> {
        let given = [
            (self.max_depth, SearchSetting::MaxDepth, "--max-depth"),
            (
                self.min_positives,
                SearchSetting::MinPositives,
                "--min-positives",
            ),
        ];
        for (value, setting, option) in given {
            if value.is_some() && !learner.obeys(setting) {
                let name = learner.name();
                return Err(Failure::usage(format!(
                    "{option} is not supported by {name}"
                )));
            }
            let without = learner.choices_without(setting);
            if value.is_some() && !without.is_empty() {
                let names = without.join(" and ");
                note(&format!(
                    "note: {option} has no effect on {names}, of which auto may choose a theory"
                ));
            }
        }
        Ok(())
    }

    pub(super) fn apply(&self, task: &mut Task, seed: u64) {
        let bias = &mut task.bias;
        bias.max_clauses = self.max_clauses.or(bias.max_clauses);
        bias.max_body = self.max_body.or(bias.max_body);
        bias.max_vars = self.max_vars.or(bias.max_vars);
        task.search.max_depth = self.max_depth.or(task.search.max_depth);
        task.search.min_positives = self.min_positives.or(task.search.min_positives);
        let bias = &mut task.bias;
        if self.recursion {
            bias.allow_recursion();
        }
        if self.closed_world {
            let n = task.assume_closed_world(MAX_CLOSED_WORLD, seed);
            let added = match n {
                0 => "no other tuple is left to add as a negative example".to_owned(),
                1 => "added 1 other tuple as a negative example".to_owned(),
                n => format!("added {n} other tuples as negative examples"),
            };
            note(&format!("note: closed world: {added}"));
        }
    }
}
