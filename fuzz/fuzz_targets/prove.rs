//! Any program can be asked for every body of its rules, within bounds.
#![no_main]

use kibitz_fuzz::LIMITS;
use kibitz_prolog::{Database, Prover, SymbolTable, print_term, read_clauses};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut symbols = SymbolTable::new();
    let Ok(program) = read_clauses(text, &mut symbols) else {
        return;
    };
    let Ok(db) = Database::builder().clauses(&program).build(&mut symbols) else {
        return;
    };
    let mut prover = Prover::new(&db, LIMITS);
    for clause in program
        .iter()
        .filter(|clause| !clause.body.is_empty())
        .take(4)
    {
        match prover.solutions(&clause.body, 20) {
            Ok(answers) => {
                let terms = answers.bindings.iter().flatten();
                terms.for_each(|term| drop(print_term(term, &symbols).to_string()));
            }
            Err(error) => drop(error.describe(&symbols, &db.predicates())),
        }
        let _ = prover.prove_in_parts(&clause.body);
        if let Ok(theory) = prover.prepare(std::slice::from_ref(clause)) {
            prover.load(&theory);
            let _ = prover.covers(&theory, 0, &clause.head);
        }
    }
});
