use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use kibitz_prolog::{Atom, Clause, Limits, Term, print_clause};
use proptest::prelude::*;

use super::active::{
    self, ActiveError, Examiner, ExaminerParams, LabeledExample, Sampler, Teacher, TeacherError,
    Verdict,
};
use super::{Strategy, *};
use crate::eval::Node;
use crate::learn::bottom_clause::{ClauseCoverage, bottom_clause, compression};
use crate::learn::{NoProgress, Progol, Stop};
use crate::task::{Source, Task};

/// Trains of cars with a length and a load, from numbers; a train is good that has a short car with
/// a round load.
fn trains(cars: &[(u8, u8, u8)]) -> Task {
    let mut text = String::from(
        ":- modeh(1,good(+train))?\n:- modeb(*,has_car(+train,-car))?\n:- modeb(1,short(+car))?
         :- modeb(1,long(+car))?\n:- modeb(1,load(+car,-load))?\n:- modeb(1,shape(+load,#shape))?
         :- modeb(*,before(+car,-car))?\n",
    );
    let mut is_good = [false; 12];
    for (i, (train, length, shape)) in cars.iter().enumerate() {
        let train = usize::from(train % 12);
        let (length, shape) = (["short", "long"][usize::from(length % 2)], shape % 3);
        let shape = ["round", "square", "flat"][usize::from(shape)];
        let _ = writeln!(
            text,
            "has_car(t{train},c{i}). {length}(c{i}). load(c{i},l{i})."
        );
        let _ = writeln!(text, "shape(l{i},{shape}).");
        if i > 0 && usize::from(cars[i - 1].0 % 12) == train {
            let _ = writeln!(text, "before(c{},c{i}).", i - 1);
        }
        is_good[train] |= length == "short" && shape == "round";
    }
    for (train, is_good) in is_good.iter().enumerate() {
        let _ = writeln!(text, "{}good(t{train}).", if *is_good { "" } else { ":- " });
    }
    Task::from_progol(Source {
        name: "trains",
        text: &text,
    })
    .unwrap()
}

fn many_cars() -> Vec<(u8, u8, u8)> {
    (0..60_u8)
        .map(|i| (i / 5, i.wrapping_mul(7) % 5, i.wrapping_mul(11) % 7))
        .collect()
}

fn theory(task: &Task, clauses: &[Clause]) -> Vec<String> {
    let texts = clauses
        .iter()
        .map(|clause| print_clause(clause, &task.symbols).to_string());
    texts.collect()
}

fn params(strategy: Strategy, macros: bool) -> Mio {
    Mio {
        strategy,
        macros,
        ..Mio::default()
    }
}

const SETTINGS: [(Strategy, bool); 4] = [
    (Strategy::Deepening, false),
    (Strategy::Deepening, true),
    (Strategy::Greedy, false),
    (Strategy::Greedy, true),
];

#[test]
fn every_setting_decides_the_examples() {
    let mut task = trains(&many_cars());
    let db = task.database().unwrap();
    let problem = Problem::with_database(&task, &db);
    let check = |learned: &Hypothesis, finds_all: bool| {
        let total = problem.verify(&learned.clauses, Limits::default());
        let total = total.unwrap().total;
        let [_, fn_, _, fp] = total.confusion();
        let text = theory(&task, &learned.clauses);
        assert_eq!((fp, fn_ == 0 || !finds_all), (0, true), "{text:?}");
    };
    for (strategy, macros) in SETTINGS {
        let mut params = params(strategy, macros);
        params.bounds.min_positives = 1;
        let learned = params.learn(&problem, &mut NoProgress).unwrap();
        // Without macros the greedy search may not see what is behind a literal.
        check(&learned, macros || strategy == Strategy::Deepening);
    }
    let learned = Progol::default().learn(&problem, &mut NoProgress);
    check(&learned.unwrap(), false);
}

#[test]
fn threads_do_not_matter() {
    let mut task = trains(&many_cars());
    task.negative.rotate_left(2);
    let problem = Problem::new(&mut task).unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut params = params(Strategy::Deepening, true);
            params.bounds.max_clauses = 40;
            params.learn(&problem, &mut NoProgress).unwrap()
        })
    };
    assert_eq!(run(1), run(3));
}

