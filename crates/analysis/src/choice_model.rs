//! `choice-model`: the weights that make the chosen alternatives most likely (conditional logit).

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::LN_2;
use std::fs::File;

use kibitz_experiment::{
    Cell, CellError, Column, Context, Experiment, Number, Output, Problems, SamplesUsed,
};
use kibitz_stats::{BlockedLogit, Fit, NewtonOptions};
use polars::prelude::DataType;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    decisions::{Columns, DecisionReader, Decisions, ReadError},
    errors::{Errors, Estimates},
    frames::ask_in_pieces,
    resample,
    sql::{Queries, check_conditions},
};

/// Conditional logit over decisions: records are alternatives, one of each decision was chosen.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ChoiceModel {
    /// Which alternatives there are, in the dialect of polars.
    sql: String,
    /// The columns that together name a decision; its alternatives follow one another.
    decision: Vec<String>,
    /// The column that says whether an alternative was chosen.
    chosen: String,
    /// Columns of the table with the columns whose weights they show.
    attributes: BTreeMap<String, String>,
    /// Other names for columns: the column of the query, then its name in the results.
    #[serde(default)]
    names: BTreeMap<String, String>,
    /// The models: rows of the table.
    rows: Vec<Row>,
}

/// A row of the table.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Row {
    /// Its name.
    #[serde(rename = "row")]
    name: String,
    /// Which of the alternatives count, as a condition in SQL; all if it is left out.
    #[serde(rename = "where")]
    condition: Option<String>,
    /// Columns that stand for those of `attributes` here.
    #[serde(default)]
    attributes: BTreeMap<String, String>,
}

impl ChoiceModel {
    /// The query of a row, for the columns that its model needs and `others`.
    fn query<'a>(&'a self, row: &'a Row, others: impl Iterator<Item = &'a String>) -> String {
        let own = self.decision.iter().chain([&self.chosen]);
        let columns: BTreeSet<&String> = own.chain(self.attributes(row)).chain(others).collect();
        let columns: Vec<String> = columns.iter().map(|name| format!("\"{name}\"")).collect();
        let condition = row.condition.as_deref().unwrap_or("TRUE");
        let (columns, sql) = (columns.join(", "), &self.sql);
        format!("SELECT {columns} FROM ({sql}) AS alternatives WHERE {condition}")
    }

    /// The name of a column of the table.
    fn name<'a>(&'a self, column: &'a str) -> &'a str {
        self.names.get(column).map_or(column, String::as_str)
    }

    /// The columns whose weights a row shows, in the order of the table's columns.
    fn attributes<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = &'a String> {
        let attributes = self.attributes.iter();
        attributes.map(|(column, attribute)| row.attributes.get(column).unwrap_or(attribute))
    }
}

impl Experiment for ChoiceModel {
    type Row = Row;

