//! `score-regression`: position scores and material against closeness to a win.

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Number, Output, Problems};
use kibitz_heuristics::chute::Polynomial;
use kibitz_stats::regression::{Constant, LeastSquares};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    chute_data::{
        CLOSENESS, LibraryParams, N_VARIABLES, Plies, ScoredGame, VariableParams, variable_row,
        variables,
    },
    chute_tally::{Regression, Tallies, interval, set_found},
};

/// Correlations with closeness to a win, and regressions on it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ScoreRegression {
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

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
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

/// Coefficients are printed in this unit.
const UNIT: f64 = 1e-5;

const CONSTANT: &str = "constant";

impl Experiment for ScoreRegression {
    type Row = ();

    const NAME: &'static str = "score-regression";
    const EXAMPLE: &'static str = include_str!("../examples/score-regression.toml");
    /// Of correlations, then of fits; coefficients and entries have a column for each run.
    const COLUMNS: &'static [Column] = &[
        Column::new("cor", "", "correlation with closeness to a win"),
        Column::new("cor-low", "", "its 95% interval, games drawn, from"),
        Column::new("cor-high", "", "its 95% interval, games drawn, to"),
        Column::new("sign", "", "its sign, + or -"),
        Column::new("r2", "%", "share of the variance explained"),
        Column::new("n", "positions", "positions"),
        Column::new("variables", "", "variables with a coefficient"),
        Column::new(
            "first-four",
            "",
            "the first four variables to enter, in order",
        ),
    ];

    fn check(&self, problems: &mut Problems) {
        self.library.check(problems);
        problems.require(!self.runs.is_empty(), "runs", "at least one run");
        problems.each("runs", &self.runs, |run, problems| {
            run.variables.check(problems);
        });
    }

    fn columns(&self) -> Vec<Column> {
        let (correlation, fit) = Self::COLUMNS.split_at(4);
        let of_runs = |unit, doc: &str| {
            let runs = self.runs.iter();
            let columns =
                runs.map(|run| Column::named(&run.run, unit, format!("{doc} {}", run.run)));
            columns.collect::<Vec<_>>()
        };
        match self.table {
            Table::Coefficients => {
                let coefficients = of_runs("0.00001", "coefficient in run");
                [correlation, &coefficients].concat()
            }
            Table::Entry => of_runs("step", "step at which the variable enters run"),
            Table::Fit => fit.to_vec(),
        }
    }

    fn cells(&self) -> Vec<Cell> {
        let variables = (0..N_VARIABLES).map(variable_row);
        match self.table {
            Table::Coefficients => self.library.cell(variables.chain([CONSTANT.to_owned()])),
            Table::Entry => self.library.cell(variables),
            Table::Fit => self.library.cell(self.runs.iter().map(|run| &run.run)),
        }
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let games = self.library.score(ctx)?;
        let tallies = Tallies::of_games(&games, &Polynomial::default())?;
        if self.table == Table::Coefficients {
            correlations(&tallies, output)?;
        }
        for run in &self.runs {
            ctx.check()?;
            let moments = tallies.whole.moments(run.plies)?;
            let regression = Regression::of(&moments, &run.variables.numbers())?;
            match self.table {
                Table::Coefficients => run.coefficients(&games, &tallies, &regression, output)?,
                Table::Entry => {
                    for (step, entry) in (1_usize..).zip(&regression.entries) {
                        output.row(variable_row(entry.variable)).set(&run.run, step);
                    }
                }
                Table::Fit => run.fit(&tallies, &regression, output),
            }
        }
        Ok(())
    }
}

fn correlations(tallies: &Tallies, output: &mut Output) -> Result<(), CellError> {
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
        let mut row = output.row(variable_row(variable));
        row.set("cor", number);
        row.set("sign", if number.value < 0.0 { "-" } else { "+" });
        if let Some(interval) = interval(number)? {
            row.set("cor-low", interval.low.max(-1.0));
            row.set("cor-high", interval.high.min(1.0));
        }
    }
    Ok(())
}

impl RunParams {
    /// Coefficients, fitted to the records themselves; their errors by leaving games out.
    fn coefficients(
        &self,
        games: &[ScoredGame],
        tallies: &Tallies,
        regression: &Regression,
        output: &mut Output,
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

        let with_constant =
            |fit: &LeastSquares| [fit.coefficients.as_slice(), &[fit.constant]].concat();
        let resampled = tallies.estimates(|tally| {
            let fit = tally.fit(self.plies, &regression.variables)?;
            Some(with_constant(&fit))
        });
        let variables = regression.variables.iter();
        let rows = variables.map(|&variable| variable_row(variable));
        let values = rows
            .chain([CONSTANT.to_owned()])
            .zip(with_constant(&fit))
            .enumerate();
        for (place, (row, value)) in values {
            let resampled = resampled.as_ref().and_then(|numbers| numbers.get(place));
            let std_error = resampled.and_then(|number| number.std_error);
            let number = Number {
                std_error: std_error.map(|std_error| std_error / UNIT),
                ..Number::new(value / UNIT)
            };
            output.row(row).set(&self.run, number);
        }
        Ok(())
    }

    fn fit(&self, tallies: &Tallies, regression: &Regression, output: &mut Output) {
        let row = &mut output.row(&self.run);
        let r2 = tallies.estimate(|tally| {
            let fit = tally.fit(self.plies, &regression.variables)?;
            Some(100.0 * fit.r_squared)
        });
        set_found(row, "r2", r2);
        row.set("n", regression.fit.n_samples);
        row.set("variables", regression.variables.len());
        let entries = regression.entries.iter().take(4);
        let first: Vec<String> = entries
            .map(|entry| variable_row(entry.variable).replace("heuristic ", ""))
            .collect();
        row.set("first-four", first.join(", "));
    }
}
