//! `quiescent-inference`: maximum likelihood weights of human players, four-ply model.

use std::collections::BTreeSet;
use std::f64::consts::LN_2;
use std::sync::Arc;

use kibitz_board::{Game, game_filter::GameSource};
use kibitz_experiment::{
    Cell, CellError, Column, Context, Experiment, Output, Problems, RowOutput,
};
use kibitz_heuristics::attributes::Attribute;
use kibitz_players::{
    four_ply::{ModelParams, budget_bytes, fit},
    no_maximum,
};
use kibitz_stats::{
    Fit,
    inference::{MIN_CLUSTERS, clustered_covariance},
    optimize::{BfgsOptions, Objective, profile_interval},
    soft_minimax::{SoftMinimax, SoftMinimaxFit},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    four_ply_model::{MEAN_NODES, Selection, TREES, check_model, trees_of_all},
    player_games::{
        BAD_GAMES, CellSession, I_INFERRED, I_RANDOM, LEFT_OUT, check_games, column, games_of,
        set_weights,
    },
};

/// Weights inferred from decisions of human players under the four-ply model.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct QuiescentInference {
    /// The default model of rows.
    #[serde(default)]
    model: ModelParams,
    /// Starts of every fit, the first at zero; 0 builds the trees and fits nothing.
    starts: u32,
    /// Memory for the trees of a row, in MiB; trees beyond it are rebuilt on demand.
    budget_mib: u32,
    /// Half-width of profile-likelihood intervals, in standard errors; no intervals when left out.
    intervals: Option<f64>,
    /// The training row, with weights that are also applied to all other rows.
    train: Option<String>,
    /// Models by their names: every row is fitted under each, as `row, name`.
    #[serde(default)]
    readings: Vec<ModelInterpretation>,
    /// One row of the table each.
    rows: Vec<RowParams>,
}

/// A model that stands for an interpretation.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ModelInterpretation {
    /// What its rows are called after the comma.
    interpretation: String,
    /// The model.
    #[serde(default)]
    model: ModelParams,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RowParams {
    /// The row of the table.
    row: String,
    /// The collection, by its name under `data`, and a filter of its games.
    games: GameSource,
    /// The player, by prefix of the name in the collection.
    player: String,
    /// The decisions selected; all when left out.
    #[serde(default)]
    select: Selection,
    /// The model of this row, if not the default.
    model: Option<ModelParams>,
}

impl RowParams {
    fn takes_all(&self) -> bool {
        self.select == Selection::default()
    }
}

/// Ends of the columns that hold the ends of a weight's interval.
const ENDS: [&str; 2] = ["low", "high"];

fn end_column(attribute: Attribute, end: &str) -> String {
    format!("{}-{end}", column("lambda", attribute))
}

/// A column of a weight.
macro_rules! weight {
    ($attribute:literal) => {
        Column::new(
            concat!("lambda-", $attribute),
            "",
            concat!(
                "weight of ",
                $attribute,
                "; its error is clustered by game, below twenty games that of independent moves"
            ),
        )
    };
}

/// Name of the single cell of all rows, for tables with a training row.
const ALL_ROWS: &str = "all rows";

impl Experiment for QuiescentInference {
    type Row = Vec<RowParams>;

