//! `score-regression`: position scores and material against closeness to a win.

use kibitz_heuristics::chute::Polynomial;
use kibitz_lab::{
    Cell, CellContext, CellError, CellOutput, Column, Diagnostics, Kind, Number, Params, Plan,
};
use kibitz_stats::{
    inference::wald_interval,
    regression::{Constant, LeastSquares},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    chute_data::{
        CLOSENESS, LibraryParams, N_VARIABLES, Plies, ScoredGame, VariableParams, variable_row,
        variables,
    },
    chute_tally::{Regression, Tallies},
};

/// Correlations with closeness to a win, and regressions on it.
#[derive(Debug)]
pub(crate) struct ScoreRegression;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RegressionParams {
    /// The games.
    library: LibraryParams,
    /// What the table shows.
    table: Table,
    /// The regressions.
    runs: Vec<RunParams>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Table {
    /// A row for each variable: its correlation, and its coefficient in each run.
    Coefficients,
    /// A row for each variable: the step at which it enters each run.
    Entry,
    /// A row for each run: how much it explains.
    Fit,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RunParams {
    /// Name of the run: a column of coefficients, or a row of the table of fits.
    run: String,
    /// Which plies count.
    #[serde(default)]
    plies: Plies,
    /// The independent variables.
    variables: VariableParams,
}

impl Kind for ScoreRegression {
    fn name(&self) -> &'static str {
        "score-regression"
    }

    fn version(&self) -> u32 {
        1
    }

    fn crates(&self) -> &'static [&'static str] {
        &["kibitz-board", "kibitz-heuristics", "kibitz-stats"]
    }

    fn example(&self) -> &'static str {
        include_str!("examples/score-regression.toml")
    }

    fn params_schema(&self) -> schemars::Schema {
        schemars::schema_for!(RegressionParams)
    }

    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
        let checked: RegressionParams = params.read()?;
        let mut problems = Diagnostics::new();
        checked.library.check(params, "library", &mut problems);
        if checked.runs.is_empty() {
            problems.push(params.error_at("runs", "at least one run"));
        }
        let mut runs = Vec::new();
        for (index, run) in checked.runs.iter().enumerate() {
            let path = format!("runs.{index}.variables");
            match run.variables.resolve(params, &path) {
                Ok(variables) => runs.push(Run {
                    name: run.run.clone(),
                    plies: run.plies,
                    variables,
                }),
                Err(found) => found.into_iter().for_each(|problem| problems.push(problem)),
            }
        }
        problems.into_result(Box::new(RegressionPlan {
            library: checked.library,
            table: checked.table,
            runs,
        }))
    }
}

struct RegressionPlan {
    library: LibraryParams,
    table: Table,
    runs: Vec<Run>,
}

struct Run {
    name: String,
    plies: Plies,
    variables: Vec<usize>,
}

/// Coefficients are printed in this unit.
const UNIT: f64 = 1e-5;

const CONSTANT: &str = "constant";

impl Plan for RegressionPlan {
    fn random(&self) -> bool {
        false
    }

    fn columns(&self) -> Vec<Column> {
        let of_runs = |unit: &str, doc: &str| {
            self.runs
                .iter()
                .map(|run| Column::new(&run.name, unit, format!("{doc} {}", run.name)))
                .collect::<Vec<_>>()
        };
        match self.table {
            Table::Coefficients => {
                let mut columns = vec![
                    Column::new("cor", "", "correlation with closeness to a win"),
                    Column::new("cor-low", "", "its 95% interval, games drawn, from"),
                    Column::new("cor-high", "", "its 95% interval, games drawn, to"),
                    Column::new("sign", "", "its sign, + or -"),
                ];
                columns.extend(of_runs("0.00001", "coefficient in run"));
                columns
            }
            Table::Entry => of_runs("step", "step at which the variable enters run"),
            Table::Fit => vec![
                Column::new("r2", "%", "share of the variance explained"),
                Column::new("n", "positions", "positions"),
                Column::new("variables", "", "variables with a coefficient"),
                Column::new(
                    "first-four",
                    "",
                    "the first four variables to enter, in order",
                ),
            ],
        }
    }

    fn cells(&self) -> Vec<Cell> {
        let rows: Vec<String> = match self.table {
            Table::Coefficients => (0..N_VARIABLES)
                .map(variable_row)
                .chain([CONSTANT.to_owned()])
                .collect(),
            Table::Entry => (0..N_VARIABLES).map(variable_row).collect(),
            Table::Fit => self.runs.iter().map(|run| run.name.clone()).collect(),
        };
        vec![
            Cell::rows("library", rows)
                .reading([&self.library.games])
                .costing(2.0),
        ]
    }

