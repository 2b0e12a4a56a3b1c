//! The experiment runner's engine: it reads declared experiments, plans their cells, runs and
//! caches them, and compares the results with print. It knows no game.
//!
//! One TOML file declares one published table. A [`Kind`] turns its parameters into a [`Plan`] of
//! independent [`Cell`]s; everything else is the engine's: strict reading with positions, seeds by
//! name, keys by content, a cache that survives a kill, parallel runs that do not depend on the
//! number of threads, comparison with print (agreement) and with the last recorded values
//! (drift), and the files people and tools read.
//!
//! # Map
//! | module | what it does |
//! | --- | --- |
//! | `config` | experiment files: from text to checked, planned experiments; **how to add a table** |
//! | `kind` | the traits kinds implement; **how to add a kind** |
//! | `params`, `value`, `context` | what a kind is given, yields, and may ask for |
//! | `data` | the manifest and verified data files; **how to add a data set** |
//! | `seed`, `code`, `key`, `cache`, `checkpoint` | what a result depends on, and where it is kept |
//! | `run` | cells on threads: queue, locks, timeouts, panics |
//! | `table`, `frame`, `printed`, `tolerance`, `compare` | our values, print, and the verdicts |
//! | `results`, `render` | the committed files |
//! | `command` | the commands, complete but for arguments and printing |
//! | `clock`, `provenance` | the only readers of clock, machine and repository |
//!
//! # Invariants
//! - Published values, tolerances and texts never enter the inputs key: changing how we judge
//!   costs no run.
//! - Nothing that depends on the machine reaches a committed file.
//! - `results/` is written by blessing and by `report` alone, and only where bytes change.
//! - The engine never prints and reads no environment.
//!
//! # Examples
//! A kind with one cell, run in memory:
//! ```
//! use kibitz_lab::{Cell, CellContext, CellError, Output, Column, Diagnostics, Kind, Params, Plan};
//! use kibitz_lab::testing::TestBench;
//!
//! #[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
//! #[serde(deny_unknown_fields, rename_all = "kebab-case")]
//! struct SquareParams { side: f64 }
//!
//! struct Square;
//! impl Kind for Square {
//!     fn name(&self) -> &'static str { "square" }
//!     fn version(&self) -> u32 { 1 }
//!     fn crates(&self) -> &'static [&'static str] { &[] }
//!     fn example(&self) -> &'static str {
//!         "kind = \"square\"\ntitle = \"Area\"\nparams = { side = 3.0 }\n"
//!     }
//!     fn params_schema(&self) -> schemars::Schema { schemars::schema_for!(SquareParams) }
//!     fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics> {
//!         Ok(Box::new(params.read::<SquareParams>()?))
//!     }
//! }
//! impl Plan for SquareParams {
//!     fn random(&self) -> bool { false }
//!     fn columns(&self) -> Vec<Column> { vec![Column::new("area", "m2", "Area of the square")] }
//!     fn cells(&self) -> Vec<Cell> { vec![Cell::row("square")] }
//!     fn run(&self, _: &Cell, _: &CellContext<'_>) -> Result<Output, CellError> {
//!         let mut output = Output::new();
//!         output.set("square", "area", self.side * self.side);
//!         Ok(output)
//!     }
//! }
//!
//! let bench = TestBench::new(&Square, "beyond/square", Square.example())?;
//! let output = bench.run("square", 0).map_err(|error| error.to_string())?;
//! assert_eq!(output.number("square", "area"), Some(9.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cache;
mod clock;
mod code;
mod command;
mod compare;
mod config;
mod data;
mod diagnostic;
mod files;
mod frame;
mod key;
mod observe;
mod params;
mod printed;
mod provenance;
mod render;
mod results;
mod run;
mod table;
pub mod testing;
mod tolerance;

pub use cache::Toolchain;
pub use command::{Answer, Exit, Format, Lab, Mode, NewOptions, ReproduceOptions, Selection};
pub use compare::{Counts, Drift, Verdict};
pub use diagnostic::{Diagnostic, Diagnostics, Location, SourceFile};
pub use files::FileError;
pub use observe::{Event, Observer, Silent};
