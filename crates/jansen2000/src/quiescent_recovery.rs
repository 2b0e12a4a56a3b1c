//! `quiescent-recovery`: parameter recovery of the four-ply model from self-play with known weights.

use std::f64::consts::LN_2;

use kibitz_board::{Chess, Color, Position};
use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Number, Output, Problems};
use kibitz_heuristics::attributes::Attribute;
use kibitz_players::{
    four_ply::{ModelParams, fit_from},
    no_maximum,
};
use kibitz_search::{
    quiescent::{SearchedDecision, WeightedQuiescent},
    self_play::{EndPolicy, GeneratedGame},
};
use kibitz_stats::{
    Fit,
    soft_minimax::{SoftMinimax, Trees},
    summary::{mean, quantile},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    four_ply_model::{MEAN_NODES, check_model},
    player_games::{CellSession, I_INFERRED, I_RANDOM, column, with_attributes},
    self_play::{check_end, percent_if, play_until},
};

/// Weights inferred from self-play of a four-ply player with known weights.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct QuiescentRecovery {
    /// The model, for play and for fits.
    #[serde(default)]
    model: ModelParams,
    /// The true weights, in the order of the attributes.
    truth: Vec<f64>,
    /// Number of games.
    games: u32,
    /// Lengths of the games, in moves of White: each is replayed until its length is within
    /// five moves of this. If omitted, any length is accepted.
    #[serde(default)]
    lengths: Option<Vec<u32>>,
    /// End of games that the rules do not decide.
    #[serde(default)]
    end: EndPolicy,
    /// Number of starts of the pooled fit, the first at zero; fits to single games start at zero and at
    /// the pooled weights.
    starts: u32,
}

/// A game may be so many moves longer or shorter than asked.
const SPREAD: usize = 5;

/// The rows that sum up the fits to single games of single sides.
const SINGLE_MEAN: &str = "single games, mean";
const SINGLE_MEDIAN: &str = "single games, median";

impl Experiment for QuiescentRecovery {
    type Row = ();

    const NAME: &'static str = "quiescent-recovery";
    const EXAMPLE: &'static str = include_str!("../examples/quiescent-recovery.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("moves", "moves", "decisions in the games"),
        I_RANDOM,
        I_INFERRED,
        Column::new("comp", "%", "the latter as a share of the former"),
        Column::new("separated", "%", "share of fits without a maximum"),
        MEAN_NODES,
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_data(Self::NAME, &[]);
        problems.within("model", |problems| check_model(&self.model, problems));
        let (weights, attributes) = (self.truth.len(), self.model.attributes.len());
        let message = format!("{weights} weights for {attributes} attributes");
        problems.require(weights == attributes, "truth", message);
        problems.each("truth", &self.truth, |weight, problems| {
            problems.require(weight.is_finite(), "", "a weight is a finite number");
        });
        problems.at_least_one([
            ("games", self.games as usize),
            ("starts", self.starts as usize),
        ]);
        if let Some(lengths) = &self.lengths {
            let message = format!("{} lengths for {} games", lengths.len(), self.games);
            problems.require(lengths.len() == self.games as usize, "lengths", message);
        }
        check_end(self.end, problems);
    }

    fn columns(&self) -> Vec<Column> {
        let of_each = [
            Column::new("lambda", "", "inferred weight of {}"),
            Column::new(
                "z",
                "std errors",
                "pooled weight of {} minus the true one, in standard errors",
            ),
            Column::new("over", "%", "share of fits that overestimate {}"),
        ];
        with_attributes(Self::COLUMNS, 1, &Attribute::PAPER, &of_each)
    }

    fn random(&self) -> bool {
        true
    }

    fn cells(&self) -> Vec<Cell> {
        let rows = (self.sides())
            .map(|(game, color)| single_row(game, color))
            .chain([self.pooled_row(), SINGLE_MEAN.into(), SINGLE_MEDIAN.into()]);
        vec![Cell::rows("games", rows, ())]
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let trees = self.trees(ctx)?;
        let all = SoftMinimax::new(&trees);
        let starts = all.starts(self.starts as usize, ctx.seed_u64("starts"));
        let pooled_row = self.pooled_row();
        let pooled = self.fit_row(&pooled_row, &all, &starts, ctx, output)?;
        // From zero, a fit to a single game may diverge along a plateau of its likelihood.
        let starts = [vec![0.0; self.truth.len()], pooled.weights.clone()];
        let mut singles = Vec::new();
        for (game, color) in self.sides() {
            ctx.check()?;
            let likelihood = all.by_groups(&[group(game, color)]);
            // A game may end before Black's first move.
            if likelihood.n_choices() > 0 {
                let row = single_row(game, color);
                singles.push(self.fit_row(&row, &likelihood, &starts, ctx, output)?);
            }
        }
        let mean_nodes = trees.counts().mean_nodes();
        output.row(&pooled_row).set("mean-nodes", mean_nodes);
        for (index, &attribute) in self.model.attributes.iter().enumerate() {
            if let Some(std_errors) = &pooled.std_errors {
                let z = (pooled.weights[index] - self.truth[index]) / std_errors[index];
                output.row(&pooled_row).set(column("z", attribute), z);
            }
            let weights: Vec<f64> = singles.iter().map(|fit| fit.weights[index]).collect();
            if !weights.is_empty() {
                let lambda = column("lambda", attribute);
                output.row(SINGLE_MEAN).set(&lambda, mean(&weights)?);
                output
                    .row(SINGLE_MEDIAN)
                    .set(&lambda, quantile(&weights, 0.5)?);
            }
        }
        Ok(())
    }
}

