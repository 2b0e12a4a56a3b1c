//! Theories in what programs print.

use kibitz_prolog::{Clause, Dialect, Predicate, Reader, SentenceKind, SymbolTable};

/// The clauses of a predicate in the output of a program; everything else is ignored.
pub(crate) fn clauses_in(text: &str, target: Predicate, symbols: &mut SymbolTable) -> Vec<Clause> {
    // FOIL writes inequality in its own way.
    let text = text.replace("<>", " \\= ");
    let mut reader = Reader::new(&text, Dialect::Prolog).with_optional_end();
    let mut clauses = Vec::new();
    loop {
        match reader.next_sentence(symbols) {
            Ok(Some(sentence)) => {
                if let SentenceKind::Clause(clause) = sentence.kind
                    && clause.head.predicate() == target
                    && !clauses.contains(&clause)
                {
                    clauses.push(clause);
                }
            }
            Ok(None) => return clauses,
            Err(_) => {}
        }
    }
}
