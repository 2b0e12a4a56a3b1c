//! Active learning on the command line: the `teach` command, and learning from a teacher.

use std::io::Write as _;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kibitz_ilp::learn::Progress;
use kibitz_ilp::learn::mio::active::tcp::{
    NoScenes, RemoteTeacher, ServerParams, TimeLimits, Visit, serve,
};
use kibitz_ilp::learn::mio::active::{
    ActiveError, Examiner, ExaminerParams, HeldOut, Taught, Teacher, learn,
};
use kibitz_ilp::{Database, Limits, Task};

use super::{Failure, Layout, LearnArguments, database, limits, read};

/// Where the teacher is.
#[derive(Clone, Debug)]
pub(super) enum Whereabouts {
    /// In this process.
    Here,
    /// At a host and port.
    At(String),
}

impl FromStr for Whereabouts {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.rsplit_once(':') {
            None if text == "here" => Ok(Self::Here),
            Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => {
                Ok(Self::At(text.to_owned()))
            }
            _ => Err("expected HOST:PORT or here"),
        }
    }
}

/// How a teacher tests.
#[derive(Debug, clap::Args)]
pub(super) struct ExamArguments {
    /// Examples that the teacher gives to begin with [default: 10]
    #[arg(long, value_name = "N")]
    first_examples: Option<usize>,
    /// Examples of a test, of those that the learner does not know [default: 400]
    #[arg(long, value_name = "N")]
    test_examples: Option<usize>,
    /// Rules that are right on a smaller share of what they cover in a test are thrown out
    /// [default: 0.95]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_accuracy: Option<f64>,
    /// Most positive and most negative counterexamples of an answer [default: 5]
    #[arg(long, value_name = "N")]
    max_counterexamples: Option<usize>,
}

impl ExamArguments {
    fn params(&self, limits: Limits) -> ExaminerParams {
        let usual = ExaminerParams::default();
        ExaminerParams {
            first_examples: self.first_examples.unwrap_or(usual.first_examples),
            test_examples: self.test_examples.unwrap_or(usual.test_examples),
            min_accuracy: self.min_accuracy.unwrap_or(usual.min_accuracy),
            max_counterexamples: (self.max_counterexamples).unwrap_or(usual.max_counterexamples),
            limits,
        }
    }

    fn is_given(&self) -> bool {
        self.first_examples.is_some()
            || self.test_examples.is_some()
            || self.min_accuracy.is_some()
            || self.max_counterexamples.is_some()
    }
}

fn share(text: &str) -> Result<f64, &'static str> {
    let share = text.parse().ok();
    let share = share.filter(|share| (0.0..=1.0).contains(share));
    share.ok_or("expected a number from 0 to 1")
}

fn seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse().ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = time.filter(|time| !time.is_zero());
    time.ok_or("expected a number of seconds above 0")
}

/// Learning from a teacher.
#[derive(Debug, clap::Args)]
pub(super) struct LearnerArguments {
    /// Learn from a teacher (Mio): HOST:PORT of a `kibitz-ilp teach`, or `here`, in this process.
    /// The task's own examples are not learned from: they are what a teacher here tests with, and
    /// what the theory is counted on in the end.
    #[arg(long, value_name = "HOST:PORT|here", conflicts_with = "exceptions")]
    pub(super) teacher: Option<Whereabouts>,
    /// Most tests by the teacher.
    #[arg(long, value_name = "N", default_value_t = 10, requires = "teacher")]
    rounds: u32,
    #[command(flatten)]
    exam: ExamArguments,
    /// Seconds to wait for a connection to the teacher.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    connect_timeout: Duration,
    /// Seconds to wait for an answer of the teacher.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    read_timeout: Duration,
    /// Seconds to wait until the teacher has taken a question.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    write_timeout: Duration,
}

