use super::{Conjunction, Join, Proof, ProverError, TabledProver};
use crate::term::{Literal, Term, Var};

/// Goals after which a conjunction is proved in parts instead: in some states there are so many
/// answers that trying all combinations takes too long.
const WHOLE_STEPS: u64 = 500;

/// A conjunction made ready for a [`TabledProver`], to be tried with many values: as a [`Join`], and
/// as a [`Conjunction`] in parts where that takes too long. What holds for both of them holds for it.
#[derive(Debug)]
pub struct Trial<'d> {
    whole: Join<'d>,
    parts: Conjunction,
}

impl<'d> TabledProver<'d> {
    /// Makes a conjunction ready; `given` are the variables that will have values.
    ///
    /// # Errors
    /// [`ProverError::NotCallable`] for a number as a goal.
    pub fn trial(&mut self, goals: &[Literal], given: &[Var]) -> Result<Trial<'d>, ProverError> {
        Ok(Trial {
            whole: self.join(goals, given)?,
            parts: self.conjunction(goals, given)?,
        })
    }

    /// Searches for a proof with the values of the variables that were said to be given.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn try_with(
        &mut self,
        trial: &mut Trial<'d>,
        given: &[(Var, Term)],
    ) -> Result<Proof, ProverError> {
        let steps = WHOLE_STEPS.min(self.prover.limits.steps);
        match self.test(&trial.whole, given, steps)? {
            Some(true) => Ok(Proof::Proved),
            Some(false) => Ok(Proof::Refuted),
            None => self.prove_all(&mut trial.parts, given),
        }
    }
}
