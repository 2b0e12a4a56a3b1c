//! `regression`: linear regressions over records, correlations, and the order in which variables
//! enter.

use kibitz_experiment::{
    Cell, CellError, Column, Context, Experiment, Number, Output, Problems, SamplesUsed,
};
use kibitz_stats::SampleError;
use kibitz_stats::moments::CrossMoments;
use kibitz_stats::regression::{Constant, LeastSquares, RegressionError, forward_selection};
use polars::prelude::{DataType, PlSmallStr, Schema};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

use crate::{
    errors::{Errors, Estimates},
    frames::{ask_datasets, numbers},
    resample,
    sql::{Queries, check_conditions},
};

/// Least squares over the records of a query, several runs side by side.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Regression {
    /// Which records count, in the dialect of polars; its columns are the variables.
    sql: String,
    /// The dependent variable.
    target: String,
    /// What the table shows.
    table: Table,
    /// Coefficients are shown in this unit.
    #[serde(default = "one")]
    unit: f64,
    /// The regressions.
    runs: Vec<Run>,
}

fn one() -> f64 {
    1.0
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Table {
    /// A row for each variable: its correlation with the target, and its coefficient in each run.
    Coefficients,
    /// A row for each variable: the step at which forward selection lets it into each run.
    Entry,
    /// A row for each run: how much it explains.
    Fit,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Run {
    /// Name of the run: a column of coefficients or entries, a row of fits.
    #[serde(rename = "run")]
    name: String,
    /// Which of the records count, as a condition in SQL; all if it is left out.
    #[serde(rename = "where")]
    condition: Option<String>,
    /// The independent variables; * and ? are wild.
    variables: Vec<String>,
}

/// Row of the constant term.
const CONSTANT: &str = "constant";

const COR: Column = Column::new("cor", "", "correlation with the dependent variable");
const SIGN: Column = Column::new("sign", "", "its sign, + or -");
const R2: Column = Column::new("r2", "%", "share of the variance explained");
const N: Column = Column::new("n", "records", "records");
const VARIABLES: Column = Column::new("variables", "", "variables with a coefficient");
const FIRST_FOUR: Column = Column::new(
    "first-four",
    "",
    "the first four variables to enter, in order, by the last word of their names",
);

impl Regression {
    /// The variables that globs mean, in the order of the query's columns.
    fn variables(&self, schema: &Schema, globs: &[String]) -> Vec<String> {
        let names = schema.iter_names().map(PlSmallStr::as_str);
        let is_meant = |name: &&str| {
            let mut globs = globs.iter();
            *name != self.target && globs.any(|glob| WildMatch::new(glob).matches(name))
        };
        names.filter(is_meant).map(str::to_owned).collect()
    }

    /// The query of a run.
    fn query(&self, run: &Run) -> String {
        match &run.condition {
            None => self.sql.clone(),
            Some(condition) => {
                format!("SELECT * FROM ({}) AS records WHERE {condition}", self.sql)
            }
        }
    }
}

impl Experiment for Regression {
    type Row = ();

    const NAME: &'static str = "regression";
    const EXAMPLE: &'static str = include_str!("../examples/regression.toml");
    /// Of coefficients, then of fits; coefficients and entries have a column for each run.
    const COLUMNS: &'static [Column] =
        &[COR, SIGN, R2, N, VARIABLES, FIRST_FOUR, SamplesUsed::COLUMN];

    fn check(&self, problems: &mut Problems) {
        problems.expect_sources(Self::NAME);
        problems.require(!self.runs.is_empty(), "runs", "at least one run");
        let has_unit = self.unit.is_finite() && self.unit != 0.0;
        problems.require(has_unit, "unit", "a number other than 0");
        let Some(schema) = Queries::default().schema(&self.sql, problems) else {
            return;
        };
        let is_number = |name: &str| schema.get(name).is_some_and(DataType::is_primitive_numeric);
        let message = format!("the query has no column of numbers `{}`", self.target);
        problems.require(is_number(&self.target), "target", message);
        problems.each("runs", &self.runs, |run, problems| {
            let none = run.variables.is_empty();
            problems.require(!none, "variables", "at least one variable");
            problems.each("variables", &run.variables, |glob, problems| {
                let found = self.variables(&schema, std::slice::from_ref(glob));
                let message = format!("the query has no such column `{glob}`");
                problems.require(!found.is_empty(), "", message);
                for name in found.iter().filter(|name| !is_number(name)) {
                    problems.at("", format!("column `{name}` holds no numbers"));
                }
            });
        });
        let runs = self.runs.iter().enumerate();
        let conditions = runs.filter_map(|(place, run)| {
            Some((format!("runs.{place}.where"), run.condition.as_deref()?))
        });
        check_conditions(&self.sql, &conditions.collect::<Vec<_>>(), problems);
    }

    fn columns(&self) -> Vec<Column> {
        let of_runs = |doc: &str| {
            let runs = self.runs.iter();
            let column = |run: &Run| Column::named(&run.name, "", format!("{doc} {}", run.name));
            runs.map(column).collect::<Vec<_>>()
        };
        match self.table {
            Table::Coefficients => {
                let runs = of_runs("coefficient in run");
                [&[COR, SIGN][..], &runs, &[SamplesUsed::COLUMN]].concat()
            }
            Table::Entry => of_runs("step at which the variable enters run"),
            Table::Fit => vec![R2, N, VARIABLES, FIRST_FOUR, SamplesUsed::COLUMN],
        }
    }

    fn cells(&self) -> Vec<Cell> {
        vec![match self.table {
            Table::Fit => Cell::rows("regression", self.runs.iter().map(|run| &run.name), ()),
            _ => Cell::open("regression", ()),
        }]
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let mut errors = ctx.resample().map(Errors::new);
        if self.table == Table::Coefficients {
            let mut globs: Vec<String> = Vec::new();
            for run in &self.runs {
                globs.extend(run.variables.iter().cloned());
            }
            let records = self.records(&self.sql, &globs, ctx)?;
            correlations(&records, errors.as_mut(), ctx, output)?;
        }
        for run in &self.runs {
            ctx.check()?;
            let records = self.records(&self.query(run), &run.variables, ctx)?;
            self.regress(run, &records, errors.as_mut(), ctx, output)?;
        }
        errors.map_or(Ok(()), |errors| errors.used.tell(ctx, output))
    }
}

/// The records of a run: its variables and the target, column by column, and their groups.
struct Records {
    names: Vec<String>,
    /// Those of the variables, then the target.
    columns: Vec<Vec<f64>>,
    whole: CrossMoments,
    /// Moments of each group, if there are any.
    groups: Vec<CrossMoments>,
}

impl Records {
    /// The number of the target.
    fn target(&self) -> usize {
        self.names.len()
    }

    /// Figures of all records, with their standard errors where samples are drawn; `places` names the row
    /// and the column of each. Figures that are not numbers are undefined.
    fn estimate<'p>(
        &self,
        places: impl IntoIterator<Item = (&'p str, &'p str)>,
        whole: &[f64],
        errors: Option<&mut Errors>,
        ctx: &Context<'_>,
        figures: impl Fn(&CrossMoments) -> Estimates + Sync,
    ) -> Result<Vec<Number>, CellError> {
        let (Some(resample), Some(errors)) = (ctx.resample(), errors) else {
            return Ok(whole.iter().copied().map(Number::new).collect());
        };
        let samples = resample::samples(resample, self.groups.len(), ctx)?;
        let estimates: Vec<Estimates> = samples
            .par_iter()
            .map(|sample| {
                let mut moments = CrossMoments::new(self.columns.len());
                for group in sample {
                    moments.merge(&self.groups[*group])?;
                }
                Ok(figures(&moments))
            })
            .collect::<Result<_, CellError>>()?;
        Ok(errors.numbers(places, whole, &estimates))
    }

    /// Why a regression on some variables cannot be computed, in their names.
    fn explain(&self, error: &RegressionError, variables: &[usize]) -> String {
        let name = |place: usize| match variables.get(place) {
            Some(variable) => format!("`{}`", self.names[*variable]),
            None => format!("variable {place}"),
        };
        match error {
            RegressionError::Constant { variable } => format!("{} never varies", name(*variable)),
            RegressionError::Collinear { variable } => format!(
                "{} is a combination of the variables before it",
                name(*variable)
            ),
            other => other.to_string(),
        }
    }
}

impl Regression {
    fn records(
        &self,
        sql: &str,
        globs: &[String],
        ctx: &Context<'_>,
    ) -> Result<Records, CellError> {
        let result = ask_datasets(sql, ctx)?;
        let names = self.variables(result.schema(), globs);
        let columns = names.iter().chain([&self.target]);
        let columns: Vec<Vec<f64>> = columns
            .map(|name| numbers(&result, name))
            .collect::<Result<_, _>>()?;
        let codes = match ctx.resample() {
            Some(resample) => resample::group_codes(&result, &resample.by)?,
            None => vec![0; result.height()],
        };
        let mut groups: Vec<CrossMoments> = Vec::new();
        let mut record = vec![0.0; columns.len()];
        for (place, group) in codes.into_iter().enumerate() {
            for (value, column) in record.iter_mut().zip(&columns) {
                *value = column[place];
            }
            let group = group as usize;
            if group == groups.len() {
                groups.push(CrossMoments::new(columns.len()));
            }
            groups[group].push(&record)?;
        }
        let mut whole = CrossMoments::new(columns.len());
        for group in &groups {
            whole.merge(group)?;
        }
        Ok(Records {
            names,
            columns,
            whole,
            groups,
        })
    }

    /// One run. What never varies or is a combination of other variables is left out, with a warning.
    fn regress(
        &self,
        run: &Run,
        records: &Records,
        errors: Option<&mut Errors>,
        ctx: &Context<'_>,
        output: &mut Output,
    ) -> Result<(), CellError> {
        let target = records.target();
        let candidates: Vec<usize> = (0..target).collect();
        let failed = |error: &RegressionError, variables: &[usize]| {
            let why = records.explain(error, variables);
            CellError::new(format!("run `{}`: {why}", run.name))
        };
        let entries = forward_selection(&records.whole, &candidates, target, 0.0)
            .map_err(|error| failed(&error, &candidates))?;
        let mut variables: Vec<usize> = entries.iter().map(|entry| entry.variable).collect();
        let name = |variable: usize| records.names[variable].as_str();
        let left_out: Vec<String> = (candidates.iter())
            .filter(|variable| !variables.contains(variable))
            .map(|variable| format!("`{}`", name(*variable)))
            .collect();
        if !left_out.is_empty() {
            ctx.warn(format!(
                "run `{}` leaves out {}: constant, or a combination of other variables",
                run.name,
                left_out.join(", ")
            ));
        }
        if self.table == Table::Entry {
            for (step, entry) in (1_usize..).zip(&entries) {
                output.row(name(entry.variable)).set(&run.name, step);
            }
            return Ok(());
        }
        let last_word = |variable: &usize| name(*variable).rsplit(' ').next().unwrap_or_default();
        let first_four: Vec<&str> = variables.iter().take(4).map(last_word).collect();
        let first_four = first_four.join(", ");
        variables.sort_unstable();
        let columns: Vec<&[f64]> = variables
            .iter()
            .map(|variable| records.columns[*variable].as_slice())
            .collect();
        let whole = LeastSquares::fit(&columns, &records.columns[target], Constant::Fitted)
            .map_err(|error| failed(&error, &variables))?;
        let figures = |fit: &LeastSquares| {
            if self.table == Table::Fit {
                return vec![100.0 * fit.r_squared];
            }
            let all = fit.coefficients.iter().chain([&fit.constant]);
            all.map(|coefficient| coefficient / self.unit).collect()
        };
        let rows: Vec<&str> = match self.table {
            Table::Fit => vec![run.name.as_str()],
            _ => (variables.iter().map(|variable| name(*variable)))
                .chain([CONSTANT])
                .collect(),
        };
        let column = match self.table {
            Table::Fit => "r2",
            _ => run.name.as_str(),
        };
        let places = rows.iter().map(|row| (*row, column));
        let numbers = records.estimate(places, &figures(&whole), errors, ctx, |moments| {
            match LeastSquares::of_moments(moments, &variables, target) {
                Ok(fit) => Ok(figures(&fit)),
                Err(error) => Err(records.explain(&error, &variables)),
            }
        })?;
        for (row, number) in rows.into_iter().zip(numbers) {
            output.row(row).set(column, number);
        }
        if self.table == Table::Fit {
            let mut row = output.row(&run.name);
            row.set("n", whole.n_samples)
                .set("variables", variables.len())
                .set("first-four", first_four);
        }
        Ok(())
    }
}

/// Correlations of the variables with the target. A variable that never varies has none.
fn correlations(
    records: &Records,
    errors: Option<&mut Errors>,
    ctx: &Context<'_>,
    output: &mut Output,
) -> Result<(), CellError> {
    let correlation = |moments: &CrossMoments, variable: usize| match moments
        .correlation(variable, records.target())
    {
        Ok(correlation) => Ok(Some(correlation)),
        Err(SampleError::NoVariation) => Ok(None),
        Err(other) => Err(other),
    };
    let mut varying: Vec<(usize, f64)> = Vec::new();
    for variable in 0..records.names.len() {
        let found = correlation(&records.whole, variable)?;
        varying.extend(found.map(|found| (variable, found)));
    }
    let whole: Vec<f64> = varying.iter().map(|(_, found)| *found).collect();
    let name = |variable: usize| records.names[variable].as_str();
    let places = varying.iter().map(|(variable, _)| (name(*variable), "cor"));
    let numbers = records.estimate(places, &whole, errors, ctx, |moments| {
        let found = varying.iter().map(|(variable, _)| -> Result<f64, String> {
            let found = correlation(moments, *variable).map_err(|error| error.to_string())?;
            Ok(found.unwrap_or(f64::NAN))
        });
        found.collect()
    })?;
    for ((variable, _), number) in varying.iter().zip(numbers) {
        let sign = if number.value < 0.0 { "-" } else { "+" };
        let mut row = output.row(name(*variable));
        row.set("cor", number).set("sign", sign);
    }
    Ok(())
}
