//! Choices of any domain: a table whose rows are alternatives.

use std::collections::BTreeMap;
use std::path::Path;

use kibitz_experiment::{Field, FieldType};
use kibitz_stats::{ChoiceSets, ChoiceSetsBuilder};
use kibitz_tables::FoundColumn;
use kibitz_text::{Diagnostic, Exit, Failure, counted, note};

use super::open_table::OpenTable;

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
    let table = OpenTable::open(path)?;
    let (name, columns) = (&table.name, &table.columns);
    let wide = wide(columns, layout).map(|message| {
        let message = format!("{name}:{}: {message}", table.header);
        Failure::new(Exit::BadInput, Diagnostic::new(message))
    });
    // Numbers other than 0 and 1, too, may be names of alternatives; that shows where they are read.
    let chosen = columns.iter().find(|column| column.name == layout.chosen);
    if let Some(wide) = &wide
        && chosen.is_none_or(|column| column.found.of() == Some(FieldType::Text))
    {
        return Err(wide.clone());
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
        tell_left_out(name, columns, &keys, layout, &attributes);
    }
    let wanted = (keys.iter().map(|key| (*key, FieldType::Text)))
        .chain([(layout.chosen.as_str(), FieldType::Bool)])
        .chain(
            attributes
                .iter()
                .map(|name| (name.as_str(), FieldType::Float)),
        );
    let mut fields: Vec<Field> = Vec::new();
    for (column, of) in wanted {
        let field = table.field(column, of)?;
        if fields.iter().all(|one| one.name != field.name) {
            fields.push(field);
        }
    }
    let mut choices = ChoiceCollector::new(layout, &attributes, &table);
    table.read(&fields, |row| {
        let chosen = row.truth(&layout.chosen);
        if let (None, Some(wide)) = (chosen, &wide) {
            return Err(wide.clone());
        }
        let choice = layout
            .choice
            .iter()
            .map(|column| row.text(column))
            .collect();
        let group = layout.group.as_deref().map(|column| row.text(column));
        let numbers: Vec<Option<f64>> = (attributes.iter())
            .map(|column| row.number(column))
            .collect();
        choices.push(row.record, choice, group, chosen, &numbers)
    })?;
    let sets = choices.finish()?;
    Ok((sets, attributes))
}

/// What to do about a table with one row per choice; `None` for one with a row per alternative, as far
/// as the columns show: none differ in an ending alone.
fn wide(columns: &[FoundColumn], layout: &Layout) -> Option<String> {
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

/// Collects choices from rows, in the order of their first ones.
struct ChoiceCollector<'a> {
    layout: &'a Layout,
    attributes: &'a [String],
    table: &'a OpenTable,
    choices: Vec<Choice>,
    /// The choices by their keys.
    numbers: BTreeMap<Vec<String>, usize>,
    /// The first record without a key, with the column; and the number of these records.
    without_key: Option<(usize, &'a str)>,
    n_without_key: usize,
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
    fn new(layout: &'a Layout, attributes: &'a [String], table: &'a OpenTable) -> Self {
        Self {
            layout,
            attributes,
            table,
            choices: Vec::new(),
            numbers: BTreeMap::new(),
            without_key: None,
            n_without_key: 0,
        }
    }

    fn fail(&self, record: usize, column: &str, message: &str) -> Failure {
        let place = self.table.place(record);
        let message = format!("{place}: column `{column}`: {message}");
        Failure::new(Exit::BadInput, Diagnostic::new(message))
    }

    /// The column of a choice or group that has no value in a row.
    fn column_without_key(&self, key: &[String], group: Option<&str>) -> Option<&'a str> {
        let columns = self.layout.choice.iter().chain(&self.layout.group);
        let values = key.iter().map(String::as_str).chain(group);
        let mut without = columns
            .zip(values)
            .filter(|(_, value)| value.trim().is_empty());
        without.next().map(|(column, _)| column.as_str())
    }

    fn push(
        &mut self,
        record: usize,
        key: Vec<String>,
        group: Option<String>,
        chosen: Option<bool>,
        numbers: &[Option<f64>],
    ) -> Result<(), Failure> {
        if let Some(column) = self.column_without_key(&key, group.as_deref()) {
            self.n_without_key += 1;
            self.without_key.get_or_insert((record, column));
            return Ok(());
        }
        let row = (numbers.iter().zip(self.attributes)).map(|(number, attribute)| {
            let number = number.filter(|number| number.is_finite());
            number.ok_or_else(|| self.fail(record, attribute, "expected a finite number"))
        });
        let row = row.collect::<Result<Vec<f64>, Failure>>()?;
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
                self.table.place(before)
            );
            return Err(self.fail(record, &self.layout.chosen, &message));
        }
        Ok(())
    }

    fn finish(mut self) -> Result<ChoiceSets, Failure> {
        if let Some((record, column)) = self.without_key {
            let rows = counted(self.n_without_key, "row", "rows");
            let message =
                format!("no value in {rows}, of which this is the first; expected one in each row");
            return Err(self.fail(record, column, &message));
        }
        let mut builder: ChoiceSetsBuilder = ChoiceSets::builder(self.attributes.len());
        let mut groups: BTreeMap<String, u32> = BTreeMap::new();
        let choices = std::mem::take(&mut self.choices);
        let (single, choices): (Vec<Choice>, Vec<Choice>) = choices
            .into_iter()
            .partition(|choice| choice.rows.len() == 1 && choice.chosen.is_some());
        self.tell_single(&single);
        if choices.is_empty() {
            let message = format!("{}: no choice between two alternatives", self.table.name);
            return Err(Failure::new(
                Exit::NothingSelected,
                Diagnostic::new(message),
            ));
        }
        for choice in choices {
            let wrong = |message: &str| self.fail(choice.first, &self.layout.chosen, message);
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

    /// Reports choices without an alternative to the one chosen: they tell nothing of weights, and are
    /// left out.
    fn tell_single(&self, single: &[Choice]) {
        if let Some(first) = single.first() {
            let n = counted(single.len(), "choice", "choices");
            let message = format!(
                "{}: ignored {n} with a single alternative, first choice {}",
                self.table.place(first.first),
                first.key.join(", ")
            );
            note(&Diagnostic::warning(message).render(true));
        }
    }
}
