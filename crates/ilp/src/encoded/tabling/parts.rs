//! The size and the subterms of terms.

use kibitz_prolog::Term;
use rustc_hash::FxHashSet;

/// The number of symbols, constants and variables in terms.
pub(super) fn terms_of(terms: &[Term]) -> usize {
    terms.iter().map(Term::size).sum()
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
