//! Memo of answers to goals.

use std::ops::Range;

use indexmap::IndexSet;
use kibitz_prolog::{Atom, Database, Limits, Literal, ProverError, TabledGoal, TabledProver, Term};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::encoded::{Access, number};

/// Most answers to one goal that are taken.
const MAX_ANSWERS: usize = 10_000;
/// Most inputs packed in one word with the access, bits of each, and bits of the access.
const NARROW: usize = 2;
const INPUT_BITS: u32 = 28;
const ACCESS_BITS: u32 = 8;

/// The ground terms met in work on one example, as numbers, and the remembered answers about them.
///
/// Background relations are functions of their arguments, so an answer holds for good: no goal is
/// proved twice.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    terms: IndexSet<Term, FxBuildHasher>,
    /// By access and inputs, where the answers are: calls packed in one word, and others.
    calls: FxHashMap<u64, (u32, u32)>,
    wide_calls: FxHashMap<Box<[u32]>, (u32, u32)>,
    /// Outputs, answer by answer.
    outputs: Vec<u32>,
    inputs: Vec<u32>,
}

/// The background knowledge, asked by the accesses of a language.
#[derive(Debug)]
pub(crate) struct Background<'a> {
    accesses: &'a [Access],
    /// A goal for each access, once it is needed.
    goals: Vec<Option<TabledGoal>>,
    prover: TabledProver<'a>,
    args: Vec<Term>,
    /// Whether some goal may have more answers than were found: it met a bound, or asked for more values
    /// to be bound.
    pub(crate) is_incomplete: bool,
}

impl<'a> Background<'a> {
    pub(crate) fn new(accesses: &'a [Access], db: &'a Database, limits: Limits) -> Self {
        Self {
            accesses,
            goals: vec![None; accesses.len()],
            prover: TabledProver::new(db, limits),
            args: Vec::new(),
            is_incomplete: false,
        }
    }

    fn goal(&mut self, access: usize) -> Result<TabledGoal, ProverError> {
        if let Some(goal) = self.goals[access] {
            return Ok(goal);
        }
        let predicate = self.accesses[access].predicate;
        let args = (0..).take(predicate.arity).map(Term::var);
        let atom = Atom::new(predicate.name, args);
        let goal = self.prover.goal(&Literal::positive(atom))?;
        self.goals[access] = Some(goal);
        Ok(goal)
    }
}

impl Memo {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.terms.clear();
        self.calls.clear();
        self.wide_calls.clear();
        self.outputs.clear();
    }

    /// About how much memory it takes, compound terms apart.
    pub(crate) fn bytes(&self) -> usize {
        const HASH_AND_PLACE: usize = 2 * size_of::<usize>();
        const CALL: usize = size_of::<(u64, (u32, u32))>() + 1;
        const WIDE_CALL: usize = size_of::<(Box<[u32]>, (u32, u32))>() + 4 * size_of::<u32>();
        self.terms.capacity() * (size_of::<Term>() + HASH_AND_PLACE)
            + self.calls.capacity() * CALL
            + self.wide_calls.capacity() * WIDE_CALL
            + self.outputs.capacity() * size_of::<u32>()
    }

    /// The number of a term.
    pub(crate) fn number(&mut self, term: &Term) -> u32 {
        let index = match self.terms.get_index_of(term) {
            Some(index) => index,
            None => self.terms.insert_full(term.clone()).0,
        };
        number(index)
    }

    /// The term with this number.
    pub(crate) fn term(&self, number: u32) -> &Term {
        &self.terms[number as usize]
    }

    /// One output of an answer.
    #[inline]
    pub(crate) fn output(&self, at: usize) -> u32 {
        self.outputs[at]
    }

    /// Where the answers of a predicate to these inputs are, in the order of their proofs, as many
    /// values each as there are outputs. A goal that meets a bound of the prover keeps the answers
    /// found until then; answers that are not ground are ignored.
    ///
    /// A goal without outputs has one empty answer or none: the range tells how many.
    pub(crate) fn call(
        &mut self,
        access: usize,
        inputs: impl Iterator<Item = u32>,
        background: &mut Background<'_>,
    ) -> Result<Range<usize>, ProverError> {
        let way = number(access);
        let Access {
            inputs: given,
            outputs,
            ..
        } = &background.accesses[access];
        let (mut key, mut all) = (0, way >> ACCESS_BITS);
        self.inputs.clear();
        for input in inputs {
            key = key << INPUT_BITS | u64::from(input);
            all |= input >> INPUT_BITS;
            self.inputs.push(input);
        }
        key = key << ACCESS_BITS | u64::from(way);
        let is_narrow = given.len() <= NARROW && all == 0;
        let known = if is_narrow {
            self.calls.get(&key)
        } else {
            self.inputs.push(way);
            self.wide_calls.get(&self.inputs[..])
        };
        if let Some(&(start, end)) = known {
            return Ok(start as usize..end as usize);
        }
        let goal = background.goal(access)?;
        let args = &mut background.args;
        args.clear();
        args.extend((0..).take(given.len() + outputs.len()).map(Term::var));
        for (&place, &input) in given.iter().zip(&self.inputs) {
            args[place] = self.terms[input as usize].clone();
        }
        let start = self.outputs.len();
        let range = if outputs.is_empty() {
            let proof = background.prover.proof(goal, args)?;
            background.is_incomplete |= proof.is_cut_short();
            start..start + usize::from(proof.is_proved())
        } else {
            let answers = background.prover.solutions(goal, args, MAX_ANSWERS)?;
            let is_unbound = (background.prover.raised()).is_some_and(ProverError::is_unbound);
            let is_full = answers.bindings.len() >= MAX_ANSWERS;
            background.is_incomplete |= answers.end.is_cut_short() || is_full || is_unbound;
            let mut distinct: IndexSet<Vec<u32>, FxBuildHasher> = IndexSet::default();
            for row in answers.bindings {
                let mut row = outputs.iter().map(|&place| &row[place]);
                if row.clone().all(Term::is_ground) {
                    distinct.insert(row.by_ref().map(|term| self.number(term)).collect());
                } else {
                    background.is_incomplete = true;
                }
            }
            self.outputs.extend(distinct.into_iter().flatten());
            start..self.outputs.len()
        };
        // A test that holds takes a place of its own.
        if self.outputs.len() < range.end {
            self.outputs.push(0);
        }
        let ends = (number(range.start), number(range.end));
        if is_narrow {
            self.calls.insert(key, ends);
        } else {
            self.wide_calls.insert(self.inputs.as_slice().into(), ends);
        }
        Ok(range)
    }
}
