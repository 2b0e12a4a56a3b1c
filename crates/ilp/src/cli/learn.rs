//! The `learn` command.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use kibitz_ilp::learn::mio::active::{ActiveError, Taught};
use kibitz_ilp::learn::{
    Algorithm, ClosedWorld, LearnError, Learner, Mio, Progress, Remark, Settings, Stop,
    UnknownAlgorithm,
};
use kibitz_ilp::{
    BitSet, Clause, Evaluator, Layout, Limits, Problem, SymbolTable, Task, Theory, Unsolved,
    print_clause,
};

use super::active::{ActiveArguments, Whereabouts};
use super::{database, limits, read};
use kibitz_text::{Diagnostic, Exit, Failure, Severity, note, print};

#[derive(Debug, clap::Args)]
pub(super) struct LearnArguments {
    /// Folder or file of the task: a folder with exs.pl, bk.pl and bias.pl (Popper); with .b, .f
    /// and .n files (Aleph, Golem); a .d file (FOIL); or a .pl file (Aleph, Progol).
    path: PathBuf,
    /// The learner.
    #[arg(long, default_value = "foil", value_parser = learners())]
    learner: Algorithm,
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
    /// the search; when it is used up, the best theory so far is printed and the exit code is 5.
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory_limit: usize,
    /// Seed of the sampling (Golem, Mio).
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    active: ActiveArguments,
    /// Show each clause on the error stream as it is found.
    #[arg(long)]
    progress: bool,
}

/// The names of all learners.
fn learners() -> impl TypedValueParser<Value = Algorithm> {
    let values = Algorithm::ALL
        .map(|algorithm| PossibleValue::new(algorithm.name()).help(algorithm.summary()));
    PossibleValuesParser::new(values)
        .try_map(|name| -> Result<Algorithm, UnknownAlgorithm> { name.parse() })
}

impl LearnArguments {
    fn mio(&self) -> Mio {
        let usual = Mio::default();
        let mut mio = Mio {
            max_steps: self.max_steps.unwrap_or(usual.max_steps),
            seed: self.seed,
            ..usual
        };
        mio.bounds.limits = limits(self.memory_limit);
        mio
    }

    fn learner(&self) -> Result<Box<dyn Learner>, Failure> {
        let settings = Settings {
            max_steps: self.max_steps,
            seed: Some(self.seed),
            limits: limits(self.memory_limit),
            ..Settings::default()
        };
        let learner = self.learner.learner(&settings).map_err(|error| {
            Failure::usage(format!("{error}; the files of a task hold examples only")).with_note(
                "`kibitz-patterns learn` offers them for chess patterns, \
                 `kibitz_ilp::learn::pal::PalLearner` for domains of your own; `--learner covering` \
                 is its algorithm for given examples",
            )
        })?;
        Ok(if self.exceptions {
            Box::new(ClosedWorld::new(learner))
        } else {
            learner
        })
    }

    /// The point in time at which the search ends.
    fn end(&self) -> Result<Option<Instant>, Failure> {
        let Some(seconds) = self.time_limit else {
            return Ok(None);
        };
        let limit = Duration::try_from_secs_f64(seconds)
            .map_err(|_| Failure::usage("--time-limit takes a number of seconds of at least 0"))?;
        Ok(Instant::now().checked_add(limit))
    }
}

/// Stops at a point in time, and shows clauses if asked.
struct Watch<'t> {
    task: &'t Task,
    told: Vec<Remark>,
    end: Option<Instant>,
    show: bool,
    asked: u32,
    over: bool,
}

