//! Joins that go on component by component where they take too long.

use super::{Conjunction, Join, TabledProver};
use crate::prover::{Proof, ProverError};
use crate::term::{Literal, Term, Var};

/// Goals after which a join is given up: goals with many answers have too many combinations.
const MAX_JOIN_STEPS: u64 = 500;

/// A conjunction compiled for a [`TabledProver`], to be proved for many values of its given
/// variables: as a [`Join`] first, and where that takes too long component by component, as a
/// [`Conjunction`]. Its goals are restricted as for both of them.
#[derive(Debug)]
pub struct AdaptiveJoin<'d> {
    join: Join<'d>,
    components: Conjunction,
}

impl<'d> TabledProver<'d> {
    /// Compiles a conjunction; `given` are the variables that will have values.
    ///
    /// # Errors
    /// [`ProverError::NotCallable`] for a number as a goal.
    pub fn adaptive_join(
        &mut self,
        goals: &[Literal],
        given: &[Var],
    ) -> Result<AdaptiveJoin<'d>, ProverError> {
        Ok(AdaptiveJoin {
            join: self.join(goals, given)?,
            components: self.conjunction(goals, given)?,
        })
    }

    /// Searches for a proof with these values of the given variables.
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn prove_adaptively(
        &mut self,
        conjunction: &mut AdaptiveJoin<'d>,
        given: &[(Var, Term)],
    ) -> Result<Proof, ProverError> {
        let steps = MAX_JOIN_STEPS.min(self.prover.limits.steps);
        match self.test(&conjunction.join, given, steps)? {
            Some(true) => Ok(Proof::Proved),
            Some(false) => Ok(Proof::Refuted),
            None => self.prove_all(&mut conjunction.components, given),
        }
    }
}
