//! `choice-model`: the weights that make the chosen alternatives most likely (conditional logit).

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::LN_2;

use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Number, Output, Problems};
use kibitz_stats::{ChoiceSets, ConditionalLogit, Fit, NewtonOptions};
use polars::prelude::DataType;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    frames::{ask_datasets, codes, first_apart, numbers, texts},
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
    /// Columns of the table that are to be called otherwise here.
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
        let message = format!("the query has no column of truths `{}`", self.chosen);
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
        let (sets, n_groups) = self.choices(row, ctx)?;
        let model = ConditionalLogit::new(&sets);
        let start = vec![0.0; sets.n_attributes()];
        let fit = model.fit_newton(&start, &NewtonOptions::default())?;
        let no_maximum = || CellError::new(format!("no maximum: {:?}", fit.stop));
        let own_errors = fit.std_errors.as_ref().ok_or_else(no_maximum)?;
        let figures = |model: &ConditionalLogit<'_>, fit: &Fit| {
            let (uniform, inferred) = (model.uniform_bits(), 0.0 - fit.log_likelihood / LN_2);
            let mut figures = fit.weights.clone();
            figures.extend([uniform, inferred, 100.0 * inferred / uniform]);
            figures
        };
        let mut samples = Vec::new();
        if let Some(resample) = ctx.resample() {
            let drawn = resample::samples(resample, n_groups, ctx)?;
            let refit = |sample: &Vec<usize>| {
                ctx.check()?;
                let groups: Vec<u32> = sample
                    .iter()
                    .map(|group| u32::try_from(*group))
                    .collect::<Result<_, _>>()?;
                let sample = sets.by_groups(&groups);
                let model = ConditionalLogit::new(&sample);
                let fit = model
                    .fit_newton(&fit.weights, &NewtonOptions::default())
                    .ok();
                Ok(fit.filter(Fit::converged).map(|fit| figures(&model, &fit)))
            };
            let found: Vec<Option<Vec<f64>>> = drawn
                .par_iter()
                .map(refit)
                .collect::<Result<_, CellError>>()?;
            samples = found
                .into_iter()
                .collect::<Option<Vec<_>>>()
                .unwrap_or_default();
        }
        let numbers = resample::numbers(&figures(&model, &fit), ctx.resample(), &samples);
        let n_weights = fit.weights.len();
        let weights = numbers.iter().zip(own_errors);
        for (column, (number, own_error)) in self.attributes.keys().zip(weights) {
            let std_error = number.std_error.or(Some(*own_error));
            output.set(
                column,
                Number {
                    std_error,
                    ..*number
                },
            );
        }
        let bits = ["i-random", "i-inferred", "comp"].into_iter();
        for (column, number) in bits.zip(&numbers[n_weights..]) {
            output.set(self.name(column), *number);
        }
        if ctx.resample().is_some() {
            output.set(self.name("groups"), n_groups);
        }
        output.set(self.name("decisions"), sets.n_choices());
        output.set(self.name("evaluations"), fit.evaluations);
        Ok(())
    }
}

impl ChoiceModel {
    /// The decisions of a row, and into how many groups they fall.
    fn choices(&self, row: &Row, ctx: &Context<'_>) -> Result<(ChoiceSets, usize), CellError> {
        let by = ctx.resample().map(|resample| &resample.by);
        let result = ask_datasets(&self.query(row, by.into_iter()), ctx)?;
        let attributes: Vec<Vec<f64>> = self
            .attributes(row)
            .map(|name| numbers(&result, name))
            .collect::<Result<_, _>>()?;
        let names = self.decision.iter().map(|name| codes(&result, name));
        let names: Vec<Vec<u32>> = names.collect::<Result<_, _>>()?;
        let name_of = |at: usize| {
            let names = self.decision.iter().map(|name| texts(&result, name));
            let names: Vec<Vec<Option<String>>> = names.collect::<Result<_, CellError>>()?;
            let name = names.iter().filter_map(|column| column[at].as_deref());
            Ok::<_, CellError>(name.collect::<Vec<_>>().join(", "))
        };
        if let Some(at) = first_apart(&names) {
            let message = format!(
                "decision {}: its records do not follow one another; end the query with ORDER BY {}",
                name_of(at)?,
                self.decision.join(", ")
            );
            return Err(CellError::new(message));
        }
        let groups = match ctx.resample() {
            Some(resample) => codes(&result, &resample.by)?,
            None => vec![0; result.height()],
        };
        let chosen = result.column(&self.chosen)?.bool()?;
        let mut builder = ChoiceSets::builder(attributes.len());
        let n = result.height();
        let is_same = |a: usize, b: usize| names.iter().all(|column| column[a] == column[b]);
        let mut rows = Vec::new();
        let mut start = 0;
        while start < n {
            let mut end = start + 1;
            while end < n && is_same(start, end) {
                end += 1;
            }
            let picked: Vec<usize> = (start..end)
                .filter(|at| chosen.get(*at) == Some(true))
                .collect();
            let [picked] = picked.as_slice() else {
                let (name, n) = (name_of(start)?, picked.len());
                let message = format!("decision {name}: {n} alternatives chosen, not one");
                return Err(CellError::new(message));
            };
            rows.clear();
            rows.extend((start..end).flat_map(|at| attributes.iter().map(move |of| of[at])));
            let rows = rows.chunks_exact(attributes.len());
            builder.push(groups[start], picked - start, rows)?;
            start = end;
        }
        let n_groups = groups.iter().max().map_or(0, |last| *last as usize + 1);
        Ok((builder.build(), n_groups))
    }
}
