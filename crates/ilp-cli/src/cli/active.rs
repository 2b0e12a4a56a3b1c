//! Learning from a teacher on the command line.

use kibitz_ilp::Problem;
use kibitz_ilp::learn::mio::active::{
    ActiveError, Examiner, ExaminerParams, HeldOut, TaughtHypothesis, learn,
};
use kibitz_ilp::learn::{Mio, Progress};
use kibitz_prolog::Limits;
use kibitz_text::Failure;

/// Where the teacher is.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum Whereabouts {
    /// In this process.
    Here,
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

/// Learning from a teacher.
#[derive(Debug, clap::Args)]
pub(super) struct ActiveArguments {
    /// Learn from a teacher in this process (Mio). The task's examples are the teacher's, who tests with
    /// them; the theory is verified on them in the end.
    #[arg(long, value_name = "WHERE", conflicts_with = "exceptions")]
    pub(super) teacher: Option<Whereabouts>,
    /// Most tests by the teacher.
    #[arg(long, value_name = "N", default_value_t = 10, requires = "teacher")]
    rounds: u32,
    #[command(flatten)]
    exam: ExamArguments,
}

impl ActiveArguments {
    /// The least accuracy of clauses that are learned without a teacher.
    pub(super) fn min_accuracy_of_clauses(&self) -> Option<f64> {
        self.exam.min_accuracy.filter(|_| self.teacher.is_none())
    }

    /// Whether the options go together.
    pub(super) fn check(&self, is_mio: bool) -> Result<(), Failure> {
        let wrong = |text: &str| Err(Failure::usage(text));
        match self.teacher {
            Some(_) if !is_mio => wrong("--teacher needs --learner mio"),
            Some(_) if self.rounds == 0 => wrong("--rounds must be at least 1"),
            None if self.exam.is_given() => wrong(
                "--first-examples, --test-examples and --max-counterexamples are the teacher's: add \
                 --teacher here",
            ),
            _ => Ok(()),
        }
    }

    /// Mio with a teacher.
    pub(super) fn learn(
        &self,
        problem: &Problem<'_>,
        mio: &Mio,
        progress: &mut (dyn Progress + Send),
    ) -> Result<TaughtHypothesis, ActiveError> {
        let (task, db) = (problem.task(), problem.database());
        let mut bare = task.clone();
        bare.positive.clear();
        bare.negative.clear();
        let sampler = HeldOut::new(task, mio.seed);
        let params = self.exam.params(mio.bounds.limits);
        let mut teacher = Examiner::new(db, &task.bias, sampler, params);
        let bare = Problem::with_database(&bare, db);
        learn(&bare, mio, self.rounds as usize, &mut teacher, progress)
    }
}
