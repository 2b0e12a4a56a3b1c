//! The experiment runner's engine: it reads declared experiments, plans their cells, runs and
//! caches them, and compares the results with published ones. It knows no game.
//!
//! One TOML file declares one published table. Its kind is an [`Experiment`]: parameters that
//! become a table of [`Cell`]s. Everything else is the engine's: strict reading with positions,
//! seeds by name, keys by content, a cache that survives a kill, parallel runs that do not depend
//! on the number of threads, comparison with published values (outcomes) and with the last recorded values
//! (drift), and the files people and tools read.
//!
//! A run is five steps: [`Session::open`](session::Session::open) reads a workspace,
//! [`Selection::apply`] says what is meant, [`plan_all`](plan::plan_all) what is to do,
//! [`run_tables`](run_tables::run_tables) does it and gives [`FinishedTable`](finished::FinishedTable)s:
//! values, their comparison with published ones, and their drift. The commands that people give are
//! `kibitz-desk`, which writes files and texts from these.
//!
//! # Map
//! | module | what it does |
//! | --- | --- |
//! | [`config`] | experiment files: from text to checked experiments with their plans; **how to add a table** |
//! | [`selection`], `names`, [`session`] | which experiments are meant, and what an unknown name may mean; a workspace that has been read |
//! | [`manifest`], [`data`] | declared data files, **how to add a data set**; verified files |
//! | `code`, [`key`], [`cache`], `part`, [`costs`] | hashes of code, inputs keys, finished cells and their parts of datasets on disk, what they took |
//! | [`plan`], [`origin`], [`trouble`] | what is to run, where other values come from, data files that cannot be used |
//! | `run`, [`run_tables`], [`finished`] | cells on threads: queue, timeouts, panics; tables put together |
//! | [`measurement`], [`published`], [`figure`], `tolerance`, [`judge`], [`outcome`] | reproduced and published values, and how they compare; the rule is `docs/outcomes.md` |
//! | [`compare`], [`history`] | our values, and those recorded before; when tolerances were set |
//! | [`printed_table`], `numerals`, [`comparison`] | published and reproduced values in CSV, compared without a workspace |
//! | [`results`], [`csv`], `changes` | the recorded values, and what changed since |
//! | [`record`] | all of them as plain data, for programs that show them |
//! | `wire` | values of files that keep their order and place |
//! | [`error`], [`files`] | why the engine refuses to go on |
//! | [`observe`] | what a run tells while it goes on |
//! | `clock`, [`provenance`] | the only readers of clock, machine and repository |
//!
//! **How to add a kind** is in `kibitz-experiment`, which holds what kinds and runner share.
//!
//! # Invariants
//! - Published values, tolerances and texts never enter the inputs key: changing how we judge
//!   costs no run.
//! - Nothing that depends on the machine reaches a committed file.
//! - A run writes to the cache alone, never to `results/`.
//! - The engine never prints and reads no environment.
//!
//! # Examples
//! A kind with one cell, run in memory:
//! ```
//! use kibitz_experiment::{
//!     Cell, CellError, Code, Column, Context, Experiment, Kind, Output, Problems,
//! };
//! use kibitz_lab::testing::TestBench;
//!
//! #[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
//! #[serde(deny_unknown_fields, rename_all = "kebab-case")]
//! struct Square { side: f64 }
//!
//! impl Experiment for Square {
//!     type Row = f64;
//!     const NAME: &'static str = "square";
//!     const EXAMPLE: &'static str =
//!         "kind = \"square\"\ntitle = \"Area\"\nparams = { side = 3.0 }\n";
//!     const COLUMNS: &'static [Column] = &[Column::new("area", "m2", "Area of the square")];
//!     fn check(&self, problems: &mut Problems) {
//!         problems.require(self.side >= 0.0, "side", "a side cannot be negative");
//!     }
//!     fn cells(&self) -> Vec<Cell<f64>> { vec![Cell::row("square", self.side)] }
//!     fn run(&self, side: &f64, _: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
//!         output.set("area", side * side);
//!         Ok(())
//!     }
//! }
//!
//! let bench = TestBench::new(Kind::of::<Square>(Code::Constant), "beyond/square", Square::EXAMPLE)?;
//! let output = bench.run("square", 0).map_err(|error| error.to_string())?;
//! assert_eq!(output.number("square", "area"), Some(9.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Experiment`]: kibitz_experiment::Experiment
//! [`Cell`]: kibitz_experiment::Cell

pub mod cache;
mod changes;
mod clock;
mod code;
pub mod compare;
pub mod comparison;
pub mod config;
pub mod costs;
pub mod csv;
pub mod data;
pub mod error;
pub mod figure;
pub mod files;
pub mod finished;
pub mod history;
pub mod judge;
pub mod key;
mod lab;
pub mod manifest;
pub mod measurement;
mod numerals;
pub mod observe;
pub mod origin;
pub mod outcome;
mod parquet;
mod part;
pub mod plan;
pub mod printed_table;
pub mod provenance;
pub mod published;
pub mod record;
pub mod results;
mod run;
pub mod run_tables;
pub mod selection;
pub mod session;
pub mod testing;
mod tolerance;
pub mod trouble;
mod wire;

pub use cache::Toolchain;
pub use clock::{Clock, timestamp};
pub use compare::Drift;
pub use data::data_file;
pub use error::LabError;
pub use files::FileError;
pub use kibitz_text::{Diagnostic, Diagnostics, Exit, SourceFile};
pub use lab::Lab;
pub use manifest::{DataEntry, HashOf, Manifest};
pub use observe::{Event, Observer, SilentObserver};
pub use outcome::{Counts, Outcome};
pub use selection::Selection;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;
