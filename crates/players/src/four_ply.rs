//! The quiescent four-ply model: its parameters, its decisions, and its fits.

use kibitz_board::{Chess, Move};
use kibitz_heuristics::attributes::{
    AttackConvention, Attribute, AttributeSet, CenterConvention, MobilityConvention,
};
use kibitz_search::quiescent::{Decision, Quiescent, TreeRules};
use kibitz_stats::{
    BfgsOptions,
    optimize::{FirstOrder, Optimum, Probe},
    soft_minimax::{STAGED_FROM, SoftMinimax, SoftMinimaxFit, Task},
    split::Split,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Error, Session, no_maximum};

/// A player model: its attributes and its search tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ModelParams {
    /// The attributes, in the order of the weights.
    pub attributes: Vec<Attribute>,
    /// The moves counted in the mobility balance.
    pub mobility: MobilityConvention,
    /// What counts as control of the center.
    pub center: CenterConvention,
    /// What counts as an attack.
    pub attacks: AttackConvention,
    /// The expansion rules of the search tree.
    pub tree: TreeRules,
}

impl Default for ModelParams {
    fn default() -> Self {
        Self {
            attributes: Attribute::PAPER.into(),
            mobility: MobilityConvention::default(),
            center: CenterConvention::default(),
            attacks: AttackConvention::default(),
            tree: TreeRules::default(),
        }
    }
}

impl ModelParams {
    /// The model of the search crate.
    pub fn model(&self) -> Quiescent {
        Quiescent::new(self.attribute_set(), self.tree.clone())
    }

    /// The attributes with their conventions.
    pub fn attribute_set(&self) -> AttributeSet {
        AttributeSet {
            attributes: self.attributes.clone(),
            mobility: self.mobility,
            center: self.center,
            attacks: self.attacks,
        }
    }

    /// The same model with other attributes.
    #[must_use]
    pub fn with_attributes_of(&self, attributes: Vec<Attribute>) -> Self {
        Self {
            attributes,
            ..self.clone()
        }
    }

    /// What is wrong with the model: the path of a parameter and the reason, in order.
    pub fn problems(&self) -> Vec<(String, String)> {
        if self.attributes.is_empty() {
            let message = "at least one attribute".to_owned();
            return vec![("attributes".to_owned(), message)];
        }
        let named = self.attributes.iter().enumerate();
        let again =
            named.filter(|(index, attribute)| self.attributes[..*index].contains(attribute));
        let problem = |(index, attribute): (usize, &Attribute)| {
            let message = format!("`{}` is named twice", attribute.short_name());
            (format!("attributes.{index}"), message)
        };
        again.map(problem).collect()
    }
}

/// The moves of a game, or of one side in it, as decisions of one group.
pub fn decisions_in(
    plies: impl Iterator<Item = (Chess, Move)>,
    group: u32,
) -> impl Iterator<Item = Decision> {
    plies.map(move |(position, played)| Decision {
        position,
        played,
        group,
    })
}

/// Bytes of a budget given in MiB.
pub fn budget_bytes(mebibytes: u32) -> usize {
    (mebibytes as usize) << 20
}

/// Least number of decisions of a long fit, which checkpoints its steps and has a looser tolerance
/// ([`options`]).
const LONG_FIT: u64 = 2000;

/// Maximum likelihood from `n_starts` starts, the first at zero; only further starts draw random
/// numbers.
///
/// # Errors
/// As [`fit_from`].
pub fn fit<S: Session>(
    likelihood: &SoftMinimax<'_>,
    n_starts: u32,
    session: &S,
    name: &str,
) -> Result<SoftMinimaxFit, S::Error> {
    let starts = starts(likelihood, n_starts, session, name);
    fit_from(&starts, likelihood, session, name)
}

/// Starts of the fit `name`; an empty list stands for one start at zero.
fn starts<S: Session>(
    likelihood: &SoftMinimax<'_>,
    n_starts: u32,
    session: &S,
    name: &str,
) -> Vec<Vec<f64>> {
    if n_starts > 1 {
        let seed = session.seed(&format!("starts of {name}"));
        likelihood.starts(n_starts as usize, seed)
    } else {
        Vec::new()
    }
}

/// Maximum likelihood from `starts`; `name` identifies the fit within the cell. Resumes from
/// checkpoints after an interruption.
///
/// # Errors
/// [`FitError`](kibitz_stats::FitError), or the end of the session.
pub fn fit_from<S: Session>(
    starts: &[Vec<f64>],
    likelihood: &SoftMinimax<'_>,
    session: &S,
    name: &str,
) -> Result<SoftMinimaxFit, S::Error> {
    let evaluate = remembering(likelihood.n_choices(), session, name);
    let options = options(likelihood.n_choices());
    likelihood.fit_with(starts, &options, evaluate)
}

