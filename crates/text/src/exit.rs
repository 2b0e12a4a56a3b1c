//! Exit codes, one table for all programs.

use std::fmt::{self, Write as _};
use std::process::ExitCode;

/// How a program ends; where several apply, the greatest is the worst and wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: done.
    Done,
    /// 1: done, with a negative result: a theory misclassifies examples, a strategy does not win, a
    /// position is contradictory, a value drifted, or differs from the published one without a declared
    /// reason.
    Negative,
    /// 4: the selection matched nothing.
    NothingSelected,
    /// 3: a file or folder is missing or cannot be read, or data do not match their hash.
    Missing,
    /// 5: the work failed or met a limit.
    Failed,
    /// 6: output could not be written.
    Unwritable,
    /// 2: the command line or an input file has an error.
    BadInput,
    /// 130: interrupted.
    Interrupted,
}

impl Exit {
    /// All of them, by code.
    pub const ALL: [Self; 8] = [
        Self::Done,
        Self::Negative,
        Self::BadInput,
        Self::Missing,
        Self::NothingSelected,
        Self::Failed,
        Self::Unwritable,
        Self::Interrupted,
    ];

    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Negative => 1,
            Self::BadInput => 2,
            Self::Missing => 3,
            Self::NothingSelected => 4,
            Self::Failed => 5,
            Self::Unwritable => 6,
            Self::Interrupted => 130,
        }
    }

    /// The meaning, in one line.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Negative => {
                "done, and the answer is no: a theory errs, a strategy fails, values drift or differ"
            }
            Self::BadInput => "the command line or an input file has an error; nothing was run",
            Self::Missing => {
                "a file or folder is missing or cannot be read, or data do not match their hash"
            }
            Self::NothingSelected => "the selection matched nothing",
            Self::Failed => "the work failed or met a limit: time, memory, steps, or the network",
            Self::Unwritable => "output could not be written",
            Self::Interrupted => "interrupted",
        }
    }

    /// The table of codes, for the end of a help text.
    pub fn help() -> String {
        let mut worst = Self::ALL.to_vec();
        worst.sort_by(|a, b| b.cmp(a));
        worst.retain(|exit| *exit != Self::Done);
        let worst: Vec<String> = worst.iter().map(Self::to_string).collect();
        let mut text = format!(
            "Exit codes; if several apply, the first of {}:",
            worst.join(", ")
        );
        for exit in Self::ALL {
            let _ = write!(text, "\n  {:<4} {}", exit.code(), exit.meaning());
        }
        text
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.code().fmt(f)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained() {
        insta::assert_snapshot!(Exit::help());
    }
}