    const NAME: &'static str = "quiescent-inference";
    const EXAMPLE: &'static str = include_str!("../examples/quiescent-inference.toml");
    const COLUMNS: &'static [Column] = &[
        Column::new("moves", "moves", "decisions of the player"),
        weight!("mat"),
        weight!("mob"),
        weight!("cen"),
        weight!("att"),
        I_RANDOM,
        I_INFERRED,
        Column::new("comp", "%", "the latter as a share of i-random"),
        Column::new(
            "i-training",
            "bit",
            "information of the moves under the weights of the row `train`",
        ),
        Column::new("comp-training", "%", "the latter as a share of i-random"),
        Column::new("optima", "", "different maxima that the starts led to"),
        Column::new(
            "spread",
            "bit",
            "how much more information the worst of these maxima leaves than the best",
        ),
        MEAN_NODES,
        Column::new("bytes-per-tree", "bytes", "mean memory of a stored tree"),
        BAD_GAMES,
        LEFT_OUT,
    ];

    fn columns(&self) -> Vec<Column> {
        let ends = Attribute::PAPER.into_iter().flat_map(|attribute| {
            ENDS.map(|end| Column {
                name: end_column(attribute, end).into(),
                unit: "".into(),
                doc: format!("{end} end of the interval of this weight").into(),
                ..Column::new("", "", "")
            })
        });
        Self::COLUMNS.iter().cloned().chain(ends).collect()
    }

    fn check(&self, problems: &mut Problems) {
        problems.within("model", |problems| check_model(&self.model, problems));
        problems.require(!self.rows.is_empty(), "rows", "at least one row");
        problems.each("rows", &self.rows, |row, problems| {
            check_games(&row.games, problems);
            problems.within("select", |problems| row.select.check(problems));
            if let Some(model) = &row.model {
                problems.within("model", |problems| check_model(model, problems));
                let alone = self.train.is_none();
                problems.require(alone, "model", "with `train` all rows share one model");
            }
        });
        self.check_readings(problems);
        if let Some(z) = self.intervals {
            let fits = z > 0.0 && z.is_finite() && self.starts > 0;
            problems.require(
                fits,
                "intervals",
                "a number above 0, with at least one start",
            );
        }
        if let Some(train) = &self.train {
            let is_row = self.rows.iter().any(|row| row.row == *train);
            problems.require(is_row, "train", format!("no row is called `{train}`"));
            problems.require(
                self.starts > 0,
                "starts",
                "at least one, to fit the row of `train`",
            );
        }
    }

    fn random(&self) -> bool {
        self.starts > 1
    }

    fn cells(&self) -> Vec<Cell<Vec<RowParams>>> {
        let Some(train) = &self.train else {
            let rows = self.read_rows().into_iter().map(|row| {
                let cell = Cell::row(&row.row, vec![row.clone()]).reading([&row.games.data]);
                // All games of a player are many.
                if row.takes_all() {
                    cell.costing(100.0).sharing(TREES)
                } else {
                    cell
                }
            });
            return rows.collect();
        };
        let rows = self.rows.iter();
        // All rows wait for the trained one: they are one cell.
        let data: BTreeSet<_> = rows.clone().map(|row| &row.games.data).collect();
        let mut trained_first = self.rows.clone();
        trained_first.sort_by_key(|row| row.row != *train);
        vec![
            Cell::rows(ALL_ROWS, rows.map(|row| &row.row), trained_first)
                .reading(data)
                .sharing(TREES),
        ]
    }

    fn run(
        &self,
        rows: &Vec<RowParams>,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let mut trained = None;
        for row in rows {
            let mut output = output.row(&row.row);
            let weights = self.run_row(row, trained.as_deref(), ctx, &mut output)?;
            if self.train.as_ref() == Some(&row.row) {
                trained = weights;
            }
        }
        Ok(())
    }
}

impl QuiescentInference {
    /// The rows, under every reading if there are some.
    fn read_rows(&self) -> Vec<RowParams> {
        if self.readings.is_empty() {
            return self.rows.clone();
        }
        let pairs = self.readings.iter().flat_map(|reading| {
            let rows = self.rows.iter();
            rows.map(move |row| RowParams {
                row: format!("{}, {}", row.row, reading.interpretation),
                model: Some(reading.model.clone()),
                ..row.clone()
            })
        });
        pairs.collect()
    }

    fn check_readings(&self, problems: &mut Problems) {
        if self.readings.is_empty() {
            return;
        }
        let is_alone = self.train.is_none() && self.rows.iter().all(|row| row.model.is_none());
        problems.require(
            is_alone,
            "readings",
            "takes the place of the models of rows, and goes without `train`",
        );
        let mut names = BTreeSet::new();
        problems.each("readings", &self.readings, |reading, problems| {
            problems.within("model", |problems| check_model(&reading.model, problems));
            let message = format!("`{}` is named twice", reading.interpretation);
            let is_new = names.insert(&reading.interpretation);
            problems.require(is_new, "interpretation", message);
        });
    }

