//! The four-ply player model as experiments describe it, and the decisions it is fitted to.

use std::sync::Arc;

use kibitz_board::{Chess, Color, Game, GameKey, Move, Position, source::GameSource};
use kibitz_experiment::{CellError, Column, Context, Problems};
use kibitz_heuristics::attributes::{Attribute, AttributeSet, MobilityConvention};
use kibitz_search::quiescent::{Decision, Quiescent, TreeRules};
use kibitz_stats::{
    BfgsOptions,
    optimize::{FirstOrder, Optimum, Probe},
    soft_minimax::{STAGED_FROM, SoftMinimax, SoftMinimaxFit, Task, Trees},
    split::Split,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chess_data::{color_of, no_maximum};

/// The column of that name that several kinds have.
pub(crate) const MEAN_NODES: Column = Column::new(
    "mean-nodes",
    "positions",
    "mean size of a tree, its root not counted",
);

/// A player model: what it looks at, and how far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct ModelParams {
    /// The attributes, in the order of the weights.
    pub(crate) attributes: Vec<Attribute>,
    /// What counts as a move in the mobility balance.
    mobility: MobilityConvention,
    /// How the tree of a position grows.
    tree: TreeRules,
}

impl Default for ModelParams {
    fn default() -> Self {
        Self {
            attributes: Attribute::ALL.into(),
            mobility: MobilityConvention::default(),
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
        };
        Quiescent::new(attributes, self.tree.clone())
    }

    /// The model that looks as far, at these attributes instead.
    pub(crate) fn looking_at(&self, attributes: Vec<Attribute>) -> Self {
        Self {
            attributes,
            ..self.clone()
        }
    }

    /// Reports what makes no sense in the model.
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

/// Which games of a collection, and which decisions in them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Selection {
    /// The games with these keys (16 hexadecimal digits), each of which must be there.
    keys: Vec<String>,
    /// Only games of these years, from and to.
    years: Option<[u16; 2]>,
    /// Only games whose tag of the site contains this text.
    site: Option<String>,
    /// Only every so manieth of the decisions that are left, counted through all games.
    every: Option<u32>,
    /// A last move that mates is not counted as a decision.
    drop_final_mate: bool,
    /// The last decision in the games with these keys is left out.
    drop_last: Vec<String>,
}

impl Selection {
    /// Reports what makes no sense in the selection.
    pub(crate) fn check(&self, problems: &mut Problems) {
        for (list, keys) in [("keys", &self.keys), ("drop-last", &self.drop_last)] {
            problems.each(list, keys, |key, problems| {
                if let Err(error) = key.parse::<GameKey>() {
                    problems.at("", error.to_string());
                }
            });
        }
        problems.require(
            self.years.is_none_or(|[from, to]| from <= to),
            "years",
            "the first year comes first",
        );
        problems.require(
            self.every != Some(0),
            "every",
            "1 or more; 1 takes every decision",
        );
    }

    fn contains(&self, game: &Game, key: &str) -> bool {
        let tags = game.tags();
        let in_years = |[from, to]: [u16; 2]| {
            let year = tags.date.year;
            year.is_some_and(|year| (from..=to).contains(&year))
        };
        (self.keys.is_empty() || self.keys.iter().any(|wanted| wanted == key))
            && self.years.is_none_or(in_years)
            && (self.site.as_ref()).is_none_or(|site| tags.site.contains(site.as_str()))
    }

    /// The decisions of `player` in the selected games, which are numbered as in `games`.
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
            if !self.contains(game, key) {
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

/// The moves of a game, or of one side in it, as decisions that belong together.
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

/// What cells share that ask for [`trees_of_all`].
pub(crate) const TREES: &str = "trees";

/// The trees of all decisions of a player in games read from a source, numbered in their order: made
/// once for all tables of a run, as with four plies that takes half a minute.
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

/// Decisions from which on a fit is long: each of its steps is remembered, should the run be killed,
/// and it ends earlier ([`options`]).
const LONG_FIT: u64 = 2000;

/// Maximum likelihood from `n_starts` starts, of which the first is zero: only more than one draw
/// random numbers.
pub(crate) fn fit(
    likelihood: &SoftMinimax<'_>,
    n_starts: u32,
    ctx: &Context<'_>,
    name: &str,
) -> Result<SoftMinimaxFit, CellError> {
    let starts = starts(likelihood, n_starts, ctx, name);
    fit_from(&starts, likelihood, ctx, name)
}

/// Starts of the fit `name`; none stand for one at zero.
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

/// Maximum likelihood from `starts`; `name` is that of the fit within the cell. It can be
/// interrupted, and goes on where it was.
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

/// With many choices, weights to some eight digits, which are many more than their standard errors
/// leave: the last step, which is not seen, adds one or two to the seven asked for. A single game may
/// lead up a ridge, where less care would mistake a gentle slope for its top.
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

/// Value and gradient for the fits `name` to so many choices; those of long fits are remembered from
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

/// The weights that make the choices most likely, under several likelihoods of the same trees; that
/// there is no maximum is an error. Each has the starts that [`fit`] would give it under its name.
pub(crate) fn fitted_weights(
    likelihoods: &[(String, SoftMinimax<'_>)],
    n_starts: u32,
    ctx: &Context<'_>,
) -> Result<Vec<Vec<f64>>, CellError> {
    let tasks = likelihoods.iter().map(|(name, likelihood)| Task {
        starts: starts(likelihood, n_starts, ctx, name),
        likelihood: likelihood.clone(),
    });
    let tasks: Vec<Task<'_>> = tasks.collect();
    let n_choices = tasks.iter().map(|task| task.likelihood.n_choices());
    let names: Vec<&str> = likelihoods.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.join(", ");
    let n_choices = n_choices.max().unwrap_or(0);
    let evaluate = remembering(n_choices, ctx, &names);
    let ends = SoftMinimax::maxima_with(&tasks, &options(n_choices), evaluate)?;
    let point = |end: Optimum| {
        if end.stop.converged() {
            Ok(end.point)
        } else {
            Err(no_maximum(end.stop))
        }
    };
    ends.into_iter().map(point).collect()
}

/// Weights fitted to the training part of every fold; that one has no maximum is an error.
///
/// Folds with many choices start from near the maximum of all groups, which differ little from those
/// that remain without one fold; the others from zero, and from more if there are to be more starts,
/// as do all should one find no maximum from there.
pub(crate) fn fitted_folds(
    likelihood: &SoftMinimax<'_>,
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
    let named = parts.map(|(index, part)| (format!("{name}, fold {index}"), part));
    fitted_weights(&named.collect::<Vec<_>>(), n_starts, ctx)
}
