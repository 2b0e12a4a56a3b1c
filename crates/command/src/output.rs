//! The file that a step writes, read back.

use std::collections::BTreeMap;
use std::io::Read as _;

use kibitz_experiment::{
    CellError, Context, DataFile, Datum, Field, FieldType, Number, Output, Records, Value, Values,
};
use kibitz_tables::{Layout, Table, TableError, word};
use serde_json::Value as Json;

use crate::step::Step;

/// Bytes of a table, or of a JSON file, at most: a larger output is a dataset in CSV or Parquet.
const MOST_BYTES: u64 = 64 << 20;

/// Adds the records of an output to the dataset that the step yields.
pub(crate) fn read_dataset(
    step: &Step,
    file: &DataFile,
    ctx: &Context<'_>,
) -> Result<(), CellError> {
    let fields = step.file_fields();
    // Also a part without records has its columns.
    ctx.add_records(Records::new(fields.clone()))?;
    let mut n_records = 0;
    read(step, file, &fields, |records| {
        ctx.check()?;
        n_records += records.len();
        ctx.add_records(records)
    })?;
    ctx.audit(format!("{}: {}", step.output, counted(n_records, "record")));
    Ok(())
}

/// Sets the values of an output; `rows` are those that it must have, if that is declared.
pub(crate) fn read_table(
    step: &Step,
    file: &DataFile,
    rows: Option<&[String]>,
    ctx: &Context<'_>,
    output: &mut Output,
) -> Result<(), CellError> {
    check_size(file)?;
    let fields = step.file_fields();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let (mut n_records, mut n_empty) = (0, 0);
    read(step, file, &fields, |records| {
        let values: BTreeMap<&str, &Values> = records
            .columns()
            .map(|(field, values)| (field.name.as_ref(), values))
            .collect();
        for at in 0..records.len() {
            n_records += 1;
            let name = row_name(step, &values, at, n_records)?;
            if let Some(first) = seen.insert(name.clone(), n_records) {
                return Err(CellError::new(format!(
                    "{}, record {n_records}: row `{name}` is also record {first}",
                    step.output
                )));
            }
            if rows.is_some_and(|rows| !rows.contains(&name)) {
                return Err(CellError::new(format!(
                    "{}, record {n_records}: unexpected row `{name}`; this cell declares {}",
                    step.output,
                    listed(rows.unwrap_or_default())
                )));
            }
            let lacking = set_row(step, &values, at, (&name, output));
            for column in lacking {
                n_empty += 1;
                if n_empty <= MOST_EMPTY {
                    let place = place(&step.output, n_records);
                    ctx.audit(format!("{place}: {}", empty_field(&name, column)));
                }
            }
        }
        Ok(())
    })?;
    if n_empty > MOST_EMPTY {
        let more = counted(n_empty - MOST_EMPTY, "more empty field");
        ctx.audit(format!("{}: {more}", step.output));
    }
    let missing = rows.unwrap_or_default().iter();
    let missing: Vec<String> = missing
        .filter(|row| !seen.contains_key(*row))
        .cloned()
        .collect();
    if !missing.is_empty() {
        let found: Vec<String> = seen.into_keys().collect();
        let message = no_row(&step.output, &missing, &found);
        return Err(CellError::new(message));
    }
    if n_records == 0 {
        return Err(CellError::new(format!("{} has no rows", step.output)));
    }
    ctx.audit(format!("{}: {}", step.output, counted(n_records, "row")));
    Ok(())
}

/// Empty fields that are reported one by one.
const MOST_EMPTY: usize = 100;

/// That a row of a table has no value in a column; follows a place in its file.
pub fn empty_field(row: &str, column: &str) -> String {
    format!("column `{column}` of row `{row}` is empty")
}

