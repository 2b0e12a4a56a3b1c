use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::learn::{Foil, Learner, Lff, Mfoil, Mml, NoProgress, Progol};
use crate::{Source, Study, Task};

fn asked(examples: &str, background: &str, bias: &str) -> String {
    asked_of(task_of(examples, background, bias), &Foil::default())
}

fn task_of(examples: &str, background: &str, bias: &str) -> Task {
    let source = |name, text| Source { name, text };
    Task::from_popper(
        source("exs.pl", examples),
        source("bk.pl", background),
        source("bias.pl", bias),
    )
    .expect("a task")
}

fn asked_of(mut task: Task, learner: &dyn Learner) -> String {
    let theory = task.learn(learner).expect("learned");
    let positive = task.positive.iter().enumerate();
    let uncovered = positive.filter(|(e, _)| !theory.total.positive.contains(*e));
    let uncovered: Vec<Atom> = uncovered.map(|(_, own)| own.clone()).collect();
    let problem = Problem::new(&mut task).expect("compiles");
    let why_not = problem.why_not(
        &uncovered,
        Some(&theory),
        Limits::default(),
        &mut NoProgress,
    );
    why_not.expect("carried out").to_string()
}

/// What is said of a task before anything is learned.
fn said_of(mut task: Task) -> String {
    let uncovered = task.positive.clone();
    let problem = Problem::new(&mut task).expect("compiles");
    let why_not = problem.why_not(&uncovered, None, Limits::default(), &mut NoProgress);
    why_not.expect("carried out").to_string()
}

/// Progress that is over before anything is examined.
struct Over;

impl crate::learn::Progress for Over {
    fn keep_going(&mut self) -> bool {
        false
    }
}

#[test]
fn nothing_is_claimed_of_examples_that_were_not_examined() {
    let mut task = task_of(
        "pos(p(a)). neg(p(b)).",
        "f(a). e(a,b).",
        "head_pred(p,1). body_pred(e,2). body_pred(f,1).",
    );
    let theory = task.learn(&Foil::default()).expect("learned");
    let positive = task.positive.clone();
    let problem = Problem::new(&mut task).expect("compiles");
    let why_not = problem.why_not(&positive, Some(&theory), Limits::default(), &mut Over);
    assert_eq!(why_not.expect("carried out").to_string(), "");
}

/// The literal that has the second argument of `p(a,f)` is the fifth.
#[test]
fn how_far_from_the_head_arguments_were_looked_for_is_said() {
    let asked = asked(
        "pos(p(a,f)). neg(p(b,a)).",
        "e(a,b). e(b,c). e(c,d). e(d,e). e(e,f).",
        "head_pred(p,2). body_pred(e,2). max_body(1).
         direction(p,(in,in)). direction(e,(in,out)).",
    );
    let line = "no literal that holds for the uncovered examples within 3 literals of the head has argument 2 \
                of the head";
    assert!(asked.contains(line), "{asked}");
}

