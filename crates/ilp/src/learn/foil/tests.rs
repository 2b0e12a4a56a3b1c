use std::fmt::Write;

use kibitz_prolog::{Clause, Limits, SymbolTable, print_clause};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::learn::{Hypothesis, NoProgress, Progress, Stop};
use crate::task::{Source, Task};

fn task(examples: &str, facts: &str, bias: &str) -> Task {
    let source = |name, text| Source { name, text };
    Task::from_popper(
        source("exs.pl", examples),
        source("bk.pl", facts),
        source("bias.pl", bias),
    )
    .expect("valid")
}

fn run(task: &mut Task, params: &Foil) -> (Hypothesis, Vec<String>) {
    let problem = Problem::new(task).expect("valid");
    let learned = params.learn(&problem, &mut NoProgress).expect("learned");
    let verified = problem.verify(&learned.clauses, Limits::default());
    let verified = verified.expect("valid");
    (learned, verified.text.lines().map(str::to_owned).collect())
}

#[test]
fn new_variables_are_joined() {
    let mut task = task(
        "pos(gf(a,d)). pos(gf(b,e)). neg(gf(a,b)). neg(gf(d,a)). neg(gf(b,a)). neg(gf(a,e)).",
        "f(a,c). f(c,d). f(b,g). f(g,e). f(d,h).",
        "head_pred(gf,2). body_pred(f,2).",
    );
    let (learned, text) = run(&mut task, &Foil::default());
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
    assert_eq!(run(&mut task, &Foil::default()).1, ["p(A,A)."]);
}

#[test]
fn negation_only_on_request() {
    let mut task = task(
        "pos(p(1)). pos(p(2)). pos(p(5)). pos(p(6)). neg(p(3)). neg(p(4)).",
        "q(3). q(4).",
        "head_pred(p,1). body_pred(q,1).",
    );
    let (learned, text) = run(&mut task, &Foil::default());
    assert_eq!((learned.stop, text.len()), (Stop::NoMoreClauses, 0));
    task.bias.negation = true;
    assert_eq!(run(&mut task, &Foil::default()).1, ["p(A) :- \\+ q(A)."]);
}

#[test]
fn rules_in_the_background_are_listed() {
    let mut task = task(
        "pos(p(7)). pos(p(8)). pos(p(9)). neg(p(1)). neg(p(2)). neg(p(3)).",
        "big(X) :- X > 5.",
        "head_pred(p,1). body_pred(big,1). direction(big,(in,)).",
    );
    assert_eq!(run(&mut task, &Foil::default()).1, ["p(A) :- big(A)."]);
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
        run(&mut task, &Foil::default()).1,
        ["p(A) :- s(A,B), g(B)."]
    );
}

/// Everybody lives somewhere, which says nothing about grandparents and uses up two variables.
#[test]
fn what_only_offers_values_leaves_room_for_others() {
    let mut facts = String::new();
    let mut examples = String::new();
    let (n, parent) = (20, |i: usize| (7 * i + 3) % 20);
    for i in 0..n {
        let (p, other) = (parent(i), (parent(parent(i)) + 1) % n);
        _ = writeln!(facts, "parent({p},{i}). lives({i},c{}).", i % 3);
        _ = writeln!(
            examples,
            "pos(gp({},{i})). neg(gp({other},{i})).",
            parent(p)
        );
    }
    let mut task = task(
        &examples,
        &facts,
        "head_pred(gp,2). body_pred(parent,2). body_pred(lives,2). max_vars(3). max_body(2).
         type(gp,(person,person)). type(parent,(person,person)). type(lives,(person,city)).",
    );
    let (learned, text) = run(&mut task, &Foil::default());
    assert_eq!(learned.stop, Stop::Complete);
    assert_eq!(text, ["gp(A,B) :- parent(C,B), parent(A,C)."]);
}