/// The best compression among the shortest clauses that may be returned, by looking at all.
fn exhaustive(search: &mut Search<'_>) -> Option<(usize, i64)> {
    let mut seen: indexmap::IndexMap<_, Node> = indexmap::IndexMap::new();
    let root = search.root();
    seen.insert(root.0.clone(), root);
    let mut best: Option<(usize, i64)> = None;
    let mut at = 0;
    while at < seen.len() {
        let node = seen[at].clone();
        at += 1;
        let judged: ClauseCoverage = (*search.judge(&node, None).unwrap().unwrap()).clone();
        if search.is_acceptable(&node.1, &judged) {
            let own = (node.1.lits.len(), compression(&judged, &node.1));
            let is_better = |&(length, worth): &(usize, i64)| {
                own.0 < length || (own.0 == length && own.1 > worth)
            };
            if best.as_ref().is_none_or(is_better) {
                best = Some(own);
            }
        }
        for next in search.successors(&node).unwrap().iter() {
            seen.entry(next.0.clone()).or_insert_with(|| next.clone());
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Deepening misses nothing, with and without macros.
    #[test]
    fn deepening_finds_what_looking_at_everything_finds(
        cars in prop::collection::vec((0..12_u8, 0..2_u8, 0..3_u8), 10..30),
    ) {
        let mut task = trains(&cars);
        let db = task.database().unwrap();
        let problem = Problem::with_database(&task, &db);
        prop_assume!(!task.positive.is_empty() && !task.negative.is_empty());
        for macros in [false, true] {
            let bounds = Bounds { max_clauses: 100_000, ..Bounds::default() };
            let params = Mio { bounds, ..params(Strategy::Deepening, macros) };
            let agree = |search: &mut Search<'_>| {
                let found = params.find(search)?;
                let expected = exhaustive(search);
                let found = found.map(|found| (found.clause.body.len(), found.worth));
                assert_eq!(found, expected);
                Ok(None)
            };
            let mut session = Session::new(&problem, params.covering(&agree));
            session.add(&task.positive, &task.negative).unwrap();
            prop_assert_eq!(session.run(&mut NoProgress).unwrap().stop, Stop::NoMoreClauses);
        }
    }

    /// Macros provide all that they consume, and are part of the bottom clause.
    #[test]
    fn macros_are_whole(cars in prop::collection::vec((0..12_u8, 0..2_u8, 0..3_u8), 10..30)) {
        let mut task = trains(&cars);
        let db = task.database().unwrap();
        let problem = Problem::with_database(&task, &db);
        prop_assume!(!task.positive.is_empty() && !task.negative.is_empty());
        let bounds = Bounds::default();
        let n_found = AtomicUsize::new(0);
        let look = |search: &mut Search<'_>| {
            let bottom = search.bottom()?;
            let language = search.language();
            for pattern in macros::macros(language, &bottom, bounds.max_literals) {
                macros::tests::assert_provided(language, &pattern);
                assert!(pattern.lits.len() <= bounds.max_literals);
                let part = pattern.clause(language, &bottom.constants);
                let whole = bottom.pattern.clause(language, &bottom.constants);
                assert!(crate::subsumes(&part, &whole));
                n_found.fetch_add(1, Ordering::Relaxed);
            }
            Ok(None)
        };
        let params = Mio { bounds, ..Mio::default() };
        let mut session = Session::new(&problem, params.covering(&look));
        session.add(&task.positive, &task.negative).unwrap();
        session.run(&mut NoProgress).unwrap();
        prop_assert!(n_found.into_inner() > 0);
        prop_assert!(bottom_clause(&problem, &bounds, &task.positive[0]).is_ok());
    }
}

#[test]
fn bounds_end_searches_and_are_counted() {
    let mut task = trains(&many_cars());
    let db = task.database().unwrap();
    let mut few = params(Strategy::Deepening, false);
    few.bounds.max_clauses = 5;
    let problem = Problem::with_database(&task, &db);
    let learned = few.learn(&problem, &mut NoProgress).unwrap();
    assert_eq!(learned.stop, Stop::NoMoreClauses);
    assert!(
        learned
            .searches
            .iter()
            .all(|search| search.is_limited && search.n_clauses == 5)
    );
    assert_eq!(learned.steps, 5 * learned.searches.len() as u64);
    few.max_steps = 1;
    let learned = few.learn(&problem, &mut NoProgress).unwrap();
    assert_eq!(learned.stop, Stop::OutOfSteps);
    few.seeds = 0;
    let error = few.learn(&problem, &mut NoProgress).unwrap_err();
    assert_eq!(error.to_string(), "seeds must be at least 1");
    task.negative.clear();
    let problem = Problem::with_database(&task, &db);
    let error = params(Strategy::Greedy, true).learn(&problem, &mut NoProgress);
    let error = error.unwrap_err();
    assert_eq!(error, LearnError::NoNegatives);
}

/// Numbers in turn: even ones are good.
struct Numbers {
    next: i64,
    target: kibitz_prolog::Symbol,
}

impl Sampler for Numbers {
    fn draw(&mut self) -> Result<LabeledExample, TeacherError> {
        self.next += 7;
        let value = self.next % 64;
        Ok(LabeledExample {
            atom: Atom::new(self.target, [Term::int(value)]),
            is_positive: value % 2 == 0 && value % 3 == 0,
        })
    }
}

fn numbers() -> Task {
    let mut text = String::from(
        ":- modeh(1,good(+n))?\n:- modeb(*,divides(#n,+n))?\n:- modeb(1,small(+n))?\ngood(0).\n",
    );
    for n in 0..64 {
        for by in [2, 3, 5] {
            if n % by == 0 {
                let _ = writeln!(text, "divides({by},{n}).");
            }
        }
        if n < 20 {
            let _ = writeln!(text, "small({n}).");
        }
    }
    let mut task = Task::from_progol(Source {
        name: "numbers",
        text: &text,
    })
    .unwrap();
    task.positive.clear();
    task
}

