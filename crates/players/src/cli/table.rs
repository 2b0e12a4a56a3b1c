//! Choices of any domain: a table whose rows are alternatives.

use std::collections::BTreeMap;
use std::path::Path;

use kibitz_experiment::{DataFile, Field, FieldType, Values};
use kibitz_stats::{ChoiceSets, ChoiceSetsBuilder};
use kibitz_tables::{FoundColumn, Table, TableError};
use kibitz_text::{Diagnostic, Exit, Failure, note, suggestion};

/// Which columns are what.
#[derive(Debug, clap::Args)]
pub(super) struct Layout {
    /// Columns that tell choices apart, separated by commas.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "choice",
        requires = "choices"
    )]
    choice: Vec<String>,
    /// The column that is true for the alternative chosen.
    #[arg(long, default_value = "chosen", requires = "choices")]
    chosen: String,
    /// The column of groups that are held out together; each choice is one when left out.
    #[arg(long, requires = "choices")]
    pub(super) group: Option<String>,
}

/// Choice sets and the names of their attributes: those asked for, or all other columns of numbers.
pub(super) fn read(
    path: &Path,
    layout: &Layout,
    asked: &[String],
) -> Result<(ChoiceSets, Vec<String>), Failure> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| Failure::unreadable(path, &error))?;
    let header = kibitz_tables::lines_above_header(&bytes) + 1;
    let rows = Rows::of(&bytes, header);
    let file = DataFile::new(name.clone(), path.to_owned(), Some(bytes.into()));
    let unusable =
        |error: TableError| Failure::new(Exit::BadInput, Diagnostic::new(error.to_string()));
    let separated = kibitz_tables::Layout {
        separator: kibitz_tables::separator(&file).map_err(unusable)?,
        ..kibitz_tables::Layout::default()
    };
    let table = Table::open(&file, separated).map_err(unusable)?;
    let columns = table.columns().map_err(unusable)?;
    if let Some(message) = wide(&columns, layout) {
        let message = format!("{name}:{header}: {message}");
        return Err(Failure::new(Exit::BadInput, Diagnostic::new(message)));
    }
    let keys: Vec<&str> = (layout.choice.iter().map(String::as_str))
        .chain(layout.group.as_deref())
        .collect();
    let others = |column: &&FoundColumn| {
        !keys.contains(&column.name.as_str())
            && column.name != layout.chosen
            && matches!(column.found.of(), Some(FieldType::Int | FieldType::Float))
    };
    let attributes: Vec<String> = if asked.is_empty() {
        columns
            .iter()
            .filter(others)
            .map(|column| column.name.clone())
            .collect()
    } else {
        asked.to_vec()
    };
    if attributes.is_empty() {
        let message = format!("{name}: no column is left whose numbers could be attributes");
        return Err(Failure::new(Exit::BadInput, Diagnostic::new(message)));
    }
    if asked.is_empty() {
        tell_left_out(&name, &columns, &keys, layout, &attributes);
    }
    let wanted = (keys.iter().map(|key| (*key, FieldType::Text)))
        .chain([(layout.chosen.as_str(), FieldType::Bool)])
        .chain(
            attributes
                .iter()
                .map(|name| (name.as_str(), FieldType::Float)),
        );
    let mut fields = Vec::new();
    for (column, of) in wanted {
        let Some(found) = columns.iter().find(|one| one.name == column) else {
            let known = columns.iter().map(|one| one.name.as_str());
            let message = format!(
                "{name}: unknown column `{column}`; {}",
                suggestion(column, known)
            );
            return Err(Failure::new(Exit::BadInput, Diagnostic::new(message)));
        };
        // Keys are compared as they are; integers are numbers.
        let of = match (of, found.found.of()) {
            (FieldType::Text, Some(own)) => own,
            (FieldType::Float | FieldType::Bool, Some(FieldType::Int)) => FieldType::Int,
            (FieldType::Float, Some(FieldType::Bool)) => FieldType::Bool,
            (of, _) => of,
        };
        if fields.iter().all(|field: &Field| field.name != column) {
            fields.push(Field::new(column.to_owned(), of, "", ""));
        }
    }
    let place = |record: usize| format!("{name}{}", rows.place(record));
    let mut choices = ChoiceCollector::new(layout, &attributes, &place);
    let mut before = 0;
    table
        .read::<TableFailure>(&fields, None, |records| {
            let all: BTreeMap<String, &Values> = (records.columns())
                .map(|(field, values)| (field.name.to_string(), values))
                .collect();
            for row in 0..records.len() {
                let key = |column: &str| shown(all[column], row);
                let choice: Vec<String> = layout.choice.iter().map(|column| key(column)).collect();
                let group = layout.group.as_deref().map(key);
                let record = before + row + 1;
                let chosen = truth(all[layout.chosen.as_str()], row);
                let numbers = attributes
                    .iter()
                    .map(|column| number(all[column.as_str()], row));
                let numbers: Vec<Option<f64>> = numbers.collect();
                choices.push(record, choice, group, chosen, &numbers)?;
            }
            before += records.len();
            Ok(())
        })
        .map_err(|TableFailure(failure)| failure)?;
    let sets = choices.finish()?;
    Ok((sets, attributes))
}

