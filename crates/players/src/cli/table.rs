//! Choices of any domain: a table whose rows are alternatives.

use std::collections::BTreeMap;
use std::path::Path;

use kibitz_experiment::{DataFile, Field, FieldType, Values};
use kibitz_stats::{ChoiceSets, ChoiceSetsBuilder};
use kibitz_tables::{FoundColumn, Table, TableError};
use kibitz_text::{Diagnostic, Exit, Failure, suggestion};

/// Which columns are what.
pub(super) struct Layout<'a> {
    /// Columns that tell choices apart.
    pub(super) choice: &'a [String],
    /// The column that is true for the alternative chosen.
    pub(super) chosen: &'a str,
    /// The column of groups.
    pub(super) group: Option<&'a str>,
    /// The attributes; all other columns of numbers if empty.
    pub(super) attributes: &'a [String],
}

/// Choice sets and the names of their attributes.
pub(super) fn read(path: &Path, layout: &Layout<'_>) -> Result<(ChoiceSets, Vec<String>), Failure> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| Failure::unreadable(path, &error))?;
    let file = DataFile::new(name.clone(), path.to_owned(), Some(bytes.into()));
    let unusable =
        |error: TableError| Failure::new(Exit::BadInput, Diagnostic::new(error.to_string()));
    let table = Table::open(&file, kibitz_tables::Layout::default()).map_err(unusable)?;
    let columns = table.columns().map_err(unusable)?;
    let keys: Vec<&str> = (layout.choice.iter().map(String::as_str))
        .chain(layout.group)
        .collect();
    let others = |column: &&FoundColumn| {
        !keys.contains(&column.name.as_str())
            && column.name != layout.chosen
            && matches!(column.found.of(), Some(FieldType::Int | FieldType::Float))
    };
    let attributes: Vec<String> = if layout.attributes.is_empty() {
        columns
            .iter()
            .filter(others)
            .map(|column| column.name.clone())
            .collect()
    } else {
        layout.attributes.to_vec()
    };
    let wanted = (keys.iter().map(|key| (*key, FieldType::Text)))
        .chain([(layout.chosen, FieldType::Bool)])
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
                "{name}: there is no column `{column}`; {}",
                suggestion(column, known)
            );
            return Err(Failure::new(Exit::BadInput, Diagnostic::new(message)));
        };
        // Keys are told apart as they are; whole numbers are numbers.
        let of = match (of, found.found.of()) {
            (FieldType::Text, Some(own)) => own,
            (FieldType::Float | FieldType::Bool, Some(FieldType::Int)) => FieldType::Int,
            (of, _) => of,
        };
        if fields.iter().all(|field: &Field| field.name != column) {
            fields.push(Field::new(column.to_owned(), of, "", ""));
        }
    }
    let mut gathered = Gathered::new(&name, attributes.len());
    let mut before = 0;
    table
        .read::<Wrapped>(&fields, None, |records| {
            let all: BTreeMap<String, &Values> = (records.columns())
                .map(|(field, values)| (field.name.to_string(), values))
                .collect();
            for row in 0..records.len() {
                let key = |column: &str| shown(all[column], row);
                let choice: Vec<String> = layout.choice.iter().map(|column| key(column)).collect();
                let group = layout.group.map(key);
                let line = before + row + 1;
                let chosen = truth(all[layout.chosen], row);
                let numbers = attributes
                    .iter()
                    .map(|column| number(all[column.as_str()], row));
                gathered.push(line, choice, group, chosen, numbers.collect())?;
            }
            before += records.len();
            Ok(())
        })
        .map_err(|Wrapped(failure)| failure)?;
    let sets = gathered.finish()?;
    Ok((sets, attributes))
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
        Values::Bool(_) | Values::Text(_) => None,
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
    name: &'a str,
    builder: ChoiceSetsBuilder,
    open: Option<Open>,
    groups: BTreeMap<String, u32>,
    seen: std::collections::BTreeSet<Vec<String>>,
}

/// The choice under way: its key, group, the row chosen, its rows.
type Open = (Vec<String>, u32, Option<usize>, Vec<Vec<f64>>);

impl<'a> Gathered<'a> {
    fn new(name: &'a str, n_attributes: usize) -> Self {
        Self {
            name,
            builder: ChoiceSets::builder(n_attributes),
            open: None,
            groups: BTreeMap::new(),
            seen: std::collections::BTreeSet::new(),
        }
    }

    fn fail(&self, record: usize, message: &str) -> Wrapped {
        let message = format!("{}: record {record}: {message}", self.name);
        Wrapped(Failure::new(Exit::BadInput, Diagnostic::new(message)))
    }

    fn push(
        &mut self,
        record: usize,
        choice: Vec<String>,
        group: Option<String>,
        chosen: Option<bool>,
        numbers: Vec<Option<f64>>,
    ) -> Result<(), Wrapped> {
        let is_new = self.open.as_ref().is_none_or(|(open, ..)| *open != choice);
        if is_new {
            self.close(record.saturating_sub(1))?;
            if !self.seen.insert(choice.clone()) {
                let message = format!(
                    "choice {} comes back; its rows stand together",
                    choice.join(", ")
                );
                return Err(self.fail(record, &message));
            }
            let n = u32::try_from(self.groups.len()).unwrap_or(u32::MAX);
            let group = group.unwrap_or_else(|| choice.join("\u{1f}"));
            let group = *self.groups.entry(group).or_insert(n);
            self.open = Some((choice, group, None, Vec::new()));
        }
        let Some(chosen) = chosen else {
            return Err(self.fail(record, "whether it was chosen is neither true nor false"));
        };
        let Some(row) = numbers.into_iter().collect::<Option<Vec<f64>>>() else {
            return Err(self.fail(record, "an attribute has no value"));
        };
        let mut twice = false;
        if let Some((_, _, taken, rows)) = &mut self.open {
            if chosen {
                twice = taken.replace(rows.len()).is_some();
            }
            rows.push(row);
        }
        if twice {
            return Err(self.fail(record, "a second alternative of the choice was chosen"));
        }
        Ok(())
    }

    fn close(&mut self, record: usize) -> Result<(), Wrapped> {
        let Some((choice, group, chosen, rows)) = self.open.take() else {
            return Ok(());
        };
        let Some(chosen) = chosen else {
            let message = format!("no alternative of choice {} was chosen", choice.join(", "));
            return Err(self.fail(record, &message));
        };
        let pushed = self.builder.push(group, chosen, rows);
        pushed.map_err(|error| self.fail(record, &error.to_string()))
    }

    fn finish(mut self) -> Result<ChoiceSets, Failure> {
        self.close(0).map_err(|Wrapped(failure)| failure)?;
        Ok(self.builder.build())
    }
}