/// `p0/3` has its second argument from nothing but the values of the head.
#[test]
fn constants_as_inputs_are_no_part_of_what_most_learners_write() {
    let text = ":- modeh(1,t(+y,#z)).\n:- modeb(1,p3(-y,#z)).\n:- modeb(1,p0(+y,+z,-y)).\n\
                :- begin_bg.\np3(m,z1). p0(m,z0,a).\n:- end_bg.\n\
                :- begin_in_pos.\nt(a,z3).\nt(d,z0).\n:- end_in_pos.\n\
                :- begin_in_neg.\nt(b,z3).\nt(c,z0).\n:- end_in_neg.";
    let task = Task::from_aleph(Source { name: "t.pl", text });
    let asked = asked_of(task.expect("a task"), &Lff::default());
    let way = "`t(A,z3) :- p3(B,z1), p0(B,z0,A)` covers no other example, but lff writes no constants as \
               inputs: another learner may find it (--learner auto)";
    assert!(asked.contains(way), "{asked}");
    for denied in ["no literal that holds for", "is an answer of"] {
        assert!(!asked.contains(denied), "{asked}");
    }
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
    % why not: for p(a), `p(A) :- e(A,B), f(B)` covers no other example, and lies within the bounds: another learner may find it (--learner lff, or --learner auto)
    % why not: nothing that the uncovered examples lead to is an answer of g/1
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
    ), @"% why not: for p(a), `p(A) :- s(A), e(A,B), n(B,C), one(C)` covers 2 positive examples and no negative one, and lies beyond the bounds: try --max-body 4 --max-vars 3; if it is still not found, --learner lff");
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
    insta::assert_snapshot!(asked_of_red_and_big(""), @"% why not: for p(a), `p(A) :- has(A,B), color(B,red), size(B,big)` covers 3 positive examples and no negative one, and lies beyond the bounds, since a constant takes a literal and a variable: try --max-body 5 --max-vars 4; if it is still not found, --learner lff");
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
    assert!(!said.contains("not: no clause"), "{said}");
    assert!(
        said.contains("within 1 literal of the head, no clause"),
        "{said}"
    );
}

const COLORS: [&str; 3] = [
    "pos(p(a)). pos(p(b)). neg(p(c)). neg(p(d)).",
    "color(a,red). color(b,red). color(c,green). color(d,blue).",
    "head_pred(p,1). body_pred(color,2). constant(red,col). constant(blue,col). type(p,(x,)).
     type(color,(x,col)). direction(p,(in,)). direction(color,(in,out)).",
];

#[test]
fn constants_of_some_values_of_a_type_are_looked_at() {
    let [examples, background, bias] = COLORS;
    assert_eq!(said_of(task_of(examples, background, bias)), "");
    let bias = format!("{bias} max_body(1).");
    insta::assert_snapshot!(asked(examples, background, &bias), @"% why not: for p(a), `p(A) :- color(A,red)` covers 2 positive examples and no negative one, and lies beyond the bounds, since a constant takes a literal and a variable: try --max-body 2; if it is still not found, --learner lff");
    // A learner that takes constants where all values are declared only.
    let task = task_of(examples, background, &bias);
    insta::assert_snapshot!(asked_of(task, &crate::learn::Progol::default()), @"% why not: for p(a), `p(A) :- color(A,red)` covers 2 positive examples and no negative one, and lies within the bounds: another learner may find it (--learner lff --max-body 2, or --learner auto)");
}

#[test]
fn a_constant_may_stand_where_a_variable_would_be_too_far_from_the_head() {
    let task = task_of(
        "pos(p(a)). neg(p(b)).",
        "e(a,c). f(c,e). g(e,i). col(i,red). e(b,d). f(d,h). g(h,j). col(j,blue).",
        "head_pred(p,1). body_pred(e,2). body_pred(f,2). body_pred(g,2). body_pred(col,2).
         type(p,(o,)). type(e,(o,o)). type(f,(o,o)). type(g,(o,o)). type(col,(o,color)).
         direction(p,(in,)). direction(e,(in,out)). direction(f,(in,out)). direction(g,(in,out)).
         direction(col,(in,out)). constant(red,color).",
    );
    insta::assert_snapshot!(asked_of(task, &Mfoil::default()), @"% why not: for p(a), `p(A) :- e(A,B), f(B,C), g(C,D), col(D,red)` covers no other example, and lies within the bounds, but may not be significant with so few examples: another learner may find it (--learner lff, or --learner auto)");
}

