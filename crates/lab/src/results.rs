//! The files of a table: our values, the comparison, and what they rest on.
//!
//! `table.csv` has the columns row, column, value, text, sd, n, se, samples: a number stands under
//! `value`, with 12 significant digits, a text under `text`. `compare.csv` has row, column,
//! published, reproduced, difference, tolerance, outcome, baseline, reason. Tools outside the project read these files, so the
//! columns are a contract. `plot.svg` is there when the experiment asks for it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kibitz_experiment::{Cell, Resample};
use serde::{Deserialize, Serialize};

use crate::code::CodeHashes;
use crate::config::entry::Entry;
use crate::csv::{CsvError, from_csv, to_csv};
use crate::files::{FileError, write_atomically};
use crate::judge::JudgedCell;
use crate::measurement::{Measurement, Scalar, Table};
use crate::published::twelve_digits;
use crate::tolerance::Tolerance;

/// Columns of `table.csv`.
const TABLE: [&str; 8] = ["row", "column", "value", "text", "sd", "n", "se", "samples"];
/// The column after them that holds the replicates, of tables that are judged by their quantiles.
const REPLICATES: &str = "replicates";
/// Those of before there was `text`: a text stood under `value`.
const MIXED: [&str; 7] = ["row", "column", "value", "sd", "n", "se", "samples"];
/// Columns of `compare.csv`.
pub const COMPARE: [&str; 9] = [
    "row",
    "column",
    "published",
    "reproduced",
    "difference",
    "tolerance",
    "outcome",
    "baseline",
    "reason",
];

/// Our values as CSV: all columns of the plan, rows and columns in the order of the plan, whether they
/// are shown and judged or not.
pub fn table_csv(entry: &Entry, table: &Table) -> Vec<u8> {
    let by_quantiles = |name: &str| {
        let mut columns = entry.columns.iter();
        columns.any(|column| {
            column.name == name && matches!(column.tolerance, Tolerance::Quantiles(_))
        })
    };
    let mut lines = Vec::new();
    for row in entry.full.rows_in(table) {
        for column in &entry.full.columns {
            let Some(value) = table.get(&row, &column.name) else {
                continue;
            };
            let (number, text) = match &value.value {
                Scalar::Number(number) => (Some(twelve_digits(*number)), None),
                Scalar::Text(text) => (None, Some(text.clone())),
            };
            let replicates = value
                .replicates
                .as_ref()
                .filter(|_| by_quantiles(&column.name));
            lines.push([
                Some(row.clone()),
                Some(column.name.to_string()),
                number,
                text,
                value.std_dev.map(twelve_digits),
                Some(value.n.to_string()),
                value.std_error.map(twelve_digits),
                value.n_samples.map(|samples| samples.to_string()),
                replicates.map(|values| {
                    let written: Vec<String> = values.iter().copied().map(twelve_digits).collect();
                    written.join(" ")
                }),
            ]);
        }
    }
    if lines.iter().any(|line| line[TABLE.len()].is_some()) {
        let [row, column, value, text, sd, n, se, samples] = TABLE;
        return to_csv(
            [row, column, value, text, sd, n, se, samples, REPLICATES],
            lines,
        );
    }
    to_csv(
        TABLE,
        lines
            .into_iter()
            .map(|[a, b, c, d, e, f, g, h, _]| [a, b, c, d, e, f, g, h]),
    )
}

