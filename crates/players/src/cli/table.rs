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
    let rows = Rows::of(&bytes);
    let file = DataFile::new(name.clone(), path.to_owned(), Some(bytes.into()));
    let unusable =
        |error: TableError| Failure::new(Exit::BadInput, Diagnostic::new(error.to_string()));
    let table = Table::open(&file, kibitz_tables::Layout::default()).map_err(unusable)?;
    let columns = table.columns().map_err(unusable)?;
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
        // Keys are told apart as they are; whole numbers are numbers.
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
    let mut gathered = Gathered::new(layout, &attributes, &place);
    let mut before = 0;
    table
        .read::<Wrapped>(&fields, None, |records| {
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
                gathered.push(record, choice, group, chosen, &numbers)?;
            }
            before += records.len();
            Ok(())
        })
        .map_err(|Wrapped(failure)| failure)?;
    let sets = gathered.finish()?;
    Ok((sets, attributes))
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
    /// By its line: one a record after that of the header.
    Lines,
    /// By its number, from 1.
    Records,
}

impl Rows {
    fn of(bytes: &[u8]) -> Self {
        // A quoted field may have several lines.
        if bytes.starts_with(b"PAR1") || bytes.contains(&b'"') {
            Self::Records
        } else {
            Self::Lines
        }
    }

    fn place(&self, record: usize) -> String {
        match self {
            Self::Lines => format!(":{}", record + 1),
            Self::Records => format!(", record {record}"),
        }
    }
}

struct Wrapped(Failure);

impl From<TableError> for Wrapped {
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

/// Choices as their rows come; the rows of a choice stand together.
struct Gathered<'a> {
    layout: &'a Layout,
    attributes: &'a [String],
    place: &'a dyn Fn(usize) -> String,
    builder: ChoiceSetsBuilder,
    open: Option<Open>,
    groups: BTreeMap<String, u32>,
    seen: std::collections::BTreeSet<Vec<String>>,
}

/// The choice under way.
struct Open {
    key: Vec<String>,
    group: String,
    /// Its first record.
    first: usize,
    chosen: Option<usize>,
    rows: Vec<Vec<f64>>,
}

impl<'a> Gathered<'a> {
    fn new(
        layout: &'a Layout,
        attributes: &'a [String],
        place: &'a dyn Fn(usize) -> String,
    ) -> Self {
        Self {
            layout,
            attributes,
            place,
            builder: ChoiceSets::builder(attributes.len()),
            open: None,
            groups: BTreeMap::new(),
            seen: std::collections::BTreeSet::new(),
        }
    }

    fn fail(&self, record: usize, column: &str, message: &str) -> Wrapped {
        let message = format!("{}: column `{column}`: {message}", (self.place)(record));
        Wrapped(Failure::new(Exit::BadInput, Diagnostic::new(message)))
    }

    fn push(
        &mut self,
        record: usize,
        key: Vec<String>,
        group: Option<String>,
        chosen: Option<bool>,
        numbers: &[Option<f64>],
    ) -> Result<(), Wrapped> {
        let choice = self.layout.choice.join("`, `");
        let shown = key.join(", ");
        let group = group.unwrap_or_else(|| key.join("\u{1f}"));
        if self.open.as_ref().is_none_or(|open| open.key != key) {
            self.close()?;
            if !self.seen.insert(key.clone()) {
                let message = format!(
                    "choice {shown} comes back: its rows stand together, or `--choice` needs one more column"
                );
                return Err(self.fail(record, &choice, &message));
            }
            self.open = Some(Open {
                key,
                group: group.clone(),
                first: record,
                chosen: None,
                rows: Vec::new(),
            });
        }
        let row = (numbers.iter().zip(self.attributes)).map(|(number, attribute)| {
            let number = number.filter(|number| number.is_finite());
            number.ok_or_else(|| self.fail(record, attribute, "no finite number"))
        });
        let row = row.collect::<Result<Vec<f64>, Wrapped>>()?;
        let Some(chosen) = chosen else {
            let message = "neither true nor false, nor 1 nor 0";
            return Err(self.fail(record, &self.layout.chosen, message));
        };
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        if open.group != group {
            let message = format!("choice {shown} is of the groups {} and {group}", open.group);
            return Err(self.fail(
                record,
                self.layout.group.as_deref().unwrap_or_default(),
                &message,
            ));
        }
        let is_second = chosen && open.chosen.replace(open.rows.len()).is_some();
        open.rows.push(row);
        if is_second {
            let message = format!("a second alternative of choice {shown} was chosen");
            return Err(self.fail(record, &self.layout.chosen, &message));
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Wrapped> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let Some(chosen) = open.chosen else {
            let message = format!(
                "no alternative of choice {} was chosen",
                open.key.join(", ")
            );
            return Err(self.fail(open.first, &self.layout.chosen, &message));
        };
        let n = u32::try_from(self.groups.len()).unwrap_or(u32::MAX);
        let group = *self.groups.entry(open.group).or_insert(n);
        let pushed = self.builder.push(group, chosen, open.rows);
        pushed.map_err(|error| self.fail(open.first, &self.layout.chosen, &error.to_string()))
    }

    fn finish(mut self) -> Result<ChoiceSets, Failure> {
        self.close().map_err(|Wrapped(failure)| failure)?;
        Ok(self.builder.build())
    }
}
