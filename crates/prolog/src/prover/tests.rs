use std::ops::ControlFlow;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::mode::Direction;
use crate::term::{Clause, Constant, Predicate, SymbolTable, Term};
use crate::{print_term, read_clause, read_clauses};

/// A database of these clauses, and their symbols.
pub(super) fn database(program: &str) -> (Database, SymbolTable) {
    let mut symbols = SymbolTable::new();
    let clauses = read_clauses(program, &mut symbols).expect("valid program");
    let built = Database::builder().clauses(&clauses).build(&mut symbols);
    (built.expect("valid program"), symbols)
}

/// All answers to a query, printed, separated by blanks; and how the search ended.
fn ask(program: &str, query: &str, limits: Limits) -> Result<(String, Proof), ProverError> {
    let mut symbols = SymbolTable::new();
    let clauses = read_clauses(program, &mut symbols).expect("valid program");
    let query = read_clause(&format!("q :- {query}"), &mut symbols)
        .expect("valid query")
        .body;
    let db = Database::builder().clauses(&clauses).build(&mut symbols)?;
    let mut prover = Prover::new(&db, limits);
    let answers = prover.solutions(&query, 20)?;
    let rows: Vec<String> = answers
        .bindings
        .iter()
        .map(|row| {
            let row: Vec<_> = row
                .iter()
                .map(|t| print_term(t, &symbols).to_string())
                .collect();
            row.join("/")
        })
        .collect();
    Ok((rows.join(" "), answers.end))
}

fn check(program: &str, query: &str, expected: &str) {
    let (answers, end) = ask(program, query, Limits::default()).expect("no error");
    assert_eq!(answers, expected, "{query}");
    assert_eq!(end, Proof::Refuted, "{query}");
}

const FAMILY: &str = "parent(a,b). parent(a,c). parent(b,d). parent(c,e). age(a, 50). age(b, 30).
    anc(X,Y) :- parent(X,Y). anc(X,Z) :- parent(X,Y), anc(Y,Z).
    leaf(X) :- parent(_,X), \\+ parent(X,_).
    p(1). p(2). p(3). first(X) :- p(X), !. small(X) :- p(X), (X < 2 -> true ; X > 2).
    flat(1,[2,f(3)]). flat(2,[]). q(f(X,b),X). loop(X) :- loop(X). nat(0). nat(X) :- nat(Y), X is Y + 1.";

#[test]
fn queries() {
    check(FAMILY, "parent(a,X)", "b c");
    check(FAMILY, "parent(X,Y), parent(Y,Z)", "a/b/d a/c/e");
    check(FAMILY, "anc(a,X)", "b c d e");
    check(FAMILY, "leaf(X)", "d e");
    check(FAMILY, "first(X)", "1");
    check(FAMILY, "small(X)", "1 3");
    check(FAMILY, "flat(1,X)", "[2,f(3)]");
    check(FAMILY, "flat(X,[2,f(Y)])", "1/3");
    check(FAMILY, "q(X,a)", "f(a,b)");
    check(FAMILY, "q(f(c,Y),X)", "b/c");
    check(FAMILY, "age(X,Y), Y >= 40", "a/50");
    check(FAMILY, "(p(X) ; X = z)", "1 2 3 z");
    check(FAMILY, "p(X), \\+ X = 2", "1 3");
    check(FAMILY, "\\+ (p(X), X > 3)", "A");
    check(FAMILY, "forall(p(X), X > 0)", "A");
    check(
        FAMILY,
        "findall(X-Y, parent(X,Y), L)",
        "A/B/[a-b,a-c,b-d,c-e]",
    );
    check(
        FAMILY,
        "findall(X, (p(X), X > 1), L), length(L, N)",
        "A/[2,3]/2",
    );
    check(
        FAMILY,
        "G = parent(a), call(G, X)",
        "parent(a)/b parent(a)/c",
    );
    check(FAMILY, "G = (p(X), X > 2), call(G)", "p(3),3>2/3");
    check(FAMILY, "between(1, 3, X), X =\\= 2", "1 3");
    check(FAMILY, "between(1, 2, X), between(X, 2, Y)", "1/1 1/2 2/2");
    check(FAMILY, "X is 7 mod -2 + 2 ** 3 - abs(-4) // 3", "6");
    check(FAMILY, "X is 7 / 2, Y is 6 / 2", "3.5/3");
    check(
        FAMILY,
        "X is 2 ** -1, Y is -1 ^ -3, Z is sign(-2.5)",
        "0.5/-1/-1.0",
    );
    check(
        FAMILY,
        "pi > 3, e < 3, inf > 9, X is -9223372036854775808",
        "-9223372036854775808",
    );
    check(FAMILY, "succ(X, 4), plus(1, Y, X)", "3/2");
    check(FAMILY, "X = f(Y), Y = 1, X == f(1)", "f(1)/1");
    check(FAMILY, "member(X, [1,2,3]), X > 1", "2 3");
    check(FAMILY, "append(X, [3], [1,2,3])", "[1,2]");
    check(FAMILY, "memberchk(2, [1,2,2])", "");
    check(
        FAMILY,
        "reverse([1,2], X), last(X, Y), nth0(0, X, Z)",
        "[2,1]/1/2",
    );
    check(FAMILY, "select(X, [1,2], R)", "1/[2] 2/[1]");
    check(FAMILY, "sum_list([1,2], X), max_list([1,5,2], Y)", "3/5");
    check(FAMILY, "length(L, 2)", "[A,B]");
    check(FAMILY, "once(p(X))", "1");
    check(FAMILY, "a @< b, f(a) @< f(b), 1 @< a", "");
    // Numbers go by value, of equal ones floating point numbers first.
    check(FAMILY, "1.0 @< 1, 1 @< 1.5, 0.5 @< 1, \\+ 1 @< 1.0", "");
    check(
        FAMILY,
        "atom(a), \\+ atom(1), var(X), X = 1, integer(X), ground(f(X))",
        "1",
    );
}

