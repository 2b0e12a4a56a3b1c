//! The messages of both sides, and their meaning in symbols.

use kibitz_ilp::Task;
use kibitz_ilp::learn::mio::active::{LabeledExample, TeacherError};
use kibitz_prolog::{
    Atom, Clause, Predicate, SymbolTable, print_atom, print_clause, read_clause, read_term,
};
use serde::{Deserialize, Serialize};

use super::Scenes;
use super::connection::shown;

/// Version of the protocol.
pub(super) const VERSION: u32 = 1;
/// Characters of a teacher's reason that are shown.
const MAX_REASON: usize = 400;
const PROTOCOL: &str = "kibitz-teacher";

/// How both sides begin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Hello {
    protocol: String,
    version: u32,
    /// The predicate to learn, as `name/arity`; other versions may say it in another way.
    #[serde(default)]
    target: String,
}

impl Hello {
    /// The problem with a message of `side`.
    pub(super) fn objection(&self, theirs: &Self, side: &str) -> Option<String> {
        if theirs.protocol != self.protocol {
            let theirs = shown(&theirs.protocol);
            Some(format!("{side} speaks {theirs}, not {PROTOCOL}"))
        } else if theirs.version != self.version {
            Some(format!(
                "{side} speaks version {}, not {VERSION}",
                theirs.version
            ))
        } else if theirs.target != self.target {
            Some(format!(
                "{side} is about {}, not {}",
                shown(&theirs.target),
                self.target
            ))
        } else {
            None
        }
    }
}

/// A message of the learner.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub(super) enum Question {
    Hello(Hello),
    Examples,
    Test { rules: Vec<String> },
}

/// A message of the teacher.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub(super) enum Answer {
    Hello(Hello),
    Examples {
        examples: Vec<Example>,
    },
    Verdict {
        kept: Vec<bool>,
        counterexamples: Vec<Example>,
    },
    No {
        because: Because,
        reason: String,
    },
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Because {
    NoExamples,
    Untestable,
    Declined,
}

impl Answer {
    pub(super) fn no(error: TeacherError) -> Self {
        let (because, reason) = match error {
            TeacherError::NoExamples(reason) => (Because::NoExamples, reason),
            TeacherError::Untestable(reason) => (Because::Untestable, reason),
            TeacherError::Declined(reason) => (Because::Declined, reason),
            other => (Because::Declined, other.to_string()),
        };
        Answer::No { because, reason }
    }
}

impl Because {
    pub(super) fn error(self, reason: &str) -> TeacherError {
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let reason = reason.chars().take(MAX_REASON).map(plain).collect();
        match self {
            Because::NoExamples => TeacherError::NoExamples(reason),
            Because::Untestable => TeacherError::Untestable(reason),
            Because::Declined => TeacherError::Declined(reason),
        }
    }
}

/// A labeled example.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Example {
    atom: String,
    positive: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scene: Option<String>,
}

/// Names and target of a task, to write and to read messages.
#[derive(Debug)]
pub(super) struct Language<'a> {
    symbols: SymbolTable,
    n_known: usize,
    target: Predicate,
    scenes: &'a dyn Scenes,
}

impl<'a> Language<'a> {
    pub(super) fn new(task: &Task, scenes: &'a dyn Scenes) -> Self {
        Self {
            scenes,
            n_known: task.symbols.names().count(),
            symbols: task.symbols.clone(),
            target: task.target,
        }
    }

    pub(super) fn hello(&self) -> Hello {
        let Predicate { name, arity } = self.target;
        Hello {
            protocol: PROTOCOL.into(),
            version: VERSION,
            target: format!("{}/{arity}", self.symbols.name(name)),
        }
    }

    pub(super) fn print_rules(&self, rules: &[Clause]) -> Vec<String> {
        let texts = rules.iter().map(|rule| print_clause(rule, &self.symbols));
        texts.map(|text| text.to_string()).collect()
    }

    /// Rules, or the problem with one.
    pub(super) fn read_rules(&mut self, texts: &[String]) -> Result<Vec<Clause>, String> {
        let read = |text: &String| {
            let rule = read_clause(text, &mut self.symbols);
            self.known(text, rule.map_err(|errors| errors.to_string()))
        };
        texts.iter().map(read).collect()
    }

    pub(super) fn print_examples(&self, examples: &[LabeledExample]) -> Vec<Example> {
        let print = |example: &LabeledExample| Example {
            atom: print_atom(&example.atom, &self.symbols).to_string(),
            positive: example.is_positive,
            scene: self.scenes.describe(&example.atom),
        };
        examples.iter().map(print).collect()
    }

    /// Ground atoms of the target, or the problem with one.
    pub(super) fn read_examples(
        &mut self,
        examples: &[Example],
    ) -> Result<Vec<LabeledExample>, String> {
        let mut read = |example: &Example| {
            let text = &example.atom;
            let term = read_term(text, &mut self.symbols).map_err(|errors| errors.to_string());
            let atom = Atom::from_term(&self.known(text, term)?);
            let is_example = |atom: &Atom| atom.predicate() == self.target && atom.is_ground();
            let atom = atom.filter(is_example);
            let atom =
                atom.ok_or_else(|| format!("\"{}\" is not an example of the target", shown(text)))?;
            let atom = match &example.scene {
                None => atom,
                Some(scene) => self.scenes.enter(&atom, scene)?,
            };
            Ok(LabeledExample {
                atom,
                is_positive: example.positive,
            })
        };
        examples.iter().map(&mut read).collect()
    }

    /// The value read, if every name in it was known before.
    fn known<T>(&self, text: &str, read: Result<T, String>) -> Result<T, String> {
        let text = shown(text);
        let read = read.map_err(|reason| format!("\"{text}\" cannot be read: {reason}"))?;
        match self.symbols.names().nth(self.n_known) {
            None => Ok(read),
            Some(name) => {
                let name = shown(name);
                Err(format!(
                    "\"{text}\" is about {name}, which is not known here"
                ))
            }
        }
    }
}
