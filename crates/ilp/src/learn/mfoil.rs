//! mFoil: top-down beam search guided by estimated accuracy.
//!
//! Like Foil it builds clause after clause from the head downwards, but a literal is judged by the
//! accuracy that the clause can be expected to have, estimated by the Laplace formula or by the
//! m-estimate, the best few clauses are kept instead of one, and a clause only counts if its
//! distribution of examples is significantly other than that of all of them. This takes few
//! examples and tolerates noise.
//!
//! # Source
//! Džeroski and Bratko 1992, Handling noise in inductive logic programming, as Morales 1992,
//! section 8.4.2, describes it; the significance is that of Clark and Niblett's CN2.

mod params;
mod search;
mod significance;

use kibitz_prolog::Limits;

pub use self::params::{Estimate, Mfoil};
use self::search::{PartialClause, Search};
use super::encode::encode;
use super::learner::steps_of_turn;
use super::proof_count::ProofCount;
use super::{Hypothesis, LearnError, Learner, Progress, Reach, Stop};
use crate::eval::decode;

/// Search steps of the first turn beside other learners.
const STEPS_OF_FIRST_TURN: u64 = 20_000;

impl Learner for Mfoil {
    fn name(&self) -> &'static str {
        "mfoil"
    }

    /// Needs positive and negative examples, and background that can be listed.
    fn learn(
        &self,
        problem: &crate::Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        learn(problem, self, progress)
    }

    fn in_turn(&self, turn: u32) -> Option<Box<dyn Learner>> {
        let max_steps = steps_of_turn(turn, STEPS_OF_FIRST_TURN, self.max_steps)?;
        Some(Box::new(Self { max_steps, ..*self }))
    }

    fn max_steps(&self) -> Option<u64> {
        Some(self.max_steps)
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn reach(&self, task: &crate::task::Task) -> Reach {
        Reach {
            equates_constants: true,
            ..Reach::of_bias(task)
        }
    }
}

