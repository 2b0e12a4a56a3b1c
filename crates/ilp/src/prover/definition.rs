//! Goals that one clause decides.

use std::rc::Rc;

use super::direct::Place;
use super::join::Join;
use super::tabled::{TabledGoal, TabledProver};
use super::{Proof, ProverError};
use crate::term::{Atom, Literal, Term, Var, unify_atoms};

/// Goals tried before the prover is asked instead.
const MAX_TRIED: u64 = 500;

/// What the only clause of its predicate makes of a goal, or of what a goal denies, whose variables
/// all have constants as values.
#[derive(Debug)]
pub(super) struct Definition<'d> {
    /// What the head has where the goal has its variables.
    head: Box<[Place]>,
    body: Join<'d>,
}

impl<'d> TabledProver<'d> {
    /// Whether a goal can be proved with these values of its variables, as
    /// [`prove_once`](Self::prove_once) says; a goal whose predicate has one clause is not carried out
    /// if all values are constants, but its clause tried as a [`Join`].
    ///
    /// # Errors
    /// [`ProverError`] for goals that cannot be carried out.
    pub fn prove_defined(
        &mut self,
        goal: TabledGoal,
        values: &[Term],
    ) -> Result<Proof, ProverError> {
        self.prove_within(goal, values, &mut { MAX_TRIED })
    }

    /// The same with no more goals tried in joins than are left.
    pub(super) fn prove_within(
        &mut self,
        goal: TabledGoal,
        values: &[Term],
        left: &mut u64,
    ) -> Result<Proof, ProverError> {
        if let Some(definition) = self.definition(goal)?
            && let Some(holds) = self.is_defined_true(&definition, values, left)?
        {
            let is_true = holds == self.tables[goal.0].literal.positive;
            return Ok(if is_true {
                Proof::Proved
            } else {
                Proof::Refuted
            });
        }
        self.prove_once(goal, values)
    }

    /// The definition of a goal, made ready the first time; none if it is no goal of one clause, or
    /// one that is decided quickly without.
    fn definition(&mut self, goal: TabledGoal) -> Result<Option<Rc<Definition<'d>>>, ProverError> {
        let table = &self.tables[goal.0];
        if let Some(known) = table.definition.get() {
            return Ok(known.clone());
        }
        let made = if table.direct.is_some() || table.is_of_facts {
            None
        } else {
            self.define(&table.literal.atom.clone())?.map(Rc::new)
        };
        Ok(self.tables[goal.0].definition.get_or_init(|| made).clone())
    }

    fn define(&mut self, goal: &Atom) -> Result<Option<Definition<'d>>, ProverError> {
        let mut vars: Vec<Var> = Vec::new();
        goal.for_each_var(&mut |var| {
            if !vars.contains(&var) {
                vars.push(var);
            }
        });
        let bound = vars.iter().map(|var| var.0 + 1).max().unwrap_or(0);
        let clause = self.prover.db.only_clause(goal);
        let Some(clause) = clause.map(|clause| clause.shifted(bound)) else {
            return Ok(None);
        };
        let Some(theta) = unify_atoms(&clause.head, goal) else {
            return Ok(None);
        };
        let place = |var: &Var| match theta.apply(&Term::Var(*var)) {
            Term::Var(own) => Some(Place::Var(own.index())),
            Term::Const(constant) => Some(Place::Is(constant)),
            Term::Compound(..) => None,
        };
        let Some(head) = vars.iter().map(place).collect::<Option<Box<[Place]>>>() else {
            return Ok(None);
        };
        let given = head.iter().filter_map(|place| match *place {
            Place::Var(var) => u32::try_from(var).ok().map(Var),
            Place::Is(_) => None,
        });
        let given: Vec<Var> = given.collect();
        let body: Vec<Literal> = (clause.body.iter())
            .map(|literal| theta.apply_literal(literal))
            .collect();
        let body = self.join(&body, &given)?;
        Ok(Some(Definition { head, body }))
    }

    /// Whether the clause covers the goal with these values; none if that takes too long, or if the
    /// values are no constants.
    fn is_defined_true(
        &mut self,
        definition: &Definition<'d>,
        values: &[Term],
        left: &mut u64,
    ) -> Result<Option<bool>, ProverError> {
        let mut known = vec![None; definition.body.n_vars];
        let mut agrees = true;
        for (place, value) in definition.head.iter().zip(values) {
            let Term::Const(value) = *value else {
                return Ok(None);
            };
            agrees &= match *place {
                Place::Var(var) => *known[var].get_or_insert(value) == value,
                Place::Is(constant) => constant == value,
            };
        }
        if !agrees {
            return Ok(Some(false));
        }
        self.test_with(&definition.body, known, left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prover::tests::database_with_differences;
    use crate::{Limits, read_clause};

    const PROGRAM: &str = "p(1). p(2). p(3). q(1,2). q(2,3).
        far(A,f(B,C)) :- diff(A,B,D), D > 1, \\+ q(B,C), p(C).
        same(A,A) :- diff(A,1,_), p(A).
        one(1,A) :- diff(A,1,B), q(_,B).
        gap(A,B) :- diff(A,B,C), C > 1.
        twice(A) :- p(B), gap(A,B), near(A,B).
        near(A,B) :- q(A,B).
        near(A,B) :- q(B,A).
        down(A) :- p(A), diff(A,1,B), down(B).
        clear(A,B) :- p(A), \\+ far(A,f(B,3)), \\+ gap(A,B).
        first(A) :- p(A), !.
        pair(f(A,A)) :- diff(A,1,_), p(A).";

    #[test]
    fn a_definition_says_what_the_prover_says() {
        let (db, mut symbols, _) = database_with_differences(PROGRAM);
        let mut n_defined = 0;
        for query in [
            "far(A,f(B,C))",
            "same(A,B)",
            "one(A,B)",
            "one(2,B)",
            "gap(A,B)",
            "gap(A,A)",
            "twice(A)",
            "near(A,B)",
            "down(A)",
            "first(A)",
            "pair(f(A,B))",
            "\\+ far(A,f(B,C))",
            "\\+ gap(A,A)",
            "\\+ near(A,B)",
            "clear(A,B)",
        ] {
            let clause = read_clause(&format!("x :- {query}"), &mut symbols).expect("valid");
            let mut prover = TabledProver::new(&db, Limits::default());
            let goal = prover.goal(&clause.body[0]).expect("callable");
            n_defined += usize::from(prover.definition(goal).expect("callable").is_some());
            for number in 0..125 {
                let values = [number % 5, number / 5 % 5, number / 25].map(Term::int);
                let values = &values[..clause.var_bound() as usize];
                let found = prover.prove_defined(goal, values);
                let carried_out = prover.prove_once(goal, values);
                assert_eq!(found, carried_out, "{query} of {values:?}");
            }
        }
        assert_eq!(n_defined, 10);
    }
}
