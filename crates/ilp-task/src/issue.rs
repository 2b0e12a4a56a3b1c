use std::fmt;

use kibitz_prolog::ReadErrorKind;
use kibitz_text::{Diagnostic, Diagnostics, Failure, Location, Severity, word_at};
use thiserror::Error;

/// A problem of a learning task.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum IssueKind {
    /// The text is not Prolog.
    #[error(transparent)]
    Syntax(#[from] ReadErrorKind),
    /// A sentence that does not belong in this file.
    #[error("{0}")]
    Unexpected(String),
    /// No declaration of what to learn.
    #[error("the predicate to learn is not declared")]
    NoTarget,
    /// Examples of another predicate; the place is that of the first.
    #[error(
        "{} of {found}, the predicate to learn is {target}",
        if *count == 1 { "this example is".to_owned() } else { format!("this and {} more are", count - 1) }
    )]
    WrongExample {
        /// What stands there.
        found: String,
        /// What should.
        target: String,
        /// How many there are.
        count: usize,
    },
    /// An example with variables or a body.
    #[error("an example must be a fact without variables")]
    ExampleNotGround,
    /// There is nothing to learn from: the side, and of which target where there are several.
    #[error("no {0} examples{1}")]
    NoExamples(&'static str, String),
    /// One of several predicates to learn has no examples at all.
    #[error("no example is of {0}, which is declared as a predicate to learn")]
    TargetWithoutExamples(String),
    /// The same atom is positive and negative.
    #[error("examples that are both positive and negative: {count}; the first is {first}")]
    Contradiction {
        /// How many.
        count: usize,
        /// One of them.
        first: String,
    },
    /// Facts and rules of the predicate to learn in the background.
    #[error(
        "ignored {} of {target} in the background, because it is the target: {count}",
        if *rules { "facts and rules" } else { "facts" }
    )]
    GivenTarget {
        /// How many.
        count: usize,
        /// Whether there are rules among them.
        rules: bool,
        /// Name and arity.
        target: String,
    },
    /// A type with constants that no argument has.
    #[error("ignored constants of the type {kind}, because no argument has this type: {values}")]
    UnusedConstants {
        /// The type.
        kind: String,
        /// The constants.
        values: String,
    },
    /// Constants that no argument of their type has.
    #[error(
        "{} in no example and no fact{}",
        if *count == 1 { format!("constant {values} of type {kind} occurs") } else { format!("constants of type {kind} occur") },
        if *count == 1 { String::new() } else { format!(": {values}") }
    )]
    UnknownConstants {
        /// The type.
        kind: String,
        /// The constants.
        values: String,
        /// How many there are.
        count: usize,
    },
    /// A declaration with the wrong number of places.
    #[error(
        "{declaration} lists {}, {predicate} has {expected}",
        kibitz_text::counted(*found, "argument", "arguments")
    )]
    Arity {
        /// `type`, `direction`, ...
        declaration: String,
        /// Name and arity.
        predicate: String,
        /// Places listed.
        found: usize,
        /// Places needed.
        expected: usize,
    },
    /// A predicate of the bias that the background knowledge does not define.
    #[error("{0} is declared for clause bodies, but has neither facts nor rules")]
    NoFacts(String),
    /// No declaration for clause bodies at all.
    #[error("no predicate is declared for clause bodies")]
    NoBody,
    /// A head variable that no body literal can use.
    #[error(
        "argument {argument} of the head has type {kind}, which no body predicate takes: \
             the variable can never be bound in a body"
    )]
    HeadNeverBound {
        /// From 1.
        argument: usize,
        /// Its type.
        kind: String,
    },
    /// An argument of the head with values that no body literal has.
    #[error(
        "argument {argument} of the head takes the values {values}, which no body predicate has: no \
             literal can bind it"
    )]
    Label {
        /// From 1.
        argument: usize,
        /// The values.
        values: String,
    },
    /// An input that nothing computes.
    #[error(
        "argument {argument} of {predicate} is an input of type {kind}, which neither the \
             head nor any output produces: {what} can never be used"
    )]
    NeverProduced {
        /// Name and arity.
        predicate: String,
        /// From 1.
        argument: usize,
        /// Its type.
        kind: String,
        /// The predicate, or the mode where another one of it can be used.
        what: &'static str,
    },
    /// A constant is asked for of a type without any.
    #[error(
        "argument {argument} of {predicate} asks for a constant of type {kind}, of which there is none"
    )]
    WithoutConstants {
        /// Name and arity.
        predicate: String,
        /// From 1.
        argument: usize,
        /// Its type.
        kind: String,
    },
    /// A limit that rules out every clause.
    #[error("{} is {value}; expected at least {least}", setting(limit))]
    LimitTooSmall {
        /// The setting.
        limit: &'static str,
        /// Its value.
        value: usize,
        /// The smallest one that leaves a clause.
        least: usize,
    },
    /// A limit that leaves clauses the variables of the head only.
    #[error(
        "{} is {value}, which leaves no variable beside those of the head: it rules out every clause \
             that uses {predicate} with a new variable",
        setting("max_vars")
    )]
    NoNewVariables {
        /// The limit.
        value: usize,
        /// A predicate that has outputs.
        predicate: String,
    },
    /// A file layout that is not known.
    #[error("{0}")]
    Layout(String),
}

