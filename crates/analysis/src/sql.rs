//! SQL queries: run, or their mistakes with their places.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use kibitz_experiment::{CellError, Context, Field, FieldType, Problems, Sources, suggestion};
use polars::prelude::*;
use polars::sql::keywords::all_functions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    frames::Frames,
    statement::{Mistake, NameRole, Names, read_condition, read_query},
    wording::{first_line, meaning, quoted},
};

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
    /// The columns of the result of `sql` over these, or all errors in them.
    ///
    /// `None` without a problem if the sources of the experiment are not known, or once the problems are
    /// reported. These queries are always used with the same `sql`.
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
            own.insert(name, frames.ask(query, ctx)?);
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
    let mut read = Vec::new();
    for (path, condition) in conditions {
        match read_condition(condition) {
            Ok(names) => read.push(names),
            Err(mistakes) => tell(problems, path, mistakes),
        }
    }
    if read.len() < conditions.len() {
        return;
    }
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
    for (condition, names) in conditions.iter().zip(&read) {
        if let Err(error) = checked(std::slice::from_ref(condition)) {
            tell(problems, &condition.0, [explain(error, names, &frames)]);
        }
    }
}

/// The columns that a query yields, or `None` and a problem with the text parameter at `path`.
fn check(problems: &mut Problems, path: &str, sql: &str, frames: &Frames) -> Option<Schema> {
    let names = match read_query(sql) {
        Ok(names) => names,
        Err(mistakes) => {
            tell(problems, path, mistakes);
            return None;
        }
    };
    match frames.plan(sql).and_then(|mut plan| plan.collect_schema()) {
        Ok(schema) => Some(schema.as_ref().clone()),
        Err(error) => {
            tell(problems, path, [explain(error, &names, frames)]);
            None
        }
    }
}

/// Reports mistakes in the text parameter at `path`.
fn tell(problems: &mut Problems, path: &str, mistakes: impl IntoIterator<Item = Mistake>) {
    for mistake in mistakes {
        problems.in_text(path, mistake.bytes, mistake.message, mistake.label);
    }
}

/// The explanation of an error of polars in a query with these names.
fn explain(error: PolarsError, names: &Names, frames: &Frames) -> Mistake {
    let message = first_line(error);
    let unknown = |of: NameRole, what: &str, word: &str, mut valid: Vec<String>| {
        valid.sort_unstable();
        valid.dedup();
        Mistake {
            bytes: names.place(of, word),
            message: format!("unknown {what} `{word}`"),
            label: Some(suggestion(word, valid.iter().map(String::as_str))),
        }
    };
    let of_frames = || {
        let columns = frames
            .iter()
            .flat_map(|(_, frame)| frame.get_column_names_owned());
        columns.map(|name| name.to_string()).collect()
    };
    let datasets = || frames.iter().map(|(name, _)| name.clone()).collect();
    if let Some(word) = quoted_after(&message, &COLUMN) {
        // A column is looked for by the last part of its name.
        let word = word.rsplit('.').next().unwrap_or(word);
        let valid = listed_after(&message, "valid columns: ").unwrap_or_else(of_frames);
        return unknown(NameRole::Column, "column", word, valid);
    }
    if let Some(word) = quoted_after(&message, &["relation "]) {
        return unknown(NameRole::Relation, "dataset", word, datasets());
    }
    if let Some(word) = quoted_after(&message, &["no table or struct column named "]) {
        return unknown(NameRole::Qualifier, "table or alias", word, datasets());
    }
    if let Some(word) = quoted_after(&message, &["unsupported function "]) {
        let valid = all_functions().into_iter().map(str::to_owned);
        return unknown(NameRole::Function, "function", word, valid.collect());
    }
    let all = [NameRole::Column, NameRole::Function];
    let mut places = quoted(&message).flat_map(|word| all.map(|of| names.place(of, word)));
    Mistake {
        bytes: places.find(|place| !place.is_empty()).unwrap_or(0..0),
        message: format!("the query cannot be asked: {}", meaning(&message)),
        label: None,
    }
}

/// What polars says before the name of a column that is not there.
const COLUMN: [&str; 3] = ["unable to find column ", "no column named ", "not found: "];

/// The message for an error of polars in a running query.
pub(crate) fn plain(error: PolarsError) -> CellError {
    let meant = meaning(&first_line(error));
    CellError::new(format!("the query cannot be asked: {meant}"))
}

/// The quoted text right after one of the phrases.
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

/// The names of a list such as `["a", "b"]` after a phrase.
fn listed_after(message: &str, phrase: &str) -> Option<Vec<String>> {
    let (_, rest) = message.split_once(phrase)?;
    let list = rest.strip_prefix('[')?.split(']').next()?;
    Some(quoted(list).map(str::to_owned).collect())
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
