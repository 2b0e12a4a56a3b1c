//! What a learner counts is what proofs find on the printed theory.
//!
//! `PROPTEST_CASES` asks for more tasks than the usual number.

use std::fmt::Write as _;

use kibitz_ilp::learn::{Learner, NoProgress, Progress, Stop};
use kibitz_ilp::{Problem, Source, Task, Theory};
use kibitz_ilp_cli::{Algorithm, Settings};
use kibitz_prolog::{Atom, Clause, Limits, SymbolTable, print_atom, print_clause};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::swipl;

/// A background with whatever makes a listing differ from the predicate: negation, cuts, comparisons,
/// arithmetic, conditions, structured terms, errors.
const RULES: &str = "
lonely(X) :- \\+ e(X,_).
apart(X,Y) :- X \\== Y.
less(X,Y) :- X < Y.
next(X,Y) :- Y is X + 1.
half(X,Y) :- Y is 12 // X.
first(X,Y) :- e(X,Y), !.
kind(X,K) :- ( f(X) -> K = 1 ; K = 0 ).
largest(X,Y,X) :- X >= Y, !.
largest(_,Y,Y).
reach(X,Y) :- e(X,Y).
reach(X,Y) :- e(X,Z), f(Z), e(Z,Y).
pair(X,p(X,X)).
both(p(X,Y)) :- e(X,Y).
free(X) :- var(X).
free(X) :- f(X).
";

const BODY: [(&str, usize); 14] = [
    ("e", 2),
    ("f", 1),
    ("lonely", 1),
    ("apart", 2),
    ("less", 2),
    ("next", 2),
    ("half", 2),
    ("first", 2),
    ("kind", 2),
    ("largest", 3),
    ("reach", 2),
    ("pair", 2),
    ("both", 1),
    ("free", 1),
];

/// A task from numbers.
#[derive(Clone, Debug)]
struct FuzzedTask {
    edges: Vec<(u8, u8)>,
    marks: Vec<u8>,
    /// Which pairs are positive, negative or neither.
    examples: Vec<u8>,
    /// Which predicates there are, and which places are inputs.
    body: Vec<(usize, u8)>,
    layout: usize,
    /// Whether clauses may call the target.
    recursion: bool,
}

fn fuzzed() -> impl Strategy<Value = FuzzedTask> {
    (
        prop::collection::vec((0..5_u8, 0..5_u8), 2..10),
        prop::collection::vec(0..5_u8, 0..4),
        prop::collection::vec(0..3_u8, 25),
        prop::collection::vec((0..BODY.len(), 0..8_u8), 1..5),
        0..4_usize,
        any::<bool>(),
    )
        .prop_map(
            |(edges, marks, examples, body, layout, recursion)| FuzzedTask {
                edges,
                marks,
                examples,
                body,
                layout,
                recursion,
            },
        )
}

impl FuzzedTask {
    fn facts(&self) -> String {
        let mut text = String::new();
        for (a, b) in &self.edges {
            let _ = writeln!(text, "e({a},{b}).");
        }
        for a in self.marks.iter().chain([&9]) {
            let _ = writeln!(text, "f({a}).");
        }
        text
    }

    fn examples(&self, side: u8, before: &str, after: &str) -> String {
        let numbered = self.examples.iter().enumerate();
        let own = numbered.filter(|(_, own)| **own == side);
        own.fold(String::new(), |mut text, (i, _)| {
            let _ = writeln!(text, "{before}t({},{}){after}.", i / 5, i % 5);
            text
        })
    }

    fn modes(&self, signs: [&str; 2], end: &str) -> String {
        let mut text = format!(":- modeh(1,t(+n,+n)){end}\n");
        for &(number, inputs) in &self.body {
            let (name, arity) = BODY[number];
            let args: Vec<String> = (0..arity)
                .map(|place| format!("{}n", signs[usize::from(inputs >> place & 1 == 0)]))
                .collect();
            let _ = writeln!(text, ":- modeb(*,{name}({})){end}", args.join(","));
            if end == "." {
                let _ = writeln!(text, ":- determination(t/2,{name}/{arity}).");
            }
        }
        text
    }

