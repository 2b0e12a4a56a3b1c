//! Coverage of clauses, cached from search to search.

use std::sync::{Mutex, MutexGuard, PoisonError};

use kibitz_prolog::{BitSet, Term};
use rustc_hash::FxHashMap;

use crate::encoded::number;
use crate::eval::{Constants, Key};

/// Most clauses that are remembered.
const MAX_CLAUSES: usize = 1 << 16;
/// Most constants that clauses name; in a key they are counted down from the greatest word.
const MAX_CONSTANTS: usize = 1 << 15;

/// A cache of the examples that clauses cover, shared by searches on several threads; examples may be
/// added.
#[derive(Debug)]
pub(super) struct CoverageCache {
    known: Mutex<Contents>,
    /// About the most bytes of what is remembered.
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Contents {
    constants: Constants,
    clauses: FxHashMap<Key, [KnownCoverage; 2]>,
    bytes: usize,
}

/// Examples on one side that a clause was tried on, and those of them that it covers.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownCoverage {
    tried: BitSet,
    covered: BitSet,
}

impl KnownCoverage {
    /// Those of some examples that a clause was not tried on.
    pub(super) fn open(&self, among: &BitSet) -> Vec<usize> {
        among.difference(&self.tried).collect()
    }

    fn bytes(&self) -> usize {
        (self.tried.len() + self.covered.len()) / 8
    }

    /// Takes note of an example.
    pub(super) fn note(&mut self, example: usize, is_covered: bool) {
        self.tried.grow_and_insert(example);
        if is_covered {
            self.covered.grow_and_insert(example);
        }
    }

    /// Those of some examples that are known to be covered.
    pub(super) fn covered(&self, among: &BitSet) -> BitSet {
        let mut covered = among.clone();
        covered.intersect_with(&self.covered);
        covered
    }
}

impl CoverageCache {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self {
            known: Mutex::default(),
            max_bytes,
        }
    }

    fn known(&self) -> MutexGuard<'_, Contents> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The numbers that all searches have for some constants; `None` if there are too many.
    pub(super) fn numbers<'t>(&self, terms: impl Iterator<Item = &'t Term>) -> Option<Vec<u32>> {
        let mut known = self.known();
        let numbers = terms.map(|term| {
            let constants = &mut known.constants;
            let at = constants.get_index_of(term);
            at.unwrap_or_else(|| constants.insert_full(term.clone()).0)
        });
        let numbers = numbers.map(|place| (place < MAX_CONSTANTS).then(|| number(place)));
        numbers.collect()
    }

    /// The known coverage of a clause.
    pub(super) fn of(&self, key: &Key) -> [KnownCoverage; 2] {
        self.known().clauses.get(key).cloned().unwrap_or_default()
    }

    /// Adds to the known coverage of a clause.
    pub(super) fn add(&self, key: Key, looked: [KnownCoverage; 2]) {
        let known = &mut *self.known();
        if known.clauses.len() >= MAX_CLAUSES || known.bytes >= self.max_bytes {
            known.clauses.clear();
            known.bytes = 0;
        }
        for (own, new) in known.clauses.entry(key).or_default().iter_mut().zip(looked) {
            let before = own.bytes();
            own.tried.union_with(&new.tried);
            own.covered.union_with(&new.covered);
            known.bytes += own.bytes() - before;
        }
    }
}

/// A key in other numbers for the constants.
pub(super) fn renumbered(key: &Key, numbers: &[u32]) -> Key {
    let is_constant = |word: u32| ((u32::MAX - word) as usize) < MAX_CONSTANTS;
    let words = key.iter().map(|&word| match word {
        word if is_constant(word) => u32::MAX - numbers[(u32::MAX - word) as usize],
        word => word,
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_tried_is_not_tried_again() {
        let covers = CoverageCache::new(1 << 20);
        let [two, seven] = [2, 7].map(Term::int);
        // Two searches that met the same constants in another order.
        let numbers =
            [[&two, &seven], [&seven, &two]].map(|terms| covers.numbers(terms.into_iter()));
        let [first, second] = numbers.map(|numbers| numbers.expect("few"));
        let last = |place| u32::MAX - place;
        let key = |constant| Key::from([0, 3, last(constant), 1]);
        let name = renumbered(&key(1), &first);
        assert_eq!(name, renumbered(&key(0), &second));
        assert_ne!(name, renumbered(&key(1), &second));

        let mut looked = covers.of(&name);
        looked[0].note(1, true);
        looked[0].note(70, false);
        covers.add(name.clone(), looked);
        let mut looked = covers.of(&name);
        let among = BitSet::from_iter([1, 3, 70, 71]);
        assert_eq!(looked[0].open(&among), [3, 71]);
        assert_eq!(looked[1].open(&among), [1, 3, 70, 71]);
        looked[0].note(71, true);
        covers.add(name.clone(), looked);
        let [positive, _] = covers.of(&name);
        assert!(positive.covered(&among).ones().eq([1, 71]));
    }
}
