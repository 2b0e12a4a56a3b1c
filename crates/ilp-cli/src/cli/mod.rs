//! The command line: arguments, files, progress, exit codes.

mod active;
mod decisions;
mod evaluate;
mod explain;
mod folds;
mod learn;
mod options;
mod report;
mod test_examples;
mod watch;

use std::fmt::Write as _;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};
use kibitz_ilp::learn::{LearnError, Progress, Remark};
use kibitz_ilp::{
    Decision, Findings, Issue, IssueKind, Layout, Problem, Study as _, Task, TaskError, TheoryError,
};
use kibitz_prolog::{Database, Limits};
use kibitz_text::{Diagnostic, Exit, Failure, Severity, counted, note, print};

/// Inductive logic programming on the files of Popper, Aleph, Golem, Progol and FOIL.
#[derive(Debug, Parser)]
#[command(name = "kibitz-ilp", version, after_help = Exit::help())]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Learn a definition and print it as Prolog, with what each clause covers.
    Learn(learn::LearnArguments),
    /// Count what the clauses of a theory cover of a task's examples, with accuracy, precision, recall,
    /// F1 and Matthews' correlation.
    Evaluate(evaluate::EvaluateArguments),
    /// Explain why a theory covers an example, by its proof, or does not, by the literals that fail.
    Explain(explain::ExplainArguments),
    /// Check the files of a task for problems that prevent learning.
    Check {
        /// Folder or file of the task.
        path: PathBuf,
        /// Layout of the files; found out from their names if not given.
        #[arg(long)]
        layout: Option<Layout>,
    },
    /// Learn rules from a knowledge graph, a file of triples; apply, evaluate and explain them.
    Graph {
        #[command(subcommand)]
        command: kibitz_graph::cli::Command,
    },
}

fn limits(memory_limit: usize) -> Limits {
    Limits {
        memory: memory_limit.saturating_mul(1 << 20),
        ..Limits::default()
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Learn(arguments) => learn::run(arguments),
        Command::Evaluate(arguments) => evaluate::run(arguments),
        Command::Explain(arguments) => explain::run(arguments),
        Command::Check { path, layout } => run_check(path, *layout),
        Command::Graph { command } => kibitz_graph::cli::run(command),
    }
}

/// Reads a task for each target of the files, changes them as the command line asks, and prints warnings
/// about them.
///
/// The program ends with the tasks: giving their memory back piece by piece would only take time.
fn read(
    path: &Path,
    layout: Option<Layout>,
    needs_negatives: bool,
    change: impl FnOnce(&mut [Task]) -> Result<(), Failure>,
) -> Result<ManuallyDrop<Vec<Task>>, Failure> {
    let mut tasks = Task::each_from(path, layout)?;
    change(&mut tasks)?;
    let mut findings = findings(&tasks);
    for warning in &findings.warnings {
        note(&warning.diagnostic(Severity::Warning).render(true));
    }
    if !needs_negatives {
        findings.errors.retain(|issue| !lacks_negatives(issue));
    }
    if !findings.errors.is_empty() {
        let issues = findings.errors;
        return Err(TaskError { issues }.into());
    }
    Ok(ManuallyDrop::new(tasks))
}

/// Whether an error is that there are no negative examples, which not every command and learner needs.
fn lacks_negatives(issue: &Issue) -> bool {
    matches!(issue.kind, IssueKind::NoExamples("negative", _))
}

/// What checks of tasks find, once where several tasks share it.
///
/// That a target has no positive examples is a warning where another one has some: the others can be
/// learned and judged.
fn findings(tasks: &[Task]) -> Findings {
    let mut all = Findings::default();
    let is_some_left = tasks.iter().any(|task| !task.positive.is_empty());
    for task in tasks {
        let Findings {
            mut warnings,
            mut errors,
        } = task.check();
        if is_some_left && task.positive.is_empty() {
            let lacks_examples = |issue: &mut Issue| {
                use IssueKind::{NoExamples, TargetWithoutExamples};
                matches!(issue.kind, NoExamples(..) | TargetWithoutExamples(_))
            };
            warnings.extend(errors.extract_if(.., lacks_examples));
        }
        let lists = [(&mut all.warnings, warnings), (&mut all.errors, errors)];
        for (known, new) in lists {
            let before = known.len();
            known.extend(new);
            let mut place = before;
            while place < known.len() {
                if known[..before].contains(&known[place]) {
                    known.remove(place);
                } else {
                    place += 1;
                }
            }
        }
    }
    all
}

