//! What the rule is asked of: the experiment files and the recorded tables, as far as the rule needs them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use toml::de::{DeTable, DeValue};

/// A number or a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Number(f64),
    Text(String),
}

impl Value {
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Text(_) => None,
        }
    }
}

/// A published value, with the digits after the point with which it is written.
#[derive(Clone, Debug)]
pub(crate) struct PublishedValue {
    pub(crate) value: Value,
    pub(crate) written: String,
    pub(crate) digits: i32,
}

impl PublishedValue {
    pub(crate) fn from_number(written: &str) -> Self {
        let written = written.replace('_', "");
        let (mantissa, exponent) = written.split_once(['e', 'E']).unwrap_or((&written, "0"));
        let places = mantissa
            .split_once('.')
            .map_or(0, |(_, places)| places.len());
        let digits = i32::try_from(places).unwrap() - exponent.parse::<i32>().unwrap();
        Self {
            value: Value::Number(written.parse().unwrap()),
            digits,
            written,
        }
    }

    pub(crate) fn from_text(text: &str) -> Self {
        Self {
            value: Value::Text(text.to_owned()),
            written: text.to_owned(),
            digits: 0,
        }
    }
}

/// A reproduced value with its errors: a line of `table.csv`.
#[derive(Clone, Debug)]
pub(crate) struct ReproducedValue {
    pub(crate) value: Value,
    /// The value as the file has it.
    pub(crate) written: String,
    pub(crate) sd: Option<f64>,
    pub(crate) n: Option<f64>,
    pub(crate) se: Option<f64>,
    pub(crate) samples: Option<f64>,
    pub(crate) replicates: Vec<f64>,
}

/// `tol` of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tolerance {
    PublishedDigits,
    Exact,
    Info,
    Order,
    OwnInterval,
    Digits(i32),
    Abs(f64),
    Rel(f64),
    Within(f64, f64),
    Trials { n: f64, z: f64 },
    Tau(f64),
    StdError(f64),
    ReplicateSd(f64),
    Quantiles(f64),
}

/// `published-error` of a column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PublishedError {
    None,
    AsOurs,
    Number(f64),
    Overlap(f64),
}

/// One baseline of a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Baseline {
    Number(f64),
    Text(String),
    MostCommon,
    Shuffle,
    /// The value that `row.column` or `paper/table: row.column` names.
    Figure(String),
    /// `{ none = "why" }`.
    Nothing,
}

/// One entry of `[columns]`.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) percent: bool,
    pub(crate) tolerance: Tolerance,
    pub(crate) published_error: PublishedError,
    pub(crate) baselines: Vec<Baseline>,
    pub(crate) variant_of: bool,
    pub(crate) same_as: Option<String>,
    pub(crate) derived: Option<String>,
}

/// The largest difference that a deviation explains.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    Abs(f64),
    Rel(f64),
    Errors(f64),
}

/// What the tested value of a deviation has to be.
#[derive(Clone, Debug)]
pub(crate) enum Prediction {
    Between(f64, f64),
    Text(String),
}

/// One `[[deviation]]`.
#[derive(Clone, Debug)]
pub(crate) struct Deviation {
    pub(crate) cells: Vec<String>,
    pub(crate) up_to: Option<Bound>,
    pub(crate) tested: Option<String>,
    pub(crate) predicts: Option<Prediction>,
}

/// One line of `compare.csv`.
#[derive(Clone, Debug)]
pub(crate) struct WorkspaceRecord {
    pub(crate) row: String,
    pub(crate) column: String,
    pub(crate) published: String,
    pub(crate) reproduced: String,
    pub(crate) outcome: String,
    pub(crate) baseline: String,
    pub(crate) reason: String,
}

/// An experiment and its recorded table.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) columns: BTreeMap<String, Column>,
    pub(crate) published: BTreeMap<(String, String), PublishedValue>,
    pub(crate) reproduced: BTreeMap<(String, String), ReproducedValue>,
    pub(crate) recorded: Vec<WorkspaceRecord>,
    pub(crate) inputs: Vec<String>,
    pub(crate) doubtful: Vec<String>,
    pub(crate) together: Vec<String>,
    /// Patterns of rows and of cells whose published values are counted in another table.
    pub(crate) variants: Vec<String>,
    pub(crate) fitted: Vec<Vec<String>>,
    pub(crate) deviations: Vec<Deviation>,
}

/// All tables by `paper/table`.
pub(crate) type Tables = BTreeMap<String, Table>;

