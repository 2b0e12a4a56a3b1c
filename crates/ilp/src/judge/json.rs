//! What programs read: theories and measures in JSON.

use kibitz_prolog::{RaisedError, SymbolTable, print_atom, print_clause};
use serde_json::{Value, json};

use super::decision_table::DecisionTable;
use super::evaluation::{Confusion, Evaluation, Share, WeightedConfusion};
use super::theory::Theory;
use super::why_not::WhyNot;
use crate::learn::mml::Message;

impl Theory {
    /// The `clauses` with what they cover, `training` measures, how the search ended, findings of
    /// `why-not` and `why-covered`, and measures on `test` examples.
    pub fn json(&self, why_not: &WhyNot, test: Option<Evaluation>) -> Value {
        let clauses = self.clauses.iter().zip(&self.coverage);
        let clauses = clauses.map(|(clause, coverage)| {
            let text = print_clause(clause, &self.symbols).to_string();
            json!({"clause": text, "covers": Confusion::from(coverage).counts()})
        });
        let name = self.symbols.name(self.target.name);
        json!({
            "target": format!("{name}/{}", self.target.arity),
            "learner": self.learner,
            "chosen": self.chosen,
            "ending": self.ending(),
            "steps": self.steps,
            "message": self.message().map(Message::json),
            "bounds": self.reach.to_string(),
            "why-not": why_not.findings,
            "why-covered": why_not.covered,
            "clauses": clauses.collect::<Value>(),
            "training": self.training.json(),
            "undecided": self.total.undecided,
            "left-out": self.total.left_out,
            "raised": self.total.raised,
            "first-raised": self.total.first_raised.as_ref().map(|first| raised_json(first, &self.symbols)),
            "test": test.map(Evaluation::json),
        })
    }
}

/// An error that a proof ran into: the `example` and the `error` in words.
pub fn raised_json(raised: &RaisedError, symbols: &SymbolTable) -> Value {
    json!({
        "example": print_atom(&raised.example, symbols).to_string(),
        "error": raised.error.describe(symbols, &[]),
    })
}

impl Message {
    /// Its parts, and what is known of shorter ones.
    fn json(&self) -> Value {
        json!({
            "theory": self.theory,
            "labels": self.labels,
            "without-theory": self.empty,
            "least": self.least,
            "shortest": self.is_shortest(),
            "within": self.within,
        })
    }
}

impl DecisionTable {
    /// The `classes`, the `table` of objects by their true and their decided class, the accuracy, and how
    /// many objects are `uncovered` and `contested`.
    pub fn json(&self) -> Value {
        let counts = |[n, right]: [usize; 2]| json!({"objects": n, "right": right});
        let usual = self.usual.iter().map(|class| &self.classes[*class]);
        json!({
            "classes": self.classes,
            "objects": self.n(),
            "table": self.table,
            "accuracy": self.accuracy().map(Share::json),
            "uncovered": counts(self.uncovered),
            "contested": counts(self.contested),
            "most-frequent": usual.collect::<Vec<_>>(),
            "left-out": self.n_left_out,
        })
    }
}

impl Share {
    /// The share with the ends of its interval.
    fn json(self) -> Value {
        json!({"value": self.value, "low": self.low, "high": self.high})
    }
}

impl Evaluation {
    /// Counts and measures, and the same by weight under `weighted` where examples have weights.
    pub fn json(self) -> Value {
        let mut value = self.counts.json();
        if let Some(own) = self.weighted {
            value["weighted"] = own.json();
        }
        value
    }
}

impl WeightedConfusion {
    fn json(self) -> Value {
        json!({
            "weights": {"tp": self.tp, "fn": self.fn_, "tn": self.tn, "fp": self.fp},
            "accuracy": self.accuracy(),
            "precision": self.precision(),
            "recall": self.recall(),
            "f1": self.f1(),
            "mcc": self.mcc(),
        })
    }
}

impl Confusion {
    /// Counts and measures; shares have the ends of their intervals.
    pub fn json(self) -> Value {
        let share = |share: Option<Share>| share.map(Share::json);
        json!({
            "counts": self.counts(),
            "accuracy": share(self.accuracy()),
            "precision": share(self.precision()),
            "recall": share(self.recall()),
            "f1": self.f1(),
            "mcc": self.mcc(),
        })
    }

    fn counts(self) -> Value {
        json!({"tp": self.tp, "fn": self.fn_, "tn": self.tn, "fp": self.fp})
    }
}
