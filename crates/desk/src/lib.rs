//! The commands of the experiment runner, over the engine of `kibitz-lab`: what people ask of a workspace,
//! and the documents, exports and pictures that come of it. It knows no game.
//!
//! A [`Desk`] is a workspace with its commands as methods. Each takes what a command line says and returns
//! an [`Answer`]: text for both streams, and the exit code. [`cli`] is the command line itself.
//!
//! # Map
//! | module | what it does |
//! | --- | --- |
//! | `command` | the commands, one a file: `reproduce`, `list`, `explain`, `new`, `refresh`, `dataset` … |
//! | `run_outcome`, `run_answer`, `summary` | the outcome of a run: its exit code, its text, its log |
//! | `derived`, `outcome_log`, `records` | what derives from recorded values, the log of outcomes, and whether all of it is as recorded |
//! | `documents` | numbers and tables in Markdown that come from the results |
//! | `render` | the committed files of a table, the index, plots |
//! | `recorded` | gathers all that is recorded as plain data ([`kibitz_lab::record`]) |
//! | `init` | a new project, which may start from published values in CSV |
//! | `skeleton` | the file that a new experiment starts from |
//! | [`cli`] | arguments, progress, colors; **a program of your own** |
//!
//! # Invariants
//! - `results/` is written by blessing and by `refresh` alone, and only where bytes change.
//! - Commands never print and read no environment; [`cli`] does.

mod answer;
pub mod cli;
mod command;
mod derived;
mod desk;
mod documents;
mod init;
mod options;
mod outcome_log;
mod recorded;
mod records;
mod render;
mod run_answer;
mod run_outcome;
mod skeleton;
mod summary;

pub use answer::{Answer, Format};
pub use command::add_data::AddDataOptions;
pub use command::cell::CellOptions;
pub use command::dataset::DatasetOptions;
pub use command::export::Export;
pub use command::graph::GraphFormat;
pub use command::jobs::{Jobs, JobsOptions};
pub use command::new::NewOptions;
pub use command::refresh::RefreshOptions;
pub use desk::{Desk, Drawing};
pub use documents::grouped;
pub use init::{InitOptions, init};
pub use options::{Mode, ReproduceOptions};
pub use render::comparison_text;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;
