//! The result of learning with PAL.

use kibitz_prolog::Clause;

use crate::{Change, Example};

/// The outcome of one example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A negative example, kept to reject definitions that cover it.
    Negative,
    /// A positive example, and a new definition.
    Generalized,
    /// A positive example whose definition covers a negative one; stored.
    TooGeneral,
    /// A positive example whose definition the teacher rejects; stored.
    Rejected,
    /// A positive example for another clause: it came after the definition became final, or is a
    /// counterexample that generalizes no clause. Stored.
    Stored,
    /// The teacher ended the search at this example.
    Stopped,
}

/// A query about one example.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The example.
    pub example: Example,
    /// Its origin.
    pub change: Change,
    /// Its outcome.
    pub outcome: Outcome,
    /// The new definition, if it led to one.
    pub definition: Option<Clause>,
}

/// Why the search for a clause ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The teacher was satisfied.
    Satisfied,
    /// All perturbation classes are explored, or all given examples used.
    Exhausted,
    /// The highest perturbation level was explored.
    LevelLimit,
    /// The most examples allowed were generated.
    StateLimit,
    /// The teacher ended the search: see [`Teacher::keep_going`](super::Teacher::keep_going).
    Interrupted,
}

/// A learned concept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PalResult {
    /// The definition after the final reduction, a clause for each disjunct.
    pub clauses: Vec<Clause>,
    /// The same before the final reduction.
    pub unreduced: Vec<Clause>,
    /// For each clause the indices of the components that its head describes, in order.
    pub components: Vec<Vec<usize>>,
    /// Why the search for each clause ended.
    pub endings: Vec<Ending>,
    /// The queries about examples, in order.
    pub steps: Vec<Step>,
    /// Positive examples that no clause covers, if the number of clauses met its bound.
    pub open: Vec<Example>,
    /// Generated examples, those without a query included.
    pub examined: u64,
}

impl PalResult {
    /// Numbers of positive and negative examples among the queries.
    pub fn n_examples(&self) -> (usize, usize) {
        let negative = |step: &&Step| step.outcome == Outcome::Negative;
        let stopped = |step: &&Step| step.outcome == Outcome::Stopped;
        let negatives = self.steps.iter().filter(negative).count();
        let stops = self.steps.iter().filter(stopped).count();
        (self.steps.len() - negatives - stops, negatives)
    }

    /// Number of answers to equivalence queries.
    pub fn n_counterexamples(&self) -> usize {
        let is_answer = |step: &&Step| step.change == Change::Counterexample;
        self.steps.iter().filter(is_answer).count()
    }

    /// Number of positive examples whose definition was rejected or covers a negative example.
    pub fn n_refused(&self) -> usize {
        let is_refused =
            |step: &&Step| matches!(step.outcome, Outcome::Rejected | Outcome::TooGeneral);
        self.steps.iter().filter(is_refused).count()
    }
}