    fn run(&self, _: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError> {
        let games = self.library.score(ctx)?;
        let tallies = Tallies::of_games(&games, &Polynomial::default())?;
        let mut output = CellOutput::new();
        if self.table == Table::Coefficients {
            correlations(&tallies, &mut output)?;
        }
        for run in &self.runs {
            ctx.check()?;
            let regression = Regression::of(&tallies.whole.moments(run.plies)?, &run.variables)?;
            match self.table {
                Table::Coefficients => {
                    run.coefficients(&games, &tallies, &regression, &mut output)?;
                }
                Table::Entry => {
                    for (step, entry) in (1_usize..).zip(&regression.entries) {
                        output.set(variable_row(entry.variable), &run.name, step);
                    }
                }
                Table::Fit => run.fit(&tallies, &regression, &mut output),
            }
        }
        Ok(output)
    }
}

fn correlations(tallies: &Tallies, output: &mut CellOutput) -> Result<(), CellError> {
    let found = tallies.estimates(|tally| {
        let moments = tally.moments(Plies::All).ok()?;
        let correlation = |variable| moments.correlation(variable, CLOSENESS).unwrap_or(f64::NAN);
        Some((0..N_VARIABLES).map(correlation).collect())
    });
    for (variable, number) in found.into_iter().flatten().enumerate() {
        // A variable that never varies has no correlation.
        if number.value.is_nan() {
            continue;
        }
        let row = variable_row(variable);
        output.set(&row, "cor", number);
        output.set(&row, "sign", if number.value < 0.0 { "-" } else { "+" });
        if let Some(std_error) = number.std_error {
            let interval = wald_interval(number.value, std_error, 0.95)?;
            output.set(&row, "cor-low", interval.low.max(-1.0));
            output.set(&row, "cor-high", interval.high.min(1.0));
        }
    }
    Ok(())
}

impl Run {
    /// Coefficients, fitted to the records themselves; their errors by leaving games out.
    fn coefficients(
        &self,
        games: &[ScoredGame],
        tallies: &Tallies,
        regression: &Regression,
        output: &mut CellOutput,
    ) -> Result<(), CellError> {
        let mut columns = vec![Vec::new(); regression.variables.len()];
        let mut target = Vec::new();
        for record in games.iter().flat_map(|game| &game.records) {
            if self.plies.holds(record) {
                let values = variables(record, &record.position_scores(record.played));
                for (column, &variable) in columns.iter_mut().zip(&regression.variables) {
                    column.push(values[variable]);
                }
                target.push(record.closeness);
            }
        }
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let fit = LeastSquares::fit(&columns, &target, Constant::Fitted)?;

        let with_constant = |fit: &LeastSquares| -> Vec<f64> {
            let mut values = fit.coefficients.clone();
            values.push(fit.constant);
            values
        };
        let resampled = tallies.estimates(|tally| {
            let moments = tally.moments(self.plies).ok()?;
            let fit = LeastSquares::of_moments(&moments, &regression.variables, CLOSENESS).ok()?;
            Some(with_constant(&fit))
        });
        let rows = regression
            .variables
            .iter()
            .map(|&variable| variable_row(variable));
        for (place, (row, value)) in rows
            .chain([CONSTANT.to_owned()])
            .zip(with_constant(&fit))
            .enumerate()
        {
            let std_error = resampled
                .as_ref()
                .and_then(|numbers| numbers.get(place)?.std_error);
            let number = Number::new(value / UNIT);
            let number = match std_error {
                Some(std_error) => number.with_std_error(std_error / UNIT),
                None => number,
            };
            output.set(row, &self.name, number);
        }
        Ok(())
    }

    fn fit(&self, tallies: &Tallies, regression: &Regression, output: &mut CellOutput) {
        let r2 = tallies.estimate(|tally| {
            let moments = tally.moments(self.plies).ok()?;
            let fit = LeastSquares::of_moments(&moments, &regression.variables, CLOSENESS).ok()?;
            Some(100.0 * fit.r_squared)
        });
        if let Some(r2) = r2 {
            output.set(&self.name, "r2", r2);
        }
        output.set(&self.name, "n", regression.fit.n_samples);
        output.set(&self.name, "variables", regression.variables.len());
        let first: Vec<String> = regression
            .entries
            .iter()
            .take(4)
            .map(|entry| variable_row(entry.variable).replace("heuristic ", ""))
            .collect();
        output.set(&self.name, "first-four", first.join(", "));
    }
}
