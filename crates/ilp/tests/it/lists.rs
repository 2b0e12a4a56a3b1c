//! Programs on lists, learned from a few examples and tested on a thousand fresh lists.

use std::fmt::Write as _;

use kibitz_ilp::learn::Lff;
use kibitz_ilp::{Problem, Source, Task};
use kibitz_prolog::Limits;
use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

const BACKGROUND: &str = "
    head([H|_],H). tail([_|T],T). empty([]). zero(0). one(1). even(A) :- 0 is A mod 2.
    odd(A) :- 1 is A mod 2. geq(A,B) :- A >= B. increment(A,B) :- succ(A,B).
    decrement(A,B) :- succ(B,A). element([X|_],X) :- !. element([_|T],X) :- element(T,X).
    cons(H,T,[H|T]). snoc(A,B,C) :- append(A,[B],C). three(3). six(6). nine(9).";

const BIAS: &str = "enable_recursion.
    body_pred(head,2). type(head,(list,element)). direction(head,(in,out)).
    body_pred(tail,2). type(tail,(list,list)). direction(tail,(in,out)).
    body_pred(empty,1). type(empty,(list,)). direction(empty,(out,)).
";

/// A predicate with its arguments' types and directions, as a bias declares it.
fn declared(kind: &str, name: &str, arguments: &[&str]) -> String {
    let part = |i: usize| {
        let words = arguments
            .iter()
            .map(|own| own.split(' ').nth(i).expect("two words"));
        words.fold(String::new(), |text, word| text + word + ",")
    };
    let (types, directions) = (part(0), part(1));
    let n = arguments.len();
    format!("{kind}({name},{n}). type({name},({types})). direction({name},({directions})).\n")
}

const HEADS: [(&str, &[&str]); 5] = [
    ("list", &["list in"]),
    ("list, element", &["list in", "element out"]),
    ("element, list", &["list in", "element in", "list out"]),
    ("list, list", &["list in", "list out"]),
    ("list, its element", &["list in", "element in"]),
];

/// What more may stand in bodies.
const MORE: [(&str, &[&str]); 13] = [
    ("even", &["element in"]),
    ("odd", &["element in"]),
    ("three", &["element in"]),
    ("six", &["element in"]),
    ("nine", &["element in"]),
    ("geq", &["element in", "element in"]),
    ("increment", &["element in", "element out"]),
    ("decrement", &["element in", "element out"]),
    ("element", &["list in", "element out"]),
    ("cons", &["element in", "list in", "list out"]),
    ("snoc", &["list in", "element in", "list out"]),
    ("zero", &["element out"]),
    ("one", &["element out"]),
];

type Goal = Box<dyn Fn(&mut ChaCha8Rng) -> (String, bool)>;

/// Learns from examples and tests on fresh ones; the share that is right.
fn right(head: &str, more: &[&str], goal: &Goal) -> (String, f64) {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut sides = [String::new(), String::new()];
    let mut counts = [0, 0];
    while counts != [10, 10] {
        let (atom, holds) = goal(&mut rng);
        let side = usize::from(!holds);
        if counts[side] < 10 {
            counts[side] += 1;
            let _ = writeln!(sides[side], "{}({atom}).", ["pos", "neg"][side]);
        }
    }
    let mut bias = BIAS.to_owned();
    let (_, arguments) = HEADS.iter().find(|(name, _)| *name == head).expect("known");
    bias += &declared("head_pred", "f", arguments);
    for (name, arguments) in MORE.iter().filter(|(name, _)| more.contains(name)) {
        bias += &declared("body_pred", name, arguments);
    }
    let examples = sides.concat();
    let source = |name, text| Source { name, text };
    let mut task = Task::from_popper(
        source("exs.pl", &examples),
        source("bk.pl", BACKGROUND),
        source("bias.pl", &bias),
    )
    .expect("a task");
    let mut fresh = String::new();
    for _ in 0..1_000 {
        let (atom, holds) = goal(&mut rng);
        let _ = writeln!(fresh, "{}({atom}).", if holds { "pos" } else { "neg" });
    }
    let fresh = task
        .read_examples(Source {
            name: "fresh.pl",
            text: &fresh,
        })
        .expect("examples");
    let problem = Problem::new(&mut task).expect("sound");
    let theory = problem
        .learn(&Lff::default(), &mut kibitz_ilp::learn::NoProgress)
        .expect("learned");
    let fresh = fresh.each_ref().map(|part| &part[..]);
    let test = problem
        .test(&theory.clauses, fresh, Limits::default())
        .expect("proved");
    (theory.text, test.accuracy().expect("examples").value)
}

