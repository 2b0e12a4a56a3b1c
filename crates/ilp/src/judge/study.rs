//! What is done with a task.

use kibitz_prolog::{Atom, Clause, Limits, ProverError};
use kibitz_text::Diagnostic;

use super::explain::explain;
use super::explanation::Explanation;
use super::theory::Theory;
use super::theory_error::{TheoryError, diagnostic_of};
use crate::learn::{Learner, NoProgress, Progress, Remark};
use crate::problem::Problem;
use crate::task::Task;

/// What is done with a [`Task`]: a theory is learned, and its answers are explained.
pub trait Study {
    /// Learns a definition of the target and verifies it by proof.
    ///
    /// # Errors
    /// [`TheoryError`] if the background cannot be compiled, the learner fails, or its clauses cannot
    /// be verified.
    fn learn(&mut self, learner: &dyn Learner) -> Result<Theory, TheoryError> {
        self.learn_with(learner, &mut NoProgress)
    }

    /// The same, watched by a [`Progress`], which may end the search.
    ///
    /// # Errors
    /// As [`Study::learn`].
    fn learn_with(
        &mut self,
        learner: &dyn Learner,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Theory, TheoryError>;

    /// Explains why clauses, with the background, cover an example or do not.
    ///
    /// # Errors
    /// [`ProverError`] for clauses or background that cannot be carried out.
    fn explain(
        &self,
        theory: &[Clause],
        example: &Atom,
        limits: Limits,
    ) -> Result<Explanation, ProverError>;

    /// A remark about the background as a warning, with the clause at fault and, if the task was read
    /// from files, its place.
    fn diagnostic_of(&self, remark: &Remark) -> Diagnostic;
}

impl Study for Task {
    fn learn_with(
        &mut self,
        learner: &dyn Learner,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Theory, TheoryError> {
        match self.database() {
            Ok(database) => Problem::with_database(self, &database).learn(learner, progress),
            Err(error) => Err(TheoryError::before(self, error)),
        }
    }

    fn explain(
        &self,
        theory: &[Clause],
        example: &Atom,
        limits: Limits,
    ) -> Result<Explanation, ProverError> {
        explain(self, theory, example, limits)
    }

    fn diagnostic_of(&self, remark: &Remark) -> Diagnostic {
        diagnostic_of(self, remark)
    }
}
