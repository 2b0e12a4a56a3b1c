//! The `learn` command.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use kibitz_ilp::learn::mio::active::{ActiveError, Taught};
use kibitz_ilp::learn::{ClosedWorld, LearnError, Learner, Mio, Progress, Remark, Stop};
use kibitz_ilp::{
    Confusion, Layout, Problem, SearchSetting, Source, Study, Task, Theory, Unsolved, WhyNot,
};
use kibitz_ilp_cli::{Algorithm, Settings};
use kibitz_prolog::{Atom, Clause, SymbolTable, print_clause, print_term};
use kibitz_text::{Diagnostic, Exit, Failure, SourceFile, note, print};

use super::active::ActiveArguments;
use super::folds;
use super::options::{Choice, LanguageArguments, MessageArguments};
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
    /// The learner, or `all` with --folds to compare them; --help says when to choose which.
    #[arg(long, default_value = "auto", value_parser = Choice::parser(), hide_possible_values = true, long_help = Choice::help())]
    learner: Choice,
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
    /// Seed of what is drawn: held-out examples (auto), samples (Golem, Mio), --test and --folds.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    #[command(flatten)]
    message: MessageArguments,
    #[command(flatten)]
    active: ActiveArguments,
    /// Show each clause on the error stream as it is found.
    #[arg(long)]
    progress: bool,
    #[command(flatten)]
    language: LanguageArguments,
    /// Test on other examples: those of a file, as `pos(...)` and `neg(...)`, or in Aleph's files .f and .n; or a share of the task's
    /// own, such as 0.3 or 30%, which is drawn by --seed and not learned from.
    #[arg(long, value_name = "FILE|SHARE", conflicts_with = "teacher")]
    test: Option<Test>,
    /// Learn as many times, each time without another part of the examples, and test on this part; the
    /// parts are drawn by --seed and have as many positive and negative examples as possible alike.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(2..), conflicts_with_all = ["teacher", "test"])]
    folds: Option<u16>,
    /// Form of the output.
    #[arg(long, value_enum, default_value = "text", conflicts_with = "teacher")]
    pub(super) format: Format,
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

    pub(super) fn learner(&self, learner: Algorithm) -> Result<Box<dyn Learner>, Failure> {
        let settings = Settings {
            max_steps: self.max_steps,
            seed: Some(self.seed),
            limits: limits(self.memory_limit),
            criterion: self.message.criterion(),
            noise: self.message.noise(),
            ..Settings::default()
        };
        let learner = learner.learner(&settings).map_err(|error| {
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

    /// Whether the options fit the learners.
    fn check(&self, algorithms: &[Algorithm]) -> Result<(), Failure> {
        if self.folds.is_none() {
            let wanted = match (self.learner, self.format) {
                (Choice::All, _) => "--learner all",
                (_, Format::Csv) => "--format csv",
                _ => "",
            };
            if !wanted.is_empty() {
                return Err(Failure::usage(format!(
                    "{wanted} compares learners on parts of the examples: add --folds 10"
                )));
            }
        }
        self.active.check(algorithms == [Algorithm::Mio])?;
        for own in algorithms {
            let min_accuracy = self.active.min_accuracy_of_clauses();
            if min_accuracy.is_some() && !own.obeys(SearchSetting::MinAccuracy) {
                let name = own.name();
                return Err(Failure::usage(format!(
                    "--min-accuracy is not supported by {name}"
                )));
            }
            self.language.check(*own)?;
            self.message.check(*own)?;
        }
        Ok(())
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
pub(super) struct Watch<'t> {
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
        if self.show {
            note(&format!(
                "{learner} is right about {n_right} of {n} examples to choose by"
            ));
        }
    }
}

impl<'t> Watch<'t> {
    pub(super) fn new(task: &'t Task, arguments: &LearnArguments, end: Option<Instant>) -> Self {
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
    let algorithms = arguments.learner.learners();
    arguments.check(&algorithms)?;
    let learners = algorithms.iter().map(|own| arguments.learner(*own));
    let learners: Vec<Box<dyn Learner>> = learners.collect::<Result<_, _>>()?;
    // Positive examples are enough for mml, which auto may take, and they tell where there are none.
    let is_enough = |own: &Algorithm| matches!(own, Algorithm::Mml | Algorithm::Auto);
    let needs_examples = !algorithms.iter().any(is_enough);
    let min_accuracy = arguments.active.min_accuracy_of_clauses();
    let mut task = read(&arguments.path, arguments.layout, needs_examples, |task| {
        arguments.language.apply(task, arguments.seed);
        task.bias.negation |= arguments.negation;
        task.search.min_accuracy = min_accuracy.or(task.search.min_accuracy);
        task.search.costs = arguments.message.cost().unwrap_or(task.search.costs);
        task.search.size_weight = arguments.message.size_weight();
        if algorithms.iter().all(is_enough) {
            name_values(task);
        }
        arguments.take_test(task)
    })?;
    for warning in algorithms
        .iter()
        .flat_map(|own| own.ignored_settings(&task))
    {
        note(&warning.to_string());
    }
    let db = database(&mut task)?;
    notice_interrupts()?;
    if let Some(k) = arguments.folds {
        return folds::run(arguments, k, &learners, (&task, &db), end);
    }
    let Some(learner) = learners.first() else {
        return Err(Failure::usage("name a learner"));
    };
    let mut watch = Watch::new(&task, arguments, end);
    let problem = Problem::with_database(&task, &db);
    let theory = if arguments.active.teacher.is_some() {
        arguments.learn_from_teacher(&problem, &mut watch)?
    } else {
        arguments.learn_from_files(&**learner, &problem, &mut watch)?
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

impl LearnArguments {
    /// Learns and prints a theory.
    fn learn_from_files(
        &self,
        learner: &dyn Learner,
        problem: &Problem<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Theory, Failure> {
        let theory = problem.learn(learner, watch)?;
        let test = self.tested(problem, &theory, watch)?;
        let why_not = if self.format == Format::Prolog {
            WhyNot::default()
        } else {
            problem.why_not_all(&theory, limits(self.memory_limit), watch)
        };
        let tested = (test, self.message.cost());
        report::theory(&theory, &why_not, tested, self.format)?;
        Ok(theory)
    }

    /// Lets Mio learn from its teacher, and prints the theory.
    fn learn_from_teacher(
        &self,
        problem: &Problem<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Theory, Failure> {
        let mio = self.mio();
        let taught = self.active.learn(problem, &mio, watch);
        let taught = taught.map_err(|error| match error {
            ActiveError::Learner(error) => Unsolved::by(problem, error).into(),
            ActiveError::Teacher(error) => Failure::failed(error.to_string()),
        })?;
        let learned = taught.learned.clone();
        let limits = mio.bounds.limits;
        let theory =
            problem.theory_while(mio.name(), learned, limits, &mut || watch.keep_verifying())?;
        let test = self.tested(problem, &theory, watch)?;
        let text = taught_text(&theory, &taught);
        print(&format!("{text}{}", report::tested(test)))?;
        Ok(theory)
    }
}

/// Lets clauses name values that no other literal could use, and says so.
fn name_values(task: &mut Task) {
    for (argument, cuts) in task.cut_numbers() {
        let symbols = &task.symbols;
        note(&format!(
            "compares argument {} of {}/{} with {} of its numbers",
            argument.place + 1,
            symbols.name(argument.predicate.name),
            argument.predicate.arity,
            cuts.len()
        ));
    }
    for (argument, values) in task.take_values_as_constants() {
        let symbols = &task.symbols;
        let values: Vec<String> = values
            .iter()
            .map(|own| print_term(own, symbols).to_string())
            .collect();
        note(&format!(
            "took the {} values of argument {} of {}/{} as constants: {}",
            values.len(),
            argument.place + 1,
            symbols.name(argument.predicate.name),
            argument.predicate.arity,
            values.join(", ")
        ));
    }
}

/// Whether a limit on time, steps or memory ended the search.
pub(super) fn is_limited(theory: &Theory) -> bool {
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
                let read = test_examples(path, task)?;
                if read.iter().all(Vec::is_empty) {
                    let none = format!("{}: no test examples", path.display());
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
    pub(super) fn tested(
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
}

/// The examples of a file; of Aleph's files `.f` and `.n` those of both, as far as they are there.
fn test_examples(path: &Path, task: &mut Task) -> Result<[Vec<Atom>; 2], Failure> {
    let is_side = |path: &Path| path.extension().is_some_and(|own| own == "f" || own == "n");
    if !is_side(path) {
        let file = SourceFile::read(path)?;
        let source = Source {
            name: file.path(),
            text: file.text(),
        };
        return Ok(task.read_examples(source)?);
    }
    let mut read = [Vec::new(), Vec::new()];
    for (examples, ending) in read.iter_mut().zip(["f", "n"]) {
        let own = path.with_extension(ending);
        if own != path && !own.exists() {
            note(&format!(
                "{} is not there: no such test examples",
                own.display()
            ));
            continue;
        }
        let file = SourceFile::read(&own)?;
        *examples = task.read_side(Source {
            name: file.path(),
            text: file.text(),
        })?;
    }
    Ok(read)
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
