//! The clauses of targets: the concepts that they define, and the errors in them.

use kibitz_prolog::{Clause, Database, ProverError, SymbolTable};
use kibitz_text::suggestion;

use crate::ConceptError;

/// The clauses of a concept; it is an error to have none if they are needed.
pub(crate) fn clauses_of(
    name: &str,
    targets: &[Clause],
    symbols: &SymbolTable,
    needed: bool,
) -> Result<Vec<Clause>, ConceptError> {
    let symbol = symbols.get(name);
    let own = (targets.iter()).filter(|clause| Some(clause.head.name) == symbol);
    let own: Vec<Clause> = own.cloned().collect();
    if needed && own.is_empty() {
        return Err(ConceptError::UnknownConcept {
            name: name.to_owned(),
            help: suggestion(name, defined_names(targets, symbols)),
        });
    }
    Ok(own)
}

/// The predicates that the targets define, in order.
pub(crate) fn defined_names<'s>(targets: &[Clause], symbols: &'s SymbolTable) -> Vec<&'s str> {
    let mut names: Vec<&str> = (targets.iter())
        .map(|clause| symbols.name(clause.head.name))
        .collect();
    names.dedup();
    names
}

/// Checks that all predicates called by the targets are defined.
pub(crate) fn check_goals(
    targets: &[Clause],
    db: &Database,
    symbols: &SymbolTable,
) -> Result<(), ConceptError> {
    let mut mistakes = Vec::new();
    for clause in targets {
        for predicate in clause.body.iter().map(|literal| literal.atom.predicate()) {
            if !db.is_defined(predicate) {
                let error = ProverError::UnknownPredicate(predicate);
                let reason = error.describe(symbols, &db.predicates());
                mistakes.push(definition_error(clause, targets, symbols, reason));
            }
        }
    }
    ConceptError::all(mistakes)
}

/// The mistake in a clause; in words alone if it is not one of the targets.
pub(crate) fn definition_error(
    clause: &Clause,
    targets: &[Clause],
    symbols: &SymbolTable,
    reason: String,
) -> ConceptError {
    let name = symbols.name(clause.head.name).to_owned();
    let same = targets.iter().position(|own| own == clause);
    // A clause of the background may be at fault through one that adds to its predicate.
    let like = || (targets.iter()).position(|own| own.head.predicate() == clause.head.predicate());
    match same.or_else(like) {
        Some(at) => ConceptError::Definition {
            clause: at + 1,
            name,
            reason,
        },
        None => ConceptError::Goal(format!("in the definition of {name}: {reason}")),
    }
}
