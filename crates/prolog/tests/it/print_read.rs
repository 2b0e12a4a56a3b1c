//! Printing and reading are inverse.

use std::sync::Arc;

use kibitz_prolog::{
    Atom, Clause, Constant, Literal, Real, SymbolTable, Term, print_clause, print_term,
    read_clauses, read_term,
};
use proptest::prelude::*;

/// Names that are awkward in one way or another.
const NAMES: &[&str] = &[
    "a",
    "bc",
    "aB_1",
    "Capital",
    "with space",
    "it's",
    "[]",
    "{}",
    "!",
    ";",
    "-",
    "+",
    ":-",
    "\\+",
    "not",
    "is",
    "mod",
    "=..",
    "|",
    ",",
    "",
    "new\nline",
    "back\\slash",
    "über",
    "*",
    ".",
    "->",
    "=",
    "dynamic",
    "_",
    "1a",
    "/*",
    "\u{1}",
    "\"",
    "=<",
    "@<",
    "^",
    "**",
    ":",
];

fn symbols() -> SymbolTable {
    let mut symbols = SymbolTable::new();
    for name in NAMES {
        symbols.intern(name);
    }
    symbols
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(NAMES)
}

fn constant() -> impl Strategy<Value = Constant> {
    let table = symbols();
    let text = symbols();
    prop_oneof![
        any::<i64>()
            .prop_filter("minus 2^63 has no positive", |v| *v > i64::MIN)
            .prop_map(Constant::Int),
        any::<i8>().prop_map(|v| Constant::Int(v.into())),
        (-1e12..1e12).prop_map(|v: f64| Constant::Real(Real(v))),
        name().prop_map(move |n| Constant::Symbol(table.get(n).expect("interned"))),
        name().prop_map(move |n| Constant::Text(text.get(n).expect("interned"))),
    ]
}

fn term() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        (0u32..40).prop_map(Term::var),
        constant().prop_map(Term::Const)
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let table = symbols();
        prop_oneof![
            (name(), prop::collection::vec(inner.clone(), 1..4))
                .prop_map(move |(n, args)| Term::compound(table.get(n).expect("interned"), args)),
            (prop::collection::vec(inner.clone(), 1..4), inner).prop_map(|(items, tail)| {
                items
                    .into_iter()
                    .rev()
                    .fold(tail, |tail, head| Term::cons(head, tail))
            }),
        ]
    })
}

fn atom() -> impl Strategy<Value = Atom> {
    let table = symbols();
    (
        prop::sample::select(vec!["a", "bc", "Capital", "with space", "=", "is", "=<"]),
        prop::collection::vec(term(), 0..4),
    )
        .prop_map(move |(n, args)| Atom {
            name: table.get(n).unwrap_or_else(|| symbols().intern(n)),
            args: Arc::from(args),
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn terms_read_back(term in term()) {
        let mut symbols = symbols();
        let clause = Clause::fact(Atom::new(symbols.intern("p"), [term])).normalized();
        let term = clause.head.args[0].clone();
        let text = print_term(&term, &symbols).to_string();
        let back = read_term(&text, &mut symbols).map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
        prop_assert_eq!(back, term, "{}", text);
    }

    #[test]
    fn clauses_read_back(head in atom(), body in prop::collection::vec((any::<bool>(), atom()), 0..5)) {
        let mut symbols = symbols();
        let body = body.into_iter().map(|(positive, atom)| Literal { positive, atom }).collect();
        let clause = Clause::new(head, body).normalized();
        let text = print_clause(&clause, &symbols).to_string();
        let back = read_clauses(&text, &mut symbols).map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
        prop_assert_eq!(&back[..], &[clause][..], "{}", text);
    }
}

/// A plain term: a name, an integer, or a name with such arguments; blanks where they are
/// allowed.
fn plain() -> impl Strategy<Value = String> {
    let leaf = prop_oneof!["[a-z][a-zA-Z0-9_]{0,6}", "[0-9]{1,18}"];
    leaf.prop_recursive(4, 20, 3, |inner| {
        (
            "[a-z][a-z0-9]{0,3}",
            prop::collection::vec(inner, 1..4),
            prop::sample::select(vec![",", ", "]),
        )
            .prop_map(|(name, args, comma)| format!("{name}({})", args.join(comma)))
    })
}

proptest! {
    #[test]
    fn plain_facts_are_read_as_any_other_clause(
        name in "[a-z][a-z0-9_]{0,5}",
        args in prop::collection::vec(plain(), 1..5),
    ) {
        // A body of `true` makes the reader go the long way to the same clause.
        let fact = format!("{name}({})", args.join(","));
        let mut symbols = SymbolTable::new();
        let short = read_clauses(&format!("% note\n {fact}.\n"), &mut symbols).expect("valid");
        let long = read_clauses(&format!("{fact} :- true."), &mut symbols).expect("valid");
        prop_assert_eq!(short, long);
    }
}
