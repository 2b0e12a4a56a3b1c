use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use kibitz_prolog::{Clause, Predicate, ProverError, SymbolTable};
use thiserror::Error;

use super::message_length::Message;
use super::reach::Reach;
use crate::encoded::{Remark, TablingError};
use crate::task::Task;

/// Why a learner ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Every positive example is covered.
    Complete,
    /// No further clause is good enough; some positive examples are left.
    NoMoreClauses,
    /// The bias allows no more clauses.
    ClauseLimit,
    /// The bound on search steps was met.
    OutOfSteps,
    /// [`Progress::keep_going`] said no.
    Interrupted,
    /// The bound on memory was met.
    OutOfMemory,
}

/// The result of a learner.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypothesis {
    /// The theory, in the order in which it should be read.
    pub clauses: Vec<Clause>,
    /// Why the search ended.
    pub stop: Stop,
    /// Candidate literals or clauses evaluated, and the work that their evaluation takes (Foil); the same on
    /// every machine.
    pub steps: u64,
    /// Names of predicates that the learner invented; they follow the task's symbols in this order.
    pub invented: Vec<String>,
    /// For each clause the best others that cover no negative example (mFoil: as many as its beam
    /// holds); empty for learners that keep none.
    pub alternatives: Vec<Vec<Clause>>,
    /// The cost of each search for a clause, in their order (Mio and Progol).
    pub searches: Vec<SearchReport>,
    /// Determinate literals that were left out of clauses in the making, since what can be said of their
    /// variables takes too long to evaluate (Foil).
    pub n_left_out: usize,
    /// How long the message of these clauses is (mml); see [`Hypothesis::message`].
    pub(super) message: Option<Message>,
    /// The learner that found them, where one was chosen among several.
    pub chosen: Option<ChosenLearner>,
    /// Those of several learners that a limit ended, with the limit.
    pub unfinished: Vec<(&'static str, Stop)>,
}

/// A learner that was chosen among several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChosenLearner {
    /// Its name.
    pub learner: &'static str,
    /// The clauses that it looked at.
    pub reach: Reach,
}

/// The cost of one search for a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchReport {
    /// Different clauses evaluated.
    pub n_clauses: usize,
    /// Whether the bound on them ended it.
    pub is_limited: bool,
    /// Whether it found a clause.
    pub has_found: bool,
}

impl Hypothesis {
    /// A theory over the task's own predicates.
    pub fn new(clauses: Vec<Clause>, stop: Stop, steps: u64) -> Self {
        Self {
            clauses,
            stop,
            steps,
            invented: Vec::new(),
            alternatives: Vec::new(),
            searches: Vec::new(),
            n_left_out: 0,
            message: None,
            chosen: None,
            unfinished: Vec::new(),
        }
    }

    /// How long the message of the clauses is (mml), as long as they are those that it was computed of:
    /// changed clauses have none.
    pub fn message(&self) -> Option<&Message> {
        let own = self.message.as_ref();
        own.filter(|message| message.is_of(&self.clauses))
    }

    /// The empty theory of a learner that was stopped before it began.
    pub fn interrupted() -> Self {
        Self::new(Vec::new(), Stop::Interrupted, 0)
    }

    /// The task's symbols and the invented ones.
    pub fn symbols(&self, of_task: &SymbolTable) -> SymbolTable {
        let mut symbols = of_task.clone();
        for name in &self.invented {
            symbols.intern(name);
        }
        symbols
    }
}

/// Watches a learner at work, and may stop it.
pub trait Progress {
    /// A clause was added to the theory; `positive` and `negative` count the examples it covers.
    fn clause(&mut self, clause: &Clause, symbols: &SymbolTable, positive: usize, negative: usize) {
        let _ = (clause, symbols, positive, negative);
    }

    /// Something was found out about a predicate of the background.
    fn remark(&mut self, remark: &Remark) {
        let _ = remark;
    }

    /// A learner to choose from was tested: so many examples of so many were right.
    fn tried(&mut self, learner: &'static str, n_right: usize, n: usize) {
        let _ = (learner, n_right, n);
    }

    /// Asked often; `false` ends the search with the best theory so far.
    fn keep_going(&mut self) -> bool {
        true
    }

