use std::cell::OnceCell;

use super::expand::Seen;
use super::{Example, Generator, PalError};
use crate::prover::{AdaptiveJoin, Database, Limits, Proof, TabledProver};
use crate::term::{Clause, Constant, Term, Var};

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
    db: &'a Database,
    limits: Limits,
    target: &'a [Clause],
    definitions: &'a [Clause],
    /// The target, once it was asked about a state.
    instances: Option<Instances<'a>>,
    /// The target, once it was compared with a definition.
    seen: OnceCell<Vec<Seen>>,
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
            db,
            limits,
            target,
            definitions,
            instances: None,
            seen: OnceCell::new(),
        }
    }

    /// Whether some clause of the target holds in a state.
    ///
    /// # Errors
    /// If the target cannot be carried out.
    pub fn holds(&mut self, state: Constant) -> Result<bool, PalError> {
        let mut instances = match self.instances.take() {
            Some(ready) => ready,
            None => Instances::new(self.db, self.limits, self.target)?,
        };
        let holds = instances.include(state);
        self.instances = Some(instances);
        holds
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
        let seen = |clause: &Clause| Seen::new(clause, self.definitions);
        let target = (self.seen).get_or_init(|| self.target.iter().map(seen).collect());
        let definition = seen(definition);
        let mut above = target
            .iter()
            .filter(|target| target.covers(&definition))
            .peekable();
        Ok(if above.peek().is_none() {
            Judgement::Reject
        } else if above.any(|target| definition.covers(target)) {
            Judgement::Stop
        } else {
            Judgement::Accept
        })
    }
}

/// The states in which some clause of a definition holds with whatever components.
pub(super) struct Instances<'a> {
    prover: TabledProver<'a>,
    /// The bodies, each with the variable that is the state.
    clauses: Vec<(Option<Var>, AdaptiveJoin<'a>)>,
    limits: Limits,
}

impl<'a> Instances<'a> {
    pub(super) fn new(
        db: &'a Database,
        limits: Limits,
        clauses: &[Clause],
    ) -> Result<Self, PalError> {
        let mut prover = TabledProver::new(db, limits);
        let clauses = clauses.iter().map(|clause| {
            let state = match clause.head.args.last() {
                Some(Term::Var(var)) => Some(*var),
                _ => None,
            };
            Ok((state, prover.adaptive_join(&clause.body, state.as_slice())?))
        });
        Ok(Self {
            clauses: clauses.collect::<Result<_, PalError>>()?,
            prover,
            limits,
        })
    }

    pub(super) fn include(&mut self, state: Constant) -> Result<bool, PalError> {
        for (own, body) in &mut self.clauses {
            let given = own.map(|var| (var, Term::Const(state)));
            match self.prover.prove_adaptively(body, given.as_slice())? {
                Proof::Proved => return Ok(true),
                Proof::Refuted => {}
                _ => return Err(PalError::OutOfSteps(self.limits.steps)),
            }
        }
        Ok(false)
    }
}
