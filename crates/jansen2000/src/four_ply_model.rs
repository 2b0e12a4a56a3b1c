//! The quiescent four-ply player model: its parameters, its decisions, and its fits.

use std::sync::Arc;

use kibitz_board::{Chess, Color, Game, GameKey, Move, Position, game_filter::GameSource};
use kibitz_experiment::{CellError, Column, Context, Problems};
use kibitz_heuristics::attributes::{
    AttackConvention, Attribute, AttributeSet, CenterConvention, MobilityConvention,
};
use kibitz_search::quiescent::{Decision, Quiescent, TreeRules};
use kibitz_stats::{
    BfgsOptions,
    optimize::{FirstOrder, Optimum, Probe},
    soft_minimax::{STAGED_FROM, SoftMinimax, SoftMinimaxFit, Task, Trees},
    split::Split,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::player_games::{color_of, no_maximum};

/// The shared column `mean-nodes`.
pub(crate) const MEAN_NODES: Column = Column::new(
    "mean-nodes",
    "positions",
    "mean size of a tree, its root not counted",
);

/// A player model: its attributes and its search tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct ModelParams {
    /// The attributes, in the order of the weights.
    pub(crate) attributes: Vec<Attribute>,
    /// The moves counted in the mobility balance.
    mobility: MobilityConvention,
    /// What counts as control of the center.
    center: CenterConvention,
    /// What counts as an attack.
    attacks: AttackConvention,
    /// The expansion rules of the search tree.
    tree: TreeRules,
}

impl Default for ModelParams {
    fn default() -> Self {
        Self {
            attributes: Attribute::ALL.into(),
            mobility: MobilityConvention::default(),
            center: CenterConvention::default(),
            attacks: AttackConvention::default(),
            tree: TreeRules::default(),
        }
    }
}

impl ModelParams {
    /// The model of the search crate.
    pub(crate) fn model(&self) -> Quiescent {
        let attributes = AttributeSet {
            attributes: self.attributes.clone(),
            mobility: self.mobility,
            center: self.center,
            attacks: self.attacks,
        };
        Quiescent::new(attributes, self.tree.clone())
    }

    /// The same model with other attributes.
    pub(crate) fn with_attributes_of(&self, attributes: Vec<Attribute>) -> Self {
        Self {
            attributes,
            ..self.clone()
        }
    }

    /// Validates the model.
    pub(crate) fn check(&self, problems: &mut Problems) {
        problems.require(
            !self.attributes.is_empty(),
            "attributes",
            "at least one attribute",
        );
        for (index, attribute) in self.attributes.iter().enumerate() {
            if self.attributes[..index].contains(attribute) {
                let message = format!("`{}` is named twice", attribute.short_name());
                problems.at(format!("attributes.{index}"), message);
            }
        }
    }
}

/// A selection of games by key, and of decisions in them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Selection {
    /// Keys of the games (16 hexadecimal digits), all of which must exist; every game if empty.
    keys: Vec<String>,
    /// Only every nth decision, counted through all games.
    every: Option<u32>,
    /// Leaves out a mating last move.
    drop_final_mate: bool,
    /// Leaves out the last decision of the games with these keys.
    drop_last: Vec<String>,
}

impl Selection {
    /// Validates the selection.
    pub(crate) fn check(&self, problems: &mut Problems) {
        for (list, keys) in [("keys", &self.keys), ("drop-last", &self.drop_last)] {
            problems.each(list, keys, |key, problems| {
                if let Err(error) = key.parse::<GameKey>() {
                    problems.at("", error.to_string());
                }
            });
        }
        problems.require(
            self.every != Some(0),
            "every",
            "1 or more; 1 takes every decision",
        );
    }

