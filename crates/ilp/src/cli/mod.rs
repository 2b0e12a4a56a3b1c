//! The command line: arguments, files, progress, exit codes.

mod layout;
mod teach;

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, Subcommand, ValueEnum};
use kibitz_ilp::learn::mio::active::{ActiveError, Taught};
use kibitz_ilp::learn::{
    LearnError, Learned, Progress, Stop, closed_world, foil, golem, mfoil, mio, progol,
};
use kibitz_ilp::{
    Clause, Database, Issue, IssueKind, Limits, SymbolTable, Task, TaskError, Verified,
    VerifyError, print_clause, verify,
};
use thiserror::Error;

pub(crate) use layout::{Files, Layout};
use teach::{LearnerArguments, TeachArguments, Whereabouts};

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
    Learn(LearnArguments),
    /// Teaches a task: tests the rules of learners that connect on examples they do not know.
    ///
    /// Everyone who connects (`learn --learner mio --teacher HOST:PORT`) is taught from the
    /// beginning. Ends after `--max-visits`, or by an interrupt. Exit codes: 0 it ended as it should,
    /// 2 the command line is wrong, 3 the files are wrong, 4 the network failed.
    Teach(TeachArguments),
    /// Checks the files of a task and says what stands in the way of learning.
    Check {
        /// Folder or file of the task.
        path: PathBuf,
        /// Layout of the files; found out from their names if not given.
        #[arg(long)]
        layout: Option<Layout>,
    },
}

#[derive(Debug, clap::Args)]
struct LearnArguments {
    /// Folder or file of the task: a folder with exs.pl, bk.pl and bias.pl (Popper); with .b, .f
    /// and .n files (Aleph, Golem); a .d file (FOIL); or a .pl file (Aleph, Progol).
    path: PathBuf,
    /// The learner.
    #[arg(long, value_enum, default_value_t = Learner::Foil)]
    learner: Learner,
    /// Layout of the files; found out from their names if not given.
    #[arg(long)]
    layout: Option<Layout>,
    /// Allow negated literals in bodies.
    #[arg(long)]
    negation: bool,
    /// Repair clauses that cover negative examples with exceptions of their own.
    #[arg(long)]
    exceptions: bool,
    /// Most search steps; the same limit gives the same theory on every machine.
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    /// Stop after this many seconds with the best theory so far.
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<f64>,
    /// Most memory, in MiB, for the terms of a query, the background that is listed and the tables of
    /// the search; when it is used up, the best theory so far is printed and the exit code is 4.
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory_limit: usize,
    /// Seed of the sampling (Golem, Mio).
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    active: LearnerArguments,
    /// Show each clause on the error stream as it is found.
    #[arg(long)]
    progress: bool,
}

/// Characters of a clause that a message shows.
const MAX_SHOWN: usize = 200;

impl LearnArguments {
    fn limits(&self) -> Limits {
        limits(self.memory_limit)
    }

    fn mio(&self) -> mio::MioParams {
        let mut params = mio::MioParams::default();
        params.max_steps = self.max_steps.unwrap_or(params.max_steps);
        params.seed = self.seed;
        params.bounds.limits = self.limits();
        params
    }
}