#[test]
fn negative_ground_literals_succeed_once() {
    let (answers, _) = ask(FAMILY, "\\+ parent(d,e)", Limits::default()).expect("no error");
    assert_eq!(answers, "");
    let (db, mut symbols) = database("p(1). r(X) :- \\+ p(X).");
    let mut prover = Prover::new(&db, Limits::default());
    for (goal, expected) in [("q :- r(1)", Proof::Refuted), ("q :- r(2)", Proof::Proved)] {
        let goals = read_clause(goal, &mut symbols).expect("valid").body;
        assert_eq!(prover.prove(&goals), Ok(expected), "{goal}");
    }
}

#[test]
fn bounds_are_told_apart_from_failure() {
    let deep = Limits {
        steps: 1_000_000,
        depth: 50,
        ..Limits::default()
    };
    let (_, end) = ask(FAMILY, "loop(1)", deep).expect("no error");
    assert_eq!(end, Proof::TooDeep);
    let short = Limits {
        steps: 100,
        depth: 1_000,
        ..Limits::default()
    };
    let (_, end) = ask(FAMILY, "loop(1)", short).expect("no error");
    assert_eq!(end, Proof::OutOfSteps);
    let (_, end) = ask(FAMILY, "\\+ loop(1)", deep).expect("no error");
    assert_eq!(
        end,
        Proof::TooDeep,
        "a cut-off branch is no reason to believe a negation"
    );
    let (answers, end) = ask(FAMILY, "nat(X)", deep).expect("no error");
    assert!(answers.starts_with("0 1 2"));
    assert_eq!(end, Proof::Proved);
}

#[test]
fn a_million_levels_take_no_stack() {
    let limits = Limits {
        steps: 100_000_000,
        depth: 2_000_000,
        ..Limits::default()
    };
    let program = "s(0, z). s(N, s(T)) :- N > 0, M is N - 1, s(M, T).
        left(0, T, T). left(N, T, R) :- N > 0, M is N - 1, left(M, t(T,x), R).";
    for (query, expected) in [
        ("s(1000000, T), ground(T), N = 1", Proof::Proved),
        ("s(1000000, T), s(1000000, U), T = U, T == U", Proof::Proved),
        ("s(1000000, T), left(1000000, z, U), T @< U", Proof::Proved),
        (
            "left(1000000, z, T), findall(T, true, [U]), T == U",
            Proof::Proved,
        ),
        (
            "left(1000000, z, T), \\+ T = s(_), \\+ T \\= T",
            Proof::Proved,
        ),
        ("length(L, 1000000), \\+ ground(L)", Proof::Proved),
    ] {
        let (db, mut symbols) = database(program);
        let query_clause = read_clause(&format!("q :- {query}"), &mut symbols).expect("valid");
        let mut prover = Prover::new(&db, limits);
        assert_eq!(prover.prove(&query_clause.body), Ok(expected), "{query}");
        // What is asked for must fit into terms.
        let answers = prover.solutions(&query_clause.body, 1);
        assert_eq!(answers.map(|_| ()), Err(ProverError::TooDeep), "{query}");
    }
}

