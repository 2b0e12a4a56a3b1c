//! Any task can be learned from with a small budget, and what is learned can be verified.
#![no_main]

use kibitz_fuzz::LIMITS;
use kibitz_ilp::learn::{Foil, Golem, Learner, Progress};
use kibitz_ilp::{Problem, VerifyError};
use libfuzzer_sys::fuzz_target;

/// Goes on for so many questions.
struct Budget(u32);

impl Progress for Budget {
    fn keep_going(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 > 0
    }
}

fuzz_target!(|text: &str| {
    let Some(Ok(mut task)) = kibitz_fuzz::task(text) else {
        return;
    };
    let Ok(problem) = Problem::new(&mut task) else {
        return;
    };
    let mut foil = Foil::default();
    (foil.max_steps, foil.limits) = (500, LIMITS);
    let by_foil = foil.learn(&problem, &mut Budget(500));
    let mut golem = Golem::default();
    (golem.max_steps, golem.pairs, golem.limits) = (50, 5, LIMITS);
    let by_golem = golem.learn(&problem, &mut Budget(200));
    for learned in [by_foil, by_golem].into_iter().flatten() {
        match problem.verify(&learned.clauses, LIMITS) {
            Ok(_) | Err(VerifyError::Prover(_)) => {}
            Err(other) => panic!("{other}"),
        }
    }
});