    /// Asked between the proofs by which theories are tested and verified; `false` leaves the other
    /// proofs out, and their examples count as undecided. A search that was stopped still has its theory
    /// verified, so this may say yes for a while after [`Progress::keep_going`] has said no.
    fn keep_verifying(&mut self) -> bool {
        true
    }
}

/// Watches nothing and stops nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProgress;

impl Progress for NoProgress {}

/// A progress that several threads ask.
pub(super) struct Watch<'p> {
    progress: Mutex<&'p mut (dyn Progress + Send)>,
    is_over: AtomicBool,
}

impl<'p> Watch<'p> {
    pub(super) fn new(progress: &'p mut (dyn Progress + Send)) -> Self {
        Self {
            progress: Mutex::new(progress),
            is_over: AtomicBool::new(false),
        }
    }

    /// See [`Progress::keep_going`]; once it is over it stays so.
    pub(super) fn keep_going(&self) -> bool {
        if self.is_over.load(Ordering::Relaxed) {
            return false;
        }
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let goes_on = progress.keep_going();
        if !goes_on {
            self.is_over.store(true, Ordering::Relaxed);
        }
        goes_on
    }

    /// See [`Progress::clause`].
    pub(super) fn clause(&self, clause: &Clause, symbols: &SymbolTable, counts: [usize; 2]) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.clause(clause, symbols, counts[0], counts[1]);
    }
}

/// Why a learner cannot work on a task.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LearnError {
    /// There is nothing to learn from.
    #[error("the task has no positive examples")]
    NoPositives,
    /// A bottom-up or top-down search needs something to keep out.
    #[error("the task has no negative examples; every clause would do")]
    NoNegatives,
    /// An example is both.
    #[error("examples that are positive as well as negative: {0}")]
    Contradictory(usize),
    /// A predicate given by rules cannot be listed for the learner.
    #[error("the predicate with symbol {} cannot be tabled: {reason}", .predicate.name.index())]
    Intensional {
        /// The predicate.
        predicate: Predicate,
        /// The reason.
        reason: String,
        /// The clause of the background in which it did.
        clause: Option<Box<Clause>>,
    },
    /// The tables of the background take more memory than allowed.
    #[error("listing the background takes more than {0} bytes")]
    OutOfMemory(usize),
    /// A parameter outside its range.
    #[error("{parameter} must be {expected}")]
    Parameter {
        /// Its name.
        parameter: &'static str,
        /// The range allowed.
        expected: &'static str,
    },
    /// The background knowledge is at fault.
    #[error(transparent)]
    Prover(#[from] ProverError),
    /// A learner's own reason.
    #[error("{0}")]
    Other(String),
}

impl From<TablingError> for LearnError {
    fn from(error: TablingError) -> Self {
        match error {
            TablingError::Interrupted(_) => {
                Self::Other("listing the background was stopped".into())
            }
            TablingError::OutOfMemory(bytes) => Self::OutOfMemory(bytes),
            TablingError::Prover(error) => error.into(),
            TablingError::Intensional {
                predicate,
                reason,
                clause,
            } => Self::Intensional {
                predicate,
                reason,
                clause,
            },
        }
    }
}

impl LearnError {
    /// Refuses a task that lacks positive or negative examples.
    ///
    /// # Errors
    /// [`LearnError::NoPositives`] or [`LearnError::NoNegatives`].
    pub fn without_examples(task: &Task) -> Result<(), Self> {
        if task.positive.is_empty() {
            Err(LearnError::NoPositives)
        } else if task.negative.is_empty() {
            Err(LearnError::NoNegatives)
        } else {
            Ok(())
        }
    }

    /// The message with the names of predicates; `known` are those of the background.
    pub fn describe(&self, symbols: &SymbolTable, known: &[Predicate]) -> String {
        match self {
            LearnError::Prover(error) => error.describe(symbols, known),
            LearnError::Intensional {
                predicate, reason, ..
            } => format!(
                "no predicate is left to learn with; {}/{} cannot be asked: {reason}",
                symbols.name(predicate.name),
                predicate.arity
            ),
            other => other.to_string(),
        }
    }

    /// The clause of the background that is at fault.
    pub fn clause(&self) -> Option<&Clause> {
        match self {
            LearnError::Intensional { clause, .. } => clause.as_deref(),
            LearnError::Prover(error) => error.clause(),
            _ => None,
        }
    }
}
