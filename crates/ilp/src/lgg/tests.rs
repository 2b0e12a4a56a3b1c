use proptest::prelude::*;

use super::*;
use crate::subsume::{equivalent, subsumes};
use crate::term::{Atom, Clause, Literal, SymbolTable, Term};
use crate::{print_atom, print_clause, read_clause};

#[test]
fn the_member_example_of_the_thesis() {
    // Morales 1992, section 4.3: nine literals before reduction.
    let mut symbols = SymbolTable::new();
    let body = "member(1,[1]), member(0,[2,0]), member(1,[1,0])";
    let a = read_clause(&format!("member(1,[0,1]) :- {body}"), &mut symbols).expect("valid");
    let b = read_clause(&format!("member(0,[1,2,0]) :- {body}"), &mut symbols).expect("valid");
    let lgg = lgg_clauses(&a, &b).expect("one predicate").normalized();
    assert_eq!(
        print_clause(&lgg, &symbols).to_string(),
        "member(A,[B,C|D]) :- member(1,[1]), member(A,[C|D]), member(1,[1|D]), \
         member(B,[E|F]), member(0,[2,0]), member(B,[E,0]), member(1,[1|F]), member(A,[C,0]), \
         member(1,[1,0])."
    );
}

struct SameParity;

impl Compatible for SameParity {
    fn literals(&self, left: LiteralRef, right: LiteralRef) -> bool {
        match (left, right) {
            (LiteralRef::Body(i), LiteralRef::Body(j)) => i % 2 == j % 2,
            (a, b) => a == b,
        }
    }
}

#[test]
fn incompatible_literals_are_left_out() {
    let mut symbols = SymbolTable::new();
    let a = read_clause("p :- q(1), q(2), q(3)", &mut symbols).expect("valid");
    let b = read_clause("p :- q(4), q(5)", &mut symbols).expect("valid");
    let lgg = lgg_clauses_with(&a, &b, &SameParity).expect("one predicate");
    assert_eq!(lgg.parents, [(0, 0), (1, 1), (2, 0)]);
}

/// Two pieces, each literal labeled with its own.
struct SamePiece([usize; 2]);

impl Compatible for SamePiece {
    fn literals(&self, left: LiteralRef, right: LiteralRef) -> bool {
        match (left, right) {
            (LiteralRef::Body(i), LiteralRef::Body(j)) => (i < self.0[0]) == (j < self.0[1]),
            (a, b) => a == b,
        }
    }
}

#[test]
fn labels_shorten_the_moves_of_two_pieces_as_printed() {
    // Morales 1992, section 5.2.3.2: nine and four legal moves in one position, one and six in the
    // other; 91 literals without labels, 33 with them.
    let mut symbols = SymbolTable::new();
    let mut position = |first: i32, second: i32| {
        let moves = (0..first + second).map(|at| format!("legal_move({at})"));
        let text = format!("p :- {}", moves.collect::<Vec<_>>().join(", "));
        read_clause(&text, &mut symbols).expect("valid")
    };
    let (a, b) = (position(9, 4), position(1, 6));
    let plain = lgg_clauses(&a, &b).expect("one predicate");
    assert_eq!(plain.body.len(), 91);
    let labeled = lgg_clauses_with(&a, &b, &SamePiece([9, 1])).expect("one predicate");
    assert_eq!(labeled.parents.len(), 33);
}

struct ByArgument;

impl Compatible for ByArgument {
    fn terms(
        &self,
        _: (LiteralRef, &Term),
        _: (LiteralRef, &Term),
        argument: usize,
    ) -> Option<u32> {
        (argument < 2).then_some(u32::try_from(argument).expect("small"))
    }
}

#[test]
fn classes_keep_variables_apart() {
    let mut symbols = SymbolTable::new();
    let a = read_clause("p(1,1) :- q(1,1,1), r(1)", &mut symbols).expect("valid");
    let b = read_clause("p(2,2) :- q(2,2,2), r(2)", &mut symbols).expect("valid");
    let lgg = lgg_clauses_with(&a, &b, &ByArgument).expect("one predicate");
    assert_eq!(
        print_clause(&lgg.clause, &symbols).to_string(),
        "p(A,B) :- r(A)."
    );
}

/// Distinct names of one table: p, q, r, f and frozen.
fn names() -> [crate::Symbol; 5] {
    let mut symbols = SymbolTable::new();
    ["p", "q", "r", "f", "frozen"].map(|name| symbols.intern(name))
}

fn term() -> impl Strategy<Value = Term> {
    let f = names()[3];
    let flat = prop_oneof![(0u32..3).prop_map(Term::var), (0i64..3).prop_map(Term::int)];
    prop_oneof![
        3 => flat.clone(),
        1 => (flat.clone(), flat).prop_map(move |(a, b)| Term::compound(f, [a, b]))
    ]
}

fn clause() -> impl Strategy<Value = Clause> {
    let mut symbols = SymbolTable::new();
    let (p, q, r) = (
        symbols.intern("p"),
        symbols.intern("q"),
        symbols.intern("r"),
    );
    let literal = (any::<bool>(), prop::bool::weighted(0.8), term(), term()).prop_map(
        move |(binary, positive, a, b)| Literal {
            positive,
            atom: if binary {
                Atom::new(q, [a, b])
            } else {
                Atom::new(r, [a])
            },
        },
    );
    (term(), prop::collection::vec(literal, 0..5))
        .prop_map(move |(a, body)| Clause::new(Atom::new(p, [a]), body))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn the_lgg_subsumes_both_parents(a in clause(), b in clause()) {
        let lgg = lgg_clauses(&a, &b).expect("one predicate");
        prop_assert!(subsumes(&lgg, &a));
        prop_assert!(subsumes(&lgg, &b));
        let back = lgg_clauses(&b, &a).expect("one predicate");
        prop_assert!(equivalent(&lgg, &back));
    }

    #[test]
    fn common_generalizations_subsume_the_lgg(a in clause(), b in clause(), c in clause()) {
        let lgg = lgg_clauses(&a, &b).expect("one predicate");
        // Common generalizations: whatever happens to be one, and weakened forms of the lgg.
        if subsumes(&c, &a) && subsumes(&c, &b) {
            prop_assert!(subsumes(&c, &lgg));
        }
        let wider = lgg_clauses(&lgg, &c).expect("one predicate");
        prop_assert!(subsumes(&wider, &a) && subsumes(&wider, &b) && subsumes(&wider, &lgg));
        for i in 0..lgg.body.len() {
            let mut weaker = lgg.clone();
            weaker.body.remove(i);
            prop_assert!(subsumes(&weaker, &lgg));
        }
    }

    #[test]
    fn the_lgg_of_a_clause_with_itself_is_equivalent(a in clause()) {
        prop_assert!(equivalent(&lgg_clauses(&a, &a).expect("one predicate"), &a));
    }
}

/// The example of the thesis: the same pair of terms becomes the same variable.
#[test]
fn atoms_generalize_pair_by_pair() {
    let mut symbols = SymbolTable::new();
    let mut head = |text: &str| read_clause(text, &mut symbols).expect("an atom").head;
    let (a, b) = (
        head("foo(a, f(a), g(X, b), f)"),
        head("foo(Y, f(Y), g(c, b), h(g))"),
    );
    let lgg = Generalizer::new().atoms(&a, &b).expect("one predicate");
    let lgg = print_atom(&lgg, &symbols).to_string();
    assert_eq!(lgg, "foo(A,f(A),g(B,b),C)");
}