#[test]
fn parameters_and_examples_are_checked() {
    let mut task = task(
        "pos(p(1)). neg(p(2)).",
        "q(1).",
        "head_pred(p,1). body_pred(q,1).",
    );
    let db = task.database().expect("valid");
    let params = Foil {
        min_accuracy: 1.5,
        ..Foil::default()
    };
    assert!(matches!(
        params.learn(&Problem::with_database(&task, &db), &mut NoProgress),
        Err(LearnError::Parameter {
            parameter: "min_accuracy",
            ..
        })
    ));
    task.negative.clear();
    let error = Foil::default().learn(&Problem::with_database(&task, &db), &mut NoProgress);
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
    let problem = Problem::new(&mut task).expect("valid");
    let mut notes = Notes::default();
    let params = Foil {
        encoding_limit: false,
        ..Foil::default()
    };
    params.learn(&problem, &mut notes).expect("learned");
    assert_eq!(notes.0, ["p(A,B) :- q(A). 1 0", "p(A,B) :- r(A). 1 0"]);
}

const MEMBER: [&str; 3] = [
    "pos(member(a,[a])). pos(member(a,[b,a])). pos(member(b,[b,a])). pos(member(c,[b,a,c])).
     pos(member(a,[b,a,c])). pos(member(b,[b,a,c])). pos(member(c,[a,c])). pos(member(a,[a,c])).
     pos(member(c,[c])). pos(member(b,[b])).
     neg(member(b,[a])). neg(member(c,[a])). neg(member(c,[b,a])). neg(member(b,[c])).
     neg(member(a,[c])). neg(member(b,[a,c])). neg(member(a,[])). neg(member(b,[])).
     neg(member(c,[])). neg(member(a,[b])). neg(member(c,[b])).",
    "first([H|_],H). rest([_|T],T).",
    "enable_recursion. head_pred(member,2). body_pred(first,2). body_pred(rest,2).
     type(member,(element,list)). type(first,(list,element)). type(rest,(list,list)).
     direction(member,(in,in)). direction(first,(in,out)). direction(rest,(in,out)).",
];

#[test]
fn member_is_learned_with_a_call_that_gets_smaller() {
    let mut task = task(MEMBER[0], MEMBER[1], MEMBER[2]);
    let (learned, text) = run(&mut task, &Foil::default());
    assert_eq!(learned.stop, Stop::Complete, "{text:?}");
    assert_eq!(
        text,
        [
            "member(A,B) :- first(B,A).",
            "member(A,B) :- rest(B,C), member(A,C)."
        ]
    );
}

#[test]
fn append_is_learned() {
    // All lists of up to three of two letters.
    let mut lists: Vec<Vec<&str>> = vec![Vec::new()];
    for i in 0..7 {
        for letter in ["a", "b"] {
            let mut longer = lists[i].clone();
            longer.push(letter);
            lists.push(longer);
        }
    }
    let show = |list: &[&str]| format!("[{}]", list.join(","));
    let mut examples = String::new();
    for a in &lists {
        for b in &lists {
            for c in &lists {
                let side = if [&a[..], b].concat() == *c {
                    "pos"
                } else {
                    "neg"
                };
                let atom = format!("append({},{},{})", show(a), show(b), show(c));
                let _ = writeln!(examples, "{side}({atom}).");
            }
        }
    }
    let mut task = task(
        &examples,
        "components([H|T],H,T). empty([]).",
        "enable_recursion. head_pred(append,3). body_pred(components,3). body_pred(empty,1).
         type(append,(list,list,list)). type(components,(list,element,list)). type(empty,(list,)).
         direction(append,(in,in,in)). direction(components,(in,out,out)). direction(empty,(in,)).",
    );
    let (learned, text) = run(&mut task, &Foil::default());
    assert_eq!(learned.stop, Stop::Complete, "{text:?}");
    assert_eq!(
        text.last().map(String::as_str),
        Some("append(A,B,C) :- components(A,D,E), components(C,D,F), append(E,B,F).")
    );
}