#[test]
fn work_on_terms_takes_steps() {
    let limits = |steps| Limits {
        steps,
        ..Limits::default()
    };
    let doubled = "X0 = f(a,b), X1 = f(X0,X0), X2 = f(X1,X1), X3 = f(X2,X2), X4 = f(X3,X3),
        X5 = f(X4,X4), X6 = f(X5,X5), X7 = f(X6,X6), X8 = f(X7,X7), ground(X8)";
    let end = |steps| ask("", doubled, limits(steps)).expect("no error").1;
    assert_eq!((end(10), end(1_000)), (Proof::OutOfSteps, Proof::Refuted));
    // A step for each number after the first.
    let (answers, end) = ask("", "between(1, inf, X)", limits(5)).expect("no error");
    assert_eq!((answers.as_str(), end), ("1 2 3 4 5", Proof::OutOfSteps));
    let small = Limits {
        memory: 10_000,
        ..Limits::default()
    };
    let (_, end) = ask("", "length(L, 1000)", small).expect("no error");
    assert_eq!(end, Proof::OutOfMemory);
}

#[test]
fn errors_are_typed() {
    let error = |query: &str| ask(FAMILY, query, Limits::default()).expect_err(query);
    assert!(matches!(
        error("nothing(1)"),
        ProverError::UnknownPredicate(_)
    ));
    assert!(matches!(error("X < 1"), ProverError::Unbound(_)));
    assert!(matches!(error("X is a + 1"), ProverError::Type { .. }));
    assert!(matches!(
        error("X is 1 // 0"),
        ProverError::Arithmetic("//")
    ));
    assert!(matches!(
        error("X is 9223372036854775807 + 1"),
        ProverError::Arithmetic("+")
    ));
    assert!(matches!(error("call(X)"), ProverError::NotCallable));
    let reserved = ask("X = Y :- p(X, Y).", "true", Limits::default()).expect_err("reserved");
    assert!(
        matches!(&reserved, ProverError::In(_, error) if matches!(**error, ProverError::Reserved(_)))
    );
    let fact = ask("p(a). atom(a).", "true", Limits::default()).expect_err("reserved");
    assert!(fact.clause().is_some_and(|clause| clause.body.is_empty()));
}

#[test]
fn own_definitions_replace_library_ones() {
    check(
        "succ(a, b). member(x, y).",
        "succ(X, Y), member(Z, W)",
        "a/b/x/y",
    );
}

/// `diff(+X, +Y, -Z)`: the absolute difference.
struct Difference(Signature);

impl NativeRelation for Difference {
    fn signature(&self) -> &Signature {
        &self.0
    }