    /// The decisions of `player` in the selected games, grouped by index in `games`.
    pub(crate) fn decisions(
        &self,
        games: &[Game],
        player: &str,
    ) -> Result<Vec<Decision>, CellError> {
        let keys: Vec<String> = games.iter().map(|game| game.key().to_string()).collect();
        for wanted in self.keys.iter().chain(&self.drop_last) {
            if !keys.contains(wanted) {
                return Err(CellError::new(format!(
                    "no game of the collection has the key {wanted}"
                )));
            }
        }
        let mut decisions = Vec::new();
        for (group, (game, key)) in (0..).zip(games.iter().zip(&keys)) {
            if !self.keys.is_empty() && !self.keys.contains(key) {
                continue;
            }
            let before = decisions.len();
            let color = color_of(game, player)?;
            decisions.extend(decisions_in(game.plies_of(color), group));
            let last = game.final_position();
            let mated = last.is_checkmate() && last.turn() != color;
            let drops = (self.drop_final_mate && mated) || self.drop_last.contains(key);
            if drops && decisions.len() > before {
                decisions.pop();
            }
        }
        if let Some(every) = self.every {
            decisions = decisions.into_iter().step_by(every as usize).collect();
        }
        if decisions.is_empty() {
            return Err(CellError::new("the selection is empty"));
        }
        Ok(decisions)
    }
}

/// The moves of a game, or of one side in it, as decisions of one group.
pub(crate) fn decisions_in(
    plies: impl Iterator<Item = (Chess, Move)>,
    group: u32,
) -> impl Iterator<Item = Decision> {
    plies.map(move |(position, played)| Decision {
        position,
        played,
        group,
    })
}

/// Name of the shared value of [`trees_of_all`].
pub(crate) const TREES: &str = "trees";

/// The trees of all decisions of a player in the games of a source, grouped by game index. Built once
/// for all tables of a run, since four plies take half a minute.
pub(crate) fn trees_of_all(
    player: &str,
    source: &GameSource,
    games: &[(Game, Color)],
    model: &ModelParams,
    budget_mib: u32,
    ctx: &Context<'_>,
) -> Result<Arc<Trees>, CellError> {
    let file = ctx.data(&source.data)?;
    let which = (file.entry(), player, source, model, budget_mib);
    ctx.shared(&format!("trees {which:?}"), || {
        let numbered = (0..).zip(games);
        let decisions: Vec<Decision> = numbered
            .flat_map(|(group, (game, color))| decisions_in(game.plies_of(*color), group))
            .collect();
        Ok(model.model().trees(decisions, budget_bytes(budget_mib))?)
    })
}

/// Bytes of a budget given in MiB.
pub(crate) fn budget_bytes(mebibytes: u32) -> usize {
    (mebibytes as usize) << 20
}

/// Least number of decisions of a long fit, which checkpoints its steps and has a looser tolerance
/// ([`options`]).
const LONG_FIT: u64 = 2000;

/// Maximum likelihood from `n_starts` starts, the first at zero; only further starts draw random
/// numbers.
pub(crate) fn fit(
    likelihood: &SoftMinimax<'_>,
    n_starts: u32,
    ctx: &Context<'_>,
    name: &str,
) -> Result<SoftMinimaxFit, CellError> {
    let starts = starts(likelihood, n_starts, ctx, name);
    fit_from(&starts, likelihood, ctx, name)
}

/// Starts of the fit `name`; an empty list stands for one start at zero.
fn starts(
    likelihood: &SoftMinimax<'_>,
    n_starts: u32,
    ctx: &Context<'_>,
    name: &str,
) -> Vec<Vec<f64>> {
    if n_starts > 1 {
        let seed = ctx.seed_u64(&format!("starts of {name}"));
        likelihood.starts(n_starts as usize, seed)
    } else {
        Vec::new()
    }
}

