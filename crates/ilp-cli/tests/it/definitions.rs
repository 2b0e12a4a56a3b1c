//! Definitions of several clauses that need each other, through the command line: recursive ones from
//! tables of a small domain, as Quinlan's demonstrations of FOIL have them, proved on a thousand fresh
//! examples over rules; and one with an invented predicate.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::command_line::{folder, text};

/// The constant that stands for a list: its elements, each one digit.
fn name(list: &[i64]) -> String {
    let digits = list
        .iter()
        .fold(String::new(), |text, own| text + &own.to_string());
    format!("[{digits}]")
}

/// Lists of elements that differ, with up to so many of them, the shortest first.
fn lists(n_elements: i64, longest: usize) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = all.len();
        for i in from..to {
            let list = all[i].clone();
            let others = (0..n_elements).filter(|own| !list.contains(own));
            all.extend(others.map(|element| [&list[..], &[element]].concat()));
        }
        from = to;
    }
    all
}

fn sorted(list: &[i64]) -> Vec<i64> {
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    sorted
}

/// A table in FOIL's format.
fn table(head: &str, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let rows = rows.into_iter().map(|row| row.join(","));
    rows.fold(format!("{head}\n"), |text, row| text + &row + "\n") + ".\n"
}

/// A type whose constants may not occur in clauses, but for the first.
fn kind(name: &str, constants: impl IntoIterator<Item = String>) -> String {
    let constants: Vec<String> = constants.into_iter().collect();
    format!("{name}: *{}.\n", constants.join(","))
}

/// Learns from a table and proves what is learned on fresh examples; the program.
fn learn(data: &str, learner: &str, rules: &str, bias: &str, fresh: &str) -> String {
    let task = folder(&[("task.d", data)]);
    let run = |arguments: &[&str], at: &Path| {
        let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
            .args(arguments)
            .arg(at)
            .output()
            .expect("the program runs");
        text(&output.stdout)
    };
    let arguments = ["learn", "--learner", learner, "--format", "prolog"];
    let program = run(&arguments, task.path());
    let test = folder(&[
        ("exs.pl", fresh),
        ("bk.pl", rules),
        ("bias.pl", bias),
        ("theory.pl", &program),
    ]);
    let theory = test.path().join("theory.pl").display().to_string();
    let counts = run(&["evaluate", &theory], test.path());
    let is_exact = counts.contains(" fn 0 ") && counts.contains(" fp 0");
    assert!(is_exact, "{counts}\n{program}");
    let n = fresh.lines().count();
    let counted = counts.split("tp ").nth(1).expect("counts");
    let numbers = counted
        .split_whitespace()
        .filter_map(|word| word.parse::<usize>().ok());
    assert_eq!(numbers.take(4).sum::<usize>(), n, "{counts}");
    program
}

/// A thousand examples: of each pair one that holds, and one with another last argument.
fn fresh(mut example: impl FnMut(&mut ChaCha8Rng) -> (String, String, String)) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut text = String::new();
    for _ in 0..500 {
        let (inputs, right, wrong) = example(&mut rng);
        assert_ne!(right, wrong);
        let _ = writeln!(text, "pos({inputs},{right})).\nneg({inputs},{wrong})).");
    }
    text
}

/// A list of different numbers with another.
fn fresh_lists(rng: &mut ChaCha8Rng) -> (Vec<i64>, Vec<i64>) {
    let n = rng.random_range(2..12);
    let mut list: Vec<i64> = Vec::new();
    while list.len() < n {
        let element = rng.random_range(0..100);
        if !list.contains(&element) {
            list.push(element);
        }
    }
    let mut wrong = sorted(&list);
    let place = rng.random_range(1..n);
    wrong.swap(place - 1, place);
    (list, wrong)
}

const LISTS: &str = "components([H|T],H,T).
    part(_,[],[],[]).
    part(P,[X|T],[X|L],H) :- X =< P, part(P,T,L,H).
    part(P,[X|T],L,[X|H]) :- X > P, part(P,T,L,H).
    append([],L,L). append([H|T],L,[H|M]) :- append(T,L,M).
    lt(A,B) :- A < B.";

