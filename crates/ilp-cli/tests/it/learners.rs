//! Closed-world specialization, and learned theories under the laws that hold for all learners.

use kibitz_ilp::learn::{ClosedWorld, Foil, Golem, Learner, Mfoil, NoProgress, Progress, Stop};
use kibitz_ilp::{Problem, Source, Study, Task};
use kibitz_ilp_cli::{Algorithm, Settings};
use kibitz_prolog::{Limits, read_clauses};

use crate::common;

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
    let closed_world = ClosedWorld {
        learner: Foil::default(),
        rounds: 2,
    };
    let special = closed_world.specialize(&mut task, &theory, &mut NoProgress);
    let (special, _) = special.expect("learned");
    let problem = Problem::new(&mut task).expect("valid");
    let verify = |theory| problem.verify(theory, Limits::default()).expect("valid");
    let before = verify(&theory).total;
    let verified = verify(&special);
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

/// That a learned theory decides at most `most` of 20,000 fresh positions wrongly.
fn assert_few_mistakes(mut task: Task, learner: &dyn Learner, most: usize) {
    let theory = task.learn(learner).expect("learned");
    let fresh = krk(20_000, 18);
    task.positive = fresh.positive;
    task.negative = fresh.negative;
    let problem = Problem::new(&mut task).expect("valid");
    let verified = problem.verify(&theory.clauses, Limits::default());
    let verified = verified.expect("valid");
    let [_, fn_, _, fp] = verified.total.confusion();
    assert!(fn_ + fp <= most, "{} wrong\n{}", fn_ + fp, verified.text);
}

#[test]
fn foil_is_right_on_fresh_positions() {
    assert_few_mistakes(krk(6_000, 17), &Foil::default(), 20_000 / 200);
}

#[test]
fn golem_covers_no_negative() {
    for seed in [1, 2] {
        let golem = Golem {
            seed,
            ..Golem::default()
        };
        let theory = krk(200, seed).learn(&golem).expect("learned");
        let [tp, fn_, _, fp] = theory.total.confusion();
        assert_eq!(fp, 0, "{theory}");
        assert!(tp > 5 * fn_, "{theory}");
    }
}

#[test]
fn mfoil_is_mostly_right_on_fresh_positions() {
    assert_few_mistakes(krk(500, 17), &Mfoil::default(), 20_000 / 50);
}

/// The page of learners has a row for each, as the list has it.
#[test]
fn the_page_lists_every_learner() {
    let page = std::fs::read_to_string("../../docs/learners.md").expect("read");
    for algorithm in Algorithm::ALL {
        let (name, how) = (algorithm.name(), algorithm.summary());
        let row = format!("| `{name}` | {how} | {} |\n", algorithm.needs());
        assert!(page.contains(&row), "{row}");
    }
}

/// A mistake in the background is reported with its place.
#[test]
fn errors_name_the_file_and_the_clause() {
    let files = [
        ("exs.pl", "pos(p(1)). neg(p(2))."),
        ("bk.pl", "q(1).\nr(X) :- s(X).\n"),
        ("bias.pl", "head_pred(p,1). body_pred(r,1)."),
    ];
    let folder = crate::command_line::folder(&files);
    let mut task = Task::from_dir(folder.path()).expect("a task");
    let error = task.learn(&Foil::default()).unwrap_err();
    insta::assert_snapshot!(error, @r"
    bk.pl:2:1: no predicate is left to learn with; r/1 cannot be asked: predicate s/1 is not defined
      in r(A) :- s(A).
    ");
    let clause = task.background[1].clone();
    let place = task.place_of(&clause).expect("a place");
    let excerpt = place.excerpt.as_ref().expect("a line");
    assert_eq!(
        (&*place.file, excerpt.line, excerpt.column),
        ("bk.pl", 2, 1)
    );
}

/// Stops a learner at once.
struct ImmediateStop;

impl Progress for ImmediateStop {
    fn keep_going(&mut self) -> bool {
        false
    }
}

/// There is no time for proofs.
struct LateStop;

impl Progress for LateStop {
    fn keep_verifying(&mut self) -> bool {
        false
    }
}

#[test]
fn proofs_that_there_is_no_time_for_are_undecided() {
    let mut task = krk(6_000, 1);
    let foil = Algorithm::Foil.learner(&Settings::default()).expect("foil");
    let theory = task.learn_with(&*foil, &mut LateStop).expect("a theory");
    let [tp, fn_, tn, fp] = theory.total.confusion();
    assert!(!theory.clauses.is_empty());
    assert_eq!(tp + fn_ + tn + fp, 6_000);
    // A thousand proofs are made before the first question.
    assert!(
        theory.total.left_out > 5_000 * (theory.clauses.len() - 1),
        "{theory}"
    );
    assert_eq!(theory.total.left_out, theory.total.undecided);
    assert_eq!(theory.stop, Stop::Interrupted);
    assert!(!theory.is_correct() && theory.message().is_none());
    assert!(theory.to_string().contains("were left out"), "{theory}");
}

#[test]
fn every_learner_can_be_stopped() {
    let mut task = krk(60, 1);
    for algorithm in Algorithm::ALL {
        let Ok(learner) = algorithm.learner(&Settings::default()) else {
            continue;
        };
        let theory = task
            .learn_with(&*learner, &mut ImmediateStop)
            .expect("a theory");
        assert_eq!(theory.stop, Stop::Interrupted, "{}", algorithm.name());
    }
}
