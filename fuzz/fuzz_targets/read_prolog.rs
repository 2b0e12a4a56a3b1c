//! Any text can be read as a program in every dialect, and clauses print as what reads back the same.
#![no_main]

use kibitz_prolog::{Dialect, Reader, SentenceKind, SymbolTable, print_clause, read_clause};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for dialect in [Dialect::Popper, Dialect::Progol, Dialect::Prolog] {
        let mut symbols = SymbolTable::new();
        let Ok(sentences) = Reader::new(text, dialect).read_all(&mut symbols) else {
            continue;
        };
        for sentence in sentences {
            if let SentenceKind::Clause(clause) = sentence.kind {
                let clause = clause.normalized();
                let printed = print_clause(&clause, &symbols).to_string();
                let read = read_clause(&printed, &mut symbols).expect("printed text reads");
                assert_eq!(read, clause, "{printed}");
            }
        }
    }
});
