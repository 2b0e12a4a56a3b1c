use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::BitSet;
use crate::printer::print_atom;
use crate::prover::{Database, Limits, Proof, Prover, ProverError};
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
    prover: Prover<'a>,
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

impl<'a> Evaluator<'a> {
    /// An evaluator of clauses on these examples.
    pub fn new(
        db: &'a Database,
        limits: Limits,
        positive: &'a [Atom],
        negative: &'a [Atom],
    ) -> Self {
        Self {
            prover: Prover::new(db, limits),
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
    /// one may, each later one may take a hundredth of them. Not cached.
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
        let limits = self.prover.limits;
        let late = Limits {
            steps: limits.steps / LATE_SHARE,
            ..limits
        };
        let mut steps = 0u64;
        let (mut asked_at, mut unasked, mut is_over) = (0, 0, false);
        let mut coverages = Vec::with_capacity(clauses.len());
        for (i, clause) in clauses.iter().enumerate() {
            let mut own = Coverage::nothing(self.positive.len(), self.negative.len());
            let Coverage {
                positive,
                negative,
                undecided,
                left_out,
                raised,
                first_raised,
            } = &mut own;
            let sides = [(self.positive, positive), (self.negative, negative)];
            for (examples, set) in sides.into_iter().filter(|_| !clause.is_tautology()) {
                for (e, example) in examples.iter().enumerate() {
                    unasked += 1;
                    if steps - asked_at > STEPS_BETWEEN_QUESTIONS
                        || unasked > PROOFS_BETWEEN_QUESTIONS
                    {
                        is_over = is_over || !keep_going();
                        (asked_at, unasked) = (steps, 0);
                    }
                    if is_over {
                        *undecided += examples.len() - e;
                        *left_out += examples.len() - e;
                        break;
                    }
                    match self.prover.covers(&prepared, i, example)? {
                        Proof::Proved => set.insert(e),
                        Proof::Refuted => {
                            if let Some(error) = self.prover.raised() {
                                *raised += 1;
                                first_raised.get_or_insert_with(|| {
                                    Box::new(RaisedError {
                                        example: example.clone(),
                                        error: error.clone(),
                                    })
                                });
                            }
                        }
                        _ => *undecided += 1,
                    }
                    steps = steps.saturating_add(self.prover.steps());
                    if steps > limits.steps.saturating_mul(FULL_PROOFS) {
                        self.prover.limits = late;
                    }
                }
            }
            coverages.push(own);
        }
        Ok(coverages)
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