/// That a file lacks rows, and which it has.
pub fn no_row(file: &str, missing: &[String], found: &[String]) -> String {
    let shown = &found[..found.len().min(MOST_LISTED)];
    let has = match (shown, found.len() - shown.len()) {
        ([], _) => "none".to_owned(),
        (_, 0) => listed(shown),
        (_, n) => format!("{} and {n} more", listed(shown)),
    };
    format!("{file} has no row {}; it has {has}", listed(missing))
}

/// Names of rows that a message lists.
const MOST_LISTED: usize = 12;

/// The place of a record: its line in a CSV file, whose first line has the names of the columns.
fn place(file: &str, record: usize) -> String {
    let ending = file.rsplit('.').next().unwrap_or_default();
    if ["csv", "tsv"]
        .iter()
        .any(|it| ending.eq_ignore_ascii_case(it))
    {
        format!("{file}:{}", record + 1)
    } else {
        format!("{file}, record {record}")
    }
}

fn counted(n: usize, noun: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{ending}")
}

fn listed(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn row_name(
    step: &Step,
    values: &BTreeMap<&str, &Values>,
    at: usize,
    record: usize,
) -> Result<String, CellError> {
    let name = match values.get(step.row.as_str()) {
        Some(Values::Text(names)) => names.get(at).and_then(Option::as_deref),
        _ => None,
    };
    let name = name.filter(|name| !name.trim().is_empty());
    name.map(str::to_owned).ok_or_else(|| {
        let (file, column) = (&step.output, &step.row);
        CellError::new(format!(
            "{file}, record {record}: column `{column}` names no row"
        ))
    })
}

/// Sets the values of a row; gives the columns that have none.
fn set_row<'s>(
    step: &'s Step,
    values: &BTreeMap<&str, &Values>,
    at: usize,
    (name, output): (&str, &mut Output),
) -> Vec<&'s str> {
    let mut lacking = Vec::new();
    let number = |column: Option<&String>| match values.get(column?.as_str())? {
        Values::Int(values) => values.get(at).copied()?.map(|value| value as f64),
        Values::Float(values) => values.get(at).copied()?,
        _ => None,
    };
    let mut row = output.row(name);
    for column in &step.columns {
        let value = match values.get(column.name.as_str()) {
            Some(Values::Bool(values)) => {
                let value = values.get(at).copied().flatten();
                value.map(|value| Value::from(value.to_string()))
            }
            Some(Values::Text(values)) => {
                values.get(at).and_then(Option::as_deref).map(Value::from)
            }
            _ => number(Some(&column.name)).map(|value| {
                let mut value = Number::new(value);
                value.std_error = number(column.std_error.as_ref());
                let samples = match column
                    .samples
                    .as_ref()
                    .and_then(|it| values.get(it.as_str()))
                {
                    Some(Values::Int(values)) => values.get(at).copied().flatten(),
                    _ => None,
                };
                value.n_samples = samples.and_then(|samples| u64::try_from(samples).ok());
                Value::Number(value)
            }),
        };
        match value {
            Some(value) => {
                row.set(column.name.clone(), value);
            }
            None => lacking.push(column.name.as_str()),
        }
    }
    lacking
}

/// Gives the records of an output, which has these columns and no others, to `each`.
fn read(
    step: &Step,
    file: &DataFile,
    fields: &[Field],
    mut each: impl FnMut(Records) -> Result<(), CellError>,
) -> Result<(), CellError> {
    if step.output.to_ascii_lowercase().ends_with(".json") {
        check_size(file)?;
        return each(json_records(&step.output, file, fields)?);
    }
    let layout = Layout {
        absent: step.absent.clone(),
        ..Layout::default()
    };
    let table = Table::open(file, layout)?;
    if let [first, ..] = table.undeclared(fields)?.as_slice() {
        let found = table.undeclared(&[])?;
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        return Err(undeclared(&step.output, first, fields, &found));
    }
    table.read(fields, None, |records| {
        each(records).map_err(ReadError::Each)
    })?;
    Ok(())
}

/// An error of reading, or of what reads.
enum ReadError {
    Table(TableError),
    Each(CellError),
}