/// Reads every experiment that has a `compare.csv`.
pub(crate) fn read_all(home: &Path) -> Tables {
    let mut tables = Tables::new();
    for paper in fs::read_dir(home.join("results"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if !paper.is_dir() {
            continue;
        }
        for folder in fs::read_dir(&paper)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if !folder.join("compare.csv").is_file() {
                continue;
            }
            let name = [&paper, &folder]
                .map(|path| path.file_name().unwrap().to_str().unwrap())
                .join("/");
            let text = |path: &Path| fs::read_to_string(path).unwrap();
            let experiment = text(&home.join(format!("experiments/{name}.toml")));
            let (table, compare) = (
                text(&folder.join("table.csv")),
                text(&folder.join("compare.csv")),
            );
            tables.insert(name, read(&experiment, &table, &compare));
        }
    }
    tables
}

/// Reads an experiment with its table and its comparison.
pub(crate) fn read(experiment: &str, table: &str, compare: &str) -> Table {
    let spec: toml::Table = experiment.parse().unwrap();
    let columns = spec.get("columns").map_or_else(BTreeMap::new, |columns| {
        columns
            .as_table()
            .unwrap()
            .iter()
            .map(|(name, column)| (name.clone(), read_column(column)))
            .collect()
    });
    let variants = match spec.get("variant-of") {
        None => Vec::new(),
        Some(toml::Value::String(_)) => vec!["*".to_owned()],
        Some(patterns) => patterns.as_table().unwrap().keys().cloned().collect(),
    };
    let all = |key: &str| {
        spec.get(key)
            .map_or(&[][..], |list| list.as_array().unwrap())
    };
    Table {
        columns,
        published: read_published(experiment),
        reproduced: read_table(table),
        recorded: read_compare(compare),
        inputs: texts(spec.get("inputs")),
        doubtful: texts(spec.get("doubtful")),
        together: texts(spec.get("together")),
        variants,
        fitted: all("fitted")
            .iter()
            .map(|fitted| texts(fitted.get("cells")))
            .collect(),
        deviations: all("deviation").iter().map(read_deviation).collect(),
    }
}

/// One text or a list of them.
fn texts(value: Option<&toml::Value>) -> Vec<String> {
    match value {
        None => Vec::new(),
        Some(toml::Value::Array(list)) => list
            .iter()
            .map(|text| text.as_str().unwrap().to_owned())
            .collect(),
        Some(text) => vec![text.as_str().unwrap().to_owned()],
    }
}

#[allow(
    clippy::cast_precision_loss,
    reason = "the files have no integers beyond 2^53"
)]
fn number(value: &toml::Value) -> f64 {
    value
        .as_float()
        .unwrap_or_else(|| value.as_integer().unwrap() as f64)
}

fn text(value: &toml::Value, key: &str) -> Option<String> {
    value.get(key).map(|text| text.as_str().unwrap().to_owned())
}

/// The only entry of a table such as `{ abs = 0.5 }`.
fn only(value: &toml::Value) -> (&str, &toml::Value) {
    let (key, value) = value.as_table().unwrap().iter().next().unwrap();
    (key, value)
}

fn read_column(column: &toml::Value) -> Column {
    let baselines = match column.get("baseline") {
        None => Vec::new(),
        Some(toml::Value::Array(list)) => list.iter().map(read_baseline).collect(),
        Some(one) => vec![read_baseline(one)],
    };
    let published_error = match column.get("published-error") {
        None => PublishedError::None,
        Some(toml::Value::String(_)) => PublishedError::AsOurs,
        Some(overlap @ toml::Value::Table(_)) => {
            PublishedError::Overlap(number(&overlap["overlap"]))
        }
        Some(error) => PublishedError::Number(number(error)),
    };
    Column {
        percent: text(column, "unit").as_deref() == Some("%"),
        tolerance: column
            .get("tol")
            .map_or(Tolerance::PublishedDigits, read_tolerance),
        published_error,
        baselines,
        variant_of: column.get("variant-of").is_some(),
        same_as: text(column, "same-as"),
        derived: text(column, "derived"),
    }
}

fn read_tolerance(tolerance: &toml::Value) -> Tolerance {
    if let Some(word) = tolerance.as_str() {
        return match word {
            "exact" => Tolerance::Exact,
            "info" => Tolerance::Info,
            "order" => Tolerance::Order,
            "own-interval" => Tolerance::OwnInterval,
            _ => panic!("unknown tolerance {word}"),
        };
    }
    let (key, value) = only(tolerance);
    match key {
        "digits" => Tolerance::Digits(i32::try_from(value.as_integer().unwrap()).unwrap()),
        "abs" => Tolerance::Abs(number(value)),
        "rel" => Tolerance::Rel(number(value)),
        "within" => Tolerance::Within(number(&value[0]), number(&value[1])),
        "trials" => Tolerance::Trials {
            n: number(&value["n"]),
            z: number(&value["z"]),
        },
        "tau" => Tolerance::Tau(number(value)),
        "std-error" => Tolerance::StdError(number(value)),
        "replicate-sd" => Tolerance::ReplicateSd(number(value)),
        "quantiles" => Tolerance::Quantiles(number(value)),
        _ => panic!("unknown tolerance {key}"),
    }
}

