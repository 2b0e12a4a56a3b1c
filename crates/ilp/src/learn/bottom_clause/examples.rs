//! The examples, with the caches that searches share.

use std::sync::atomic::{AtomicUsize, Ordering};

use kibitz_prolog::{BitSet, ProverError};

use super::coverage_cache::{CoverageCache, KnownCoverage};
use super::example::{Example, MemoRoom};
use super::merge_cache::MergeCache;
use crate::eval::{PatternMatcher, Plan};

/// Positive examples, then negative ones.
#[derive(Debug)]
pub(in crate::learn) struct Examples {
    pub(in crate::learn) positive: Vec<Example>,
    pub(in crate::learn) negative: Vec<Example>,
    /// The coverage of clauses.
    pub(super) covers: CoverageCache,
    /// Clauses grown by macros.
    pub(super) merged: MergeCache,
    /// For the remembered answers about examples.
    pub(super) room: MemoRoom,
    /// Number of clauses kept for later searches.
    n_kept: AtomicUsize,
}

/// The part of the memory that the remembered coverage of clauses may take.
const COVERAGE_SHARE: usize = 8;
/// The part that remembered answers may take.
const MEMO_SHARE: usize = 4;
/// Most clauses that are kept for searches to come.
const MAX_KEPT: usize = 60_000;

impl Examples {
    /// None yet, with so many bytes for what searches may take in all.
    pub(super) fn new(memory: usize) -> Self {
        Self {
            positive: Vec::new(),
            negative: Vec::new(),
            covers: CoverageCache::new(memory / COVERAGE_SHARE),
            merged: MergeCache::default(),
            room: MemoRoom::new(memory / MEMO_SHARE),
            n_kept: AtomicUsize::new(0),
        }
    }

    /// Whether `n` clauses more may be kept.
    pub(super) fn may_keep(&self, n: usize) -> bool {
        self.n_kept.fetch_add(n, Ordering::Relaxed) + n <= MAX_KEPT
    }
}

/// Examples between two questions whether to go on.
const BETWEEN: usize = 256;

impl Examples {
    /// The positive examples or the negative ones.
    pub(super) fn side(&self, side: usize) -> &[Example] {
        [&self.positive, &self.negative][side]
    }

    /// Those of some examples on one side that a pattern covers.
    pub(super) fn covered(
        &self,
        matcher: &mut PatternMatcher<'_>,
        plan: &Plan,
        side: usize,
        among: &BitSet,
    ) -> Result<BitSet, ProverError> {
        let examples = self.side(side);
        let mut found = BitSet::with_capacity(examples.len());
        for i in among.ones() {
            if examples[i].is_covered(matcher, plan, &self.room)? {
                found.insert(i);
            }
        }
        Ok(found)
    }

    /// Looks at those of some examples on one side on which a clause was not tried; whether all were
    /// looked at, which they are not if it is to end.
    pub(super) fn look(
        &self,
        matcher: &mut PatternMatcher<'_>,
        plan: &Plan,
        side: usize,
        open: &[usize],
        looked: &mut KnownCoverage,
        keep_going: &dyn Fn() -> bool,
    ) -> Result<bool, ProverError> {
        for some in open.chunks(BETWEEN) {
            for &i in some {
                let is_covered = self.side(side)[i].is_covered(matcher, plan, &self.room)?;
                // In another order it may take fewer steps.
                if is_covered || !matcher.is_cut_short() {
                    looked.note(i, is_covered);
                }
            }
            if !keep_going() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
