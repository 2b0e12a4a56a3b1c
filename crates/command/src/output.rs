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
    let mut n_records = 0;
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
            set_row(step, &values, at, (&name, output));
        }
        Ok(())
    })?;
    let missing = rows.unwrap_or_default().iter();
    let missing: Vec<String> = missing
        .filter(|row| !seen.contains_key(*row))
        .cloned()
        .collect();
    if !missing.is_empty() {
        let message = format!("{} has no row {}", step.output, listed(&missing));
        return Err(CellError::new(message));
    }
    if n_records == 0 {
        return Err(CellError::new(format!("{} has no rows", step.output)));
    }
    ctx.audit(format!("{}: {}", step.output, counted(n_records, "row")));
    Ok(())
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

fn set_row(
    step: &Step,
    values: &BTreeMap<&str, &Values>,
    at: usize,
    (name, output): (&str, &mut Output),
) {
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
        if let Some(value) = value {
            row.set(column.name.clone(), value);
        }
    }
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
        return Err(undeclared(&step.output, first, fields));
    }
    table.read(fields, None, |records| each(records).map_err(Failed::Each))?;
    Ok(())
}

/// An error of reading, or of what reads.
enum Failed {
    Table(TableError),
    Each(CellError),
}

impl From<TableError> for Failed {
    fn from(error: TableError) -> Self {
        Self::Table(error)
    }
}

impl From<Failed> for CellError {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Table(error) => error.into(),
            Failed::Each(error) => error,
        }
    }
}

fn undeclared(file: &str, column: &str, fields: &[Field]) -> CellError {
    let names: Vec<String> = fields.iter().map(|field| field.name.to_string()).collect();
    CellError::new(format!(
        "{file} has column `{column}`, which `columns` does not declare; declared are {}",
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
            return Err(undeclared(&name, other, fields));
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
