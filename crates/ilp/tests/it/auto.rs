//! What `auto` promises: with a budget it is not worse than its best learner with a quarter of it, and takes
//! no more steps than all its learners with the whole.

use std::fmt::Write as _;

use kibitz_ilp::learn::{Auto, Foil, Learner, Lff, Mfoil, Mml};
use kibitz_ilp::{Problem, Source, Study, Task};
use kibitz_prolog::{Clause, Limits};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::{POPPER_BIAS, atom, board_facts, positions};

/// The steps of each learner, a quarter of the budget.
const QUARTER: u64 = 250_000;
const N_TEST: usize = 2_000;

/// Positions of king, rook and king, a share of them with wrong labels; and others to test on.
fn task(n: usize, noise: f64, seed: u64) -> Task {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut examples, mut test) = (String::new(), String::new());
    let mut all: Vec<(bool, [i64; 6])> = Vec::new();
    for (side, positions) in positions(n + N_TEST, seed).into_iter().enumerate() {
        all.extend(positions.into_iter().map(|own| (side == 0, own)));
    }
    while let Some(last) = all.len().checked_sub(1) {
        let (is_illegal, position) = all.swap_remove(rng.random_range(0..=last));
        let is_test = last >= n;
        let is_wrong = !is_test && rng.random_bool(noise);
        let side = if is_illegal == is_wrong { "neg" } else { "pos" };
        let text = if is_test { &mut test } else { &mut examples };
        let _ = write!(text, "{side}({}). ", atom(position));
    }
    let source = |name, text| Source { name, text };
    let mut task = Task::from_popper(
        source("exs.pl", &examples),
        source("bk.pl", &board_facts()),
        source("bias.pl", POPPER_BIAS),
    )
    .expect("a task");
    let name = "test.pl";
    task.test = (task.read_examples(Source { name, text: &test })).expect("examples");
    task
}

fn learners() -> Vec<Box<dyn Learner>> {
    let max_steps = QUARTER;
    vec![
        Box::new(Foil {
            max_steps,
            ..Foil::default()
        }),
        Box::new(Mml {
            max_steps,
            ..Mml::default()
        }),
        Box::new(Lff {
            max_steps,
            ..Lff::default()
        }),
        Box::new(Mfoil {
            max_steps,
            ..Mfoil::default()
        }),
    ]
}

/// The test examples that clauses are wrong about.
fn n_wrong(task: &mut Task, clauses: &[Clause]) -> usize {
    let mut tested = task.with_examples(task.test.clone());
    let problem = Problem::new(&mut tested).expect("compiles");
    let verified = problem.verify(clauses, Limits::default()).expect("proved");
    let [_, fn_, _, fp] = verified.total.confusion();
    fn_ + fp
}

#[test]
fn auto_is_not_worse_than_its_best_learner_with_a_quarter_of_its_steps() {
    let kinds = [
        (100, 0.0),
        (100, 0.05),
        (200, 0.0),
        (200, 0.05),
        (200, 0.1),
        (400, 0.1),
    ];
    let mut wrong = [0; 5];
    for (n, noise) in kinds {
        for seed in 1..=3 {
            let mut task = task(n, noise, seed);
            let auto = Auto {
                learners: learners(),
                folds: 5,
                seed: 1,
                patience: None,
                limits: Limits::default(),
            };
            let theory = task.learn(&auto).expect("learned");
            // The last of the steps of each turn may be a long one.
            let most = 4 * QUARTER * 4;
            assert!(theory.steps <= most + most / 50, "{}", theory.steps);
            wrong[0] += n_wrong(&mut task, &theory.clauses);
            for (i, learner) in learners().iter().enumerate() {
                let theory = task.learn(learner).expect("learned");
                wrong[1 + i] += n_wrong(&mut task, &theory.clauses);
            }
        }
    }
    let [auto, learners @ ..] = wrong;
    let best = learners.into_iter().min().expect("learners");
    assert!(auto <= best, "{wrong:?}");
}
