//! TOML through serde, with every problem found at once and in its place.
//!
//! serde gives up at the first thing it cannot read. Here that thing is reported, taken out of the
//! table, and the rest is read again.

use std::ops::Range;

use kibitz_experiment::suggestion;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Diagnostics, SourceFile};

/// What kind of table is read, for messages.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'r> {
    /// Ends messages about keys (`for kind `squares``); none when they name their table.
    pub(crate) about: Option<&'r str>,
    /// What to write at a path, where an example says more than a type.
    pub(crate) example: fn(&[&str]) -> Option<&'static str>,
}

/// A step from a table or an array to what is in it.
#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Item(usize),
}

/// The tables of a TOML file; none if it is no TOML.
pub(crate) fn parse<'a>(
    source: &'a SourceFile,
    problems: &mut Diagnostics,
) -> Option<Spanned<DeTable<'a>>> {
    let (root, errors) = DeTable::parse_recoverable(source.text());
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        problems.push(source.error_at(span, error.message()));
    }
    errors.is_empty().then_some(root)
}

/// A whole file as a type; of one with problems what can be read, if anything.
pub(crate) fn read_file<T: DeserializeOwned>(
    source: &SourceFile,
    problems: &mut Diagnostics,
) -> Option<T> {
    let reader = Reader {
        about: None,
        example: |_| None,
    };
    let root = parse(source, problems)?;
    reader.read(source, root, &|table| T::deserialize(table), problems)
}

impl Reader<'_> {
    /// A table as a type; of one with problems what can be read, if anything.
    pub(crate) fn read<T>(
        &self,
        source: &SourceFile,
        table: Spanned<DeTable<'_>>,
        read: &dyn Fn(toml::de::Deserializer<'_>) -> Result<T, toml::de::Error>,
        problems: &mut Diagnostics,
    ) -> Option<T> {
        let span = table.span();
        let mut root = DeValue::Table(table.into_inner());
        // Keys taken out, which are not missing although serde will say so.
        let mut removed: Vec<(Range<usize>, String)> = Vec::new();
        // Tables and arrays that something was taken out of or added to: what serde says of them
        // as a whole is no news.
        let mut damaged: Vec<Range<usize>> = Vec::new();
        // Tables that are read with an empty text for a missing key, until all else is known.
        let mut incomplete: Vec<Range<usize>> = Vec::new();
        let mut placeholder = usize::MAX;
        loop {
            let table = root.as_table().cloned().unwrap_or_default();
            let error = match read(toml::de::Deserializer::from(Spanned::new(
                span.clone(),
                table,
            ))) {
                Ok(value) => match incomplete.pop() {
                    Some(at) => {
                        let path = path_to(&root, &at)?;
                        remove(&mut root, &path);
                        continue;
                    }
                    None => return Some(value),
                },
                Err(error) => error,
            };
            let at = error.span().unwrap_or(span.clone());
            let is_root = at == span;
            let path = path_to(&root, &at).filter(|_| !is_root).unwrap_or_default();
            match Complaint::parse(error.message()) {
                Complaint::UnknownKey(found, valid) => {
                    let whose = self.whose(&path[..path.len().saturating_sub(1)]);
                    let message = format!("unknown key `{found}`{whose}");
                    let label = suggestion(found, valid);
                    problems.push(source.error_at(at, message).with_label(label));
                    if !remove(&mut root, &path) {
                        return None;
                    }
                }
                Complaint::Missing(key) => {
                    if !removed.contains(&(at.clone(), key.to_owned())) {
                        let message = format!("missing key `{key}`{}", self.whose(&path));
                        let label = self
                            .example_at(&path, Some(key))
                            .map_or_else(String::new, |text| format!("write `{key} = {text}`"));
                        let at = first_line(source, at.clone());
                        problems.push(source.error_at(at, message).with_label(label));
                    }
                    // A place no file has, so that a complaint about the text is known.
                    placeholder -= 1;
                    let nowhere = placeholder..placeholder;
                    let empty = Spanned::new(nowhere.clone(), DeValue::String("".into()));
                    let key = Spanned::new(nowhere, key.to_owned().into());
                    table_at(&mut root, &path)?.insert(key, empty);
                    damaged.push(at.clone());
                    if !is_root && !incomplete.contains(&at) {
                        incomplete.push(at);
                    }
                }
                Complaint::Other(..) if at.start >= placeholder => {
                    let (_, table) = path.split_last()?;
                    incomplete.retain(|span| span_of(&root, table).as_ref() != Some(span));
                    if !remove(&mut root, table) {
                        return None;
                    }
                }
                Complaint::Other(message, label) => {
                    if !damaged.contains(&at) {
                        let example = self.example_at(&path, None);
                        let label =
                            label.or_else(|| example.map(|example| format!("write {example}")));
                        let diagnostic = source.error_at(at.clone(), message);
                        problems.push(diagnostic.with_label(label.unwrap_or_default()));
                    }
                    incomplete.retain(|span| *span != at);
                    let (last, parent) = path.split_last()?;
                    let parent = span_of(&root, parent).unwrap_or(span.clone());
                    if let Step::Key(key) = last {
                        removed.push((parent.clone(), key.clone()));
                    }
                    damaged.push(parent);
                    if !remove(&mut root, &path) {
                        return None;
                    }
                }
            }
        }
    }

    /// ` in `run``, ` in [[check]]`.
    fn whose(&self, path: &[Step]) -> String {
        if let Some(about) = self.about {
            return format!(" {about}");
        }
        let keys: Vec<&str> = path.iter().filter_map(Step::key).collect();
        match path.last() {
            None => String::new(),
            Some(Step::Key(_)) => format!(" in `{}`", keys.join(".")),
            Some(Step::Item(_)) => format!(" in [[{}]]", keys.join(".")),
        }
    }

    fn example_at(&self, path: &[Step], key: Option<&str>) -> Option<&'static str> {
        let keys: Vec<&str> = path.iter().filter_map(Step::key).chain(key).collect();
        (self.example)(&keys)
    }
}

