//! Active learning: a teacher tests rules on fresh examples.
//!
//! The learner begins with a few random examples and asks a [`Teacher`] about the rules it finds. The
//! teacher tests them on examples drawn at random, throws out the rules below a set accuracy, and
//! answers with counterexamples: positive examples that no rule covers, and negative ones that some
//! rule covers. This goes on until there is no counterexample, or for a number of rounds.
//!
//! An [`Examiner`] is a teacher in the same process; its examples come from a [`Sampler`], which draws
//! them from a generator or, as [`HeldOut`], from a task. The example `two_processes` of `kibitz-pena2003` has
//! a teacher in another process, as in the paper: another implementation of [`Teacher`].
//!
//! # Source
//! Peña Castillo and Wrobel 2003, section 3.2.

use std::collections::VecDeque;

use kibitz_prolog::{Atom, Clause, Database, Limits};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use super::Mio;
use crate::learn::bottom_clause::{AnswerCache, Rules, Search, Session};
use crate::learn::outcome::Watch;
use crate::learn::{Hypothesis, LearnError, Progress, Stop};
use crate::problem::Problem;
use crate::task::{Bias, Task};

/// A ground atom of the target, and whether it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabeledExample {
    /// The atom.
    pub atom: Atom,
    /// Whether it is a positive example.
    pub is_positive: bool,
}

/// Where examples come from.
pub trait Sampler {
    /// The next random example; the background knows its terms when this returns.
    ///
    /// # Errors
    /// [`TeacherError`] if there can be none.
    fn draw(&mut self) -> Result<LabeledExample, TeacherError>;

    /// Most examples that can be drawn before one comes again.
    fn n_fresh(&self) -> usize {
        usize::MAX
    }

    /// The learner gets to know this example: where examples may come again, it is not fresh any more.
    fn give(&mut self, example: &LabeledExample) {
        let _ = example;
    }
}

/// The examples of a task, held out from the learner: those that it does not know yet are drawn in
/// turn, in a random order.
#[derive(Clone, Debug)]
pub struct HeldOut(pub(super) VecDeque<LabeledExample>);

impl HeldOut {
    /// The examples of a task, in an order that the seed decides.
    pub fn new(task: &Task, seed: u64) -> Self {
        let sides = [(&task.positive, true), (&task.negative, false)];
        let labeled = sides.into_iter().flat_map(|(side, is_positive)| {
            (side.iter().cloned()).map(move |atom| LabeledExample { atom, is_positive })
        });
        let mut examples: Vec<LabeledExample> = labeled.collect();
        examples.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        Self(examples.into())
    }
}

impl Sampler for HeldOut {
    fn draw(&mut self) -> Result<LabeledExample, TeacherError> {
        let next = self.0.pop_front();
        let next =
            next.ok_or_else(|| TeacherError::NoExamples("the learner knows them all".into()))?;
        self.0.push_back(next.clone());
        Ok(next)
    }

    fn n_fresh(&self) -> usize {
        self.0.len()
    }

    fn give(&mut self, example: &LabeledExample) {
        self.0.retain(|other| other != example);
    }
}

/// A teacher's answer about rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// For each rule, whether it is to be kept.
    pub is_kept: Vec<bool>,
    /// Positive examples that no rule covers which is kept, and negative ones that any rule covers.
    pub counterexamples: Vec<LabeledExample>,
}

/// A source of examples that tests rules.
pub trait Teacher {
    /// Random examples to begin with.
    ///
    /// # Errors
    /// [`TeacherError`] if there are none, or the teacher is gone.
    fn examples(&mut self) -> Result<Vec<LabeledExample>, TeacherError>;

    /// Tests rules on fresh examples.
    ///
    /// # Errors
    /// [`TeacherError`] if they cannot be tested, or the teacher is gone.
    fn test(&mut self, rules: &[Clause]) -> Result<Verdict, TeacherError>;
}

/// Why a teacher does not answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TeacherError {
    /// There are no examples.
    #[error("no examples can be drawn: {0}")]
    NoExamples(String),
    /// The rules cannot be tested.
    #[error("the rules cannot be tested: {0}")]
    Untestable(String),
    /// There is no other side, or there is none any more.
    #[error("the teacher is gone: {0}")]
    Gone(String),
    /// The other side takes too long.
    #[error("the teacher takes too long: {0}")]
    TimedOut(String),
    /// The other side says something else than it should.
    #[error("the teacher is not understood: {0}")]
    NotUnderstood(String),
    /// The other side does not want to teach.
    #[error("the teacher declines: {0}")]
    Declined(String),
}

/// Parameters of [`Examiner`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct ExaminerParams {
    /// Examples to begin with.
    pub first_examples: usize,
    /// Fresh examples of a test.
    pub test_examples: usize,
    /// Rules that are right on a smaller share of the fresh examples they cover are thrown out.
    pub min_accuracy: f64,
    /// Most positive and most negative counterexamples of an answer.
    pub max_counterexamples: usize,
    /// Bounds on the proofs of one example.
    pub limits: Limits,
}

impl Default for ExaminerParams {
    fn default() -> Self {
        Self {
            first_examples: 10,
            test_examples: 400,
            min_accuracy: 0.95,
            max_counterexamples: 5,
            limits: Limits::default(),
        }
    }
}

/// A teacher in the same process.
#[derive(Debug)]
pub struct Examiner<'a, S> {
    db: &'a Database,
    bias: &'a Bias,
    sampler: S,
    params: ExaminerParams,
    /// Everything drawn for tests.
    drawn: Vec<LabeledExample>,
}

