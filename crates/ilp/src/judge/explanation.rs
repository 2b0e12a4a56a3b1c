//! A proof of an example, or the literals that fail, and their text.

use std::fmt::{self, Write as _};

use kibitz_prolog::{
    Atom, Clause, Literal, Proof, ProverError, SymbolTable, print_atom, print_clause, print_literal,
};

/// Most answers that are counted.
pub(super) const MAX_ANSWERS: usize = 100;

/// Why a theory covers an example, or does not.
///
/// It is displayed as an indented text.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The example.
    pub example: Atom,
    /// How it is proved, or where each clause fails.
    pub reason: Reason,
    pub(super) symbols: SymbolTable,
}

/// A proof, or its lack.
#[derive(Clone, Debug)]
pub enum Reason {
    /// The example is covered.
    Proof(Box<ProvedGoal>),
    /// No clause covers it; clause by clause.
    Failures(Vec<FailedClause>),
    /// A bound of the prover was met.
    CutShort(Proof),
}

/// A goal that holds.
#[derive(Clone, Debug)]
pub struct ProvedGoal {
    /// The goal, with its values.
    pub literal: Literal,
    /// Why it holds.
    pub by: By,
    /// The goals of the rule's body.
    pub body: Vec<ProvedGoal>,
}

/// Why a goal holds.
#[derive(Clone, Debug)]
pub enum By {
    /// By a rule of the theory or of the background.
    Rule(Box<Clause>),
    /// It is given.
    Fact,
    /// What it denies cannot be proved.
    NoProof,
    /// By a built-in or library predicate, or a relation that is computed.
    BuiltIn,
    /// By a rule; the proof is too long to be shown.
    NotShown,
}

/// Why a clause does not cover an example.
#[derive(Clone, Debug)]
pub struct FailedClause {
    /// The clause.
    pub clause: Clause,
    /// The body literals that hold together, from the first, with the values of their first answer;
    /// `None` if the head does not match.
    pub held: Option<Vec<Literal>>,
    /// The next literal, with the values of the first answer to those before it.
    pub failed: Option<Literal>,
    /// The answers to the literals before it: as many, or more; 0 if they were not counted.
    pub n_answers: usize,
    /// How its proof ended.
    pub end: Proof,
    /// The error that it raised.
    pub raised: Option<Box<ProverError>>,
}

impl Explanation {
    /// Whether the example is covered.
    pub fn is_covered(&self) -> bool {
        matches!(self.reason, Reason::Proof(_))
    }

    fn write_goal(&self, goal: &ProvedGoal, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        let literal = print_literal(&goal.literal, &self.symbols);
        let by = match &goal.by {
            By::Rule(clause) => format!("by {}", print_clause(clause, &self.symbols)),
            By::Fact => "a fact".to_owned(),
            By::NoProof => "what it denies cannot be proved".to_owned(),
            By::BuiltIn => "built in or computed".to_owned(),
            By::NotShown => "proved; not shown further".to_owned(),
        };
        let _ = writeln!(text, "{indent}{literal}  % {by}");
        for goal in &goal.body {
            self.write_goal(goal, depth + 1, text);
        }
    }

    fn write_failure(&self, failure: &FailedClause, text: &mut String) {
        let clause = &failure.clause;
        let _ = writeln!(text, "{}", print_clause(clause, &self.symbols));
        let Some(held) = &failure.held else {
            text.push_str("  its head does not match\n");
            return;
        };
        if !held.is_empty() {
            let held = held
                .iter()
                .map(|it| print_literal(it, &self.symbols).to_string());
            let held: Vec<String> = held.collect();
            let n = match failure.n_answers {
                0 => String::new(),
                1 => ", with 1 answer".to_owned(),
                n if n >= MAX_ANSWERS => format!(", with {n} answers or more"),
                n => format!(", with {n} answers"),
            };
            let verb = if held.len() == 1 { "holds" } else { "hold" };
            let _ = writeln!(text, "  {} {verb}{n}", held.join(", "));
        }
        if let Some(failed) = &failure.failed {
            let which = match failure.n_answers {
                0 => ", for this answer",
                1 => "",
                _ => ", for the first of them",
            };
            let failed = print_literal(failed, &self.symbols);
            let end = match (&failure.raised, failure.end) {
                (Some(error), _) => {
                    format!("raises an error: {}", error.describe(&self.symbols, &[]))
                }
                (None, end) if end.is_cut_short() => ending(end).to_owned(),
                _ => "fails".to_owned(),
            };
            let _ = writeln!(text, "  {failed} {end}{which}");
        }
    }
}

fn ending(end: Proof) -> &'static str {
    match end {
        Proof::OutOfSteps => "takes too many steps",
        Proof::TooDeep => "calls itself too deeply",
        Proof::OutOfMemory => "takes too much memory",
        Proof::Proved => "holds",
        Proof::Refuted => "fails",
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let example = print_atom(&self.example, &self.symbols);
        let mut text = String::new();
        match &self.reason {
            Reason::Proof(goal) => {
                let _ = writeln!(text, "% {example} is covered");
                self.write_goal(goal, 0, &mut text);
            }
            Reason::Failures(failures) => {
                let _ = writeln!(text, "% {example} is not covered");
                for failure in failures {
                    self.write_failure(failure, &mut text);
                }
            }
            Reason::CutShort(end) => {
                let end = ending(*end);
                let _ = writeln!(text, "% {example} is not decided: its proof {end}");
            }
        }
        f.write_str(&text)
    }
}
