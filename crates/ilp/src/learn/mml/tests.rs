//! Small spaces enumerated whole, and messages of printed theories counted again.

mod definition;

use std::fmt::Write as _;

use kibitz_prolog::Limits;
use proptest::prelude::*;

use self::definition::{assert_counted, counted_anew, shortest};
use super::masses::Masses;
use super::message::Code;
use super::{Criterion, Mml, Noise};
use crate::learn::{Auto, ClosedWorld, Foil, Learner, NoProgress, Stop};
use crate::{Problem, Source, Study, Task};

fn task(examples: &str, background: &str, bias: &str) -> Task {
    let source = |name, text| Source { name, text };
    Task::from_popper(
        source("exs.pl", examples),
        source("bk.pl", background),
        source("bias.pl", bias),
    )
    .expect("a task")
}

const BIAS: &str = "head_pred(p,2). body_pred(e,2). body_pred(f,1). max_vars(2).";

/// Labels of pairs of numbers below `n`, with edges and marks.
fn pairs_task(n: usize, edges: &[(usize, usize)], marks: &[usize], labels: &[bool]) -> Task {
    let (mut examples, mut facts) = (String::new(), "e(90,91). f(92).\n".to_owned());
    for x in 0..n {
        for y in 0..n {
            let side = if labels[x * n + y] { "pos" } else { "neg" };
            let _ = writeln!(examples, "{side}(p({x},{y})).");
        }
    }
    for (x, y) in edges {
        let _ = writeln!(facts, "e({x},{y}).");
    }
    for x in marks {
        let _ = writeln!(facts, "f({x}).");
    }
    task(&examples, &facts, BIAS)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_theory_of_a_small_space_is_shorter(
        edges in prop::collection::vec((0usize..6, 0usize..6), 4..14),
        marks in prop::collection::vec(0usize..6, 1..4),
        flips in prop::collection::vec(0usize..36, 0..5),
        rule in 0usize..4,
        is_mdl in any::<bool>(),
    ) {
        let n = 6;
        let e = |x: usize, y: usize| edges.contains(&(x, y));
        let f = |x: usize| marks.contains(&x);
        let mut labels: Vec<bool> = (0..n * n).map(|i| {
            let (x, y) = (i / n, i % n);
            match rule {
                0 => e(x, y),
                1 => e(x, y) || f(x),
                2 => f(x) && f(y) || e(y, x),
                _ => x == y || e(x, y) && f(y),
            }
        }).collect();
        for i in &flips {
            labels[*i] = !labels[*i];
        }
        prop_assume!(labels.contains(&true) && labels.contains(&false));
        let criterion = if is_mdl { Criterion::Mdl } else { Criterion::Mml };
        let mut own = pairs_task(n, &edges, &marks, &labels);
        let mml = Mml { criterion, ..Mml::default() };
        let theory = own.learn(&mml).expect("learned");
        let message = theory.message().expect("a message").clone();
        let least = shortest(criterion, n, &edges, &marks, &labels);
        prop_assert!(message.total() <= least + 1e-6, "{} {}", least, theory);
        prop_assert!(message.least <= least + 1e-6, "{} {}", least, theory);
        prop_assert!((counted_anew(&mut own, &theory.text, &message) - message.total()).abs() < 1e-6, "{}", theory);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever learned the clauses: a message that is shown is that of the printed theory.
    #[test]
    fn a_message_is_that_of_the_printed_theory(
        edges in proptest::collection::vec((0..6usize, 0..6usize), 0..12),
        marks in proptest::collection::vec(0..6usize, 0..4),
        concept in 0..4u8,
        flips in proptest::collection::vec(0..36usize, 0..8),
        is_repaired in any::<bool>(),
    ) {
        let e = |x, y| edges.contains(&(x, y));
        let f = |x| marks.contains(&x);
        let mut labels: Vec<bool> = (0..36).map(|i| {
            let (x, y) = (i / 6, i % 6);
            match concept {
                0 => e(x, y),
                1 => e(x, y) || f(x),
                2 => f(x) && f(y) || e(y, x),
                _ => (x < 3) != f(y),
            }
        }).collect();
        for i in &flips {
            labels[*i] = !labels[*i];
        }
        prop_assume!(labels.contains(&true) && labels.contains(&false));
        let mut own = pairs_task(6, &edges, &marks, &labels);
        let auto = Auto {
            learners: vec![Box::new(Foil::default()), Box::new(Mml::default())],
            folds: 5,
            patience: None,
            seed: 1,
            limits: Limits::default(),
        };
        let theory = if is_repaired {
            own.learn(&ClosedWorld::new(Mml::default()))
        } else {
            own.learn(&auto)
        };
        let theory = theory.expect("learned");
        if let Some(message) = theory.message().cloned() {
            let anew = counted_anew(&mut own, &theory.text, &message);
            prop_assert!((anew - message.total()).abs() < 1e-6, "{} {}", anew, theory);
        }
    }
}

#[test]
fn whoever_changes_the_clauses_has_no_message() {
    let mut task = trains(&[3]);
    let problem = Problem::new(&mut task).expect("valid");
    let mut learned = Mml::default()
        .learn(&problem, &mut NoProgress)
        .expect("learned");
    assert!(learned.message().is_some());
    // Told by others, these clauses have their message as long as they are verified on its examples.
    let theory = problem.theory("other", learned.clone(), Limits::default());
    assert!(theory.expect("a theory").message().is_some());
    let mut others = problem.task().clone();
    others.negative.pop();
    let fewer = Problem::with_database(&others, problem.database());
    let theory = fewer.theory("mml", learned.clone(), Limits::default());
    assert!(theory.expect("a theory").message().is_none());
    let literal = learned.clauses[0].body.pop();
    assert!(learned.message().is_none());
    learned.clauses[0].body.extend(literal);
    assert!(learned.message().is_some());
}

const TRAINS: &str =
    "head_pred(east,1). body_pred(has_car,2). body_pred(next,2). body_pred(short,1).
     body_pred(closed,1). type(east,(train,)). type(has_car,(train,car)). type(next,(car,car)).
     type(short,(car,)). type(closed,(car,)).";

/// Trains of three cars; a car is short by the first bit of its digit in base four, closed by the
/// second. Some labels are wrong.
fn trains(wrong: &[usize]) -> Task {
    let (mut examples, mut facts) = (String::new(), String::new());
    for train in 0..64usize {
        let cars: [usize; 3] = std::array::from_fn(|i| train >> (2 * i) & 3);
        // A short car before a closed one.
        let is_east = (0..2).any(|i| cars[i] & 1 == 1 && cars[i + 1] & 2 == 2);
        let side = if is_east == wrong.contains(&train) {
            "neg"
        } else {
            "pos"
        };
        let _ = writeln!(examples, "{side}(east(t{train})).");
        for (i, car) in cars.iter().enumerate() {
            let _ = writeln!(facts, "has_car(t{train},c{train}_{i}).");
            if i < 2 {
                let _ = writeln!(facts, "next(c{train}_{i},c{train}_{}).", i + 1);
            }
            if car & 1 == 1 {
                let _ = writeln!(facts, "short(c{train}_{i}).");
            }
            if car & 2 == 2 {
                let _ = writeln!(facts, "closed(c{train}_{i}).");
            }
        }
    }
    task(&examples, &facts, TRAINS)
}

#[test]
fn a_chain_of_existential_variables_is_found_under_noise() {
    for wrong in [&[][..], &[3, 17, 40, 61]] {
        let mut task = trains(wrong);
        let theory = task.learn(&Mml::default()).expect("learned");
        let [_, fn_, _, fp] = theory.total.confusion();
        assert_eq!(theory.clauses.len(), 1, "{theory}");
        assert_eq!(fn_ + fp, wrong.len(), "{theory}");
        assert_counted(&mut task, &theory);
    }
}

#[test]
fn labels_alone_teach_nothing() {
    // Every other pair, whatever the relations say.
    let labels: Vec<bool> = (0..36).map(|i| i * 7 % 12 < 5).collect();
    let mut task = pairs_task(6, &[(0, 1), (2, 4), (3, 3)], &[5], &labels);
    let theory = task.learn(&Mml::default()).expect("learned");
    assert!(theory.clauses.is_empty(), "{theory}");
    assert_counted(&mut task, &theory);
}

#[test]
fn without_noise_no_negative_example_is_covered() {
    let mut task = trains(&[3, 17]);
    let exact = Mml {
        noise: Noise::None,
        ..Mml::default()
    };
    let theory = task.learn(&exact).expect("learned");
    let [_, _, _, fp] = theory.total.confusion();
    assert_eq!(fp, 0, "{theory}");
}

#[test]
fn threads_change_nothing() {
    let learned = |n| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build();
        pool.expect("threads").install(|| {
            trains(&[3, 17, 40])
                .learn(&Mml::default())
                .expect("learned")
                .to_string()
        })
    };
    assert_eq!(learned(1), learned(4));
}

