//! Cross-validation of one learner, or of several on the same parts of the examples.

use std::time::Instant;

use kibitz_ilp::learn::{Learner, Progress as _};
use kibitz_ilp::{DecisionTable, Evaluation, Problem, Share, Split, Task, Theory};
use kibitz_text::{Exit, Failure, counted, note};

use super::decisions::{Covering, Part, decided, parts};
use super::learn::{LearnArguments, Tasks, is_limited, learned};
use super::test_examples::tested;
use super::watch::{Watch, is_interrupted};
use super::{limits, report, target};

/// How a learner does on all folds.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) learner: &'static str,
    pub(super) targets: Vec<TargetRow>,
    /// The classes that the objects of the test parts got.
    pub(super) decided: Vec<DecisionTable>,
}

/// How a learner does on all folds of the examples of a target.
#[derive(Debug, Default)]
pub(super) struct TargetRow {
    pub(super) target: String,
    /// On the test part of each fold.
    pub(super) folds: Vec<Evaluation>,
    /// How many folds there are: more than these after an interrupt.
    pub(super) n_folds: usize,
    /// Clauses and body literals of all theories, and the steps of all searches.
    pub(super) n_clauses: usize,
    pub(super) n_literals: usize,
    pub(super) steps: u64,
    /// The share of objects that got their class, where classes are decided.
    pub(super) class_accuracy: Option<Share>,
    /// Folds in which a limit was reached.
    n_limited: usize,
}

impl TargetRow {
    fn add(&mut self, theory: &Theory, test: Evaluation) {
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
    learners: &[(&'static str, Box<dyn Learner>, Tasks<'_>)],
    end: Option<Instant>,
) -> Result<Exit, Failure> {
    // The examples are the same for all learners.
    let Some((_, _, tasks)) = learners.first() else {
        return Err(Failure::usage("name a learner"));
    };
    let splits = splits(k, arguments.seed, *tasks);
    let mut rows = Vec::new();
    for (i, (name, learner, tasks)) in learners.iter().enumerate() {
        let end = share(end, learners.len() - i);
        match row(arguments, &**learner, *tasks, &splits, end) {
            Ok(row) => rows.push(Row {
                learner: name,
                ..row
            }),
            // Beside others, one that cannot learn the task is named and left out.
            Err(error) if learners.len() > 1 => {
                let reasons = error.diagnostics.iter().map(|own| own.message.as_str());
                let reasons = reasons.collect::<Vec<_>>().join("; ");
                note(&format!("note: {name} is left out: {reasons}"));
            }
            Err(error) => return Err(error),
        }
        if is_interrupted() {
            break;
        }
    }
    report::rows(&rows, learners.len() > 1, arguments.format)?;
    if is_interrupted() {
        note("note: interrupted: what is printed is of the folds before");
        return Ok(Exit::Interrupted);
    }
    let of_targets = rows.iter().flat_map(|row| &row.targets);
    let n_limited: usize = of_targets.map(|row| row.n_limited).sum();
    if n_limited > 0 {
        let folds = counted(n_limited, "fold", "folds");
        return Err(Failure::failed(format!(
            "a limit was reached in {folds}: what is printed is of the best theories so far"
        )));
    }
    Ok(Exit::Done)
}

/// The end of the first of so many parts of the time that is left.
pub(super) fn share(end: Option<Instant>, n: usize) -> Option<Instant> {
    let now = Instant::now();
    let n = u32::try_from(n).unwrap_or(u32::MAX);
    end.map(|end| now + end.saturating_duration_since(now) / n)
}

/// The folds of each task: at most as many as it has objects or examples.
fn splits(k: u16, seed: u64, (tasks, _, decisions): Tasks<'_>) -> Vec<Vec<Split>> {
    let fewer = |n: usize, what: String| {
        let n_folds = n.min(k.into());
        if n_folds < k.into() {
            note(&format!("note: {what} make {n_folds} folds, not {k}"));
        }
        n_folds
    };
    parts(
        tasks,
        decisions,
        |decision, all| {
            let n = decision.n_objects(all);
            let n_folds = fewer(n, counted(n, "object", "objects"));
            decision.folds(all, n_folds, seed)
        },
        |task| {
            let n = task.positive.len() + task.negative.len();
            let n_folds = fewer(n, counted(n, "example", "examples"));
            task.folds(n_folds, seed)
        },
    )
}

fn row(
    arguments: &LearnArguments,
    learner: &dyn Learner,
    (tasks, dbs, decisions): Tasks<'_>,
    splits: &[Vec<Split>],
    end: Option<Instant>,
) -> Result<Row, Failure> {
    let of_target = |(task, splits): (&Task, &Vec<Split>)| TargetRow {
        target: target(task),
        n_folds: splits.len(),
        ..TargetRow::default()
    };
    let mut row = Row {
        learner: learner.name(),
        targets: tasks.iter().zip(splits).map(of_target).collect(),
        decided: Vec::new(),
    };
    let mut all_decided: Vec<Option<DecisionTable>> = vec![None; decisions.len()];
    let limits = limits(arguments.memory_limit);
    let n_folds = splits.iter().map(Vec::len).max().unwrap_or(0);
    for fold in 0..n_folds {
        let in_fold = tasks.iter().zip(splits).map(|(task, splits)| {
            let split = splits.get(fold)?;
            let mut part = task.with_examples(split.training.clone());
            part.test.clone_from(&split.test);
            part.test_weights.clone_from(&task.weights);
            Some(part)
        });
        let in_fold: Vec<Option<Task>> = in_fold.collect();
        // A task of fewer folds has nothing to do in the others.
        let of_fold = |i: usize| in_fold[i].as_ref().unwrap_or(&tasks[i]);
        let problems = (0..tasks.len()).map(|i| Problem::with_database(of_fold(i), &dbs[i]));
        let problems: Vec<Problem<'_>> = problems.collect();
        let mut theories: Vec<Option<Theory>> = Vec::new();
        for (i, part) in in_fold.iter().enumerate() {
            let left = (n_folds - fold) * tasks.len() - i;
            let Some(part) = part.as_ref().filter(|_| !is_interrupted()) else {
                theories.push(None);
                continue;
            };
            let mut watch = Watch::new(part, arguments.progress, share(end, left));
            let theory = learned(learner, &problems[i], limits, &mut watch)?;
            let keep_going = &mut || watch.keep_verifying();
            let test = tested(&problems[i], &theory, limits, keep_going)?;
            row.targets[i].add(&theory, test.unwrap_or_default());
            theories.push(Some(theory));
        }
        if is_interrupted() {
            break;
        }
        let theories = theories.iter().map(|own| own.as_ref().map(Covering::from));
        let theories: Vec<_> = theories.collect();
        let mut watch = Watch::new(&tasks[0], arguments.progress, end);
        for (i, decision) in decisions.iter().enumerate() {
            let keep_going = &mut || watch.keep_verifying();
            let of_tasks = (&problems[..], &theories[..]);
            let own = decided(decision, Part::Test, of_tasks, limits, keep_going)?;
            match (&mut all_decided[i], own) {
                (Some(known), Some(own)) => known.add(&own),
                (known @ None, own) => *known = own,
                (Some(_), None) => {}
            }
        }
    }
    for (decision, own) in decisions.iter().zip(&all_decided) {
        for place in &decision.tasks {
            row.targets[*place].class_accuracy = own.as_ref().and_then(DecisionTable::accuracy);
        }
    }
    row.decided = all_decided.into_iter().flatten().collect();
    Ok(row)
}
