//! The size and the subterms of terms.

use kibitz_prolog::Term;
use rustc_hash::FxHashSet;

/// The number of symbols, constants and variables in terms.
pub(super) fn terms_of(terms: &[Term]) -> u64 {
    terms.iter().map(|term| term.size() as u64).sum()
}

/// Adds the proper subterms of a term.
pub(super) fn add_parts(term: &Term, parts: &mut FxHashSet<Term>) {
    term.all_parts(&mut |part| {
        if part != term {
            parts.insert(part.clone());
        }
        true
    });
}
