//! Experiment kinds over datasets: tables of one's own, queries, regressions and choice models,
//! declared in a table's file.
//!
//! A dataset is what another experiment yields (see `Experiment::fields` of `kibitz-experiment`);
//! a file names it under `from`, and SQL, in the dialect of polars, reads it under that name. With
//! `resample` every number has a standard error: the same figures are computed from other samples.
//!
//! # Map
//! | module | kind | what it computes |
//! | --- | --- | --- |
//! | `query` | `query` | a table that is a query |
//! | `table` | `table` | a dataset that is a table of one's own, in CSV or Parquet |
//! | `view` | `view` | a dataset that is a query |
//! | `regression` | `regression` | linear regressions, correlations, and the order in which variables enter |
//! | `choice_model` | `choice-model` | weights that make the chosen alternatives most likely (conditional logit) |
//!
//! `decisions` reads those of a choice model piece by piece, `frames` reads datasets and asks them, `statement` reads queries, `sql` says what is wrong with
//! one, in the `wording` of SQL, `resample` draws samples, and `errors` makes
//! standard errors of what they give.
//!
//! A query reads what its experiment names under `from`, and nothing else: functions in place of
//! tables, such as `read_csv`, are refused, since the key of a result does not cover their files.

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
