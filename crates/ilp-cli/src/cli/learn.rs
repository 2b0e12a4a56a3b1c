//! The `learn` command.

use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::time::Instant;

use kibitz_ilp::learn::mio::active::{ActiveError, TaughtHypothesis};
use kibitz_ilp::learn::{ClosedWorld, Hypothesis, Learner, Mio, Progress as _, Stop};
use kibitz_ilp::{
    Decision, Layout, LoneArgument, Problem, SearchSetting, Task, Theory, TheoryError, WhyNot,
};
use kibitz_ilp_cli::{Algorithm, Settings};
use kibitz_prolog::{Database, Limits, print_term};
use kibitz_text::{Exit, Failure, counted, note, print};

use super::active::ActiveArguments;
use super::decisions::{Covering, decide_all};
use super::folds;
use super::options::{Choice, LanguageArguments, MessageArguments};
use super::report::{self, Format};
use super::test_examples::{Test, tested};
use super::watch::{self, Watch, is_interrupted, notice_interrupts};
use super::{database, each_with_symbols, limits, read, target};

#[derive(Debug, clap::Args)]
pub(super) struct LearnArguments {
    /// Folder or file of the task: a folder with exs.pl, bk.pl and bias.pl (Popper); with .b, .f and .n files,
    /// or the name that these share (Aleph, Golem); a .d file (FOIL); or a .pl file (Aleph, Progol).
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
    /// Stop after this many seconds with the best theory so far; all folds and learners together.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    time_limit: Option<f64>,
    /// Most memory, in MiB, for the terms of a query, the background that is listed and the tables of
    /// the search; when it is used up, the best theory so far is printed and the exit code is 5.
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    pub(super) memory_limit: usize,
    /// Seed of what is drawn: held-out examples (auto), samples (Golem, Mio), --test and --folds.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    #[command(flatten)]
    message: MessageArguments,
    #[command(flatten)]
    active: ActiveArguments,
    /// Show each clause on the error stream as it is found.
    #[arg(long)]
    pub(super) progress: bool,
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
            if self.max_steps.is_some() && !own.counts_steps() {
                let name = own.name();
                if self.learner != Choice::All {
                    return Err(Failure::usage(format!(
                        "--max-steps is not supported by {name}"
                    )));
                }
                note(&format!("note: --max-steps does not limit {name}"));
            }
            self.language.check(*own)?;
            self.message.check(*own)?;
        }
        Ok(())
    }
}

pub(super) fn run(arguments: &LearnArguments) -> Result<Exit, Failure> {
    let end = watch::end(arguments.time_limit)?;
    let algorithms = arguments.learner.learners();
    arguments.check(&algorithms)?;
    let learners = algorithms.iter().map(|own| arguments.learner(*own));
    let learners: Vec<Box<dyn Learner>> = learners.collect::<Result<_, _>>()?;
    // Positive examples are enough for mml, which auto may take; both name and compare values.
    let takes_mml = |own: &Algorithm| matches!(own, Algorithm::Mml | Algorithm::Auto);
    let needs_negatives = !algorithms.iter().any(takes_mml);
    let is_of_mml = algorithms.iter().all(takes_mml);
    let mut decisions = Vec::new();
    let mut tasks = read(
        &arguments.path,
        arguments.layout,
        needs_negatives,
        |tasks| {
            let mut told = Vec::new();
            each_with_symbols(tasks, |task| {
                arguments.change(task);
                if is_of_mml {
                    note_once(&mut told, name_values(task, None));
                }
                Ok(())
            })?;
            let all: Vec<&Task> = tasks.iter().collect();
            decisions = Decision::among(&all);
            note_once(
                &mut told,
                decisions.iter().filter_map(|own| unlisted(own, &all)),
            );
            let test = arguments.test.as_ref();
            test.map_or(Ok(()), |test| test.take(tasks, &decisions, arguments.seed))
        },
    )?;
    let mut told = Vec::new();
    // Beside other learners, `auto` and `mml` have tasks of their own, whose values they name and compare.
    let is_mixed = !is_of_mml && !needs_negatives;
    let mut named = if is_mixed { tasks.to_vec() } else { Vec::new() };
    each_with_symbols(&mut named, |task| {
        note_once(&mut told, name_values(task, Some("auto and mml")));
        Ok(())
    })?;
    for task in tasks.iter() {
        let ignored = algorithms.iter().flat_map(|own| own.ignored_settings(task));
        note_once(&mut told, ignored.map(|warning| warning.to_string()));
        let is_one_sided = task.negative.is_empty() && !task.positive.is_empty();
        let is_mml_taken = is_one_sided && algorithms.contains(&Algorithm::Auto);
        let reason = if task.is_without_negative_file() {
            ", since there is no .n file"
        } else {
            ""
        };
        let taken = format!("note: no negative examples{reason}: auto takes mml, which needs none");
        note_once(&mut told, is_mml_taken.then_some(taken));
    }
    let dbs = tasks.iter_mut().map(database);
    let dbs: Vec<_> = dbs.collect::<Result<_, _>>()?;
    let named_dbs = named.iter_mut().map(database);
    let named_dbs: Vec<_> = named_dbs.collect::<Result<_, _>>()?;
    let named_decisions = Decision::among(&named.iter().collect::<Vec<_>>());
    notice_interrupts()?;
    if let Some(k) = arguments.folds {
        let with_tasks = algorithms.iter().zip(learners).map(|(own, learner)| {
            let tasks: Tasks<'_> = if is_mixed && takes_mml(own) {
                (&named, &named_dbs, &named_decisions)
            } else {
                (&tasks, &dbs, &decisions)
            };
            (own.name(), learner, tasks)
        });
        let with_tasks: Vec<_> = with_tasks.collect();
        return folds::run(arguments, k, &with_tasks, end);
    }
    let Some(learner) = learners.first() else {
        return Err(Failure::usage("name a learner"));
    };
    arguments.learn_each(&**learner, (&tasks, &dbs, &decisions), end)
}

