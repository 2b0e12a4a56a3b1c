//! Cross-validation of one learner, or of several on the same parts of the examples.

use std::time::Instant;

use kibitz_ilp::learn::Learner;
use kibitz_ilp::{Confusion, Problem, Split, Task, Theory};
use kibitz_prolog::Database;
use kibitz_text::{Exit, Failure, counted, note};

use super::learn::{LearnArguments, Watch, is_interrupted, is_limited};
use super::report;

/// How a learner does on all folds.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) learner: &'static str,
    /// On the test part of each fold.
    pub(super) folds: Vec<Confusion>,
    /// Clauses and body literals of all theories, and the steps of all searches.
    pub(super) n_clauses: usize,
    pub(super) n_literals: usize,
    pub(super) steps: u64,
    /// Folds in which a limit was reached.
    n_limited: usize,
}

impl Row {
    fn add(&mut self, theory: &Theory, test: Confusion) {
        self.folds.push(test);
        self.n_clauses += theory.clauses.len();
        self.n_literals += theory
            .clauses
            .iter()
            .map(|own| own.body.len())
            .sum::<usize>();
        self.steps += theory.steps;
        self.n_limited += usize::from(is_limited(theory));
    }
}

/// Learns without each part of the examples in turn and tests on it.
pub(super) fn run(
    arguments: &LearnArguments,
    k: u16,
    learners: &[Box<dyn Learner>],
    (task, db): (&Task, &Database),
    end: Option<Instant>,
) -> Result<Exit, Failure> {
    let n_examples = task.positive.len() + task.negative.len();
    let n_folds = n_examples.min(k.into());
    if n_folds < k.into() {
        let examples = counted(n_examples, "example", "examples");
        note(&format!("{examples} make {n_folds} folds, not {k}"));
    }
    let splits = task.folds(n_folds, arguments.seed);
    let mut rows = Vec::new();
    for (i, learner) in learners.iter().enumerate() {
        let end = share(end, learners.len() - i);
        match row(arguments, &**learner, (task, db), &splits, end) {
            Ok(row) => rows.push(row),
            // Beside others, one that cannot learn the task is named and left out.
            Err(error) if learners.len() > 1 => {
                let reasons = error.diagnostics.iter().map(|own| own.message.as_str());
                let reasons = reasons.collect::<Vec<_>>().join("; ");
                note(&format!("{} is left out: {reasons}", learner.name()));
            }
            Err(error) => return Err(error),
        }
        if is_interrupted() {
            break;
        }
    }
    report::rows(&rows, learners.len() > 1, arguments.format)?;
    if is_interrupted() {
        return Ok(Exit::Interrupted);
    }
    let n_limited: usize = rows.iter().map(|row| row.n_limited).sum();
    if n_limited > 0 {
        let folds = counted(n_limited, "fold", "folds");
        return Err(Failure::failed(format!(
            "a limit was reached in {folds}: what is printed is of the best theories so far"
        )));
    }
    Ok(Exit::Done)
}

/// The end of the first of so many parts of the time that is left.
fn share(end: Option<Instant>, n: usize) -> Option<Instant> {
    let now = Instant::now();
    let n = u32::try_from(n).unwrap_or(u32::MAX);
    end.map(|end| now + end.saturating_duration_since(now) / n)
}

fn row(
    arguments: &LearnArguments,
    learner: &dyn Learner,
    (task, db): (&Task, &Database),
    splits: &[Split],
    end: Option<Instant>,
) -> Result<Row, Failure> {
    let mut row = Row {
        learner: learner.name(),
        ..Row::default()
    };
    for (i, split) in splits.iter().enumerate() {
        let mut part = task.with_examples(split.training.clone());
        part.test.clone_from(&split.test);
        let problem = Problem::with_database(&part, db);
        let mut watch = Watch::new(&part, arguments, share(end, splits.len() - i));
        let theory = problem.learn(learner, &mut watch)?;
        let test = arguments.tested(&problem, &theory, &mut watch)?;
        row.add(&theory, test.unwrap_or_default());
        if is_interrupted() {
            break;
        }
    }
    Ok(row)
}