impl QuiescentRecovery {
    fn pooled_row(&self) -> String {
        format!("W & B, {} games", self.games)
    }

    fn sides(&self) -> impl Iterator<Item = (u32, Color)> {
        (0..self.games).flat_map(|game| Color::ALL.map(|color| (game, color)))
    }

    /// The decisions of both sides in all games, with the players' search trees.
    fn trees(&self, ctx: &Context<'_>) -> Result<Trees, CellError> {
        let model = self.model.model();
        let player = WeightedQuiescent::new(model.clone(), &self.truth);
        let note = |searched: &mut Vec<SearchedDecision>,
                    game,
                    player: &WeightedQuiescent,
                    at: &Chess,
                    chosen| {
            searched.push(player.searched(chosen, group(game, at.turn())));
        };
        let fits = |game: u32, played: &GeneratedGame| {
            let wanted = self.lengths.as_ref().map(|all| all[game as usize] as usize);
            wanted.is_none_or(|moves| moves.abs_diff(played.moves.len().div_ceil(2)) <= SPREAD)
        };
        let games = play_until(player, self.games, self.end, ctx, note, fits)?;
        let searched: Vec<SearchedDecision> = games
            .into_iter()
            .flat_map(|(_, searched)| searched)
            .collect();
        Ok(model.gather(&searched)?)
    }

    /// Fits a row.
    fn fit_row(
        &self,
        row: &str,
        likelihood: &SoftMinimax<'_>,
        starts: &[Vec<f64>],
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<Fit, CellError> {
        let fit = fit_from(starts, likelihood, &CellSession(ctx), row)?.fit;
        // Without a maximum the highest point counts, as in the paper's hill climbing, without a
        // standard error.
        let why = likelihood.no_maximum(&fit.weights, fit.stop);
        let separated = why.is_some();
        if let Some(why) = why {
            let (replicate, n) = (ctx.replicate() + 1, likelihood.n_choices());
            let fit = format!("{row}, replicate {replicate}, {n} moves");
            ctx.warn(no_maximum(&fit, &why, &self.model.attributes));
        }
        let i_random = likelihood.uniform_bits();
        let i_inferred = -fit.log_likelihood / LN_2;
        let mut output = output.row(row);
        output.set("moves", likelihood.n_choices());
        output.set("i-random", i_random);
        output.set("i-inferred", i_inferred);
        output.set("comp", 100.0 * i_inferred / i_random);
        output.set("separated", percent_if(separated));
        for (index, &attribute) in self.model.attributes.iter().enumerate() {
            let weight = Number {
                std_error: fit.std_errors.as_ref().map(|errors| errors[index]),
                ..Number::new(fit.weights[index])
            };
            output.set(column("lambda", attribute), weight);
            let over = percent_if(weight.value > self.truth[index]);
            output.set(column("over", attribute), over);
        }
        Ok(fit)
    }
}

fn single_row(game: u32, color: Color) -> String {
    format!("{} {}", color.fold_wb("White", "Black"), game + 1)
}

/// Decisions of this side in this game form a group of their own.
fn group(game: u32, color: Color) -> u32 {
    2 * game + color.fold_wb(0, 1)
}
