use super::*;
use crate::{SymbolTable, print_atom, print_clause, read_clause, read_clauses};

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

#[test]
fn absorption_depends_on_the_clause_chosen() {
    let mut symbols = SymbolTable::new();
    let example = read_clause("f :- b, c, e", &mut symbols).expect("valid");
    for (with, expected) in [("a :- b, c", "f :- a, e."), ("d :- c, e", "f :- b, d.")] {
        let with = read_clause(with, &mut symbols).expect("valid");
        let results = absorb(&example, &with);
        assert_eq!(print_clause(&results[0], &symbols).to_string(), expected);
    }
}

#[test]
fn intra_construction_invents_a_predicate() {
    let mut symbols = SymbolTable::new();
    let first = read_clause("grand(X,Z) :- parent(X,Y), father(Y,Z)", &mut symbols).expect("valid");
    let second =
        read_clause("grand(X,Z) :- parent(X,Y), mother(Y,Z)", &mut symbols).expect("valid");
    let name = symbols.intern("new");
    let clauses = intra_construct(&first, &second, name).expect("something is shared");
    let texts: Vec<String> = clauses
        .iter()
        .map(|c| print_clause(c, &symbols).to_string())
        .collect();
    assert_eq!(
        texts,
        [
            "grand(A,B) :- parent(A,C), new(B,C).",
            "new(A,B) :- father(B,A).",
            "new(A,B) :- mother(B,A).",
        ]
    );
}

/// The theory that Cigol reaches when the user accepts what is true of `member/2`.
fn learn(examples: &str) -> Vec<String> {
    let mut symbols = SymbolTable::new();
    let mut cigol = Cigol::new();
    let target = read_clauses(
        "member(A,[A|B]). member(A,[B|C]) :- member(A,C).",
        &mut symbols,
    )
    .expect("valid");
    for example in read_clauses(examples, &mut symbols).expect("valid") {
        cigol.tell(example.head);
        cigol.generalise(|clause| follows(clause, &target));
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
