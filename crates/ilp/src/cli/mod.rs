//! The command line: arguments, files, progress, exit codes.

mod active;
mod learn;
#[cfg(feature = "tcp")]
mod teach;

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use kibitz_ilp::{
    Database, Issue, IssueKind, Layout, Limits, LoadError, Task, TaskError, Unsolved,
};
use thiserror::Error;

/// Inductive logic programming on the files of Popper, Aleph, Golem, Progol and FOIL.
#[derive(Debug, Parser)]
#[command(name = "kibitz-ilp", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Learns a definition and prints it as Prolog, with what each clause covers.
    ///
    /// Exit codes: 0 every example is right, 1 the theory misses or wrongly covers some, 2 the
    /// command line is wrong, 3 the files are wrong, 4 learning failed.
    Learn(learn::LearnArguments),
    /// Teaches a task: tests the rules of learners that connect on examples they do not know.
    ///
    /// Everyone who connects (`learn --learner mio --teacher HOST:PORT`) is taught from the
    /// beginning. Ends after `--max-visits`, or by an interrupt. Exit codes: 0 it ended as it should,
    /// 2 the command line is wrong, 3 the files are wrong, 4 the network failed.
    #[cfg(feature = "tcp")]
    Teach(teach::TeachArguments),
    /// Teaches a task over TCP, in a program that was built with the feature `tcp`.
    #[cfg(not(feature = "tcp"))]
    Teach {
        #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Checks the files of a task for problems that stand in the way of learning.
    Check {
        /// Folder or file of the task.
        path: PathBuf,
        /// Layout of the files; found out from their names if not given.
        #[arg(long)]
        layout: Option<Layout>,
    },
}

fn limits(memory_limit: usize) -> Limits {
    Limits {
        memory: memory_limit.saturating_mul(1 << 20),
        ..Limits::default()
    }
}

/// Why the program ends early.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("{0}")]
    Learning(String),
    #[cfg(feature = "tcp")]
    #[error("{address} cannot be listened at: {source}")]
    Network {
        address: String,
        source: std::io::Error,
    },
    #[cfg(feature = "tcp")]
    #[error("an interrupt would not be noticed: {0}")]
    Interrupt(#[from] ctrlc::Error),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage(_)
            | Failure::Load(LoadError::NoTask { .. } | LoadError::Missing { .. }) => 2,
            Failure::Load(_) => 3,
            Failure::Learning(_) => 4,
            #[cfg(feature = "tcp")]
            Failure::Network { .. } | Failure::Interrupt(_) => 4,
        }
    }
}

impl From<TaskError> for Failure {
    fn from(error: TaskError) -> Self {
        Failure::Load(error.into())
    }
}

impl From<Unsolved> for Failure {
    fn from(error: Unsolved) -> Self {
        Failure::Learning(error.to_string())
    }
}

/// How to get a program that teaches over TCP and learns from such a teacher.
#[cfg(not(feature = "tcp"))]
const WITHOUT_TCP: &str = "this program was built without teachers over TCP; build it with \
                           `cargo build --release -p kibitz-ilp --features tcp`";

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match &arguments.command {
        Command::Learn(arguments) => learn::run(arguments),
        #[cfg(feature = "tcp")]
        Command::Teach(arguments) => teach::run(arguments),
        #[cfg(not(feature = "tcp"))]
        Command::Teach { .. } => Err(Failure::Usage(WITHOUT_TCP.into())),
        Command::Check { path, layout } => run_check(path, *layout),
    }
}

/// Reads a task that can be learned, and prints warnings about it.
///
/// The program ends with the task: giving its memory back piece by piece would only take time.
fn read(
    path: &Path,
    layout: Option<Layout>,
    needs_examples: bool,
) -> Result<ManuallyDrop<Task>, Failure> {
    let task = load(path, layout)?;
    let mut findings = task.check();
    for warning in &findings.warnings {
        eprintln!("warning: {warning}");
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

fn run_check(path: &Path, layout: Option<Layout>) -> Result<ExitCode, Failure> {
    let task = load(path, layout)?;
    let findings = task.check();
    for warning in &findings.warnings {
        println!("warning: {warning}");
    }
    for error in &findings.errors {
        println!("error: {error}");
    }
    println!(
        "{} positive and {} negative examples of {}/{}, {} clauses of background, {} modes",
        task.positive.len(),
        task.negative.len(),
        task.symbols.name(task.target.name),
        task.target.arity,
        task.background.len(),
        task.bias.body.len()
    );
    Ok(ExitCode::from(if findings.errors.is_empty() {
        0
    } else {
        3
    }))
}
