//! IDA*: the shortest clauses that may be returned, and the best of them.

use std::sync::Arc;

use indexmap::IndexSet;
use kibitz_prolog::ProverError;
use rustc_hash::FxBuildHasher;

use crate::eval::{Key, Node};
use crate::learn::bottom_clause::{ChosenClause, ClauseCoverage, Search, compression};

/// What an iteration counts, and when the search ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deepening {
    /// A clause counts once; the shortest length with a clause that may be returned is the last.
    Once,
    /// A clause counts in each iteration.
    Recounted,
    /// The same, and the search goes on to the bound on clauses.
    Throughout,
}

/// Deepens until there are clauses that may be returned, and returns the best of that length; at the
/// bound on clauses, the best so far.
///
/// The cost of a clause is its literals. The remaining cost is bounded from below: nothing for a
/// clause that may be returned, otherwise a literal for each output of the head that is not provided,
/// and at least one. A clause that covers too few positive examples leads nowhere, as longer ones
/// cover no more. Whether a clause counts once, however often deepening comes back to it, and whether
/// longer ones are looked at when some may be returned, is up to `deepening`.
pub(super) fn search(
    search: &mut Search<'_>,
    deepening: Deepening,
) -> Result<Option<ChosenClause>, ProverError> {
    let root = search.root();
    let (mut threshold, mut best) = (1, None);
    loop {
        let mut round = Round {
            deepening,
            threshold,
            next: usize::MAX,
            best,
            seen: IndexSet::default(),
            is_over: false,
        };
        round.visit(search, &root, None)?;
        let is_found = round.best.is_some() && deepening != Deepening::Throughout;
        if is_found || round.is_over || round.next == usize::MAX {
            return Ok(round.best);
        }
        (threshold, best) = (round.next, round.best);
    }
}

struct Round {
    deepening: Deepening,
    threshold: usize,
    /// The least bound above the threshold.
    next: usize,
    best: Option<ChosenClause>,
    seen: IndexSet<Key, FxBuildHasher>,
    is_over: bool,
}

impl Round {
    fn visit(
        &mut self,
        search: &mut Search<'_>,
        node: &Node,
        shorter: Option<&ClauseCoverage>,
    ) -> Result<(), ProverError> {
        let (_, pattern) = node;
        let length = pattern.lits.len();
        if length > self.threshold {
            self.next = self.next.min(length);
            return Ok(());
        }
        let may_look = self.deepening == Deepening::Once || search.come_back(node);
        let judged = if may_look {
            search.judge(node, shorter)?
        } else {
            None
        };
        let Some(judged) = judged else {
            self.is_over = true;
            return Ok(());
        };
        if !search.is_promising(&judged) {
            return Ok(());
        }
        if search.is_acceptable(pattern, &judged) {
            let worth = compression(&judged, pattern);
            if self.best.as_ref().is_none_or(|best| worth > best.worth) {
                self.best = Some(ChosenClause::new(search, pattern, &judged));
            }
            return Ok(());
        }
        let estimate = length + pattern.n_missing().max(1);
        if estimate > self.threshold {
            if length < search.bounds().max_literals {
                self.next = self.next.min(estimate);
            }
            return Ok(());
        }
        let longer = search.successors(node)?;
        for node in Arc::clone(&longer).iter() {
            if self.is_over {
                break;
            }
            if self.seen.insert(node.0.clone()) {
                self.visit(search, node, Some(&judged))?;
            }
        }
        Ok(())
    }
}
