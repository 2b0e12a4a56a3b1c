//! Learning from a teacher on the command line.

use std::str::FromStr;
#[cfg(feature = "tcp")]
use std::time::{Duration, Instant};

#[cfg(feature = "tcp")]
use kibitz_ilp::learn::mio::active::tcp::{NoScenes, RemoteTeacher, TimeLimits};
use kibitz_ilp::learn::mio::active::{
    ActiveError, Examiner, ExaminerParams, HeldOut, Taught, Teacher, learn,
};
use kibitz_ilp::learn::{Mio, Progress};
use kibitz_ilp::{Limits, Problem};

use kibitz_text::Failure;

/// Where the teacher is.
#[derive(Clone, Debug)]
pub(super) enum Whereabouts {
    /// In this process.
    Here,
    /// At a host and port.
    #[cfg(feature = "tcp")]
    At(String),
}

impl Whereabouts {
    /// Whether the learner's own files need no examples.
    pub(super) fn has_examples(&self) -> bool {
        !matches!(self, Self::Here)
    }
}

impl FromStr for Whereabouts {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.rsplit_once(':') {
            None if text == "here" => Ok(Self::Here),
            #[cfg(feature = "tcp")]
            Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => {
                Ok(Self::At(text.to_owned()))
            }
            #[cfg(not(feature = "tcp"))]
            Some(_) => Err(super::WITHOUT_TCP),
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
    /// Least accuracy of a clause: in the teacher's tests, where less is thrown out [default: 0.95]; without
    /// a teacher on the examples
    #[arg(long, value_name = "SHARE", value_parser = share)]
    min_accuracy: Option<f64>,
    /// Most positive and most negative counterexamples of an answer [default: 5]
    #[arg(long, value_name = "N")]
    max_counterexamples: Option<usize>,
}

impl ExamArguments {
    pub(super) fn params(&self, limits: Limits) -> ExaminerParams {
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
            || self.max_counterexamples.is_some()
    }
}

fn share(text: &str) -> Result<f64, &'static str> {
    let share = text.parse().ok();
    let share = share.filter(|share| (0.0..=1.0).contains(share));
    share.ok_or("expected a number from 0 to 1")
}

#[cfg(feature = "tcp")]
pub(super) fn seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse().ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = time.filter(|time| !time.is_zero());
    time.ok_or("expected a number of seconds above 0")
}

/// Learning from a teacher.
#[derive(Debug, clap::Args)]
pub(super) struct ActiveArguments {
    /// Learn from a teacher (Mio): HOST:PORT of a `kibitz-ilp teach`, or `here`, in this process.
    /// The task's own examples are not learned from: a teacher `here` tests with them, and the theory
    /// is verified on them in the end.
    #[arg(long, value_name = "HOST:PORT|here", conflicts_with = "exceptions")]
    pub(super) teacher: Option<Whereabouts>,
    /// Most tests by the teacher.
    #[arg(long, value_name = "N", default_value_t = 10, requires = "teacher")]
    rounds: u32,
    #[command(flatten)]
    exam: ExamArguments,
    #[cfg(feature = "tcp")]
    #[command(flatten)]
    timeouts: Timeouts,
}

/// How long to wait for a teacher.
#[cfg(feature = "tcp")]
#[derive(Debug, clap::Args)]
struct Timeouts {
    /// Seconds to wait for a connection to the teacher.
    #[arg(long = "connect-timeout", value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    connect: Duration,
    /// Seconds to wait for an answer of the teacher.
    #[arg(long = "read-timeout", value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    read: Duration,
    /// Seconds to wait until the teacher has taken a question.
    #[arg(long = "write-timeout", value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    write: Duration,
}

impl ActiveArguments {
    /// The least accuracy of clauses that are learned without a teacher.
    pub(super) fn min_accuracy_of_clauses(&self) -> Option<f64> {
        self.exam.min_accuracy.filter(|_| self.teacher.is_none())
    }

    /// Whether the options go together.
    pub(super) fn check(&self, is_mio: bool) -> Result<(), Failure> {
        let wrong = |text: &str| Err(Failure::usage(text));
        match &self.teacher {
            Some(_) if !is_mio => wrong("--teacher needs --learner mio"),
            Some(_) if self.rounds == 0 => wrong("--rounds must be at least 1"),
            Some(Whereabouts::Here) => Ok(()),
            _ if self.exam.is_given() => wrong(
                "--first-examples, --test-examples and --max-counterexamples are the teacher's: give them to kibitz-ilp teach, or add --teacher here",
            ),
            _ => Ok(()),
        }
    }

    /// Mio with a teacher.
    pub(super) fn learn(
        &self,
        teacher: &Whereabouts,
        problem: &Problem<'_>,
        mio: &Mio,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Taught, ActiveError> {
        let (task, db) = (problem.task(), problem.database());
        let mut bare = task.clone();
        bare.positive.clear();
        bare.negative.clear();
        let mut teacher: Box<dyn Teacher + '_> = match teacher {
            Whereabouts::Here => Box::new(Examiner::new(
                db,
                &task.bias,
                HeldOut::new(task, mio.seed),
                self.exam.params(mio.bounds.limits),
            )),
            #[cfg(feature = "tcp")]
            Whereabouts::At(address) => {
                let limits = TimeLimits {
                    connect: self.timeouts.connect,
                    read: self.timeouts.read,
                    write: self.timeouts.write,
                    clock: Instant::now,
                };
                Box::new(RemoteTeacher::connect(address, task, &NoScenes, limits)?)
            }
        };
        let bare = Problem::with_database(&bare, db);
        let rounds = self.rounds as usize;
        learn(&bare, mio, rounds, &mut *teacher, progress)
    }
}