fn read_baseline(baseline: &toml::Value) -> Baseline {
    match baseline {
        toml::Value::String(word) if word == "most-common" => Baseline::MostCommon,
        toml::Value::String(word) if word == "shuffle" => Baseline::Shuffle,
        toml::Value::Table(_) => {
            let (key, value) = only(baseline);
            let value = value.as_str().unwrap();
            match key {
                "text" => Baseline::Text(value.to_owned()),
                "row" => Baseline::Figure(format!("{value}.{{column}}")),
                "figure" => Baseline::Figure(value.to_owned()),
                "none" => Baseline::Nothing,
                _ => panic!("unknown baseline {key}"),
            }
        }
        _ => Baseline::Number(number(baseline)),
    }
}

fn read_deviation(deviation: &toml::Value) -> Deviation {
    let up_to = deviation.get("up-to").map(|bound| match only(bound) {
        ("abs", x) => Bound::Abs(number(x)),
        ("rel", x) => Bound::Rel(number(x)),
        ("errors", x) => Bound::Errors(number(x)),
        (key, _) => panic!("unknown bound {key}"),
    });
    let predicts = deviation
        .get("predicts")
        .map(|prediction| match prediction {
            toml::Value::String(text) => Prediction::Text(text.clone()),
            toml::Value::Array(ends) => Prediction::Between(number(&ends[0]), number(&ends[1])),
            _ => Prediction::Between(number(prediction), number(prediction)),
        });
    Deviation {
        cells: texts(deviation.get("cells")),
        up_to,
        tested: text(deviation, "tested"),
        predicts,
    }
}

/// `[published]`, with numbers as they are written.
fn read_published(experiment: &str) -> BTreeMap<(String, String), PublishedValue> {
    let mut published = BTreeMap::new();
    let spec = DeTable::parse(experiment).unwrap();
    let Some(rows) = spec.get_ref().get("published") else {
        return published;
    };
    for (row, values) in rows.get_ref().as_table().unwrap() {
        for (column, value) in values.get_ref().as_table().unwrap() {
            let value = match value.get_ref() {
                DeValue::String(text) => PublishedValue::from_text(text),
                DeValue::Integer(integer) => PublishedValue::from_number(integer.as_str()),
                DeValue::Float(float) => PublishedValue::from_number(float.as_str()),
                other => panic!("{row}.{column}: {other:?}"),
            };
            published.insert(
                (row.get_ref().to_string(), column.get_ref().to_string()),
                value,
            );
        }
    }
    published
}

fn read_table(table: &str) -> BTreeMap<(String, String), ReproducedValue> {
    let mut file = csv::Reader::from_reader(table.as_bytes());
    let header = file.headers().unwrap().clone();
    let mut cells = BTreeMap::new();
    for line in file.records() {
        let line = line.unwrap();
        let field = |name: &str| {
            header
                .iter()
                .position(|header| header == name)
                .map_or("", |at| &line[at])
        };
        let optional = |name: &str| field(name).parse::<f64>().ok();
        let (value, written) = match (field("value"), field("text")) {
            ("", "") => continue,
            ("", text) => (Value::Text(text.to_owned()), text),
            (number, _) => (Value::Number(number.parse().unwrap()), number),
        };
        let reproduced = ReproducedValue {
            value,
            written: written.to_owned(),
            sd: optional("sd"),
            n: optional("n"),
            se: optional("se"),
            samples: optional("samples"),
            replicates: field("replicates")
                .split_whitespace()
                .map(|value| value.parse().unwrap())
                .collect(),
        };
        cells.insert(
            (field("row").to_owned(), field("column").to_owned()),
            reproduced,
        );
    }
    cells
}

fn read_compare(compare: &str) -> Vec<WorkspaceRecord> {
    let mut file = csv::Reader::from_reader(compare.as_bytes());
    let header = file.headers().unwrap().clone();
    let recorded = file.records().map(|line| {
        let line = line.unwrap();
        let field =
            |name: &str| line[header.iter().position(|header| header == name).unwrap()].to_owned();
        WorkspaceRecord {
            row: field("row"),
            column: field("column"),
            published: field("published"),
            reproduced: field("reproduced"),
            outcome: field("outcome"),
            baseline: field("baseline"),
            reason: field("reason"),
        }
    });
    recorded.collect()
}