impl From<TableError> for ReadError {
    fn from(error: TableError) -> Self {
        Self::Table(error)
    }
}

impl From<ReadError> for CellError {
    fn from(failed: ReadError) -> Self {
        match failed {
            ReadError::Table(TableError::Value {
                file,
                place,
                column,
                found,
                ..
            }) if is_not_finite(&found) => Self::new(format!(
                "{file}{place}: column `{column}` is {found}, not a finite number; leave the field empty \
                 if there is no value"
            )),
            ReadError::Table(error) => error.into(),
            ReadError::Each(error) => error,
        }
    }
}

/// Whether a value that is not one of its column is NaN or infinite.
fn is_not_finite(found: &str) -> bool {
    let number = found.trim_matches('`').parse::<f64>();
    number.is_ok_and(|number| !number.is_finite())
}

/// That a file has a column too many, and which it lacks.
fn undeclared(file: &str, column: &str, fields: &[Field], found: &[&str]) -> CellError {
    let names: Vec<String> = fields.iter().map(|field| field.name.to_string()).collect();
    let is_there = |name: &String| found.contains(&name.as_str());
    let lacking: Vec<String> = names.iter().filter(|it| !is_there(it)).cloned().collect();
    let lacking = match lacking.as_slice() {
        [] => String::new(),
        lacking => format!(", and lacks {}", listed(lacking)),
    };
    CellError::new(format!(
        "{file} has column `{column}`, which `columns` does not declare{lacking}; declared are {}",
        listed(&names)
    ))
}

fn check_size(file: &DataFile) -> Result<(), CellError> {
    let n_bytes = file.n_bytes();
    if n_bytes > MOST_BYTES {
        return Err(CellError::new(format!(
            "{} has {n_bytes} bytes, expected at most {MOST_BYTES}: set `dataset = true` and write CSV or Parquet",
            file.entry()
        )));
    }
    Ok(())
}

/// The records of a JSON file: a list of objects.
fn json_records(name: &str, file: &DataFile, fields: &[Field]) -> Result<Records, CellError> {
    let mut text = String::new();
    file.open()?.read_to_string(&mut text)?;
    let all: Vec<serde_json::Map<String, Json>> = serde_json::from_str(&text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        CellError::new(format!(
            "{name}:{line}:{column}: expected a list of objects, `[{{\"row\": …}}, …]`, without NaN: {error}"
        ))
    })?;
    let mut records = Records::new(fields.to_vec());
    for (at, object) in (1..).zip(&all) {
        let mut names = object.keys();
        if let Some(other) = names.find(|own| !fields.iter().any(|it| it.name == **own)) {
            let name = format!("{name}, record {at}");
            let found: Vec<&str> = object.keys().map(String::as_str).collect();
            return Err(undeclared(&name, other, fields, &found));
        }
        let mut record = Vec::new();
        for field in fields {
            let Some(value) = object.get(field.name.as_ref()) else {
                let column = &field.name;
                return Err(CellError::new(format!(
                    "{name}, record {at} has no column `{column}`"
                )));
            };
            record.push(datum(value, field.of).ok_or_else(|| {
                let (column, declared) = (&field.name, word(field.of));
                CellError::new(format!(
                    "{name}, record {at}: column `{column}` is declared `{declared}`, found {value}"
                ))
            })?);
        }
        records.push(record).map_err(CellError::new)?;
    }
    Ok(records)
}

fn datum(value: &Json, of: FieldType) -> Option<Datum<'_>> {
    match (value, of) {
        (Json::Null, _) => Some(Datum::Absent),
        (Json::Bool(value), FieldType::Bool) => Some(Datum::Bool(*value)),
        (Json::String(value), FieldType::Text) => Some(Datum::Text(value)),
        (Json::Number(value), FieldType::Int) => value.as_i64().map(Datum::Int),
        (Json::Number(value), FieldType::Float) => value.as_f64().map(Datum::Float),
        _ => None,
    }
}
