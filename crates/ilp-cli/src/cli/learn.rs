//! The `learn` command.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use kibitz_ilp::learn::mio::active::{ActiveError, Taught};
use kibitz_ilp::learn::mml::{Criterion, Noise};
use kibitz_ilp::learn::{ClosedWorld, LearnError, Learner, Mio, Progress, Remark, Stop};
use kibitz_ilp::{
    Confusion, Layout, Problem, SearchSetting, Source, Task, Theory, Unsolved, WhyNot,
};
use kibitz_ilp_cli::{Algorithm, Settings, UnknownAlgorithm};
use kibitz_prolog::{Clause, Database, SymbolTable, print_clause};
use kibitz_text::{Diagnostic, Exit, Failure, SourceFile, counted, note, print};

use super::active::ActiveArguments;
use super::report::{self, Format};
use super::{database, limits, read};

/// When an interrupt was noticed.
static INTERRUPTED: OnceLock<Instant> = OnceLock::new();

/// How long what was learned is verified after a limit on time or an interrupt.
const TIME_TO_VERIFY: Duration = Duration::from_millis(500);

pub(super) fn is_interrupted() -> bool {
    INTERRUPTED.get().is_some()
}

/// Notes from now on an interrupt or a request to end; a second one ends the program. Without this the
/// first would, and what was found so far would be lost.
pub(super) fn notice_interrupts() -> Result<(), Failure> {
    let handled = ctrlc::set_handler(|| {
        if INTERRUPTED.set(Instant::now()).is_err() {
            std::process::exit(Exit::Interrupted.code().into());
        }
    });
    handled.map_err(|error| Failure::failed(format!("an interrupt would not be noticed: {error}")))
}

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
    message: MessageArguments,
    #[command(flatten)]
    active: ActiveArguments,
    /// Show each clause on the error stream as it is found.
    #[arg(long)]
    progress: bool,
    #[command(flatten)]
    language: LanguageArguments,
    /// Test on other examples: those of a file, as `pos(...)` and `neg(...)`, or a share of the task's
    /// own, such as 0.3 or 30%, which is drawn by --seed and not learned from.
    #[arg(long, value_name = "FILE|SHARE", conflicts_with = "teacher")]
    test: Option<Test>,
    /// Learn as many times, each time without another part of the examples, and test on this part; the
    /// parts are drawn by --seed and have as many positive and negative examples as possible alike.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(2..), conflicts_with_all = ["teacher", "test"])]
    folds: Option<u16>,
    /// Form of the output.
    #[arg(long, value_enum, default_value = "text", conflicts_with = "teacher")]
    format: Format,
}