/// Prints what was not printed before.
fn note_once(told: &mut Vec<String>, notes: impl IntoIterator<Item = String>) {
    for text in notes {
        if !told.contains(&text) {
            note(&text);
            told.push(text);
        }
    }
}

/// Tasks of the same files, with their databases and what is decided among their classes.
pub(super) type Tasks<'t> = (&'t [Task], &'t [ManuallyDrop<Database>], &'t [Decision]);

/// The worse of two ends, with the messages of both.
fn worse(one: Result<Exit, Failure>, other: Result<Exit, Failure>) -> Result<Exit, Failure> {
    match (one, other) {
        (Ok(one), Ok(other)) => Ok(one.max(other)),
        (Ok(exit), Err(mut failure)) | (Err(mut failure), Ok(exit)) => {
            failure.exit = failure.exit.max(exit);
            Err(failure)
        }
        (Err(one), Err(other)) => Err(Failure {
            exit: one.exit.max(other.exit),
            diagnostics: (one.diagnostics.iter().chain(other.diagnostics.iter()))
                .cloned()
                .collect(),
        }),
    }
}

impl LearnArguments {
    /// Changes a task as the options ask.
    fn change(&self, task: &mut Task) {
        self.language.apply(task, self.seed);
        task.bias.negation |= self.negation;
        let min_accuracy = self.active.min_accuracy_of_clauses();
        task.search.min_accuracy = min_accuracy.or(task.search.min_accuracy);
        task.search.costs = self.message.cost().unwrap_or(task.search.costs);
        task.search.size_weight = self.message.size_weight();
    }

    /// Learns and prints a theory of each task, and what they decide together.
    fn learn_each(
        &self,
        learner: &dyn Learner,
        (tasks, dbs, decisions): Tasks<'_>,
        end: Option<Instant>,
    ) -> Result<Exit, Failure> {
        let problems = tasks.iter().zip(dbs);
        let problems = problems.map(|(task, db)| Problem::with_database(task, db));
        let problems: Vec<Problem<'_>> = problems.collect();
        let mut worst = Ok(Exit::Done);
        let mut output = report::Output::new(self.format, tasks.len() > 1);
        let mut theories: Vec<Option<Theory>> = Vec::new();
        for (i, (task, problem)) in tasks.iter().zip(&problems).enumerate() {
            let end = folds::share(end, tasks.len() - i);
            let mut watch = Watch::new(task, self.progress, end);
            let learned = if self.active.teacher.is_some() {
                self.learn_from_teacher(problem, &mut watch)
            } else {
                self.learn_from_files(learner, problem, &mut watch, &mut output)
            };
            match learned {
                Ok(theory) => {
                    worst = worse(worst, self.exit(task, &theory));
                    theories.push(Some(theory));
                }
                Err(failure) if failure.exit == Exit::Unwritable || tasks.len() == 1 => {
                    return Err(failure);
                }
                Err(failure) => {
                    let of = format!("in learning {}", target(task));
                    worst = worse(worst, Err(failure.with_note(&of)));
                    theories.push(None);
                }
            }
            if is_interrupted() {
                break;
            }
        }
        theories.resize_with(tasks.len(), || None);
        let theories: Vec<Option<Covering<'_>>> = theories
            .iter()
            .map(|own| own.as_ref().map(Covering::from))
            .collect();
        let mut watch = Watch::new(&tasks[0], self.progress, end);
        decide_all(
            decisions,
            (&problems, &theories),
            limits(self.memory_limit),
            &mut || watch.keep_verifying(),
            &mut output,
        )?;
        output.end()?;
        worst
    }

