use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::BitSet;
use crate::printer::print_atom;
use crate::prover::{CallTables, Database, Limits, PreparedTheory, Proof, Prover, ProverError};
use crate::term::{Atom, Clause, SymbolTable};

/// The examples that a clause or theory covers: a confusion matrix as bit sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Covered positive examples.
    pub positive: BitSet,
    /// Covered negative examples.
    pub negative: BitSet,
    /// Examples on which a bound of the prover was met, and those that were left out; they count as not
    /// covered.
    pub undecided: usize,
    /// Undecided examples that were left out, since there was no more time.
    pub left_out: usize,
    /// Examples on which a goal raised an error; they are not covered.
    pub raised: usize,
    /// The first of these errors.
    pub first_raised: Option<Box<RaisedError>>,
}

/// A goal's error in the proof of an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaisedError {
    /// The example.
    pub example: Atom,
    /// The error.
    pub error: ProverError,
}

impl Coverage {
    /// Nothing is covered of so many positive and negative examples.
    pub fn nothing(n_positive: usize, n_negative: usize) -> Self {
        Self {
            positive: BitSet::with_capacity(n_positive),
            negative: BitSet::with_capacity(n_negative),
            undecided: 0,
            left_out: 0,
            raised: 0,
            first_raised: None,
        }
    }

    /// True positives, false negatives, true negatives and false positives.
    pub fn confusion(&self) -> [usize; 4] {
        let (tp, fp) = (self.positive.count_ones(..), self.negative.count_ones(..));
        [tp, self.positive.len() - tp, self.negative.len() - fp, fp]
    }

    /// The covered examples of a side, 0 for the positive ones.
    fn side(&mut self, side: usize) -> &mut BitSet {
        [&mut self.positive, &mut self.negative][side]
    }

    /// Adds the examples that another clause covers.
    pub fn union(&mut self, other: &Coverage) {
        self.positive.union_with(&other.positive);
        self.negative.union_with(&other.negative);
        self.undecided += other.undecided;
        self.left_out += other.left_out;
        self.raised += other.raised;
        if self.first_raised.is_none() {
            self.first_raised.clone_from(&other.first_raised);
        }
    }

    /// Lines about proofs that came to no end, as Prolog comments; empty if all did.
    pub fn undecided_lines(&self, symbols: &SymbolTable) -> String {
        let line = |n: usize, what: &str| match n {
            0 => String::new(),
            1 => format!("% 1 proof {what} and counts as not covered\n"),
            n => format!("% {n} proofs {what} and count as not covered\n"),
        };
        let left_out = match self.left_out {
            1 => line(1, "was left out, for lack of time,"),
            n => line(n, "were left out, for lack of time,"),
        };
        let raised = match &self.first_raised {
            Some(first) => {
                let example = print_atom(&first.example, symbols);
                let error = first.error.describe(symbols, &[]);
                line(
                    self.raised,
                    &format!("raised an error (of {example}: {error})"),
                )
            }
            None => line(self.raised, "raised an error"),
        };
        line(self.undecided - self.left_out, "met a bound") + &left_out + &raised
    }
}

/// Coverage by proof, with a cache of clauses.
#[derive(Debug)]
pub struct Evaluator<'a> {
    db: &'a Database,
    prover: Prover<'a>,
    /// For recursive theories.
    tables: Option<CallTables<'a>>,
    /// The most steps of a proof, as long as it is not late.
    full_steps: u64,
    positive: &'a [Atom],
    negative: &'a [Atom],
    cache: FxHashMap<Clause, Arc<Coverage>>,
}

/// The cache is emptied when it holds this many clauses.
const MAX_CACHED: usize = 100_000;

/// When a theory has taken as many steps as so many proofs may, each further proof may take only
/// [`LATE_SHARE`] of what one may: thousands of examples whose proofs do not end cost minutes, not days.
const FULL_PROOFS: u64 = 100;
const LATE_SHARE: u64 = 100;
/// There is time for so many steps and proofs between two questions whether there is more.
const STEPS_BETWEEN_QUESTIONS: u64 = 100_000;
const PROOFS_BETWEEN_QUESTIONS: u32 = 1_000;

/// Asks now and then whether there is more time.
struct Pace<'k> {
    keep_going: &'k mut dyn FnMut() -> bool,
    /// Steps taken so far.
    steps: u64,
    asked_at: u64,
    unasked: u32,
    is_over: bool,
}

