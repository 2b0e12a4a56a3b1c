//! Datasets: typed columns that one experiment yields and others read.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The type of a dataset's column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// 64-bit integers.
    Int,
    /// Floating-point numbers of 64 bits; none is NaN.
    Float,
    /// Truths.
    Bool,
    /// Texts.
    Text,
}

/// A column of a dataset, declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name, unique in the dataset.
    pub name: Cow<'static, str>,
    /// What its values are.
    pub of: FieldType,
    /// Their unit, empty if they have none.
    pub unit: Cow<'static, str>,
    /// Its description, in one line.
    pub doc: Cow<'static, str>,
}

impl Field {
    /// A column with a name, a type, a unit and a line of documentation.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        of: FieldType,
        unit: impl Into<Cow<'static, str>>,
        doc: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            name: name.into(),
            of,
            unit: unit.into(),
            doc: doc.into(),
        }
    }
}

/// A column from its name, type, unit and line of documentation, for lists of columns.
impl From<(&'static str, FieldType, &'static str, &'static str)> for Field {
    fn from((name, of, unit, doc): (&'static str, FieldType, &'static str, &'static str)) -> Self {
        Self::new(name, of, unit, doc)
    }
}

/// One value of a dataset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Datum<'t> {
    /// Of a column of integers.
    Int(i64),
    /// Of a column of floating-point numbers.
    Float(f64),
    /// Of a column of truths.
    Bool(bool),
    /// Of a column of texts.
    Text(&'t str),
    /// No value, in a column of any type.
    Absent,
}

impl From<f64> for Datum<'_> {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<bool> for Datum<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl<'t> From<&'t str> for Datum<'t> {
    fn from(value: &'t str) -> Self {
        Self::Text(value)
    }
}

impl From<i64> for Datum<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<u32> for Datum<'_> {
    fn from(value: u32) -> Self {
        Self::Int(value.into())
    }
}

impl From<usize> for Datum<'_> {
    /// Counts beyond 2^63 do not occur; they would be the largest number there is.
    fn from(value: usize) -> Self {
        Self::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

/// The values of one column; absent ones are `None`.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Integers.
    Int(Vec<Option<i64>>),
    /// Floating-point numbers.
    Float(Vec<Option<f64>>),
    /// Truths.
    Bool(Vec<Option<bool>>),
    /// Texts; equal ones that follow each other are kept once.
    Text(Vec<Option<Arc<str>>>),
}

impl Values {
    fn new(of: FieldType) -> Self {
        match of {
            FieldType::Int => Self::Int(Vec::new()),
            FieldType::Float => Self::Float(Vec::new()),
            FieldType::Bool => Self::Bool(Vec::new()),
            FieldType::Text => Self::Text(Vec::new()),
        }
    }

    /// Whether the value is one for this column, which then has it.
    fn push(&mut self, value: Datum<'_>) -> bool {
        match (self, value) {
            (Self::Int(values), Datum::Int(value)) => values.push(Some(value)),
            (Self::Float(values), Datum::Float(value)) if !value.is_nan() => {
                values.push(Some(value));
            }
            (Self::Bool(values), Datum::Bool(value)) => values.push(Some(value)),
            (Self::Text(values), Datum::Text(value)) => match values.last() {
                Some(Some(last)) if **last == *value => values.push(Some(Arc::clone(last))),
                _ => values.push(Some(value.into())),
            },
            (Self::Int(values), Datum::Absent) => values.push(None),
            (Self::Float(values), Datum::Absent) => values.push(None),
            (Self::Bool(values), Datum::Absent) => values.push(None),
            (Self::Text(values), Datum::Absent) => values.push(None),
            _ => return false,
        }
        true
    }
}

/// Records of a dataset, kept by column.
///
/// # Examples
/// ```
/// use kibitz_experiment::{Datum, Field, FieldType, Records, Values};
///
/// let mut records = Records::new(vec![
///     Field::new("ply", FieldType::Int, "plies", "number of the ply, from 1"),
///     Field::new("played", FieldType::Bool, "", "whether the move was played"),
/// ]);
/// records.push([Datum::Int(1), true.into()])?;
/// assert!(records.push([Datum::Float(2.0), true.into()]).is_err());
/// assert_eq!(records.len(), 1);
/// assert_eq!(records.columns().next().unwrap().1, &Values::Int(vec![Some(1)]));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    fields: Vec<Field>,
    values: Vec<Values>,
    len: usize,
}