fn learn(
    problem: &crate::Problem<'_>,
    params: &Mfoil,
    progress: &mut dyn Progress,
) -> Result<Hypothesis, LearnError> {
    params.check()?;
    let task = problem.task();
    let proofs = ProofCount::new(problem, params.limits);
    let problem = match encode(problem, params.limits, params.max_steps, progress)? {
        Ok(problem) => problem,
        Err(unlisted) => return Ok(unlisted.into()),
    };
    let mut search = Search::new(&problem, task, params, proofs);
    let (mut clauses, mut alternatives) = (Vec::new(), Vec::new());
    let stop = loop {
        if search.uncovered.is_clear() {
            break Stop::Complete;
        }
        if (task.bias.max_clauses).is_some_and(|max| clauses.len() >= max) {
            break Stop::ClauseLimit;
        }
        let (found, stop) = search.find_clause(progress)?;
        let [best, others @ ..] = &found[..] else {
            break stop.unwrap_or(Stop::NoMoreClauses);
        };
        let decoded = |partial: &PartialClause| decode(&problem, task.target.name, &partial.lits);
        let clause = decoded(best);
        let [positive, negative] = best.counts();
        progress.clause(&clause, &task.symbols, positive, negative);
        search.uncovered.difference_with(&best.covered[0]);
        search.places = search.termination.places(&best.lits, &search.places);
        clauses.push(clause);
        alternatives.push(others.iter().map(decoded).collect());
        if let Some(stop) = stop.filter(|_| !search.uncovered.is_clear()) {
            break stop;
        }
    };
    Ok(Hypothesis {
        alternatives,
        ..Hypothesis::new(clauses, stop, search.steps)
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use kibitz_prolog::print_clause;

    use super::*;
    use crate::learn::NoProgress;
    use crate::{Source, Task};

    fn task(examples: &str, facts: &str, bias: &str) -> Task {
        let source = |name, text| Source { name, text };
        Task::from_popper(
            source("exs.pl", examples),
            source("bk.pl", facts),
            source("bias.pl", bias),
        )
        .expect("valid")
    }

    fn run(task: &mut Task, params: &Mfoil) -> (Hypothesis, Vec<String>) {
        let problem = crate::Problem::new(task).expect("valid");
        let learned = params.learn(&problem, &mut NoProgress).expect("learned");
        let texts = learned.clauses.iter();
        let texts = texts.map(|clause| print_clause(clause, &problem.task().symbols).to_string());
        let texts = texts.collect();
        (learned, texts)
    }

    #[test]
    fn new_variables_are_joined() {
        let mut examples = String::new();
        let mut facts = String::new();
        for i in 0..8 {
            let (a, b, c) = (3 * i, 3 * i + 1, 3 * i + 2);
            let _ = write!(
                examples,
                "pos(gf({a},{c})). neg(gf({a},{b})). neg(gf({c},{a})). "
            );
            let _ = write!(facts, "f({a},{b}). f({b},{c}). ");
        }
        let mut task = task(&examples, &facts, "head_pred(gf,2). body_pred(f,2).");
        let (learned, text) = run(&mut task, &Mfoil::default());
        assert_eq!(text, ["gf(A,B) :- f(A,C), f(C,B)."]);
        assert_eq!(learned.stop, Stop::Complete);
        assert_eq!(learned.alternatives.len(), 1);
        assert!(learned.alternatives[0].len() < Mfoil::default().beam);
    }

    /// One wrong label among forty does not make a clause of its own, and without significance and
    /// with an estimate that trusts every example it does.
    #[test]
    fn noise_is_not_learned() {
        let mut examples = "pos(p(50)). ".to_owned();
        let mut facts = "odd(50). ".to_owned();
        for i in 0..20 {
            let _ = write!(examples, "pos(p({i})). neg(p({})). ", i + 20);
            let _ = write!(facts, "small({i}). large({}). ", i + 20);
        }
        facts += "large(50). small(60).";
        let bias = "head_pred(p,1). body_pred(small,1). body_pred(large,1). body_pred(odd,1).";
        let mut task = task(&examples, &facts, bias);
        let (learned, text) = run(&mut task, &Mfoil::default());
        assert_eq!(text, ["p(A) :- small(A)."]);
        assert_eq!(learned.stop, Stop::NoMoreClauses);
        let trusting = Mfoil {
            estimate: Estimate::M(0.0),
            significance: 0.0,
            ..Mfoil::default()
        };
        let (learned, text) = run(&mut task, &trusting);
        assert_eq!(text, ["p(A) :- small(A).", "p(A) :- odd(A)."]);
        assert_eq!(learned.stop, Stop::Complete);
    }

    #[test]
    fn limits_end_the_search_with_what_there_is() {
        let mut task = task(
            "pos(p(1)). pos(p(2)). neg(p(3)). neg(p(4)).",
            "q(1). q(2). r(2). r(3).",
            "head_pred(p,1). body_pred(q,1). body_pred(r,1).",
        );
        let params = Mfoil {
            significance: 0.5,
            max_steps: 0,
            ..Mfoil::default()
        };
        let (learned, text) = run(&mut task, &params);
        assert_eq!((learned.stop, text.len()), (Stop::OutOfSteps, 0));
        let (_, text) = run(
            &mut task,
            &Mfoil {
                max_steps: 9,
                ..params
            },
        );
        assert_eq!(text, ["p(A) :- q(A)."]);
        let problem = crate::Problem::new(&mut task).expect("valid");
        for (params, name) in [
            (Mfoil { beam: 0, ..params }, "beam"),
            (
                Mfoil {
                    significance: 1.0,
                    ..params
                },
                "significance",
            ),
            (
                Mfoil {
                    estimate: Estimate::M(-1.0),
                    ..params
                },
                "estimate",
            ),
        ] {
            let error = params.learn(&problem, &mut NoProgress).expect_err("wrong");
            assert!(error.to_string().starts_with(name), "{error}");
        }
    }
}
