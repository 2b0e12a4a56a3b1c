use proptest::prelude::*;

use super::*;
use crate::prover::tests::database;
use crate::{Prover, SymbolTable, print_term, read_clauses};

fn clauses(text: &str, symbols: &mut SymbolTable) -> Vec<Clause> {
    read_clauses(text, symbols).expect("valid")
}

fn atom(text: &str, symbols: &mut SymbolTable) -> Atom {
    clauses(&format!("{text}."), symbols).remove(0).head
}

const GRAPH: &str = "e(a,b). e(b,c). e(c,a). e(c,d). e(d,e). e(f,f).";
const REACH: &str = "r(A,B) :- e(A,B). r(A,B) :- r(A,C), r(C,B).";

/// Which of the nodes that are given as one word each node reaches.
fn reached(theory: &str) -> Vec<String> {
    let (db, mut symbols) = database(GRAPH);
    let theory = clauses(theory, &mut symbols);
    let mut tables = CallTables::new(&db, Limits::default());
    assert!(tables.load(&theory).expect("callable"));
    let mut reaches = |from: char, to: char| {
        let asked = atom(&format!("r({from},{to})"), &mut symbols);
        assert!(tables.ask(&asked));
        tables.proof().is_some()
    };
    let row = |from: char, reaches: &mut dyn FnMut(char, char) -> bool| -> String {
        "abcdef".chars().filter(|to| reaches(from, *to)).collect()
    };
    "abcdef"
        .chars()
        .map(|from| row(from, &mut reaches))
        .collect()
}

#[test]
fn cycles_and_left_recursion_end() {
    let expected = ["abcde", "abcde", "abcde", "e", "", "f"];
    assert_eq!(reached(REACH), expected);
    assert_eq!(
        reached("r(A,B) :- r(A,C), e(C,B). r(A,B) :- e(A,B)."),
        expected
    );
    assert_eq!(
        reached("r(A,B) :- e(A,B). r(A,B) :- q(A,C), e(C,B). q(A,B) :- r(A,B)."),
        expected
    );
}

#[test]
fn a_proof_is_one_of_the_least_height() {
    let (db, mut symbols) = database("e(a,b). e(b,a). e(b,c). e(c,d). e(a,d). e(d,z).");
    let theory = clauses("r(A,B) :- e(A,C), r(C,B). r(A,B) :- e(A,B).", &mut symbols);
    let mut tables = CallTables::new(&db, Limits::default());
    assert!(tables.load(&theory).expect("callable"));
    for (example, expected) in [("r(a,z)", "0: a z d"), ("r(a,d)", "1: a d")] {
        let example = atom(example, &mut symbols);
        assert!(tables.ask(&example));
        let (clause, values) = tables.proof().expect("it is reached");
        let values = values.iter().flatten();
        let values: Vec<String> = values
            .map(|it| print_term(it, &symbols).to_string())
            .collect();
        let shown = format!("{clause}: {}", values.join(" "));
        assert_eq!(shown, expected);
    }
}

#[test]
fn what_the_program_says_of_the_target_answers_calls_only() {
    let (db, mut symbols) = database("e(a,b). e(b,c). r(c,z).");
    let theory = clauses(REACH, &mut symbols);
    let mut tables = CallTables::new(&db, Limits::default());
    assert!(tables.load(&theory).expect("callable"));
    let mut prover = Prover::new(
        &db,
        Limits {
            depth: 50,
            ..Limits::default()
        },
    );
    let prepared = prover.prepare(&theory).expect("callable");
    prover.load(&prepared);
    for (example, covers) in [("r(a,z)", [false, true]), ("r(c,z)", [false, false])] {
        let example = atom(example, &mut symbols);
        assert!(tables.ask(&example));
        assert_eq!([0, 1].map(|clause| tables.covers(clause)), covers);
        for (clause, covers) in covers.into_iter().enumerate() {
            let proof = prover
                .covers(&prepared, clause, &example)
                .expect("callable");
            assert!(proof.is_proved() == covers || proof.is_cut_short());
        }
    }
}

#[test]
fn theories_that_tables_cannot_or_need_not_decide() {
    let program = "e(a,b). e(b,c). s(X) :- r(X,X). s(a).";
    for (program, theory) in [
        (GRAPH, "r(A,B) :- e(A,C), \\+ r(C,B)."),
        (GRAPH, "r(A,B) :- e(A,C), r(C,B), !."),
        (GRAPH, "r(A,B) :- e(A,C), (r(C,B) ; e(C,B))."),
        (GRAPH, "r(A,f(B)) :- r(A,B)."),
        (GRAPH, "r(A,B) :- e(A,B)."),
        (program, "r(A,B) :- s(B), r(A,B)."),
    ] {
        let (db, mut symbols) = database(program);
        let theory = clauses(theory, &mut symbols);
        let mut tables = CallTables::new(&db, Limits::default());
        assert_eq!(tables.load(&theory), Ok(false));
    }
}