const LIST_BIAS: &str = "enable_recursion. head_pred(sort,2). body_pred(components,3).
    body_pred(part,4). body_pred(append,3). body_pred(lt,2).";

fn list_types(all: &[Vec<i64>]) -> String {
    let elements = (0..3).map(|own: i64| own.to_string());
    kind("E", elements).replace('*', "") + &kind("L", all.iter().map(|list| name(list)))
}

fn components(all: &[Vec<i64>]) -> String {
    let rows = all.iter().skip(1);
    let rows = rows.map(|list| vec![name(list), list[0].to_string(), name(&list[1..])]);
    table("*components(L,E,L) #--", rows)
}

fn append(all: &[Vec<i64>]) -> String {
    let rows = all.iter().flat_map(|list| {
        (0..=list.len()).map(|at| vec![name(&list[..at]), name(&list[at..]), name(list)])
    });
    table("*append(L,L,L) #-#", rows)
}

fn sort_target(all: &[Vec<i64>]) -> String {
    let rows = all.iter().map(|list| vec![name(list), name(&sorted(list))]);
    table("sort(L,L) #-", rows)
}

fn fresh_sorts() -> String {
    fresh(|rng| {
        let (list, wrong) = fresh_lists(rng);
        let right = sorted(&list);
        (
            format!("sort({list:?}"),
            format!("{right:?}"),
            format!("{wrong:?}"),
        )
    })
}

#[test]
fn quicksort_calls_itself_twice() {
    let all = lists(3, 3);
    let parts = all.iter().flat_map(|list| {
        let elements = (0..3).filter(|own| !list.contains(own));
        elements.map(|pivot| {
            let (lower, upper): (Vec<i64>, Vec<i64>) = list.iter().partition(|own| **own <= pivot);
            vec![pivot.to_string(), name(list), name(&lower), name(&upper)]
        })
    });
    let data = list_types(&all)
        + &table("*part(E,L,L,L) ##--", parts)
        + &append(&all)
        + &sort_target(&all)
        + &components(&all);
    let program = learn(&data, "foil", LISTS, LIST_BIAS, &fresh_sorts());
    let recursive = program.lines().last().expect("clauses");
    assert_eq!(recursive.matches("sort(").count(), 3, "{program}");
}

#[test]
fn a_predicate_is_invented_where_it_makes_a_theory_smaller() {
    let task = folder(&[
        (
            "exs.pl",
            "pos(grand(ida,dee)). pos(grand(ida,eli)). pos(grand(abe,dee)). pos(grand(abe,eli)).
             pos(grand(abe,gus)). pos(grand(cy,kim)).
             neg(grand(abe,bo)). neg(grand(bo,dee)). neg(grand(bo,eli)). neg(grand(ida,bo)).
             neg(grand(ida,kim)). neg(grand(dee,ida)). neg(grand(gus,abe)). neg(grand(eli,eli)).",
        ),
        (
            "bk.pl",
            "mother(ida,bo). mother(ida,cy). mother(bo,dee). mother(fay,gus). mother(eli,kim).
             father(abe,bo). father(abe,cy). father(cy,eli). father(abe,fay).",
        ),
        (
            "bias.pl",
            "enable_pi. max_vars(4). max_body(3). max_clauses(3).
             head_pred(grand,2). body_pred(mother,2). body_pred(father,2). non_datalog.",
        ),
    ]);
    let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
        .args(["learn", "--learner", "lff", "--format", "prolog"])
        .arg(task.path())
        .output()
        .expect("the program runs");
    assert_eq!(text(&output.stderr), "");
    assert_eq!(
        text(&output.stdout),
        "grand(A,B) :- inv1(A,C), inv1(C,B).\ninv1(A,B) :- mother(A,B).\ninv1(A,B) :- father(A,B).\n"
    );
}
