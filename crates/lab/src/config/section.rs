//! Reading one table of a TOML file key by key, so that every problem in it is found at once.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Diagnostics, SourceFile};
use kibitz_experiment::suggestion;

/// A value with its place in the file.
pub(crate) type Node<'a> = Spanned<DeValue<'a>>;

/// A table being read. Keys asked for become the valid ones; [`Section::finish`] reports the rest.
pub(crate) struct Section<'a, 't> {
    source: &'t SourceFile,
    /// How messages name the table: `[run]`, `this file`.
    name: String,
    table: &'t DeTable<'a>,
    span: Range<usize>,
    known: Vec<&'static str>,
    problems: Diagnostics,
}

impl<'a, 't> Section<'a, 't> {
    pub(crate) fn new(
        source: &'t SourceFile,
        name: impl Into<String>,
        table: &'t DeTable<'a>,
        span: Range<usize>,
    ) -> Self {
        Self {
            source,
            name: name.into(),
            table,
            span,
            known: Vec::new(),
            problems: Diagnostics::new(),
        }
    }

    /// The table behind `node`, or a problem saying that it should be one.
    pub(crate) fn of(
        source: &'t SourceFile,
        name: impl Into<String>,
        node: &'t Node<'a>,
        problems: &mut Diagnostics,
    ) -> Option<Self> {
        let name = name.into();
        if let DeValue::Table(table) = node.get_ref() {
            Some(Self::new(source, name, table, node.span()))
        } else {
            problems.push(source.error_at(
                node.span(),
                format!("{name} must be a table, found {}", kind_of(node.get_ref())),
            ));
            None
        }
    }

    pub(crate) fn get(&mut self, key: &'static str) -> Option<&'t Node<'a>> {
        self.known.push(key);
        self.table.get(key)
    }

    pub(crate) fn problem(&mut self, span: Range<usize>, message: impl Into<String>) {
        self.problems.push(self.source.error_at(span, message));
    }

    /// That `key` is there; says what to write when it is not.
    pub(crate) fn require(&mut self, key: &'static str, example: &str) {
        if !self.table.contains_key(key) {
            let message = format!("{} needs `{key}`", self.name);
            self.problems.push(
                self.source
                    .error_at(self.first_line(), message)
                    .with_label(format!("write `{key} = {example}`")),
            );
        }
    }

    /// The header of the table, or its first line.
    fn first_line(&self) -> Range<usize> {
        let end = self.source.text()[self.span.start..]
            .find('\n')
            .map_or(self.span.end, |at| self.span.start + at);
        self.span.start..end.min(self.span.end)
    }

    fn typed<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        read: impl Fn(&'t DeValue<'a>) -> Option<T>,
    ) -> Option<Spanned<T>> {
        let node = self.get(key)?;
        if let Some(value) = read(node.get_ref()) {
            return Some(Spanned::new(node.span(), value));
        }
        let message = format!(
            "`{key}` must be {expected}, found {}",
            kind_of(node.get_ref())
        );
        self.problem(node.span(), message);
        None
    }

    pub(crate) fn string(&mut self, key: &'static str) -> Option<Spanned<String>> {
        self.typed(key, "a string", |value| value.as_str().map(str::to_owned))
    }

    pub(crate) fn whole(&mut self, key: &'static str) -> Option<Spanned<u64>> {
        self.typed(key, "a whole number, zero or more", whole)
    }

    pub(crate) fn number(&mut self, key: &'static str) -> Option<Spanned<f64>> {
        self.typed(key, "a number", number)
    }

    /// A string or an array of strings.
    pub(crate) fn strings(&mut self, key: &'static str) -> Option<Vec<Spanned<String>>> {
        let node = self.get(key)?;
        let items = match node.get_ref() {
            DeValue::Array(items) => items.iter().collect(),
            _ => vec![node],
        };
        let mut strings = Vec::new();
        for item in items {
            if let Some(text) = item.get_ref().as_str() {
                strings.push(Spanned::new(item.span(), text.to_owned()));
            } else {
                let found = kind_of(item.get_ref());
                self.problem(
                    item.span(),
                    format!("`{key}` must be a string or an array of strings, found {found}"),
                );
            }
        }
        Some(strings)
    }

    /// Reports the keys nobody asked for and hands everything found to `problems`.
    pub(crate) fn finish(mut self, problems: &mut Diagnostics) {
        for (key, _) in in_file_order(self.table) {
            let name = key.get_ref().as_ref();
            if !self.known.contains(&name) {
                let diagnostic = self
                    .source
                    .error_at(key.span(), format!("unknown key `{name}` in {}", self.name))
                    .with_label(suggestion(name, self.known.iter().copied()));
                self.problems.push(diagnostic);
            }
        }
        problems.append(self.problems);
    }
}

/// The entries of a table as the file lists them; the parser keeps them sorted by name.
pub(crate) fn in_file_order<'t, 'a>(
    table: &'t DeTable<'a>,
) -> Vec<(&'t Spanned<std::borrow::Cow<'a, str>>, &'t Node<'a>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// A value's type with its article.
pub(crate) fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

pub(crate) fn whole(value: &DeValue<'_>) -> Option<u64> {
    let integer = value.as_integer()?;
    u64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// An integer or a finite float.
pub(crate) fn number(value: &DeValue<'_>) -> Option<f64> {
    let number = match value {
        DeValue::Integer(integer) => {
            i64::from_str_radix(integer.as_str(), integer.radix()).ok()? as f64
        }
        DeValue::Float(float) => float.as_str().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}
