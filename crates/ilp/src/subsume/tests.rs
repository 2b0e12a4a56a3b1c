use kibitz_prolog::{Atom, SymbolTable, read_clause, unify_atoms};
use proptest::prelude::*;

use super::*;

fn check(general: &str, specific: &str, expected: bool) {
    let mut symbols = SymbolTable::new();
    let general = read_clause(general, &mut symbols).expect("valid");
    let specific = read_clause(specific, &mut symbols).expect("valid");
    match subsuming_substitution(&general, &specific) {
        Some(theta) => {
            assert!(expected);
            assert_contained(&general, &theta, &specific);
        }
        None => assert!(!expected),
    }
}

fn assert_contained(general: &Clause, theta: &BTreeMap<Var, Term>, specific: &Clause) {
    let image = general.map_vars(&mut |v| theta[&v].clone());
    assert_eq!(image.head, specific.head);
    assert!(
        image
            .body
            .iter()
            .all(|literal| specific.body.contains(literal))
    );
}

#[test]
fn subsumption_by_hand() {
    check("p(X)", "p(a) :- q(a)", true);
    check("p(X) :- q(X, Y)", "p(a) :- q(b, a)", false);
    check("p(X) :- q(X, Y), q(Y, X)", "p(a) :- q(a, b), q(b, a)", true);
    check("p(X) :- q(X, X)", "p(X) :- q(X, Y)", false);
    check("p(X) :- \\+ q(X)", "p(a) :- q(a)", false);
    check("p(X) :- \\+ q(X)", "p(a) :- \\+ q(a)", true);
    check(
        "member(X, [Y|T]) :- member(X, T)",
        "member(1, [2, 1]) :- member(1, [1])",
        true,
    );
    check("member(X, [X|T])", "member(1, [2, 1])", false);
    check("p(f(X), g(X))", "p(f(h(A)), g(h(A)))", true);
    check("p(f(X), g(X))", "p(f(h(A)), g(h(B)))", false);
    check("p(X, X)", "p([], [])", true);
    check("p(Y) :- q(Y, X)", "p(X) :- q(X, Y)", true);
    check("q", "q :- r", true);
    check("q :- s(X), t(X)", "q :- s(a), t(b)", false);
}

#[test]
fn reduction_by_hand() {
    let cases = [
        ("p(X) :- q(X, Y), q(X, Z)", "p(A) :- q(A,B)."),
        (
            "p(X) :- q(X, Y), q(Y, Z), q(Z, W)",
            "p(A) :- q(A,B), q(B,C), q(C,D).",
        ),
        ("p(X) :- q(X, X), q(X, Y), q(Y, Z)", "p(A) :- q(A,A)."),
        ("p(X) :- q(X), q(X)", "p(A) :- q(A)."),
        ("p(X) :- q(X, a), q(X, Y)", "p(A) :- q(A,a)."),
    ];
    for (text, expected) in cases {
        let mut symbols = SymbolTable::new();
        let clause = read_clause(text, &mut symbols).expect("valid");
        let reduced = reduced(&clause).normalized();
        assert_eq!(
            kibitz_prolog::print_clause(&reduced, &symbols).to_string(),
            expected,
            "{text}"
        );
    }
}

#[test]
fn long_chains_and_grids_are_decided() {
    // A path of 300 literals maps into a triangle; a path does not map into a shorter line.
    let mut symbols = SymbolTable::new();
    let path = |n: usize| {
        let body: Vec<String> = (0..n).map(|i| format!("e(X{i},X{})", i + 1)).collect();
        format!("p :- {}", body.join(", "))
    };
    let long = read_clause(&path(300), &mut symbols).expect("valid");
    let triangle = read_clause("p :- e(a,b), e(b,c), e(c,a)", &mut symbols).expect("valid");
    let line = read_clause(&path(299).replace('X', "x"), &mut symbols).expect("valid");
    assert!(subsumes(&long, &triangle));
    assert!(!subsumes(&long, &line));
}

fn extend(general: &[Literal], specific: &Clause, theta: &kibitz_prolog::Substitution) -> bool {
    let Some((first, rest)) = general.split_first() else {
        return true;
    };
    specific
        .body
        .iter()
        .filter(|l| l.positive == first.positive)
        .any(|target| {
            let bound = theta.apply_atom(&first.atom);
            let Some(more) = unify_atoms(&bound, &target.atom) else {
                return false;
            };
            let mut theta = theta.clone();
            for var in 0..64 {
                if let Some(term) = more.get(Var(var)) {
                    theta.bind(Var(var), term.clone());
                }
            }
            extend(rest, specific, &theta)
        })
}

