//! The examples, with the caches that searches share.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::coverage_cache::CoverageCache;
use super::example::Example;
use super::merge_cache::MergeCache;
use crate::coverage::BitSet;
use crate::eval::{PatternMatcher, Plan};
use crate::prover::ProverError;

/// Positive examples, then negative ones.
#[derive(Debug)]
pub(in crate::learn) struct Examples {
    pub(in crate::learn) positive: Vec<Example>,
    pub(in crate::learn) negative: Vec<Example>,
    /// The coverage of clauses.
    pub(super) covers: CoverageCache,
    /// Clauses grown by macros.
    pub(super) merged: MergeCache,
    /// Number of clauses kept for later searches.
    n_kept: AtomicUsize,
}

/// Most clauses that are kept for searches to come.
const MAX_KEPT: usize = 60_000;

impl Examples {
    /// None yet; about so many bytes may be taken by the coverage that is remembered.
    pub(super) fn new(max_bytes: usize) -> Self {
        Self {
            positive: Vec::new(),
            negative: Vec::new(),
            covers: CoverageCache::new(max_bytes),
            merged: MergeCache::default(),
            n_kept: AtomicUsize::new(0),
        }
    }

    /// Whether `n` clauses more may be kept.
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