    fn bias(&self, is_directed: bool) -> String {
        let mut text = String::from("head_pred(t,2).\n");
        for (place, &(number, inputs)) in self.body.iter().enumerate() {
            let (name, arity) = BODY[number];
            let _ = writeln!(text, "body_pred({name},{arity}).");
            // A predicate has one direction.
            let is_first = self.body[..place].iter().all(|(own, _)| *own != number);
            if is_directed && is_first {
                let names: Vec<&str> = (0..arity)
                    .map(|place| {
                        if inputs >> place & 1 == 1 {
                            "in"
                        } else {
                            "out"
                        }
                    })
                    .collect();
                let _ = writeln!(text, "direction({name},({},)).", names.join(","));
            }
        }
        if is_directed {
            text.push_str("direction(t,(in,in)).\n");
        }
        text
    }

    fn task(&self) -> Task {
        let source = |name, text| Source { name, text };
        let background = format!("{RULES}{}", self.facts());
        let mut task = match self.layout {
            layout @ (0 | 1) => {
                let examples = self.examples(0, "pos(", ")") + &self.examples(1, "neg(", ")");
                Task::from_popper(
                    source("exs.pl", &examples),
                    source("bk.pl", &background),
                    source("bias.pl", &self.bias(layout == 1)),
                )
            }
            2 => Task::from_three_files(
                source("t.b", &(self.modes(["+", "-"], ".") + &background)),
                source("t.f", &self.examples(0, "", "")),
                source("t.n", &self.examples(1, "", "")),
            ),
            _ => {
                let text = [
                    self.modes(["+", "-"], "?"),
                    background,
                    self.examples(0, "", ""),
                    self.examples(1, ":- ", ""),
                ];
                Task::from_progol(source("t.pl", &text.concat()))
            }
        }
        .expect("valid");
        task.bias.recursion |= self.recursion;
        task
    }
}

/// Notes what a learner counts.
#[derive(Default)]
struct ProgressCounts(Vec<(String, [usize; 2])>);

impl Progress for ProgressCounts {
    fn clause(&mut self, clause: &Clause, symbols: &SymbolTable, positive: usize, negative: usize) {
        let text = print_clause(clause, symbols).to_string();
        self.0.push((text, [positive, negative]));
    }
}

/// A learner that gives up early.
fn quick(algorithm: Algorithm) -> Box<dyn Learner> {
    let settings = Settings {
        max_steps: Some(3_000),
        limits: Limits {
            steps: 20_000,
            ..Limits::default()
        },
        ..Settings::default()
    };
    algorithm.learner(&settings).expect("of files")
}

fn check(fuzzed: &FuzzedTask, algorithm: Algorithm) -> Result<(), TestCaseError> {
    let mut task = fuzzed.task();
    let learner = quick(algorithm);
    let problem = Problem::new(&mut task).expect("compiles");
    let mut counted = ProgressCounts::default();
    let Ok(theory) = problem.learn(&*learner, &mut counted) else {
        // No example of a side, or no predicate that can be asked.
        return Ok(());
    };
    // A clause that calls others counts what it covers beside all that were found.
    let is_whole = (counted.0.iter()).all(|(own, _)| theory.text.lines().any(|line| line == own));
    let clauses = theory.clauses.iter().zip(&theory.coverage);
    for (line, (clause, coverage)) in theory.text.lines().zip(clauses) {
        let Some((_, [positive, negative])) = counted.0.iter().find(|(own, _)| own == line) else {
            continue;
        };
        let mut called = clause.body.iter().map(|literal| literal.atom.predicate());
        if !is_whole && called.any(|own| own == theory.target) {
            continue;
        }
        let [tp, _, _, fp] = coverage.confusion();
        // mFoil counts the positive examples that are new.
        let agrees = if algorithm == Algorithm::Mfoil {
            *positive <= tp
        } else {
            *positive == tp
        };
        prop_assert!(
            agrees && *negative == fp,
            "{} counted {positive} and {negative}, proved are {tp} and {fp}: {line}\n{fuzzed:?}",
            algorithm.name()
        );
    }
    if theory.stop == Stop::Complete && !theory.is_discarded {
        prop_assert_eq!(theory.total.confusion()[1], 0, "{}\n{:?}", theory, fuzzed);
    }
    Ok(())
}

fn n_cases() -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(n_cases()))]

    #[test]
    fn learners_count_what_is_proved(fuzzed in fuzzed()) {
        for algorithm in LEARNERS {
            check(&fuzzed, algorithm)?;
        }
    }
}

/// A recursive clause whose proofs do not end keeps others from covering more.
#[test]
fn a_clause_that_proves_nothing_may_be_needed() {
    let examples = [
        0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1,
    ];
    let fuzzed = FuzzedTask {
        edges: vec![(0, 0), (0, 0)],
        marks: vec![3, 1],
        examples: examples.into(),
        body: vec![(5, 0), (13, 0)],
        layout: 0,
        recursion: true,
    };
    for algorithm in LEARNERS {
        let checked = check(&fuzzed, algorithm);
        assert!(checked.is_ok(), "{checked:?}");
    }
}

