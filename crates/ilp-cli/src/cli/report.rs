//! What is printed about a theory: as text, as a Prolog program, as JSON.

use std::fmt::Write as _;

use kibitz_ilp::{Confusion, Theory, WhyNot};
use kibitz_text::{Failure, counted, print};
use serde_json::{Value, json};

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// Counts and clauses, which can be loaded.
    Text,
    /// The clauses alone.
    Prolog,
    /// An object with the clauses, their counts, and measures.
    Json,
}

/// A theory and how it does on examples that it was not learned from.
pub(super) fn theory(
    theory: &Theory,
    why_not: &WhyNot,
    test: Option<Confusion>,
    format: Format,
) -> Result<(), Failure> {
    match format {
        Format::Text => print(&format!("{theory}{why_not}{}", tested(test))),
        Format::Prolog => print(&theory.text),
        Format::Json => json_line(&theory.json(why_not, test)),
    }
}

/// The folds of a cross-validation and their sum.
pub(super) fn folds(folds: &[Confusion], format: Format) -> Result<(), Failure> {
    let mut total = Confusion::default();
    for fold in folds {
        total += *fold;
    }
    if format == Format::Json {
        let each: Vec<Value> = folds.iter().map(|fold| fold.json()).collect();
        return json_line(&json!({"folds": each, "total": total.json()}));
    }
    let mut text = String::new();
    let n = folds.len();
    for (i, fold) in folds.iter().enumerate() {
        let _ = writeln!(text, "% fold {} of {n}: {fold}", i + 1);
    }
    let _ = writeln!(text, "% all {n} folds: {total}\n% {}", total.measures());
    print(&text)
}

/// Lines about other examples; empty without them.
pub(super) fn tested(test: Option<Confusion>) -> String {
    test.map_or(String::new(), |own| {
        format!(
            "% on {}: {own}\n% {}\n",
            counted(own.n(), "test example", "test examples"),
            own.measures()
        )
    })
}

pub(super) fn json_line(value: &Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}