    /// Fills a row and returns the weights, if any were fitted.
    fn run_row(
        &self,
        row: &RowParams,
        trained: Option<&[f64]>,
        ctx: &Context<'_>,
        output: &mut RowOutput<'_>,
    ) -> Result<Option<Vec<f64>>, CellError> {
        ctx.check()?;
        let params = row.model.as_ref().unwrap_or(&self.model);
        let read = games_of(&row.player, &row.games, ctx)?;
        read.set_left_out(output);
        let trees = if row.takes_all() {
            let (player, source, games) = (&row.player, &row.games, &read.games);
            trees_of_all(player, source, games, params, self.budget_mib, ctx)?
        } else {
            let games: Vec<Game> = read.games.into_iter().map(|(game, _)| game).collect();
            let decisions = row.select.decisions(&games, &row.player)?;
            let budget = budget_bytes(self.budget_mib);
            Arc::new(params.model().trees(decisions, budget)?)
        };
        let likelihood = SoftMinimax::new(&trees);
        ctx.check()?;

        let counts = trees.counts();
        let i_random = likelihood.uniform_bits();
        output.set("moves", counts.n_trees);
        output.set("i-random", i_random);
        output.set("mean-nodes", counts.mean_nodes());
        if counts.n_stored_trees > 0 {
            output.set("bytes-per-tree", counts.mean_bytes());
        }
        if let Some(weights) = trained {
            let i_training = likelihood.bits(weights);
            output.set("i-training", i_training);
            output.set("comp-training", 100.0 * i_training / i_random);
        }
        if self.starts == 0 {
            return Ok(None);
        }
        let SoftMinimaxFit { fit, starts } =
            fit(&likelihood, self.starts, &CellSession(ctx), &row.row)?;
        let std_errors = std_errors(&likelihood, &fit, &row.row, &params.attributes)?;
        set_weights(output, &params.attributes, &fit.weights, &std_errors);
        if let (Some(z), Some(best)) = (self.intervals, starts.best()) {
            for (parameter, &attribute) in params.attributes.iter().enumerate() {
                ctx.check()?;
                let (std_error, fall) = (std_errors[parameter], 0.5 * z * z);
                let options = BfgsOptions::default();
                let ends =
                    profile_interval(&likelihood, best, parameter, std_error, fall, &options)?;
                for (end, name) in ends.into_iter().zip(ENDS) {
                    let column = end_column(attribute, name);
                    if end.is_finite() {
                        output.set(column, end);
                    } else {
                        ctx.warn(format!("{}: `{column}` is infinite and left out", row.row));
                    }
                }
            }
        }
        let i_inferred = -fit.log_likelihood / LN_2;
        output.set("i-inferred", i_inferred);
        output.set("comp", 100.0 * i_inferred / i_random);
        // Ends closer than this, in units of the scales, are one maximum seen twice.
        let optima = starts.distinct(&likelihood.scales(), 1e-3);
        output.set("optima", optima.len());
        if let (Some(best), Some(worst)) = (optima.first(), optima.last()) {
            let spread = best.optimum.value - worst.optimum.value;
            output.set("spread", spread / LN_2);
        }
        Ok(Some(fit.weights))
    }
}

/// Standard errors of the weights: clustered by game, since the moves of a game are not independent
/// and no model of a human player is true. With too few games for that, the standard errors are
/// those of independent moves.
fn std_errors(
    likelihood: &SoftMinimax<'_>,
    fit: &Fit,
    row: &str,
    attributes: &[Attribute],
) -> Result<Vec<f64>, CellError> {
    if let Some(why) = likelihood.no_maximum(&fit.weights, fit.stop) {
        return Err(CellError::new(no_maximum(row, &why, attributes)));
    }
    let (Some(covariance), Some(independent)) = (&fit.covariance, &fit.std_errors) else {
        let message = format!("{row}: the maximum has no standard errors");
        return Err(CellError::new(message));
    };
    let scores = likelihood.group_scores(&fit.weights);
    if scores.len() < MIN_CLUSTERS {
        return Ok(independent.clone());
    }
    let scores: Vec<_> = scores.into_values().collect();
    let clustered = clustered_covariance(covariance, &scores)?;
    Ok(clustered.diagonal().iter().map(|var| var.sqrt()).collect())
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Code, Kind};
    use kibitz_lab::testing::TestBench;

    use super::QuiescentInference;

    const EXPERIMENT: &str = r#"
kind = "quiescent-inference"
title = "One game"
source = { paper = "beyond", where = "a test", reading = "clear" }
data = { games = "games" }
[params]
model = { attributes = ["material"], tree = { max-ply = 1 } }
starts = 1
budget-mib = 1
rows = [{ row = "one game", games = "games", player = "Fischer" }]
[columns]
lambda-mat = { unit = "per pawn", tol = "info", why = "a test" }
"#;

    /// White passes by a pawn, then takes one.
    const GAME: &str = r#"[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "Fischer"]
[Black "?"]
[Result "*"]

1. e4 d5 2. Nc3 dxe4 3. Nxe4 *
"#;

    #[test]
    fn a_single_start_needs_no_seed() {
        let kind = Kind::of::<QuiescentInference>(Code::Constant);
        let bench = TestBench::new(kind, "beyond/one-game", EXPERIMENT).unwrap();
        let bench = bench.with_data("games", GAME.as_bytes());
        let output = bench.run("one game", 0).unwrap();
        assert_eq!(output.number("one game", "moves"), Some(3.0));
        assert_eq!(output.number("one game", "optima"), Some(1.0));
    }
}
