//! Ways to call a predicate.

use indexmap::IndexSet;
use kibitz_prolog::{Direction, Term};
use rustc_hash::FxBuildHasher;

/// Answers, each once.
pub(super) type Tuples = IndexSet<Vec<Term>, FxBuildHasher>;

/// How the answers of a predicate depend on the way in which it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallStyle {
    /// All ways have the same answers, and find constants among them.
    Shared,
    /// All ways have the same answers to goals that have their constants before.
    WithConstants,
    /// Goals have their constants before, and the places that are not bound must be new variables: a
    /// bound one would be another question.
    Exact,
}

/// A way to call a predicate, with what it answered.
#[derive(Debug)]
pub(crate) struct Way {
    /// The mode that it is for.
    pub(crate) mode: usize,
    /// The mode's directions: places that are bound are inputs.
    pub(crate) directions: Vec<Direction>,
    pub(super) asking: CallStyle,
    /// Its table: the number of the first way that has the same.
    pub(crate) table: usize,
    pub(crate) rows: Tuples,
    pub(super) is_given_up: bool,
    pub(super) n_cut_short: usize,
    pub(super) n_raised: usize,
    pub(super) n_calls: usize,
}

impl CallStyle {
    pub(super) fn has_constants(self) -> bool {
        self != CallStyle::Shared
    }
}

impl Way {
    /// Whether places that are not bound must be new variables.
    pub(crate) fn is_exact(&self) -> bool {
        self.asking == CallStyle::Exact
    }

    /// Whether it binds no place that another one of the same mode leaves open.
    pub(super) fn is_more_general(&self, other: &Self) -> bool {
        let mut places = self.directions.iter().zip(&other.directions);
        places.all(|(own, other)| own == other || *own == Direction::Out)
    }

    /// Whether clauses may call the predicate in this way.
    pub(crate) fn is_usable(&self) -> bool {
        !self.is_given_up
    }
}
