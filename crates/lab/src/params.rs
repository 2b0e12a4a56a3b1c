//! `[params]` of an experiment file, on its way into the kind's own type.

use std::ops::Range;

use kibitz_experiment::{Kind, Place, Plan, Problems};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Diagnostics, SourceFile};
use kibitz_experiment::suggestion;

/// One entry of the file's `data = { name = "entry" }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DataUse {
    /// The name the kind knows it by, left of the `=`.
    pub(crate) name: String,
    /// The entry in `data/manifest.toml`, right of the `=`.
    pub(crate) entry: String,
    /// Where the entry is named in the file.
    pub(crate) span: Range<usize>,
}

/// Where the parameters of an experiment stand in its file.
///
/// In a quick run the keys of `[quick]` replace those of `[params]`; tables are merged key by
/// key, everything else is replaced whole. Positions point at whichever section a value came
/// from.
#[derive(Debug)]
pub(crate) struct Params<'a> {
    source: &'a SourceFile,
    table: Spanned<DeTable<'a>>,
    data: &'a [DataUse],
    data_span: Range<usize>,
}

impl<'a> Params<'a> {
    /// `[params]` with `[quick]` laid over it, if one is given.
    pub(crate) fn new(
        source: &'a SourceFile,
        params: Spanned<DeTable<'a>>,
        quick: Option<Spanned<DeTable<'a>>>,
        data: &'a [DataUse],
        data_span: Range<usize>,
    ) -> Self {
        let mut table = params;
        if let Some(quick) = quick {
            overlay(table.get_mut(), quick.into_inner());
        }
        Self {
            source,
            table,
            data,
            data_span,
        }
    }

    /// The parameters as the kind's own type, free of problems.
    ///
    /// # Errors
    /// Every unknown key, or the first value of the wrong type or missing key, or everything that
    /// makes no sense.
    pub(crate) fn plan(&self, kind: &Kind) -> Result<Box<dyn Plan>, Diagnostics> {
        let unknown = |key: &str| format!("unknown key `{key}` for kind `{}`", kind.name());
        let plan = decode(self.source, self.table.clone(), &unknown, &|table| {
            kind.read(table)
        })?;
        let mut problems = Problems::new(self.data.iter().map(|used| used.name.clone()));
        plan.check(&mut problems);
        let mut diagnostics = Diagnostics::new();
        for problem in problems.into_found() {
            let span = match &problem.place {
                Place::Param(path) => self.span_of(path),
                Place::Data(name) => {
                    let used = self.data.iter().find(|used| used.name == *name);
                    used.map_or(self.data_span.clone(), |used| used.span.clone())
                }
            };
            let diagnostic = self.source.error_at(span, problem.message);
            diagnostics.push(diagnostic.with_label(problem.label.unwrap_or_default()));
        }
        diagnostics.into_result(plan)
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
pub(crate) fn decode<T>(
    source: &SourceFile,
    table: Spanned<DeTable<'_>>,
    unknown_key: &dyn Fn(&str) -> String,
    read: &dyn Fn(toml::de::Deserializer<'_>) -> Result<T, toml::de::Error>,
) -> Result<T, Diagnostics> {
    let span = table.span();
    let mut table = table;
    let mut problems = Diagnostics::new();
    loop {
        let error = match read(toml::de::Deserializer::from(table.clone())) {
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
