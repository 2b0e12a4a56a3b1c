//! Experiment kinds over datasets: your tables, queries, regressions and choice models, declared in
//! a table's file.
//!
//! A dataset is the output of another experiment (see `Experiment::fields` of `kibitz-experiment`).
//! A file names it under `from`; SQL in the dialect of polars reads it under that name. With
//! `resample` every estimate has a standard error, from the same computation on resampled records.
//!
//! # Map
//! | module | kind | what it computes |
//! | --- | --- | --- |
//! | `query` | `query` | a table that is a query |
//! | `table` | `table` | a dataset that is your table, in CSV or Parquet |
//! | `view` | `view` | a dataset that is a query |
//! | `regression` | `regression` | linear regressions, correlations, and the order in which variables enter |
//! | `choice_model` | `choice-model` | weights that make the chosen alternatives most likely (conditional logit) |
//!
//! `decisions` reads the choice sets of a model in pieces, `frames` reads and queries datasets,
//! `statement` parses queries, `sql` reports what is wrong with one in the `wording` of SQL,
//! `resample` draws samples, and `errors` computes standard errors from them.
//!
//! A query reads only the datasets that its experiment names under `from`. Table functions such as
//! `read_csv` are rejected, since the cache key of a result does not cover their files.

mod choice_model;
mod decisions;
mod errors;
mod frames;
mod query;
mod regression;
mod resample;
mod sql;
mod statement;
mod table;
mod view;
mod wording;

use kibitz_experiment::{Code, Kind};

/// The code that decides the results.
const CODE: Code = kibitz_experiment::code!();

/// Every kind of this crate.
pub fn kinds() -> Vec<Kind> {
    vec![
        Kind::of::<choice_model::ChoiceModel>(CODE),
        Kind::of::<query::Query>(CODE),
        Kind::of::<regression::Regression>(CODE),
        Kind::of::<table::OwnTable>(CODE),
        Kind::of::<view::View>(CODE),
    ]
}