#[test]
fn what_a_learner_never_writes_is_named() {
    let mut task = task_of(
        "pos(flies(a)). pos(flies(b)). neg(flies(c)). neg(flies(d)).",
        "bird(a). bird(b). bird(c). bird(d). penguin(c). penguin(d).",
        "head_pred(flies,1). body_pred(bird,1). body_pred(penguin,1).",
    );
    task.bias.negation = true;
    insta::assert_snapshot!(asked_of(task, &Progol::default()), @r"
% why not: for flies(a), `flies(A) :- \+ penguin(A)` covers 2 positive examples and no negative one, but progol writes no negated literals: another learner may find it (--learner lff, or --learner auto)
% why not: nothing that the uncovered examples lead to is an answer of penguin/1
");
    let source = |text| Source { name: "t.pl", text };
    let task = Task::from_aleph(source(
        ":- modeh(*,good(+car)). :- modeb(*,weight(+car,-num)). :- modeb(*,gteq(+num,#limit)).
         :- determination(good/1,weight/2). :- determination(good/1,gteq/2).
         :- begin_bg.
         gteq(X,Y) :- number(X), member(Y,[1,2,3]), X >= Y.
         weight(a,1). weight(b,3). weight(c,5).
         :- end_bg.
         :- begin_in_pos. good(c). good(b). :- end_in_pos.
         :- begin_in_neg. good(a). :- end_in_neg.",
    ));
    let task = task.expect("a task");
    insta::assert_snapshot!(asked_of(task, &Foil::default()), @"% why not: for good(c), `good(A) :- weight(A,B), gteq(B,2)` covers 2 positive examples and no negative one, but its constants are answers of a rule that no fact has: --learner progol may find it");
}

#[test]
fn positive_examples_that_are_covered_already_are_told_from_others() {
    insta::assert_snapshot!(asked_of(
        task_of(
            "pos(f(a)). pos(f(b)). pos(f(c)). pos(f(d)). neg(f(e)).",
            "p(a). p(b). p(c). q(b). q(c). q(d).",
            "head_pred(f,1). body_pred(p,1). body_pred(q,1).",
        ),
        &Progol::default(),
    ), @r"
    % why not: for f(d), `f(A) :- q(A)` covers 3 positive examples, 1 of them not covered before, and no negative one, and lies beyond the bounds: try --min-positives 1; if it is still not found, --learner lff
    % why not: nothing that the uncovered examples lead to is an answer of p/1
    ");
}

#[test]
fn negated_literals_are_looked_at_on_request() {
    let task = |negation| {
        let mut task = task_of(
            "pos(flies(tweety)). pos(flies(woody)). pos(flies(robin)). neg(flies(pingu)). neg(flies(pongo)).",
            "bird(tweety). bird(woody). bird(robin). bird(pingu). bird(pongo). penguin(pingu).
             penguin(pongo).",
            "head_pred(flies,1). body_pred(bird,1). body_pred(penguin,1).",
        );
        task.bias.negation = negation;
        task
    };
    insta::assert_snapshot!(said_of(task(false)), @r"
    % why not: no clause covers flies(tweety) and not flies(pingu), or flies(woody) and not flies(pingu), or flies(robin) and not flies(pingu): whatever can be said of the first of each pair holds for the second (--recursion and --negation allow other literals)
    % why not: nothing that the positive examples lead to is an answer of penguin/1
    ");
    insta::assert_snapshot!(said_of(task(true)), @"% why not: nothing that the positive examples lead to is an answer of penguin/1");
    insta::assert_snapshot!(asked_of(task(true), &Mml::default()), @r"
% why not: for flies(tweety), `flies(A) :- \+ penguin(A)` covers 3 positive examples and no negative one, and lies within the bounds, but does not make the message shorter: another learner may take it (--learner auto), as may mml with more examples
% why not: nothing that the uncovered examples lead to is an answer of penguin/1
");
    insta::assert_snapshot!(asked_of(task(true), &Mfoil::default()), @r"
% why not: for flies(tweety), `flies(A) :- \+ penguin(A)` covers 3 positive examples and no negative one, and lies within the bounds, but may not be significant with so few examples: another learner may find it (--learner lff, or --learner auto)
% why not: nothing that the uncovered examples lead to is an answer of penguin/1
");
}

#[test]
fn differences_from_constants_and_variables_are_looked_at_with_negation() {
    let [_, background, bias] = COLORS;
    let mut task = task_of(
        "pos(p(c)). pos(p(d)). neg(p(a)). neg(p(b)).",
        background,
        bias,
    );
    assert!(said_of(task.clone()).contains("no clause covers p(c)"));
    task.bias.negation = true;
    task.bias.max_body = Some(1);
    insta::assert_snapshot!(asked_of(task, &Foil::default()), @r"% why not: for p(c), `p(A) :- color(A,B), B\=red` covers 2 positive examples and no negative one, and lies beyond the bounds: try --max-body 2");
}

#[test]
fn equal_arguments_of_the_head_are_looked_at() {
    let examples = "pos(s(a,a)). pos(s(b,b)). pos(s(c,c)). neg(s(a,b)). neg(s(b,c)). neg(s(c,a)).";
    let task = task_of(
        examples,
        "k(a). k(b). k(c).",
        "head_pred(s,2). body_pred(k,1).",
    );
    insta::assert_snapshot!(asked_of(task, &Lff::default()), @"% why not: for s(a,a), `s(A,A)` covers 3 positive examples and no negative one, but lff writes no equal arguments of a head: another learner may find it (--learner auto)");
}

#[test]
fn what_could_not_be_examined_is_said() {
    let edges = |name: &str| {
        let edges = (0..12).flat_map(|i| (1..6).map(move |j| (i, (i + j) % 12)));
        let edges = edges.map(|(from, to)| format!("{name}(n{from},n{to}). "));
        edges.collect::<String>()
    };
    let examples = (0..12).map(|i| {
        let side = if i < 6 { "pos" } else { "neg" };
        format!("{side}(t(n{i})). ")
    });
    let task = task_of(
        &examples.collect::<String>(),
        &["e", "f", "g"].map(edges).concat(),
        "head_pred(t,1). body_pred(e,2). body_pred(f,2). body_pred(g,2).",
    );
    assert_eq!(said_of(task.clone()), "");
    insta::assert_snapshot!(asked_of(task, &Mml::default()), @"% why not: not examined, because too many literals hold: t(n0), t(n1), t(n2), t(n3), t(n4) and 1 more; types and directions in the bias would help");
}

/// Where the literals of three steps are too many, those of fewer are looked at.
#[test]
fn what_holds_near_the_head_is_looked_at_where_it_is_much() {
    let mut background = String::from("e(p,a). e(n,b). ");
    for i in 0..150 {
        let _ = write!(
            background,
            "f(a,x{i}). f(b,y{i}). g(x{i},z{i}). g(y{i},v). "
        );
    }
    let task = task_of(
        "pos(t(p)). neg(t(n)).",
        &background,
        "head_pred(t,1). body_pred(e,2). body_pred(f,2). body_pred(g,2). direction(t,(in,)).
         direction(e,(in,out)). direction(f,(in,out)). direction(g,(in,out)).",
    );
    insta::assert_snapshot!(asked_of(task, &Foil::default()), @r"
    % why not: within 2 literals of the head, no clause covers t(p) and not t(n): whatever can be said of the first holds for the second (--recursion and --negation allow other literals)
    % why not: nothing that the uncovered examples lead to within 2 literals of the head is an answer of g/2
    ");
}

const PATHS: [&str; 3] = [
    "pos(path(a,b)). pos(path(a,c)). pos(path(a,d)). pos(path(b,c)). pos(path(b,d)). pos(path(b,e)).
     pos(path(c,e)). neg(path(b,a)). neg(path(e,a)). neg(path(c,a)). neg(path(d,b)).",
    "edge(a,b). edge(b,c). edge(c,d). edge(d,e). eq(X,X).",
    "head_pred(path,2). body_pred(edge,2). body_pred(eq,2). type(path,(n,n)). type(edge,(n,n)).
     type(eq,(n,n)). direction(path,(in,out)). direction(edge,(in,out)). direction(eq,(in,out)).",
];

#[test]
fn recursion_is_named_where_it_would_do() {
    let [examples, background, bias] = PATHS;
    insta::assert_snapshot!(said_of(task_of(examples, background, bias)), @"");
    let mut task = task_of(examples, background, bias);
    let theory = task.learn(&Foil::default()).expect("learned");
    let problem = Problem::new(&mut task).expect("compiles");
    let of_all = problem.why_not_all(&theory, Limits::default(), &mut NoProgress);
    assert!(theory.is_correct() && theory.clauses.len() >= 3);
    insta::assert_snapshot!(of_all.to_string(), @"% why not: with --recursion, `path(A,B) :- path(A,C), edge(C,B)` covers 4 of 7 positive examples and no negative one, if its calls may be any other positive example");
    let mut task = task_of(examples, background, &format!("{bias} enable_recursion."));
    let theory = task.learn(&Foil::default()).expect("learned");
    let problem = Problem::new(&mut task).expect("compiles");
    let of_all = problem.why_not_all(&theory, Limits::default(), &mut NoProgress);
    assert!(!of_all.to_string().contains("--recursion"), "{of_all}");
}

/// A task about six things with binary and unary facts, of whose three colors two can be named.
fn drawn_task(
    (links, colors, marks): (&[(u8, u8)], &[u8], &[u8]),
    positive: u8,
    negation: bool,
) -> Task {
    let (mut examples, mut background) =
        (String::new(), String::from("e(x,x). m(x). k(x,green). "));
    for i in 0..6 {
        let side = if positive >> i & 1 == 1 { "pos" } else { "neg" };
        let _ = write!(examples, "{side}(t(x{i})). ");
    }
    for (from, to) in links {
        let _ = write!(background, "e(x{from},x{to}). ");
    }
    for (i, color) in colors.iter().enumerate() {
        let color = ["red", "blue", "green"][usize::from(*color)];
        let _ = write!(background, "k(x{i},{color}). ");
    }
    for i in marks {
        let _ = write!(background, "m(x{i}). ");
    }
    let bias = "head_pred(t,1). body_pred(e,2). body_pred(k,2). body_pred(m,1). constant(red,col).
                constant(blue,col). type(t,(x,)). type(e,(x,x)). type(k,(x,col)). type(m,(x,)).
                direction(t,(in,)). direction(e,(in,out)). direction(k,(in,out)). direction(m,(in,)).";
    let mut task = task_of(&examples, &background, bias);
    task.bias.negation = negation;
    task
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// No learner finds a clause that distinguishes examples that no clause is said to distinguish.
    #[test]
    fn no_learner_does_what_no_clause_does(
        links in prop::collection::vec((0..6_u8, 0..6_u8), 0..7),
        colors in prop::collection::vec(0..3_u8, 6),
        marks in prop::collection::vec(0..6_u8, 0..4),
        positive in 1..63_u8,
        negation in any::<bool>(),
    ) {
        let mut task = drawn_task((&links, &colors, &marks), positive, negation);
        let learners: [&dyn Learner; 4] =
            [&Foil::default(), &Lff::default(), &Mml::default(), &Mfoil::default()];
        let theories = learners.map(|own| task.learn(own).expect("learned"));
        let problem = Problem::new(&mut task).expect("compiles");
        let modes = callable_modes(&problem, Limits::default(), &mut NoProgress);
        let modes = modes.expect("carried out").expect("not stopped");
        let mut progress = NoProgress;
        let mut inquiry = Inquiry::new(&problem, modes, Limits::default(), &mut progress);
        let task = problem.task();
        for (e, example) in task.positive.iter().enumerate() {
            let diagnosis = inquiry.look_at(example, false).expect("carried out");
            let Diagnosis::Alike(other, None) = diagnosis else { continue };
            let other = task.negative.iter().position(|own| *own == other).expect("an example");
            for theory in &theories {
                let tells = theory.coverage.iter().any(|own| {
                    own.positive.contains(e) && !own.negative.contains(other)
                });
                prop_assert!(!tells, "{} {theory}", print_atom(example, &task.symbols));
            }
        }
    }
}