/// Reads `table.csv`.
///
/// # Errors
/// The file is damaged: it is no CSV, lacks a column, or holds a value that is none.
pub(crate) fn read_table(bytes: &[u8]) -> Result<Table, CsvError> {
    const NAME: &str = "table.csv";
    let [row, column, value, text, sd, n, se, samples] = TABLE;
    let with_replicates = [row, column, value, text, sd, n, se, samples, REPLICATES];
    let lines = match from_csv(NAME, bytes, &with_replicates) {
        Err(CsvError::MissingColumn(name)) if name == REPLICATES => from_csv(NAME, bytes, &TABLE),
        lines => lines,
    };
    let lines = match lines {
        Err(CsvError::MissingColumn(name)) if name == "text" => from_csv(NAME, bytes, &MIXED)?
            .into_iter()
            .map(parted)
            .collect(),
        lines => lines?,
    };
    let mut table = Table::default();
    for line in lines {
        let field = |column: usize| line[column].as_deref();
        let number = |column: usize| field(column).and_then(|text| text.parse().ok());
        let value = match field(2) {
            Some(value) => match value.parse::<f64>() {
                Ok(number) if number.is_finite() => Scalar::Number(number),
                _ => return Err(CsvError::NotANumber(value.to_owned())),
            },
            None => Scalar::Text(field(3).unwrap_or_default().to_owned()),
        };
        let measured = Measurement {
            value,
            std_dev: number(4),
            n: field(5).and_then(|text| text.parse().ok()).unwrap_or(0),
            std_error: number(6),
            n_samples: field(7).and_then(|text| text.parse().ok()),
            replicates: line.get(8).and_then(|text| {
                let values = text.as_deref()?.split(' ').map(str::parse);
                values.collect::<Result<Vec<f64>, _>>().ok()
            }),
        };
        let (row, column) = (field(0).unwrap_or_default(), field(1).unwrap_or_default());
        table.insert(row, column, measured);
    }
    Ok(table)
}

/// A line of [`MIXED`] as one of [`TABLE`]. A text that could be a number is written differently.
fn parted(mut line: Vec<Option<String>>) -> Vec<Option<String>> {
    let is_number = |value: &String| {
        let number = value.parse().ok().filter(|number: &f64| number.is_finite());
        number.is_some_and(|number| twelve_digits(number) == *value)
    };
    let text = match &line[2] {
        Some(value) if is_number(value) => None,
        _ => line[2].take(),
    };
    line.insert(3, text);
    line
}

/// The comparison with the published values as CSV.
pub fn compare_csv(judged: &[JudgedCell]) -> Vec<u8> {
    let line = |cell: &JudgedCell| {
        [
            Some(cell.row.clone()),
            Some(cell.column.name.clone()),
            cell.printed.as_ref().map(ToString::to_string),
            cell.ours.as_ref().map(Measurement::written),
            cell.difference.map(twelve_digits),
            Some(cell.column.tolerance.to_string()),
            Some(cell.outcome.to_string()),
            Some(cell.baseline.clone()).filter(|baseline| !baseline.is_empty()),
            Some(cell.reason.clone()).filter(|reason| !reason.is_empty()),
        ]
    };
    to_csv(COMPARE, judged.iter().map(line))
}

/// The stable half of provenance, `inputs.toml`: the same on every machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(
    clippy::struct_field_names,
    reason = "these are the keys of the committed file"
)]
pub struct Inputs {
    /// Its id.
    pub experiment: String,
    /// Its kind.
    pub kind: String,
    /// All cells together.
    pub inputs_key: String,
    pub(crate) key_format: u32,
    pub(crate) runner: String,
    /// The pinned compiler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolchain: Option<String>,
    /// The root of its seeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How often each cell runs.
    pub replicates: u32,
    /// BLAKE3 of `table.csv`, so that an edited value is noticed.
    pub table: String,
    /// The parameters, defaults applied.
    pub params: toml::Value,
    /// The data files, by the names of the kind.
    #[serde(default)]
    pub data: BTreeMap<String, DataInput>,
    /// The datasets and tables it reads, by the names of the kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub from: BTreeMap<String, SourceInput>,
    /// How its standard errors come about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resample: Option<Resample>,
    /// The hash of each crate behind it.
    pub code: CodeHashes,
    /// Inputs key of each cell, all replicates together.
    pub cells: BTreeMap<String, String>,
}

/// A dataset or another table that a table was made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SourceInput {
    /// Its id.
    pub experiment: String,
    /// Its key.
    pub inputs_key: String,
}

