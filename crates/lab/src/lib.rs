//! The experiment runner's engine: it reads declared experiments, plans their cells, runs and
//! caches them, and compares the results with print. It knows no game.

mod checkpoint;
mod clock;
mod context;
mod data;
mod diagnostic;
mod files;
mod kind;
mod params;
mod seed;
mod value;

pub use clock::Stopwatch;
pub use context::CellContext;
pub use data::DataFile;
pub use diagnostic::{Diagnostic, Diagnostics, Location, SourceFile};
pub use files::FileError;
pub use kind::{Cell, CellError, Column, Kind, Plan};
pub use params::{DataUse, Params};
pub use value::{CellOutput, Number, Value, Volatile};

pub use rand_chacha::ChaCha8Rng;
pub use schemars;