/// What to do about a table with one row per choice; `None` for one with a row per alternative, as far
/// as the columns show: there is none of true and false, but several that differ in an ending.
fn wide(columns: &[FoundColumn], layout: &Layout) -> Option<String> {
    let chosen = columns.iter().find(|column| column.name == layout.chosen);
    if chosen.is_some_and(|column| column.found.of() != Some(FieldType::Text)) {
        return None;
    }
    let split = |column: &FoundColumn| {
        let name = column.name.as_str();
        let at = name.rfind(['_', '.', '-', ' ']);
        let at = at.unwrap_or_else(|| name.trim_end_matches(|c: char| c.is_ascii_digit()).len());
        let (stem, ending) = name.split_at(at);
        (!stem.is_empty() && !ending.is_empty()).then_some((stem.to_owned(), ending.to_owned()))
    };
    let mut endings: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (stem, ending) in columns.iter().filter_map(split) {
        endings.entry(stem).or_default().push(ending);
    }
    let (stem, endings) = endings.into_iter().find(|(_, endings)| endings.len() > 1)?;
    Some(format!(
        "`{stem}{}` and `{stem}{}` look like one row per choice; expected one row per alternative: a column `{stem}` and a column `{}` that is true for the alternative chosen",
        endings[0], endings[1], layout.chosen
    ))
}

