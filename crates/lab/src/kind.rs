//! What an experiment kind is: it turns checked parameters into independent cells.
//!
//! # How to add a kind
//! 1. Write one file in `xtask/src/kinds/` with a unit struct that implements [`Kind`] and a
//!    `Params` type (`Deserialize + Serialize + JsonSchema`, `deny_unknown_fields`, kebab-case).
//! 2. In [`Kind::plan`] call [`Params::read`](crate::Params::read), report what makes no sense
//!    with [`Params::error_at`](crate::Params::error_at), and return a [`Plan`].
//! 3. In [`Plan::run`] do the work of one cell with the crates you named in [`Kind::crates`].
//!    Draw random numbers from [`CellContext::rng`] only, read data through
//!    [`CellContext::data`] only, and call [`CellContext::check`] now and then.
//! 4. Add the struct to `kinds::KINDS` (kept sorted by name).
//!
//! Caching, seeding, threads, comparison with print and reports are the runner's business and
//! never appear in a kind. Bump [`Kind::version`] whenever results may change although no crate
//! in [`Kind::crates`] did: the kind's own file is glue and not hashed.

use std::fmt;

use crate::{CellContext, CellOutput, Diagnostics, Params};

/// An experiment kind: turns checked parameters into independent cells.
pub trait Kind: Sync {
    /// Name after `kind =`, kebab-case, unique.
    fn name(&self) -> &'static str;

    /// Bumped by hand when results may change although no listed crate did.
    fn version(&self) -> u32;

    /// Workspace crates whose code decides the result, by package name (`"kibitz-stats"`).
    ///
    /// Part of the inputs key. Their path dependencies and the locked versions of everything
    /// else they use are followed by the runner.
    fn crates(&self) -> &'static [&'static str];

    /// A complete, commented example experiment file; `new` copies it, the schema shows it.
    fn example(&self) -> &'static str;

    /// JSON Schema of `[params]`, usually `kibitz_lab::schemars::schema_for!(Params)`.
    fn params_schema(&self) -> schemars::Schema;

    /// Checks `[params]` and lists the cells. Pure: no files, no clock.
    ///
    /// Called for every selected experiment, once as written and once with `[quick]` applied,
    /// before anything runs; so it should be cheap.
    ///
    /// # Errors
    /// Everything wrong with the parameters, with positions.
    fn plan(&self, params: &Params<'_>) -> Result<Box<dyn Plan>, Diagnostics>;
}

impl fmt::Debug for dyn Kind + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kind").field(&self.name()).finish()
    }
}

/// The cells of one table and how to run them.
pub trait Plan: Send + Sync {
    /// Whether cells draw random numbers; `run.seed` is required exactly when they do.
    fn random(&self) -> bool;

    /// Every column the cells can yield, in the natural order of the table.
    ///
    /// The file's `[columns]` picks and orders a subset of these.
    fn columns(&self) -> Vec<Column>;

    /// The units of work. Ids and rows are unique within the table.
    fn cells(&self) -> Vec<Cell>;

    /// Runs one cell (one replicate of it).
    ///
    /// The result may depend on the parameters, the data the cell names, and the seed;
    /// on nothing else, in particular not on the number of threads, the clock or the order in
    /// which cells run.
    ///
    /// # Errors
    /// Any error of the crates it uses, through `?`. The other cells go on.
    fn run(&self, cell: &Cell, ctx: &CellContext<'_>) -> Result<CellOutput, CellError>;
}

impl fmt::Debug for dyn Plan + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("cells", &self.cells())
            .finish()
    }
}

/// A column a plan can fill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name in `[columns]` and `[published]`, kebab-case.
    pub name: String,
    /// Unit unless the file gives another one for display; empty when there is none.
    pub unit: String,
    /// One line: what the value is.
    pub doc: String,
    /// Whether the figures depend on the machine, as times do.
    ///
    /// What a paper prints there is shown; ours are [volatile](crate::Volatile) figures of the cell,
    /// which stay out of the table.
    pub volatile: bool,
}

impl Column {
    /// A column from its three texts.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, doc: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            unit: unit.into(),
            doc: doc.into(),
            volatile: false,
        }
    }

    /// The same column for figures that depend on the machine.
    #[must_use]
    pub fn volatile(mut self) -> Self {
        self.volatile = true;
        self
    }
}

/// The unit of work, of caching and of parallelism; yields one or more rows of the table.
///
/// With `run.replicates = R` every cell runs `R` times, each time with its own seed and its own
/// cache entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Unique within the table and stable: the seed is derived from it.
    pub id: String,
    /// The rows this cell yields, in table order. No other cell yields them.
    pub rows: Vec<String>,
    /// Expected relative cost; the costliest start first.
    pub cost: f64,
    /// The data it reads, by the names on the left side of the file's `data = { … }`.
    pub data: Vec<String>,
}

impl Cell {
    /// A cell that yields the single row of the same name, costs 1 and reads no data.
    pub fn row(id: impl Into<String>) -> Self {
        let id = id.into();
        Self {
            rows: vec![id.clone()],
            id,
            cost: 1.0,
            data: Vec::new(),
        }
    }

    /// A cell that yields several rows, costs 1 and reads no data.
    pub fn rows<R: Into<String>>(id: impl Into<String>, rows: impl IntoIterator<Item = R>) -> Self {
        Self {
            id: id.into(),
            rows: rows.into_iter().map(Into::into).collect(),
            cost: 1.0,
            data: Vec::new(),
        }
    }

    /// The same cell with another expected cost.
    #[must_use]
    pub fn costing(mut self, cost: f64) -> Self {
        self.cost = cost;
        self
    }

    /// The same cell, reading these data as well.
    #[must_use]
    pub fn reading<D: Into<String>>(mut self, data: impl IntoIterator<Item = D>) -> Self {
        self.data.extend(data.into_iter().map(Into::into));
        self
    }
}

/// Why a cell yielded nothing.
///
/// Any [`std::error::Error`] becomes one through `?`, with its chain of sources; like `anyhow`'s
/// error this type is therefore not an [`std::error::Error`] itself.
#[derive(Debug)]
#[non_exhaustive]
pub enum CellError {
    /// The work itself failed; the text is the error with its sources.
    Failed(String),
    /// The cell noticed in [`CellContext::check`] that its time is over.
    TimedOut,
    /// The cell noticed in [`CellContext::check`] that the run was interrupted.
    Interrupted,
}

impl CellError {
    /// A failure in words: lower case, no full stop.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }
}

impl<E: std::error::Error> From<E> for CellError {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            message.push_str(": ");
            message.push_str(&cause.to_string());
            source = cause.source();
        }
        Self::Failed(message)
    }
}

impl fmt::Display for CellError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(message) => f.write_str(message),
            Self::TimedOut => f.write_str("timed out"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}
