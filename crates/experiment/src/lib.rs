//! The interface of experiment kinds: parameters that become a table, cell by cell.
//!
//! This crate is only the contract between experiments and their runner. Crates with experiments
//! depend on it, and so does the runner (`kibitz-lab`); neither depends on the other. A result
//! therefore depends on exactly the crate of its kind and the dependencies of that crate.
//!
//! # How to add a kind
//! 1. Write a type for `[params]`: `Deserialize + Serialize + JsonSchema`, `deny_unknown_fields`,
//!    kebab-case. It is the whole plan of an experiment.
//! 2. Implement [`Experiment`] for it: a name, an example file, the columns, checks of the
//!    parameters, the cells, and the computation of one cell.
//! 3. Add `Kind::of::<MyParams>(CODE)` to the list of kinds of its crate.
//!
//! In [`Experiment::run`] draw random numbers from [`Context::rng`] only, read data through
//! [`Context::data`] only, and call [`Context::check`] now and then. Caching, seeding, threads,
//! comparison with published values and reports belong to the runner and never appear in a kind.
//!
//! # Examples
//! ```
//! use kibitz_experiment::{Cell, CellError, Column, Context, Experiment, Output, Problems, schemars};
//!
//! #[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
//! #[serde(deny_unknown_fields, rename_all = "kebab-case")]
//! struct Squares {
//!     /// One row each.
//!     sides: Vec<f64>,
//! }
//!
//! impl Experiment for Squares {
//!     type Row = f64;
//!     const NAME: &'static str = "squares";
//!     const EXAMPLE: &'static str = "kind = \"squares\"\ntitle = \"Areas\"\nparams = { sides = [3.0] }\n";
//!     const COLUMNS: &'static [Column] = &[Column::new("area", "m2", "area of the square")];
//!
//!     fn check(&self, problems: &mut Problems) {
//!         problems.require(!self.sides.is_empty(), "sides", "at least one square");
//!     }
//!
//!     fn cells(&self) -> Vec<Cell<f64>> {
//!         self.sides.iter().map(|side| Cell::row(format!("side {side}"), *side)).collect()
//!     }
//!
//!     fn run(&self, side: &f64, _: &Context<'_>, output: &mut Output) -> Result<(), CellError> {
//!         output.set("area", side * side);
//!         Ok(())
//!     }
//! }
//! ```

mod cell;
mod column;
mod context;
mod data;
mod dataset;
mod kind;
mod output;
mod part;
mod problems;
mod samples_used;
mod seed;
mod stopwatch;

pub use cell::{Cell, CellError};
pub use column::Column;
pub use context::{Context, Runner, SharedValue};
pub use data::{DataFile, DataPart, ReadSeek, VerifiedFile};
pub use dataset::{
    Datum, Field, FieldType, Records, Resample, Resampling, Source, Sources, Values,
};
pub use kibitz_text::suggestion;
pub use kind::{Code, Experiment, Kind, Plan};
pub use output::{Number, Output, RowOutput, Value, VolatileValue};
pub use part::Part;
pub use problems::{Place, Problem, Problems};
pub use samples_used::SamplesUsed;
pub use seed::SeedName;
pub use stopwatch::Stopwatch;

pub use rand_chacha::ChaCha8Rng;
pub use schemars;

/// The code of the crate that calls it, embedded by its build script.
///
/// The build script is `fn main() { kibitz_code::embed(); }`, with `kibitz-code` among the build
/// dependencies.
#[macro_export]
macro_rules! code {
    () => {
        $crate::Code::Embedded(include_str!(concat!(env!("OUT_DIR"), "/kibitz-code.json")))
    };
}