fn list(rng: &mut ChaCha8Rng, least: usize) -> Vec<u32> {
    let n = rng.random_range(least..7);
    (0..n).map(|_| rng.random_range(1..10)).collect()
}

/// `f(List,Output)` with the output of a function, or another.
fn function<O: std::fmt::Debug + PartialEq>(
    least: usize,
    of: impl Fn(&[u32]) -> O + 'static,
) -> Goal {
    Box::new(move |rng| {
        let own = list(rng, least);
        let other = list(rng, least);
        let right = of(&own);
        let output = if rng.random_bool(0.5) {
            of(&own)
        } else {
            of(&other)
        };
        (format!("f({own:?},{output:?})"), output == right)
    })
}

fn property(holds: impl Fn(&[u32]) -> bool + 'static) -> Goal {
    Box::new(move |rng| {
        loop {
            let mut own = list(rng, 1);
            if rng.random_bool(0.3) {
                own.sort_unstable();
            }
            if rng.random_bool(0.3) {
                for own in &mut own {
                    *own *= 2;
                }
            }
            let holds = holds(&own);
            if rng.random_bool(0.5) == holds {
                return (format!("f({own:?})"), holds);
            }
        }
    })
}

#[test]
fn programs_on_lists_are_right_on_fresh_lists() {
    let last: Goal = Box::new(|rng| {
        let own = list(rng, 1);
        let element = own[rng.random_range(0..own.len())];
        (
            format!("f({own:?},{element})"),
            own.last() == Some(&element),
        )
    });
    let length = function(0, <[u32]>::len);
    let reverse = function(0, |own| own.iter().rev().copied().collect::<Vec<_>>());
    let droplast: Goal = Box::new(|rng| {
        let own = list(rng, 1);
        let right = &own[..own.len() - 1];
        // Another number may be missing.
        let mut output = own.clone();
        output.remove(rng.random_range(0..own.len()));
        (format!("f({own:?},{output:?})"), output == right)
    });
    let sorted = property(<[u32]>::is_sorted);
    let alleven = property(|own| own.iter().all(|own| own % 2 == 0));
    let dropk: Goal = Box::new(|rng| {
        let own = list(rng, 3);
        let k = rng.random_range(1..=own.len());
        let output = if rng.random_bool(0.5) {
            &own[k..]
        } else {
            &own[1..]
        };
        (format!("f({own:?},{k},{output:?})"), output == &own[k..])
    });
    let member: Goal = Box::new(|rng| {
        let own = list(rng, 0);
        let element = rng.random_range(1..10);
        (format!("f({own:?},{element})"), own.contains(&element))
    });
    let finddupl: Goal = Box::new(|rng| {
        let own = list(rng, 2);
        let element = own[rng.random_range(0..own.len())];
        let n = own.iter().filter(|other| **other == element).count();
        (format!("f({own:?},{element})"), n > 1)
    });
    let contains = property(|own| own.contains(&6) || own.contains(&9));
    let mut wrong = Vec::new();
    for (name, head, more, goal) in [
        ("last", "list, element", &[][..], last),
        ("length", "list, element", &["zero", "increment"], length),
        ("reverse", "list, list", &["snoc"], reverse),
        ("droplast", "list, list", &["cons"], droplast),
        ("sorted", "list", &["geq", "even"], sorted),
        ("alleven", "list", &["even"], alleven),
        (
            "dropk",
            "element, list",
            &["decrement", "one", "even"],
            dropk,
        ),
        ("member", "list, its element", &["even"], member),
        ("finddupl", "list, its element", &["element"], finddupl),
        (
            "contains",
            "list",
            &["three", "six", "nine", "even", "odd", "geq"],
            contains,
        ),
    ] {
        let (text, share) = right(head, more, &goal);
        if share < 1.0 {
            wrong.push(format!("{name}: {share}\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
