//! `quiescent-inference`: the weights of the four-ply player that make moves most likely.

use std::f64::consts::LN_2;

use kibitz_heuristics::attributes::Attribute;
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Number, Params, Plan,
    Value,
};
use kibitz_stats::{
    optimize::Objective,
    soft_minimax::{SoftMinimax, SoftMinimaxFit},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    chess_data::{CRATES, check_collection, column, read_games},
    quiescent_data::{ModelParams, Selection, budget_bytes, fit},
};

/// Weights inferred from decisions of human players under the four-ply model.
#[derive(Debug)]
pub(crate) struct QuiescentInference;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct InferenceParams {
    /// The model of every row that has none of its own.
    #[serde(default)]
    model: ModelParams,
    /// Starts of every fit, the first at zero; 0 builds the trees and fits nothing.
    starts: u32,
    /// Memory for the trees of a row, in MiB; what does not fit is built anew when needed.
    budget_mib: u32,
    /// The row whose weights are also applied to the decisions of all others.
    train: Option<String>,
    /// One row of the table each.
    rows: Vec<RowParams>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RowParams {
    /// The row of the table.
    row: String,
    /// The collection, by its name under `data`.
    games: String,
    /// Whose moves: the beginning of the name as the collection has it.
    player: String,
    /// Which of them; all when left out.
    #[serde(default)]
    select: Selection,
    /// A model of its own.
    model: Option<ModelParams>,
}

impl Kind for QuiescentInference {
    fn name(&self) -> &'static str {
        "quiescent-inference"
    }

    fn version(&self) -> u32 {
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        CRATES
    }

    fn example(&self) -> &'static str {
        include_str!("examples/quiescent-inference.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(InferenceParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: InferenceParams = params.read()?;
        let mut problems = Diagnostics::new();
        checked.model.check(params, "model", &mut problems);
        if checked.rows.is_empty() {
            problems.push(params.error_at("rows", "at least one row"));
        }
        for (index, row) in checked.rows.iter().enumerate() {
            let at = format!("rows.{index}");
            check_collection(&row.games, params, &format!("{at}.games"), &mut problems);
            row.select
                .check(params, &format!("{at}.select"), &mut problems);
            if let Some(model) = &row.model {
                model.check(params, &format!("{at}.model"), &mut problems);
                if checked.train.is_some() {
                    let message = "with `train` all rows share one model";
                    problems.push(params.error_at(&format!("{at}.model"), message));
                }
            }
        }
        if let Some(train) = &checked.train {
            if !checked.rows.iter().any(|row| row.row == *train) {
                let message = format!("no row is called `{train}`");
                problems.push(params.error_at("train", message));
            }
            if checked.starts == 0 {
                problems.push(params.error_at("starts", "at least one, to fit the row of `train`"));
            }
        }
        problems.into_result(Box::new(InferencePlan(checked)))
    }
}

struct InferencePlan(InferenceParams);

/// The cell of all rows, where one row's weights are needed for the others.
const ALL_ROWS: &str = "all rows";

impl Plan for InferencePlan {
    fn random(&self) -> bool {
        self.0.starts > 1
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![Column::new("moves", "moves", "decisions of the player")];
        columns.extend(Attribute::ALL.map(|attribute| {
            let name = attribute.short_name();
            Column::new(column("lambda", attribute), "", format!("weight of {name}"))
        }));
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
            Column::new(
                "mean-nodes",
                "positions",
                "mean size of a tree, its root not counted",
            ),
            Column::new("bytes-per-tree", "bytes", "mean memory of a stored tree"),
        ]);
        columns
    }

    fn cells(&self) -> Vec<Cell> {
        let rows = self.0.rows.iter();
        if self.0.train.is_none() {
            return rows
                .map(|row| Cell::row(&row.row).reading([&row.games]))
                .collect();
        }
        // All rows wait for the trained one: they are one cell.
        let mut data: Vec<_> = rows.clone().map(|row| &row.games).collect();
        data.sort_unstable();
        data.dedup();
        vec![Cell::rows(ALL_ROWS, rows.map(|row| &row.row)).reading(data)]
    }

    fn run(&self, cell: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let mut output = CellOutput::new();
        let (training, others): (Vec<_>, Vec<_>) = (self.0.rows.iter())
            .filter(|row| cell.rows.contains(&row.row))
            .partition(|row| self.0.train.as_ref() == Some(&row.row));
        let mut trained = None;
        for row in training {
            trained = self.run_row(row, None, ctx, &mut output)?;
        }
        for row in others {
            self.run_row(row, trained.as_deref(), ctx, &mut output)?;
        }
        Ok(output)
    }
}

impl InferencePlan {
    /// Fills a row and returns the weights, if any were fitted.
    fn run_row(
        &self,
        row: &RowParams,
        trained: Option<&[f64]>,
        ctx: &CellContext<'_>,
        output: &mut CellOutput,
    ) -> Result<Option<Vec<f64>>, CellError> {
        ctx.check()?;
        let params = row.model.as_ref().unwrap_or(&self.0.model);
        let model = params.model();
        let games = read_games(&ctx.data(&row.games)?)?;
        let decisions = row.select.decisions(&games, &row.player)?;
        let trees = model.trees(&decisions, budget_bytes(self.0.budget_mib))?;
        let likelihood = SoftMinimax::new(&trees);
        ctx.check()?;

        let name = row.row.as_str();
        let counts = trees.counts();
        let i_random = likelihood.uniform_bits();
        output.set(name, "moves", counts.trees);
        output.set(name, "i-random", i_random);
        output.set(name, "mean-nodes", counts.mean_nodes());
        if counts.stored_trees > 0 {
            output.set(name, "bytes-per-tree", counts.mean_bytes());
        }
        if let Some(weights) = trained {
            let i_training = likelihood.bits(weights);
            output.set(name, "i-training", i_training);
            output.set(name, "comp-training", 100.0 * i_training / i_random);
        }
        if self.0.starts == 0 {
            return Ok(None);
        }
        let SoftMinimaxFit { fit, starts } = fit(&likelihood, self.0.starts, ctx, name)?;
        let std_errors = (fit.std_errors.as_ref())
            .ok_or_else(|| CellError::new(format!("no maximum: {:?}", fit.stop)))?;
        for (index, &attribute) in params.attributes.iter().enumerate() {
            let weight = Number::new(fit.weights[index]).with_std_error(std_errors[index]);
            output.set(name, column("lambda", attribute), Value::Number(weight));
        }
        let i_inferred = -fit.log_likelihood / LN_2;
        output.set(name, "i-inferred", i_inferred);
        output.set(name, "comp", 100.0 * i_inferred / i_random);
        // Ends closer than this, in units of the scales, are one maximum seen twice.
        let optima = starts.distinct(&likelihood.scales(), 1e-3);
        output.set(name, "optima", optima.len());
        if let (Some(best), Some(worst)) = (optima.first(), optima.last()) {
            let spread = best.optimum.value - worst.optimum.value;
            output.set(name, "spread", spread / LN_2);
        }
        Ok(Some(fit.weights))
    }
}
