//! The command line: arguments, files, progress, exit codes.

mod active;
mod evaluate;
mod explain;
mod folds;
mod learn;
mod options;
mod report;

use std::fmt::Write as _;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};
use kibitz_ilp::{Issue, IssueKind, Layout, LoadError, Problem, Task, TaskError, Unsolved};
use kibitz_prolog::{Database, Limits};
use kibitz_text::{Exit, Failure, Severity, counted, note, print};

/// Inductive logic programming on the files of Popper, Aleph, Golem, Progol and FOIL.
#[derive(Debug, Parser)]
#[command(name = "kibitz-ilp", version, after_help = Exit::help())]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Learns a definition and prints it as Prolog, with what each clause covers.
    Learn(learn::LearnArguments),
    /// Counts what the clauses of a theory cover of a task's examples, with accuracy, precision, recall,
    /// F1 and Matthews' correlation.
    Evaluate(evaluate::EvaluateArguments),
    /// Explains why a theory covers an example, by its proof, or does not, by the literals that fail.
    Explain(explain::ExplainArguments),
    /// Checks the files of a task for problems that stand in the way of learning.
    Check {
        /// Folder or file of the task.
        path: PathBuf,
        /// Layout of the files; found out from their names if not given.
        #[arg(long)]
        layout: Option<Layout>,
    },
    /// Learns rules from a knowledge graph, a file of triples, and applies, evaluates and explains them.
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

/// Reads a task that can be learned, changes it as the command line asks, and prints warnings about it.
///
/// The program ends with the task: giving its memory back piece by piece would only take time.
fn read(
    path: &Path,
    layout: Option<Layout>,
    needs_examples: bool,
    change: impl FnOnce(&mut Task) -> Result<(), Failure>,
) -> Result<ManuallyDrop<Task>, Failure> {
    let mut task = load(path, layout)?;
    change(&mut task)?;
    let mut findings = task.check();
    for warning in &findings.warnings {
        note(&warning.diagnostic(Severity::Warning).render(true));
    }
    if !needs_examples {
        let is_more = |issue: &Issue| !matches!(issue.kind, IssueKind::NoExamples(_));
        findings.errors.retain(is_more);
    }
    if !findings.errors.is_empty() {
        let issues = findings.errors;
        return Err(TaskError { issues }.into());
    }
    Ok(ManuallyDrop::new(task))
}

fn load(path: &Path, layout: Option<Layout>) -> Result<Task, LoadError> {
    match layout {
        Some(layout) => Task::from_layout(path, layout),
        None => Task::from_dir(path),
    }
}

fn database(task: &mut Task) -> Result<ManuallyDrop<Database>, Failure> {
    let db = task.database();
    let db = db.map_err(|error| Unsolved::before(task, error))?;
    Ok(ManuallyDrop::new(db))
}

fn run_check(path: &Path, layout: Option<Layout>) -> Result<Exit, Failure> {
    let mut task = load(path, layout)?;
    let findings = task.check();
    let mut text = String::new();
    for warning in &findings.warnings {
        let _ = writeln!(text, "{}", warning.diagnostic(Severity::Warning));
    }
    for error in &findings.errors {
        let _ = writeln!(text, "{error}");
    }
    let _ = writeln!(
        text,
        "{} positive and {} negative examples of {}/{}, {} of background, {}",
        task.positive.len(),
        task.negative.len(),
        task.symbols.name(task.target.name),
        task.target.arity,
        counted(task.background.len(), "clause", "clauses"),
        counted(task.bias.body.len(), "mode", "modes")
    );
    if findings.errors.is_empty() {
        let db = database(&mut task)?;
        let problem = Problem::with_database(&task, &db);
        let positive = &task.positive[..];
        let why_not = problem.why_not(positive, None, Limits::default());
        let why_not = why_not.map_err(|error| Unsolved::by(&problem, error))?;
        text += &why_not.to_string();
    }
    print(&text)?;
    Ok(if findings.errors.is_empty() {
        Exit::Done
    } else {
        Exit::BadInput
    })
}
