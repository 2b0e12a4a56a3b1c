//! Coverage: whether clauses cover positions or atoms.

use kibitz_pal::PalError;
use kibitz_prolog::{AdaptiveJoin, Atom, Clause, Constant, Proof, Symbol, TabledProver, Term, Var};

use crate::{ConceptError, PreparedConcept};

impl PreparedConcept {
    /// Tests whether clauses cover states.
    pub(crate) fn coverage_tester(
        &self,
        clauses: &[Clause],
    ) -> Result<CoverageTester<'_>, ConceptError> {
        let about_state = |clause: &Clause| Clause {
            head: Atom::new(Symbol::TRUE, clause.head.args.last().cloned()),
            body: clause.body.clone(),
        };
        let clauses: Vec<Clause> = clauses.iter().map(about_state).collect();
        CoverageTester::new(self, &clauses)
    }
}

/// Clauses prepared for tests on many atoms.
pub(crate) struct CoverageTester<'a> {
    concept: &'a PreparedConcept,
    prover: TabledProver<'a>,
    clauses: Vec<PreparedClause<'a>>,
    /// The substitution of the current head, kept to reuse its memory.
    substitution: Vec<(Var, Term)>,
}

struct PreparedClause<'a> {
    head: Atom,
    body: AdaptiveJoin<'a>,
}

impl<'a> CoverageTester<'a> {
    pub(crate) fn new(
        concept: &'a PreparedConcept,
        clauses: &[Clause],
    ) -> Result<Self, ConceptError> {
        let mut prover = TabledProver::new(concept.database(), concept.params().limits);
        let clauses = clauses.iter().map(|clause| {
            let mut vars = Vec::new();
            clause.head.for_each_var(&mut |var| vars.push(var));
            Ok(PreparedClause {
                head: clause.head.clone(),
                body: prover.adaptive_join(&clause.body, &vars)?,
            })
        });
        let clauses = clauses.collect::<Result<_, ConceptError>>()?;
        Ok(Self {
            concept,
            prover,
            clauses,
            substitution: Vec::new(),
        })
    }

    /// Whether some clause covers a state; the heads have the state as only argument.
    pub(crate) fn holds(&mut self, state: Constant) -> Result<bool, ConceptError> {
        self.covers(&[Term::Const(state)])
    }

    /// Whether some clause covers a ground atom with these arguments.
    pub(crate) fn covers(&mut self, args: &[Term]) -> Result<bool, ConceptError> {
        for number in 0..self.clauses.len() {
            if self.clause_covers(number, args)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the clause with this number, counted from 0, covers a state; the heads have the state as
    /// only argument.
    pub(crate) fn clause_holds(
        &mut self,
        number: usize,
        state: Constant,
    ) -> Result<bool, ConceptError> {
        self.clause_covers(number, &[Term::Const(state)])
    }

    fn clause_covers(&mut self, number: usize, args: &[Term]) -> Result<bool, ConceptError> {
        let clause = &mut self.clauses[number];
        self.substitution.clear();
        let mut bind = |var, value: &Term| {
            let known = self.substitution.iter().find(|(own, _)| *own == var);
            let is_new = known.is_none();
            let fits = known.is_none_or(|(_, known)| known == value);
            if is_new {
                self.substitution.push((var, value.clone()));
            }
            fits
        };
        let mut pairs = clause.head.args.iter().zip(args);
        if !pairs.all(|(own, arg)| own.matches(arg, &mut bind)) {
            return Ok(false);
        }
        let proof = self
            .prover
            .prove_adaptively(&mut clause.body, &self.substitution);
        let concept = self.concept;
        match proof.map_err(|error| concept.explained(PalError::Prover(error)))? {
            Proof::Proved => Ok(true),
            Proof::Refuted => Ok(false),
            _ => {
                let steps = concept.params().limits.steps;
                let last = self.prover.last_clause().cloned().map(Box::new);
                Err(concept.explained(PalError::OutOfSteps(steps, last)))
            }
        }
    }
}