impl<'a, S: Sampler> Examiner<'a, S> {
    /// A teacher that draws examples of the bias's target and proves with this background.
    pub fn new(db: &'a Database, bias: &'a Bias, sampler: S, params: ExaminerParams) -> Self {
        Self {
            db,
            bias,
            sampler,
            params,
            drawn: Vec::new(),
        }
    }

    /// Every example drawn so far.
    pub fn drawn(&self) -> &[LabeledExample] {
        &self.drawn
    }

    /// Draws `n` examples, or as many as there are; the index of the first.
    fn draw(&mut self, n: usize) -> Result<usize, TeacherError> {
        let from = self.drawn.len();
        for _ in 0..n.min(self.sampler.n_fresh()) {
            self.drawn.push(self.sampler.draw()?);
        }
        Ok(from)
    }
}

impl<S: Sampler> Teacher for Examiner<'_, S> {
    fn examples(&mut self) -> Result<Vec<LabeledExample>, TeacherError> {
        let from = self.draw(self.params.first_examples)?;
        let first = &self.drawn[from..];
        for example in first {
            self.sampler.give(example);
        }
        Ok(first.to_vec())
    }

    fn test(&mut self, rules: &[Clause]) -> Result<Verdict, TeacherError> {
        let (db, bias, params) = (self.db, self.bias, self.params);
        let untestable =
            |error: &dyn std::fmt::Display| TeacherError::Untestable(error.to_string());
        let rules = Rules::new(db, bias, rules, params.limits).map_err(|e| untestable(&e))?;
        let from = self.draw(params.test_examples)?;
        let fresh = &self.drawn[from..];
        let mut asker = rules.evaluator();
        let mut covering = Vec::with_capacity(fresh.len());
        let mut counts = vec![[0_usize; 2]; rules.len()];
        for example in fresh {
            let mut answers = AnswerCache::default();
            let mut found = Vec::new();
            for (rule, counts) in counts.iter_mut().enumerate() {
                let covers = asker.covers(rule, &mut answers, &example.atom);
                if covers.map_err(|error| untestable(&error))? {
                    counts[usize::from(!example.is_positive)] += 1;
                    found.push(rule);
                }
            }
            covering.push(found);
        }
        let is_kept: Vec<bool> = (counts.iter())
            .map(|&[right, wrong]| right as f64 >= params.min_accuracy * (right + wrong) as f64)
            .collect();
        let mut left = [params.max_counterexamples; 2];
        let mut counterexamples = Vec::new();
        for (example, found) in fresh.iter().zip(covering) {
            // A negative example is added even if only a rule that is thrown out covers it.
            let is_wrong = if example.is_positive {
                !found.iter().any(|&rule| is_kept[rule])
            } else {
                !found.is_empty()
            };
            let left = &mut left[usize::from(example.is_positive)];
            if is_wrong && *left > 0 {
                *left -= 1;
                self.sampler.give(example);
                counterexamples.push(example.clone());
            }
        }
        Ok(Verdict {
            is_kept,
            counterexamples,
        })
    }
}

/// A theory learned with a teacher.
#[derive(Clone, Debug, PartialEq)]
pub struct TaughtHypothesis {
    /// The theory.
    pub learned: Hypothesis,
    /// Times the teacher was asked.
    pub rounds: usize,
    /// Examples received, positive and negative.
    pub received: [Vec<Atom>; 2],
}

/// Why active learning failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ActiveError {
    /// The learner cannot go on.
    #[error(transparent)]
    Learner(#[from] LearnError),
    /// The teacher does not answer.
    #[error(transparent)]
    Teacher(#[from] TeacherError),
}

/// Learns a definition of the task's target from examples of a teacher; the task's own are given to
/// begin with. Only rules that passed the teacher's last test are returned.
///
/// `max_rounds` bounds how often the teacher is asked.
///
/// # Errors
/// [`ActiveError`] for parameters out of range, background that cannot be carried out, and a teacher
/// that does not answer.
pub fn learn(
    problem: &Problem<'_>,
    mio: &Mio,
    max_rounds: usize,
    teacher: &mut dyn Teacher,
    progress: &mut (dyn Progress + Send),
) -> Result<TaughtHypothesis, ActiveError> {
    let task = problem.task();
    let mio = mio.checked(task)?;
    let find = |search: &mut Search<'_>| mio.find(search);
    let watch = Watch::new(progress);
    let mut session = Session::new(problem, mio.covering(&find));
    session
        .add(&task.positive, &task.negative)
        .map_err(LearnError::from)?;
    let mut received = [Vec::new(), Vec::new()];
    let mut next = teacher.examples()?;
    let mut rounds = 0;
    let stop = loop {
        let mut sides = [Vec::new(), Vec::new()];
        for LabeledExample { atom, is_positive } in next {
            sides[usize::from(!is_positive)].push(atom);
        }
        session
            .add(&sides[0], &sides[1])
            .map_err(LearnError::from)?;
        session.drop_refuted().map_err(LearnError::from)?;
        let stop = session.cover(&watch)?;
        for (all, new) in received.iter_mut().zip(sides) {
            all.extend(new);
        }
        let verdict = teacher.test(&session.clauses())?;
        rounds += 1;
        let is_kept = |rule: usize| verdict.is_kept.get(rule).copied().unwrap_or(false);
        session.retain(is_kept).map_err(LearnError::from)?;
        if verdict.counterexamples.is_empty() {
            break Stop::Complete;
        }
        if matches!(stop, Stop::Interrupted | Stop::OutOfSteps) {
            break stop;
        }
        if rounds == max_rounds {
            break Stop::NoMoreClauses;
        }
        next = verdict.counterexamples;
    };
    Ok(TaughtHypothesis {
        learned: session.into_learned(stop),
        rounds,
        received,
    })
}
