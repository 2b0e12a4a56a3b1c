//! Theories load in SWI-Prolog and answer as they do here.

use std::fmt::Write;

use kibitz_ilp::learn::Foil;
use kibitz_ilp::{Source, Study, Task};
use kibitz_prolog::{
    Database, Limits, Literal, Prover, SymbolTable, print_clause, read_clause, read_clauses,
};

use crate::common;
use crate::swipl::swi_prolog;

#[test]
fn learned_theories_answer_identically() {
    let sides = common::positions(500, 11);
    let (examples, facts) = (common::popper_examples(&sides), common::board_facts());
    let mut task = Task::from_popper(
        Source {
            name: "exs.pl",
            text: &examples,
        },
        Source {
            name: "bk.pl",
            text: &facts,
        },
        Source {
            name: "bias.pl",
            text: common::POPPER_BIAS,
        },
    )
    .expect("valid");
    task.bias.negation = true;
    let theory = task.learn(&Foil::default()).expect("learned").text;
    let db = task.database().expect("valid");
    // Fresh positions, which the learner has not seen.
    let [a, b] = common::positions(400, 99);
    let mut queries = String::new();
    let mut expected = String::new();
    let mut prover = Prover::new(&db, Limits::default());
    let clauses = read_clauses(&theory, &mut task.symbols).expect("valid");
    let prepared = prover.prepare(&clauses).expect("valid");
    prover.load(&prepared);
    for position in a.into_iter().chain(b) {
        let atom = common::atom(position);
        let goal = read_clause(&atom, &mut task.symbols).expect("valid").head;
        let holds = (0..clauses.len()).any(|i| {
            prover
                .covers(&prepared, i, &goal)
                .expect("no error")
                .is_proved()
        });
        let _ = writeln!(queries, "query({atom}).");
        let _ = writeln!(expected, "{}", if holds { "yes" } else { "no" });
    }
    let program = format!(
        ":- style_check(-singleton). :- style_check(-discontiguous).\n{theory}{facts}{queries}"
    );
    let goal = "forall(query(Q), (call(Q) -> writeln(yes) ; writeln(no)))";
    if let Some(answers) = swi_prolog(&program, goal) {
        assert_eq!(answers, expected);
    }
}

/// Theories as Morales 1992 prints them, in sections 6.1 and 6.2.
const PRINTED: [&str; 4] = [
    "p(A,B,C,D,C,E). p(A,B,C,D,E,D). p(A,B,A,B,C,D). p(A,B,C,D,A,B).
     p(A,B,C,D,A,E) :- adjacent(B,E). p(A,B,C,D,E,B) :- adjacent(A,E).
     p(A,B,C,D,E,F) :- adjacent(A,E), adjacent(B,F).",
    "p(A,B,C,D,C,E) :- \\+ legal_special1(A,B,C,D,E). p(A,B,C,D,E,D) :- \\+ legal_special2(A,B,C,D,E).
     p(A,B,A,B,C,D). p(A,B,C,D,E,F) :- adj_or_eq(A,E), adj_or_eq(B,F).
     legal_special1(A,B,A,C,D) :- less_than(B,C), less_than(D,B).
     legal_special1(A,B,A,C,D) :- less_than(B,D), less_than(C,B).
     legal_special2(A,B,C,B,D) :- less_than(A,C), less_than(D,A).
     legal_special2(A,B,C,B,D) :- less_than(A,D), less_than(C,A).",
    "p(A,B,C,D,E,F) :- less_than(A,C), less_than(A,E), less_than(B,D), less_than(D,F),
     line(A,B,C,D), line(A,B,E,F).",
    "p(A,B,C,D,E,F) :- abs_diff(A,C,G), abs_diff(B,D,G), abs_diff(A,E,H), abs_diff(B,F,H),
     less_than(A,C), less_than(C,E).",
];

#[test]
fn printed_theories_answer_identically() {
    let background = "
        adjacent(X,Y) :- adj_or_eq(X,Y), X =\\= Y.
        adj_or_eq(X,Y) :- abs_diff(X,Y,D), D =< 1.
        abs_diff(X,Y,D) :- D is abs(X - Y).
        less_than(X,Y) :- X < Y.
        line(A,B,C,D) :- abs_diff(A,C,X), abs_diff(B,D,Y), (X = Y ; X = 0 ; Y = 0), X + Y > 0.";
    let [a, b] = common::positions(300, 6);
    // Random positions are seldom diagonal, so some that are go with them.
    let diagonal = (0..3).map(|i| [i, i + 1, i + 2, i + 3, i + 4, i + 5]);
    let positions: Vec<[i64; 6]> = diagonal.chain(a).chain(b).collect();
    for text in PRINTED {
        let mut symbols = SymbolTable::new();
        let theory = read_clauses(text, &mut symbols).expect("valid");
        let facts = read_clauses(background, &mut symbols).expect("valid");
        let db = Database::builder()
            .clauses(&facts)
            .clauses(&theory)
            .build(&mut symbols)
            .expect("valid");
        let mut prover = Prover::new(&db, Limits::default());
        let (mut program, mut queries, mut expected) =
            (String::new(), String::new(), String::new());
        for clause in facts.iter().chain(&theory) {
            let _ = writeln!(program, "{}", print_clause(clause, &symbols));
        }
        for &position in &positions {
            let goal = format!("p({})", position.map(|v| v.to_string()).join(","));
            let head = read_clause(&goal, &mut symbols).expect("valid").head;
            let answers = prover
                .solutions(&[Literal::positive(head)], 1)
                .expect("no error");
            let holds = !answers.bindings.is_empty();
            let _ = writeln!(queries, "query({goal}).");
            let _ = writeln!(expected, "{}", if holds { "yes" } else { "no" });
        }
        assert!(
            expected.contains("yes") && expected.contains("no"),
            "{text}"
        );
        let program = format!(
            ":- style_check(-singleton). :- style_check(-discontiguous).\n{program}{queries}"
        );
        let goal = "forall(query(Q), (call(Q) -> writeln(yes) ; writeln(no)))";
        if let Some(answers) = swi_prolog(&program, goal) {
            assert_eq!(answers, expected, "{text}");
        }
    }
}
