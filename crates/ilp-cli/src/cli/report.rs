//! What is printed about a theory: as text, as a Prolog program, as JSON.

use std::fmt::Write as _;

use kibitz_ilp::{Confusion, Costs, Theory, WhyNot};
use kibitz_text::{Failure, counted, print};
use serde_json::{Value, json};

use super::folds::Row;

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// Counts and clauses, which can be loaded.
    Text,
    /// The clauses alone.
    Prolog,
    /// An object with the clauses, their counts, and measures.
    Json,
    /// A table with a row per learner, of --folds.
    Csv,
}

/// A theory and how it does on examples that it was not learned from.
pub(super) fn theory(
    theory: &Theory,
    why_not: &WhyNot,
    (test, costs): (Option<Confusion>, Option<Costs>),
    format: Format,
) -> Result<(), Failure> {
    match format {
        Format::Text => {
            let own = cost(costs, Some(Confusion::from(&theory.total)));
            print(&format!(
                "{theory}{why_not}{own}{}{}",
                tested(test),
                cost(costs, test)
            ))
        }
        Format::Prolog | Format::Csv => print(&theory.text),
        Format::Json => json_line(&theory.json(why_not, test)),
    }
}

/// Cross-validations: the folds of one learner and their sum, or a row for each of several.
pub(super) fn rows(rows: &[Row], is_table: bool, format: Format) -> Result<(), Failure> {
    match (rows, format) {
        (_, Format::Csv) => print(&csv(rows)),
        ([row], Format::Json) if !is_table => {
            let each: Vec<Value> = row.folds.iter().map(|fold| fold.json()).collect();
            json_line(&json!({"folds": each, "total": row.total().json()}))
        }
        (_, Format::Json) => json_line(&rows.iter().map(Row::json).collect()),
        ([row], _) if !is_table => folds(row),
        _ => print(&table(rows)),
    }
}

fn folds(row: &Row) -> Result<(), Failure> {
    let mut text = String::new();
    let n = row.folds.len();
    for (i, fold) in row.folds.iter().enumerate() {
        let _ = writeln!(text, "% fold {} of {n}: {fold}", i + 1);
    }
    let total = row.total();
    let _ = writeln!(text, "% all {n} folds: {total}\n% {}", total.measures());
    print(&text)
}

impl Row {
    fn total(&self) -> Confusion {
        let mut total = Confusion::default();
        for fold in &self.folds {
            total += *fold;
        }
        total
    }

    /// A mean over the folds.
    fn mean(&self, sum: usize) -> f64 {
        sum as f64 / self.folds.len().max(1) as f64
    }

    fn json(&self) -> Value {
        json!({
            "learner": self.learner,
            "folds": self.folds.len(),
            "total": self.total().json(),
            "clauses": self.mean(self.n_clauses),
            "literals": self.mean(self.n_literals),
            "steps": self.steps,
        })
    }
}

/// The columns of [`csv`] and [`table`].
const COLUMNS: [&str; 8] = [
    "learner",
    "folds",
    "accuracy",
    "accuracy_low",
    "accuracy_high",
    "clauses",
    "literals",
    "steps",
];

/// The cells of a row; clauses and literals are means over the folds.
fn cells(row: &Row) -> [String; 8] {
    let accuracy = row.total().accuracy();
    let number = |own: Option<f64>| own.map_or(String::new(), |own| format!("{own:.4}"));
    [
        row.learner.to_owned(),
        row.folds.len().to_string(),
        number(accuracy.map(|own| own.value)),
        number(accuracy.map(|own| own.low)),
        number(accuracy.map(|own| own.high)),
        format!("{:.1}", row.mean(row.n_clauses)),
        format!("{:.1}", row.mean(row.n_literals)),
        row.steps.to_string(),
    ]
}

fn csv(rows: &[Row]) -> String {
    let lines =
        std::iter::once(COLUMNS.join(",")).chain(rows.iter().map(|row| cells(row).join(",")));
    lines.map(|line| line + "\n").collect()
}

fn table(rows: &[Row]) -> String {
    let cells: Vec<[String; 8]> = rows.iter().map(cells).collect();
    let all = std::iter::once(COLUMNS.map(str::to_owned)).chain(cells);
    let mut text = String::new();
    for [learner, rest @ ..] in all {
        let _ = write!(text, "% {learner:<12}");
        for cell in rest {
            let _ = write!(text, " {cell:>13}");
        }
        text.push('\n');
    }
    text
}

/// What mistakes cost, where they cost differently.
fn cost(costs: Option<Costs>, own: Option<Confusion>) -> String {
    let (Some(costs), Some(Confusion { fn_, fp, .. })) = (costs, own) else {
        return String::new();
    };
    let Costs {
        false_negative: a,
        false_positive: b,
    } = costs;
    let loss = costs.loss(fn_, fp);
    format!("% cost {loss}: {fn_} uncovered at {a}, {fp} covered wrongly at {b}\n")
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
