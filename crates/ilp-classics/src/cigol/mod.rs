//! Cigol: truncation, absorption and intra-construction, operators that invert resolution.
//!
//! They are judged by how much shorter they make the theory, and by a user.
//!
//! # Source
//! Muggleton and Buntine 1988; Morales 1992, sections 4.5.1.2 and 5.2.4 (the example-order
//! demonstration).

mod dialogue;
mod operators;

use kibitz_ilp::Problem;
use kibitz_ilp::learn::{Hypothesis, LearnError, Learner, Progress, Stop};
use kibitz_prolog::{Clause, Limits, Proof, Prover};

pub use dialogue::Dialogue;

/// Cigol on the positive examples of a task, in their order. It does not use the background.
pub struct Cigol<'u> {
    /// Judges the clauses of each step that makes the theory shorter.
    pub user: Box<dyn User + 'u>,
    /// Maximum number of steps considered.
    pub max_steps: u64,
}

/// A judge of Cigol's clauses.
pub trait User {
    /// Whether clauses may be added to a theory: one, or those of an intra-construction together. By
    /// default: if the theory can be shown to cover no negative example of the problem then.
    ///
    /// # Errors
    /// [`LearnError`] if the clauses cannot be carried out.
    fn accepts(
        &self,
        added: &[Clause],
        theory: &[Clause],
        problem: &Problem<'_>,
    ) -> Result<bool, LearnError> {
        let clauses = [added, theory].concat();
        let mut prover = Prover::new(problem.database(), JUDGED);
        let prepared = prover.prepare(&clauses)?;
        prover.load(&prepared);
        for example in &problem.task().negative {
            for clause in 0..clauses.len() {
                if prover.covers(&prepared, clause, example)? != Proof::Refuted {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// Limits of a proof by which clauses are judged; a clause not decided within them is rejected.
const JUDGED: Limits = Limits {
    steps: 50_000,
    depth: 500,
    memory: 1 << 30,
};

/// Accepts clauses if the theory with them covers no negative example.
#[derive(Clone, Copy, Debug, Default)]
pub struct NegativesUser;

impl User for NegativesUser {}

impl Default for Cigol<'_> {
    fn default() -> Self {
        Self {
            user: Box::new(NegativesUser),
            max_steps: 100_000,
        }
    }
}

impl std::fmt::Debug for Cigol<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Cigol");
        shown
            .field("max_steps", &self.max_steps)
            .finish_non_exhaustive()
    }
}

impl Learner for Cigol<'_> {
    fn name(&self) -> &'static str {
        "cigol"
    }

    /// Needs positive examples, and for the default user negative ones.
    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        let task = problem.task();
        if task.positive.is_empty() {
            return Err(LearnError::NoPositives);
        }
        let stem = format!("part_of_{}", task.symbols.name(task.target.name));
        let mut dialogue = Dialogue::inventing(task.symbols.clone(), &stem);
        let (mut steps, mut stop, mut failure) = (0, Stop::Complete, None);
        for example in &task.positive {
            dialogue.tell(example.clone());
            let goes_on = &mut || {
                if steps >= self.max_steps {
                    stop = Stop::OutOfSteps;
                } else if !progress.keep_going() {
                    stop = Stop::Interrupted;
                }
                steps += u64::from(stop == Stop::Complete);
                stop == Stop::Complete
            };
            dialogue.generalize_while(goes_on, |added, theory| {
                let judged = self.user.accepts(added, theory, problem);
                judged.unwrap_or_else(|error| {
                    failure.get_or_insert(error);
                    false
                })
            });
            if let Some(error) = failure {
                return Err(error);
            }
            if stop != Stop::Complete {
                break;
            }
        }
        let mut learned = Hypothesis::new(dialogue.theory().to_vec(), stop, steps);
        learned.invented = dialogue.invented();
        Ok(learned)
    }
}

#[cfg(test)]
mod tests;
