//! `quiescent-recovery`: the four-ply player plays itself with known weights, and the weights are
//! inferred back.

use std::f64::consts::LN_2;

use kibitz_board::{Chess, Color, Position};
use kibitz_heuristics::attributes::Attribute;
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Number, Params, Plan,
    Value,
};
use kibitz_search::{
    quiescent::{Decision, WeightedQuiescent},
    self_play::play,
};
use kibitz_stats::{
    soft_minimax::SoftMinimax,
    summary::{mean, quantile},
};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    chess_data::{CRATES, column},
    quiescent_data::{ModelParams, budget_bytes, fit_from},
    weight_recovery::EndParams,
};

/// Weights inferred from self-play of a four-ply player whose weights are known.
#[derive(Debug)]
pub(crate) struct QuiescentRecovery;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RecoveryParams {
    /// The model that plays and is fitted.
    #[serde(default)]
    model: ModelParams,
    /// The weights it plays with, in the order of the attributes.
    truth: Vec<f64>,
    /// How many games are played.
    games: u32,
    /// When a game ends that is not decided by the rules alone.
    #[serde(default)]
    end: EndParams,
    /// Starts of the fit to all games, the first at zero; single games start at zero and where that
    /// fit ended.
    starts: u32,
    /// Memory for the trees of all games, in MiB; what does not fit is built anew when needed.
    budget_mib: u32,
}

impl Kind for QuiescentRecovery {
    fn name(&self) -> &'static str {
        "quiescent-recovery"
    }

    fn version(&self) -> u32 {
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        CRATES
    }

    fn example(&self) -> &'static str {
        include_str!("examples/quiescent-recovery.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(RecoveryParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: RecoveryParams = params.read()?;
        params.expect_data(&[])?;
        let mut problems = Diagnostics::default();
        checked.model.check(params, "model", &mut problems);
        let (weights, attributes) = (checked.truth.len(), checked.model.attributes.len());
        if weights != attributes {
            let message = format!("{weights} weights for {attributes} attributes");
            problems.push(params.error_at("truth", message));
        }
        for (index, weight) in checked.truth.iter().enumerate() {
            if !weight.is_finite() {
                let at = format!("truth.{index}");
                problems.push(params.error_at(&at, "a weight is a finite number"));
            }
        }
        for (key, number) in [("games", checked.games), ("starts", checked.starts)] {
            if number == 0 {
                problems.push(params.error_at(key, "at least one"));
            }
        }
        if !checked.end.surely_ends() {
            problems.push(params.error_at("end", EndParams::NO_END));
        }
        problems.into_result(Box::new(RecoveryPlan(checked)))
    }
}

struct RecoveryPlan(RecoveryParams);

/// The rows that sum up the fits to single games of single sides.
const SINGLE_MEAN: &str = "single games, mean";
const SINGLE_MEDIAN: &str = "single games, median";

impl RecoveryPlan {
    fn single_row(game: u32, color: Color) -> String {
        format!("{} {}", color.fold_wb("White", "Black"), game + 1)
    }

    fn pooled_row(&self) -> String {
        format!("W & B, {} games", self.0.games)
    }

    /// Decisions of this side in this game form a group of their own.
    fn group(game: u32, color: Color) -> u32 {
        2 * game + color.fold_wb(0, 1)
    }

    fn sides(&self) -> impl Iterator<Item = (u32, Color)> {
        (0..self.0.games).flat_map(|game| Color::ALL.map(|color| (game, color)))
    }
}

impl Plan for RecoveryPlan {
    fn random(&self) -> bool {
        true
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![Column::new("moves", "moves", "decisions in the games")];
        for attribute in Attribute::ALL {
            let name = attribute.short_name();
            columns.extend([
                Column::new(
                    column("lambda", attribute),
                    "",
                    format!("inferred weight of {name}"),
                ),
                Column::new(
                    column("z", attribute),
                    "std errors",
                    format!("pooled weight of {name} minus the true one, in standard errors"),
                ),
                Column::new(
                    column("over", attribute),
                    "%",
                    format!("share of fits that overestimate {name}"),
                ),
            ]);
        }
        columns.extend([
            Column::new(
                "i-random",
                "bit",
                "information of the moves when all are equally likely",
            ),
            Column::new(
                "i-inferred",
                "bit",
                "information of the moves under the fitted model",
            ),
            Column::new("comp", "%", "the latter as a share of the former"),
            Column::new("separated", "%", "share of fits without a maximum"),
            Column::new(
                "mean-nodes",
                "positions",
                "mean size of a tree, its root not counted",
            ),
        ]);
        columns
    }

