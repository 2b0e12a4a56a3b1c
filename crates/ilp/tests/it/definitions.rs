//! Recursive definitions as Quinlan's demonstrations of FOIL have them: learned from tables of a small
//! domain through the command line, and proved on a thousand fresh examples over rules.

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
    let elements = (0..4).map(|own: i64| own.to_string());
    kind("E", elements).replace('*', "") + &kind("L", all.iter().map(|list| name(list)))
}

fn components(all: &[Vec<i64>]) -> String {
    let rows = all.iter().skip(1);
    let rows = rows.map(|list| vec![name(list), list[0].to_string(), name(&list[1..])]);
    table("*components(L,E,L) #--/-##", rows)
}

fn append(all: &[Vec<i64>]) -> String {
    let rows = all.iter().flat_map(|list| {
        (0..=list.len()).map(|at| vec![name(&list[..at]), name(&list[at..]), name(list)])
    });
    table("*append(L,L,L) ##-", rows)
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
    let all = lists(4, 4);
    let parts = all.iter().flat_map(|list| {
        let elements = (0..4).filter(|own| !list.contains(own));
        elements.map(|pivot| {
            let (lower, upper): (Vec<i64>, Vec<i64>) = list.iter().partition(|own| **own <= pivot);
            vec![pivot.to_string(), name(list), name(&lower), name(&upper)]
        })
    });
    let data = list_types(&all)
        + &components(&all)
        + &table("*part(E,L,L,L) ##--", parts)
        + &append(&all)
        + &sort_target(&all);
    let program = learn(&data, "foil", LISTS, LIST_BIAS, &fresh_sorts());
    let recursive = program.lines().last().expect("clauses");
    assert_eq!(recursive.matches("sort(").count(), 3, "{program}");
}

#[test]
fn ackermann_calls_itself_within_a_call() {
    fn ackermann(m: i64, n: i64) -> i64 {
        match (m, n) {
            (0, n) => n + 1,
            (m, 0) => ackermann(m - 1, 1),
            (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
        }
    }
    let up_to = 20;
    let mut rows = Vec::new();
    for m in 0..=3 {
        for n in (0..=up_to).take_while(|n| ackermann(m, *n) <= up_to) {
            rows.push([m, n, ackermann(m, n)].map(|own| own.to_string()).to_vec());
        }
    }
    let next = (0..up_to).map(|n| vec![n.to_string(), (n + 1).to_string()]);
    let data = kind("N", (0..=up_to).map(|n| n.to_string()))
        + &table("ack(N,N,N)", rows)
        + &table("*succ(N,N)", next);
    let fresh = fresh(|rng| {
        let (m, n) = match rng.random_range(0..4) {
            0 => (0, rng.random_range(21..500)),
            1 => (1, rng.random_range(19..60)),
            2 => (2, rng.random_range(9..20)),
            _ => (3, rng.random_range(2..4)),
        };
        let right = ackermann(m, n);
        let wrong = right + rng.random_range(1..4);
        (format!("ack({m},{n}"), right.to_string(), wrong.to_string())
    });
    let bias = "enable_recursion. head_pred(ack,3). body_pred(succ,2).";
    let program = learn(&data, "foil", "", bias, &fresh);
    assert!(
        program
            .lines()
            .any(|line| line.matches("ack(").count() == 3),
        "{program}"
    );
}

#[test]
fn combinations_are_counted() {
    fn choose(n: i64, k: i64) -> i64 {
        (1..=k).fold(1, |value, i| value * (n - k + i) / i)
    }
    let mut products: Vec<i64> = (0..=10)
        .flat_map(|a| (0..=10).map(move |b| a * b))
        .collect();
    products.sort_unstable();
    products.dedup();
    let decrements = (1..=11).map(|n| vec![n.to_string(), (n - 1).to_string()]);
    let multiples = (0..=10)
        .flat_map(|a| (0..=10).map(move |b| [a, b, a * b].map(|own| own.to_string()).to_vec()));
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    for n in 0..=5 {
        for k in 0..=n {
            for value in 0..=10 {
                let row = [n, k, value].map(|own: i64| own.to_string()).to_vec();
                if choose(n, k) == value {
                    right.push(row)
                } else {
                    wrong.push(row)
                }
            }
        }
    }
    let constants = products.iter().map(ToString::to_string);
    let target =
        table("choose(N,N,N) ##-", right).replace(".\n", ";\n") + table("", wrong).trim_start();
    let data = format!(
        "N: *0,*1,{}.\n",
        constants.skip(2).collect::<Vec<_>>().join(",")
    ) + &table("*dec(N,N) #-", decrements)
        + &table("*mult(N,N,N) ##-", multiples)
        + &target;
    // Its base is asked for what it counts, so that the background has to be a table here, too.
    let mut fresh = String::new();
    for n in 6..=8 {
        for k in 0..=n {
            let right = choose(n, k);
            let _ = writeln!(fresh, "pos(choose({n},{k},{right})).");
            for wrong in (0..=41).filter(|wrong| *wrong != right) {
                let _ = writeln!(fresh, "neg(choose({n},{k},{wrong})).");
            }
        }
    }
    let mut rules = String::new();
    for a in 0..=70 {
        let _ = writeln!(rules, "dec({},{a}).", a + 1);
        for b in 0..=70 {
            let _ = writeln!(rules, "mult({a},{b},{}).", a * b);
        }
    }
    let bias = "enable_recursion. head_pred(choose,3). body_pred(dec,2). body_pred(mult,3).";
    learn(&data, "foil", &rules, bias, &fresh);
}
