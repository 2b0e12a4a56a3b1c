//! Errors of polars in the words of a query: no plans, no names of its own types, no remarks to its
//! developers.

use std::sync::LazyLock;

use polars::error::PolarsError;
use regex::{Captures, Regex};

/// Messages of polars and their explanations. `a` and `b` are types, shown by their contents; the other
/// groups are names and numbers.
const MEANINGS: [(&str, &str); 17] = [
    (
        r"^'is_in' cannot check for List\((?<b>\w+)\) values in (?<a>\w+) data",
        "IN compares {a} with {b}",
    ),
    (
        r"^cannot compare string with numeric type \((?<a>\w+)\)",
        "strings are compared with {a}",
    ),
    (
        r"^filter predicate must be of type `Boolean`, got `(?<a>\w+)`",
        "a condition is expected, not {a}",
    ),
    (
        r"^`(?<name>\w+)` operation not supported for dtype `(?<a>\w+)`",
        "`{name}` is not defined for {a}",
    ),
    (
        r"^invalid series dtype: expected `(?<a>\w+)`, got `(?<b>\w+)` for series with name `(?<name>[^`]*)`",
        "column `{name}` holds {b}, and {a} are expected",
    ),
    (
        r"^duplicate: .*duplicate output name '(?<name>[^']*)'",
        "two columns are called `{name}`",
    ),
    (
        r"^datatypes of join keys don't match - `(?<name>[^`]*)`: (?<a>\w+) on left does not match `(?<other>[^`]*)`: (?<b>\w+) on right",
        "JOIN compares column `{name}`, which holds {a}, with `{other}`, which holds {b}",
    ),
    (
        r"^conversion from `(?<a>\w+)` to `(?<b>\w+)` failed in column '[^']*' for (?<n>\d+) out of (?<other>\d+) values: \[(?<name>[^,\]]*)",
        "{n} of {other} {a} are not {b}, such as {name}",
    ),
    (
        r"^'(?<name>[^']*)' should participate in the GROUP BY",
        "column `{name}` is neither grouped by nor aggregated",
    ),
    (
        r"^(?<name>\w+) requires equal number of columns",
        "{name} takes tables of equally many columns",
    ),
    (
        r#"^datatype "(?<name>[^"]*)" is not currently supported"#,
        "unknown type `{name}`",
    ),
    (
        r"^(?<name>[A-Z ]+) ordinal value must refer to a valid column; found (?<n>\d+)",
        "{name} {n}: no column with this number",
    ),
    (
        r"^unexpected subquery",
        "a query cannot stand here in place of a value",
    ),
    (
        r"^no function matches the given name and arguments: `(?<name>.*)`",
        "no function takes these arguments: `{name}`",
    ),
    (r"^division with '(?<a>\w+)'", "{a} cannot be divided"),
    (
        r"^non-numeric arguments for LIMIT",
        "LIMIT and OFFSET take integers",
    ),
    // The syntax tree of what is not supported.
    (
        r"^(?<name>[a-z ]+) (?<other>\w+)[ (]*\{",
        "the {name} {other} is not supported",
    ),
];

static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let read = |(pattern, meaning): (&str, &'static str)| {
        #[allow(clippy::unwrap_used, reason = "constant patterns, covered by tests")]
        let pattern = Regex::new(pattern).unwrap();
        (pattern, meaning)
    };
    MEANINGS.into_iter().map(read).collect()
});

/// The message of an error: its first line, without the query plans that follow.
pub(crate) fn first_line(mut error: PolarsError) -> String {
    while let PolarsError::Context { error: inner, .. }
    | PolarsError::ExprContext { error: inner, .. } = error
    {
        error = *inner;
    }
    let whole = error.to_string();
    let line = whole.lines().next().unwrap_or_default();
    line.trim_end().to_owned()
}

/// A message of polars as it is meant.
pub(crate) fn meaning(message: &str) -> String {
    let mut patterns = PATTERNS.iter();
    let found = patterns.find_map(|(pattern, words)| Some((pattern.captures(message)?, *words)));
    found.map_or_else(
        || message.to_owned(),
        |(found, words)| filled(words, &found),
    )
}

/// The words with what was found in place of the groups.
fn filled(words: &str, found: &Captures<'_>) -> String {
    let group = |name| found.name(name).map_or("", |group| group.as_str());
    let mut text = words.to_owned();
    for name in ["a", "b"] {
        text = text.replace(&format!("{{{name}}}"), &held(group(name)));
    }
    for name in ["name", "other", "n"] {
        text = text.replace(&format!("{{{name}}}"), group(name));
    }
    text
}

/// The contents of a column of a type of polars, in words.
fn held(of: &str) -> String {
    match of.to_ascii_lowercase().as_str() {
        "f32" | "f64" | "float32" | "float64" => "numbers".to_owned(),
        "str" | "string" => "strings".to_owned(),
        "bool" | "boolean" => "booleans".to_owned(),
        whole if whole.starts_with(['i', 'u']) && whole.ends_with(|c: char| c.is_ascii_digit()) => {
            "integers".to_owned()
        }
        other => other.to_owned(),
    }
}

/// The words in quotes of any kind.
pub(crate) fn quoted(message: &str) -> impl Iterator<Item = &str> {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '`');
    message.split(is_quote).skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_in_the_words_of_sql() {
        for (message, meant) in [
            (
                "'is_in' cannot check for List(String) values in Float64 data",
                "IN compares numbers with strings",
            ),
            (
                "`sum` operation not supported for dtype `str`",
                "`sum` is not defined for strings",
            ),
            (
                "conversion from `str` to `i64` failed in column 'x' for 2 out of 3 values: [\"a\", \"b\"]",
                "2 of 3 strings are not integers, such as \"a\"",
            ),
            (
                "GROUP BY ordinal value must refer to a valid column; found 5",
                "GROUP BY 5: no column with this number",
            ),
            (
                "expression Exists { subquery: Query { with: None } } is not currently supported",
                "the expression Exists is not supported",
            ),
            ("invalid DATE literal 'x'", "invalid DATE literal 'x'"),
        ] {
            assert_eq!(meaning(message), meant);
        }
        let words: Vec<&str> = quoted("`a` and 'b c' and \"d").collect();
        assert_eq!(words, ["a", "b c", "d"]);
    }

    #[test]
    fn what_encloses_an_error_is_left_out() {
        let error = PolarsError::ComputeError("first\n\nplan: FILTER".into());
        let error = error
            .context("resolving".into())
            .with_expr_context("col(x)".into());
        assert_eq!(first_line(error), "first");
    }
}