/// Maximum likelihood from `starts`; `name` identifies the fit within the cell. Resumes from
/// checkpoints after an interruption.
pub(crate) fn fit_from(
    starts: &[Vec<f64>],
    likelihood: &SoftMinimax<'_>,
    ctx: &Context<'_>,
    name: &str,
) -> Result<SoftMinimaxFit, CellError> {
    let evaluate = remembering(likelihood.n_choices(), ctx, name);
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
fn remembering<'a>(
    n_choices: u64,
    ctx: &'a Context<'_>,
    name: &'a str,
) -> impl FnMut(&[Probe<'_, SoftMinimax<'_>>]) -> Result<Vec<FirstOrder>, CellError> + use<'a> {
    let mut n_rounds = 0;
    let mut n_starts = 0;
    move |probes| {
        ctx.check()?;
        n_starts = probes.len().max(n_starts);
        ctx.progress("start", n_starts - probes.len(), n_starts);
        if n_choices < LONG_FIT {
            return Ok(SoftMinimax::first_orders_of(probes));
        }
        n_rounds += 1;
        let there: Vec<(f64, Vec<f64>)> = ctx.checkpoint(&format!("{name}, {n_rounds}"), || {
            let there = SoftMinimax::first_orders_of(probes).into_iter();
            let plain = |at: FirstOrder| (at.value, at.gradient.as_slice().to_vec());
            Ok(there.map(plain).collect())
        })?;
        let first_order = |(value, gradient): (f64, Vec<f64>)| FirstOrder {
            value,
            gradient: gradient.into(),
        };
        Ok(there.into_iter().map(first_order).collect())
    }
}

/// A fit to be made: its name within the cell, its likelihood, and the attributes of its weights.
pub(crate) struct NamedFit<'a> {
    pub(crate) name: String,
    pub(crate) likelihood: SoftMinimax<'a>,
    pub(crate) attributes: &'a [Attribute],
}

/// Maximum likelihood weights under several likelihoods of the same trees, each with the starts that
/// [`fit`] gives to its name. A likelihood without a maximum is an error.
pub(crate) fn fitted_weights(
    fits: &[NamedFit<'_>],
    n_starts: u32,
    ctx: &Context<'_>,
) -> Result<Vec<Vec<f64>>, CellError> {
    let tasks = fits.iter().map(|fit| Task {
        starts: starts(&fit.likelihood, n_starts, ctx, &fit.name),
        likelihood: fit.likelihood.clone(),
    });
    let tasks: Vec<Task<'_>> = tasks.collect();
    // Without a fit there is nothing to evaluate.
    let n_choices = fits.iter().map(|fit| fit.likelihood.n_choices());
    let n_choices = n_choices.max().unwrap_or(0);
    let names: Vec<&str> = fits.iter().map(|fit| fit.name.as_str()).collect();
    let names = names.join(", ");
    let evaluate = remembering(n_choices, ctx, &names);
    let ends = SoftMinimax::maxima_with(&tasks, &options(n_choices), evaluate)?;
    let point = |(fit, end): (&NamedFit<'_>, Optimum)| match fit
        .likelihood
        .no_maximum(&end.point, end.stop)
    {
        None => Ok(end.point),
        Some(why) => Err(CellError::new(no_maximum(&fit.name, &why, fit.attributes))),
    };
    fits.iter().zip(ends).map(point).collect()
}

/// Weights fitted to the training set of every fold. A fold without a maximum is an error.
///
/// Folds with many choices have a warm start near the maximum of all groups. Other folds start from
/// zero and the further starts, as do all folds if a warm start finds no maximum.
pub(crate) fn fitted_folds(
    likelihood: &SoftMinimax<'_>,
    attributes: &[Attribute],
    folds: &[Split],
    n_starts: u32,
    ctx: &Context<'_>,
    name: &str,
) -> Result<Vec<Vec<f64>>, CellError> {
    let training: Vec<SoftMinimax<'_>> = (folds.iter())
        .map(|fold| likelihood.by_groups(&fold.train))
        .collect();
    if training.iter().all(|part| part.n_choices() >= STAGED_FROM) {
        let starts = starts(likelihood, n_starts, ctx, name);
        let evaluate = remembering(likelihood.n_choices(), ctx, name);
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
    fitted_weights(&named.collect::<Vec<_>>(), n_starts, ctx)
}
