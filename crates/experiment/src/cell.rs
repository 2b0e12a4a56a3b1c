//! The units of work of a table.

use std::fmt;

/// The unit of work, of caching and of parallelism; yields one or more rows of the table.
///
/// With `run.replicates = R` every cell runs `R` times, each time with its own seed and its own
/// cache entry. `R` is the input of the cell: its row of the parameters, usually.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell<R = ()> {
    /// Unique within the table and stable: the seed is derived from it.
    pub id: String,
    /// The rows this cell yields, in table order. No other cell yields them.
    pub rows: Vec<String>,
    /// Whether it may yield further rows, with names known only at run time; it is then the only cell.
    pub open: bool,
    /// Expected relative cost; the costliest start first.
    pub cost: f64,
    /// The data it reads, by the names on the left side of the file's `data = { … }`.
    pub data: Vec<String>,
    /// The cells whose finished values it reads, by id: it runs after them.
    pub after: Vec<String>,
    /// The name of the [shared](crate::Context::shared) values that it uses, if any.
    pub shares: Option<&'static str>,
    /// Its input.
    pub work: R,
}

impl<R> Cell<R> {
    /// A cell that yields the single row of the same name, costs 1 and reads no data.
    pub fn row(id: impl Into<String>, work: R) -> Self {
        let id = id.into();
        Self::rows(id.clone(), [id], work)
    }

    /// A cell that yields several rows, costs 1 and reads no data.
    pub fn rows<S: Into<String>>(
        id: impl Into<String>,
        rows: impl IntoIterator<Item = S>,
        work: R,
    ) -> Self {
        Self {
            id: id.into(),
            rows: rows.into_iter().map(Into::into).collect(),
            open: false,
            cost: 1.0,
            data: Vec::new(),
            after: Vec::new(),
            shares: None,
            work,
        }
    }

    /// The only cell of a table, which yields rows that its work names.
    pub fn open(id: impl Into<String>, work: R) -> Self {
        Self {
            open: true,
            ..Self::rows(id, [""; 0], work)
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

    /// The same cell, reading the finished values of these cells as well.
    ///
    /// Replicate `r` of it reads replicate `r` of each (see [`Context::finished`](crate::Context::finished)).
    #[must_use]
    pub fn after<C: Into<String>>(mut self, cells: impl IntoIterator<Item = C>) -> Self {
        self.after.extend(cells.into_iter().map(Into::into));
        self
    }

    /// The same cell, using [shared](crate::Context::shared) values of this name: they are kept as long as
    /// cells that use the same name are left.
    #[must_use]
    pub fn sharing(mut self, what: &'static str) -> Self {
        self.shares = Some(what);
        self
    }

    /// The cell and its input.
    pub(crate) fn split(self) -> (Cell, R) {
        let cell = Cell {
            id: self.id,
            rows: self.rows,
            open: self.open,
            cost: self.cost,
            data: self.data,
            after: self.after,
            shares: self.shares,
            work: (),
        };
        (cell, self.work)
    }
}

/// Why a cell yielded nothing.
///
/// Any [`std::error::Error`] becomes one through `?`, with its chain of sources; like `anyhow`'s
/// error this type is therefore not an [`std::error::Error`] itself.
#[derive(Debug)]
pub enum CellError {
    /// The work itself failed; the text is the error with its sources.
    Failed(String),
    /// A program that the cell starts is not installed; the text names it.
    MissingProgram(String),
    /// The cell noticed in [`Context::check`](crate::Context::check) that its time is over.
    TimedOut,
    /// The cell noticed in [`Context::check`](crate::Context::check) that the run was interrupted.
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
            Self::Failed(message) | Self::MissingProgram(message) => f.write_str(message),
            Self::TimedOut => f.write_str("timed out"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}
