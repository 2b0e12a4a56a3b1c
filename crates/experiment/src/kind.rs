//! The interface of experiment kinds, for their authors and for runners.

use std::fmt;

use kibitz_text::toml::{Deserializer, Error};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Cell, CellError, Column, Context, Field, Output, Problems, Sources};

/// An experiment kind: parameters that know how to become a table.
///
/// The type should carry `#[serde(deny_unknown_fields, rename_all = "kebab-case")]`, so that a
/// misspelt key is an error with a position and the nearest valid key. Avoid `flatten` and
/// internally tagged enums: serde loses the position of everything inside them. The serialized
/// value, defaults included, becomes part of the inputs key.
pub trait Experiment: DeserializeOwned + Serialize + JsonSchema + Send + Sync + 'static {
    /// The input of a cell: its row of the parameters, usually.
    type Row;

    /// Name after `kind =`, kebab-case, unique.
    const NAME: &'static str;

    /// A complete, commented example experiment file; `new` copies it, tests parse it.
    const EXAMPLE: &'static str;

    /// Every column it can yield independently of its parameters, in the natural order of the table.
    const COLUMNS: &'static [Column];

    /// Validates the parameters and reports all problems. Pure: no files, no clock.
    fn check(&self, problems: &mut Problems);

    /// The columns that these parameters can yield; the file's `[columns]` picks among them.
    fn columns(&self) -> Vec<Column> {
        Self::COLUMNS.to_vec()
    }

    /// The same, where they depend on what the experiment reads under `from`.
    fn columns_from(&self, _sources: &Sources) -> Vec<Column> {
        self.columns()
    }

    /// The columns of the dataset that it yields by [`Output::set_records`]; none if it yields a table.
    fn fields(&self, _sources: &Sources) -> Vec<Field> {
        Vec::new()
    }

    /// Whether cells draw random numbers; `run.seed` is required exactly when they do, or when
    /// the file asks for the bootstrap.
    fn random(&self) -> bool {
        false
    }

    /// The units of work. Ids and rows are unique within the table. Cheap, and called often;
    /// only for parameters in which [`check`](Self::check) found nothing wrong.
    fn cells(&self) -> Vec<Cell<Self::Row>>;

    /// Runs one cell (one replicate of it).
    ///
    /// The result may depend on the parameters, the data and cells the cell names, and the seed;
    /// on nothing else, in particular not on the number of threads, the clock or the order in
    /// which cells run.
    ///
    /// # Errors
    /// Any error of the crates it uses, through `?`. The other cells go on.
    fn run(&self, row: &Self::Row, ctx: &Context<'_>, output: &mut Output)
    -> Result<(), CellError>;
}

/// An [`Experiment`] whose type is forgotten: checked parameters, ready to run.
pub trait Plan: Send + Sync {
    /// The parameters with defaults applied, for keys and for people.
    ///
    /// # Errors
    /// If they cannot be written as JSON.
    fn params(&self) -> Result<serde_json::Value, serde_json::Error>;
    /// See [`Experiment::check`].
    fn check(&self, problems: &mut Problems);
    /// See [`Experiment::columns_from`].
    fn columns(&self, sources: &Sources) -> Vec<Column>;
    /// See [`Experiment::fields`].
    fn fields(&self, sources: &Sources) -> Vec<Field>;
    /// See [`Experiment::random`].
    fn random(&self) -> bool;
    /// See [`Experiment::cells`].
    fn cells(&self) -> Vec<Cell>;
    /// Runs the cell at this place of [`cells`](Self::cells).
    ///
    /// # Errors
    /// See [`Experiment::run`].
    fn run(&self, cell_idx: usize, ctx: &Context<'_>) -> Result<Output, CellError>;
}

impl<E: Experiment> Plan for E {
    fn params(&self) -> Result<serde_json::Value, serde_json::Error> {
        serde_json::to_value(self)
    }

    fn check(&self, problems: &mut Problems) {
        Experiment::check(self, problems);
    }

    fn columns(&self, sources: &Sources) -> Vec<Column> {
        self.columns_from(sources)
    }

    fn fields(&self, sources: &Sources) -> Vec<Field> {
        Experiment::fields(self, sources)
    }

    fn random(&self) -> bool {
        Experiment::random(self)
    }

    fn cells(&self) -> Vec<Cell> {
        let cells = Experiment::cells(self).into_iter();
        cells.map(|cell| cell.split().0).collect()
    }

    fn run(&self, cell_idx: usize, ctx: &Context<'_>) -> Result<Output, CellError> {
        let cell = Experiment::cells(self).into_iter().nth(cell_idx);
        let (cell, row) = cell
            .ok_or_else(|| CellError::new(format!("no cell number {cell_idx}")))?
            .split();
        let mut output = Output::of_cell(&cell);
        Experiment::run(self, &row, ctx, &mut output)?;
        Ok(output)
    }
}

impl fmt::Debug for dyn Plan + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("cells", &self.cells())
            .finish()
    }
}

/// Which code decides the results of a kind.
#[derive(Clone, Copy, Debug)]
pub enum Code {
    /// The identity that a build script embedded, as [`code!`](crate::code) finds it.
    Embedded(&'static str),
    /// None: the results depend on the parameters only, not on the code. For tests.
    Constant,
}

/// A kind as a list of kinds holds it.
#[derive(Clone, Copy)]
pub struct Kind {
    name: &'static str,
    example: &'static str,
    columns: &'static [Column],
    type_name: &'static str,
    code: Code,
    schema: fn() -> schemars::Schema,
    read: fn(Deserializer<'_>) -> Result<Box<dyn Plan>, Error>,
}

impl Kind {
    /// The kind whose parameters are of type `E`, with the code that decides its results.
    pub fn of<E: Experiment>(code: Code) -> Self {
        Self {
            name: E::NAME,
            example: E::EXAMPLE,
            columns: E::COLUMNS,
            type_name: std::any::type_name::<E>(),
            code,
            schema: || schemars::schema_for!(E),
            read: |deserializer| Ok(Box::new(E::deserialize(deserializer)?)),
        }
    }

    /// See [`Experiment::NAME`].
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// See [`Experiment::EXAMPLE`].
    pub fn example(&self) -> &'static str {
        self.example
    }

    /// See [`Experiment::COLUMNS`].
    pub fn columns(&self) -> &'static [Column] {
        self.columns
    }

    /// The path of the type of its parameters, as in `kibitz_lab::query::Query`.
    pub fn type_name(&self) -> &'static str {
        self.type_name
    }

    /// Which code decides its results.
    pub fn code(&self) -> Code {
        self.code
    }

    /// JSON Schema of `[params]`.
    pub fn params_schema(&self) -> schemars::Schema {
        (self.schema)()
    }

    /// Reads `[params]`.
    ///
    /// # Errors
    /// The first thing wrong with it, with its place.
    pub fn read(&self, params: Deserializer<'_>) -> Result<Box<dyn Plan>, Error> {
        (self.read)(params)
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kind").field(&self.name).finish()
    }
}
