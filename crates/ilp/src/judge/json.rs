//! What programs read: theories and measures in JSON.

use kibitz_prolog::{RaisedError, SymbolTable, print_atom, print_clause};
use serde_json::{Value, json};

use super::evaluation::{Confusion, Share};
use super::theory::Theory;
use super::why_not::WhyNot;
use crate::learn::mml::Message;

impl Theory {
    /// The `clauses` with what they cover, `training` measures, how the search ended, findings of
    /// `why-not` and `why-covered`, and measures on `test` examples.
    pub fn json(&self, why_not: &WhyNot, test: Option<Confusion>) -> Value {
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
            "training": Confusion::from(&self.total).json(),
            "undecided": self.total.undecided,
            "left-out": self.total.left_out,
            "raised": self.total.raised,
            "first-raised": self.total.first_raised.as_ref().map(|first| raised_json(first, &self.symbols)),
            "test": test.map(Confusion::json),
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

impl Confusion {
    /// Counts and measures; shares have the ends of their intervals.
    pub fn json(self) -> Value {
        let share = |share: Option<Share>| {
            share.map(|own| json!({"value": own.value, "low": own.low, "high": own.high}))
        };
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
