//! What is printed about a theory: as text, as a Prolog program, as JSON.

use std::fmt::Write as _;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use kibitz_ilp::{Confusion, Costs, DecisionTable, Evaluation, Theory, WhyNot};
use kibitz_text::{Failure, counted, print};
use serde_json::{Value, json};

use super::folds::{Row, TargetRow};

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

impl Format {
    /// Reads the name of a form but that of a table.
    pub(super) fn without_csv() -> impl TypedValueParser<Value = Self> {
        let names = Self::value_variants()
            .iter()
            .filter(|own| **own != Self::Csv);
        let names = names.filter_map(ValueEnum::to_possible_value);
        PossibleValuesParser::new(names).try_map(|name| Self::from_str(&name, false))
    }
}

/// What is printed about the theories of one command: as they come, or as one object in the end.
pub(super) struct Output {
    format: Format,
    /// Whether there are several theories.
    are_several: bool,
    theories: Vec<Value>,
    decisions: Vec<Value>,
}

impl Output {
    pub(super) fn new(format: Format, are_several: bool) -> Self {
        Self {
            format,
            are_several,
            theories: Vec::new(),
            decisions: Vec::new(),
        }
    }

    /// A theory and how it does on examples that it was not learned from.
    pub(super) fn theory(
        &mut self,
        theory: &Theory,
        why_not: &WhyNot,
        (test, costs): (Option<Evaluation>, Option<Costs>),
    ) -> Result<(), Failure> {
        match self.format {
            Format::Text => {
                let own = cost(costs, Some(theory.training));
                print(&format!(
                    "{theory}{why_not}{own}{}{}",
                    tested(test),
                    cost(costs, test)
                ))
            }
            Format::Prolog | Format::Csv => print(&theory.text),
            Format::Json => {
                self.theories.push(theory.json(why_not, test));
                Ok(())
            }
        }
    }

    /// A value about clauses that are given.
    pub(super) fn value(&mut self, value: Value) {
        self.theories.push(value);
    }

    /// The classes that training and test objects got.
    pub(super) fn decided(
        &mut self,
        [training, test]: &[Option<DecisionTable>; 2],
    ) -> Result<(), Failure> {
        match self.format {
            Format::Text => {
                let training = training.as_ref().map(|own| own.text(""));
                let test = test.as_ref().map(|own| own.text(" to test on"));
                print(&(training.unwrap_or_default() + &test.unwrap_or_default()))
            }
            Format::Prolog | Format::Csv => Ok(()),
            Format::Json => {
                let json = |own: &Option<DecisionTable>| own.as_ref().map(DecisionTable::json);
                self.decisions
                    .push(json!({"training": json(training), "test": json(test)}));
                Ok(())
            }
        }
    }

    /// Prints what is printed in the end.
    pub(super) fn end(mut self) -> Result<(), Failure> {
        if self.format != Format::Json {
            return Ok(());
        }
        let mut value = if self.are_several {
            json!({"theories": self.theories})
        } else {
            match self.theories.pop() {
                Some(only) => only,
                None => return Ok(()),
            }
        };
        if !self.decisions.is_empty() {
            value["decisions"] = self.decisions.into();
        }
        json_line(&value)
    }
}

/// Cross-validations: the folds of one learner and their sum, or a row for each of several; of each target,
/// where there are several.
pub(super) fn rows(rows: &[Row], is_table: bool, format: Format) -> Result<(), Failure> {
    match format {
        Format::Csv => print(&csv(rows)),
        Format::Json if is_table => json_line(&rows.iter().flat_map(Row::json).collect()),
        Format::Json => rows.iter().try_for_each(|row| json_line(&row.folds_json())),
        _ if is_table => print(&table(rows)),
        _ => rows.iter().try_for_each(|row| print(&row.folds_text())),
    }
}

impl Row {
    /// The folds of each target and their sum, and the classes that objects got.
    fn folds_text(&self) -> String {
        let mut text = String::new();
        for of_target in &self.targets {
            if self.targets.len() > 1 {
                let _ = writeln!(text, "% {}", of_target.target);
            }
            let (done, n) = (of_target.folds.len(), of_target.n_folds);
            for (i, fold) in of_target.folds.iter().enumerate() {
                let _ = writeln!(text, "% fold {} of {n}: {}", i + 1, fold.counts);
            }
            let total = of_target.total();
            let these = if done < n {
                format!("{done} of {n} folds")
            } else {
                format!("all {n} folds")
            };
            let _ = write!(text, "% {these}: {}\n{}", total.counts, total.measures());
        }
        for decided in &self.decided {
            text += &decided.text(" in all folds");
        }
        text
    }

    fn folds_json(&self) -> Value {
        let mut all: Vec<Value> = (self.targets.iter())
            .map(|own| {
                let each: Vec<Value> = own.folds.iter().map(|fold| fold.json()).collect();
                let mut value = json!({"folds": each, "total": own.total().json()});
                if self.targets.len() > 1 {
                    value["target"] = own.target.clone().into();
                }
                value
            })
            .collect();
        let mut value = match (self.targets.len(), all.pop()) {
            (1, Some(only)) => only,
            (_, last) => {
                all.extend(last);
                json!({"theories": all})
            }
        };
        if !self.decided.is_empty() {
            value["decisions"] = self.decided.iter().map(DecisionTable::json).collect();
        }
        value
    }

