//! Closed-world specialization, and learned theories under the laws all learners obey.

use crate::common;

use kibitz_ilp::learn::{NoProgress, closed_world, foil, golem, mfoil};
use kibitz_ilp::{Clause, Database, Limits, Source, Task, read_clauses, verify};

fn krk(n: usize, seed: u64) -> Task {
    let (examples, facts) = (
        common::popper_examples(&common::positions(n, seed)),
        common::board_facts(),
    );
    Task::from_popper(
        Source {
            name: "exs.pl",
            text: &examples,
        },
        Source {
            name: "bk.pl",
            text: &facts,
        },
        Source {
            name: "bias.pl",
            text: common::POPPER_BIAS,
        },
    )
    .expect("valid")
}

#[test]
fn exceptions_make_the_rook_clauses_correct() {
    // Bain's definition: the over-general clauses of the thesis, section 6.1, and what is found out
    // about the white king between rook and black king.
    let mut task = krk(6_000, 5);
    let theory = read_clauses(
        "illegal(A,B,C,D,C,E). illegal(A,B,C,D,E,D). illegal(A,B,A,B,C,D).
         illegal(A,B,C,D,E,F) :- adj(A,E), adj(B,F).",
        &mut task.symbols,
    )
    .expect("valid");
    let mut learner = |inner: &mut Task| {
        let db = inner.database()?;
        foil::learn(inner, &db, &foil::FoilParams::default(), &mut NoProgress)
    };
    let special = closed_world::specialize(&mut task, &theory, 2, &mut learner).expect("learned");
    let db = task.database().expect("valid");
    let before = verify(&task, &db, &theory, Limits::default())
        .expect("valid")
        .total;
    let verified = verify(&task, &db, &special, Limits::default()).expect("valid");
    let [_, fn_before, _, fp_before] = before.confusion();
    let [_, fn_, _, fp] = verified.total.confusion();
    assert_eq!(fn_before, 0);
    assert!(fp_before > 10);
    assert!(2 * (fn_ + fp) < fp_before, "{}", verified.text);
    assert!(
        verified
            .text
            .contains("illegal(A,B,C,D,C,E) :- \\+ exception_to_illegal(A,B,C,D,E).")
    );
}

/// That the clauses decide at most so many of 20,000 fresh positions wrongly.
fn assert_few_mistakes(mut task: Task, db: &Database, clauses: &[Clause], most: usize) {
    let fresh = krk(20_000, 18);
    task.positive = fresh.positive;
    task.negative = fresh.negative;
    let verified = verify(&task, db, clauses, Limits::default()).expect("valid");
    let [_, fn_, _, fp] = verified.total.confusion();
    assert!(fn_ + fp <= most, "{} wrong\n{}", fn_ + fp, verified.text);
}

#[test]
fn foil_is_right_on_fresh_positions() {
    let mut task = krk(6_000, 17);
    let db = task.database().expect("valid");
    let learned =
        foil::learn(&task, &db, &foil::FoilParams::default(), &mut NoProgress).expect("learned");
    assert_few_mistakes(task, &db, &learned.clauses, 20_000 / 200);
}

#[test]
fn golem_covers_no_negative() {
    for seed in [1, 2] {
        let mut task = krk(200, seed);
        let db = task.database().expect("valid");
        let params = golem::GolemParams {
            seed,
            ..golem::GolemParams::default()
        };
        let learned = golem::learn(&task, &db, &params, &mut NoProgress).expect("learned");
        let verified = verify(&task, &db, &learned.clauses, Limits::default()).expect("valid");
        let [tp, fn_, _, fp] = verified.total.confusion();
        assert_eq!(fp, 0, "{}", verified.text);
        assert!(tp > 5 * fn_, "{}", verified.text);
    }
}

#[test]
fn mfoil_is_mostly_right_on_fresh_positions() {
    let mut task = krk(500, 17);
    let db = task.database().expect("valid");
    let params = mfoil::MfoilParams::default();
    let learned = mfoil::learn(&task, &db, &params, &mut NoProgress).expect("learned");
    assert_few_mistakes(task, &db, &learned.clauses, 20_000 / 50);
}
