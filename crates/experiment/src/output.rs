//! The output of a cell: named values in rows, and figures that depend on the machine.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{Cell, CellError, Records};

/// One value of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A number, perhaps with its own uncertainty.
    Number(Number),
    /// Text: a learned clause, a trace, a set of moves.
    Text(String),
}

/// A number with its standard error and sample size, as far as one run of the cell knows them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Number {
    /// The value, finite, in the unit of its column.
    pub value: f64,
    /// Its standard error, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub std_error: Option<f64>,
    /// How many samples it rests on, if that means anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_samples: Option<u64>,
}

impl Number {
    /// A bare number.
    pub fn new(value: f64) -> Self {
        Self {
            value,
            std_error: None,
            n_samples: None,
        }
    }

    /// The same number with its standard error.
    #[must_use]
    pub fn with_std_error(mut self, std_error: f64) -> Self {
        self.std_error = Some(std_error);
        self
    }

    /// The same number with the count of samples behind it.
    #[must_use]
    pub fn with_samples(mut self, n_samples: u64) -> Self {
        self.n_samples = Some(n_samples);
        self
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

macro_rules! number_from {
    ($($type:ty),*) => {$(
        impl From<$type> for Value {
            #[allow(clippy::cast_lossless, reason = "one rule for every width")]
            fn from(value: $type) -> Self {
                Self::Number(Number::new(value as f64))
            }
        }
    )*};
}
number_from!(f64, f32, u8, u16, u32, u64, usize, i32, i64);

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A figure that depends on the machine: a time, an amount of memory.
///
/// Kept in `run.json` and shown as information; never committed, never judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VolatileValue {
    /// The figure.
    pub value: f64,
    /// Its unit.
    pub unit: String,
}

/// Everything one run of a cell yields.
///
/// The runner refuses rows the cell did not announce, columns the plan does not have, and numbers
/// that are not finite. A column without a value in some row is fine. A second value for the same
/// place replaces the first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// The row of [`set`](Self::set): the first of the cell.
    #[serde(skip)]
    row: String,
    rows: BTreeMap<String, BTreeMap<String, Value>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    volatile: BTreeMap<String, VolatileValue>,
    /// JSON for other cells of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    handed_on: Option<String>,
    /// Kept apart from the values, as Parquet.
    #[serde(skip)]
    records: Option<Records>,
}

/// One row of an [`Output`], being filled.
#[derive(Debug)]
pub struct RowOutput<'o> {
    output: &'o mut Output,
    row: String,
}

impl Output {
    /// Nothing yet, for the rows of this cell.
    pub fn of_cell(cell: &Cell) -> Self {
        Self {
            row: cell.rows.first().unwrap_or(&cell.id).clone(),
            ..Self::default()
        }
    }

    /// Sets the value of a column in the cell's row (its first, if it has several).
    pub fn set(&mut self, column: impl Into<String>, value: impl Into<Value>) -> &mut Self {
        let row = self.row.clone();
        self.row(row).set(column, value);
        self
    }

    /// The row of this name, to be filled.
    pub fn row(&mut self, row: impl Into<String>) -> RowOutput<'_> {
        RowOutput {
            output: self,
            row: row.into(),
        }
    }

    /// Sets a figure that depends on the machine (see [`VolatileValue`]).
    pub fn set_volatile(
        &mut self,
        name: impl Into<String>,
        value: f64,
        unit: impl Into<String>,
    ) -> &mut Self {
        let unit = unit.into();
        self.volatile
            .insert(name.into(), VolatileValue { value, unit });
        self
    }

    /// Sets the cell's part of the dataset that its experiment yields
    /// ([`Experiment::fields`](crate::Experiment::fields)).
    pub fn set_records(&mut self, records: Records) -> &mut Self {
        self.records = Some(records);
        self
    }

    /// Takes the cell's part of the dataset, if there is one.
    pub fn take_records(&mut self) -> Option<Records> {
        self.records.take()
    }

    /// Hands data to the cells of the table that run after this one and that the table does not show, such
    /// as the tallies of a part. Numbers are written in full precision, so results do not depend on
    /// whether the data are handed on or computed again.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn hand_on(&mut self, what: &impl Serialize) -> Result<&mut Self, CellError> {
        self.handed_on = Some(serde_json::to_string(what)?);
        Ok(self)
    }

    /// The data that the cell [handed on](Self::hand_on).
    ///
    /// # Errors
    /// If there are none, or of another type.
    pub fn handed_on<T: DeserializeOwned>(&self) -> Result<T, CellError> {
        let text = self.handed_on.as_deref();
        let text = text.ok_or_else(|| CellError::new("the cell before hands nothing on"))?;
        Ok(serde_json::from_str(text)?)
    }

    /// The value in `row` and `column`.
    pub fn get(&self, row: &str, column: &str) -> Option<&Value> {
        self.rows.get(row)?.get(column)
    }

    /// The number in `row` and `column`, if it is one.
    pub fn number(&self, row: &str, column: &str) -> Option<f64> {
        match self.get(row, column)? {
            Value::Number(number) => Some(number.value),
            Value::Text(_) => None,
        }
    }

    /// All values, sorted by row and column.
    pub fn values(&self) -> impl Iterator<Item = (&str, &str, &Value)> {
        self.rows.iter().flat_map(|(row, columns)| {
            columns
                .iter()
                .map(move |(column, value)| (row.as_str(), column.as_str(), value))
        })
    }

    /// The machine-dependent figures, sorted by name.
    pub fn volatile(&self) -> &BTreeMap<String, VolatileValue> {
        &self.volatile
    }
}

impl RowOutput<'_> {
    /// Sets the value of a column in this row.
    pub fn set(&mut self, column: impl Into<String>, value: impl Into<Value>) -> &mut Self {
        let row = self.output.rows.entry(self.row.clone()).or_default();
        row.insert(column.into(), value.into());
        self
    }
}
