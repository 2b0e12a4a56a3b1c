use std::fmt::Write as _;

use super::*;
use crate::learn::{Foil, NoProgress};
use crate::{Source, Study, Task};

fn asked(examples: &str, background: &str, bias: &str) -> String {
    let source = |name, text| Source { name, text };
    let mut task = Task::from_popper(
        source("exs.pl", examples),
        source("bk.pl", background),
        source("bias.pl", bias),
    )
    .expect("a task");
    let theory = task.learn(&Foil::default()).expect("learned");
    let uncovered = task.positive.clone();
    let problem = Problem::new(&mut task).expect("compiles");
    let why_not = problem.why_not(
        &uncovered,
        Some(&theory),
        Limits::default(),
        &mut NoProgress,
    );
    why_not.expect("carried out").to_string()
}

#[test]
fn examples_that_the_language_cannot_tell_apart_are_named() {
    insta::assert_snapshot!(asked(
        "pos(p(a)). pos(p(b)). pos(p(zoe)). neg(p(c)).",
        "e(a,x). e(b,y). e(c,y). f(x). g(none).",
        "head_pred(p,1). body_pred(e,2). body_pred(f,1). body_pred(g,1).
         type(p,(name,)). type(e,(name,thing)). type(f,(thing,)). type(g,(sort,)).
         direction(p,(in,)). direction(e,(in,out)). direction(f,(in,)). direction(g,(in,)).",
    ), @r"
    % why not: no literal holds for p(zoe)
    % why not: no clause covers p(b) and not p(c): whatever can be said of the first holds for the second (--recursion and --negation allow other literals)
    % why not: for p(a), `p(A) :- e(A,B), f(B)` covers no other example, and lies within the bounds: another learner may find it (--learner lff, auto)
    % why not: nothing that these examples lead to is an answer of g/1
    % why not: positive examples have names that the background does not mention: zoe
    % why not: nothing else has the type sort of argument 1 of g/1: its variables join only literals of g/1
    ");
}

/// Says no after so many questions.
struct Patience {
    asked: usize,
    most: usize,
}

impl Progress for Patience {
    fn keep_going(&mut self) -> bool {
        self.asked += 1;
        self.asked <= self.most
    }
}

#[test]
fn nothing_more_is_looked_for_once_there_is_no_time() {
    let (mut examples, mut background) = (String::new(), String::new());
    for i in 0..20 {
        let _ = write!(examples, "pos(t(p{i})). neg(t(n{i})). ");
        let _ = write!(
            background,
            "e(p{i},x{i}). e(n{i},y{i}). f(x{i}). f(y{i}). g(x{i}). "
        );
    }
    let source = |name, text| Source { name, text };
    let bias = "head_pred(t,1). body_pred(e,2). body_pred(f,1). body_pred(g,1). max_vars(1).";
    let mut task = Task::from_popper(
        source("exs.pl", &examples),
        source("bk.pl", &background),
        source("bias.pl", bias),
    )
    .expect("a task");
    let theory = task.learn(&Foil::default()).expect("learned");
    assert!(theory.clauses.is_empty());
    let problem = Problem::new(&mut task).expect("compiles");
    let told = |most: usize| {
        let mut progress = Patience { asked: 0, most };
        let why_not = problem.why_not_all(&theory, Limits::default(), &mut progress);
        (why_not.findings.len(), progress.asked)
    };
    let (n_findings, all) = told(usize::MAX);
    assert!(n_findings > 0 && all >= 20, "{n_findings} {all}");
    for most in 0..all {
        let (_, asked) = told(most);
        assert!(asked <= most + 2, "{asked} after {most}");
    }
}

#[test]
fn a_bound_that_is_in_the_way_is_named() {
    insta::assert_snapshot!(asked(
        "pos(p(a)). pos(p(b)). neg(p(c)). neg(p(d)).",
        "e(a,x). e(b,y). e(c,x). e(d,z). n(x,1). n(y,1). n(z,2). s(a). s(b). s(d). one(1).",
        "head_pred(p,1). body_pred(e,2). body_pred(n,2). body_pred(s,1). body_pred(one,1).
         type(p,(name,)). type(e,(name,thing)). type(n,(thing,number)). type(s,(name,)).
         type(one,(number,)). direction(p,(in,)). direction(e,(in,out)).
         direction(n,(in,out)). direction(s,(in,)). direction(one,(in,)).
         max_body(2). max_vars(2).",
    ), @r"
    % why not: for p(a), `p(A) :- s(A), e(A,B), n(B,C), one(C)` covers 2 positive examples and no negative one, and lies beyond the bounds: try --max-body 4 --max-vars 3
    ");
}

/// A task where three things are positive that have something both red and big; `more` is added to its bias.
fn asked_of_red_and_big(more: &str) -> String {
    let bias = "head_pred(p,1). body_pred(has,2). body_pred(color,2). body_pred(size,2).
         constant(red,col). constant(blue,col). constant(big,sz). constant(small,sz).
         type(p,(x,)). type(has,(x,y)). type(color,(y,col)). type(size,(y,sz)). max_vars(2). max_body(3).";
    asked(
        "pos(p(a)). pos(p(b)). pos(p(e)). neg(p(c)). neg(p(d)).",
        "has(a,c1). has(b,c2). has(c,c3). has(d,c4). has(e,c5). color(c1,red). color(c2,red).
         color(c3,red). color(c4,blue). color(c5,red). size(c1,big). size(c2,big). size(c3,small).
         size(c4,big). size(c5,big).",
        &format!("{bias} {more}"),
    )
}

#[test]
fn constants_count_as_literals_where_the_learner_counts_them() {
    insta::assert_snapshot!(asked_of_red_and_big(""), @"% why not: for p(a), `p(A) :- has(A,B), color(B,red), size(B,big)` covers 3 positive examples and no negative one, and lies beyond the bounds, since a constant takes a literal and a variable: try --max-body 5 --max-vars 4");
}

#[test]
fn a_constraint_that_is_in_the_way_is_named() {
    let forbids = ":- clause(C), body_literal(C,color,_,_), body_literal(C,size,_,_).";
    insta::assert_snapshot!(asked_of_red_and_big(forbids), @"% why not: for p(a), `p(A) :- has(A,B), color(B,red), size(B,big)` covers 3 positive examples and no negative one, but a constraint of the bias rules it out");
}

#[test]
fn a_clause_that_covers_nothing_is_not_told() {
    let examples = "pos(v(1,2,3,6)). pos(v(2,3,4,24)). pos(v(2,2,5,20)). pos(v(3,1,7,21)).
         neg(v(1,2,7,9)). neg(v(2,3,4,10)). neg(v(2,2,5,9)). neg(v(3,1,7,10)).";
    let said = asked(
        examples,
        "mul(X,Y,Z) :- integer(X), integer(Y), Z is X*Y.",
        "head_pred(v,4). body_pred(mul,3). max_vars(5). max_body(2).",
    );
    assert!(said.contains("for v("), "{said}");
    assert!(!said.contains("covers 0"), "{said}");
}

#[test]
fn what_takes_too_long_to_prove_is_not_claimed() {
    let mut background = String::from("c(red). ");
    for i in 0..10 {
        let color = ["blue", "red"][usize::from(i == 9)];
        let _ = write!(
            background,
            "e(p,p{i}). e(n,n{i}). k(p{i},{color}). k(n{i},blue). "
        );
    }
    let said = asked(
        "pos(t(p)). neg(t(n)).",
        &background,
        "head_pred(t,1). body_pred(e,2). body_pred(k,2). body_pred(c,1). max_body(1).
         type(t,(node,)). type(e,(node,node)). type(k,(node,color)). type(c,(color,)).
         direction(t,(in,)). direction(e,(in,out)). direction(k,(in,out)). direction(c,(in,)).",
    );
    assert!(!said.contains("no clause"), "{said}");
}