impl Records {
    /// No record yet.
    pub fn new(fields: Vec<Field>) -> Self {
        let values = fields.iter().map(|field| Values::new(field.of)).collect();
        Self {
            fields,
            values,
            len: 0,
        }
    }

    /// Records from the values of each column.
    ///
    /// # Errors
    /// In words, if columns differ in length, have another type than declared, or hold NaN.
    pub fn of_columns(columns: Vec<(Field, Values)>) -> Result<Self, String> {
        let mut records = Self::default();
        for (at, (field, values)) in columns.into_iter().enumerate() {
            let len = match (&values, field.of) {
                (Values::Int(values), FieldType::Int) => values.len(),
                (Values::Float(values), FieldType::Float) => {
                    if values.iter().flatten().any(|value| value.is_nan()) {
                        return Err(format!("column `{}` holds NaN", field.name));
                    }
                    values.len()
                }
                (Values::Bool(values), FieldType::Bool) => values.len(),
                (Values::Text(values), FieldType::Text) => values.len(),
                _ => return Err(format!("column `{}` is not {:?}", field.name, field.of)),
            };
            if at > 0 && len != records.len {
                return Err(format!("column `{}` is of another length", field.name));
            }
            records.len = len;
            records.fields.push(field);
            records.values.push(values);
        }
        Ok(records)
    }

    /// Adds a record: a value for each column, in their order.
    ///
    /// # Errors
    /// In words, if it has other columns than declared, or a value of another type, or NaN; the
    /// records are then as before.
    pub fn push<'t>(&mut self, record: impl IntoIterator<Item = Datum<'t>>) -> Result<(), String> {
        let mut record = record.into_iter();
        for column in 0..self.fields.len() {
            let value = record.next();
            if !value.is_some_and(|value| self.values[column].push(value)) {
                self.undo(column);
                let Field { name, of, .. } = &self.fields[column];
                return Err(match value {
                    Some(value) => format!("column `{name}` is declared as {of:?}, not {value:?}"),
                    None => format!("the record lacks column `{name}`"),
                });
            }
        }
        if record.next().is_some() {
            self.undo(self.fields.len());
            return Err("the record has more values than there are columns".to_owned());
        }
        self.len += 1;
        Ok(())
    }

    /// Adds the records of another part, which must have the same columns.
    ///
    /// # Errors
    /// In words, if it has others.
    pub fn append(&mut self, other: Self) -> Result<(), String> {
        if self.fields != other.fields {
            return Err("the parts have different columns".to_owned());
        }
        for (ours, theirs) in self.values.iter_mut().zip(other.values) {
            match (ours, theirs) {
                (Values::Int(ours), Values::Int(theirs)) => ours.extend(theirs),
                (Values::Float(ours), Values::Float(theirs)) => ours.extend(theirs),
                (Values::Bool(ours), Values::Bool(theirs)) => ours.extend(theirs),
                (Values::Text(ours), Values::Text(theirs)) => ours.extend(theirs),
                _ => {}
            }
        }
        self.len += other.len;
        Ok(())
    }

    fn undo(&mut self, n_columns: usize) {
        let len = self.len;
        for values in &mut self.values[..n_columns] {
            match values {
                Values::Int(values) => values.truncate(len),
                Values::Float(values) => values.truncate(len),
                Values::Bool(values) => values.truncate(len),
                Values::Text(values) => values.truncate(len),
            }
        }
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The columns with their values, given away.
    pub fn into_columns(self) -> impl Iterator<Item = (Field, Values)> {
        self.fields.into_iter().zip(self.values)
    }

    /// The columns with their values.
    pub fn columns(&self) -> impl Iterator<Item = (&Field, &Values)> {
        self.fields.iter().zip(&self.values)
    }
}

/// A dataset that an experiment reads: its columns, and the Parquet files that hold its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The columns, in order; every part has them.
    pub fields: Vec<Field>,
    /// The parts, in the order of the dataset's cells.
    pub parts: Vec<PathBuf>,
}

/// How figures are computed again from other samples, for their standard errors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Resample {
    /// The column whose values name the groups that are left out or drawn, such as games.
    pub by: String,
    /// How samples are made.
    pub method: Resampling,
    /// Samples drawn by the bootstrap.
    #[serde(default = "hundred")]
    pub draws: u32,
}

fn hundred() -> u32 {
    100
}

/// How samples are made of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Resampling {
    /// Each group is left out once.
    Jackknife,
    /// As many groups as there are, drawn with replacement; needs `run.seed`.
    Bootstrap,
}

/// The fields of the datasets and tables that an experiment reads, by their names under `from`.
pub type Sources = BTreeMap<String, Vec<Field>>;