    fn json(&self) -> Vec<Value> {
        let of_target = |own: &TargetRow| {
            let mut value = json!({
                "learner": self.learner,
                "folds": own.folds.len(),
                "total": own.total().json(),
                "clauses": own.mean(own.n_clauses),
                "literals": own.mean(own.n_literals),
                "steps": own.steps,
            });
            if self.targets.len() > 1 {
                value["target"] = own.target.clone().into();
            }
            if !self.decided.is_empty() {
                value["decisions"] = self.decided.iter().map(DecisionTable::json).collect();
            }
            value
        };
        self.targets.iter().map(of_target).collect()
    }
}

impl TargetRow {
    fn total(&self) -> Evaluation {
        let mut total = Evaluation::default();
        for fold in &self.folds {
            total += *fold;
        }
        total
    }

    /// A mean over the folds.
    fn mean(&self, sum: usize) -> f64 {
        sum as f64 / self.folds.len().max(1) as f64
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
/// The column before them where there are several targets.
const TARGET: &str = "target";
/// The column after them in [`csv`] where classes are decided.
const CLASS_ACCURACY: &str = "class_accuracy";

/// The cells of the head and of each row; clauses and literals are means over the folds.
fn cells(rows: &[Row]) -> Vec<Vec<String>> {
    let are_several = rows.iter().any(|row| row.targets.len() > 1);
    let target = |name: &str| are_several.then(|| name.to_owned());
    let columns = COLUMNS.map(str::to_owned);
    let mut cells = vec![target(TARGET).into_iter().chain(columns).collect()];
    for row in rows {
        for own in &row.targets {
            let accuracy = own.total().counts.accuracy();
            let values = [
                row.learner.to_owned(),
                own.folds.len().to_string(),
                number(accuracy.map(|own| own.value)),
                number(accuracy.map(|own| own.low)),
                number(accuracy.map(|own| own.high)),
                format!("{:.1}", own.mean(own.n_clauses)),
                format!("{:.1}", own.mean(own.n_literals)),
                own.steps.to_string(),
            ];
            cells.push(target(&own.target).into_iter().chain(values).collect());
        }
    }
    cells
}

fn csv(rows: &[Row]) -> String {
    let mut lines = cells(rows);
    let of_targets = rows.iter().flat_map(|row| &row.targets);
    let accuracies: Vec<Option<f64>> = of_targets
        .map(|own| own.class_accuracy.map(|own| own.value))
        .collect();
    if accuracies.iter().any(Option::is_some) {
        let own = accuracies.into_iter().map(number);
        let column = std::iter::once(CLASS_ACCURACY.to_owned()).chain(own);
        for (line, cell) in lines.iter_mut().zip(column) {
            line.push(cell);
        }
    }
    let lines = lines.into_iter();
    lines.map(|line| line.join(",") + "\n").collect()
}

/// A number, if there is one.
fn number(own: Option<f64>) -> String {
    own.map_or(String::new(), |own| format!("{own:.4}"))
}

fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    for line in cells(rows) {
        for (i, cell) in line.iter().enumerate() {
            let _ = match i {
                0 => write!(text, "% {cell:<12}"),
                _ => write!(text, " {cell:>13}"),
            };
        }
        text.push('\n');
    }
    for row in rows {
        for decided in &row.decided {
            let own = decided.text(" in all folds");
            let _ = writeln!(
                text,
                "% {}: {}",
                row.learner,
                own.lines().next().unwrap_or("").trim_start_matches("% ")
            );
        }
    }
    text
}

/// What mistakes cost, where they cost differently: by the weights of the examples.
fn cost(costs: Option<Costs>, own: Option<Evaluation>) -> String {
    let (Some(costs), Some(own)) = (costs, own) else {
        return String::new();
    };
    let Confusion { fn_, fp, .. } = own.counts;
    let Costs {
        false_negative: a,
        false_positive: b,
    } = costs;
    if let Some(by_weight) = own.weighted {
        let [fn_, fp] = [by_weight.fn_, by_weight.fp];
        let loss = costs.weighted_loss([fn_, fp]);
        return format!(
            "% cost {loss} by weight: {fn_} uncovered at {a}, {fp} covered wrongly at {b}\n"
        );
    }
    let loss = costs.loss(fn_, fp);
    format!("% cost {loss}: {fn_} uncovered at {a}, {fp} covered wrongly at {b}\n")
}

/// Lines about other examples; empty without them.
pub(super) fn tested(test: Option<Evaluation>) -> String {
    test.map_or(String::new(), |own| {
        let examples = counted(own.counts.n(), "test example", "test examples");
        format!("% on {examples}: {}\n{}", own.counts, own.measures())
    })
}

pub(super) fn json_line(value: &Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}
