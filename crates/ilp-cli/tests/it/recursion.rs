//! Recursive theories: learned, proved although calls run in cycles, and explained.

use std::fmt::Write as _;
use std::process::{Command, Output};

use crate::command_line::{folder, text};

fn run(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"));
    command.args(args).output().expect("it runs")
}

/// The arrangements of some of these letters.
fn arrangements(letters: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut at = 0;
    while let Some(known) = all.get(at).cloned() {
        at += 1;
        let more = letters.chars().filter(|letter| !known.contains(*letter));
        all.extend(more.map(|letter| format!("{known}{letter}")));
    }
    all
}

/// Sorting by components alone: the second call is smaller only because a sorted list is as long as the
/// list that was sorted.
#[test]
fn a_call_may_be_smaller_because_of_what_another_answers() {
    let lists = arrangements("abcd");
    let names: Vec<String> = lists.iter().map(|list| format!("[{list}]")).collect();
    let mut file = format!("E: a,b,c,d.\nL: *{}.\n\n", names.join(","));
    file += "*components(L,E,L) #--/-##\n";
    for list in lists.iter().filter(|list| !list.is_empty()) {
        let _ = writeln!(file, "[{list}],{},[{}]", &list[..1], &list[1..]);
    }
    file += ".\nsort(L,L) #-\n";
    for list in &lists {
        let mut sorted: Vec<char> = list.chars().collect();
        sorted.sort_unstable();
        let _ = writeln!(file, "[{list}],[{}]", sorted.iter().collect::<String>());
    }
    file += ".\n*lt(E,E)\na,b\na,c\na,d\nb,c\nb,d\nc,d\n.\n";
    let folder = folder(&[("sort.d", &file)]);
    let path = folder.path().join("sort.d");
    let output = run(&["learn", &path.to_string_lossy(), "--learner", "foil"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    insta::assert_snapshot!(text(&output.stdout), @r"
    % sort/2 by foil, 4 clauses: tp 65 fn 0 tn 4160 fp 0
    % every positive example is covered; 11474 steps
    :- style_check(-singleton).
    sort([],[]).  % tp 1 fn 64 tn 4160 fp 0
    sort(A,A) :- components(A,B,[]).  % tp 4 fn 61 tn 4160 fp 0
    sort(A,B) :- components(A,C,D), components(B,E,F), sort(D,G), components(B,C,G), lt(C,H), components(F,H,I).  % tp 20 fn 45 tn 4160 fp 0
    sort(A,B) :- components(A,C,D), components(B,E,F), sort(D,G), components(G,E,H), components(I,C,H), sort(I,F), lt(E,C).  % tp 40 fn 25 tn 4160 fp 0
    ");
}

#[test]
fn transitive_closure_on_a_graph_with_cycles() {
    let folder = folder(&[
        (
            "exs.pl",
            "pos(reach(a,b)). pos(reach(a,e)). pos(reach(a,a)). pos(reach(b,d)). pos(reach(c,e)).
             pos(reach(f,f)). pos(reach(b,e)). neg(reach(d,a)). neg(reach(e,a)). neg(reach(a,f)).
             neg(reach(f,a)). neg(reach(e,e)). neg(reach(d,d)).",
        ),
        (
            "bk.pl",
            "edge(a,b). edge(b,c). edge(c,a). edge(c,d). edge(d,e). edge(f,g). edge(g,f).",
        ),
        (
            "bias.pl",
            "head_pred(reach,2). body_pred(edge,2). enable_recursion. max_vars(3). max_body(2).
             max_clauses(2).",
        ),
        (
            "theory.pl",
            "reach(A,B) :- edge(A,C), reach(C,B). reach(A,B) :- edge(A,B).",
        ),
    ]);
    let task = folder.path().to_string_lossy().into_owned();
    let theory = folder
        .path()
        .join("theory.pl")
        .to_string_lossy()
        .into_owned();
    let output = run(&["learn", &task, "--learner", "lff"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stdout).contains("2 clauses: tp 7 fn 0 tn 6 fp 0"));
    let output = run(&["evaluate", &theory, &task]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let output = run(&["explain", &theory, "reach(a,e)", &task]);
    insta::assert_snapshot!(text(&output.stdout), @r"
    % reach(a,e) is covered
    reach(a,e)  % by reach(A,B) :- edge(A,C), reach(C,B).
      edge(a,b)  % a fact
      reach(b,e)  % by reach(A,B) :- edge(A,C), reach(C,B).
        edge(b,c)  % a fact
        reach(c,e)  % by reach(A,B) :- edge(A,C), reach(C,B).
          edge(c,d)  % a fact
          reach(d,e)  % by reach(A,B) :- edge(A,B).
            edge(d,e)  % a fact
    ");
}