    const NAME: &'static str = "choice-model";
    const EXAMPLE: &'static str = include_str!("../examples/choice-model.toml");
    /// Besides those of `attributes`.
    const COLUMNS: &'static [Column] = &[
        Column::new("groups", "groups", "groups that are resampled"),
        Column::new("decisions", "decisions", "decisions"),
        Column::new(
            "i-random",
            "bit",
            "information of the choices when all alternatives are equally likely",
        ),
        Column::new(
            "i-inferred",
            "bit",
            "information of the choices under the fitted model",
        ),
        Column::new("comp", "%", "the latter as a share of the former"),
        Column::new(
            "evaluations",
            "passes",
            "passes over the data that the fit took",
        ),
        SamplesUsed::COLUMN,
    ];

    fn check(&self, problems: &mut Problems) {
        problems.expect_sources(Self::NAME);
        problems.require(!self.rows.is_empty(), "rows", "at least one row");
        problems.require(!self.decision.is_empty(), "decision", "at least one column");
        problems.require(
            !self.attributes.is_empty(),
            "attributes",
            "at least one attribute",
        );
        let Some(schema) = Queries::default().schema(&self.sql, problems) else {
            return;
        };
        let has = |name: &str| format!("the query has no column `{name}`");
        problems.each("decision", &self.decision, |name, problems| {
            problems.require(schema.contains(name), "", has(name));
        });
        let is_truth = schema.get(&self.chosen).is_some_and(DataType::is_bool);
        let message = format!("the query has no boolean column `{}`", self.chosen);
        problems.require(is_truth, "chosen", message);
        let number = |path: String, name: &str, problems: &mut Problems| {
            let is_number = schema.get(name).is_some_and(DataType::is_primitive_numeric);
            let message = format!("the query has no column of numbers `{name}`");
            problems.require(is_number, path, message);
        };
        for (column, attribute) in &self.attributes {
            number(format!("attributes.{column}"), attribute, problems);
        }
        for (place, row) in self.rows.iter().enumerate() {
            for (column, attribute) in &row.attributes {
                let path = format!("rows.{place}.attributes.{column}");
                let is_known = self.attributes.contains_key(column);
                problems.require(is_known, &path, format!("`attributes` has no `{column}`"));
                number(path, attribute, problems);
            }
        }
        let rows = self.rows.iter().enumerate();
        let conditions = rows.filter_map(|(place, row)| {
            Some((format!("rows.{place}.where"), row.condition.as_deref()?))
        });
        check_conditions(&self.sql, &conditions.collect::<Vec<_>>(), problems);
    }

    fn columns(&self) -> Vec<Column> {
        let weights = self
            .attributes
            .iter()
            .map(|(column, attribute)| Column::named(column, "", format!("weight of {attribute}")));
        let own = Self::COLUMNS.iter().map(|column| Column {
            name: self.name(&column.name).to_owned().into(),
            ..column.clone()
        });
        own.chain(weights).collect()
    }

    fn cells(&self) -> Vec<Cell<Row>> {
        let rows = self.rows.iter();
        rows.map(|row| Cell::row(&row.name, row.clone()).costing(2.0))
            .collect()
    }

    fn run(&self, row: &Row, ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let (decisions, n_groups) = self.choices(row, ctx)?;
        let model = BlockedLogit::new(&decisions);
        let start = vec![0.0; decisions.n_attributes()];
        let whole = self.figures(row, &model, &start)?.map_err(CellError::new)?;
        let columns = self.attributes.keys().map(String::as_str);
        let bits = BITS.map(|column| self.name(column));
        let columns: Vec<&str> = columns.chain(bits).collect();
        let numbers: Vec<Number> = match ctx.resample() {
            None => whole.figures.iter().copied().map(Number::new).collect(),
            Some(resample) => {
                let drawn = resample::samples(resample, n_groups, ctx)?;
                let refit = |sample: &Vec<usize>| -> Result<Estimates, CellError> {
                    ctx.check()?;
                    let groups: Vec<u32> = sample
                        .iter()
                        .map(|group| u32::try_from(*group))
                        .collect::<Result<_, _>>()?;
                    let found = self.figures(row, &model.by_groups(&groups), &whole.fit.weights)?;
                    Ok(found.map(|found| found.figures))
                };
                let samples: Vec<Estimates> = drawn
                    .par_iter()
                    .map(refit)
                    .collect::<Result<_, CellError>>()?;
                let mut errors = Errors::new(resample);
                let places = columns.iter().map(|column| (row.name.as_str(), *column));
                let numbers = errors.numbers(places, &whole.figures, &samples);
                errors.used.tell(ctx, output)?;
                output.set(self.name("groups"), n_groups);
                numbers
            }
        };
        for (column, number) in columns.into_iter().zip(numbers) {
            output.set(column, number);
        }
        output.set(self.name("decisions"), decisions.len());
        output.set(self.name("evaluations"), whole.fit.n_evaluations);
        Ok(())
    }
}

/// Alternatives whose values are held in memory; those of further decisions are read from a file at each
/// pass over them.
const KEPT: usize = 1 << 25;

/// The columns after those of the weights.
const BITS: [&str; 3] = ["i-random", "i-inferred", "comp"];

/// A fit, with the figures of its row: the weights, then [`BITS`].
struct FittedRow {
    fit: Fit,
    figures: Vec<f64>,
}

impl ChoiceModel {
    /// The fit of a row's model, from `start`; within, in words, why there is none.
    fn figures(
        &self,
        row: &Row,
        model: &BlockedLogit<'_, File>,
        start: &[f64],
    ) -> Result<Result<FittedRow, String>, CellError> {
        let fit = match model.fit_newton(start, &NewtonOptions::default())? {
            Ok(fit) => fit,
            Err(error) => return Ok(Err(error.to_string())),
        };
        if let Some(why) = model.no_maximum(&fit.weights, fit.stop)? {
            let names: Vec<&String> = self.attributes(row).collect();
            return Ok(Err(
                why.describe(|attribute| format!("`{}`", names[attribute]))
            ));
        }
        let (uniform, inferred) = (model.uniform_bits()?, 0.0 - fit.log_likelihood / LN_2);
        let mut figures = fit.weights.clone();
        figures.extend([uniform, inferred, 100.0 * inferred / uniform]);
        Ok(Ok(FittedRow { fit, figures }))
    }

    /// The decisions of a row, and into how many groups they fall.
    fn choices(&self, row: &Row, ctx: &Context<'_>) -> Result<(Decisions, usize), CellError> {
        match self.read_choices(row, false, ctx) {
            Err(ReadError::Unordered) => self.read_choices(row, true, ctx),
            other => other,
        }
        .map_err(|error| match error {
            ReadError::Failed(error) => error,
            ReadError::Unordered => CellError::new("decisions are in no order"),
        })
    }

    fn read_choices(
        &self,
        row: &Row,
        remembers: bool,
        ctx: &Context<'_>,
    ) -> Result<(Decisions, usize), ReadError> {
        let by = ctx.resample().map(|resample| &resample.by);
        let columns = Columns {
            decision: &self.decision,
            chosen: &self.chosen,
            attributes: self.attributes(row).collect(),
            by,
        };
        let mut decisions = DecisionReader::new(columns, KEPT, remembers);
        let query = self.query(row, by.into_iter());
        ask_in_pieces(&query, ctx, |piece| decisions.add(piece))?;
        decisions.finish()
    }
}