/// A data file a table was made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataInput {
    /// Its entry in the manifest.
    pub entry: String,
    /// The hash of the file.
    pub blake3: String,
}

impl Inputs {
    /// The file.
    ///
    /// # Errors
    /// If a value has no form in TOML.
    pub fn to_toml(&self, program: &str) -> Result<String, toml::ser::Error> {
        let text = toml::to_string(self)?;
        Ok(format!(
            "# What the table beside this file was made from. Written by\n\
             # `{program} reproduce --bless {}`; not edited by hand.\n{text}",
            self.experiment
        ))
    }
}

/// JSON as TOML, without what TOML cannot say: absent values are left out.
pub(crate) fn json_to_toml(value: &serde_json::Value) -> toml::Value {
    use serde_json::Value as Json;
    match value {
        Json::Null => toml::Value::String("none".to_owned()),
        Json::Bool(truth) => (*truth).into(),
        Json::String(text) => text.as_str().into(),
        Json::Number(number) => number
            .as_i64()
            .map(toml::Value::from)
            .or_else(|| number.as_f64().map(toml::Value::from))
            .unwrap_or_else(|| number.to_string().into()),
        Json::Array(items) => items.iter().map(json_to_toml).collect::<Vec<_>>().into(),
        Json::Object(fields) => toml::Value::Table(
            fields
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name.clone(), json_to_toml(value)))
                .collect(),
        ),
    }
}

/// The committed files of one table.
#[derive(Clone, Debug)]
pub struct CommittedTable {
    /// The values.
    pub table: Table,
    /// What decided them.
    pub inputs: Inputs,
    /// The text of `inputs.toml`.
    pub text: String,
    /// Whether `table.csv` is what `inputs.toml` says it is.
    pub intact: bool,
}

impl CommittedTable {
    /// Whether the values of a cell were recorded with these inputs.
    pub(crate) fn rests_on(&self, inputs: &Inputs, cell: &Cell) -> bool {
        self.inputs.cells.get(&cell.id) == inputs.cells.get(&cell.id)
    }
}

/// Why committed results cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultsError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// `table.csv` cannot be read as a table.
    #[error("{path} is damaged")]
    Csv {
        /// The file.
        path: String,
        /// What is wrong with it.
        source: Box<CsvError>,
    },
    /// `inputs.toml` has another shape than the runner gives it.
    #[error("{path} is damaged: {message}")]
    Inputs {
        /// The file.
        path: String,
        /// What is wrong with it.
        message: String,
    },
}

/// `results/<paper>/<table>`.
pub fn folder(results: &Path, id: &str) -> PathBuf {
    results.join(id)
}

/// `.table.new` or `.table.old` beside a table's folder.
fn beside(folder: &Path, word: &str) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    folder.with_file_name(format!(".{name}.{word}"))
}

/// Puts the old folder back where a run was killed before the new one took its place.
fn heal(folder: &Path) -> Result<(), FileError> {
    let old = beside(folder, "old");
    if folder.exists() || !old.exists() {
        return Ok(());
    }
    std::fs::rename(&old, folder).map_err(|error| FileError::new("rename", &old, error))
}

/// Reads the committed files of a table; `None` when it has none.
///
/// # Errors
/// [`ResultsError`] if a file cannot be read, or is damaged.
pub fn read_committed(results: &Path, id: &str) -> Result<Option<CommittedTable>, ResultsError> {
    let folder = folder(results, id);
    heal(&folder)?;
    let read = |name: &str| -> Result<Option<Vec<u8>>, FileError> {
        let path = folder.join(name);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FileError::new("read", &path, error)),
        }
    };
    let (Some(table), Some(inputs)) = (read("table.csv")?, read("inputs.toml")?) else {
        return Ok(None);
    };
    let shown = |name: &str| format!("results/{id}/{name}");
    let hash = blake3::hash(&table).to_hex().to_string();
    let damaged = |message: String| ResultsError::Inputs {
        path: shown("inputs.toml"),
        message,
    };
    let text = String::from_utf8(inputs).map_err(|error| damaged(error.to_string()))?;
    let inputs: Inputs =
        toml::from_str(&text).map_err(|error| damaged(error.message().to_owned()))?;
    let intact = inputs.table == hash;
    let table = match read_table(&table) {
        Ok(table) => table,
        // A cut file: that it is not what was recorded says more than where it ends.
        Err(CsvError::Table(_)) if !intact => Table::default(),
        Err(source) => {
            return Err(ResultsError::Csv {
                path: shown("table.csv"),
                source: Box::new(source),
            });
        }
    };
    Ok(Some(CommittedTable {
        table,
        inputs,
        text,
        intact,
    }))
}

