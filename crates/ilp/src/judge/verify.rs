//! Checking a printed theory against the examples, independently of the learner that found it.

use kibitz_prolog::{
    Clause, Coverage, Evaluator, Limits, ProverError, ReadErrors, SymbolTable, print_clause,
    read_clauses,
};
use thiserror::Error;

use crate::problem::Problem;

/// Coverage of a theory on the examples of a task, by proof.
#[derive(Clone, Debug)]
pub struct VerifiedCoverage {
    /// The theory as Prolog text, one clause a line.
    pub text: String,
    /// Coverage clause by clause; clauses of other predicates than the target cover nothing.
    pub clauses: Vec<Coverage>,
    /// Coverage of the theory.
    pub total: Coverage,
}

/// Why a theory could not be verified.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The printed theory does not read back.
    #[error("the printed theory cannot be read back: {0}")]
    Read(#[from] ReadErrors),
    /// It reads back as something else.
    #[error("the printed theory reads back as a different theory")]
    Different,
    /// It cannot be carried out.
    #[error(transparent)]
    Prover(#[from] ProverError),
}

impl Problem<'_> {
    /// Prints clauses, reads the text back, and proves every example with what was read.
    ///
    /// # Errors
    /// [`VerifyError`] if the text is not the theory, or cannot be carried out.
    pub fn verify(
        &self,
        theory: &[Clause],
        limits: Limits,
    ) -> Result<VerifiedCoverage, VerifyError> {
        verify(self, theory, &self.task().symbols, limits, &mut || true)
    }
}

/// Verifies clauses over symbols that may be more than those of the task, by the proofs that there is
/// time for.
pub(crate) fn verify(
    problem: &Problem<'_>,
    theory: &[Clause],
    symbols: &SymbolTable,
    limits: Limits,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<VerifiedCoverage, VerifyError> {
    let mut text = String::new();
    for clause in theory {
        text.push_str(&print_clause(clause, symbols).to_string());
        text.push('\n');
    }
    // Nothing may be read that the table does not know.
    let mut symbols = symbols.clone();
    let read = read_clauses(&text, &mut symbols)?;
    if read.len() != theory.len() || !read.iter().zip(theory).all(|(a, b)| *a == b.normalized()) {
        return Err(VerifyError::Different);
    }
    let task = problem.task();
    let (positive, negative) = (&task.positive[..], &task.negative[..]);
    let mut evaluator = Evaluator::new(problem.database(), limits, positive, negative);
    let clauses = evaluator.theory_while(&read, keep_going)?;
    let mut total = Coverage::nothing(positive.len(), negative.len());
    for coverage in &clauses {
        total.union(coverage);
    }
    Ok(VerifiedCoverage {
        text,
        clauses,
        total,
    })
}