impl<'k> Pace<'k> {
    fn new(keep_going: &'k mut dyn FnMut() -> bool) -> Self {
        Self {
            keep_going,
            steps: 0,
            asked_at: 0,
            unasked: 0,
            is_over: false,
        }
    }

    /// Asked before each proof.
    fn is_over(&mut self) -> bool {
        self.unasked += 1;
        if self.steps - self.asked_at > STEPS_BETWEEN_QUESTIONS
            || self.unasked > PROOFS_BETWEEN_QUESTIONS
        {
            self.is_over = self.is_over || !(self.keep_going)();
            (self.asked_at, self.unasked) = (self.steps, 0);
        }
        self.is_over
    }
}

impl<'a> Evaluator<'a> {
    /// An evaluator of clauses on these examples.
    pub fn new(
        db: &'a Database,
        limits: Limits,
        positive: &'a [Atom],
        negative: &'a [Atom],
    ) -> Self {
        Self {
            db,
            prover: Prover::new(db, limits),
            tables: None,
            full_steps: limits.steps,
            positive,
            negative,
            cache: FxHashMap::default(),
        }
    }

    /// The examples one clause covers on its own.
    ///
    /// # Errors
    /// [`ProverError`] if the clause cannot be carried out.
    pub fn clause(&mut self, clause: &Clause) -> Result<Arc<Coverage>, ProverError> {
        if let Some(known) = self.cache.get(clause) {
            return Ok(Arc::clone(known));
        }
        let mut coverages = self.theory(std::slice::from_ref(clause))?;
        let coverage = Arc::new(coverages.remove(0));
        if self.cache.len() >= MAX_CACHED {
            self.cache.clear();
        }
        self.cache.insert(clause.clone(), Arc::clone(&coverage));
        Ok(coverage)
    }

    /// What each clause of a theory covers; its clauses may call each other. A clause that holds its
    /// own head as a condition covers nothing. Once the proofs have taken a hundred times the steps that
    /// one may, each later one may take a hundredth of them. A recursive theory is decided by tables of its
    /// calls where these can, so that cycles end. Not cached.
    ///
    /// # Errors
    /// [`ProverError`] if a clause cannot be carried out.
    pub fn theory(&mut self, clauses: &[Clause]) -> Result<Vec<Coverage>, ProverError> {
        self.theory_while(clauses, &mut || true)
    }

