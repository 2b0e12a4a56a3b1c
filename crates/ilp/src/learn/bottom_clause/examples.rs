//! The examples of a search, and what searches share about them.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::covers::Covers;
use super::example::Example;
use super::merged::Merged;
use crate::coverage::BitSet;
use crate::eval::{PatternMatcher, Plan};
use crate::prover::ProverError;

/// Positive examples, then negative ones.
#[derive(Debug, Default)]
pub(in crate::learn) struct Examples {
    pub(in crate::learn) positive: Vec<Example>,
    pub(in crate::learn) negative: Vec<Example>,
    /// What clauses cover of them.
    pub(super) covers: Covers,
    /// What clauses grow to by macros.
    pub(super) merged: Merged,
    /// How many clauses are kept for searches to come.
    n_kept: AtomicUsize,
}

/// Most clauses that are kept for searches to come.
const MAX_KEPT: usize = 60_000;

impl Examples {
    /// Whether so many clauses more may be kept.
    pub(super) fn may_keep(&self, n: usize) -> bool {
        self.n_kept.fetch_add(n, Ordering::Relaxed) + n <= MAX_KEPT
    }
}

/// Those of some examples that a pattern covers.
pub(in crate::learn) fn covered(
    matcher: &mut PatternMatcher<'_>,
    plan: &Plan,
    examples: &[Example],
    among: &BitSet,
) -> Result<BitSet, ProverError> {
    let mut found = BitSet::with_capacity(examples.len());
    for i in among.ones() {
        let known = &mut *examples[i].known();
        if matcher.covers(plan, &mut known.memo, &known.args)? {
            found.insert(i);
        }
    }
    Ok(found)
}
