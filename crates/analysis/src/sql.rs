//! SQL queries: run, or their mistakes with their places.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use kibitz_experiment::{CellError, Context, Field, FieldType, Problems, Sources, suggestion};
use polars::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::frames::Frames;

/// Queries by the names under which another query reads their results.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(from = "BTreeMap<String, String>", into = "BTreeMap<String, String>")]
#[schemars(with = "BTreeMap<String, String>")]
pub(crate) struct Queries {
    by_name: BTreeMap<String, String>,
    /// What `sql` yields over them, once that is known: planning takes a while.
    schema: OnceLock<Option<Schema>>,
}

impl From<BTreeMap<String, String>> for Queries {
    fn from(by_name: BTreeMap<String, String>) -> Self {
        Self {
            by_name,
            ..Self::default()
        }
    }
}

impl From<Queries> for BTreeMap<String, String> {
    fn from(queries: Queries) -> Self {
        queries.by_name
    }
}

impl Queries {
    /// The columns of what `sql` yields over these, or everything that is wrong with them.
    ///
    /// `None` without a problem while nobody knows what the experiment reads, or once the problems
    /// are reported. These queries are always asked with the same `sql`.
    pub(crate) fn schema(&self, sql: &str, problems: &mut Problems) -> Option<Schema> {
        let sources = problems
            .sources()
            .filter(|sources| !sources.is_empty())?
            .clone();
        let schema = self
            .schema
            .get_or_init(|| self.plan(sql, &sources, problems));
        schema.clone()
    }

    fn plan(&self, sql: &str, sources: &Sources, problems: &mut Problems) -> Option<Schema> {
        let mut frames = Frames::empty(sources);
        let mut views = Vec::new();
        for (name, query) in &self.by_name {
            views.push((
                name,
                check(problems, &format!("with.{name}"), query, &frames),
            ));
        }
        for (name, schema) in views {
            frames.insert(name, DataFrame::empty_with_schema(&schema?));
        }
        check(problems, "sql", sql, &frames)
    }

    /// The frames that `sql` reads: results of these, and datasets.
    pub(crate) fn frames(&self, sql: &str, ctx: &Context<'_>) -> Result<Frames, CellError> {
        let queries: Vec<&str> = self
            .by_name
            .values()
            .map(String::as_str)
            .chain([sql])
            .collect();
        let frames = Frames::read(ctx, &queries)?;
        let mut own = frames.mentioned_in(sql);
        for (name, query) in &self.by_name {
            ctx.check()?;
            own.insert(name, frames.ask(query)?);
        }
        Ok(own)
    }
}

/// That conditions on the records of a query make sense; each with the path of the parameter.
pub(crate) fn check_conditions(sql: &str, conditions: &[(String, &str)], problems: &mut Problems) {
    let Some(sources) = problems.sources() else {
        return;
    };
    let frames = Frames::empty(sources);
    let checked = |conditions: &[(String, &str)]| {
        let truth =
            |(n, (_, condition)): (usize, &(String, &str))| format!("({condition}) AS c{n}");
        let truths: Vec<String> = conditions.iter().enumerate().map(truth).collect();
        let sql = format!("SELECT {} FROM ({sql}) AS records", truths.join(", "));
        frames.plan(&sql).and_then(|mut plan| plan.collect_schema())
    };
    // All together, and one by one only to say which is wrong.
    if conditions.is_empty() || checked(conditions).is_ok() {
        return;
    }
    for condition in conditions {
        if let Err(error) = checked(std::slice::from_ref(condition)) {
            let found = explain(&error, condition.1, &frames);
            problems.in_text(&condition.0, found.bytes, found.message, found.label);
        }
    }
}

/// The columns that a query yields, or `None` and a problem with the text parameter at `path`.
fn check(problems: &mut Problems, path: &str, sql: &str, frames: &Frames) -> Option<Schema> {
    match frames.plan(sql).and_then(|mut plan| plan.collect_schema()) {
        Ok(schema) => Some(schema.as_ref().clone()),
        Err(error) => {
            let found = explain(&error, sql, frames);
            problems.in_text(path, found.bytes, found.message, found.label);
            None
        }
    }
}

