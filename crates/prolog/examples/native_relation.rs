//! Asks a prover about rules that use a relation computed in Rust.
//!
//! `cargo run -p kibitz-prolog --example native_relation`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::ops::ControlFlow;
use std::sync::Arc;

use kibitz_prolog::{
    Constant, Database, Direction, Limits, NativeError, NativeRelation, Proof, Prover, Signature,
    SymbolTable, print_term, read_clause, read_clauses,
};

/// `divisor(+N, -D)`: D divides N.
struct Divisor(Signature);

impl NativeRelation for Divisor {
    fn signature(&self) -> &Signature {
        &self.0
    }

    fn solve(
        &self,
        args: &[Option<Constant>],
        emit: &mut dyn FnMut(&[Constant]) -> ControlFlow<()>,
    ) -> Result<(), NativeError> {
        let Some(Constant::Int(n)) = args[0] else {
            return Err(NativeError("divisor is asked about no whole number".into()));
        };
        for d in (1..=n).filter(|d| n % d == 0) {
            if emit(&[Constant::Int(n), Constant::Int(d)]).is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut symbols = SymbolTable::new();
    let rules = read_clauses(
        "composite(N) :- divisor(N, D), D > 1, D < N.
         prime(N) :- between(2, 30, N), \\+ composite(N).",
        &mut symbols,
    )?;
    let mode = vec![Direction::In, Direction::Out];
    let divisor = Divisor(Signature::new(symbols.intern("divisor"), mode));
    let db = Database::builder()
        .clauses(&rules)
        .native(Arc::new(divisor))
        .build(&mut symbols)?;

    let mut prover = Prover::new(&db, Limits::default());
    let goals = read_clause("query :- prime(N)", &mut symbols)?.body;
    let answers = prover.solutions(&goals, 100)?;
    assert_eq!(answers.end, Proof::Refuted, "there are no more answers");
    let primes: Vec<String> = (answers.bindings.iter())
        .map(|row| print_term(&row[0], &symbols).to_string())
        .collect();
    println!("{}", primes.join(" "));
    assert_eq!(primes.join(" "), "2 3 5 7 11 13 17 19 23 29");
    Ok(())
}

#[test]
fn primes_are_listed() {
    main().expect("an answer");
}