    /// How the program ends after a theory is printed.
    fn exit(&self, task: &Task, theory: &Theory) -> Result<Exit, Failure> {
        if theory.stop == Stop::OutOfMemory {
            let limit = self.memory_limit;
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
        } else if is_limited(theory) {
            Exit::Failed
        } else {
            Exit::Negative
        })
    }

    /// Learns and prints a theory.
    fn learn_from_files(
        &self,
        learner: &dyn Learner,
        problem: &Problem<'_>,
        watch: &mut Watch<'_>,
        output: &mut report::Output,
    ) -> Result<Theory, Failure> {
        let limits = limits(self.memory_limit);
        let theory = learned(learner, problem, limits, watch)?;
        let test = tested(problem, &theory, limits, &mut || watch.keep_verifying())?;
        let why_not = if self.format == Format::Prolog {
            WhyNot::default()
        } else {
            problem.why_not_all(&theory, limits, watch)
        };
        output.theory(&theory, &why_not, (test, self.message.cost()))?;
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
            ActiveError::Learner(error) => TheoryError::by(problem, error).into(),
            ActiveError::Teacher(error) => Failure::failed(error.to_string()),
        })?;
        let learned = taught.learned.clone();
        let limits = mio.bounds.limits;
        let theory =
            problem.theory_while(mio.name(), learned, limits, &mut || watch.keep_verifying())?;
        let test = tested(problem, &theory, limits, &mut || watch.keep_verifying())?;
        let text = taught_text(&theory, &taught);
        print(&format!("{text}{}", report::tested(test)))?;
        Ok(theory)
    }
}

/// The theory that a learner finds: one without clauses where one of several targets has no positive
/// examples.
pub(super) fn learned(
    learner: &dyn Learner,
    problem: &Problem<'_>,
    limits: Limits,
    watch: &mut Watch<'_>,
) -> Result<Theory, Failure> {
    let task = problem.task();
    if task.positive.is_empty() && !task.others.is_empty() {
        let nothing = Hypothesis::new(Vec::new(), Stop::NoMoreClauses, 0);
        return Ok(problem.theory(learner.name(), nothing, limits)?);
    }
    Ok(problem.learn(learner, watch)?)
}

/// Lets clauses name values that no other literal could use, and returns what it did, in words: for some of
/// the learners, if they are named.
pub(super) fn name_values(task: &mut Task, learners: Option<&str>) -> Vec<String> {
    let (compares, took) = match learners {
        Some(learners) => (format!("{learners} compare"), format!("{learners} took")),
        None => ("compares".to_owned(), "took".to_owned()),
    };
    let place = |task: &Task, argument: &LoneArgument| {
        let name = task.symbols.name(argument.predicate.name);
        let arity = argument.predicate.arity;
        format!("argument {} of {name}/{arity}", argument.place + 1)
    };
    let mut told = Vec::new();
    for (argument, cuts) in task.cut_numbers() {
        let argument = place(task, &argument);
        told.push(format!(
            "note: {compares} {argument} with {} of its numbers",
            cuts.len()
        ));
    }
    for (argument, values) in task.take_values_as_constants() {
        let argument = place(task, &argument);
        let shown = |own| print_term(own, &task.symbols).to_string();
        let names: Vec<String> = values.iter().map(shown).collect();
        told.push(format!(
            "note: {took} the {} values of {argument} as constants: {}",
            values.len(),
            names.join(", ")
        ));
    }
    told
}

/// A warning where objects of other classes are no negative examples of a class.
pub(super) fn unlisted(decision: &Decision, tasks: &[&Task]) -> Option<String> {
    let n = decision.n_unlisted(tasks);
    (n > 0).then(|| {
        let atoms = counted(n, "atom is", "atoms are");
        format!(
            "warning: {atoms} missing among the negative examples, with another class of an object: a clause \
             may cover them without a mistake; --closed-world adds them"
        )
    })
}

/// Whether a limit on time, steps or memory ended the search.
pub(super) fn is_limited(theory: &Theory) -> bool {
    matches!(
        theory.stop,
        Stop::OutOfSteps | Stop::OutOfMemory | Stop::Interrupted
    )
}

/// A theory that passed a teacher's tests.
fn taught_text(theory: &Theory, taught: &TaughtHypothesis) -> String {
    let ending = match theory.stop {
        Stop::Complete => "the teacher knows no counterexample",
        Stop::NoMoreClauses => "the teacher knows counterexamples still",
        _ => theory.ending(),
    };
    let [n_positive, n_negative] = taught.received.each_ref().map(Vec::len);
    format!(
        "{}\n% {ending}; {}\n\
         % learned from {n_positive} positive and {n_negative} negative examples of the \
         teacher's, who tested {} times\n{}{}",
        theory.headline(),
        counted(theory.steps, "step", "steps"),
        taught.rounds,
        theory.undecided(),
        theory.program()
    )
}