/// Does something with each task in turn that may add to its symbols, which are then those of all: terms of
/// one task can be compared with those of another.
fn each_with_symbols<T>(
    tasks: &mut [Task],
    mut change: impl FnMut(&mut Task) -> Result<T, Failure>,
) -> Result<Vec<T>, Failure> {
    let mut results = Vec::with_capacity(tasks.len());
    for i in 0..tasks.len() {
        let (before, rest) = tasks.split_at_mut(i);
        if let Some(before) = before.last() {
            rest[0].symbols.clone_from(&before.symbols);
        }
        results.push(change(&mut rest[0])?);
    }
    if let Some((last, others)) = tasks.split_last_mut() {
        for own in others {
            own.symbols.clone_from(&last.symbols);
        }
    }
    Ok(results)
}

fn database(task: &mut Task) -> Result<ManuallyDrop<Database>, Failure> {
    let db = task.database();
    let db = db.map_err(|error| TheoryError::before(task, error))?;
    Ok(ManuallyDrop::new(db))
}

/// What is found out about the background, in words.
struct Remarks<'t> {
    task: &'t Task,
    text: String,
}

impl Progress for Remarks<'_> {
    fn remark(&mut self, remark: &Remark) {
        let _ = writeln!(self.text, "{}", self.task.diagnostic_of(remark));
    }
}

fn run_check(path: &Path, layout: Option<Layout>) -> Result<Exit, Failure> {
    let mut tasks = Task::each_from(path, layout)?;
    let mut findings = findings(&tasks);
    let unneeded = findings.errors.extract_if(.., |own| lacks_negatives(own));
    findings.warnings.extend(unneeded);
    let mut text = String::new();
    for warning in &findings.warnings {
        let _ = writeln!(text, "{}", warning.diagnostic(Severity::Warning));
    }
    let all: Vec<&Task> = tasks.iter().collect();
    for decision in Decision::among(&all) {
        if let Some(warning) = learn::unlisted(&decision, &all) {
            let _ = writeln!(text, "{warning}");
        }
    }
    for error in &findings.errors {
        let _ = writeln!(text, "{error}");
    }
    for task in &mut tasks {
        let weights = match task.weights.len() {
            0 => String::new(),
            n => format!(", {}", counted(n, "weight", "weights")),
        };
        let _ = writeln!(
            text,
            "{} positive and {} of {}{weights}, {} of background, {}",
            task.positive.len(),
            counted(task.negative.len(), "negative example", "negative examples"),
            target(task),
            counted(task.background.len(), "clause", "clauses"),
            counted(task.bias.body.len(), "mode", "modes")
        );
        if findings.errors.is_empty() && !task.positive.is_empty() {
            // As `learn` does where no learner is named.
            learn::name_values(task, None);
            let db = database(task)?;
            let problem = Problem::with_database(task, &db);
            let positive = &task.positive[..];
            let mut remarks = Remarks {
                task,
                text: String::new(),
            };
            let why_not = problem.why_not(positive, None, Limits::default(), &mut remarks);
            text += &remarks.text;
            for (predicate, own) in task.undefined_goals() {
                // A search that met it has said so.
                let (name, arity) = (task.symbols.name(predicate.name), predicate.arity);
                if !remarks.text.contains(&format!("{name}/{arity}")) {
                    let _ = writeln!(text, "{}", own.diagnostic(Severity::Warning));
                }
            }
            match why_not {
                Ok(why_not) => text += &why_not.to_string(),
                // Learners that prove goals may do without a list of answers.
                Err(error @ LearnError::Intensional { .. }) => {
                    let failure = Failure::from(TheoryError::by(&problem, error));
                    for own in failure.diagnostics.iter() {
                        let warning = Diagnostic {
                            severity: Severity::Warning,
                            ..own.clone()
                        };
                        let _ = writeln!(text, "{warning}");
                    }
                }
                Err(error) => return Err(TheoryError::by(&problem, error).into()),
            }
        }
    }
    print(&text)?;
    Ok(if findings.errors.is_empty() {
        Exit::Done
    } else {
        Exit::BadInput
    })
}

/// The predicate that a task is about, as `name/arity`.
fn target(task: &Task) -> String {
    format!(
        "{}/{}",
        task.symbols.name(task.target.name),
        task.target.arity
    )
}