/// The file that is missing of a table of which there are others.
pub fn missing_file(results: &Path, id: &str) -> Option<String> {
    let folder = folder(results, id);
    let needed = ["table.csv", "inputs.toml"];
    let missing = needed
        .into_iter()
        .find(|name| !folder.join(name).exists())?;
    let mut files = std::fs::read_dir(&folder).ok()?.flatten();
    files.next()?;
    Some(format!("results/{id}/{missing}"))
}

/// The first line in which two files differ, as `:12`; none if one is the beginning of the other.
pub fn first_line_apart(found: &[u8], expected: &[u8]) -> Option<String> {
    let lines = |text: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(text);
        text.lines().map(str::to_owned).collect()
    };
    let (found, expected) = (lines(found), lines(expected));
    let idx = found
        .iter()
        .zip(&expected)
        .position(|(found, expected)| found != expected)?;
    Some(format!(":{}", idx + 1))
}

/// The table as a plot, where the experiment asks for one.
pub const PLOT: &str = "plot.svg";

/// Writes the files of a table that have changed; gives their names.
///
/// They are put together beside the folder, which then takes the place of the old one: nobody
/// finds files of two runs in it.
///
/// # Errors
/// [`FileError`] if a file cannot be written.
pub fn write_changed(
    folder: &Path,
    files: &[(&'static str, Vec<u8>)],
) -> Result<Vec<&'static str>, FileError> {
    heal(folder)?;
    let is_changed = |(name, bytes): &&(&'static str, Vec<u8>)| {
        std::fs::read(folder.join(name)).map_or(true, |old| old != *bytes)
    };
    let written: Vec<&str> = files
        .iter()
        .filter(is_changed)
        .map(|(name, _)| *name)
        .collect();
    // A plot that the experiment asked for once goes when the table is written without it.
    let has = |name: &str| files.iter().any(|(own, _)| *own == name);
    let old_plot = (has("table.md") && !has(PLOT)).then(|| folder.join(PLOT));
    let is_left = old_plot.as_ref().is_some_and(|path| path.exists());
    if written.is_empty() && !is_left {
        return Ok(written);
    }
    let [staged, old] = ["new", "old"].map(|word| beside(folder, word));
    // Left over from a run that was killed.
    for left in [&staged, &old].into_iter().filter(|left| left.exists()) {
        std::fs::remove_dir_all(left).map_err(|error| FileError::new("delete", left, error))?;
    }
    for (name, bytes) in files {
        write_atomically(&staged.join(name), bytes)?;
    }
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, kept) = (entry.path(), staged.join(entry.file_name()));
        if path.is_file() && !kept.exists() && old_plot.as_ref() != Some(&path) {
            std::fs::copy(&path, &kept).map_err(|error| FileError::new("copy", &path, error))?;
        }
    }
    let rename = |from: &Path, to: &Path| {
        std::fs::rename(from, to).map_err(|error| FileError::new("rename", from, error))
    };
    if folder.exists() {
        rename(folder, &old)?;
    }
    rename(&staged, folder).inspect_err(|_| {
        // Rather the old files than none.
        let _ = std::fs::rename(&old, folder);
    })?;
    // What stays behind is removed by the next run.
    let _ = std::fs::remove_dir_all(&old);
    Ok(written)
}
