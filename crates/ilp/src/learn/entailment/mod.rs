//! Search bounded below by a bottom clause, as Mio and Progol share it.
//!
//! A clause that is to cover an example by inverse entailment is part of the example's bottom clause:
//! everything that the background says about it within bounds. Clauses are looked at once up to the
//! names of their variables, however many ways there are to find them in the bottom clause; they are
//! extended by what these ways offer. What they cover is found out by matching against remembered
//! answers of the background, see [`memo`].
//!
//! [`Rules`] are clauses at work, matched in this way.
//!
//! # Source
//! Muggleton 1995, Inverse entailment and Progol.

mod bottom;
mod examples;
mod language;
mod matching;
mod memo;
mod pattern;
mod refine;
mod rules;
mod search;
mod session;

pub(super) use bottom::Bottom;
pub(super) use language::Language;
use matching::MAX_LITERALS;
pub(super) use pattern::{Arg, Key, Pattern};
pub use rules::{NoMode, Rules, Situation};
pub(super) use search::{Judged, Node, Search, compression};
pub use session::{Mined, SearchReport};
pub(super) use session::{Covering, Find, Found, Session};

use super::LearnError;
use crate::prover::Limits;

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