    fn solve(
        &self,
        args: &[Option<Constant>],
        emit: &mut dyn FnMut(&[Constant]) -> ControlFlow<()>,
    ) -> Result<(), NativeError> {
        let (Some(Constant::Int(x)), Some(Constant::Int(y))) = (args[0], args[1]) else {
            return Err(NativeError("numbers are expected".into()));
        };
        for d in [0, (x - y).abs(), 99] {
            if emit(&[Constant::Int(x), Constant::Int(y), Constant::Int(d)]).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// A program with [`Difference`].
pub(super) fn database_with_differences(text: &str) -> (Database, SymbolTable, Predicate) {
    let mut symbols = SymbolTable::new();
    let mode = vec![Direction::In, Direction::In, Direction::Out];
    let difference = Difference(Signature::new(symbols.intern("diff"), mode));
    let predicate = difference.signature().predicate;
    let clauses = read_clauses(text, &mut symbols).expect("valid");
    let db = Database::builder()
        .clauses(&clauses)
        .native(Arc::new(difference))
        .build(&mut symbols)
        .expect("valid");
    (db, symbols, predicate)
}

#[test]
fn native_relations_answer() {
    let (db, mut symbols, predicate) =
        database_with_differences("p(1). p(4). near(X,Y) :- diff(X,Y,3).");
    let mut prover = Prover::new(&db, Limits::default());
    let mut ask = |text: &str| {
        let goals = read_clause(text, &mut symbols).expect("valid").body;
        prover
            .solutions(&goals, 100)
            .map(|answers| answers.bindings.len())
    };
    assert_eq!(ask("q :- p(X), p(Y), near(X,Y)"), Ok(2));
    assert_eq!(ask("q :- diff(1,4,Z), p(W), diff(Z,W,V)"), Ok(18));
    assert_eq!(ask("q :- diff(1,4,98)"), Ok(0));
    // Alternatives of the first goal are not mistaken for those of the second, nor the reverse.
    assert_eq!(ask("q :- diff(1,4,Z), diff(4,1,W), diff(2,2,77)"), Ok(0));
    assert_eq!(ask("q :- diff(X,4,3)"), Err(ProverError::Mode(predicate)));
    assert!(matches!(
        ask("q :- diff(a,4,3)"),
        Err(ProverError::Native(_))
    ));
    assert_eq!(
        ask("q :- diff(f(1),4,3)"),
        Err(ProverError::CompoundArgument(predicate))
    );
}

#[test]
fn theories_may_be_recursive() {
    let mut symbols = SymbolTable::new();
    let facts = read_clauses("e(1,2). e(2,3). e(3,4).", &mut symbols).expect("valid");
    let theory =
        read_clauses("r(X,Y) :- e(X,Y). r(X,Z) :- e(X,Y), r(Y,Z).", &mut symbols).expect("valid");
    let example = read_clause("r(1,4)", &mut symbols).expect("valid").head;
    let db = Database::builder()
        .clauses(&facts)
        .build(&mut symbols)
        .expect("valid");
    let mut prover = Prover::new(&db, Limits::default());
    let prepared = prover.prepare(&theory).expect("valid");
    prover.load(&prepared);
    assert_eq!(prover.covers(&prepared, 0, &example), Ok(Proof::Refuted));
    assert_eq!(prover.covers(&prepared, 1, &example), Ok(Proof::Proved));
}

/// Evaluates a conjunction over facts by trying every substitution.
fn by_enumeration(facts: &[Clause], query: &[crate::Literal]) -> usize {
    let n_vars = Clause {
        head: facts[0].head.clone(),
        body: query.to_vec(),
    }
    .var_bound();
    let n = 4u32.pow(n_vars);
    (0..n)
        .filter(|code| {
            query.iter().all(|literal| {
                let atom = literal
                    .atom
                    .map_vars(&mut |v| Term::int(i64::from(code / 4u32.pow(v.0) % 4)));
                facts.iter().any(|fact| fact.head == atom)
            })
        })
        .count()
}

proptest! {
    #[test]
    fn joins_agree_with_enumeration(
        edges in prop::collection::btree_set((0i64..4, 0i64..4), 1..10),
        query in prop::collection::vec((0u32..3, 0u32..3, prop::option::weighted(0.2, 0i64..4)), 1..4),
    ) {
        let mut symbols = SymbolTable::new();
        let e = symbols.intern("e");
        let facts: Vec<Clause> = edges
            .iter()
            .map(|&(a, b)| Clause::fact(crate::Atom::new(e, [Term::int(a), Term::int(b)])))
            .collect();
        let goals: Vec<crate::Literal> = query
            .iter()
            .map(|&(a, b, constant)| {
                let second = constant.map_or(Term::var(b), Term::int);
                crate::Literal::positive(crate::Atom::new(e, [Term::var(a), second]))
            })
            .collect();
        // Number the variables densely, so that every one of them occurs.
        let clause = Clause { head: crate::Atom::new(e, []), body: goals }.normalized();
        let db = Database::builder().clauses(&facts).build(&mut symbols).expect("valid");
        let mut prover = Prover::new(&db, Limits::default());
        let answers = prover.solutions(&clause.body, usize::MAX).expect("no error");
        prop_assert_eq!(answers.bindings.len(), by_enumeration(&facts, &clause.body));
    }
}

#[test]
fn an_unknown_function_is_named() {
    let (db, mut symbols) = database("p(1).");
    let mut prover = Prover::new(&db, Limits::default());
    for (goal, expected) in [
        (
            "q :- X is foo(1) + 2",
            "unknown function foo/1 in an arithmetic expression",
        ),
        (
            "q :- X is 2 ^ -1",
            "^ of integers expects an exponent of at least 0; ** gives a fraction",
        ),
        (
            "q :- X is a + 1",
            "an arithmetic expression expects numbers and functions of numbers",
        ),
    ] {
        let goals = read_clause(goal, &mut symbols).expect("valid").body;
        let error = prover.prove(&goals).expect_err(goal);
        assert_eq!(error.describe(&symbols, &[]), expected, "{goal}");
    }
}
