//! Any program can be asked for every body of its rules, and judged by tables, within bounds.
#![no_main]

use kibitz_fuzz::LIMITS;
use kibitz_prolog::{
    Atom, Clause, Database, Evaluator, Prover, SymbolTable, print_term, read_clauses,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut symbols = SymbolTable::new();
    let Ok(program) = read_clauses(text, &mut symbols) else {
        return;
    };
    let Ok(db) = Database::builder().clauses(&program).build(&mut symbols) else {
        return;
    };
    let rules = program.iter().filter(|clause| !clause.body.is_empty());
    let rules: Vec<Clause> = rules.take(4).cloned().collect();
    let mut prover = Prover::new(&db, LIMITS);
    for clause in &rules {
        match prover.solutions(&clause.body, 20) {
            Ok(answers) => {
                let terms = answers.bindings.iter().flatten();
                terms.for_each(|term| drop(print_term(term, &symbols).to_string()));
            }
            Err(error) => drop(error.describe(&symbols, &db.predicates())),
        }
        if let Ok(theory) = prover.prepare(std::slice::from_ref(clause)) {
            prover.load(&theory);
            let _ = prover.covers(&theory, 0, &clause.head);
        }
    }
    let heads: Vec<Atom> = rules.iter().map(|rule| rule.head.clone()).collect();
    let _ = Evaluator::new(&db, LIMITS, &heads, &[]).theory(&rules);
});