const LEARNERS: [Algorithm; 9] = [
    Algorithm::Foil,
    Algorithm::Mfoil,
    Algorithm::Golem,
    Algorithm::Mio,
    Algorithm::Progol,
    Algorithm::Lff,
    Algorithm::Cigol,
    Algorithm::Mis,
    Algorithm::Itou,
];

/// A program for SWI-Prolog that prints how many positive and negative examples each clause covers. A
/// clause that raises an error for an example does not cover it.
fn counting(theory: &Theory, task: &Task, background: &str) -> String {
    // Calls that come back to themselves end in tables only, there as here.
    let is_recursive = (theory.clauses.iter().flat_map(|clause| &clause.body))
        .any(|literal| literal.atom.predicate() == task.target);
    let table = if is_recursive { ":- table t/2.\n" } else { "" };
    let mut text = format!(
        ":- style_check(-singleton). :- style_check(-discontiguous).\n{background}\n{table}{}",
        theory.text
    );
    for (i, clause) in theory.clauses.iter().enumerate() {
        let [x, y] = &clause.head.args[..] else {
            continue;
        };
        if clause.head.predicate() != task.target {
            continue;
        }
        let number = kibitz_prolog::Term::int(i64::try_from(i).unwrap_or(0));
        let head = Atom::new(
            task.symbols.get("clause_of").expect("interned"),
            [number, x.clone(), y.clone()],
        );
        let clause = Clause::new(head, clause.body.clone());
        let _ = writeln!(text, "{}", print_clause(&clause, &theory.symbols));
    }
    for (name, side) in [("positive", &task.positive), ("negative", &task.negative)] {
        for atom in side {
            let _ = writeln!(text, "{name}({}).", print_atom(atom, &task.symbols));
        }
    }
    let n = theory.clauses.len();
    let _ = writeln!(
        text,
        "positive(none) :- fail. negative(none) :- fail.
         covers(I,Side) :- call(Side,t(X,Y)), catch(once(clause_of(I,X,Y)),_,fail).
         count(I,Side,N) :- aggregate_all(count,covers(I,Side),N).
         run :- N is {n} - 1, forall(between(0,N,I),
                (count(I,positive,P), count(I,negative,M), format(\"~w ~w~n\",[P,M])))."
    );
    text
}

/// Runs `goal` in each of several programs, which do not share predicates, with a line `---` after each;
/// `None`, with a message, where SWI-Prolog is not installed.
fn swi_prolog_each(programs: &[String], goal: &str) -> Option<String> {
    swipl::run(programs, |i, file| {
        format!("(load_files(m{i}:'{file}',[]), m{i}:{goal}, writeln(---))")
    })
}

/// How many theories SWI-Prolog counts.
const N_THEORIES: usize = 200;

#[test]
fn swi_prolog_counts_the_same() {
    let mut runner = TestRunner::deterministic();
    let mut programs = Vec::new();
    let mut expected = Vec::new();
    for algorithm in LEARNERS.into_iter().cycle() {
        if programs.len() == N_THEORIES {
            break;
        }
        let fuzzed = fuzzed().new_tree(&mut runner).expect("a task").current();
        let mut task = fuzzed.task();
        task.symbols.intern("clause_of");
        let problem = Problem::new(&mut task).expect("compiles");
        let Ok(theory) = problem.learn(&*quick(algorithm), &mut NoProgress) else {
            continue;
        };
        if theory.clauses.is_empty() || theory.total.undecided > 0 {
            continue;
        }
        let counts = theory
            .coverage
            .iter()
            .map(kibitz_prolog::Coverage::confusion);
        expected.push(counts.fold(String::new(), |mut text, [tp, _, _, fp]| {
            let _ = writeln!(text, "{tp} {fp}");
            text
        }));
        let background = format!("{RULES}{}", fuzzed.facts());
        programs.push(counting(&theory, &task, &background));
    }
    let Some(counted) = swi_prolog_each(&programs, "run") else {
        return;
    };
    let counted: Vec<&str> = counted.split_terminator("---\n").collect();
    assert_eq!(counted.len(), programs.len());
    for ((counted, expected), program) in counted.iter().zip(&expected).zip(&programs) {
        assert_eq!(counted, expected, "{program}");
    }
}
