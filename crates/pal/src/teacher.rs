//! Teachers: who answers the learner's queries about examples and definitions.

use std::cell::OnceCell;

use kibitz_prolog::{
    AdaptiveJoin, Clause, Constant, Database, Limits, Proof, TabledProver, Term, Var,
};

use crate::relative_subsumption::SaturatedClause;
use crate::{Example, Generator, PalError};

/// The origin of an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Given by the user.
    Given,
    /// The domain's attribute is exchanged in all components: see [`Domain::exchanged`].
    ///
    /// [`Domain::exchanged`]: super::Domain::exchanged
    Exchanged,
    /// These arguments are perturbed.
    Perturbed(Vec<Generator>),
    /// The answer to an equivalence query: see [`Teacher::counterexample`].
    Counterexample,
}

/// The answer to a query about an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// An instance of the concept.
    Positive,
    /// No instance of the concept.
    Negative,
    /// End the search with the current definition.
    Stop,
}

/// The answer to a query about a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The definition may be generalized further.
    Accept,
    /// Too general.
    Reject,
    /// The definition is final.
    Stop,
}

/// Answers the learner's queries: membership queries about examples, queries whether a definition is
/// too general or final, and equivalence queries about all clauses together.
///
/// # Source
/// Morales 1992, sections 5.4.1 and appendix A: the user classifies every example and confirms
/// every definition.
pub trait Teacher {
    /// Membership query: whether an example, whose state has this name in the background, is an
    /// instance of the concept.
    ///
    /// # Errors
    /// If there is no answer.
    fn classify(
        &mut self,
        example: &Example,
        state: Constant,
        change: &Change,
    ) -> Result<Verdict, PalError>;

    /// Whether a definition is acceptable.
    ///
    /// # Errors
    /// If there is no answer.
    fn judge(&mut self, definition: &Clause) -> Result<Judgement, PalError>;

    /// Equivalence query: a positive example that no clause of the learned theory covers; `None` if
    /// there is none, or none is known.
    ///
    /// [`Pal::learn`](super::Pal::learn) asks it when all examples are covered. By default there is no
    /// answer: the thesis has no such query.
    ///
    /// # Errors
    /// If there is no answer.
    ///
    /// # Source
    /// Angluin 1988, Queries and concept learning.
    fn counterexample(&mut self, theory: &[Clause]) -> Result<Option<Example>, PalError> {
        let _ = theory;
        Ok(None)
    }

    /// Called before each generated example; `false` ends the search with the current definition.
    fn keep_going(&mut self) -> bool {
        true
    }
}

/// A teacher that answers from a target definition.
///
/// A state is an instance if the target can be proved in it, for any components. A definition is
/// accepted if some clause of the target subsumes it, and final if it is equivalent to one, both
/// relative to the definitions of the background predicates.
pub struct Oracle<'a> {
    db: &'a Database,
    limits: Limits,
    target: &'a [Clause],
    definitions: &'a [Clause],
    /// The prepared target, from the first membership query on.
    instances: Option<Instances<'a>>,
    /// The saturated target, from the first query about a definition on.
    saturated: OnceCell<Vec<SaturatedClause>>,
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
            saturated: OnceCell::new(),
        }
    }

    /// Whether some clause of the target holds in a state.
    ///
    /// # Errors
    /// If the target cannot be proved or refuted.
    pub fn holds(&mut self, state: Constant) -> Result<bool, PalError> {
        let mut instances = match self.instances.take() {
            Some(ready) => ready,
            None => Instances::new(self.db, self.limits, self.target)?,
        };
        let holds = instances.contain(state);
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
        let saturated = |clause: &Clause| SaturatedClause::new(clause, self.definitions);
        let target = (self.saturated).get_or_init(|| self.target.iter().map(saturated).collect());
        let definition = saturated(definition);
        let mut more_general = target
            .iter()
            .filter(|target| target.subsumes(&definition))
            .peekable();
        Ok(if more_general.peek().is_none() {
            Judgement::Reject
        } else if more_general.any(|target| definition.subsumes(target)) {
            Judgement::Stop
        } else {
            Judgement::Accept
        })
    }
}

/// The states in which some clause of a definition holds, for any components.
pub(crate) struct Instances<'a> {
    prover: TabledProver<'a>,
    /// The bodies, each with the variable of the state.
    clauses: Vec<(Option<Var>, AdaptiveJoin<'a>)>,
    limits: Limits,
}

impl<'a> Instances<'a> {
    pub(crate) fn new(
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

    pub(crate) fn contain(&mut self, state: Constant) -> Result<bool, PalError> {
        for (own, body) in &mut self.clauses {
            let given = own.map(|var| (var, Term::Const(state)));
            match self.prover.prove_adaptively(body, given.as_slice())? {
                Proof::Proved => return Ok(true),
                Proof::Refuted => {}
                _ => {
                    let last = self.prover.last_clause().cloned();
                    return Err(PalError::OutOfSteps(self.limits.steps, last.map(Box::new)));
                }
            }
        }
        Ok(false)
    }
}
