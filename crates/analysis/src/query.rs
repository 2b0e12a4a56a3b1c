//! `query`: a table that is a query.

use std::collections::BTreeSet;

use kibitz_experiment::{
    Cell, CellError, Column, Context, Experiment, Output, Problems, SamplesUsed, Sources, Value,
};
use polars::prelude::{DataFrame, DataType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    frames::{Frames, texts},
    resample::with_errors,
    sql::Queries,
};

/// SQL over datasets: each record of its result is a row of the table, named by its column `row`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Query {
    /// Queries whose results `sql` reads under these names. They run once, before
    /// resampling: their results are resampled.
    #[serde(default, rename = "with")]
    views: Queries,
    /// The query, in the dialect of polars.
    sql: String,
}

/// The column of its result that names the rows.
const ROW: &str = "row";

impl Experiment for Query {
    type Row = ();

    const NAME: &'static str = "query";
    const EXAMPLE: &'static str = include_str!("../examples/query.toml");
    /// Those of the query's result.
    const COLUMNS: &'static [Column] = &[];

    fn check(&self, problems: &mut Problems) {
        problems.expect_sources(Self::NAME);
        let schema = self.views.schema(&self.sql, problems);
        if schema.is_some_and(|schema| !schema.contains(ROW)) {
            let message = format!("the query has no column `{ROW}`, which names the rows");
            problems.at("sql", message);
        }
    }

    fn columns_from(&self, sources: &Sources) -> Vec<Column> {
        let mut problems = Problems::default().reading(sources.clone());
        let schema = self.views.schema(&self.sql, &mut problems);
        let Some(schema) = schema else {
            return Vec::new();
        };
        let names = schema.iter_names().filter(|name| **name != ROW);
        let own = names.map(|name| Column::named(name.as_str(), "", ""));
        let of_samples = SamplesUsed::COLUMN;
        let is_free = !schema.contains(&of_samples.name);
        own.chain(is_free.then_some(of_samples)).collect()
    }

    fn cells(&self) -> Vec<Cell> {
        vec![Cell::open("query", ())]
    }

    fn run(&self, (): &(), ctx: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
        let frames = self.views.frames(&self.sql, ctx)?;
        *output = with_errors(&frames, ctx, &|frames| self.figures(frames, ctx))?;
        Ok(())
    }
}

impl Query {
    /// The table that the query makes of some frames.
    fn figures(&self, frames: &Frames, ctx: &Context<'_>) -> Result<Output, CellError> {
        let result = frames.ask(&self.sql, ctx)?;
        let names = texts(&result, ROW)?;
        let names: Option<Vec<String>> = names.into_iter().collect();
        let names = names.ok_or_else(|| {
            CellError::new(format!("a record has no `{ROW}`, which names its row"))
        })?;
        let mut seen = BTreeSet::new();
        if let Some(name) = names.iter().find(|name| !seen.insert(*name)) {
            return Err(CellError::new(format!("two records are called `{name}`")));
        }
        let mut output = Output::default();
        for (column, values) in values(&result)? {
            for (name, value) in names.iter().zip(values) {
                if let Some(value) = value.filter(|_| column != ROW) {
                    output.row(name).set(column.as_str(), value);
                }
            }
        }
        Ok(output)
    }
}

/// A column of a result with its values.
type Values = (String, Vec<Option<Value>>);

/// The columns of a result with their values.
fn values(result: &DataFrame) -> Result<Vec<Values>, CellError> {
    let columns = result.columns().iter().map(|column| {
        let values = if column.dtype().is_primitive_numeric() {
            let numbers = column.cast(&DataType::Float64)?;
            let numbers = numbers.f64()?.iter();
            numbers.map(|number| number.map(Value::from)).collect()
        } else {
            let texts = column.cast(&DataType::String)?;
            let texts = texts.str()?.iter();
            texts.map(|text| text.map(Value::from)).collect()
        };
        Ok((column.name().to_string(), values))
    });
    columns.collect()
}
