//! Any two clauses can be generalized, within bounds, and what comes out subsumes both.
#![no_main]

use kibitz_ilp::{reduced, subsumes};
use kibitz_prolog::{SymbolTable, lgg_clauses, read_clauses};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut symbols = SymbolTable::new();
    let Ok(clauses) = read_clauses(text, &mut symbols) else {
        return;
    };
    let [left, right, ..] = &clauses[..] else {
        return;
    };
    let _ = (subsumes(left, right), subsumes(right, left));
    if let Some(both) = lgg_clauses(left, right) {
        // Of larger clauses the search for a substitution may be given up.
        let is_small = left.len().max(right.len()) <= 8;
        for own in [left, right] {
            assert!(subsumes(&both, own) || !is_small);
        }
        let _ = reduced(&both);
    }
});