/// The definition, literally: every way of mapping body literals to body literals.
fn brute_force(general: &Clause, specific: &Clause) -> bool {
    // Variables of the specific clause become constants of a reserved shape.
    let frozen = names()[4];
    let specific = specific.map_vars(&mut |v| Term::compound(frozen, [Term::int(i64::from(v.0))]));
    unify_atoms(&general.head, &specific.head)
        .is_some_and(|theta| extend(&general.body, &specific, &theta))
}

/// Distinct names of one table: p, q, r, f and frozen.
fn names() -> [kibitz_prolog::Symbol; 5] {
    let mut symbols = SymbolTable::new();
    ["p", "q", "r", "f", "frozen"].map(|name| symbols.intern(name))
}

fn term() -> impl Strategy<Value = Term> {
    let f = names()[3];
    let flat = prop_oneof![3 => (0u32..4).prop_map(Term::var), 1 => (0i64..2).prop_map(Term::int)];
    prop_oneof![4 => flat.clone(), 1 => flat.prop_map(move |t| Term::compound(f, [t]))]
}

fn clause(max_body: usize) -> impl Strategy<Value = Clause> {
    let mut symbols = SymbolTable::new();
    let (p, q, r) = (
        symbols.intern("p"),
        symbols.intern("q"),
        symbols.intern("r"),
    );
    let literal = (any::<bool>(), prop::bool::weighted(0.85), term(), term()).prop_map(
        move |(binary, positive, a, b)| Literal {
            positive,
            atom: if binary {
                Atom::new(q, [a, b])
            } else {
                Atom::new(r, [a])
            },
        },
    );
    (term(), prop::collection::vec(literal, 0..max_body))
        .prop_map(move |(a, body)| Clause::new(Atom::new(p, [a]), body))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn agrees_with_brute_force(general in clause(5), specific in clause(7)) {
        let found = subsuming_substitution(&general, &specific);
        prop_assert_eq!(found.is_some(), brute_force(&general, &specific));
        if let Some(theta) = found {
            assert_contained(&general, &theta, &specific);
        }
    }

    #[test]
    fn reduction_is_equivalent_and_minimal(clause in clause(7)) {
        let small = reduced(&clause);
        prop_assert!(equivalent(&clause, &small));
        prop_assert!(small.body.len() <= clause.body.len());
        for i in 0..small.body.len() {
            let mut smaller = small.clone();
            smaller.body.remove(i);
            prop_assert!(!equivalent(&clause, &smaller));
        }
    }

    #[test]
    fn instances_are_subsumed(clause in clause(6), values in prop::collection::vec(0i64..3, 4)) {
        let instance = clause.map_vars(&mut |v| Term::int(values[v.index()]));
        prop_assert!(subsumes(&clause, &instance));
        prop_assert!(subsumes(&clause, &clause));
    }
}

#[test]
fn searches_without_end_are_given_up() {
    // A clique of 10 in a graph that is full of cliques of 9.
    let edges = |name: &str, n: usize, keep: &dyn Fn(usize, usize) -> bool| {
        let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let pairs = pairs.filter(|&(i, j)| i != j && keep(i, j));
        let edges: Vec<String> = pairs
            .map(|(i, j)| format!("e({name}{i},{name}{j})"))
            .collect();
        format!("p :- {}", edges.join(", "))
    };
    let mut symbols = SymbolTable::new();
    let clique = read_clause(&edges("X", 10, &|_, _| true), &mut symbols).expect("valid");
    let parts = read_clause(&edges("a", 31, &|i, j| i % 9 != j % 9), &mut symbols).expect("valid");
    assert!(!subsumes(&clique, &parts));
}

#[test]
fn long_lists_and_many_equal_literals_take_no_stack_and_no_time() {
    let mut symbols = SymbolTable::new();
    for n in [1_000, 10_000] {
        let list = |item: &str| format!("p([{}]).", vec![item; n].join(","));
        let general = read_clause(&list("X"), &mut symbols).expect("valid");
        let specific = read_clause(&list("a"), &mut symbols).expect("valid");
        // The search for the longer one is given up.
        assert_eq!(subsumes(&general, &specific), n == 1_000);
        assert!(!subsumes(&specific, &general));
        let both = kibitz_prolog::lgg_clauses(&general, &specific).expect("one predicate");
        assert_eq!(both.size(), general.size());
    }
    let equal = |var: &str| format!("p(A) :- {}", vec![format!("q({var},{var})"); 50].join(", "));
    let [left, right] =
        ["A", "B"].map(|var| read_clause(&equal(var), &mut symbols).expect("valid"));
    assert!(subsumes(&right, &left));
    let both = reduced(&kibitz_prolog::lgg_clauses(&left, &right).expect("one predicate"));
    assert_eq!(both.body.len(), 1);
}