impl Step {
    fn key(&self) -> Option<&str> {
        match self {
            Self::Key(key) => Some(key),
            Self::Item(_) => None,
        }
    }
}

/// The way to the innermost thing that stands at `at`, or whose key does.
fn path_to(node: &DeValue<'_>, at: &Range<usize>) -> Option<Vec<Step>> {
    let further = |step: Step, key_span: Option<Range<usize>>, value: &Spanned<DeValue<'_>>| {
        let here = || (key_span.as_ref() == Some(at) || value.span() == *at).then(Vec::new);
        let mut path = path_to(value.get_ref(), at).or_else(here)?;
        path.insert(0, step);
        Some(path)
    };
    match node {
        DeValue::Table(table) => table.iter().find_map(|(key, value)| {
            further(Step::Key(key.get_ref().to_string()), Some(key.span()), value)
        }),
        DeValue::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(idx, item)| further(Step::Item(idx), None, item)),
        _ => None,
    }
}

fn span_of(node: &DeValue<'_>, path: &[Step]) -> Option<Range<usize>> {
    let (step, rest) = path.split_first()?;
    let next = match (node, step) {
        (DeValue::Table(table), Step::Key(key)) => table.get(key.as_str())?,
        (DeValue::Array(items), Step::Item(idx)) => items.get(*idx)?,
        _ => return None,
    };
    span_of(next.get_ref(), rest).or_else(|| rest.is_empty().then(|| next.span()))
}

fn node_at<'n, 'a>(node: &'n mut DeValue<'a>, path: &[Step]) -> Option<&'n mut DeValue<'a>> {
    let Some((step, rest)) = path.split_first() else {
        return Some(node);
    };
    let next = match (node, step) {
        (DeValue::Table(table), Step::Key(key)) => table.get_mut(key.as_str())?,
        (DeValue::Array(items), Step::Item(idx)) => items.get_mut(*idx)?,
        _ => return None,
    };
    node_at(next.get_mut(), rest)
}

fn table_at<'n, 'a>(root: &'n mut DeValue<'a>, path: &[Step]) -> Option<&'n mut DeTable<'a>> {
    match node_at(root, path)? {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

/// Takes out what is at `path`; false if there is nothing.
fn remove(root: &mut DeValue<'_>, path: &[Step]) -> bool {
    let Some((last, parent)) = path.split_last() else {
        return false;
    };
    match (node_at(root, parent), last) {
        (Some(DeValue::Table(table)), Step::Key(key)) => table.remove(key.as_str()).is_some(),
        (Some(DeValue::Array(items)), Step::Item(idx)) if *idx < items.len() => {
            let kept = items.clone().into_iter().enumerate();
            *items = kept.filter(|(at, _)| at != idx).map(|(_, item)| item).collect();
            true
        }
        _ => false,
    }
}

/// The header of a table, or its first line.
fn first_line(source: &SourceFile, span: Range<usize>) -> Range<usize> {
    let text = source.text().get(span.clone()).unwrap_or_default();
    span.start..text.find('\n').map_or(span.end, |at| span.start + at)
}

/// A message of serde, taken apart: its errors carry names and types only as text.
enum Complaint<'m> {
    /// A key with those it could have been.
    UnknownKey(&'m str, Vec<&'m str>),
    Missing(&'m str),
    /// Anything else, in words that need no knowledge of Rust, perhaps with what to write.
    Other(String, Option<String>),
}

impl<'m> Complaint<'m> {
    fn parse(message: &'m str) -> Self {
        let message = message.trim_end();
        let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        match (message.split(" `").next(), quoted.as_slice()) {
            (Some("unknown field"), [found, valid @ ..]) => {
                Self::UnknownKey(found, valid.to_vec())
            }
            (Some("missing field"), [key]) => Self::Missing(key),
            (Some("unknown variant"), [found, valid @ ..]) => Self::Other(
                format!("unknown value `{found}`"),
                Some(suggestion(found, valid.iter().copied())),
            ),
            _ => Self::Other(plainly(message), None),
        }
    }
}

fn plainly(message: &str) -> String {
    match message {
        "wanted string or table" => return "expected a word or a table with one key".to_owned(),
        "wanted exactly 1 element, found 0 elements" => {
            return "found an empty table, expected one with one key".to_owned();
        }
        "wanted exactly 1 element, more than 1 element" => {
            return "found a table with several keys, expected one with one key".to_owned();
        }
        _ => {}
    }
    let Some((found, expected)) = message.rsplit_once("expected ") else {
        return message.to_owned();
    };
    let expected = match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, zero or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "nonzero u8" | "nonzero u16" | "nonzero u32" | "nonzero u64" | "nonzero usize"
        | "a nonzero u32" | "a nonzero u64" | "a nonzero usize" => "a whole number, one or more",
        "a map" => "a table",
        "a sequence" => "an array",
        other if other.starts_with("struct ") => "a table",
        other => other,
    };
    let found = found
        .replace("invalid type: ", "found ")
        .replace("invalid value: ", "found ")
        .replace("floating point", "the number")
        .replace("integer", "the number")
        .replace("found map", "found a table")
        .replace("found sequence", "found an array");
    format!("{found}expected {expected}")
}
