//! Merges of clauses with macros, cached from search to search.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::eval::{Node, Pattern};

/// Most clauses that are remembered.
const MAX_NODES: usize = 60_000;

/// A cache of the clauses that a clause and a macro make together. They depend on the two alone, so
/// that searches from all examples share it.
#[derive(Debug, Default)]
pub(super) struct MergeCache(Mutex<Contents>);

#[derive(Debug, Default)]
struct Contents {
    macros: IndexSet<Pattern, FxBuildHasher>,
    /// By clause and number of the macro.
    made: FxHashMap<Arc<Pattern>, FxHashMap<usize, Arc<[Node]>>>,
    n_nodes: usize,
}

impl MergeCache {
    fn known(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number that all searches have for a macro.
    pub(super) fn number(&self, operator: &Pattern) -> usize {
        let macros = &mut self.known().macros;
        let known = macros.get_index_of(operator);
        known.unwrap_or_else(|| macros.insert_full(operator.clone()).0)
    }

    /// The merges of a clause with each of some macros, where they are known.
    pub(super) fn of<'m>(
        &self,
        clause: &Pattern,
        macros: impl Iterator<Item = &'m usize>,
    ) -> Vec<Option<Arc<[Node]>>> {
        let known = self.known();
        let made = known.made.get(clause);
        let of = |number| made.and_then(|made| made.get(number)).cloned();
        macros.map(of).collect()
    }

    /// Adds the merges of a clause with some macros.
    pub(super) fn add(&self, clause: &Arc<Pattern>, new: Vec<(usize, Arc<[Node]>)>) {
        let known = &mut *self.known();
        known.n_nodes += new.iter().map(|(_, nodes)| nodes.len()).sum::<usize>();
        if known.n_nodes <= MAX_NODES {
            let made = known.made.entry(Arc::clone(clause)).or_default();
            made.extend(new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Arg, Lit, Variable};

    fn pattern(modes: &[u32]) -> Pattern {
        let variable = Variable {
            kind: 0,
            depth: 0,
            is_known: true,
        };
        let lits = modes.iter().map(|&mode| Lit::positive(mode, [Arg::Var(0)]));
        Pattern {
            head: vec![Arg::Var(0)],
            lits: lits.collect(),
            vars: vec![variable],
        }
    }

    #[test]
    fn what_was_made_is_found_for_the_same_two_only() {
        let merged = MergeCache::default();
        let [clause, other] = [&[1][..], &[2]].map(|modes| Arc::new(pattern(modes)));
        let [first, second] = [&[3][..], &[4]].map(|modes| merged.number(&pattern(modes)));
        assert_eq!(
            (merged.number(&pattern(&[3])), first == second),
            (first, false)
        );
        let long = Arc::new(pattern(&[1, 3]));
        let made: Arc<[Node]> = [(long.key(), long)].into();
        merged.add(&clause, vec![(first, Arc::clone(&made))]);
        let macros = [second, first];
        assert_eq!(merged.of(&clause, macros.iter()), [None, Some(made)]);
        assert_eq!(merged.of(&other, macros.iter()), [None, None]);
    }
}