/// What the learner by message length makes shortest.
#[derive(Debug, clap::Args)]
struct MessageArguments {
    /// What mml makes shortest: the message in bits, or the number of literals and mistakes [default: mml].
    #[arg(long, value_enum)]
    criterion: Option<CriterionName>,
    /// Whether mml takes labels to be wrong where that is shorter, or never [default: learned].
    #[arg(long, value_enum)]
    noise: Option<NoiseName>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum CriterionName {
    Mml,
    Mdl,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum NoiseName {
    Learned,
    None,
}

impl MessageArguments {
    /// Whether a learner supports the options.
    fn check(&self, learner: Algorithm) -> Result<(), Failure> {
        let option = match (self.criterion, self.noise) {
            _ if matches!(learner, Algorithm::Mml | Algorithm::Auto) => return Ok(()),
            (Some(_), _) => "--criterion",
            (_, Some(_)) => "--noise",
            (None, None) => return Ok(()),
        };
        let name = learner.name();
        Err(Failure::usage(format!(
            "{option} is not supported by {name}"
        )))
    }

    fn criterion(&self) -> Criterion {
        match self.criterion {
            Some(CriterionName::Mdl) => Criterion::Mdl,
            Some(CriterionName::Mml) | None => Criterion::Mml,
        }
    }

    fn noise(&self) -> Noise {
        match self.noise {
            Some(NoiseName::None) => Noise::None,
            Some(NoiseName::Learned) | None => Noise::Learned,
        }
    }
}

/// What clauses may look like, instead of what the files say.
#[derive(Debug, clap::Args)]
struct LanguageArguments {
    /// Most clauses of the theory.
    #[arg(long, value_name = "N")]
    max_clauses: Option<usize>,
    /// Most body literals of a clause.
    #[arg(long, value_name = "N")]
    max_body: Option<usize>,
    /// Most variables of a clause.
    #[arg(long, value_name = "N")]
    max_vars: Option<usize>,
    /// Most literals between a variable and the head.
    #[arg(long, value_name = "N")]
    max_depth: Option<usize>,
    /// Fewest positive examples that a clause must cover.
    #[arg(long, value_name = "N")]
    min_positives: Option<usize>,
    /// Let clauses call the predicate that is learned.
    #[arg(long)]
    recursion: bool,
    /// Count every other tuple of the constants as a negative example; 10000 of them at most, drawn by
    /// --seed. Right only where the positive examples are all there are.
    #[arg(long)]
    closed_world: bool,
}

/// Most negative examples of a closed world.
const MAX_CLOSED_WORLD: usize = 10_000;

impl LanguageArguments {
    /// Whether a learner supports the options.
    fn check(&self, learner: Algorithm) -> Result<(), Failure> {
        let given = [
            (self.max_depth, SearchSetting::MaxDepth, "--max-depth"),
            (
                self.min_positives,
                SearchSetting::MinPositives,
                "--min-positives",
            ),
        ];
        for (value, setting, option) in given {
            if value.is_some() && !learner.obeys(setting) {
                let name = learner.name();
                return Err(Failure::usage(format!(
                    "{option} is not supported by {name}"
                )));
            }
        }
        Ok(())
    }

    fn apply(&self, task: &mut Task, seed: u64) {
        let bias = &mut task.bias;
        bias.max_clauses = self.max_clauses.or(bias.max_clauses);
        bias.max_body = self.max_body.or(bias.max_body);
        bias.max_vars = self.max_vars.or(bias.max_vars);
        task.search.max_depth = self.max_depth.or(task.search.max_depth);
        task.search.min_positives = self.min_positives.or(task.search.min_positives);
        let bias = &mut task.bias;
        if self.recursion {
            bias.allow_recursion();
        }
        if self.closed_world {
            let n = task.assume_closed_world(MAX_CLOSED_WORLD, seed);
            let tuples = counted(n, "other tuple", "other tuples");
            note(&format!(
                "closed world: added {tuples} as negative examples"
            ));
        }
    }
}

/// Where the examples to test on come from.
#[derive(Clone, Debug)]
enum Test {
    File(PathBuf),
    Share(f64),
}

impl FromStr for Test {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = match text.strip_suffix('%') {
            Some(percent) => percent.parse::<f64>().map(|own| own / 100.0),
            None => text.parse::<f64>(),
        };
        match number {
            Ok(share) if share > 0.0 && share < 1.0 => Ok(Self::Share(share)),
            Ok(_) => Err("a share lies between 0 and 1, or between 0% and 100%"),
            Err(_) => Ok(Self::File(text.into())),
        }
    }
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
            criterion: self.message.criterion(),
            noise: self.message.noise(),
            ..Settings::default()
        };
        let learner = self.learner.learner(&settings).map_err(|error| {
            Failure::usage(format!("{error}; the files of a task hold examples only")).with_note(
                "`kibitz-patterns learn` offers them for chess patterns, \
                 `kibitz_pal::PalLearner` for domains of your own; `--learner covering` \
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
        self.over |= self.end.is_some_and(|end| Instant::now() >= end);
        !self.over && !is_interrupted()
    }

    fn keep_verifying(&mut self) -> bool {
        let ends = [self.end, INTERRUPTED.get().copied()];
        let mut passed = ends.iter().flatten().map(Instant::elapsed);
        passed.all(|own| own < TIME_TO_VERIFY)
    }

    fn tried(&mut self, learner: &'static str, n_right: usize, n: usize) {
        note(&format!(
            "{learner} is right about {n_right} of {n} examples to choose by"
        ));
    }
}

impl<'t> Watch<'t> {
    fn new(task: &'t Task, arguments: &LearnArguments, end: Option<Instant>) -> Self {
        Self {
            task,
            told: Vec::new(),
            end,
            show: arguments.progress,
            over: false,
        }
    }
}

pub(super) fn run(arguments: &LearnArguments) -> Result<Exit, Failure> {
    let end = arguments.end()?;
    arguments
        .active
        .check(arguments.learner == Algorithm::Mio)?;
    let learner = arguments.learner()?;
    // Positive examples are enough for mml, which auto may take, and they tell where there are none.
    let needs_examples = !matches!(arguments.learner, Algorithm::Mml | Algorithm::Auto);
    let min_accuracy = arguments.active.min_accuracy_of_clauses();
    if min_accuracy.is_some() && !arguments.learner.obeys(SearchSetting::MinAccuracy) {
        let name = arguments.learner.name();
        return Err(Failure::usage(format!(
            "--min-accuracy is not supported by {name}"
        )));
    }
    arguments.language.check(arguments.learner)?;
    arguments.message.check(arguments.learner)?;
    let mut task = read(&arguments.path, arguments.layout, needs_examples, |task| {
        arguments.language.apply(task, arguments.seed);
        task.bias.negation |= arguments.negation;
        task.search.min_accuracy = min_accuracy.or(task.search.min_accuracy);
        arguments.take_test(task)
    })?;
    for warning in arguments.learner.ignored_settings(&task) {
        note(&warning.to_string());
    }
    let db = database(&mut task)?;
    notice_interrupts()?;
    if let Some(k) = arguments.folds {
        return arguments.cross_validate(k, &*learner, &task, &db, end);
    }
    let mut watch = Watch::new(&task, arguments, end);
    let problem = Problem::with_database(&task, &db);
    let theory = match arguments.active.teacher {
        None => {
            let theory = problem.learn(&*learner, &mut watch)?;
            let test = arguments.tested(&problem, &theory, &mut watch)?;
            let why_not = if arguments.format == Format::Prolog {
                WhyNot::default()
            } else {
                problem.why_not_all(&theory, limits(arguments.memory_limit), &mut watch)
            };
            report::theory(&theory, &why_not, test, arguments.format)?;
            theory
        }
        Some(_) => {
            let mio = arguments.mio();
            let taught = arguments.active.learn(&problem, &mio, &mut watch);
            let taught = taught.map_err(|error| match error {
                ActiveError::Learner(error) => Unsolved::by(&problem, error).into(),
                ActiveError::Teacher(error) => Failure::failed(error.to_string()),
            })?;
            let learned = taught.learned.clone();
            let name = learner.name();
            let theory = problem.theory_while(name, learned, mio.bounds.limits, &mut || {
                watch.keep_verifying()
            })?;
            let test = arguments.tested(&problem, &theory, &mut watch)?;
            print(&format!(
                "{}{}",
                taught_text(&theory, &taught),
                report::tested(test)
            ))?;
            theory
        }
    };
    if theory.stop == Stop::OutOfMemory {
        let limit = arguments.memory_limit;
        let as_read = task.bytes().div_ceil(1 << 20);
        let failure = Failure::failed(format!(
            "the memory limit of {limit} MiB is reached; what is printed is the best theory so far"
        ));
        return Err(if as_read > limit {
            failure.with_note(&format!(
                "the examples and the background take {as_read} MiB as read: raise --memory-limit"
            ))
        } else {
            failure
        });
    }
    if is_interrupted() {
        return Ok(Exit::Interrupted);
    }
    Ok(if theory.is_correct() {
        Exit::Done
    } else if is_limited(&theory) {
        Exit::Failed
    } else {
        Exit::Negative
    })
}

/// Whether a limit on time, steps or memory ended the search.
fn is_limited(theory: &Theory) -> bool {
    matches!(
        theory.stop,
        Stop::OutOfSteps | Stop::OutOfMemory | Stop::Interrupted
    )
}

impl LearnArguments {
    /// Adds the examples to test on to a task, and takes those away that are no longer to be learned
    /// from.
    fn take_test(&self, task: &mut Task) -> Result<(), Failure> {
        let more = match &self.test {
            None => return Ok(()),
            Some(Test::File(path)) => {
                let file = SourceFile::read(path)?;
                let read = task.read_examples(Source {
                    name: file.path(),
                    text: file.text(),
                })?;
                if read.iter().all(Vec::is_empty) {
                    let none = format!("{}: no test examples", file.path());
                    return Err(Failure::new(Exit::BadInput, Diagnostic::new(none)));
                }
                read
            }
            Some(Test::Share(share)) => {
                let split = task.held_out(*share, self.seed);
                [task.positive, task.negative] = split.training;
                split.test
            }
        };
        for (own, more) in task.test.iter_mut().zip(more) {
            own.extend(more);
        }
        Ok(())
    }

    /// How a theory does on the test examples of a task, if it has some.
    fn tested(
        &self,
        problem: &Problem<'_>,
        theory: &Theory,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Confusion>, Failure> {
        let test = problem.task().test.each_ref().map(|part| &part[..]);
        if test.iter().all(|part| part.is_empty()) {
            return Ok(None);
        }
        let limits = limits(self.memory_limit);
        let own = problem.coverage_of(&theory.clauses, test, limits, &mut || {
            watch.keep_verifying()
        });
        let own = own.map_err(|error| Unsolved::by(problem, LearnError::from(error)))?;
        for line in own.undecided_lines(&theory.symbols).lines() {
            note(&format!("test examples: {}", line.trim_start_matches("% ")));
        }
        Ok(Some(Confusion::from(&own)))
    }

    /// Learns without each part of the examples in turn and tests on it.
    fn cross_validate(
        &self,
        k: u16,
        learner: &dyn Learner,
        task: &Task,
        db: &Database,
        end: Option<Instant>,
    ) -> Result<Exit, Failure> {
        let n_examples = task.positive.len() + task.negative.len();
        let n_folds = n_examples.min(k.into());
        if n_folds < k.into() {
            let examples = counted(n_examples, "example", "examples");
            note(&format!("{examples} make {n_folds} folds, not {k}"));
        }
        let mut folds = Vec::new();
        let mut n_over = 0;
        for (idx, split) in task.folds(n_folds, self.seed).into_iter().enumerate() {
            let mut part = task.with_examples(split.training);
            part.test = split.test;
            let problem = Problem::with_database(&part, db);
            // Each fold has its share of the time that is left.
            let share = u32::try_from(n_folds - idx).unwrap_or(u32::MAX);
            let now = Instant::now();
            let end = end.map(|end| now + end.saturating_duration_since(now) / share);
            let mut watch = Watch::new(&part, self, end);
            let theory = problem.learn(learner, &mut watch)?;
            n_over += usize::from(is_limited(&theory));
            let fold = self.tested(&problem, &theory, &mut watch)?;
            folds.push(fold.unwrap_or_default());
            if is_interrupted() {
                break;
            }
        }
        report::folds(&folds, self.format)?;
        if is_interrupted() {
            return Ok(Exit::Interrupted);
        }
        if n_over > 0 {
            let folds = counted(n_over, "fold", "folds");
            return Err(Failure::failed(format!(
                "a limit was reached in {folds}: what is printed is of the best theories so far"
            )));
        }
        Ok(Exit::Done)
    }
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
