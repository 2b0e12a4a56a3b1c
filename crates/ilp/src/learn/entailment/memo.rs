//! Answers to goals, remembered.

use std::ops::Range;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::language::Access;
use crate::prover::{Prover, ProverError};
use crate::term::{Atom, Literal, Term};

/// Most answers to one goal that are taken.
const MAX_ANSWERS: usize = 10_000;
/// Inputs that go in one word with the way of asking.
const NARROW: usize = 3;

/// The ground terms met in work on one example, as numbers, and what is known about them.
///
/// Background relations are functions of their arguments, so an answer holds for good: what a goal
/// gave once is not proved again.
#[derive(Debug, Default)]
pub(in crate::learn) struct Memo {
    terms: IndexSet<Term, FxBuildHasher>,
    /// By way of asking and inputs, where the answers are: calls with up to three inputs, and others.
    calls: FxHashMap<u128, (u32, u32)>,
    wide_calls: FxHashMap<Box<[u32]>, (u32, u32)>,
    /// Outputs, answer by answer.
    outputs: Vec<u32>,
    inputs: Vec<u32>,
}

impl Memo {
    /// The number of a term.
    pub(in crate::learn) fn number(&mut self, term: &Term) -> u32 {
        let index = match self.terms.get_index_of(term) {
            Some(index) => index,
            None => self.terms.insert_full(term.clone()).0,
        };
        index_u32(index)
    }

    /// The term with this number.
    pub(in crate::learn) fn term(&self, number: u32) -> &Term {
        &self.terms[number as usize]
    }

    /// One output of an answer.
    #[inline]
    pub(in crate::learn) fn output(&self, at: usize) -> u32 {
        self.outputs[at]
    }

    /// Where the answers of a predicate to these inputs are, in the order of their proofs: so many
    /// outputs each. A goal that meets a bound of the prover has the answers that it had until
    /// then, and answers that are not ground are passed over.
    ///
    /// A goal without outputs has one empty answer or none: the range tells how many.
    pub(in crate::learn) fn call(
        &mut self,
        number: usize,
        access: &Access,
        inputs: impl Iterator<Item = u32>,
        prover: &mut Prover<'_>,
    ) -> Result<Range<usize>, ProverError> {
        let number = index_u32(number);
        let n_inputs = access.inputs.len();
        let mut key = 0;
        self.inputs.clear();
        for input in inputs {
            key = key << 32 | u128::from(input);
            self.inputs.push(input);
        }
        key = key << 32 | u128::from(number);
        let known = if n_inputs <= NARROW {
            self.calls.get(&key)
        } else {
            self.inputs.push(number);
            self.wide_calls.get(&self.inputs[..])
        };
        if let Some(&(start, end)) = known {
            return Ok(start as usize..end as usize);
        }
        let mut args = vec![Term::NIL; access.predicate.arity];
        for (&place, &input) in access.inputs.iter().zip(&self.inputs) {
            args[place] = self.terms[input as usize].clone();
        }
        for (&place, var) in access.outputs.iter().zip(0..) {
            args[place] = Term::var(var);
        }
        let goal = Literal::positive(Atom::new(access.predicate.name, args));
        let range = if access.outputs.is_empty() {
            let start = self.outputs.len();
            start..start + usize::from(prover.prove(&[goal])?.is_proved())
        } else {
            let answers = prover.solutions(&[goal], MAX_ANSWERS)?;
            let mut distinct: IndexSet<Vec<u32>, FxBuildHasher> = IndexSet::default();
            for row in answers.bindings {
                if row.iter().all(Term::is_ground) {
                    distinct.insert(row.iter().map(|term| self.number(term)).collect());
                }
            }
            let start = self.outputs.len();
            self.outputs.extend(distinct.into_iter().flatten());
            start..self.outputs.len()
        };
        // A test that holds takes a place of its own.
        if self.outputs.len() < range.end {
            self.outputs.push(0);
        }
        let ends = (index_u32(range.start), index_u32(range.end));
        if n_inputs <= NARROW {
            self.calls.insert(key, ends);
        } else {
            self.wide_calls.insert(self.inputs.as_slice().into(), ends);
        }
        Ok(range)
    }
}

fn index_u32(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 terms")
}
