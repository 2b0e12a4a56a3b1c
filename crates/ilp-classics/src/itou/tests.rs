use kibitz_ilp::learn::NoProgress;
use kibitz_ilp::{Source, Study};
use kibitz_prolog::print_atom;

use super::*;

fn task(examples: &str, background: &str, bias: &str) -> Task {
    let source = |name, text| Source { name, text };
    Task::from_popper(
        source("exs.pl", examples),
        source("bk.pl", background),
        source("bias.pl", bias),
    )
    .expect("a task")
}

fn learned(mut task: Task) -> Vec<String> {
    let theory = task.learn(&Itou::default()).expect("learned");
    assert!(theory.is_correct(), "{theory}");
    theory.text.lines().map(str::to_owned).collect()
}

/// The example of section 4.5.1.2 of the thesis: absorption into one clause loses what the other needs,
/// saturation has both.
#[test]
fn saturation_keeps_what_absorption_loses() {
    let mut task = task(
        "pos(f(1)). neg(f(2)). neg(f(3)).",
        "a(X) :- b(X), c(X). d(X) :- c(X), e(X). b(1). c(1). e(1). b(2). c(2). c(3). e(3).",
        "head_pred(f,1). body_pred(a,1). body_pred(b,1). body_pred(c,1). body_pred(d,1). body_pred(e,1).",
    );
    let problem = Problem::new(&mut task).expect("compiles");
    let modes = callable_modes(&problem, Limits::default(), &mut NoProgress);
    let modes = modes.expect("called").expect("not stopped");
    let mut prover = Prover::new(problem.database(), Limits::default());
    let mut watch = NoProgress;
    let saturator = Saturator::new(&problem, &modes, &mut prover, &mut watch, &[], [2, 100]);
    let example = problem.task().positive[0].clone();
    let saturation = saturator
        .saturate(&example)
        .expect("carried out")
        .expect("not stopped");
    let symbols = &problem.task().symbols;
    let shown = saturation
        .atoms
        .iter()
        .zip(&saturation.uses)
        .map(|(atom, of)| {
            let sign = if of.introduces { " introduces" } else { "" };
            format!("{}{sign}", print_atom(atom, symbols))
        });
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            "a(1)",
            "b(1) introduces",
            "c(1) introduces",
            "d(1)",
            "e(1) introduces"
        ]
    );
    // What introduced others goes first: the clause is in the terms of the background.
    assert_eq!(learned(task), ["f(A) :- a(A), d(A)."]);
}

/// The examples of section 5.3 of the thesis, in both orders.
#[test]
fn member_is_learned_by_saturation_with_its_own_first_clause() {
    let examples = "pos(member(a,[a])). pos(member(1,[1,2])). pos(member(f,[f,g,h])).
        pos(member(1,[1])). pos(member(1,[2,1,3])). pos(member(a,[b,a,c,d])).
        pos(member(1,[3,2,1,4])). pos(member(b,[c,d,b,e,f])).
        neg(member(a,[])). neg(member(a,[b])). neg(member(2,[1,3])). neg(member(c,[a,b])).
        neg(member(1,[2,3,4])). neg(member(x,[y])). neg(member(x,[x1,x2])).";
    let bias = "head_pred(member,2). body_pred(nil,1). enable_recursion.";
    let expected = ["member(A,[A|B]).", "member(A,[B|C]) :- member(A,C)."];
    assert_eq!(learned(task(examples, "nil([]).", bias)), expected);
    let mut other = task(examples, "nil([]).", bias);
    let fourth = other.positive.remove(3);
    other.positive.insert(1, fourth);
    assert_eq!(learned(other), expected);
}

#[test]
fn what_clauses_share_is_written_once() {
    let facts = "kin(abe,cid). kin(bob,ida). kin(hal,cid). kin(hal,ida). kin(abe,dan). old(abe).
        old(bob). old(gus). old(jon). rich(abe). rich(bob). rich(gus). rich(hal). kin(jon,cid).
        kin(jon,ida). father(cid,eva). mother(ida,fay).";
    let examples = "pos(heir(eva,abe)). pos(heir(fay,bob)). neg(heir(eva,hal)). neg(heir(fay,hal)).
        neg(heir(eva,bob)). neg(heir(fay,abe)). neg(heir(gus,abe)). neg(heir(cid,abe)).
        neg(heir(abe,eva)). neg(heir(gus,bob)). neg(heir(eva,gus)). neg(heir(fay,gus)).
        neg(heir(eva,jon)). neg(heir(fay,jon)).";
    let bias = "head_pred(heir,2). body_pred(kin,2). body_pred(old,1). body_pred(rich,1).
        body_pred(father,2). body_pred(mother,2).";
    let theory = learned(task(examples, facts, bias));
    assert_eq!(
        theory,
        [
            "heir(A,B) :- old(B), rich(B), kin(B,C), part_of_heir(A,C).",
            "part_of_heir(A,B) :- father(B,A).",
            "part_of_heir(A,B) :- mother(B,A)."
        ]
    );
}