#[test]
fn calls_without_end_meet_the_bound() {
    let (db, mut symbols) = database("s(X,Y) :- Y is X + 1.");
    let theory = clauses("p(A,B) :- s(A,C), p(C,B). p(A,A).", &mut symbols);
    let limits = Limits {
        steps: 1_000,
        ..Limits::default()
    };
    let mut tables = CallTables::new(&db, limits);
    assert!(tables.load(&theory).expect("callable"));
    for n in 0..5 {
        assert!(!tables.ask(&atom("p(1,0)", &mut symbols)));
        // After some of these nothing more is tried.
        let most = if n < 3 { 1_010 } else { 0 };
        assert!(tables.steps() <= most, "{}", tables.steps());
    }
    tables.limit_steps(1_000_000);
    assert!(tables.load(&theory).expect("callable"));
    assert!(!tables.ask(&atom("p(1,0)", &mut symbols)));
    // Terms that can be told apart are not without end.
    let low = Limits {
        memory: 100_000,
        steps: 100_000_000,
        ..Limits::default()
    };
    let mut tables = CallTables::new(&db, low);
    assert!(tables.load(&theory).expect("callable"));
    assert!(!tables.ask(&atom("p(1,0)", &mut symbols)));
}

const HEADS: [&str; 3] = ["p(A,B)", "p(A,B)", "q(A)"];
const GOALS: [&str; 18] = [
    "e(A,B)",
    "e(A,C)",
    "e(C,B)",
    "e(C,D)",
    "e(D,B)",
    "f(A)",
    "f(C)",
    "p(A,C)",
    "p(C,B)",
    "p(C,D)",
    "p(B,C)",
    "q(C)",
    "q(B)",
    "\\+ e(A,B)",
    "\\+ f(C)",
    "A \\== B",
    "first(A,C)",
    "A < C",
];
const RULES: &str = "first(X,Y) :- e(X,Y), !. e(9,9). f(9).";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Wherever the prover decides, so that no goal raises an error, the tables say the same.
    #[test]
    fn tables_say_what_proofs_say(
        edges in prop::collection::vec((0..4u8, 0..4u8), 1..8),
        marks in prop::collection::vec(0..4u8, 0..3),
        bodies in prop::collection::vec((0..3usize, prop::collection::vec(0..GOALS.len(), 1..4)), 2..5),
    ) {
        let edges = edges.iter().map(|(a, b)| format!("e({a},{b}). "));
        let marks = marks.iter().map(|a| format!("f({a}). "));
        let program: String = edges.chain(marks).chain([RULES.to_owned()]).collect();
        let theory = bodies.iter().map(|(head, body)| {
            let body: Vec<&str> = body.iter().map(|goal| GOALS[*goal]).collect();
            format!("{} :- {}.\n", HEADS[*head], body.join(", "))
        });
        let text: String = ["q(A) :- f(A).\n".to_owned(), "p(A,B) :- e(A,B), q(B).\n".to_owned()]
            .into_iter().chain(theory).collect();
        let (db, mut symbols) = database(&program);
        let theory = clauses(&text, &mut symbols);
        let limits = Limits { steps: 3_000, depth: 40, ..Limits::default() };
        let mut tables = CallTables::new(&db, limits);
        if !tables.load(&theory).expect("callable") {
            return Ok(());
        }
        let mut prover = Prover::new(&db, limits);
        let prepared = prover.prepare(&theory).expect("callable");
        prover.load(&prepared);
        let pairs = (0..4).flat_map(|a| (0..4).map(move |b| format!("p({a},{b})")));
        for example in pairs.chain((0..4).map(|a| format!("q({a})"))) {
            let example = atom(&example, &mut symbols);
            if !tables.ask(&example) {
                continue;
            }
            for clause in 0..theory.len() {
                let Ok(proof) = prover.covers(&prepared, clause, &example) else {
                    continue;
                };
                if !proof.is_cut_short() && prover.raised().is_none() {
                    prop_assert_eq!(proof.is_proved(), tables.covers(clause), "{}{}", text, clause);
                }
            }
        }
    }
}
