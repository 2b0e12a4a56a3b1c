//! Coverage by proof, with a count of steps.

use std::ops::Range;

use kibitz_prolog::{
    Atom, BitSet, Clause, Database, Limits, Literal, Proof, Prover, ProverError, Term,
};

use super::results::SearchEnd;
use crate::encoded::{Remark, RemarkKind};
use crate::learn::Stop;

/// Bounds on a proof during the search: an example for which they are met counts as not covered.
const STEPS: u64 = 50_000;
const DEPTH: u32 = 500;
/// A proof may take this part of all steps, so that a limit is hardly passed, or so many in any case.
const SHARE: u64 = 64;
const MIN_STEPS: u64 = 200;

pub(super) struct Tester<'a> {
    prover: Prover<'a>,
    examples: [&'a [Atom]; 2],
    pub(super) steps: u64,
    /// Most of them; coverage ends when they are used up.
    pub(super) max_steps: u64,
    /// Clauses of the background in which proofs met a bound, with the number of these proofs.
    cut_short: Vec<(&'a Clause, usize)>,
}

/// What clauses of a theory cover.
pub(super) struct Coverage {
    pub(super) set: BitSet,
    /// Whether a bound was met.
    pub(super) is_cut_short: bool,
}

impl<'a> Tester<'a> {
    pub(super) fn new(
        db: &'a Database,
        limits: Limits,
        max_steps: u64,
        examples: [&'a [Atom]; 2],
    ) -> Self {
        let share = (max_steps / SHARE).max(MIN_STEPS);
        let limits = Limits {
            steps: limits.steps.min(STEPS).min(share),
            depth: limits.depth.min(DEPTH),
            ..limits
        };
        Self {
            prover: Prover::new(db, limits),
            examples,
            steps: 0,
            max_steps,
            cut_short: Vec::new(),
        }
    }

    /// Notes how a proof ended.
    fn note(&mut self, proof: Proof) {
        self.steps += 1 + self.prover.steps();
        if proof.is_cut_short()
            && let Some(clause) = self.prover.last_clause()
        {
            let mut known = self.cut_short.iter_mut();
            match known.find(|(own, _)| std::ptr::eq(*own, clause)) {
                Some((_, n)) => *n += 1,
                None => self.cut_short.push((clause, 1)),
            }
        }
    }

    fn look_at_limit(&self) -> Result<(), SearchEnd> {
        if self.steps >= self.max_steps {
            return Err(SearchEnd::Stop(Stop::OutOfSteps));
        }
        Ok(())
    }

    /// What is to be said about the background.
    pub(super) fn remarks(&self) -> impl Iterator<Item = Remark> {
        self.cut_short.iter().map(|(clause, n)| Remark {
            predicate: clause.head.predicate(),
            reason: RemarkKind::CutShort(*n),
            clause: Some(Box::new((*clause).clone())),
        })
    }

    /// The examples of a side among some that one of these clauses of a theory covers.
    pub(super) fn covered(
        &mut self,
        theory: &[Clause],
        clauses: Range<usize>,
        side: usize,
        among: &BitSet,
    ) -> Result<Coverage, SearchEnd> {
        let prepared = self.prover.prepare(theory)?;
        self.prover.load(&prepared);
        let mut covered = Coverage {
            set: BitSet::with_capacity(among.len()),
            is_cut_short: false,
        };
        self.steps += 1;
        for e in among.ones() {
            self.look_at_limit()?;
            for clause in clauses.clone() {
                let proof = (self.prover).covers(&prepared, clause, &self.examples[side][e])?;
                self.note(proof);
                covered.is_cut_short |= proof.is_cut_short();
                if proof.is_proved() {
                    covered.set.insert(e);
                    break;
                }
            }
        }
        Ok(covered)
    }

    /// The first of some positive examples, in the given order, that none of these clauses of a theory
    /// covers; a proof that takes too many steps does not tell.
    pub(super) fn first_uncovered(
        &mut self,
        theory: &[Clause],
        clauses: Range<usize>,
        order: impl Iterator<Item = usize>,
    ) -> Result<Option<usize>, SearchEnd> {
        let prepared = self.prover.prepare(theory)?;
        self.prover.load(&prepared);
        self.steps += 1;
        for e in order {
            self.look_at_limit()?;
            let mut is_covered = false;
            for clause in clauses.clone() {
                let proof = (self.prover).covers(&prepared, clause, &self.examples[0][e])?;
                self.note(proof);
                if matches!(proof, Proof::Proved | Proof::OutOfSteps) {
                    is_covered = true;
                    break;
                }
            }
            if !is_covered {
                return Ok(Some(e));
            }
        }
        Ok(None)
    }

    /// Whether a body may have an answer for some values of its variables.
    pub(super) fn may_hold(&mut self, body: &[Literal]) -> Result<bool, ProverError> {
        let proof = self.prover.prove(body)?;
        self.note(proof);
        let is_unbound = |term: &Term| !term.is_ground();
        let says_unbound = body.iter().any(|lit| lit.atom.args.iter().any(is_unbound));
        Ok(proof != Proof::Refuted || (says_unbound && self.prover.raised().is_some()))
    }
}