impl Progress for Watch<'_> {
    fn remark(&mut self, remark: &Remark) {
        if !self.told.contains(remark) {
            note(&self.task.diagnostic_of(remark).to_string());
            self.told.push(remark.clone());
        }
    }

    fn clause(&mut self, clause: &Clause, symbols: &SymbolTable, positive: usize, negative: usize) {
        if self.show {
            let clause = print_clause(clause, symbols);
            note(&format!("found {clause}  % tp {positive} fp {negative}"));
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

pub(super) fn run(arguments: &LearnArguments) -> Result<Exit, Failure> {
    let end = arguments.end()?;
    arguments
        .active
        .check(arguments.learner == Algorithm::Mio)?;
    let learner = arguments.learner()?;
    let teacher = arguments.active.teacher.as_ref();
    let needs_examples = !teacher.is_some_and(Whereabouts::has_examples);
    let mut task = read(&arguments.path, arguments.layout, needs_examples)?;
    task.bias.negation |= arguments.negation;
    for warning in ignored_settings(&task, arguments.learner) {
        note(&warning.to_string());
    }
    let db = database(&mut task)?;
    let mut watch = Watch {
        task: &task,
        told: Vec::new(),
        end,
        show: arguments.progress,
        asked: 0,
        over: false,
    };
    let problem = Problem::with_database(&task, &db);
    let theory = match teacher {
        None => {
            let theory = problem.learn(&*learner, &mut watch)?;
            print(&theory.to_string())?;
            theory
        }
        Some(teacher) => {
            let mio = arguments.mio();
            let taught = arguments.active.learn(teacher, &problem, &mio, &mut watch);
            let taught = taught.map_err(|error| match error {
                ActiveError::Learner(error) => Unsolved::by(&problem, error).into(),
                ActiveError::Teacher(error) => Failure::failed(error.to_string()),
            })?;
            let learned = taught.learned.clone();
            let theory = problem.theory(learner.name(), learned, mio.bounds.limits)?;
            print(&taught_text(&theory, &taught))?;
            theory
        }
    };
    print(&tested(&problem, &theory)?)?;
    if theory.stop == Stop::OutOfMemory {
        return Err(Failure::failed(format!(
            "the memory limit of {} MiB is reached; what is printed is the best theory so far",
            arguments.memory_limit
        )));
    }
    Ok(if theory.is_correct() {
        Exit::Done
    } else {
        Exit::Negative
    })
}

/// What the files ask of the search that a learner has no such thing for.
fn ignored_settings(task: &Task, learner: Algorithm) -> Vec<Diagnostic> {
    let given = task.search.given();
    let ignored = given.filter(|(setting, ..)| !learner.obeys(*setting));
    let ignored = ignored.map(|(_, name, place)| Diagnostic {
        severity: Severity::Warning,
        location: Some(place.clone()),
        ..Diagnostic::new(format!(
            "the setting {name} is not obeyed by {}",
            learner.name()
        ))
    });
    ignored.collect()
}

/// How a theory does on the test examples of a task, if it has some.
fn tested(problem: &Problem<'_>, theory: &Theory) -> Result<String, Failure> {
    let task = problem.task();
    let [positive, negative] = &task.test;
    if positive.is_empty() && negative.is_empty() {
        return Ok(String::new());
    }
    let mut evaluator = Evaluator::new(problem.database(), Limits::default(), positive, negative);
    let coverages = evaluator.theory(&theory.clauses);
    let coverages = coverages.map_err(|error| Unsolved::by(problem, LearnError::from(error)))?;
    let mut covered = [BitSet::new(), BitSet::new()];
    for coverage in &coverages {
        for (own, more) in covered
            .iter_mut()
            .zip([&coverage.positive, &coverage.negative])
        {
            own.grow(more.len());
            own.union_with(more);
        }
    }
    let [tp, fp] = covered.map(|set| set.count_ones(..));
    let (fn_, tn) = (positive.len() - tp, negative.len() - fp);
    Ok(format!(
        "% on {} test examples: tp {tp} fn {fn_} tn {tn} fp {fp}\n",
        positive.len() + negative.len()
    ))
}

/// A theory that passed a teacher's tests.
fn taught_text(theory: &Theory, taught: &Taught) -> String {
    let ending = match theory.stop {
        Stop::Complete => "the teacher knows no counterexample",
        Stop::NoMoreClauses => "the teacher knows counterexamples still",
        _ => theory.ending(),
    };
    let [n_positive, n_negative] = taught.received.each_ref().map(Vec::len);
    format!(
        "{}\n% {ending}; {} steps\n\
         % learned from {n_positive} positive and {n_negative} negative examples of the \
         teacher's, who tested {} times\n{}{}",
        theory.headline(),
        theory.steps,
        taught.rounds,
        theory.undecided(),
        theory.program()
    )
}
