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

/// An example that says no more than that a string is wanted.
pub(crate) const ANY_TEXT: &str = "\"…\"";

/// After so many problems in a file nobody reads on.
pub(crate) const MOST_PROBLEMS: usize = 50;

/// What kind of table is read, for messages.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'r> {
    /// Ends messages about keys: for which kind they are. None when messages name the table.
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
    for error in errors.iter().take(MOST_PROBLEMS) {
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
        let mut rest = Rest::new(table);
        let before = problems.len();
        loop {
            if problems.len() - before >= MOST_PROBLEMS {
                let message = "too many problems: the rest of this file is not looked at";
                problems.push(source.error_at(rest.span.clone(), message));
                return None;
            }
            let error = match read(toml::de::Deserializer::from(rest.table())) {
                Ok(value) => match rest.incomplete.last().cloned() {
                    Some(at) => {
                        rest.take_out(&rest.path_to(&at))?;
                        continue;
                    }
                    None => return Some(value),
                },
                Err(error) => error,
            };
            let at = error.span().unwrap_or(rest.span.clone());
            let path = rest.path_to(&at);
            match Complaint::parse(error.message()) {
                Complaint::UnknownKey(found, valid) => {
                    let (_, table) = path.split_last()?;
                    let message = format!("unknown key `{found}`{}", self.whose(table));
                    let label = suggestion(found, valid);
                    problems.push(source.error_at(at, message).with_label(label));
                    remove(&mut rest.root, &path)?;
                }
                Complaint::Missing(key) => {
                    if !rest.removed.contains(&(at.clone(), key.to_owned())) {
                        let whose = self
                            .about
                            .map_or_else(|| self.whose(&path), |_| String::new());
                        let message = format!("missing key `{key}`{whose}");
                        let example = self.example_at(&path, Some(key));
                        let label = example.map(|example| format!("write `{key} = {example}`"));
                        let problem = source.error_at(first_line(source, at.clone()), message);
                        problems.push(problem.with_label(label.unwrap_or_default()));
                    }
                    rest.fill_in(&path, at, key)?;
                }
                Complaint::Other(..) if rest.is_filled_in(&at) => {
                    let (_, table) = path.split_last()?;
                    rest.take_out(table)?;
                }
                Complaint::Other(message, label) => {
                    if !rest.damaged.contains(&at) {
                        let example = self.example_at(&path, None);
                        let example = example.filter(|example| *example != ANY_TEXT);
                        let label =
                            label.or_else(|| example.map(|example| format!("write {example}")));
                        let problem = source.error_at(at, message);
                        problems.push(problem.with_label(label.unwrap_or_default()));
                    }
                    rest.take_out(&path)?;
                }
            }
        }
    }

    /// How a message about a key ends: in which table it is, or for which kind.
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

/// What is left of a table while it is read again and again.
struct Rest<'a> {
    root: DeValue<'a>,
    span: Range<usize>,
    /// Keys taken out, by the place of their table: not missing, although serde will say so.
    removed: Vec<(Range<usize>, String)>,
    /// Tables and arrays that something was taken out of or added to: what serde says of them as
    /// a whole is no news.
    damaged: Vec<Range<usize>>,
    /// Tables with an empty text for a missing key, which are taken out once all else is read.
    incomplete: Vec<Range<usize>>,
    /// Where the last text was filled in: a place that no file has.
    filled_in: usize,
}

impl<'a> Rest<'a> {
    fn new(table: Spanned<DeTable<'a>>) -> Self {
        Self {
            span: table.span(),
            root: DeValue::Table(table.into_inner()),
            removed: Vec::new(),
            damaged: Vec::new(),
            incomplete: Vec::new(),
            filled_in: usize::MAX,
        }
    }

    fn table(&self) -> Spanned<DeTable<'a>> {
        let table = self.root.as_table().cloned();
        Spanned::new(self.span.clone(), table.unwrap_or_default())
    }

    /// The way to what stands at `at`; empty for the table itself.
    fn path_to(&self, at: &Range<usize>) -> Vec<Step> {
        let path = path_to(&self.root, at).filter(|_| *at != self.span);
        path.unwrap_or_default()
    }

    fn is_filled_in(&self, at: &Range<usize>) -> bool {
        at.start >= self.filled_in
    }

    /// Adds an empty text for a missing key of the table at `path`.
    fn fill_in(&mut self, path: &[Step], at: Range<usize>, key: &str) -> Option<()> {
        self.filled_in -= 1;
        let nowhere = self.filled_in..self.filled_in;
        let key = Spanned::new(nowhere.clone(), key.to_owned().into());
        let DeValue::Table(table) = node_at(&mut self.root, path)? else {
            return None;
        };
        table.insert(key, Spanned::new(nowhere, DeValue::String("".into())));
        if at != self.span && !self.incomplete.contains(&at) {
            self.incomplete.push(at.clone());
        }
        self.damaged.push(at);
        Some(())
    }

    /// Takes out what cannot be read; `None` if that is everything.
    fn take_out(&mut self, path: &[Step]) -> Option<()> {
        let (last, parent) = path.split_last()?;
        let at = span_of(&self.root, path);
        self.incomplete.retain(|span| Some(span) != at.as_ref());
        let parent = span_of(&self.root, parent).unwrap_or(self.span.clone());
        if let Step::Key(key) = last {
            self.removed.push((parent.clone(), key.clone()));
        }
        self.damaged.push(parent);
        remove(&mut self.root, path)
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
            further(
                Step::Key(key.get_ref().to_string()),
                Some(key.span()),
                value,
            )
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

/// Takes out what is at `path`; `None` if there is nothing.
fn remove(root: &mut DeValue<'_>, path: &[Step]) -> Option<()> {
    let (last, parent) = path.split_last()?;
    match (node_at(root, parent)?, last) {
        (DeValue::Table(table), Step::Key(key)) => {
            table.remove(key.as_str())?;
        }
        (DeValue::Array(items), Step::Item(idx)) => {
            let kept = items.clone().into_iter().enumerate();
            *items = kept
                .filter(|(at, _)| at != idx)
                .map(|(_, item)| item)
                .collect();
        }
        _ => return None,
    }
    Some(())
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
            (Some("unknown field"), [found, valid @ ..]) => Self::UnknownKey(found, valid.to_vec()),
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
