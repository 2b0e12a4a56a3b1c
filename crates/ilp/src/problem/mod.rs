//! A task joined with its compiled background: what every learner is given.

use kibitz_prolog::{Atom, Clause, Coverage, Database, Evaluator, Limits, ProverError};

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
    database: Compiled<'t>,
}

#[derive(Debug)]
enum Compiled<'t> {
    Own(Box<Database>),
    Given(&'t Database),
}

impl<'t> Problem<'t> {
    /// Compiles the background of a task.
    ///
    /// # Errors
    /// As [`Task::database`].
    pub fn new(task: &'t mut Task) -> Result<Self, ProverError> {
        let database = Compiled::Own(Box::new(task.database()?));
        Ok(Self { task, database })
    }

    /// A task with a database that was compiled with its symbols and its background: tasks that
    /// differ only in their examples can share one.
    pub fn with_database(task: &'t Task, database: &'t Database) -> Self {
        let database = Compiled::Given(database);
        Self { task, database }
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
            Compiled::Own(database) => database,
            Compiled::Given(database) => database,
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