struct Explained {
    bytes: Range<usize>,
    message: String,
    label: Option<String>,
}

fn explain(error: &PolarsError, text: &str, frames: &Frames) -> Explained {
    let whole = error.to_string();
    let message = whole.lines().next().unwrap_or_default();
    let of_word = |word: &str, what: &str, names: Vec<String>| {
        let mut valid: Vec<&str> = names.iter().map(String::as_str).collect();
        valid.sort_unstable();
        valid.dedup();
        Explained {
            bytes: find_word(text, word),
            message: format!("there is no {what} `{word}`"),
            label: Some(suggestion(word, valid)),
        }
    };
    if let Some(word) = quoted_after(
        message,
        &[
            "unable to find column ",
            "column not found: ",
            "not found: ",
        ],
    ) {
        // A column is looked for by the last part of its name.
        let word = word.rsplit('.').next().unwrap_or(word);
        let columns = frames
            .iter()
            .flat_map(|(_, frame)| frame.get_column_names_owned());
        return of_word(
            word,
            "column",
            columns.map(|name| name.to_string()).collect(),
        );
    }
    if let Some(word) = quoted_after(message, &["relation "]) {
        let names = frames.iter().map(|(name, _)| name.clone());
        return of_word(word, "dataset", names.collect());
    }
    let bytes = line_and_column(message).map_or(0..0, |(line, column)| at(text, line, column));
    let plain = message.split(" at Line: ").next().unwrap_or(message);
    let plain = plain.trim_start_matches("sql parser error: ");
    Explained {
        bytes,
        message: format!("this is no query: {plain}"),
        label: None,
    }
}

/// What stands in quotes right after one of the phrases.
fn quoted_after<'m>(message: &'m str, phrases: &[&str]) -> Option<&'m str> {
    phrases.iter().find_map(|phrase| {
        let rest = &message[message.find(phrase)? + phrase.len()..];
        let quote = rest.chars().next()?;
        if matches!(quote, '"' | '\'' | '`') {
            rest[1..].split(quote).next()
        } else {
            rest.split([' ', ';', ',']).next()
        }
    })
}

/// Where a word stands by itself in a text; nowhere in particular if it does not.
fn find_word(text: &str, word: &str) -> Range<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut places = text.match_indices(word);
    let place = places.find(|(at, _)| {
        !text[..*at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    });
    place.map_or(0..0, |(at, word)| at..at + word.len())
}

/// `… at Line: 2, Column: 8`.
fn line_and_column(message: &str) -> Option<(usize, usize)> {
    let place = message.rsplit_once("Line: ")?.1;
    let (line, column) = place.split_once(", Column: ")?;
    let column = column.split(|c: char| !c.is_ascii_digit()).next()?;
    Some((line.parse().ok()?, column.parse().ok()?))
}

fn at(text: &str, line: usize, column: usize) -> Range<usize> {
    let before: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let rest = text.get(before..).unwrap_or_default();
    let offset = rest
        .char_indices()
        .nth(column.saturating_sub(1))
        .map_or(0, |(at, _)| at);
    let start = before + offset;
    let word = text[start..]
        .split(|c: char| c.is_whitespace() || c == ',')
        .next();
    start..start + word.map_or(0, str::len)
}

/// The columns of a query as those of a dataset; `None` if one has another type than a dataset can.
pub(crate) fn fields_of(schema: &Schema) -> Result<Vec<Field>, String> {
    let field = |(name, of): (&PlSmallStr, &DataType)| {
        let of = match of {
            of if of.is_integer() => FieldType::Int,
            of if of.is_float() => FieldType::Float,
            DataType::Boolean => FieldType::Bool,
            DataType::String | DataType::Null => FieldType::Text,
            other => {
                return Err(format!(
                    "column `{name}` is {other}, which no dataset holds"
                ));
            }
        };
        Ok(Field::new(name.to_string(), of, "", ""))
    };
    schema.iter().map(field).collect()
}
