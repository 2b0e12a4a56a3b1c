use kibitz_ilp::subsumes;
use kibitz_prolog::{
    Atom, Clause, SymbolTable, Term, print_atom, print_clause, read_clause, read_clauses,
    unify_atoms,
};

use super::dialogue::{Dialogue, follows};
use super::operators::{absorb_unit, truncate};

#[test]
fn truncation_of_the_member_examples() {
    let mut symbols = SymbolTable::new();
    let units: Vec<Atom> = read_clauses(
        "member(a,[a]). member(1,[1,2]). member(f,[f,g,h]).",
        &mut symbols,
    )
    .expect("valid")
    .into_iter()
    .map(|clause| clause.head)
    .collect();
    let lgg = truncate(&units).expect("one predicate");
    assert_eq!(print_atom(&lgg, &symbols).to_string(), "member(A,[A|B])");
}

#[test]
fn absorption_finds_the_recursive_clause() {
    // (8'') of the thesis: member(A,[B|C]) :- member(A,C), from (6') and (8').
    let mut symbols = SymbolTable::new();
    let clause = read_clause("member(A,[B,C,A,D|E])", &mut symbols).expect("valid");
    let unit = read_clause("member(A,[B,A,C|D])", &mut symbols)
        .expect("valid")
        .head;
    let results = absorb_unit(&clause, &unit);
    let texts: Vec<String> = results
        .iter()
        .map(|c| print_clause(c, &symbols).to_string())
        .collect();
    assert!(
        texts.contains(&"member(A,[B|C]) :- member(A,C).".to_owned()),
        "{texts:?}"
    );
    assert!(
        results
            .iter()
            .all(|result| resolves_to(result, &unit, &clause))
    );
}

/// Whether resolving a clause's last condition with a unit clause gives an instance that subsumes
/// `expected`: the defining property of absorption.
fn resolves_to(clause: &Clause, unit: &Atom, expected: &Clause) -> bool {
    let Some((last, rest)) = clause.body.split_last() else {
        return false;
    };
    let unit = unit.map_vars(&mut |var| Term::var(var.0 + clause.var_bound()));
    unify_atoms(&last.atom, &unit).is_some_and(|theta| {
        let resolvent = Clause {
            head: clause.head.clone(),
            body: rest.to_vec(),
        };
        subsumes(&theta.apply_clause(&resolvent), expected)
    })
}

/// The theory that Cigol reaches when the user accepts what is true of `member/2`.
fn learn(examples: &str) -> Vec<String> {
    let mut symbols = SymbolTable::new();
    let mut cigol = Dialogue::new();
    let target = read_clauses(
        "member(A,[A|B]). member(A,[B|C]) :- member(A,C).",
        &mut symbols,
    )
    .expect("valid");
    for example in read_clauses(examples, &mut symbols).expect("valid") {
        cigol.tell(example.head);
        cigol.generalize(|clause| follows(clause, &target));
    }
    let mut theory: Vec<String> = cigol
        .theory()
        .iter()
        .map(|c| print_clause(c, &symbols).to_string())
        .collect();
    theory.sort();
    theory
}

#[test]
fn the_order_of_examples_matters() {
    // Section 5.3 of the thesis.
    let good = learn(
        "member(a,[a]). member(1,[1,2]). member(f,[f,g,h]). member(1,[1]). member(1,[2,1,3]). \
         member(a,[b,a,c,d]). member(1,[3,2,1,4]). member(b,[c,d,b,e,f]).",
    );
    assert_eq!(
        good,
        ["member(A,[A|B]).", "member(A,[B|C]) :- member(A,C)."]
    );
    let poor = learn(
        "member(a,[a]). member(1,[1]). member(1,[1,2]). member(f,[f,g,h]). member(1,[2,1,3]). \
         member(a,[b,a,c,d]). member(1,[3,2,1,4]). member(b,[c,d,b,e,f]).",
    );
    assert!(poor.contains(&"member(A,[A]).".to_owned()), "{poor:?}");
    assert!(!poor.contains(&"member(A,[A|B]).".to_owned()), "{poor:?}");
}
