//! Bounds on a query, and how it ended.

use crate::term::Term;

/// Bounds on one query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct Limits {
    /// Most goals carried out. Each also pays for 32 cells of terms: further cells that are built,
    /// copied, compared or unified take steps as well, and so does every number of `between/3` after
    /// the first.
    pub steps: u64,
    /// Most rules nested in one branch of a proof.
    pub depth: u32,
    /// Most bytes for the terms, goals and answers of a query.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 1_000_000,
            depth: 10_000,
            memory: 1 << 30,
        }
    }
}

/// How a query ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// A proof was found.
    Proved,
    /// There is no proof.
    Refuted,
    /// No proof was found before the bound on steps was met.
    OutOfSteps,
    /// No proof was found, but some branch was cut off at the bound on depth.
    TooDeep,
    /// No proof was found before the bound on memory was met.
    OutOfMemory,
}

impl Proof {
    /// Whether a proof was found.
    #[inline]
    pub fn is_proved(self) -> bool {
        self == Proof::Proved
    }

    /// Whether a bound ended the search.
    #[inline]
    pub fn is_cut_short(self) -> bool {
        !matches!(self, Proof::Proved | Proof::Refuted)
    }
}

/// Answers to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// For each proof the values of the query's variables, by variable number.
    pub bindings: Vec<Vec<Term>>,
    /// [`Proof::Refuted`] if there are no more answers, [`Proof::Proved`] if there may be, or the
    /// bound that ended the search.
    pub end: Proof,
}