#[test]
fn limits_on_steps_are_told() {
    let few = Mml {
        max_steps: 10,
        ..Mml::default()
    };
    let theory = trains(&[]).learn(&few).expect("learned");
    assert_eq!(theory.stop, Stop::OutOfSteps);
}

#[test]
fn positive_examples_are_enough() {
    let mut task = trains(&[]);
    task.negative.clear();
    let theory = task.learn(&Mml::default()).expect("learned");
    let own = trains(&[]);
    let mut own_task = own.clone();
    let problem = Problem::new(&mut own_task).expect("valid");
    let verified = problem
        .verify(&theory.clauses, Limits::default())
        .expect("valid");
    let [tp, fn_, tn, fp] = verified.total.confusion();
    assert!(fn_ == 0 && fp * 10 < tp + tn, "{theory}");
}

/// Weights of 1, 2 and 5 on either side.
fn weighted_task() -> Task {
    let (mut examples, mut facts) = (String::new(), String::new());
    for i in 0..12 {
        let weight = [1, 2, 5][i % 3];
        let _ = write!(examples, "pos(t(p{i}), {weight}). neg(t(n{i}), {weight}). ");
        let _ = write!(facts, "q(p{i}). q(n{}). ", i / 4);
    }
    let source = |name, text| Source { name, text };
    Task::from_popper(
        source("exs.pl", &examples),
        source("bk.pl", &facts),
        source("bias.pl", "head_pred(t,1). body_pred(q,1)."),
    )
    .expect("a task")
}

