//! A task joined with its compiled background: what every learner is given.

use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};

use kibitz_prolog::{Atom, Clause, Coverage, Database, Evaluator, Limits, ProverError};

use crate::encoded::{EncodedProblem, KeepGoing, TablingError};
use crate::task::Task;

/// A [`Task`] and the [`Database`] of its background, which have the same symbols.
///
/// # Examples
/// ```
/// use kibitz_ilp::learn::{Foil, Learner, NoProgress};
/// use kibitz_ilp::{Problem, Source, Task};
///
/// let source = |name, text| Source { name, text };
/// let mut task = Task::from_popper(
///     source("exs.pl", "pos(up(1,2)). pos(up(2,4)). neg(up(2,1)). neg(up(3,3))."),
///     source("bk.pl", "less(1,2). less(1,4). less(2,3). less(2,4). less(3,4)."),
///     source("bias.pl", "head_pred(up,2). body_pred(less,2)."),
/// )?;
/// let problem = Problem::new(&mut task)?;
/// let learned = Foil::default().learn(&problem, &mut NoProgress)?;
/// assert_eq!(learned.clauses.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Problem<'t> {
    task: &'t Task,
    database: DatabaseSource<'t>,
    /// The task in numbers, where it is kept for further learners.
    kept: Option<Store>,
    /// The most search steps that listing the background may take, where that is not for one learner to say.
    listing_steps: Option<u64>,
}

/// A place for a task in numbers.
type Store = Mutex<Option<StoredEncoding>>;

/// A task in numbers, with the bounds within which its background was listed.
#[derive(Debug)]
struct StoredEncoding {
    limits: Limits,
    encoded: EncodedProblem,
}

fn locked(store: &Store) -> MutexGuard<'_, Option<StoredEncoding>> {
    store.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A task in numbers, lent to a learner: where others share it, it is given back in the end.
#[derive(Debug)]
pub(crate) struct EncodingLoan<'p> {
    kept: Option<StoredEncoding>,
    store: Option<&'p Store>,
}

impl Deref for EncodingLoan<'_> {
    type Target = EncodedProblem;

    fn deref(&self) -> &EncodedProblem {
        let kept = self.kept.as_ref();
        &kept.expect("it is there until it is dropped").encoded
    }
}

impl Drop for EncodingLoan<'_> {
    fn drop(&mut self) {
        if let Some(store) = self.store {
            *locked(store) = self.kept.take();
        }
    }
}

#[derive(Debug)]
enum DatabaseSource<'t> {
    Own(Box<Database>),
    Given(&'t Database),
}

impl<'t> Problem<'t> {
    /// Compiles the background of a task.
    ///
    /// # Errors
    /// As [`Task::database`].
    pub fn new(task: &'t mut Task) -> Result<Self, ProverError> {
        let database = DatabaseSource::Own(Box::new(task.database()?));
        Ok(Self {
            task,
            database,
            kept: None,
            listing_steps: None,
        })
    }

    /// A task with a database that was compiled with its symbols and its background: tasks that
    /// differ only in their examples can share one.
    pub fn with_database(task: &'t Task, database: &'t Database) -> Self {
        let database = DatabaseSource::Given(database);
        Self {
            task,
            database,
            kept: None,
            listing_steps: None,
        }
    }

    /// The same for several learners, of which the first lists the background for all, in so many search
    /// steps at most if they are bounded.
    pub(crate) fn shared(mut self, listing_steps: Option<u64>) -> Self {
        self.kept = Some(Mutex::default());
        self.listing_steps = listing_steps;
        self
    }

    /// The most search steps that listing the background may take for a learner that has so many.
    pub(crate) fn listing_steps(&self, of_learner: u64) -> u64 {
        self.listing_steps.unwrap_or(of_learner)
    }

    /// The task in numbers.
    ///
    /// # Errors
    /// As [`EncodedProblem::new`].
    pub(crate) fn encoded(
        &self,
        limits: Limits,
        keep_going: KeepGoing<'_>,
    ) -> Result<EncodingLoan<'_>, TablingError> {
        let store = self.kept.as_ref();
        let kept = store.and_then(|store| locked(store).take());
        let kept = match kept.filter(|own| own.limits == limits) {
            Some(kept) => kept,
            None => StoredEncoding {
                limits,
                encoded: EncodedProblem::new(self.task, self.database(), limits, keep_going)?,
            },
        };
        Ok(EncodingLoan {
            kept: Some(kept),
            store,
        })
    }

    /// Examples, background and bias.
    #[inline]
    pub fn task(&self) -> &Task {
        self.task
    }

    /// The compiled background.
    #[inline]
    pub fn database(&self) -> &Database {
        match &self.database {
            DatabaseSource::Own(database) => database,
            DatabaseSource::Given(database) => database,
        }
    }

    /// What clauses cover together, by the proofs that there is time for: see
    /// [`Evaluator::theory_while`].
    ///
    /// # Errors
    /// [`ProverError`] if a clause cannot be carried out.
    pub fn coverage_of(
        &self,
        clauses: &[Clause],
        [positive, negative]: [&[Atom]; 2],
        limits: Limits,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Coverage, ProverError> {
        let mut evaluator = Evaluator::new(self.database(), limits, positive, negative);
        let mut total = Coverage::nothing(positive.len(), negative.len());
        for coverage in evaluator.theory_while(clauses, keep_going)? {
            total.union(&coverage);
        }
        Ok(total)
    }
}