/// For many choices, a tolerance that gives weights to some eight digits, far beyond their standard
/// errors: the last, unevaluated step adds one or two digits to the seven requested. A single game may
/// have a ridge, where a looser tolerance would mistake a gentle slope for a maximum.
fn options(n_choices: u64) -> BfgsOptions {
    let exact = BfgsOptions::default();
    if n_choices < LONG_FIT {
        return exact;
    }
    BfgsOptions {
        tolerance: 1e-7,
        ..exact
    }
}

/// Value and gradient for the fit `name` to `n_choices` choices; long fits replay the checkpoints of
/// an earlier run.
fn remembering<'a, S: Session>(
    n_choices: u64,
    session: &'a S,
    name: &'a str,
) -> impl FnMut(&[Probe<'_, SoftMinimax<'_>>]) -> Result<Vec<FirstOrder>, S::Error> + use<'a, S> {
    let mut n_rounds = 0;
    let mut n_starts = 0;
    move |probes| {
        session.check()?;
        n_starts = probes.len().max(n_starts);
        session.progress("start", n_starts - probes.len(), n_starts);
        if n_choices < LONG_FIT {
            return Ok(SoftMinimax::first_orders_of(probes));
        }
        n_rounds += 1;
        let there = session.remember(&format!("{name}, {n_rounds}"), &mut || {
            let there = SoftMinimax::first_orders_of(probes).into_iter();
            let plain = |at: FirstOrder| (at.value, at.gradient.as_slice().to_vec());
            there.map(plain).collect()
        })?;
        let first_order = |(value, gradient): (f64, Vec<f64>)| FirstOrder {
            value,
            gradient: gradient.into(),
        };
        Ok(there.into_iter().map(first_order).collect())
    }
}

/// A fit to be made: its name within the cell, its likelihood, and the attributes of its weights.
#[derive(Debug, Clone)]
pub struct NamedFit<'a, N> {
    /// Its name.
    pub name: String,
    /// The likelihood to maximize.
    pub likelihood: SoftMinimax<'a>,
    /// The attributes of the weights, in order.
    pub attributes: &'a [N],
}

/// Maximum likelihood weights under several likelihoods of the same trees, each with the starts that
/// [`fit`] gives to its name. A likelihood without a maximum is an error.
///
/// # Errors
/// [`Error::NoMaximum`], and as [`fit_from`].
pub fn fitted_weights<S: Session, N: AsRef<str>>(
    fits: &[NamedFit<'_, N>],
    n_starts: u32,
    session: &S,
) -> Result<Vec<Vec<f64>>, S::Error> {
    let tasks = fits.iter().map(|fit| Task {
        starts: starts(&fit.likelihood, n_starts, session, &fit.name),
        likelihood: fit.likelihood.clone(),
    });
    let tasks: Vec<Task<'_>> = tasks.collect();
    // Without a fit there is nothing to evaluate.
    let n_choices = fits.iter().map(|fit| fit.likelihood.n_choices());
    let n_choices = n_choices.max().unwrap_or(0);
    let names: Vec<&str> = fits.iter().map(|fit| fit.name.as_str()).collect();
    let names = names.join(", ");
    let evaluate = remembering(n_choices, session, &names);
    let ends = SoftMinimax::maxima_with(&tasks, &options(n_choices), evaluate)?;
    let point = |(fit, end): (&NamedFit<'_, N>, Optimum)| match fit
        .likelihood
        .no_maximum(&end.point, end.stop)
    {
        None => Ok(end.point),
        Some(why) => {
            let why = no_maximum(&fit.name, &why, fit.attributes);
            Err(Error::NoMaximum(why).into())
        }
    };
    fits.iter().zip(ends).map(point).collect()
}

/// Weights fitted to the training set of every fold. A fold without a maximum is an error.
///
/// Folds with many choices have a warm start near the maximum of all groups. Other folds start from
/// zero and the further starts, as do all folds if a warm start finds no maximum.
///
/// # Errors
/// As [`fitted_weights`].
pub fn fitted_folds<S: Session, N: AsRef<str>>(
    likelihood: &SoftMinimax<'_>,
    attributes: &[N],
    folds: &[Split],
    n_starts: u32,
    session: &S,
    name: &str,
) -> Result<Vec<Vec<f64>>, S::Error> {
    let training: Vec<SoftMinimax<'_>> = (folds.iter())
        .map(|fold| likelihood.by_groups(&fold.train))
        .collect();
    if training.iter().all(|part| part.n_choices() >= STAGED_FROM) {
        let starts = starts(likelihood, n_starts, session, name);
        let evaluate = remembering(likelihood.n_choices(), session, name);
        let options = options(likelihood.n_choices());
        let ends = likelihood.maxima_of_parts(&training, &starts, &options, evaluate)?;
        if ends.iter().all(|end| end.stop.converged()) {
            return Ok(ends.into_iter().map(|end| end.point).collect());
        }
    }
    let parts = training.into_iter().enumerate();
    let named = parts.map(|(index, likelihood)| NamedFit {
        name: format!("{name}, fold {index}"),
        likelihood,
        attributes,
    });
    fitted_weights(&named.collect::<Vec<_>>(), n_starts, session)
}
