//! A CSV file with a table of values, published or reproduced: texts by row and column.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use kibitz_experiment::{Field, FieldType, Records, Values};
use kibitz_tables::{Layout, Table, TableError};

use crate::numerals::{figure, not_a_number};
use crate::{Diagnostic, Exit, LabError, data_file};

/// A table of texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrintedTable {
    /// The file, for messages.
    pub file: String,
    /// The columns, but for those that name rows.
    pub columns: Vec<PrintedColumn>,
    /// The rows in the order of the file: name, and a value for each column.
    pub rows: Vec<(String, Vec<Option<String>>)>,
    /// Columns that are not used.
    pub ignored: Vec<String>,
    /// Values that are texts although they look like numbers, with their places, in words.
    pub warnings: Vec<String>,
    /// Such values of all columns.
    number_like: Vec<NumberLike>,
}

/// A value that looks like a number and is not one.
#[derive(Clone, Debug, PartialEq)]
struct NumberLike {
    line: usize,
    column: String,
    problem: String,
}

/// A column of such a table.
#[derive(Clone, Debug, PartialEq)]
pub struct PrintedColumn {
    /// Its name in the header.
    pub name: String,
    /// Whether all of its values are numbers.
    pub is_number: bool,
}

/// Texts that stand for no value.
const ABSENT: [&str; 7] = ["", "-", "–", "—", "NA", "N/A", "n/a"];

/// Columns of the long layout, which has one line per value.
const LONG: [&str; 2] = ["row", "column"];

/// The names of its third column.
const LONG_VALUE: [&str; 3] = ["value", "published", "reproduced"];

impl PrintedTable {
    /// Reads a file: one line per row, named by its first column or by the columns `by`; or one line per
    /// value, with the columns `row`, `column` and `value`.
    ///
    /// # Errors
    /// What is wrong with the file, with its line.
    pub fn read(path: &Path, by: &[String]) -> Result<Self, LabError> {
        let file = path.display().to_string();
        let (names, lines) = read_texts(path)?;
        let is_long = by.is_empty() && LONG.iter().all(|name| names.iter().any(|it| it == name));
        let read = if is_long {
            long(&names, &lines)
        } else {
            wide(&names, &lines, by)
        };
        let mut table = read.map_err(|problem| bad(&problem.in_file(&file)))?;
        for at in 0..table.columns.len() {
            let read = table.read_numbers(at);
            read.map_err(|problem| bad(&problem.in_file(&file)))?;
        }
        for NumberLike {
            line,
            column,
            problem,
        } in std::mem::take(&mut table.number_like)
        {
            let mut columns = table.columns.iter();
            if columns.any(|own| own.name == column && !own.is_number) {
                let warning = format!("{file}:{line}: column `{column}`: {problem}");
                table.warnings.push(warning);
            }
        }
        table.file = file;
        Ok(table)
    }