    /// The same for as long as `keep_going` says yes, which is asked now and then between proofs; the
    /// proofs that are left out then are undecided.
    ///
    /// # Errors
    /// As [`Evaluator::theory`].
    pub fn theory_while(
        &mut self,
        clauses: &[Clause],
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Coverage>, ProverError> {
        let limits = self.prover.limits;
        self.full_steps = limits.steps;
        let coverages = self.with_late_limits(clauses, keep_going);
        self.prover.limits = limits;
        coverages
    }

    /// The same, with the limits of late proofs left behind.
    fn with_late_limits(
        &mut self,
        clauses: &[Clause],
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Coverage>, ProverError> {
        let prepared = self.prover.prepare(clauses)?;
        self.prover.load(&prepared);
        let n = [self.positive.len(), self.negative.len()];
        let mut coverages: Vec<Coverage> = (clauses.iter())
            .map(|_| Coverage::nothing(n[0], n[1]))
            .collect();
        let mut pace = Pace::new(keep_going);
        let decided = self.decide_by_tables(clauses, &mut coverages, &mut pace)?;
        for (i, own) in coverages.iter_mut().enumerate() {
            for (side, decided) in decided.iter().enumerate() {
                if !clauses[i].is_tautology() {
                    self.decide_by_proof(&prepared, i, (side, decided), own, &mut pace)?;
                }
            }
        }
        Ok(coverages)
    }

    /// Decides by tables of calls what the clauses of a recursive theory cover; the positive and the
    /// negative examples that this decides.
    fn decide_by_tables(
        &mut self,
        clauses: &[Clause],
        coverages: &mut [Coverage],
        pace: &mut Pace<'_>,
    ) -> Result<[BitSet; 2], ProverError> {
        let sides = [self.positive, self.negative];
        let mut decided = sides.map(|examples| BitSet::with_capacity(examples.len()));
        let limits = self.prover.limits;
        let (db, tables) = (self.db, &mut self.tables);
        let tables = tables.get_or_insert_with(|| CallTables::new(db, limits));
        if !tables.load(clauses)? {
            return Ok(decided);
        }
        tables.limit_steps(limits.steps);
        for (side, examples) in sides.into_iter().enumerate() {
            for (e, example) in examples.iter().enumerate() {
                if pace.is_over() {
                    return Ok(decided);
                }
                let is_decided = tables.ask(example);
                pace.steps = pace.steps.saturating_add(tables.steps());
                if !is_decided {
                    continue;
                }
                decided[side].insert(e);
                for (i, own) in coverages.iter_mut().enumerate() {
                    if tables.covers(i) && !clauses[i].is_tautology() {
                        own.side(side).insert(e);
                    }
                }
            }
        }
        Ok(decided)
    }

    /// Proves with a clause of a theory the examples of a side that are not decided yet.
    fn decide_by_proof(
        &mut self,
        prepared: &PreparedTheory,
        clause: usize,
        (side, decided): (usize, &BitSet),
        own: &mut Coverage,
        pace: &mut Pace<'_>,
    ) -> Result<(), ProverError> {
        let examples = [self.positive, self.negative][side];
        let limits = self.prover.limits;
        let most = self.full_steps.saturating_mul(FULL_PROOFS);
        for (e, example) in examples.iter().enumerate() {
            if decided.contains(e) {
                continue;
            }
            if pace.is_over() {
                let left_out = (e..examples.len())
                    .filter(|e| !decided.contains(*e))
                    .count();
                own.undecided += left_out;
                own.left_out += left_out;
                break;
            }
            match self.prover.covers(prepared, clause, example)? {
                Proof::Proved => own.side(side).insert(e),
                Proof::Refuted => {
                    if let Some(error) = self.prover.raised() {
                        own.raised += 1;
                        own.first_raised.get_or_insert_with(|| {
                            Box::new(RaisedError {
                                example: example.clone(),
                                error: error.clone(),
                            })
                        });
                    }
                }
                _ => own.undecided += 1,
            }
            pace.steps = pace.steps.saturating_add(self.prover.steps());
            if pace.steps > most {
                self.prover.limits = Limits {
                    steps: self.full_steps / LATE_SHARE,
                    ..limits
                };
            }
        }
        Ok(())
    }

    /// Whether a clause covers some negative example, without looking at the rest.
    ///
    /// # Errors
    /// [`ProverError`] if the clause cannot be carried out.
    pub fn admits_negative(&mut self, clause: &Clause) -> Result<bool, ProverError> {
        if let Some(known) = self.cache.get(clause) {
            return Ok(!known.negative.is_clear());
        }
        if clause.is_tautology() {
            return Ok(false);
        }
        let prepared = self.prover.prepare(std::slice::from_ref(clause))?;
        self.prover.load(&prepared);
        for example in self.negative {
            if self.prover.covers(&prepared, 0, example)?.is_proved() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_clauses;

    #[test]
    fn bitsets_agree_with_single_proofs() {
        let mut symbols = SymbolTable::new();
        let mut heads = |text: &str| -> Vec<Atom> {
            read_clauses(text, &mut symbols)
                .expect("valid")
                .into_iter()
                .map(|c| c.head)
                .collect()
        };
        let positive = heads("p(1,2). p(2,3). p(1,3).");
        let negative = heads("p(3,1). p(2,2).");
        let facts = read_clauses("e(1,2). e(2,3).", &mut symbols).expect("valid");
        let theory = read_clauses("p(X,Y) :- e(X,Y). p(X,Z) :- e(X,Y), p(Y,Z).", &mut symbols)
            .expect("valid");
        let db = Database::builder()
            .clauses(&facts)
            .build(&mut symbols)
            .expect("valid");
        let mut evaluator = Evaluator::new(&db, Limits::default(), &positive, &negative);
        let coverages = evaluator.theory(&theory).expect("valid");
        let covered = |c: &Coverage| c.positive.ones().collect::<Vec<_>>();
        assert_eq!(covered(&coverages[0]), [0, 1]);
        assert_eq!(covered(&coverages[1]), [2]);
        let mut both = coverages[0].clone();
        both.union(&coverages[1]);
        assert_eq!(both.confusion(), [3, 0, 2, 0]);
        let first = evaluator.clause(&theory[0]).expect("valid");
        assert_eq!(*first, coverages[0]);
        assert!(Arc::ptr_eq(
            &first,
            &evaluator.clause(&theory[0]).expect("valid")
        ));
        assert!(!evaluator.admits_negative(&theory[0]).expect("valid"));
    }

    #[test]
    fn proofs_that_there_is_no_time_for_are_undecided() {
        let mut symbols = SymbolTable::new();
        let mut read = |text: &str| read_clauses(text, &mut symbols).expect("valid");
        let background = read("loop(X) :- loop(X). q(0).");
        let theory = read("p(X) :- loop(X). p(X) :- q(X).");
        let examples = vec![read("p(0).").remove(0).head; 20];
        let db = Database::builder()
            .clauses(&background)
            .build(&mut symbols)
            .expect("valid");
        let limits = Limits {
            steps: STEPS_BETWEEN_QUESTIONS,
            depth: u32::MAX,
            ..Limits::default()
        };
        let mut evaluator = Evaluator::new(&db, limits, &examples, &examples);
        let mut asked = 0;
        let coverages = evaluator.theory_while(&theory, &mut || {
            asked += 1;
            asked < 3
        });
        let coverages = coverages.expect("valid");
        let counts = |own: &Coverage| (own.undecided, own.left_out, own.positive.count_ones(..));
        assert_eq!(counts(&coverages[0]), (40, 34, 0));
        assert_eq!(counts(&coverages[1]), (40, 40, 0));
        assert_eq!(asked, 3);
        let coverages = evaluator.theory(&theory[1..]).expect("valid");
        assert_eq!(counts(&coverages[0]), (0, 0, 20));
    }

    #[test]
    fn tables_of_a_recursive_theory_end_with_the_time() {
        let mut symbols = SymbolTable::new();
        let mut read = |text: &str| read_clauses(text, &mut symbols).expect("valid");
        let background = read("s(X,Y) :- Y is X + 1. e(a,b). e(b,a).");
        let endless = read("p(X,Y) :- s(X,Z), p(Z,Y). p(X,X) :- s(X,0).");
        let cyclic = read("p(X,Y) :- p(X,Z), e(Z,Y). p(X,Y) :- e(X,Y).");
        let examples = vec![read("p(1,0).").remove(0).head; 20];
        let nodes: Vec<Atom> = ["p(a,a).", "p(a,b).", "p(a,c)."]
            .map(|text| read(text).remove(0).head)
            .to_vec();
        let db = Database::builder()
            .clauses(&background)
            .build(&mut symbols)
            .expect("valid");
        let limits = Limits {
            steps: STEPS_BETWEEN_QUESTIONS,
            depth: u32::MAX,
            ..Limits::default()
        };
        let mut evaluator = Evaluator::new(&db, limits, &examples, &[]);
        for most in 0..4 {
            let mut asked = 0;
            let coverages = evaluator.theory_while(&endless, &mut || {
                asked += 1;
                asked <= most
            });
            let coverages = coverages.expect("valid");
            // No question is asked again, and no proof is begun: at most two are made between two questions.
            assert_eq!(asked, most + 1);
            let made = 40 - coverages.iter().map(|own| own.left_out).sum::<usize>();
            assert!(made <= 2 * (most + 1), "{made} after {most}");
            let undecided = coverages.iter().map(|own| own.undecided).sum::<usize>();
            assert!(undecided >= 40 - made, "{undecided}");
        }
        let mut evaluator = Evaluator::new(&db, limits, &nodes, &nodes);
        let coverages = evaluator.theory(&cyclic).expect("valid");
        let mut total = coverages[0].clone();
        total.union(&coverages[1]);
        assert_eq!((total.confusion(), total.undecided), ([2, 1, 1, 2], 0));
    }

    #[test]
    fn proofs_that_do_not_end_leave_less_for_later_ones() {
        let mut symbols = SymbolTable::new();
        let mut read = |text: &str| read_clauses(text, &mut symbols).expect("valid");
        let background =
            read("loop(X) :- loop(X). down(0). down(N) :- N > 0, M is N - 1, down(M). near(0,40).");
        let theory = read("p(X) :- loop(X). p(X) :- near(X,N), down(N). p(X) :- near(X,_).");
        let example = read("p(0).").remove(0).head;
        let examples = vec![example; 200];
        let db = Database::builder()
            .clauses(&background)
            .build(&mut symbols)
            .expect("valid");
        let limits = Limits {
            steps: 1_000,
            ..Limits::default()
        };
        let mut evaluator = Evaluator::new(&db, limits, &[], &examples);
        let coverages = evaluator.theory(&theory).expect("valid");
        let n_covered = |i: usize| coverages[i].negative.count_ones(..);
        assert_eq!([n_covered(0), n_covered(1), n_covered(2)], [0, 0, 200]);
        assert_eq!([coverages[0].undecided, coverages[1].undecided], [200, 200]);
        let alone = evaluator.theory(&theory[1..2]).expect("valid");
        assert_eq!(alone[0].negative.count_ones(..), 200);
    }
}