/// Reports the columns that were not asked for and are not numeric.
fn tell_left_out(
    name: &str,
    columns: &[FoundColumn],
    keys: &[&str],
    layout: &Layout,
    attributes: &[String],
) {
    let is_left_out = |column: &&FoundColumn| {
        !keys.contains(&column.name.as_str())
            && column.name != layout.chosen
            && !attributes.contains(&column.name)
    };
    let left_out = columns.iter().filter(is_left_out);
    let left_out: Vec<String> = left_out
        .map(|column| format!("`{}` ({})", column.name, column.found))
        .collect();
    if !left_out.is_empty() {
        let message = format!(
            "{name}: ignored columns that are not numeric: {}",
            left_out.join(", ")
        );
        note(&Diagnostic::warning(message).render(true));
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
        // A quoted field may have several lines.
        if bytes.starts_with(b"PAR1") || bytes.contains(&b'"') {
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

/// A failure that the reader of tables passes on.
struct TableFailure(Failure);

impl From<TableError> for TableFailure {
    fn from(error: TableError) -> Self {
        Self(Failure::new(
            Exit::BadInput,
            Diagnostic::new(error.to_string()),
        ))
    }
}

fn shown(values: &Values, row: usize) -> String {
    match values {
        Values::Int(values) => values[row].map_or(String::new(), |value| value.to_string()),
        Values::Float(values) => values[row].map_or(String::new(), |value| value.to_string()),
        Values::Bool(values) => values[row].map_or(String::new(), |value| value.to_string()),
        Values::Text(values) => values[row]
            .clone()
            .map_or(String::new(), |value| value.to_string()),
    }
}

fn number(values: &Values, row: usize) -> Option<f64> {
    match values {
        Values::Int(values) => values[row].map(|value| value as f64),
        Values::Float(values) => values[row],
        Values::Bool(values) => values[row].map(|value| f64::from(u8::from(value))),
        Values::Text(_) => None,
    }
}

fn truth(values: &Values, row: usize) -> Option<bool> {
    match values {
        Values::Bool(values) => values[row],
        Values::Int(values) => match values[row] {
            Some(0) => Some(false),
            Some(1) => Some(true),
            _ => None,
        },
        Values::Float(_) | Values::Text(_) => None,
    }
}

/// Collects choices from rows, in the order of their first ones.
struct ChoiceCollector<'a> {
    layout: &'a Layout,
    attributes: &'a [String],
    place: &'a dyn Fn(usize) -> String,
    choices: Vec<Choice>,
    /// The choices by their keys.
    numbers: BTreeMap<Vec<String>, usize>,
}

/// A choice as far as it has been read.
struct Choice {
    key: Vec<String>,
    group: String,
    /// Its first record.
    first: usize,
    /// The alternative chosen, and its record.
    chosen: Option<(usize, usize)>,
    rows: Vec<Vec<f64>>,
}

impl<'a> ChoiceCollector<'a> {
    fn new(
        layout: &'a Layout,
        attributes: &'a [String],
        place: &'a dyn Fn(usize) -> String,
    ) -> Self {
        Self {
            layout,
            attributes,
            place,
            choices: Vec::new(),
            numbers: BTreeMap::new(),
        }
    }

    fn fail(&self, record: usize, column: &str, message: &str) -> TableFailure {
        let message = format!("{}: column `{column}`: {message}", (self.place)(record));
        TableFailure(Failure::new(Exit::BadInput, Diagnostic::new(message)))
    }

    fn push(
        &mut self,
        record: usize,
        key: Vec<String>,
        group: Option<String>,
        chosen: Option<bool>,
        numbers: &[Option<f64>],
    ) -> Result<(), TableFailure> {
        let row = (numbers.iter().zip(self.attributes)).map(|(number, attribute)| {
            let number = number.filter(|number| number.is_finite());
            number.ok_or_else(|| self.fail(record, attribute, "no finite number"))
        });
        let row = row.collect::<Result<Vec<f64>, TableFailure>>()?;
        let Some(chosen) = chosen else {
            let message = "neither true nor false, nor 1 nor 0";
            return Err(self.fail(record, &self.layout.chosen, message));
        };
        let shown = key.join(", ");
        let group = group.unwrap_or_else(|| key.join("\u{1f}"));
        let next = self.choices.len();
        let number = *self.numbers.entry(key.clone()).or_insert(next);
        if number == next {
            self.choices.push(Choice {
                key,
                group: group.clone(),
                first: record,
                chosen: None,
                rows: Vec::new(),
            });
        }
        let choice = &mut self.choices[number];
        if choice.group != group {
            let message = format!(
                "choice {shown} is of the groups {} and {group}",
                choice.group
            );
            return Err(self.fail(
                record,
                self.layout.group.as_deref().unwrap_or_default(),
                &message,
            ));
        }
        let alternative = (choice.rows.len(), record);
        let before = if chosen {
            choice.chosen.replace(alternative)
        } else {
            None
        };
        choice.rows.push(row);
        if let Some((_, before)) = before {
            let message = format!(
                "a second alternative of choice {shown} was chosen, after {}; if these are two choices, `--choice` needs one more column",
                (self.place)(before)
            );
            return Err(self.fail(record, &self.layout.chosen, &message));
        }
        Ok(())
    }

    fn finish(mut self) -> Result<ChoiceSets, Failure> {
        let mut builder: ChoiceSetsBuilder = ChoiceSets::builder(self.attributes.len());
        let mut groups: BTreeMap<String, u32> = BTreeMap::new();
        for choice in std::mem::take(&mut self.choices) {
            let wrong = |message: &str| {
                let TableFailure(failure) = self.fail(choice.first, &self.layout.chosen, message);
                failure
            };
            let Some((chosen, _)) = choice.chosen else {
                let key = choice.key.join(", ");
                return Err(wrong(&format!("no alternative of choice {key} was chosen")));
            };
            let n = u32::try_from(groups.len()).unwrap_or(u32::MAX);
            let group = *groups.entry(choice.group).or_insert(n);
            let pushed = builder.push(group, chosen, choice.rows);
            pushed.map_err(|error| wrong(&error.to_string()))?;
        }
        Ok(builder.build())
    }
}