impl LearnerArguments {
    /// Whether the options go together.
    pub(super) fn check(&self, is_mio: bool) -> Result<(), Failure> {
        let wrong = |text: &str| Err(Failure::Usage(text.into()));
        match &self.teacher {
            Some(_) if !is_mio => wrong("--teacher needs --learner mio"),
            Some(_) if self.rounds == 0 => wrong("--rounds must be at least 1"),
            Some(Whereabouts::Here) => Ok(()),
            _ if self.exam.is_given() => wrong(
                "--first-examples, --test-examples, --min-accuracy and --max-counterexamples are \
                 the teacher's: give them to kibitz-ilp teach, or add --teacher here",
            ),
            _ => Ok(()),
        }
    }
}

impl LearnArguments {
    pub(super) fn learn_from(
        &self,
        teacher: &Whereabouts,
        task: &Task,
        db: &Database,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Taught, ActiveError> {
        let mut learner = task.clone();
        learner.positive.clear();
        learner.negative.clear();
        let active = &self.active;
        let mut teacher: Box<dyn Teacher + '_> = match teacher {
            Whereabouts::Here => Box::new(Examiner::new(
                db,
                &task.bias,
                HeldOut::new(task, self.seed),
                active.exam.params(self.limits()),
            )),
            Whereabouts::At(address) => {
                let limits = TimeLimits {
                    connect: active.connect_timeout,
                    read: active.read_timeout,
                    write: active.write_timeout,
                    clock: Instant::now,
                };
                Box::new(RemoteTeacher::connect(address, task, &NoScenes, limits)?)
            }
        };
        let rounds = active.rounds as usize;
        learn(&learner, db, &self.mio(), rounds, &mut *teacher, progress)
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct TeachArguments {
    /// Folder or file of the task, as for `learn`.
    path: PathBuf,
    /// Where to listen; port 0 takes any that is free, and the first line of output says which.
    #[arg(long, value_name = "HOST:PORT")]
    listen: String,
    /// Layout of the files; found out from their names if not given.
    #[arg(long)]
    layout: Option<Layout>,
    /// Seed of the order in which examples are drawn.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    exam: ExamArguments,
    /// End after this many connections.
    #[arg(long, value_name = "N")]
    max_visits: Option<usize>,
    /// Learners that are taught at once; others wait.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..))]
    max_at_once: u16,
    /// Seconds that a learner may take between two questions.
    #[arg(long, value_name = "SECONDS", default_value = "3600", value_parser = seconds)]
    read_timeout: Duration,
    /// Seconds to wait until a learner has taken an answer.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    write_timeout: Duration,
    /// Most memory, in MiB, for the terms of a query.
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory_limit: usize,
}

pub(super) fn run(arguments: &TeachArguments) -> Result<ExitCode, Failure> {
    let (mut task, _) = read(&arguments.path, arguments.layout, true)?;
    let db = database(&mut task)?;
    let failed = |source| Failure::Network {
        address: arguments.listen.clone(),
        source,
    };
    let listener = TcpListener::bind(&arguments.listen).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))?;
    println!(
        "teaching {}/{} at {address}: {} positive and {} negative examples",
        task.symbols.name(task.target.name),
        task.target.arity,
        task.positive.len(),
        task.negative.len()
    );
    // Nobody can connect who cannot read this.
    std::io::stdout().flush().map_err(failed)?;
    let params = ServerParams {
        limits: TimeLimits {
            connect: arguments.read_timeout,
            read: arguments.read_timeout,
            write: arguments.write_timeout,
            clock: Instant::now,
        },
        max_at_once: arguments.max_at_once.into(),
        max_visits: arguments.max_visits,
    };
    let exam = arguments.exam.params(limits(arguments.memory_limit));
    let sampler = HeldOut::new(&task, arguments.seed);
    let teacher = || Examiner::new(&db, &task.bias, sampler.clone(), exam);
    let note = |visit: &Visit| {
        let problem = visit.problem.as_deref().unwrap_or("taught to the end");
        eprintln!("{}: {} tests, {problem}", visit.peer, visit.n_tests);
    };
    serve(&listener, &task, &NoScenes, &teacher, &params, &stop, &note).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}
