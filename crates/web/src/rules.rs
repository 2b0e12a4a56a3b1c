//! Rules from examples: learning, and why an example is covered or not.

use kibitz_ilp::learn::{Algorithm, NoProgress, Progress, Remark, Settings};
use kibitz_ilp::{
    Atom, BitSet, Clause, Limits, Problem, Source, SymbolTable, Task, Theory, Unsolved, print_atom,
};
use kibitz_text::{Diagnostic, Diagnostics, Failure, Severity};
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
    /// How to learn.
    #[serde(flatten)]
    pub how: LearnSettings,
}

/// How to learn.
#[derive(Clone, Debug, Deserialize)]
pub struct LearnSettings {
    /// The learner's name.
    pub learner: String,
    /// Most search steps; the learner's own number if not given.
    pub max_steps: Option<u64>,
    /// Seed of random choices.
    #[serde(default = "one")]
    pub seed: u64,
}

fn one() -> u64 {
    1
}

/// What a run of the program with its defaults may take.
fn limits() -> Limits {
    Limits {
        memory: 1024 << 20,
        ..Limits::default()
    }
}

/// Keeps what a learner remarks on, and passes the rest on.
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
}

impl LearnQuestion {
    pub(crate) fn answer(&self) -> Result<Value, Mistakes> {
        self.how.learned(self.task.read()?, &mut NoProgress)
    }
}

impl LearnSettings {
    /// The `theory` as `learn --format json` writes it, its `program`, `messages`, and the examples that
    /// it gets wrong; or an `error`. A progress that says no ends the search with the best so far.
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
        let algorithm: Algorithm =
            (self.learner.parse()).map_err(|error: kibitz_ilp::learn::UnknownAlgorithm| {
                Mistakes::told(error.to_string())
            })?;
        let settings = Settings {
            max_steps: self.max_steps,
            seed: Some(self.seed),
            limits: limits(),
            ..Settings::default()
        };
        let learner = algorithm.learner(&settings);
        let learner = learner.map_err(|error| Mistakes::told(error.to_string()))?;
        let findings = task.check();
        if !findings.errors.is_empty() {
            let issues = findings.errors.iter();
            let told = issues.map(|issue| issue.diagnostic(Severity::Error));
            return Err(told.collect::<Diagnostics>().into());
        }
        let warnings = findings.warnings.iter();
        let warnings = warnings.map(|issue| issue.diagnostic(Severity::Warning));
        let mut messages: Vec<Diagnostic> = warnings.collect();
        messages.extend(algorithm.ignored_settings(&task));
        let db = task.database();
        let db = db.map_err(|error| unsolved(Unsolved::before(&task, error)))?;
        let problem = Problem::with_database(&task, &db);
        let mut remarks = Remarks {
            told: Vec::new(),
            progress,
        };
        let theory = problem.learn(&*learner, &mut remarks);
        let theory = theory.map_err(unsolved)?;
        messages.extend(remarks.told.iter().map(|remark| task.diagnostic_of(remark)));
        let why_not = problem.why_not_all(&theory, limits());
        let named = |examples: &[Atom], covered: &BitSet, wanted: bool| {
            let examples = examples.iter().enumerate();
            let wrong = examples.filter(|(at, _)| covered.contains(*at) != wanted);
            let wrong = wrong.map(|(_, own)| print_atom(own, &theory.symbols).to_string());
            wrong.collect::<Value>()
        };
        let Theory { total, .. } = &theory;
        Ok(json!({
            "theory": theory.json(&why_not, None),
            "program": theory.program(),
            "clauses": theory.text,
            "correct": theory.is_correct(),
            "missed": named(&task.positive, &total.positive, true),
            "wrong": named(&task.negative, &total.negative, false),
            "messages": messages.iter().map(message).collect::<Value>(),
        }))
    }
}

fn unsolved(error: Unsolved) -> Mistakes {
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
        let explained = task.explain(&clauses, &example, limits());
        let explained = explained.map_err(|error| unsolved(Unsolved::before(&task, error)))?;
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
        let db = db.map_err(|error| unsolved(Unsolved::before(&task, error)))?;
        let problem = Problem::with_database(&task, &db);
        let total = problem.verify(&clauses, limits());
        let total = total
            .map_err(|error| Mistakes::told(error.to_string()))?
            .total;
        let examples = 0..task.positive.len();
        let covered: Vec<bool> = examples.map(|at| total.positive.contains(at)).collect();
        let undecided = total.undecided;
        Ok(json!({ "covered": covered, "undecided": undecided }))
    }
}