fn limits(memory_limit: usize) -> Limits {
    Limits {
        memory: memory_limit.saturating_mul(1 << 20),
        ..Limits::default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Learner {
    /// Top-down, by information gain.
    Foil,
    /// Top-down with a beam, by estimated accuracy and significance: for few or noisy examples.
    Mfoil,
    /// Bottom-up, by relative least general generalization of determinate clauses.
    Golem,
    /// Top-down within the bottom clause of an example, in macros, by IDA*.
    Mio,
    /// Top-down within the bottom clause of an example, by compression, best first.
    Progol,
}

/// Why the program ends early.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error("cannot read {path}: {source}")]
    File {
        path: String,
        source: std::io::Error,
    },
    #[error("the task cannot be used\n{0}")]
    Task(#[from] TaskError),
    #[error("{0}")]
    Learning(String),
    #[error("{address} cannot be listened at: {source}")]
    Network {
        address: String,
        source: std::io::Error,
    },
    #[error("an interrupt would not be noticed: {0}")]
    Interrupt(#[from] ctrlc::Error),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::File { .. } | Failure::Task(_) => 3,
            Failure::Learning(_) | Failure::Network { .. } | Failure::Interrupt(_) => 4,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    match &arguments.command {
        Command::Learn(learn) => run_learn(learn),
        Command::Teach(teach) => teach::run(teach),
        Command::Check { path, layout } => run_check(path, *layout),
    }
}

/// Reads a task that can be learned, and warns of what is odd about it.
///
/// The program ends with the task: giving its memory back piece by piece would only take time.
fn read(
    path: &Path,
    layout: Option<Layout>,
    needs_examples: bool,
) -> Result<(ManuallyDrop<Task>, Files), Failure> {
    let (task, files) = layout::read(path, layout)?;
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
    Ok((ManuallyDrop::new(task), files))
}

fn database(task: &mut Task) -> Result<ManuallyDrop<Database>, Failure> {
    let db = task.database();
    let db = db.map_err(|error| Failure::Learning(error.describe(&task.symbols, &[])))?;
    Ok(ManuallyDrop::new(db))
}

fn run_check(path: &Path, layout: Option<Layout>) -> Result<ExitCode, Failure> {
    let (task, _) = layout::read(path, layout)?;
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

/// Stops at a point in time, and shows clauses if asked.
struct Watch {
    end: Option<Instant>,
    show: bool,
    asked: u32,
    over: bool,
}

impl Progress for Watch {
    fn clause(&mut self, clause: &Clause, symbols: &SymbolTable, positive: usize, negative: usize) {
        if self.show {
            eprintln!(
                "found {}  % tp {positive} fp {negative}",
                print_clause(clause, symbols)
            );
        }
    }

    fn keep_going(&mut self) -> bool {
        // The clock is looked at now and then only.
        self.asked = self.asked.wrapping_add(1);
        if self.asked % 8 == 1 {
            self.over = self.end.is_some_and(|end| Instant::now() >= end);
        }
        !self.over
    }
}

fn run_learn(arguments: &LearnArguments) -> Result<ExitCode, Failure> {
    let limit = match arguments.time_limit {
        None => None,
        Some(seconds) => Some(Duration::try_from_secs_f64(seconds).map_err(|_| {
            Failure::Usage("--time-limit takes a number of seconds of at least 0".into())
        })?),
    };
    let end = limit.and_then(|limit| Instant::now().checked_add(limit));
    arguments.active.check(arguments.learner == Learner::Mio)?;
    let teacher = arguments.active.teacher.as_ref();
    let needs_examples = !matches!(teacher, Some(Whereabouts::At(_)));
    let (mut task, files) = read(&arguments.path, arguments.layout, needs_examples)?;
    task.bias.negation |= arguments.negation;
    let mut watch = Watch {
        end,
        show: arguments.progress,
        asked: 0,
        over: false,
    };
    let db = database(&mut task)?;
    let describe = |error: LearnError, symbols: &SymbolTable| {
        let message = match &error {
            LearnError::Prover(error) => error.describe(symbols, &db.predicates()),
            LearnError::Intensional {
                predicate, reason, ..
            } => format!(
                "{}/{} cannot be listed for the learner: {reason}",
                symbols.name(predicate.name),
                predicate.arity
            ),
            other => other.to_string(),
        };
        in_clause(message, error.clause(), &files, symbols)
    };
    let taught = match teacher {
        None => None,
        Some(teacher) => {
            let taught = arguments.learn_from(teacher, &task, &db, &mut watch);
            Some(taught.map_err(|error| match error {
                ActiveError::Learner(error) => describe(error, &task.symbols),
                ActiveError::Teacher(error) => Failure::Learning(error.to_string()),
            })?)
        }
    };
    let learned = match &taught {
        Some(taught) => Ok(taught.mined.learned.clone()),
        None => learn(arguments, &task, &db, &mut watch),
    };
    let learned = learned.map_err(|error| describe(error, &task.symbols))?;
    let mut theory = learned.clauses.clone();
    if arguments.exceptions {
        let mut learner = |inner: &mut Task| {
            let db = inner.database()?;
            learn(arguments, inner, &db, &mut watch)
        };
        theory = closed_world::specialize(&mut task, &theory, 3, &mut learner)
            .map_err(|error| describe(error, &task.symbols))?;
    }
    let limits = arguments.limits();
    let verified = verify(&task, &db, &theory, limits).map_err(|error| match error {
        VerifyError::Prover(error) => describe(LearnError::Prover(error), &task.symbols),
        other => Failure::Learning(other.to_string()),
    })?;
    print_theory(
        arguments,
        &task,
        &learned,
        taught.as_ref(),
        &theory,
        &verified,
    );
    if learned.stop == Stop::OutOfMemory {
        return Err(Failure::Learning(format!(
            "the memory limit of {} MiB is reached; what is printed is the best theory so far",
            arguments.memory_limit
        )));
    }
    let [_, fn_, _, fp] = verified.total.confusion();
    Ok(ExitCode::from(u8::from(fn_ + fp > 0)))
}

/// A failure with the place and the text of the clause at fault.
fn in_clause(
    message: String,
    clause: Option<&Clause>,
    files: &Files,
    symbols: &SymbolTable,
) -> Failure {
    let Some(clause) = clause else {
        return Failure::Learning(message);
    };
    let place = files.place_of(clause, symbols);
    let place = place.map_or_else(String::new, |place| format!("{place}: "));
    let text = print_clause(clause, symbols).to_string();
    let mut shown: String = text.chars().take(MAX_SHOWN).collect();
    if shown.len() < text.len() {
        shown.push_str(" ...");
    }
    Failure::Learning(format!("{place}{message}\n  in {shown}"))
}

fn learn(
    arguments: &LearnArguments,
    task: &Task,
    db: &Database,
    progress: &mut (dyn Progress + Send),
) -> Result<Learned, LearnError> {
    match arguments.learner {
        Learner::Foil => {
            let mut params = foil::FoilParams::default();
            params.max_steps = arguments.max_steps.unwrap_or(params.max_steps);
            params.limits = arguments.limits();
            foil::learn(task, db, &params, progress)
        }
        Learner::Mfoil => {
            let mut params = mfoil::MfoilParams::default();
            params.max_steps = arguments.max_steps.unwrap_or(params.max_steps);
            params.limits = arguments.limits();
            mfoil::learn(task, db, &params, progress)
        }
        Learner::Golem => {
            let mut params = golem::GolemParams::default();
            params.max_steps = arguments.max_steps.unwrap_or(params.max_steps);
            params.seed = arguments.seed;
            params.limits = arguments.limits();
            golem::learn(task, db, &params, progress)
        }
        Learner::Mio => mio::learn(task, db, &arguments.mio(), progress),
        Learner::Progol => {
            let mut params = progol::ProgolParams::default();
            params.max_steps = arguments.max_steps.unwrap_or(params.max_steps);
            params.bounds.limits = arguments.limits();
            progol::learn(task, db, &params, progress)
        }
    }
}

fn print_theory(
    arguments: &LearnArguments,
    task: &Task,
    learned: &Learned,
    taught: Option<&Taught>,
    theory: &[Clause],
    verified: &Verified,
) {
    let learner = arguments.learner.to_possible_value();
    let learner = learner.as_ref().map_or("", |value| value.get_name());
    let [tp, fn_, tn, fp] = verified.total.confusion();
    println!(
        "% {}/{} by {learner}, {} clauses: tp {tp} fn {fn_} tn {tn} fp {fp}",
        task.symbols.name(task.target.name),
        task.target.arity,
        theory.len()
    );
    let stop = match learned.stop {
        Stop::Complete if taught.is_some() => "the teacher knows no counterexample",
        Stop::NoMoreClauses if taught.is_some() => "the teacher knows counterexamples still",
        Stop::Complete if fn_ == 0 => "every positive example is covered",
        Stop::Complete => {
            "the learner saw every positive example covered, but not all can be proved"
        }
        Stop::NoMoreClauses => "no further clause is good enough",
        Stop::ClauseLimit => "the limit on clauses is reached",
        Stop::OutOfSteps => "the limit on steps is reached; this is the best theory so far",
        Stop::OutOfMemory => "the memory limit is reached; this is the best theory so far",
        Stop::Interrupted => "the time limit is reached; this is the best theory so far",
    };
    println!("% {stop}; {} steps", learned.steps);
    if let Some(taught) = taught {
        let [n_positive, n_negative] = taught.received.each_ref().map(Vec::len);
        println!(
            "% learned from {n_positive} positive and {n_negative} negative examples of the \
             teacher's, who tested {} times",
            taught.rounds
        );
    }
    if verified.total.undecided > 0 {
        println!(
            "% {} proofs met a bound and count as not covered",
            verified.total.undecided
        );
    }
    println!(":- style_check(-singleton).");
    for ((clause, coverage), line) in theory
        .iter()
        .zip(&verified.clauses)
        .zip(verified.text.lines())
    {
        if clause.head.predicate() == task.target {
            let [tp, fn_, tn, fp] = coverage.confusion();
            println!("{line}  % tp {tp} fn {fn_} tn {tn} fp {fp}");
        } else {
            println!("{line}");
        }
    }
}
