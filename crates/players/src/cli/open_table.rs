//! A table of rows in CSV or Parquet, with its mistakes at their places.

use std::collections::BTreeMap;
use std::path::Path;

use kibitz_experiment::{DataFile, Field, FieldType, Values};
use kibitz_tables::{FoundColumn, Table, TableError};
use kibitz_text::{Diagnostic, Exit, Failure, suggestion};

/// A table whose columns are known.
pub(super) struct OpenTable {
    /// The path as it was given.
    pub(super) name: String,
    /// Number of the line of the header, from 1.
    pub(super) header: usize,
    pub(super) columns: Vec<FoundColumn>,
    /// The name of the file alone, by which the reader of tables calls it.
    bare_name: String,
    rows: Rows,
    table: Table,
}

/// A record of a table.
pub(super) struct Row<'a> {
    /// Its number, from 1.
    pub(super) record: usize,
    /// Its place in its group.
    at: usize,
    values: &'a BTreeMap<String, &'a Values>,
}

impl OpenTable {
    /// A table in CSV, whatever separates its fields, or in Parquet.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let bare_name = path.file_name().unwrap_or_default();
        let bare_name = bare_name.to_string_lossy().into_owned();
        let bytes = std::fs::read(path).map_err(|error| Failure::unreadable(path, &error))?;
        let header = kibitz_tables::lines_above_header(&bytes) + 1;
        let rows = Rows::of(&bytes, header);
        let file = DataFile::new(name.clone(), path.to_owned(), Some(bytes.into()));
        let failed = |error| failure(&name, &bare_name, error);
        let layout = kibitz_tables::Layout {
            separator: kibitz_tables::separator(&file).map_err(failed)?,
            ..kibitz_tables::Layout::default()
        };
        let table = Table::open(&file, layout).map_err(failed)?;
        let columns = table.columns().map_err(failed)?;
        Ok(Self {
            name,
            header,
            columns,
            bare_name,
            rows,
            table,
        })
    }

    /// A column to be read as this type, or as one that its values have and that can be taken for it: keys
    /// are compared as they are, and integers are numbers.
    pub(super) fn field(&self, column: &str, of: FieldType) -> Result<Field, Failure> {
        let Some(found) = self.columns.iter().find(|one| one.name == column) else {
            let known = self.columns.iter().map(|one| one.name.as_str());
            let suggested = suggestion(column, known);
            let message = format!("{}: unknown column `{column}`; {suggested}", self.name);
            return Err(Failure::usage(message));
        };
        let of = match (of, found.found.of()) {
            (FieldType::Text, Some(own)) => own,
            (FieldType::Float | FieldType::Bool, Some(FieldType::Int)) => FieldType::Int,
            (FieldType::Float, Some(FieldType::Bool)) => FieldType::Bool,
            (of, _) => of,
        };
        Ok(Field::new(column.to_owned(), of, "", ""))
    }

    /// The place of a record: its line, or its number.
    pub(super) fn place(&self, record: usize) -> String {
        format!("{}{}", self.name, self.rows.place(record))
    }

    /// Gives all rows with these columns to `each`.
    pub(super) fn read(
        &self,
        fields: &[Field],
        mut each: impl FnMut(Row<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut before = 0;
        let read = self.table.read(fields, None, |records| {
            let values: BTreeMap<String, &Values> = (records.columns())
                .map(|(field, values)| (field.name.to_string(), values))
                .collect();
            for at in 0..records.len() {
                let (record, values) = (before + at + 1, &values);
                each(Row { record, at, values }).map_err(ReadError::Row)?;
            }
            before += records.len();
            Ok(())
        });
        read.map_err(|error| match error {
            ReadError::Table(error) => failure(&self.name, &self.bare_name, error),
            ReadError::Row(failure) => failure,
        })
    }
}

impl Row<'_> {
    /// A value as text; empty if there is none.
    pub(super) fn text(&self, column: &str) -> String {
        let text = self.values.get(column).and_then(|values| match values {
            Values::Int(values) => values[self.at].map(|value| value.to_string()),
            Values::Float(values) => values[self.at].map(|value| value.to_string()),
            Values::Bool(values) => values[self.at].map(|value| value.to_string()),
            Values::Text(values) => values[self.at].as_deref().map(str::to_owned),
        });
        text.unwrap_or_default()
    }

    /// A value as a number, if it is one; true is 1.
    pub(super) fn number(&self, column: &str) -> Option<f64> {
        match self.values.get(column)? {
            Values::Int(values) => values[self.at].map(|value| value as f64),
            Values::Float(values) => values[self.at],
            Values::Bool(values) => values[self.at].map(|value| f64::from(u8::from(value))),
            Values::Text(_) => None,
        }
    }

    /// A value as true or false, if it is that, or 1 or 0.
    pub(super) fn truth(&self, column: &str) -> Option<bool> {
        match self.values.get(column)? {
            Values::Bool(values) => values[self.at],
            Values::Int(values) => match values[self.at] {
                Some(0) => Some(false),
                Some(1) => Some(true),
                _ => None,
            },
            Values::Float(_) | Values::Text(_) => None,
        }
    }
}

/// How a record of a file is called.
enum Rows {
    /// By its line: one a record after that of the header, which has this number.
    Lines(usize),
    /// By its number, from 1.
    Records,
}

impl Rows {
    fn of(bytes: &[u8], header: usize) -> Self {
        let text = bytes.trim_ascii_end();
        let has_blank_lines = text.starts_with(b"\n")
            || text.windows(2).any(|pair| pair == b"\n\n")
            || text.windows(2).any(|pair| pair == b"\n\r");
        // A quoted field may have several lines, and a blank line is no record.
        if bytes.starts_with(b"PAR1") || bytes.contains(&b'"') || has_blank_lines {
            Self::Records
        } else {
            Self::Lines(header)
        }
    }

    fn place(&self, record: usize) -> String {
        match self {
            Self::Lines(header) => format!(":{}", header + record),
            Self::Records => format!(", record {record}"),
        }
    }
}

/// An error of the reader of tables, or of what is done with a row.
enum ReadError {
    Table(TableError),
    Row(Failure),
}

impl From<TableError> for ReadError {
    fn from(error: TableError) -> Self {
        Self::Table(error)
    }
}

/// A mistake of a file: with the path that was given, and without types that nobody declared.
fn failure(name: &str, bare_name: &str, error: TableError) -> Failure {
    let message = match error {
        TableError::Value {
            file,
            place,
            column,
            declared,
            found,
        } => {
            let expected = expected(declared);
            format!("{file}{place}: column `{column}`: expected {expected}, found {found}")
        }
        TableError::Type {
            file,
            column,
            declared,
            found,
        } => {
            let expected = expected(declared);
            format!("{file}: column `{column}`: expected {expected}, found {found}")
        }
        error => error.to_string(),
    };
    let message = match message.strip_prefix(bare_name) {
        Some(rest) => format!("{name}{rest}"),
        None => message,
    };
    Failure::new(Exit::BadInput, Diagnostic::new(message))
}

fn expected(of: FieldType) -> &'static str {
    match of {
        FieldType::Bool => "true or false",
        FieldType::Int => "an integer",
        FieldType::Float => "a finite number",
        FieldType::Text => "text",
    }
}
