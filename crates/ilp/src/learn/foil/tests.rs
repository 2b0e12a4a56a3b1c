use super::*;
use crate::learn::{Learned, NoProgress, Progress, Stop};
use crate::prover::Limits;
use crate::task::{Source, Task};
use crate::term::Clause;
use crate::{SymbolTable, print_clause, verify};

fn task(examples: &str, facts: &str, bias: &str) -> Task {
    let source = |name, text| Source { name, text };
    Task::from_popper(
        source("exs.pl", examples),
        source("bk.pl", facts),
        source("bias.pl", bias),
    )
    .expect("valid")
}

fn run(task: &mut Task, params: &FoilParams) -> (Learned, Vec<String>) {
    let db = task.database().expect("valid");
    let learned = learn(task, &db, params, &mut NoProgress).expect("learned");
    let verified = verify(task, &db, &learned.clauses, Limits::default()).expect("valid");
    (learned, verified.text.lines().map(str::to_owned).collect())
}

#[test]
fn new_variables_are_joined() {
    let mut task = task(
        "pos(gf(a,d)). pos(gf(b,e)). neg(gf(a,b)). neg(gf(d,a)). neg(gf(b,a)). neg(gf(a,e)).",
        "f(a,c). f(c,d). f(b,g). f(g,e). f(d,h).",
        "head_pred(gf,2). body_pred(f,2).",
    );
    let (learned, text) = run(&mut task, &FoilParams::default());
    assert_eq!(learned.stop, Stop::Complete);
    assert_eq!(text, ["gf(A,B) :- f(A,C), f(C,B)."]);
}

#[test]
fn equality_is_written_into_the_clause() {
    let mut task = task(
        "pos(p(1,1)). pos(p(2,2)). pos(p(3,3)). neg(p(1,2)). neg(p(2,1)). neg(p(3,2)).",
        "q(1).",
        "head_pred(p,2). body_pred(q,1).",
    );
    assert_eq!(run(&mut task, &FoilParams::default()).1, ["p(A,A)."]);
}

#[test]
fn negation_only_on_request() {
    let mut task = task(
        "pos(p(1)). pos(p(2)). pos(p(5)). pos(p(6)). neg(p(3)). neg(p(4)).",
        "q(3). q(4).",
        "head_pred(p,1). body_pred(q,1).",
    );
    let (learned, text) = run(&mut task, &FoilParams::default());
    assert_eq!((learned.stop, text.len()), (Stop::NoMoreClauses, 0));
    task.bias.negation = true;
    assert_eq!(
        run(&mut task, &FoilParams::default()).1,
        ["p(A) :- \\+ q(A)."]
    );
}

#[test]
fn rules_in_the_background_are_listed() {
    let mut task = task(
        "pos(p(7)). pos(p(8)). pos(p(9)). neg(p(1)). neg(p(2)). neg(p(3)).",
        "big(X) :- X > 5.",
        "head_pred(p,1). body_pred(big,1). direction(big,(in,)).",
    );
    assert_eq!(
        run(&mut task, &FoilParams::default()).1,
        ["p(A) :- big(A)."]
    );
}

#[test]
fn determinate_literals_bridge_a_gap() {
    // Neither successor discriminates; only what can be said of it does.
    let mut task = task(
        "pos(p(1)). pos(p(2)). pos(p(3)). neg(p(4)). neg(p(5)). neg(p(6)).",
        "s(1,11). s(2,12). s(3,13). s(4,14). s(5,15). s(6,16). g(11). g(12). g(13). g(1). g(4).",
        "head_pred(p,1). body_pred(s,2). body_pred(g,1). direction(s,(in,out)). direction(g,(in,)).",
    );
    assert_eq!(
        run(&mut task, &FoilParams::default()).1,
        ["p(A) :- s(A,B), g(B)."]
    );
}

#[test]
fn parameters_and_examples_are_checked() {
    let mut task = task(
        "pos(p(1)). neg(p(2)).",
        "q(1).",
        "head_pred(p,1). body_pred(q,1).",
    );
    let db = task.database().expect("valid");
    let params = FoilParams {
        min_accuracy: 1.5,
        ..FoilParams::default()
    };
    assert!(matches!(
        learn(&task, &db, &params, &mut NoProgress),
        Err(LearnError::Parameter {
            parameter: "min_accuracy",
            ..
        })
    ));
    task.negative.clear();
    let error = learn(&task, &db, &FoilParams::default(), &mut NoProgress);
    assert_eq!(error, Err(LearnError::NoNegatives));
}

/// Notes what it is shown.
#[derive(Default)]
struct Notes(Vec<String>);

impl Progress for Notes {
    fn clause(&mut self, clause: &Clause, symbols: &SymbolTable, positive: usize, negative: usize) {
        self.0.push(format!(
            "{} {positive} {negative}",
            print_clause(clause, symbols)
        ));
    }
}

#[test]
fn progress_is_shown_clause_by_clause() {
    let mut task = task(
        "pos(p(1,2)). pos(p(3,4)). neg(p(2,2)). neg(p(4,1)).",
        "q(1). r(3).",
        "head_pred(p,2). body_pred(q,1). body_pred(r,1).",
    );
    task.bias.max_clauses = Some(5);
    let db = task.database().expect("valid");
    let mut notes = Notes::default();
    let params = FoilParams {
        encoding_limit: false,
        ..FoilParams::default()
    };
    learn(&task, &db, &params, &mut notes).expect("learned");
    assert_eq!(notes.0, ["p(A,B) :- q(A). 1 0", "p(A,B) :- r(A). 1 0"]);
}
