//! `[params]` of an experiment file, on its way into the kind's own type.

use std::cell::RefCell;
use std::ops::Range;

use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Diagnostic, Diagnostics, SourceFile, suggestion};

/// One entry of the file's `data = { name = "entry" }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataUse {
    /// The name the kind knows it by, left of the `=`.
    pub name: String,
    /// The entry in `data/manifest.toml`, right of the `=`.
    pub entry: String,
    /// Where the entry is named in the file.
    pub(crate) span: Range<usize>,
}

/// The parameters of an experiment with their positions in the file.
///
/// In a quick run the keys of `[quick]` replace those of `[params]`; tables are merged key by
/// key, everything else is replaced whole. Positions point at whichever section a value came
/// from.
#[derive(Debug)]
pub struct Params<'a> {
    source: &'a SourceFile,
    kind: &'a str,
    table: Spanned<DeTable<'a>>,
    data: &'a [DataUse],
    data_span: Range<usize>,
    quick: bool,
    resolved: RefCell<Option<serde_json::Value>>,
}

impl<'a> Params<'a> {
    /// `[params]` with `[quick]` laid over it, if one is given.
    pub(crate) fn new(
        source: &'a SourceFile,
        kind: &'a str,
        params: Spanned<DeTable<'a>>,
        quick: Option<Spanned<DeTable<'a>>>,
        data: &'a [DataUse],
        data_span: Range<usize>,
    ) -> Self {
        let mut table = params;
        let is_quick = quick.is_some();
        if let Some(quick) = quick {
            overlay(table.get_mut(), quick.into_inner());
        }
        Self {
            source,
            kind,
            table,
            data,
            data_span,
            quick: is_quick,
            resolved: RefCell::new(None),
        }
    }

    /// The parameters as the kind's own type.
    ///
    /// The type should carry `#[serde(deny_unknown_fields, rename_all = "kebab-case")]`, so that
    /// a misspelt key is an error with a position and the nearest valid key; all misspelt keys
    /// are reported together. Avoid `flatten` and internally tagged enums: serde loses the
    /// position of everything inside them. The serialized value, defaults included, becomes
    /// part of the inputs key.
    ///
    /// # Errors
    /// Every unknown key, or the first value of the wrong type or missing key.
    pub fn read<T: DeserializeOwned + Serialize>(&self) -> Result<T, Diagnostics> {
        let value = decode::<T>(self.source, self.table.clone(), &|key| {
            format!("unknown key `{key}` for kind `{}`", self.kind)
        })?;
        let resolved = serde_json::to_value(&value).map_err(|error| {
            Diagnostics::from(self.source.error_at(
                self.table.span(),
                format!("the parameters cannot be written down again: {error}"),
            ))
        })?;
        *self.resolved.borrow_mut() = Some(resolved);
        Ok(value)
    }

    /// A problem with the value at `path`: keys and array positions joined by dots
    /// (`"optimizer.tolerance"`, `"runs.2.games"`).
    ///
    /// Marks the value; when the file leaves the key out, the nearest enclosing table that is
    /// there.
    pub fn error_at(&self, path: &str, message: impl Into<String>) -> Diagnostic {
        self.source.error_at(self.span_of(path), message)
    }

    /// A problem with `data = { … }`: at the entry of that name, or at `data` itself.
    pub fn data_error(&self, name: &str, message: impl Into<String>) -> Diagnostic {
        let span = self
            .data
            .iter()
            .find(|used| used.name == name)
            .map_or(self.data_span.clone(), |used| used.span.clone());
        self.source.error_at(span, message)
    }

    /// The data the file declares, in file order.
    pub fn data(&self) -> &[DataUse] {
        self.data
    }

    /// Whether the file declares data under this name.
    pub fn has_data(&self, name: &str) -> bool {
        self.data.iter().any(|used| used.name == name)
    }

    /// That the file declares data under each of these names, and no other.
    ///
    /// # Errors
    /// Every missing and every unknown name, with positions.
    pub fn expect_data(&self, names: &[&str]) -> Result<(), Diagnostics> {
        let mut problems = Diagnostics::new();
        for used in self.data {
            if !names.contains(&used.name.as_str()) {
                problems.push(
                    self.data_error(
                        &used.name,
                        format!("kind `{}` reads no data called `{}`", self.kind, used.name),
                    )
                    .with_label(suggestion(&used.name, names.iter().copied())),
                );
            }
        }
        for name in names {
            if !self.has_data(name) {
                problems.push(
                    self.data_error(name, format!("kind `{}` needs data `{name}`", self.kind))
                        .with_label(format!(
                            "write `{name} = \"…\"` with an entry of data/manifest.toml"
                        )),
                );
            }
        }
        problems.into_result(())
    }

    /// Whether `[quick]` is applied.
    pub fn quick(&self) -> bool {
        self.quick
    }

    /// The parameters as read by the kind, defaults included; as written when it read none.
    pub(crate) fn resolved(&self) -> serde_json::Value {
        self.resolved
            .borrow()
            .clone()
            .unwrap_or_else(|| table_to_json(self.table.get_ref()))
    }

