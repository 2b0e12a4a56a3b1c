//! Rules from examples: learning, and why an example is covered or not.

use kibitz_ilp::learn::mml::{Criterion, Noise};
use kibitz_ilp::learn::{ClosedWorld, LearnError, Learner, NoProgress, Progress, Remark, Stop};
use kibitz_ilp::{
    Evaluation, Issue, IssueKind, Problem, SearchSetting, Source, Study, Task, Theory, TheoryError,
};
use kibitz_ilp_cli::{Algorithm, Settings};
use kibitz_prolog::{Atom, BitSet, Clause, Database, Limits, SymbolTable, print_atom};
use kibitz_text::{Diagnostic, Diagnostics, Failure, Severity, counted, suggestion};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::mistakes::{Mistakes, message};

/// A task in Popper's three files.
#[derive(Clone, Debug, Deserialize)]
pub struct TaskTexts {
    /// The examples, as `pos(…)` and `neg(…)`: `exs.pl`.
    pub examples: String,
    /// Facts and rules: `bk.pl`.
    pub background: String,
    /// What rules may use: `bias.pl`.
    pub bias: String,
}

impl TaskTexts {
    /// Reads the texts.
    ///
    /// # Errors
    /// Every mistake, in its place.
    pub fn read(&self) -> Result<Task, Diagnostics> {
        let source = |name, text| Source { name, text };
        let task = Task::from_popper(
            source("exs.pl", &self.examples),
            source("bk.pl", &self.background),
            source("bias.pl", &self.bias),
        );
        task.map_err(|error| error.diagnostics())
    }

    /// Reads the texts and the clauses of a theory.
    fn with(&self, theory: &str) -> Result<(Task, Vec<Clause>), Diagnostics> {
        let mut task = self.read()?;
        let clauses = task.read_theory(Source {
            name: "theory",
            text: theory,
        });
        let clauses = clauses.map_err(|error| error.diagnostics())?;
        Ok((task, clauses))
    }
}

/// A theory of examples.
#[derive(Clone, Debug, Deserialize)]
pub struct LearnQuestion {
    /// The task.
    #[serde(flatten)]
    pub task: TaskTexts,
    /// How.
    #[serde(flatten)]
    pub how: LearnSettings,
}

/// How to learn: the options of `kibitz-ilp learn` by their names.
#[derive(Clone, Debug, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option that stands alone, as on the command line"
)]
pub struct LearnSettings {
    /// The learner's name.
    pub learner: String,
    /// Maximum number of search steps; the learner's own number if not given.
    pub max_steps: Option<u64>,
    /// Maximum memory, in MiB, for queries and tables.
    #[serde(default = "memory")]
    pub memory_limit: usize,
    /// Seed of random choices.
    #[serde(default = "one")]
    pub seed: u64,
    /// Allow negated literals in bodies.
    #[serde(default)]
    pub negation: bool,
    /// Repair clauses that cover negative examples with exceptions of their own.
    #[serde(default)]
    pub exceptions: bool,
    /// What mml makes shortest.
    pub criterion: Option<Criterion>,
    /// Whether mml takes labels to be wrong where that is shorter.
    pub noise: Option<Noise>,
    /// Maximum number of clauses of the theory.
    pub max_clauses: Option<usize>,
    /// Maximum number of body literals of a clause.
    pub max_body: Option<usize>,
    /// Maximum number of variables of a clause.
    pub max_vars: Option<usize>,
    /// Maximum number of literals between a variable and the head.
    pub max_depth: Option<usize>,
    /// Fewest positive examples that a clause must cover.
    pub min_positives: Option<usize>,
    /// Least share of positive examples among those that a clause covers.
    pub min_accuracy: Option<f64>,
    /// Let clauses call the predicate that is learned.
    #[serde(default)]
    pub recursion: bool,
    /// Count every other tuple of the constants as a negative example.
    #[serde(default)]
    pub closed_world: bool,
    /// Examples to test on.
    pub test: Option<TestExamples>,
    /// Learn as many times, each time without another part of the examples, and test on this part.
    pub folds: Option<u16>,
}

/// Examples to test on.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum TestExamples {
    /// A share of the task's own, which is drawn by the seed and not learned from.
    Share(f64),
    /// Others, as `pos(…)` and `neg(…)`.
    Text(String),
}

/// Maximum number of negative examples of a closed world.
const MAX_CLOSED_WORLD: usize = 10_000;

/// Default memory limit of the program, in MiB.
fn memory() -> usize {
    1024
}

