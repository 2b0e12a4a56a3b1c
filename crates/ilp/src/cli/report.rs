//! What is printed about a theory: as text, as a Prolog program, as JSON.

use std::fmt::Write as _;

use kibitz_ilp::{Confusion, Coverage, Share, Theory, WhyNot, print_clause};
use kibitz_text::{Failure, print};
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
        Format::Json => {
            let clauses = theory.clauses.iter().zip(&theory.coverage);
            let clauses: Vec<Value> = clauses
                .map(|(clause, coverage)| {
                    let text = print_clause(clause, &theory.symbols).to_string();
                    json!({"clause": text, "covers": counts(confusion(coverage))})
                })
                .collect();
            let name = theory.symbols.name(theory.target.name);
            let object = json!({
                "target": format!("{name}/{}", theory.target.arity),
                "learner": theory.learner,
                "ending": theory.ending(),
                "steps": theory.steps,
                "message": theory.message.as_ref().map(|own| json!({
                    "theory": own.theory,
                    "labels": own.labels,
                    "without-theory": own.empty,
                    "least": own.least,
                    "shortest": own.is_shortest(),
                    "within": own.within,
                })),
                "bounds": theory.reach.to_string(),
                "why-not": why_not.findings,
                "clauses": clauses,
                "training": measured(confusion(&theory.total)),
                "undecided": theory.total.undecided,
                "raised": theory.total.raised,
                "test": test.map(measured),
            });
            json_line(&object)
        }
    }
}

/// The folds of a cross-validation and their sum.
pub(super) fn folds(folds: &[Confusion], format: Format) -> Result<(), Failure> {
    let mut total = Confusion::default();
    for fold in folds {
        total += *fold;
    }
    if format == Format::Json {
        let each: Vec<Value> = folds.iter().map(|fold| measured(*fold)).collect();
        return json_line(&json!({"folds": each, "total": measured(total)}));
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
            "% on {} test examples: {own}\n% {}\n",
            own.n(),
            own.measures()
        )
    })
}

pub(super) fn confusion(coverage: &Coverage) -> Confusion {
    let [tp, fn_, tn, fp] = coverage.confusion();
    Confusion { tp, fn_, tn, fp }
}

fn counts(own: Confusion) -> Value {
    json!({"tp": own.tp, "fn": own.fn_, "tn": own.tn, "fp": own.fp})
}

/// Counts and measures; shares have the ends of their intervals.
pub(super) fn measured(own: Confusion) -> Value {
    let share = |share: Option<Share>| {
        share.map(|own| json!({"value": own.value, "low": own.low, "high": own.high}))
    };
    json!({
        "counts": counts(own),
        "accuracy": share(own.accuracy()),
        "precision": share(own.precision()),
        "recall": share(own.recall()),
        "f1": own.f1(),
        "mcc": own.mcc(),
    })
}

pub(super) fn json_line(value: &Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}
