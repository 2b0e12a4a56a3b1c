use super::expand::{covers_as_pattern, equivalent_as_patterns};
use super::{Example, Generator, PalError};
use crate::prover::{Database, Limits, Proof, Prover};
use crate::term::{Clause, Constant, Literal, Term};

/// How an example came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was given.
    Given,
    /// The attribute exchanged first in all components.
    Exchanged,
    /// These arguments were changed.
    Perturbed(Vec<Generator>),
}

/// A teacher's answer about an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// An instance of the concept.
    Positive,
    /// No instance of the concept.
    Negative,
    /// Take the definition as it is.
    Stop,
}

/// A teacher's answer about a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Go on from here.
    Accept,
    /// Too general.
    Reject,
    /// This is it.
    Stop,
}

/// Whom the learner asks.
///
/// # Source
/// Morales 1992, sections 5.4.1 and appendix A: the user classifies every example and confirms
/// every definition.
pub trait Teacher {
    /// Is this state, named so in the background knowledge, an instance of the concept?
    ///
    /// # Errors
    /// If there is no answer.
    fn classify(
        &mut self,
        example: &Example,
        state: Constant,
        change: &Change,
    ) -> Result<Verdict, PalError>;

    /// Is this definition acceptable?
    ///
    /// # Errors
    /// If there is no answer.
    fn judge(&mut self, definition: &Clause) -> Result<Judgement, PalError>;

    /// Asked before each state that is looked at; `false` ends the search with what was learned.
    fn keep_going(&mut self) -> bool {
        true
    }
}

/// Answers from a target definition, as a user would who has it in mind.
///
/// A state is an instance if the target can be proved in it, with whatever components. A definition
/// is accepted if some clause of the target subsumes it, and final if it is equivalent to one; both
/// are seen through the definitions of the background predicates.
pub struct Oracle<'a> {
    prover: Prover<'a>,
    steps: u64,
    target: &'a [Clause],
    definitions: &'a [Clause],
}

impl std::fmt::Debug for Oracle<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Oracle").finish_non_exhaustive()
    }
}

impl<'a> Oracle<'a> {
    /// An oracle for a target whose clauses have the state as the last argument of the head.
    pub fn new(
        db: &'a Database,
        target: &'a [Clause],
        definitions: &'a [Clause],
        limits: Limits,
    ) -> Self {
        Self {
            prover: Prover::new(db, limits),
            steps: limits.steps,
            target,
            definitions,
        }
    }

    /// Whether some clause of the target holds in a state.
    ///
    /// # Errors
    /// If the target cannot be carried out.
    pub fn holds(&mut self, state: Constant) -> Result<bool, PalError> {
        holds_in(&mut self.prover, self.target, state, self.steps)
    }
}

impl Teacher for Oracle<'_> {
    fn classify(&mut self, _: &Example, state: Constant, _: &Change) -> Result<Verdict, PalError> {
        Ok(if self.holds(state)? {
            Verdict::Positive
        } else {
            Verdict::Negative
        })
    }

    fn judge(&mut self, definition: &Clause) -> Result<Judgement, PalError> {
        let definitions = self.definitions;
        let equivalent = |target| equivalent_as_patterns(target, definition, definitions);
        let special = |target| covers_as_pattern(target, definition, definitions);
        Ok(if self.target.iter().any(equivalent) {
            Judgement::Stop
        } else if self.target.iter().any(special) {
            Judgement::Accept
        } else {
            Judgement::Reject
        })
    }
}

/// Whether some clause of a definition holds in a state with whatever components.
pub(super) fn holds_in(
    prover: &mut Prover<'_>,
    clauses: &[Clause],
    state: Constant,
    steps: u64,
) -> Result<bool, PalError> {
    for clause in clauses {
        let goals = body_in(clause, state);
        match prover.prove_in_parts(&goals)? {
            Proof::Proved => return Ok(true),
            Proof::Refuted => {}
            _ => return Err(PalError::OutOfSteps(steps)),
        }
    }
    Ok(false)
}

/// The body of a clause in a state.
fn body_in(clause: &Clause, state: Constant) -> Vec<Literal> {
    let own = clause.head.args.last();
    let placed = clause.map_vars(&mut |var| {
        if own == Some(&Term::Var(var)) {
            Term::Const(state)
        } else {
            Term::Var(var)
        }
    });
    placed.normalized().body
}
