//! Any task can be learned from with a small budget, and what is learned can be verified.
#![no_main]

use kibitz_fuzz::LIMITS;
use kibitz_ilp::learn::{Progress, foil, golem};
use kibitz_ilp::{VerifyError, verify};
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
    let Ok(db) = task.database() else {
        return;
    };
    let mut params = foil::FoilParams::default();
    (params.max_steps, params.limits) = (500, LIMITS);
    let by_foil = foil::learn(&task, &db, &params, &mut Budget(500));
    let mut params = golem::GolemParams::default();
    (params.max_steps, params.pairs, params.limits) = (50, 5, LIMITS);
    let by_golem = golem::learn(&task, &db, &params, &mut Budget(200));
    for learned in [by_foil, by_golem].into_iter().flatten() {
        match verify(&task, &db, &learned.clauses, LIMITS) {
            Ok(_) | Err(VerifyError::Prover(_)) => {}
            Err(other) => panic!("{other}"),
        }
    }
});