    fn cells(&self) -> Vec<Cell> {
        let rows = (self.sides())
            .map(|(game, color)| Self::single_row(game, color))
            .chain([self.pooled_row(), SINGLE_MEAN.into(), SINGLE_MEDIAN.into()]);
        vec![Cell::rows("games", rows)]
    }

    fn run(&self, _: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let decisions = self.play(ctx)?;
        let model = self.0.model.model();
        let trees = model.trees(&decisions, budget_bytes(self.0.budget_mib))?;
        let all = SoftMinimax::new(&trees);
        let mut output = CellOutput::new();
        let pooled = self.pooled_row();
        let starts = all.starts(self.0.starts as usize, ctx.seed_u64("starts"));
        let weights = self.fit_row(&pooled, &all, &starts, ctx, &mut output)?;
        // From zero, a single game may lead off to where its likelihood levels out.
        let mut starts = vec![vec![0.0; self.0.truth.len()]];
        starts.push(weights);
        let mut singles = Vec::new();
        for (game, color) in self.sides() {
            ctx.check()?;
            let likelihood = all.by_groups(&[Self::group(game, color)]);
            // A game may end before Black's first move.
            if likelihood.n_choices() > 0 {
                let row = Self::single_row(game, color);
                singles.push(self.fit_row(&row, &likelihood, &starts, ctx, &mut output)?);
            }
        }
        output.set(&pooled, "mean-nodes", trees.counts().mean_nodes());
        for (index, &attribute) in self.0.model.attributes.iter().enumerate() {
            if let Some(Value::Number(number)) = output.get(&pooled, &column("lambda", attribute))
                && let Some(std_error) = number.std_error
            {
                let z = (number.value - self.0.truth[index]) / std_error;
                output.set(&pooled, column("z", attribute), z);
            }
            let weights: Vec<f64> = singles.iter().map(|weights| weights[index]).collect();
            if !weights.is_empty() {
                let lambda = column("lambda", attribute);
                output.set(SINGLE_MEAN, &lambda, mean(&weights)?);
                output.set(SINGLE_MEDIAN, &lambda, quantile(&weights, 0.5)?);
            }
        }
        Ok(output)
    }
}

impl RecoveryPlan {
    /// The decisions of both sides in all games.
    fn play(&self, ctx: &CellContext<'_>) -> Result<Vec<Decision>, CellError> {
        let player = WeightedQuiescent::new(self.0.model.model(), &self.0.truth);
        let policy = self.0.end.into();
        let games = (0..self.0.games)
            .into_par_iter()
            .map_with(player, |player, number| {
                let mut rng = ctx.rng_for(&format!("game {number}"));
                ctx.check()?;
                Ok(play(player, &Chess::default(), &policy, &mut rng))
            })
            .collect::<Result<Vec<_>, CellError>>()?;
        let mut decisions = Vec::new();
        for (number, game) in (0..).zip(&games) {
            let mut position = Chess::default();
            for &played in &game.moves {
                let group = Self::group(number, position.turn());
                decisions.push(Decision {
                    position: position.clone(),
                    played,
                    group,
                });
                position.play_unchecked(played);
            }
        }
        Ok(decisions)
    }

    /// Fits a row and returns the weights.
    fn fit_row(
        &self,
        row: &str,
        likelihood: &SoftMinimax<'_>,
        starts: &[Vec<f64>],
        ctx: &CellContext<'_>,
        output: &mut CellOutput,
    ) -> Result<Vec<f64>, CellError> {
        let i_random = likelihood.uniform_bits();
        output.set(row, "moves", likelihood.n_choices());
        output.set(row, "i-random", i_random);
        let fit = fit_from(starts, likelihood, ctx, row)?.fit;
        // Where there is no maximum the highest point seen stands, as the paper's hill climbing
        // would have it, without a standard error.
        let separated = !fit.converged();
        output.set(row, "separated", if separated { 100.0 } else { 0.0 });
        if separated {
            ctx.warn(format!(
                "{row}, replicate {}: {} moves, no maximum: {:?}",
                ctx.replicate() + 1,
                likelihood.n_choices(),
                fit.stop,
            ));
        }
        for (index, &attribute) in self.0.model.attributes.iter().enumerate() {
            let (weight, truth) = (fit.weights[index], self.0.truth[index]);
            let mut number = Number::new(weight);
            if let Some(std_errors) = &fit.std_errors {
                number = number.with_std_error(std_errors[index]);
            }
            output.set(row, column("lambda", attribute), Value::Number(number));
            let over = if weight > truth { 100.0 } else { 0.0 };
            output.set(row, column("over", attribute), over);
        }
        let i_inferred = -fit.log_likelihood / LN_2;
        output.set(row, "i-inferred", i_inferred);
        output.set(row, "comp", 100.0 * i_inferred / i_random);
        Ok(fit.weights)
    }
}
