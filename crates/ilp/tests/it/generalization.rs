//! Least general generalizations under theta-subsumption.

use kibitz_ilp::{equivalent, subsumes};
use kibitz_prolog::{Atom, Clause, Literal, Symbol, SymbolTable, Term, lgg_clauses};
use proptest::prelude::*;

/// Distinct names of one table: p, q, r, f and frozen.
fn names() -> [Symbol; 5] {
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
