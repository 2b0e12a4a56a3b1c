use std::fmt;

use thiserror::Error;

use crate::reader::{ReadErrorKind, line_and_column};

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
    /// An example of another predicate.
    #[error("this example is of {found}, the predicate to learn is {target}")]
    WrongExample {
        /// What stands there.
        found: String,
        /// What should.
        target: String,
    },
    /// An example with variables or a body.
    #[error("an example must be a fact without variables")]
    ExampleNotGround,
    /// There is nothing to learn from.
    #[error("there are no {0} examples")]
    NoExamples(&'static str),
    /// The same atom is positive and negative.
    #[error("{count} examples are both positive and negative, the first is {first}")]
    Contradiction {
        /// How many.
        count: usize,
        /// One of them.
        first: String,
    },
    /// A declaration with the wrong number of places.
    #[error("{declaration} lists {found} arguments, {predicate} has {expected}")]
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
    /// An input that nothing computes.
    #[error(
        "argument {argument} of {predicate} is an input of type {kind}, which neither the \
             head nor any output produces: the predicate can never be used"
    )]
    NeverProduced {
        /// Name and arity.
        predicate: String,
        /// From 1.
        argument: usize,
        /// Its type.
        kind: String,
    },
    /// A limit that rules out every clause.
    #[error("{limit}({value}) is too small: {reason}")]
    LimitTooSmall {
        /// The setting.
        limit: &'static str,
        /// Its value.
        value: usize,
        /// Why that is too small.
        reason: String,
    },
    /// A file layout that is not known.
    #[error("{0}")]
    Layout(String),
}

/// One problem of a task, with its place and what to do about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Issue {
    /// The file, as the caller named it; empty if the problem lies between files.
    pub file: String,
    /// Line and column, from 1.
    pub place: Option<(usize, usize)>,
    /// The problem.
    pub kind: IssueKind,
    /// What to do.
    pub help: Option<String>,
}

impl Issue {
    pub(crate) fn new(file: &str, kind: IssueKind) -> Self {
        Self {
            file: file.to_owned(),
            place: None,
            kind,
            help: None,
        }
    }

    pub(crate) fn at(file: &str, text: &str, offset: usize, kind: IssueKind) -> Self {
        Self {
            place: Some(line_and_column(text, offset)),
            ..Self::new(file, kind)
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}:", self.file)?;
            if let Some((line, column)) = self.place {
                write!(f, "{line}:{column}:")?;
            }
            write!(f, " ")?;
        }
        write!(f, "{}", self.kind)?;
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
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

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, issue) in self.issues.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{issue}")?;
        }
        Ok(())
    }
}

impl std::error::Error for TaskError {}
