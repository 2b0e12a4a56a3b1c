//! Search bounded below by a bottom clause, as Mio and Progol share it.
//!
//! A clause that is to cover an example by inverse entailment is part of the example's bottom clause:
//! everything that the background says about it within bounds. Clauses are looked at once up to the
//! names of their variables, however many ways there are to find them in the bottom clause; they are
//! extended by what these ways offer. What they cover is found out by matching against remembered
//! answers of the background.
//!
//! [`Rules`] are clauses at work, matched in this way.
//!
//! # Source
//! Muggleton 1995, Inverse entailment and Progol.

mod bottom;
mod covers;
mod examples;
mod key;
mod language;
mod matching;
mod memo;
mod merged;
mod pattern;
mod refine;
mod rules;
mod search;
mod session;

pub(super) use bottom::Bottom;
pub(super) use key::Key;
pub(super) use language::Language;
use matching::MAX_LITERALS;
pub(super) use pattern::{Arg, Pattern};
pub use rules::{Asker, NoMode, Rules, Situation};
pub(super) use search::{Judged, Node, Search, compression};
pub(super) use session::{Covering, Find, Found, Session};

use super::LearnError;
use crate::problem::Problem;
use crate::prover::{Limits, ProverError};
use crate::term::{Atom, Clause};

/// The bottom clause of a ground atom of the task's target; and whether there is more of it than the
/// bounds allow.
///
/// # Errors
/// [`ProverError`] for background that cannot be carried out.
pub fn bottom_clause(
    problem: &Problem<'_>,
    bounds: &Bounds,
    atom: &Atom,
) -> Result<(Clause, bool), ProverError> {
    let language = Language::new(&problem.task().bias);
    let mut matcher = matching::Matcher::new(&language, problem.database(), bounds.limits);
    let example = examples::Example::new(atom.clone());
    let bottom = Bottom::new(&mut matcher, &mut example.known(), bounds)?;
    let clause = bottom.pattern.clause(&language, &bottom.constants);
    Ok((clause, bottom.is_truncated))
}

/// The ground facts that the bottom clause of an atom is made of.
///
/// # Errors
/// [`ProverError`] for background that cannot be carried out.
pub fn saturation(
    problem: &Problem<'_>,
    bounds: &Bounds,
    atom: &Atom,
) -> Result<Vec<Atom>, ProverError> {
    let language = Language::new(&problem.task().bias);
    let mut matcher = matching::Matcher::new(&language, problem.database(), bounds.limits);
    let example = examples::Example::new(atom.clone());
    let known = &mut *example.known();
    let bottom = Bottom::new(&mut matcher, known, bounds)?;
    let facts = bottom.pattern.lits.iter().map(|lit| {
        let name = language.access(usize::from(lit.mode)).predicate.name;
        let args = lit.args.iter().map(|arg| match *arg {
            Arg::Var(var) => known.memo.term(bottom.values[usize::from(var)]).clone(),
            Arg::Const(constant) => bottom.constants[usize::from(constant)].clone(),
        });
        Atom::new(name, args)
    });
    let distinct: indexmap::IndexSet<Atom, rustc_hash::FxBuildHasher> = facts.collect();
    Ok(distinct.into_iter().collect())
}

/// What clauses a search may look at, and which it may return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct Bounds {
    /// Most body literals of a clause, unless the bias says; 63 at most.
    pub max_literals: usize,
    /// i: variables may be this many literals away from the head.
    pub max_depth: u16,
    /// Most literals of a bottom clause; what is beyond is no part of any clause.
    pub max_bottom: usize,
    /// Most clauses evaluated in one search.
    pub max_clauses: usize,
    /// Negative examples that a clause may cover.
    pub max_false_positives: usize,
    /// Positive examples, not covered before, that a clause must cover.
    pub min_positives: usize,
    /// Bounds on each goal of the background, and on the answers looked at for one example.
    pub limits: Limits,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            max_literals: 4,
            max_depth: 3,
            max_bottom: 1_000,
            max_clauses: 4_000,
            max_false_positives: 0,
            min_positives: 2,
            limits: Limits::default(),
        }
    }
}

impl Bounds {
    /// The bounds with what the bias says instead.
    pub(super) fn checked(mut self, max_body: Option<usize>) -> Result<Self, LearnError> {
        self.max_literals = max_body.unwrap_or(self.max_literals);
        let wrong = |parameter, expected| {
            Err(LearnError::Parameter {
                parameter,
                expected,
            })
        };
        if !(1..=MAX_LITERALS).contains(&self.max_literals) {
            wrong("max-literals", "from 1 to 63")
        } else if self.max_clauses == 0 {
            wrong("max-clauses", "at least 1")
        } else if self.min_positives == 0 {
            wrong("min-positives", "at least 1")
        } else if self.max_bottom >= usize::from(u16::MAX) {
            wrong("max-bottom", "below 65535")
        } else {
            Ok(self)
        }
    }
}

#[cfg(test)]
mod tests;