/// A setting of the bias with the option that is named after it.
fn setting(name: &str) -> String {
    format!("{name} (--{})", name.replace('_', "-"))
}

/// One problem of a task, with its place and what to do about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Issue {
    /// The file, as the caller named it, and the place in it; `None` if the problem lies between
    /// files.
    pub location: Option<Location>,
    /// The problem.
    pub kind: IssueKind,
    /// What to do.
    pub help: Option<String>,
}

impl Issue {
    pub(crate) fn new(file: &str, kind: IssueKind) -> Self {
        Self {
            location: (!file.is_empty()).then(|| Location::of_file(file)),
            kind,
            help: None,
        }
    }

    pub(crate) fn at(file: &str, text: &str, offset: usize, kind: IssueKind) -> Self {
        Self {
            location: Some(Location::new(file, text, word_at(text, offset))),
            kind,
            help: None,
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The message with an excerpt of the file.
    pub fn diagnostic(&self, severity: Severity) -> Diagnostic {
        Diagnostic {
            severity,
            location: self.location.clone(),
            ..Diagnostic::new(self.kind.to_string())
        }
        .with_label(self.help.clone().unwrap_or_default())
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostic(Severity::Error).fmt(f)
    }
}

/// All problems found in a task; never empty.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskError {
    /// In the order of the files.
    pub issues: Vec<Issue>,
}

impl TaskError {
    pub(crate) fn check<T>(issues: Vec<Issue>, value: T) -> Result<T, TaskError> {
        if issues.is_empty() {
            Ok(value)
        } else {
            Err(TaskError { issues })
        }
    }
}

impl From<Issue> for TaskError {
    fn from(issue: Issue) -> Self {
        Self {
            issues: vec![issue],
        }
    }
}

impl TaskError {
    /// The messages with excerpts of the files.
    pub fn diagnostics(&self) -> Diagnostics {
        let is_syntax = |issue: &Issue| matches!(issue.kind, IssueKind::Syntax(_));
        let has_syntax = self.issues.iter().any(is_syntax);
        // A sentence that cannot be read may be the declaration.
        let follows = |issue: &Issue| has_syntax && issue.kind == IssueKind::NoTarget;
        let issues = self.issues.iter().filter(|issue| !follows(issue));
        let all: Diagnostics = issues
            .map(|issue| issue.diagnostic(Severity::Error))
            .collect();
        all.in_reading_order()
    }
}

/// Most errors that are shown of one task.
const MAX_SHOWN: usize = 20;

impl From<TaskError> for Failure {
    fn from(error: TaskError) -> Self {
        let mut error = error;
        let more = error.issues.len().saturating_sub(MAX_SHOWN);
        error.issues.truncate(MAX_SHOWN);
        let failure = Failure::from(error.diagnostics());
        if more == 0 {
            return failure;
        }
        let more = kibitz_text::counted(more, "more error", "more errors");
        failure.with_note(&format!("{more} in these files"))
    }
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostics().fmt(f)
    }
}

impl std::error::Error for TaskError {}