#[test]
fn a_teacher_finds_what_a_few_examples_do_not_tell() {
    let mut task = numbers();
    let db = task.database().unwrap();
    let target = task.target.name;
    let examiner = ExaminerParams {
        first_examples: 4,
        test_examples: 40,
        max_counterexamples: 2,
        ..ExaminerParams::default()
    };
    let mut teacher = Examiner::new(&db, &task.bias, Numbers { next: 3, target }, examiner);
    let mut params = params(Strategy::Deepening, false);
    params.bounds.min_positives = 1;
    let problem = Problem::with_database(&task, &db);
    let taught = active::learn(&problem, &params, 10, &mut teacher, &mut NoProgress).unwrap();
    assert_eq!(taught.learned.stop, Stop::Complete);
    assert_eq!(
        theory(&task, &taught.learned.clauses),
        ["good(A) :- divides(2,A), divides(3,A)."]
    );
    assert!(taught.rounds > 1, "the first examples do not say all");
    assert_eq!(teacher.drawn().len(), 4 + 40 * taught.rounds);
}

#[test]
fn held_out_examples_are_given_once() {
    let mut task = numbers();
    for n in 0..64 {
        let atom = Atom::new(task.target.name, [Term::int(n)]);
        let is_good = n % 6 == 0;
        let side = if is_good {
            &mut task.positive
        } else {
            &mut task.negative
        };
        side.push(atom);
    }
    let db = task.database().unwrap();
    let sampler = active::HeldOut::new(&task, 5);
    let in_order = (task.positive.iter()).chain(&task.negative);
    let drawn = sampler.0.iter().map(|example| &example.atom);
    assert!(!drawn.eq(in_order), "in a random order");
    let examiner = ExaminerParams {
        first_examples: 4,
        max_counterexamples: 2,
        ..ExaminerParams::default()
    };
    let mut teacher = Examiner::new(&db, &task.bias, sampler, examiner);
    let params = params(Strategy::Deepening, true);
    let mut empty = task.clone();
    (empty.positive, empty.negative) = Default::default();
    let problem = Problem::with_database(&empty, &db);
    let taught = active::learn(&problem, &params, 20, &mut teacher, &mut NoProgress).unwrap();
    assert_eq!(taught.learned.stop, Stop::Complete);
    assert_eq!(
        theory(&task, &taught.learned.clauses),
        ["good(A) :- divides(3,A), divides(2,A)."]
    );
    let mut given = taught.received.concat();
    let n_given = given.len();
    given.sort();
    given.dedup();
    assert_eq!(given.len(), n_given, "no example is given twice");
    let (first, last) = (
        &teacher.drawn()[..4 + 60],
        teacher.drawn().len() - (64 - n_given),
    );
    let mut atoms: Vec<&Atom> = first.iter().map(|example| &example.atom).collect();
    atoms.sort();
    atoms.dedup();
    assert_eq!(atoms.len(), 64, "the first test is on all that are left");
    let known = taught.received.concat();
    let last = &teacher.drawn()[last..];
    assert!(last.iter().all(|example| !known.contains(&example.atom)));
    let mut none = active::HeldOut::new(&empty, 1);
    assert_eq!((none.n_fresh(), none.draw().is_err()), (0, true));
    assert_eq!(
        Examiner::new(&db, &task.bias, none, examiner).test(&[]),
        Ok(Verdict::default())
    );
}

/// Someone who throws out everything, and then leaves.
struct StrictTeacher(usize);

impl Teacher for StrictTeacher {
    fn examples(&mut self) -> Result<Vec<LabeledExample>, TeacherError> {
        Ok(Vec::new())
    }

    fn test(&mut self, rules: &[Clause]) -> Result<Verdict, TeacherError> {
        if self.0 == 0 {
            return Err(TeacherError::Gone("it hung up".into()));
        }
        self.0 -= 1;
        Ok(Verdict {
            is_kept: vec![false; rules.len()],
            counterexamples: Vec::new(),
        })
    }
}

#[test]
fn only_rules_that_pass_are_returned_and_a_teacher_may_be_gone() {
    let mut task = trains(&many_cars());
    let problem = Problem::new(&mut task).unwrap();
    let params = params(Strategy::Greedy, true);
    let taught =
        active::learn(&problem, &params, 5, &mut StrictTeacher(1), &mut NoProgress).unwrap();
    assert_eq!(taught.learned.clauses, []);
    assert!(!taught.learned.searches.is_empty());
    let error =
        active::learn(&problem, &params, 5, &mut StrictTeacher(0), &mut NoProgress).unwrap_err();
    assert!(matches!(error, ActiveError::Teacher(_)));
    assert_eq!(error.to_string(), "the teacher is gone: it hung up");
}