fn one() -> u64 {
    1
}

/// Limits of a run of the program with its defaults.
fn limits(memory: usize) -> Limits {
    Limits {
        memory: memory.saturating_mul(1 << 20),
        ..Limits::default()
    }
}

/// Keeps the remarks of a learner, and passes the rest on.
struct Remarks<'p> {
    told: Vec<Remark>,
    progress: &'p mut (dyn Progress + Send),
}

impl Progress for Remarks<'_> {
    fn clause(&mut self, clause: &Clause, symbols: &SymbolTable, positive: usize, negative: usize) {
        self.progress.clause(clause, symbols, positive, negative);
    }

    fn remark(&mut self, remark: &Remark) {
        if !self.told.contains(remark) {
            self.told.push(remark.clone());
        }
    }

    fn tried(&mut self, learner: &'static str, n_right: usize, n: usize) {
        self.progress.tried(learner, n_right, n);
    }

    fn keep_going(&mut self) -> bool {
        self.progress.keep_going()
    }

    fn keep_verifying(&mut self) -> bool {
        self.progress.keep_verifying()
    }
}

impl LearnQuestion {
    pub(crate) fn answer(&self) -> Result<Value, Mistakes> {
        self.how.learned(self.task.read()?, &mut NoProgress)
    }
}

impl LearnSettings {
    /// The `theory` as `learn --format json` writes it, its `program`, `messages`, and the examples that
    /// it gets wrong; with `folds` only how they did; or an `error`. A progress that says no ends the search with the best so far.
    pub fn learn(
        &self,
        task: Result<Task, Diagnostics>,
        progress: &mut (dyn Progress + Send),
    ) -> Value {
        let learned = task
            .map_err(Mistakes::from)
            .and_then(|task| self.learned(task, progress));
        learned.unwrap_or_else(|mistakes| json!({ "error": mistakes.json() }))
    }

