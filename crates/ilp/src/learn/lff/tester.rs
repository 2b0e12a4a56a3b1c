//! Coverage by proof and by tables of calls, with a count of steps.

use std::ops::Range;

use kibitz_prolog::{
    Atom, BitSet, CallTables, Clause, Database, Limits, Literal, PreparedTheory, Proof, Prover,
    ProverError, Term,
};

use super::results::Ended;
use crate::encoded::{Remark, RemarkKind};
use crate::learn::Stop;

/// Bounds on a proof during the search: an example for which they are met counts as not covered.
const STEPS: u64 = 50_000;
/// A proof with a recursive theory takes so many at first. If they do not do, tables of calls decide.
const FIRST_STEPS: u64 = 1_000;
const DEPTH: u32 = 500;
/// A proof may take this part of all steps, so that a limit is hardly passed, or so many in any case.
const SHARE: u64 = 64;
const MIN_STEPS: u64 = 200;

pub(super) struct Tester<'a> {
    prover: Prover<'a>,
    /// The prover with the first steps, and what decides if they do not do.
    first: Prover<'a>,
    tables: CallTables<'a>,
    examples: [&'a [Atom]; 2],
    pub(super) steps: u64,
    /// Most of them; coverage ends when they are used up.
    pub(super) max_steps: u64,
    /// Clauses of the background in which proofs met a bound, with the number of these proofs.
    cut_short: Vec<(&'a Clause, usize)>,
}

/// A theory that is ready to be tested.
struct Loaded<'t> {
    theory: &'t [Clause],
    prepared: PreparedTheory,
    /// Whether its clauses call each other.
    is_recursive: bool,
    /// Whether tables of calls can decide it, once they were asked.
    has_tables: Option<bool>,
}

/// What clauses of a theory cover.
pub(super) struct Covered {
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
        let first = Limits {
            steps: limits.steps.min(FIRST_STEPS),
            ..limits
        };
        Self {
            prover: Prover::new(db, limits),
            first: Prover::new(db, first),
            tables: CallTables::new(db, limits),
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

    /// Makes a theory ready to be tested.
    fn load<'t>(&mut self, theory: &'t [Clause]) -> Result<Loaded<'t>, ProverError> {
        let prepared = self.prover.prepare(theory)?;
        let is_called = |literal: &Literal| {
            let called = literal.atom.predicate();
            theory
                .iter()
                .any(|clause| clause.head.predicate() == called)
        };
        let is_recursive = theory.iter().flat_map(|own| &own.body).any(is_called);
        if is_recursive {
            self.first.load(&prepared);
        }
        self.prover.load(&prepared);
        self.steps += 1;
        Ok(Loaded {
            theory,
            prepared,
            is_recursive,
            has_tables: None,
        })
    }

    /// Whether a clause of a theory covers an example.
    fn proof(
        &mut self,
        loaded: &mut Loaded<'_>,
        clause: usize,
        example: &Atom,
    ) -> Result<Proof, ProverError> {
        if loaded.is_recursive {
            let proof = self.first.covers(&loaded.prepared, clause, example)?;
            self.steps += 1 + self.first.steps();
            if !proof.is_cut_short() {
                return Ok(proof);
            }
            let has_tables = match loaded.has_tables {
                Some(known) => known,
                None => self.tables.load(loaded.theory)?,
            };
            loaded.has_tables = Some(has_tables);
            let is_decided = has_tables && self.tables.ask(example);
            self.steps += if has_tables { self.tables.steps() } else { 0 };
            if is_decided && self.tables.covers(clause) {
                return Ok(Proof::Proved);
            } else if is_decided {
                return Ok(Proof::Refuted);
            }
        }
        let proof = self.prover.covers(&loaded.prepared, clause, example)?;
        self.note(proof);
        Ok(proof)
    }

    fn look_at_limit(&self) -> Result<(), Ended> {
        if self.steps >= self.max_steps {
            return Err(Ended::Stop(Stop::OutOfSteps));
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
    ) -> Result<Covered, Ended> {
        let mut loaded = self.load(theory)?;
        let mut covered = Covered {
            set: BitSet::with_capacity(among.len()),
            is_cut_short: false,
        };
        for e in among.ones() {
            self.look_at_limit()?;
            for clause in clauses.clone() {
                let proof = self.proof(&mut loaded, clause, &self.examples[side][e])?;
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
    ) -> Result<Option<usize>, Ended> {
        let mut loaded = self.load(theory)?;
        for e in order {
            self.look_at_limit()?;
            let mut is_covered = false;
            for clause in clauses.clone() {
                let proof = self.proof(&mut loaded, clause, &self.examples[0][e])?;
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