    /// Brings the numbers of a column into one form, if it is one of numbers.
    fn read_numbers(&mut self, at: usize) -> Result<(), Problem> {
        let name = self.columns[at].name.clone();
        let mut first_text = None;
        let mut n_numbers = 0;
        for (row, values) in &mut self.rows {
            let Some(text) = &values[at] else { continue };
            if text.parse::<f64>().is_ok_and(|value| !value.is_finite()) {
                let message =
                    format!("row `{row}`, column `{name}` is {text}, not a finite number");
                return Err(Problem(
                    message,
                    "leave the field empty if there is no value".to_owned(),
                ));
            }
            match figure(text) {
                Some(number) => {
                    n_numbers += 1;
                    values[at] = Some(number);
                }
                None => {
                    first_text.get_or_insert((row.clone(), text.clone()));
                }
            }
        }
        self.columns[at].is_number = first_text.is_none();
        match first_text {
            Some((row, text)) if n_numbers > 0 => {
                let message = format!("row `{row}`, column `{name}`: found `{text}` among numbers");
                let hint = "expected a number such as 1234.5, without unit or thousands separator";
                Err(Problem(message, hint.to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Number of values.
    pub fn n_values(&self) -> usize {
        let values = self.rows.iter().flat_map(|(_, values)| values);
        values.flatten().count()
    }

    /// The values of a row, by column.
    pub fn values<'t>(
        &'t self,
        row: &'t [Option<String>],
    ) -> impl Iterator<Item = (&'t PrintedColumn, &'t str)> {
        let values = self.columns.iter().zip(row);
        values.filter_map(|(column, value)| Some((column, value.as_deref()?)))
    }

    /// `[published]` of an experiment file: digits as in the file.
    pub fn published_toml(&self) -> String {
        let mut text = "[published]\n".to_owned();
        for (row, values) in &self.rows {
            let values = self.values(values).map(|(column, value)| {
                let value = if column.is_number {
                    value.to_owned()
                } else {
                    quoted(value)
                };
                format!("{} = {value}", quoted(&column.name))
            });
            let values: Vec<String> = values.collect();
            let _ = writeln!(text, "{} = {{ {} }}", quoted(row), values.join(", "));
        }
        text
    }

    /// `[columns]` of an experiment file: a match is weak if the values of other rows match as well, where
    /// there are others.
    pub fn judged_toml(&self, n_rows: usize) -> String {
        let baseline = if n_rows > 1 {
            "\"shuffle\""
        } else {
            "{ none = \"a single row\" }"
        };
        let mut text = "[columns]\n".to_owned();
        for column in &self.columns {
            let name = quoted(&column.name);
            let _ = writeln!(text, "{name} = {{ baseline = {baseline} }}");
        }
        text
    }

    /// Names of the rows.
    pub fn row_names(&self) -> impl Iterator<Item = &String> {
        self.rows.iter().map(|(row, _)| row)
    }

    /// Names of the columns.
    pub fn column_names(&self) -> impl Iterator<Item = &String> {
        self.columns.iter().map(|column| &column.name)
    }

    /// `columns` of the kind `command`: those that a step writes.
    pub fn step_columns_toml(&self) -> String {
        let mut text = "columns = [\n".to_owned();
        for column in &self.columns {
            let of = if column.is_number {
                ""
            } else {
                ", type = \"text\""
            };
            let _ = writeln!(text, "  {{ name = {}{of} }},", quoted(&column.name));
        }
        text + "]\n"
    }
}

/// A text as TOML.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// What is wrong with a file, and what helps.
struct Problem(String, String);

impl Problem {
    fn in_file(self, file: &str) -> Diagnostic {
        let problem = Diagnostic::new(format!("{file}: {}", self.0));
        if self.1.is_empty() {
            problem
        } else {
            problem.with_note(self.1)
        }
    }
}

/// Bad input.
pub fn bad(problem: &Diagnostic) -> LabError {
    LabError::new(Exit::BadInput, format!("{problem}\n"))
}

/// The names of the columns, and the texts of each line.
type Texts = (Vec<String>, Vec<Vec<Option<String>>>);

fn read_texts(path: &Path) -> Result<Texts, LabError> {
    let problem = |error: TableError| bad(&Diagnostic::new(error.to_string()));
    if path.is_dir() {
        let message = format!("expected a CSV file, found the folder {}", path.display());
        return Err(bad(&Diagnostic::new(message)));
    }
    let file = data_file(path)?;
    let layout = Layout {
        separator: kibitz_tables::separator(&file).map_err(problem)?,
        ..Layout::default()
    };
    let has_decimal_commas = layout.separator == Some(b';');
    let table = Table::open(&file, layout).map_err(problem)?;
    let columns = table.columns().map_err(problem)?;
    let names: Vec<String> = columns.into_iter().map(|column| column.name).collect();
    let field = |name: &String| Field::new(name.clone(), FieldType::Text, "", "");
    let fields: Vec<Field> = names.iter().map(field).collect();
    let mut lines: Vec<Vec<Option<String>>> = Vec::new();
    let add = |records: Records| {
        let columns: Vec<Values> = records.into_columns().map(|(_, values)| values).collect();
        let n_lines = match columns.first() {
            Some(Values::Text(values)) => values.len(),
            _ => 0,
        };
        for at in 0..n_lines {
            let text = |values: &Values| {
                let Values::Text(values) = values else {
                    return None;
                };
                let text = values.get(at)?.as_deref()?.trim();
                let text = if has_decimal_commas && figure(&text.replace(',', ".")).is_some() {
                    text.replace(',', ".")
                } else {
                    text.to_owned()
                };
                (!ABSENT.contains(&text.as_str())).then_some(text)
            };
            lines.push(columns.iter().map(text).collect());
        }
        Ok::<(), TableError>(())
    };
    table.read(&fields, None, add).map_err(problem)?;
    Ok((names, lines))
}

/// One line per row.
fn wide(
    names: &[String],
    lines: &[Vec<Option<String>>],
    by: &[String],
) -> Result<PrintedTable, Problem> {
    let mut keys = Vec::new();
    for name in by {
        let at = names.iter().position(|own| own == name);
        keys.push(at.ok_or_else(|| {
            let hint = kibitz_experiment::suggestion(name, names.iter().map(String::as_str));
            Problem(format!("no column `{name}`"), hint)
        })?);
    }
    if keys.is_empty() && !names.is_empty() {
        keys.push(0);
    }
    let others: Vec<usize> = (0..names.len()).filter(|at| !keys.contains(at)).collect();
    if others.is_empty() {
        let message = "expected a column with the names of rows, and at least one with values";
        return Err(Problem(message.to_owned(), String::new()));
    }
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut rows = Vec::new();
    let mut number_like = Vec::new();
    for (line, texts) in (2..).zip(lines) {
        let parts: Vec<&str> = keys.iter().filter_map(|at| texts[*at].as_deref()).collect();
        let row = parts.join(", ");
        if row.is_empty() {
            let name = keys.first().map_or("", |at| &names[*at]);
            let message = format!("line {line}: column `{name}` names no row");
            return Err(Problem(message, String::new()));
        }
        if let Some(first) = known.insert(row.clone(), line) {
            let message = format!("line {line}: row `{row}` is also on line {first}");
            let hint = "name the columns that tell rows apart with --by COLUMN";
            return Err(Problem(message, hint.to_owned()));
        }
        for at in &others {
            let text = texts[*at].as_deref();
            number_like.extend(text.and_then(|text| NumberLike::new(line, &names[*at], text)));
        }
        rows.push((row, others.iter().map(|at| texts[*at].clone()).collect()));
    }
    let column = |at: &usize| PrintedColumn {
        name: names[*at].clone(),
        is_number: false,
    };
    Ok(PrintedTable {
        columns: others.iter().map(column).collect(),
        rows,
        number_like,
        ..PrintedTable::default()
    })
}

/// One line per value.
fn long(names: &[String], lines: &[Vec<Option<String>>]) -> Result<PrintedTable, Problem> {
    let at = |name: &str| names.iter().position(|own| own == name);
    let value = LONG_VALUE.iter().find_map(|name| at(name));
    let (Some(row_at), Some(column_at), Some(value_at)) = (at(LONG[0]), at(LONG[1]), value) else {
        let message = "expected a column `value` beside `row` and `column`";
        return Err(Problem(message.to_owned(), String::new()));
    };
    let text_at = at("text");
    let mut table = PrintedTable::default();
    let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (line, texts) in (2..).zip(lines) {
        let (Some(row), Some(column)) = (&texts[row_at], &texts[column_at]) else {
            let message = format!("line {line}: expected a row and a column");
            return Err(Problem(message, String::new()));
        };
        if let Some(first) = known.insert((row.clone(), column.clone()), line) {
            let message = format!("line {line}: `{row}`.`{column}` is also on line {first}");
            return Err(Problem(message, String::new()));
        }
        let place = table.columns.iter().position(|own| own.name == *column);
        let place = place.unwrap_or_else(|| {
            table.columns.push(PrintedColumn {
                name: column.clone(),
                is_number: false,
            });
            for (_, values) in &mut table.rows {
                values.push(None);
            }
            table.columns.len() - 1
        });
        let n_columns = table.columns.len();
        let own = *places.entry(row.clone()).or_insert_with(|| {
            table.rows.push((row.clone(), vec![None; n_columns]));
            table.rows.len() - 1
        });
        let text = text_at.and_then(|at| texts[at].clone());
        let value = texts[value_at].clone();
        let like = value.as_deref();
        let like = like.and_then(|value| NumberLike::new(line, column, value));
        table.number_like.extend(like);
        table.rows[own].1[place] = value.or(text);
    }
    let used = [Some(row_at), Some(column_at), Some(value_at), text_at];
    let ignored = (0..names.len()).filter(|at| !used.contains(&Some(*at)));
    table.ignored = ignored.map(|at| names[at].clone()).collect();
    Ok(table)
}

impl NumberLike {
    fn new(line: usize, column: &str, text: &str) -> Option<Self> {
        Some(Self {
            line,
            column: column.to_owned(),
            problem: not_a_number(text)?,
        })
    }
}