    fn span_of(&self, path: &str) -> Range<usize> {
        let mut span = self.table.span();
        let mut table = Some(self.table.get_ref());
        let mut value: Option<&Spanned<DeValue<'_>>> = None;
        for part in path.split('.').filter(|part| !part.is_empty()) {
            let next = match (table, value.map(Spanned::get_ref)) {
                (Some(table), _) => table.get(part),
                (None, Some(DeValue::Array(items))) => {
                    part.parse::<usize>().ok().and_then(|idx| items.get(idx))
                }
                _ => None,
            };
            let Some(next) = next else { break };
            span = next.span();
            table = next.get_ref().as_table();
            value = Some(next);
        }
        span
    }
}

/// Lays `top` over `base`: tables key by key, everything else whole.
fn overlay<'a>(base: &mut DeTable<'a>, top: DeTable<'a>) {
    for (key, value) in top {
        if let Some(existing) = base.get_mut(key.get_ref().as_ref())
            && let (DeValue::Table(below), DeValue::Table(_)) =
                (existing.get_mut(), value.get_ref())
        {
            if let DeValue::Table(above) = value.into_inner() {
                overlay(below, above);
            }
            continue;
        }
        // A map keeps the old key on insertion; the new one carries the position in `[quick]`.
        base.remove(key.get_ref().as_ref());
        base.insert(key, value);
    }
}

/// Deserializes a table, collecting every unknown key before giving up.
pub(crate) fn decode<T: DeserializeOwned>(
    source: &SourceFile,
    table: Spanned<DeTable<'_>>,
    unknown_key: &dyn Fn(&str) -> String,
) -> Result<T, Diagnostics> {
    let span = table.span();
    let mut table = table;
    let mut problems = Diagnostics::new();
    loop {
        let error = match T::deserialize(toml::de::Deserializer::from(table.clone())) {
            Ok(value) => return problems.into_result(value),
            Err(error) => error,
        };
        let at = error.span().unwrap_or(span.clone());
        match UnknownName::parse(error.message()) {
            Some(unknown) if unknown.what == "field" => {
                let removed = remove_key_at(table.get_mut(), &at);
                problems.push(
                    source
                        .error_at(at, unknown_key(unknown.found))
                        .with_label(unknown.suggestion()),
                );
                if !removed {
                    return Err(problems);
                }
            }
            unknown => {
                let diagnostic = match unknown {
                    Some(unknown) => source
                        .error_at(at, format!("unknown value `{}`", unknown.found))
                        .with_label(unknown.suggestion()),
                    None => source.error_at(at, plainly(error.message())),
                };
                problems.push(diagnostic);
                return Err(problems);
            }
        }
    }
}

/// serde's message in words that need no knowledge of Rust.
fn plainly(message: &str) -> String {
    let message = message.trim_end();
    if let Some(name) = message.strip_prefix("missing field ") {
        return format!("missing key {name}");
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
        other => other,
    };
    let found = found
        .replace("invalid type: ", "found ")
        .replace("invalid value: ", "found ")
        .replace("floating point", "the number")
        .replace("integer", "the number");
    format!("{found}expected {expected}")
}

/// serde's "unknown field" and "unknown variant" messages, taken apart: its errors carry the
/// names only as text.
struct UnknownName<'m> {
    what: &'m str,
    found: &'m str,
    expected: Vec<&'m str>,
}

impl<'m> UnknownName<'m> {
    fn parse(message: &'m str) -> Option<Self> {
        let rest = message.strip_prefix("unknown ")?;
        let (what, rest) = rest.split_once(" `")?;
        let (found, rest) = rest.split_once('`')?;
        if !matches!(what, "field" | "variant") {
            return None;
        }
        let expected = rest.split('`').skip(1).step_by(2).collect();
        Some(Self {
            what,
            found,
            expected,
        })
    }

    fn suggestion(&self) -> String {
        suggestion(self.found, self.expected.iter().copied())
    }
}

/// Removes the key whose name stands at `at`, at any depth; false when there is none.
fn remove_key_at(table: &mut DeTable<'_>, at: &Range<usize>) -> bool {
    let here = table
        .keys()
        .find(|key| key.span() == *at)
        .map(|key| key.get_ref().to_string());
    if let Some(key) = here {
        table.remove(key.as_str());
        return true;
    }
    table
        .iter_mut()
        .any(|(_, value)| remove_key_in(value.get_mut(), at))
}

fn remove_key_in(value: &mut DeValue<'_>, at: &Range<usize>) -> bool {
    match value {
        DeValue::Table(table) => remove_key_at(table, at),
        DeValue::Array(items) => items
            .iter_mut()
            .any(|item| remove_key_in(item.get_mut(), at)),
        _ => false,
    }
}

/// A table as JSON, keys sorted; for showing and hashing.
pub(crate) fn table_to_json(table: &DeTable<'_>) -> serde_json::Value {
    table
        .iter()
        .map(|(key, value)| (key.get_ref().to_string(), value_to_json(value.get_ref())))
        .collect()
}

fn value_to_json(value: &DeValue<'_>) -> serde_json::Value {
    match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| number.to_string().into(), Into::into),
        DeValue::Float(number) => number
            .as_str()
            .parse::<f64>()
            .map_or_else(|_| number.to_string().into(), Into::into),
        DeValue::Boolean(truth) => (*truth).into(),
        DeValue::Datetime(when) => when.to_string().into(),
        DeValue::Array(items) => items
            .iter()
            .map(|item| value_to_json(item.get_ref()))
            .collect(),
        DeValue::Table(table) => table_to_json(table),
    }
}
