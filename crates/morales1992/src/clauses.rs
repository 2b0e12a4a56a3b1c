//! Clauses in parameters and in tables.

use kibitz_experiment::Problems;
use kibitz_prolog::{Clause, SymbolTable, print_clause, read_clauses};

/// The clauses of the parameter at `path`; text that cannot be read is reported and has none.
pub(crate) fn check(path: &str, text: &str, problems: &mut Problems) -> Vec<Clause> {
    read_clauses(text, &mut SymbolTable::new()).unwrap_or_else(|errors| {
        problems.at(path, errors.to_string());
        Vec::new()
    })
}

/// Clauses as one line of Prolog text.
pub(crate) fn print(clauses: &[Clause], symbols: &SymbolTable) -> String {
    let lines = clauses.iter();
    let lines = lines.map(|clause| print_clause(clause, symbols).to_string());
    lines.collect::<Vec<_>>().join(" ")
}