#[test]
fn a_call_that_does_not_get_smaller_is_not_formed() {
    // `path` has a cycle, so that nothing orders the places: the symmetric clause would never end.
    let mut task = task(
        "pos(p(1,2)). pos(p(2,1)). pos(p(3,4)). pos(p(4,3)). neg(p(1,3)). neg(p(3,1)). neg(p(2,4)).",
        "e(1,2). e(3,4). e(2,3). e(4,1). f(1). f(3).",
        "enable_recursion. head_pred(p,2). body_pred(e,2). body_pred(f,1).",
    );
    let (_, text) = run(&mut task, &Foil::default());
    assert!(
        text.iter().all(|clause| clause.matches("p(").count() == 1),
        "{text:?}"
    );
}

/// Says no after some questions.
struct Patience(u32);

impl Progress for Patience {
    fn keep_going(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 > 0
    }
}

#[test]
fn a_stopped_search_returns_what_it_has() {
    let mut task = task(MEMBER[0], MEMBER[1], MEMBER[2]);
    let problem = Problem::new(&mut task).expect("valid");
    let mut sizes = Vec::new();
    for patience in 1..200 {
        let learned = Foil::default().learn(&problem, &mut Patience(patience));
        let learned = learned.expect("learned");
        if learned.stop == Stop::Interrupted {
            assert!(learned.clauses.len() < 2);
        }
        sizes.push(learned.clauses.len());
    }
    assert!(sizes.is_sorted(), "{sizes:?}");
    assert_eq!((sizes[0], sizes.last()), (0, Some(&2)));
}

#[test]
fn tables_grow_with_the_examples() {
    let (mut examples, mut facts) = (String::new(), String::from("f(x0). f(x1). "));
    for i in 0..12 {
        let side = if i % 2 == 0 { "pos" } else { "neg" };
        let _ = write!(examples, "{side}(p({i})). ");
        // Every second one leads to one of the first two.
        for j in 0..4 {
            let _ = write!(
                facts,
                "e({i},x{}). ",
                if j == 0 { i % 2 * 9 } else { j + 1 }
            );
        }
    }
    let bias = "head_pred(p,1). body_pred(e,2). body_pred(f,1).";
    let mut task = task(&examples, &facts, bias);
    let foil = Foil {
        max_tuples: 10,
        encoding_limit: false,
        ..Foil::default()
    };
    assert_eq!(foil.reach(&task).max_tuples, Some(60));
    let (learned, text) = run(&mut task, &foil);
    assert_eq!(learned.stop, Stop::Complete, "{text:?}");
}

#[test]
fn determinate_literals_are_left_out_where_their_variables_are_too_much_to_look_at() {
    let n_scenes = 300;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut examples, mut facts) = (String::new(), String::new());
    for scene in 0..n_scenes {
        let cells: [[u8; 8]; 8] =
            std::array::from_fn(|_| rng.random::<[u8; 8]>().map(|own| own % 8));
        let mut place = || rng.random_range(0..8_usize);
        let (a, b) = (place(), place());
        let is_positive = scene % 2 == 0;
        let (c, d) = loop {
            let (c, d) = (place(), place());
            if (cells[c][d] == cells[a][b]) == is_positive {
                break (c, d);
            }
        };
        let side = if is_positive { "pos" } else { "neg" };
        let _ = writeln!(examples, "{side}(t(s{scene},p{a},p{b},p{c},p{d})).");
        for (x, row) in cells.iter().enumerate() {
            for (y, value) in row.iter().enumerate() {
                let _ = writeln!(facts, "cell(s{scene},p{x},p{y},p{value}).");
            }
        }
    }
    let bias = "head_pred(t,5). body_pred(cell,4).
        type(t,(scene,place,place,place,place)). type(cell,(scene,place,place,place)).";
    let mut task = task(&examples, &facts, bias);
    let (learned, text) = run(&mut task, &Foil::default());
    assert_eq!(text, ["t(A,B,C,D,E) :- cell(A,B,C,F), cell(A,D,E,F)."]);
    assert!(learned.n_left_out > 0, "{learned:?}");
}