#[test]
fn weighted_labels_take_least_at_a_corner_and_as_many_bits_as_examples() {
    let task = weighted_task();
    let masses = Masses::of(&task).expect("weights that differ");
    assert_eq!(masses.all, [32, 32]);
    let n = [task.positive.len(), task.negative.len()];
    for (criterion, is_sample) in [
        (Criterion::Mml, false),
        (Criterion::Mdl, false),
        (Criterion::Mml, true),
    ] {
        let plain = Code::new(criterion, Noise::Learned, n, is_sample);
        let code = plain.clone().with_masses(Some(&masses));
        // All together count for as many as there are.
        for (all, own) in [
            ([0, 0], [0, 0]),
            (n, masses.all),
            ([n[0], 0], [masses.all[0], 0]),
        ] {
            let bits = [plain.labels(all[0], all[1]), code.labels(own[0], own[1])];
            assert!((bits[0] - bits[1]).abs() < 1e-6, "{bits:?}");
        }
        let ends = [0, 3, 10, 17, 32];
        for [p0, q0] in ends.map(|p| ends.map(|q| [p, q])).concat() {
            let most = [32, 30];
            let least = code.least_labels([p0.min(most[0]), q0.min(most[1])], most);
            for p in p0..=most[0] {
                for q in q0..=most[1] {
                    assert!(code.labels(p, q) >= least - 1e-9, "{p} {q}");
                }
            }
        }
    }
}

/// What is proved to be shortest by weight is what a task with each example as often as its weight has, but
/// for the scale.
#[test]
fn weights_are_copies_on_another_scale() {
    let mut task = weighted_task();
    let weighed = task.learn(&Mml::default()).expect("learned");
    let [mut positive, mut negative] = [Vec::new(), Vec::new()];
    let sides = [
        (&task.positive, &mut positive),
        (&task.negative, &mut negative),
    ];
    for (examples, copies) in sides {
        for (example, n) in examples.iter().zip([1, 2, 5].into_iter().cycle()) {
            copies.extend(std::iter::repeat_n(example.clone(), n));
        }
    }
    let mut copied = task.with_examples([positive, negative]);
    copied.weights = crate::task::Weights::default();
    let copied = copied.learn(&Mml::default()).expect("learned");
    assert_eq!(weighed.text, copied.text);
    assert_eq!(weighed.text, "t(A) :- q(A).\n");
    // Counts stay counts.
    assert_eq!(weighed.total.confusion(), [12, 0, 9, 3]);
    let message = weighed.message().expect("the message of these clauses");
    assert!(message.total() < message.empty, "{weighed}");
    assert!(message.least <= message.total(), "{weighed}");
}
