//! Greedy search with a look-ahead over pairs of macros.

use std::sync::Arc;

use indexmap::IndexSet;
use kibitz_prolog::ProverError;
use rustc_hash::FxBuildHasher;

use crate::eval::{Key, Node};
use crate::learn::bottom_clause::{ChosenClause, ClauseCoverage, Search, compression};

/// Combines every macro with every other, keeps the best few, and lets these grow while one that
/// grows gets better than the best clause that may be returned.
///
/// The paper leaves the ranking open: it is by compression here, and of equals the first found wins.
pub(super) fn search(
    search: &mut Search<'_>,
    beam: usize,
) -> Result<Option<ChosenClause>, ProverError> {
    let root = search.root();
    let mut level = Level {
        best: None,
        seen: IndexSet::default(),
        open: Vec::new(),
        is_over: false,
    };
    let Some(judged) = search.judge(&root, None)? else {
        return Ok(None);
    };
    level.grow(search, &[(root, judged)])?;
    let singles = level.open.clone();
    level.grow(search, &singles)?;
    while !level.is_over && !level.open.is_empty() {
        // Of equal worth the first stays first.
        level
            .open
            .sort_by_key(|((_, pattern), judged)| -compression(judged, pattern));
        level.open.truncate(beam);
        let chosen = std::mem::take(&mut level.open);
        level.grow(search, &chosen)?;
    }
    Ok(level.best)
}

struct Level {
    best: Option<ChosenClause>,
    seen: IndexSet<Key, FxBuildHasher>,
    /// Clauses that may get better.
    open: Vec<(Node, Arc<ClauseCoverage>)>,
    is_over: bool,
}

impl Level {
    /// Adds everything that is one operator longer than these.
    fn grow(
        &mut self,
        search: &mut Search<'_>,
        from: &[(Node, Arc<ClauseCoverage>)],
    ) -> Result<(), ProverError> {
        for (node, judged) in from {
            let longer = search.successors(node)?;
            for node in longer.iter() {
                if self.is_over {
                    return Ok(());
                }
                if self.seen.insert(node.0.clone()) {
                    self.add(search, node, judged)?;
                }
            }
        }
        // What can no longer beat the best is given up.
        let least = self.best.as_ref().map(|best| best.worth);
        self.open.retain(|((_, pattern), judged)| {
            let hope = judged.counts[0].cast_signed() - pattern.lits.len().cast_signed() - 1;
            least.is_none_or(|least| hope as i64 > least)
        });
        Ok(())
    }

    fn add(
        &mut self,
        search: &mut Search<'_>,
        node: &Node,
        shorter: &ClauseCoverage,
    ) -> Result<(), ProverError> {
        let (_, pattern) = node;
        let Some(judged) = search.judge(node, Some(shorter))? else {
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
        } else {
            self.open.push((node.clone(), judged));
        }
        Ok(())
    }
}