    fn learned(
        &self,
        mut task: Task,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Value, Mistakes> {
        let algorithm: Algorithm = (self.learner.parse()).map_err(|_| self.unknown())?;
        self.check(algorithm)?;
        let learner = self.learner(algorithm)?;
        let mut messages: Vec<Diagnostic> = self.apply(&mut task)?.into_iter().collect();
        let mut findings = task.check();
        if algorithm == Algorithm::Mml {
            // Positive examples are enough for it; it tells itself where there are none.
            let is_more = |issue: &Issue| !matches!(issue.kind, IssueKind::NoExamples(..));
            findings.errors.retain(is_more);
        }
        if !findings.errors.is_empty() {
            let issues = findings.errors.iter();
            let told = issues.map(|issue| issue.diagnostic(Severity::Error));
            return Err(told.collect::<Diagnostics>().into());
        }
        let warnings = findings.warnings.iter();
        messages.extend(warnings.map(|issue| issue.diagnostic(Severity::Warning)));
        messages.extend(algorithm.ignored_settings(&task));
        let db = task.database();
        let db = db.map_err(|error| unsolved(TheoryError::before(&task, error)))?;
        let mut remarks = Remarks {
            told: Vec::new(),
            progress,
        };
        if let Some(k) = self.folds {
            let (mut answer, told) =
                self.cross_validated(k, &*learner, &task, &db, &mut remarks)?;
            messages.extend(told);
            messages.extend(remarks.told.iter().map(|remark| task.diagnostic_of(remark)));
            answer["messages"] = messages.iter().map(message).collect();
            return Ok(answer);
        }
        let problem = Problem::with_database(&task, &db);
        let theory = problem.learn(&*learner, &mut remarks);
        let theory = theory.map_err(unsolved)?;
        messages.extend(remarks.told.iter().map(|remark| task.diagnostic_of(remark)));
        messages.extend(undecided(&theory));
        if theory.stop == Stop::OutOfMemory {
            messages.push(Diagnostic::warning(format!(
                "the memory limit of {} MiB is reached; this is the best theory so far",
                self.memory_limit
            )));
        }
        let limits = limits(self.memory_limit);
        let test = self.tested(&problem, &theory)?;
        let why_not = problem.why_not_all(&theory, limits, &mut remarks);
        let named = |examples: &[Atom], covered: &BitSet, wanted: bool| {
            let examples = examples.iter().enumerate();
            let wrong = examples.filter(|(at, _)| covered.contains(*at) != wanted);
            let wrong = wrong.map(|(_, own)| print_atom(own, &theory.symbols).to_string());
            wrong.collect::<Value>()
        };
        let Theory { total, .. } = &theory;
        Ok(json!({
            "theory": theory.json(&why_not, test),
            "program": theory.program(),
            "clauses": theory.text,
            "correct": theory.is_correct(),
            "missed": named(&task.positive, &total.positive, true),
            "wrong": named(&task.negative, &total.negative, false),
            "messages": messages.iter().map(message).collect::<Value>(),
        }))
    }

    fn unknown(&self) -> Mistakes {
        let names = Algorithm::ALL.map(Algorithm::name);
        let near = suggestion(&self.learner, names);
        Mistakes::told(format!("there is no learner {}; {near}", self.learner))
    }

    /// Whether the learner supports the given options.
    fn check(&self, algorithm: Algorithm) -> Result<(), Mistakes> {
        let is_by_length = matches!(algorithm, Algorithm::Mml | Algorithm::Auto);
        let obeys = |setting| algorithm.obeys(setting);
        let given = [
            (self.criterion.is_some(), is_by_length, "criterion"),
            (self.noise.is_some(), is_by_length, "noise"),
            (
                self.max_depth.is_some(),
                obeys(SearchSetting::MaxDepth),
                "max_depth",
            ),
            (
                self.min_positives.is_some(),
                obeys(SearchSetting::MinPositives),
                "min_positives",
            ),
            (
                self.min_accuracy.is_some(),
                obeys(SearchSetting::MinAccuracy),
                "min_accuracy",
            ),
        ];
        let ignored = given
            .into_iter()
            .find(|(is_given, obeys, _)| *is_given && !obeys);
        if let Some((.., option)) = ignored {
            let why = format!("{option} is not supported by {}", algorithm.name());
            return Err(Mistakes::told(why));
        }
        if self
            .min_accuracy
            .is_some_and(|share| !(0.0..=1.0).contains(&share))
        {
            return Err(Mistakes::told("min_accuracy is a number from 0 to 1"));
        }
        if self.folds.is_some_and(|k| k < 2) {
            return Err(Mistakes::told("folds are at least 2"));
        }
        if self.folds.is_some() && self.test.is_some() {
            return Err(Mistakes::told(
                "folds are tested on: give no other examples to test on",
            ));
        }
        Ok(())
    }

    fn learner(&self, algorithm: Algorithm) -> Result<Box<dyn Learner>, Mistakes> {
        let settings = Settings {
            max_steps: self.max_steps,
            seed: Some(self.seed),
            limits: limits(self.memory_limit),
            criterion: self.criterion.unwrap_or_default(),
            noise: self.noise.unwrap_or_default(),
            ..Settings::default()
        };
        let learner = algorithm.learner(&settings);
        let learner = learner.map_err(|error| Mistakes::told(error.to_string()))?;
        Ok(if self.exceptions {
            Box::new(ClosedWorld::new(learner))
        } else {
            learner
        })
    }

    /// Changes a task as requested; returns warnings.
    fn apply(&self, task: &mut Task) -> Result<Option<Diagnostic>, Mistakes> {
        let bias = &mut task.bias;
        bias.max_clauses = self.max_clauses.or(bias.max_clauses);
        bias.max_body = self.max_body.or(bias.max_body);
        bias.max_vars = self.max_vars.or(bias.max_vars);
        bias.negation |= self.negation;
        if self.recursion {
            bias.allow_recursion();
        }
        let search = &mut task.search;
        search.max_depth = self.max_depth.or(search.max_depth);
        search.min_positives = self.min_positives.or(search.min_positives);
        search.min_accuracy = self.min_accuracy.or(search.min_accuracy);
        let told = self.closed_world.then(|| {
            let n = task.assume_closed_world(MAX_CLOSED_WORLD, self.seed);
            {
                let tuples = counted(n, "other tuple", "other tuples");
                Diagnostic::warning(format!("closed world: added {tuples} as negative examples"))
            }
        });
        let more = match &self.test {
            None => return Ok(told),
            Some(TestExamples::Share(share)) if *share > 0.0 && *share < 1.0 => {
                let split = task.held_out(*share, self.seed);
                task.take_split(split);
                return Ok(told);
            }
            Some(TestExamples::Share(_)) => {
                return Err(Mistakes::told(
                    "a share of test examples lies between 0 and 1",
                ));
            }
            Some(TestExamples::Text(text)) => {
                let name = "test.pl";
                let read = task.read_examples(Source { name, text });
                read.map_err(|error| Mistakes::from(error.diagnostics()))?
            }
        };
        for (own, more) in task.test.iter_mut().zip(more) {
            own.extend(more);
        }
        Ok(told)
    }

    /// How a theory does on the test examples of its task, if it has some.
    fn tested(
        &self,
        problem: &Problem<'_>,
        theory: &Theory,
    ) -> Result<Option<Evaluation>, Mistakes> {
        let test = problem.task().test.each_ref().map(|part| &part[..]);
        if test.iter().all(|part| part.is_empty()) {
            return Ok(None);
        }
        let limits = limits(self.memory_limit);
        let own = problem.coverage_of(&theory.clauses, test, limits, &mut || true);
        let own =
            own.map_err(|error| unsolved(TheoryError::by(problem, LearnError::from(error))))?;
        let weights = &problem.task().test_weights;
        Ok(Some(Evaluation::new(&own, test, weights)))
    }

    /// Cross-validation: learns without each part of the examples in turn and tests on it. Returns the
    /// `folds`, their `total`, and remarks.
    fn cross_validated(
        &self,
        k: u16,
        learner: &dyn Learner,
        task: &Task,
        db: &Database,
        progress: &mut Remarks<'_>,
    ) -> Result<(Value, Vec<Diagnostic>), Mistakes> {
        let mut folds = Vec::new();
        let mut messages = Vec::new();
        let mut total = Evaluation::default();
        for split in task.folds(k.into(), self.seed) {
            let mut part = task.clone();
            part.test = Default::default();
            part.take_split(split);
            let problem = Problem::with_database(&part, db);
            let theory = problem.learn(learner, progress).map_err(unsolved)?;
            messages.extend(undecided(&theory));
            let fold = self.tested(&problem, &theory)?.unwrap_or_default();
            total += fold;
            folds.push(fold.json());
            if !progress.keep_going() {
                break;
            }
        }
        Ok((json!({ "folds": folds, "total": total.json() }), messages))
    }
}

/// A warning for proofs of a theory that came to no end; comments of the program are sentences here.
fn undecided(theory: &Theory) -> Vec<Diagnostic> {
    let text = theory.undecided();
    let lines = text.lines().map(|line| line.trim_start_matches("% "));
    lines.map(Diagnostic::warning).collect()
}

fn unsolved(error: TheoryError) -> Mistakes {
    Failure::from(error).diagnostics.into()
}

/// Why a theory covers an example, or does not.
#[derive(Clone, Debug, Deserialize)]
pub struct ExplainQuestion {
    /// The task.
    #[serde(flatten)]
    pub task: TaskTexts,
    /// The clauses.
    pub theory: String,
    /// The example: `east(t1)`.
    pub example: String,
}

impl ExplainQuestion {
    /// Whether it is covered, and the `text` that `explain` prints.
    pub(crate) fn answer(&self) -> Result<Value, Mistakes> {
        let (mut task, clauses) = self.task.with(&self.theory)?;
        let example = task.read_example(&self.example);
        let example = example.map_err(|error| Mistakes::told(error.to_string()))?;
        let explained = task.explain(&clauses, &example, limits(memory()));
        let explained = explained.map_err(|error| unsolved(TheoryError::before(&task, error)))?;
        Ok(json!({
            "covered": explained.is_covered(),
            "text": explained.to_string(),
        }))
    }
}

/// Which examples a theory covers.
#[derive(Clone, Debug, Deserialize)]
pub struct JudgeQuestion {
    /// The task; its positive examples are judged.
    #[serde(flatten)]
    pub task: TaskTexts,
    /// The clauses.
    pub theory: String,
}

impl JudgeQuestion {
    /// For each positive example, in order and each once, whether it is `covered`; how many proofs are
    /// `undecided`.
    pub(crate) fn answer(&self) -> Result<Value, Mistakes> {
        let (mut task, clauses) = self.task.with(&self.theory)?;
        let db = task.database();
        let db = db.map_err(|error| unsolved(TheoryError::before(&task, error)))?;
        let problem = Problem::with_database(&task, &db);
        let total = problem.verify(&clauses, limits(memory()));
        let total = total
            .map_err(|error| Mistakes::told(error.to_string()))?
            .total;
        let examples = 0..task.positive.len();
        let covered: Vec<bool> = examples.map(|at| total.positive.contains(at)).collect();
        let undecided = total.undecided;
        Ok(json!({ "covered": covered, "undecided": undecided }))
    }
}
