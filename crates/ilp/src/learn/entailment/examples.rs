//! The examples of a search, each with what is known about it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::covers::Covers;
use super::key::Key;
use super::matching::{Matcher, Plan};
use super::memo::Memo;
use super::merged::Merged;
use super::pattern::Pattern;
use super::search::Node;
use crate::coverage::BitSet;
use crate::prover::ProverError;
use crate::term::{Atom, Term};

/// A ground atom of the target, and what is known about its terms.
#[derive(Debug)]
pub(in crate::learn) struct Example {
    pub(in crate::learn) atom: Atom,
    known: Mutex<Known>,
}

#[derive(Debug)]
pub(in crate::learn) struct Known {
    pub(in crate::learn) memo: Memo,
    /// The arguments of the atom.
    pub(in crate::learn) args: Vec<u32>,
    /// What clauses grow to by the macros of its bottom clause.
    pub(super) longer: FxHashMap<Key, (Arc<Pattern>, Arc<Vec<Node>>)>,
}

impl Example {
    pub(in crate::learn) fn new(atom: Atom) -> Self {
        let mut memo = Memo::default();
        let args = atom
            .args
            .iter()
            .map(|term: &Term| memo.number(term))
            .collect();
        Self {
            atom,
            known: Mutex::new(Known {
                memo,
                args,
                longer: FxHashMap::default(),
            }),
        }
    }

    /// What is known; others wait, and find more.
    pub(in crate::learn) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

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
    matcher: &mut Matcher<'_>,
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
